//! The reference model: what the agent may do, decided from what can be seen outside it.
//!
//! It shares no code with `core` but the plain data of the seam: it reads commands, events and HTTP bodies by its own
//! small reading ([`reading`]), and knows of an action only what was logged, asked, and said by people.

mod approvers;
pub mod fact;
pub mod key;
mod ledger;
pub mod reading;
pub mod stance;

pub use ledger::{Action, Ledger, State};
pub use stance::Stance;
