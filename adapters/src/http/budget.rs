//! How many bytes of bodies are held at once, over all connections.
//!
//! A body counts from its first byte until its request has ended, since what the machine keeps of it (an id, a progress
//! token) may be as long as the body.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use simplex_agent_core::mcp::http::Limits;

/// What is left for the bytes of bodies that are beyond [`Limits::small_body`].
#[derive(Debug)]
pub(super) struct Budget {
    small: usize,
    left: AtomicUsize,
}

/// What one request holds; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Held {
    budget: Arc<Budget>,
    length: usize,
    taken: usize,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self { small: limits.small_body, left: AtomicUsize::new(limits.large_bodies) })
    }

    /// For a request of which nothing was read yet.
    pub(super) fn hold(self: &Arc<Self>) -> Held {
        Held { budget: self.clone(), length: 0, taken: 0 }
    }
}

impl Held {
    /// Takes the next bytes of the body in; whether there is room for them.
    pub(super) fn grow(&mut self, more: usize) -> bool {
        self.length = self.length.saturating_add(more);
        let wanted = self.length.saturating_sub(self.budget.small).saturating_sub(self.taken);
        let take = |left: usize| left.checked_sub(wanted);
        // Nothing else is ordered by the number.
        let taken = self.budget.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        if taken {
            self.taken += wanted;
        }
        taken
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.left.fetch_add(self.taken, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-33: small bodies are free, the rest is shared, and what was held is given back.
    #[test]
    fn what_is_held_is_counted_and_given_back() {
        let budget = Budget::new(&Limits { small_body: 10, large_bodies: 100, ..Limits::SERVED });
        let (mut first, mut second, mut small) = (budget.hold(), budget.hold(), budget.hold());
        assert!(first.grow(8) && first.grow(8) && first.grow(54));
        assert!(second.grow(50));
        assert!(!second.grow(1), "60 and 40 are taken");
        assert!(small.grow(10));
        assert!(!small.grow(1));
        drop(first);
        assert!(small.grow(1) && small.grow(57));
        drop((second, small));
        assert_eq!(budget.left.load(Ordering::Relaxed), 100);
    }
}
