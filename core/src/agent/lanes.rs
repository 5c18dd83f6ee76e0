//! Performs of one chat, or of one target, run one at a time in the order of their approvals (decisions 3).

use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;

use crate::simplex::chat_ref::ChatRef;

/// What two performs may not touch at once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lane {
    /// A chat of the agent.
    Chat(ChatRef),
    /// A link or name, as the call gave it.
    Target(String),
}

/// The lanes in use: the first of each is running, the others wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes(BTreeMap<Lane, VecDeque<u64>>);

impl Lanes {
    /// Puts an action in its lane; true when it may run at once.
    pub(super) fn enter(&mut self, lane: Lane, action: u64) -> bool {
        let queue = self.0.entry(lane).or_default();
        queue.push_back(action);
        queue.len() == 1
    }

    /// Takes an action out of its lane and gives the one that may run next, when the one that left was running.
    pub(super) fn leave(&mut self, lane: &Lane, action: u64) -> Option<u64> {
        let queue = self.0.get_mut(lane)?;
        let was_running = queue.front() == Some(&action);
        queue.retain(|n| *n != action);
        let next = queue.front().copied().filter(|_| was_running);
        if queue.is_empty() {
            self.0.remove(lane);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One runs, the next follows; one that leaves while waiting starts nobody.
    #[test]
    fn one_at_a_time() {
        let mut lanes = Lanes::default();
        let lane = Lane::Target("x".into());
        assert!(lanes.enter(lane.clone(), 1));
        assert!(!lanes.enter(lane.clone(), 2));
        assert!(!lanes.enter(lane.clone(), 3));
        assert!(lanes.enter(Lane::Chat(ChatRef::Contact(4)), 4));
        assert_eq!(lanes.leave(&lane, 2), None);
        assert_eq!(lanes.leave(&lane, 1), Some(3));
        assert_eq!(lanes.leave(&lane, 3), None);
        assert_eq!(lanes.leave(&lane, 3), None);
    }
}
