//! The SimpleX core, whatever it is: a library in this process, a program beside it, or a simulator.
//!
//! [`SimplexCore`] is all that the driver knows. [`Pooled`] makes one out of a [`Blocking`] core, which answers a
//! command by returning from a call.

pub mod libsimplex;
mod pooled;
pub mod sim;
pub mod websocket;

pub use pooled::{Blocking, Pooled};

use simplex_agent_core::id::OpId;

/// A SimpleX core: takes command lines, gives event lines.
///
/// It is made with an [`Inbox`](crate::driver::Inbox) and receives events from then on, before the first command:
/// each is put as [`Input::Event`](simplex_agent_core::Input::Event), and the end of receiving, when nobody asked
/// for it, as one [`Input::CoreLost`](simplex_agent_core::Input::CoreLost).
pub trait SimplexCore: Send {
    /// Begins a command and returns at once. Its end is put into the inbox exactly once, as
    /// [`Outcome::Response`](simplex_agent_core::effect::Outcome::Response) or
    /// [`Outcome::Failed`](simplex_agent_core::effect::Outcome::Failed). Commands run in parallel and end in any
    /// order.
    fn send(&mut self, op: OpId, line: String);

    /// Closes the store and returns at once. Commands that have not ended are reported as failed first, then `op`
    /// ends; nothing is put into the inbox after it.
    fn close(&mut self, op: OpId);
}
