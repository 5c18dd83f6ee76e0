//! All of the thinking of a SimpleX agent server, with none of the IO.
//!
//! Everything that happens is an [`Input`]; everything the host has to do is an [`Effect`].
//! A host hands inputs to a [`Machine`], carries out the effects, and reports how they ended:
//!
//! ```text
//! loop {
//!     wait for an input, at most until machine.next_wakeup()
//!     machine.handle(now, input, &mut effects);
//!     for effect in effects.drain() { carry it out; its end comes back as an input }
//! }
//! ```
//!
//! What this crate never does: read a clock, open a socket or a file, start a thread, draw a random number,
//! read the environment, keep global state, or panic on bytes from outside.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod agent;
pub mod chat;
pub mod config;
pub mod effect;
pub mod id;
pub mod jsonrpc;
pub mod mcp;
pub mod readable;
pub mod record;
pub mod rpc;
pub mod simplex;
pub mod time;
pub mod web;

pub use agent::Agent;
pub use config::Config;
pub use effect::{Effect, Effects, Input, Machine};
pub use time::{Millis, Now, UnixMillis, Wakeup};
