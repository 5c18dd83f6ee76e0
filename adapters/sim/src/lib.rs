//! An in-memory SimpleX network that speaks the text API of the SimpleX core.
//!
//! Pure and seeded: time is passed in, the same calls give the same answers. Several controllers ("processes" on
//! one database each) live in one [`Network`]; peers of a [`Scenario`] are controllers too, with a behaviour.
//!
//! ```
//! use simplex_agent_core::{Millis, Now, UnixMillis};
//! use simplex_sim::{Network, Options, Output};
//!
//! let now = Now { mono: Millis(0), unix: UnixMillis(1_790_000_000_000) };
//! let mut network = Network::new(1, Options::default());
//! let handle = network.open(now, "agent");
//! network.command(now, handle, 7, "/user");
//! let Some(Output::Response { ticket, text, .. }) = network.poll() else { panic!("no answer") };
//! assert_eq!(ticket, 7);
//! assert!(text.contains("noActiveUser"));
//! ```

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod act;
mod acting;
mod controller;
mod db;
mod errors;
mod exec;
mod fault;
mod json;
mod network;
mod options;
mod output;
mod people;
mod receive;
mod scan;
mod scenario;
mod signing;
mod size;
mod text;
mod view;
mod wire;
mod world;

pub use act::Act;
pub use fault::Fault;
pub use network::Network;
pub use options::{Delays, Noise, Options, Version};
pub use output::{Handle, Output};
pub use scenario::{
    AddressPlan, ChannelPlan, Decision, DirectoryEntry, DirectoryPlan, GroupPlan, OwnerPlan, OwnerRule,
    PeerPlan, RepliesPlan, Reply, Scenario, ServicePlan, ServiceRule,
};
pub use view::{ViewChat, ViewMember, ViewMessage};
