//! The whole system on the simulator with a virtual clock: text scripts, the reference model, property tests.
//!
//! [`World`] is the agent machine, a simulated SimpleX network and MCP clients, driven as the real driver does, with
//! the time of the next thing to do instead of a clock.

pub mod fuzz;
pub mod model;
pub mod oracle;
pub mod play;
pub mod script;
pub mod step;
pub mod strategies;
pub mod trace;
pub mod world;

pub use world::World;
