//! What a website and an address say of how to reach someone: the `## Communications` section of `llms.txt`, and the
//! declarations in profiles, groups and link data.
//!
//! [`llms::read`] gives the entries of a section and notes on what is wrong with it, [`llms::write()`] writes one;
//! [`Declared`] is what the SimpleX core's link data says; [`Offer`] puts both together, and answers what a protocol
//! can be called by. Nothing here asks anyone: a text comes in, values go out.
//!
//! The well-known document of websites (`/.well-known/simplex.json`) is not read: its format is not published
//! (decisions 9a).

mod audience;
mod declared;
mod frequency;
pub mod llms;
mod offer;
mod protocol;

pub use audience::{Audience, Readers};
pub use declared::{Declaration, Declared, Fault, Problem, Protocols, Transports};
pub use frequency::ChangeFrequency;
pub use llms::{Address, Communications, Entry, Kind, Network, Note, Notice, Position};
pub use offer::{Endpoint, Found, Offer, Place, Said, Service, Source};
pub use protocol::Protocol;

#[cfg(test)]
mod tests;
