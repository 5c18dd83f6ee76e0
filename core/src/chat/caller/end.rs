//! When a wait is over (decisions 7, "End of a wait").

use super::replies::Replies;
use super::{Accepts, Binding};
use crate::time::Millis;

/// How long someone waits for the replies of a call. Several may wait for one call, each in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// The end in any case.
    pub until: Millis,
    /// For a broadcast: the quiet after the last reply that ends it once every sender heard has ended.
    pub idle: Millis,
    /// For a broadcast: the senders and text replies that are enough.
    pub limit: usize,
}

/// Why a wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// The one that was called ended its answer.
    Answer,
    /// The time is over.
    Wait,
    /// Nothing came for the idle time, and everyone who began an answer ended it.
    Idle,
    /// Enough came, or as much as is kept.
    Limit,
    /// The caller is gone, or the chat is.
    Stopped,
}

impl Ended {
    /// The word in results.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Wait => "wait",
            Self::Idle => "idle",
            Self::Limit => "limit",
            Self::Stopped => "stopped",
        }
    }
}

/// A call to one: at the end its binding defines, or when the time is over. Neither texts nor quiet end it.
pub(super) fn of_one(replies: &Replies, binding: &impl Binding, now: Millis, waits: &Waits) -> Option<Ended> {
    if replies.count(now, usize::MAX, binding).complete {
        return Some(Ended::Answer);
    }
    (now >= waits.until).then_some(Ended::Wait)
}

/// A broadcast.
pub(super) fn of_all(replies: &Replies, binding: &impl Binding, now: Millis, waits: &Waits) -> Option<Ended> {
    let count = replies.count(now, waits.limit, binding);
    // The answers that count are let come to their end: cut short, they would be of no use.
    if replies.is_full() || (count.units >= waits.limit && !count.unfinished) {
        return Some(Ended::Limit);
    }
    let all = replies.count(now, usize::MAX, binding);
    let quiet = quiet_at(replies, now, waits).filter(|_| !all.unfinished);
    match quiet {
        Some(quiet) if quiet <= waits.until && now >= quiet => Some(Ended::Idle),
        _ => (now >= waits.until).then_some(Ended::Wait),
    }
}

/// When the quiet is long enough: a live reply holds it off.
fn quiet_at(replies: &Replies, now: Millis, waits: &Waits) -> Option<Millis> {
    let quiet = replies.last()? + waits.idle;
    Some(replies.live_until(now).map_or(quiet, |live| live.max(quiet)))
}

/// When time alone may end the wait, or settle a live reply that does.
pub(super) fn next_look(replies: &Replies, accepts: &Accepts, now: Millis, waits: &Waits) -> Millis {
    let live = replies.next_settled(now);
    let quiet = match accepts {
        Accepts::One(_) => None,
        Accepts::Anyone => quiet_at(replies, now, waits).filter(|quiet| *quiet > now),
    };
    [live, quiet].into_iter().flatten().fold(waits.until, Millis::min)
}
