//! Planning reaches a router unasked, so it is rationed: at most 4 at once and 30 an hour (decisions 3).

use alloc::collections::VecDeque;

use crate::id::CallId;
use crate::time::Millis;

/// Most plans under way at once; the others wait their turn.
const AT_ONCE: usize = 4;
/// Most plans asked for in [`WINDOW`].
const PER_WINDOW: usize = 30;
/// The window: one hour.
const WINDOW: Millis = Millis::secs(3600);

/// The plans of the last hour.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    taken: VecDeque<Millis>,
    under_way: usize,
    waiting: VecDeque<CallId>,
}

impl Budget {
    /// Takes one plan out of the budget, for a call; it may begin when [`Budget::next`] gives the call.
    ///
    /// # Errors
    ///
    /// The minutes, 1 to 60, after which another may be tried.
    pub(super) fn take(&mut self, now: Millis, call: CallId) -> Result<(), u64> {
        while self.taken.front().is_some_and(|at| now.since(*at) >= WINDOW) {
            self.taken.pop_front();
        }
        if self.taken.len() >= PER_WINDOW {
            let oldest = self.taken.front().copied().unwrap_or(now);
            return Err((oldest + WINDOW).since(now).0.div_ceil(60_000).clamp(1, 60));
        }
        self.taken.push_back(now);
        self.waiting.push_back(call);
        Ok(())
    }

    /// The call whose plan begins, when there is room for one.
    pub(super) fn next(&mut self) -> Option<CallId> {
        if self.under_way >= AT_ONCE {
            return None;
        }
        let call = self.waiting.pop_front()?;
        self.under_way += 1;
        Some(call)
    }

    /// One plan ended.
    pub(super) fn give_back(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CONN-18, CONN-19: the fifth at once waits its turn; the thirty-first in an hour is refused, with the time to
    /// wait.
    #[test]
    fn rations() {
        let mut budget = Budget::default();
        for call in 1..=30 {
            assert_eq!(budget.take(Millis(60_000), CallId::new(call)), Ok(()));
        }
        let begun: alloc::vec::Vec<_> = core::iter::from_fn(|| budget.next()).collect();
        assert_eq!(begun, [1, 2, 3, 4].map(CallId::new));
        budget.give_back();
        assert_eq!(budget.next(), Some(CallId::new(5)));
        assert_eq!(budget.next(), None);
        assert_eq!(budget.take(Millis(180_000), CallId::new(31)), Err(58));
        assert_eq!(budget.take(Millis::secs(3659), CallId::new(31)), Err(1));
        assert_eq!(budget.take(Millis::secs(3660), CallId::new(31)), Ok(()));
    }
}
