//! The simulator as a SimpleX core: a simulated network in this process, with a real clock and a file.

mod host;
mod store;

pub use host::{SimCore, SimHost, SimOpenError};

use simplex_sim::{Decision, Scenario};

/// The network of a run that names no scenario: the people of `demo`, with an owner who approves every action,
/// because nobody plays it.
pub fn unattended() -> Scenario {
    let mut scenario = Scenario::demo();
    for owner in scenario.peers.iter_mut().filter_map(|peer| peer.owner.as_mut()) {
        owner.otherwise = Decision::Approve;
    }
    scenario
}
