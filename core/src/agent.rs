//! The served agent.

pub mod card;
pub mod owner_command;
pub mod text;
pub mod tools;

use crate::{Effects, Input, Machine, Now, Wakeup};

/// The served agent: one SimpleX profile under its owner's supervision.
#[derive(Debug)]
pub struct Agent;

impl Machine for Agent {
    fn handle(&mut self, _now: Now, _input: Input, _effects: &mut Effects) {}

    fn next_wakeup(&self) -> Option<Wakeup> {
        None
    }
}
