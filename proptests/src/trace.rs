//! What one run left behind: everything that can be judged without looking into the agent.

use std::fmt;

use simplex_agent_core::config::Config;

use crate::world::Seam;

/// One run of the whole system.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The configuration of all its processes.
    pub config: Config,
    /// Everything that passed the seam.
    pub seam: Vec<Seam>,
    /// What people did in the control chat.
    pub deeds: Vec<Deed>,
    /// Messages of the agent as peers received them.
    pub received: Vec<Received>,
    /// What was left when faults had stopped and time had passed.
    pub left: Vec<String>,
}

/// A message that a person wrote in the control chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// How long the seam was when it was written.
    pub at: usize,
    /// The person.
    pub person: String,
    /// An own new message of the main chat, final when it was written; nothing else may give a command (P13).
    pub genuine: bool,
    /// The network held the person for an owner of the control chat.
    pub owner: bool,
    /// The text.
    pub text: String,
}

/// A message of the agent as a peer received it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The peer.
    pub peer: String,
    /// The text.
    pub text: String,
    /// It came in a chat with the agent alone, not in a group.
    pub direct: bool,
}

/// A safety property of the architecture, or the liveness of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Nothing reaches a peer without an approval.
    P1,
    /// Each action is performed at most once.
    P2,
    /// Final states never change, each call has one answer.
    P3,
    /// Only what the agent meant can be tapped.
    P4,
    /// Everything posted fits.
    P5,
    /// Nothing begins after the stop did.
    P6,
    /// No number is used twice.
    P7,
    /// An approval is for the chat it was shown for.
    P11,
    /// Nothing about a one-time or foreign link reaches a router unapproved.
    P12,
    /// Only an approver's own new message gives a command.
    P13,
    /// When faults stop and time passes, everything ends.
    Liveness,
}

/// A property that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub property: Property,
    /// Where in the seam.
    pub at: usize,
    /// What happened.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {}: {}", self.property, self.at, self.what)
    }
}
