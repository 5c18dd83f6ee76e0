//! Planning reaches a router unasked, so it is rationed: at most 4 at once and 30 an hour (decisions 3).

use alloc::collections::VecDeque;

use crate::time::Millis;

/// Most plans under way at once.
const AT_ONCE: usize = 4;
/// Most plans begun in [`WINDOW`].
const PER_WINDOW: usize = 30;
/// The window: one hour.
const WINDOW: Millis = Millis::secs(3600);

/// The plans of the last hour.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    begun: VecDeque<Millis>,
    under_way: usize,
}

impl Budget {
    /// Takes one plan out of the budget.
    ///
    /// # Errors
    ///
    /// The minutes, 1 to 60, after which another may be tried.
    pub(super) fn take(&mut self, now: Millis) -> Result<(), u64> {
        while self.begun.front().is_some_and(|at| now.since(*at) >= WINDOW) {
            self.begun.pop_front();
        }
        if self.under_way >= AT_ONCE {
            return Err(1);
        }
        if self.begun.len() >= PER_WINDOW {
            let oldest = self.begun.front().copied().unwrap_or(now);
            return Err((oldest + WINDOW).since(now).0.div_ceil(60_000).clamp(1, 60));
        }
        self.begun.push_back(now);
        self.under_way += 1;
        Ok(())
    }

    /// One plan ended.
    pub(super) fn give_back(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fifth at once and the thirty-first in an hour are refused, with the time to wait.
    #[test]
    fn rations() {
        let mut budget = Budget::default();
        for _ in 0..4 {
            assert_eq!(budget.take(Millis(0)), Ok(()));
        }
        assert_eq!(budget.take(Millis(0)), Err(1));
        for _ in 0..26 {
            budget.give_back();
            assert_eq!(budget.take(Millis(60_000)), Ok(()));
        }
        budget.give_back();
        assert_eq!(budget.take(Millis(120_000)), Err(58));
        assert_eq!(budget.take(Millis::secs(3600)), Ok(()));
    }
}
