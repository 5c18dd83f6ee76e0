//! Time as numbers that are passed in.
//!
//! Waits use the monotonic clock, so that a change of the wall clock ends none of them.
//! Expiry of actions uses the wall clock as well, because a sleeping computer must delay no expiry
//! (the plan, "Start and shutdown").

use core::ops::Add;

use serde::{Deserialize, Serialize};

/// A moment on the monotonic clock, or a length of time: milliseconds since the host started, `0..=u64::MAX`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// A length of time of `n` seconds.
    pub const fn secs(n: u64) -> Self {
        Self(n.saturating_mul(1000))
    }

    /// The time from `earlier` to `self`; zero when `earlier` is later.
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Millis {
    type Output = Self;

    /// Saturates: a deadline beyond the end of time never comes.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// A moment on the wall clock: milliseconds since 1970-01-01T00:00:00Z, negative before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// The moment `millis` after this one; saturates.
    pub const fn plus(self, millis: Millis) -> Self {
        let millis = if millis.0 > i64::MAX as u64 { i64::MAX } else { millis.0 as i64 };
        Self(self.0.saturating_add(millis))
    }
}

/// Both clocks at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Now {
    /// The monotonic clock.
    pub mono: Millis,
    /// The wall clock, in UTC.
    pub unix: UnixMillis,
}

/// When a machine next wants an [`Input::Tick`](crate::Input::Tick), and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wakeup {
    /// The moment, on the monotonic clock. A later tick is never a fault, an earlier one never harms.
    pub at: Millis,
    /// The reason, for logs and traces.
    pub why: &'static str,
}

impl Wakeup {
    /// The earlier of two wakeups, either of which may be absent.
    pub fn earlier(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}
