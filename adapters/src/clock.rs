//! Both clocks of the machine, as the core wants them.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_io::Timer;
use simplex_agent_core::{Millis, Now, UnixMillis, Wakeup};

/// A clock whose monotonic time starts at a given number.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    first: Millis,
}

impl Clock {
    /// A clock that shows 0 at this moment.
    pub fn new() -> Self {
        Self::starting_at(Millis(0))
    }

    /// A clock that shows `first` at this moment, for state that was saved under an earlier run's clock.
    pub fn starting_at(first: Millis) -> Self {
        Self { start: Instant::now(), first }
    }

    /// Both clocks. A wall clock before 1970 is shown as negative.
    pub fn now(&self) -> Now {
        let mono = self.first + Millis(millis(self.start.elapsed()));
        let unix = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => signed_millis(after),
            Err(before) => signed_millis(before.duration()).saturating_neg(),
        };
        Now { mono, unix: UnixMillis(unix) }
    }

    /// How long until `at`; zero when it has passed.
    pub fn remaining(&self, at: Millis) -> Duration {
        Duration::from_millis(at.since(self.now().mono).0)
    }

    /// Completes at the wakeup, and never without one.
    pub async fn until(&self, wakeup: Option<Wakeup>) {
        match wakeup {
            Some(wakeup) => Timer::after(self.remaining(wakeup.at)).await,
            None => Timer::never().await,
        };
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

/// Whole milliseconds, rounded up, so that a timer that fires on time never shows an earlier time than it was set to.
fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros().div_ceil(1000)).unwrap_or(u64::MAX)
}

fn signed_millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_where_it_is_told_and_never_goes_back() {
        let clock = Clock::starting_at(Millis(5000));
        let (a, b) = (clock.now(), clock.now());
        assert!(a.mono >= Millis(5000) && a.mono < Millis(65_000));
        assert!(b.mono >= a.mono);
        assert!(a.unix > UnixMillis(1_700_000_000_000));
    }

    #[test]
    fn waits_until_the_wakeup_and_not_at_all_for_a_past_one() {
        let clock = Clock::new();
        smol::block_on(async {
            clock.until(Some(Wakeup { at: clock.now().mono + Millis(20), why: "test" })).await;
        });
        assert!(clock.now().mono >= Millis(20));
        assert_eq!(clock.remaining(Millis(0)), Duration::ZERO);
    }

    #[test]
    fn a_wakeup_beyond_the_end_of_time_is_a_long_wait_not_a_panic() {
        let clock = Clock::new();
        smol::block_on(async {
            let far = clock.until(Some(Wakeup { at: Millis(u64::MAX), why: "test" }));
            smol::future::or(far, async {
                Timer::after(Duration::from_millis(10)).await;
            })
            .await;
        });
    }
}
