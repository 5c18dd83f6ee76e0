//! Everything `simplex-mcp` touches: the driver loop, the SimpleX core, the HTTP front end, files, signals, the
//! terminal. It carries out effects and reports inputs, and decides nothing: a status, a text, a retry or a limit
//! that a peer can see comes from `simplex-agent-core`.

#![deny(unsafe_code)]

pub mod clock;
pub mod descriptors;
pub mod driver;
pub mod files;
pub mod http;
pub mod record;
pub mod relay;
pub mod signals;
pub mod simplex;
pub mod terminal;
pub mod trace;

/// The example of README.md compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
