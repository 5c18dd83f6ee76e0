//! What the `tiny_http` front end does not do, with the reason. Everything else it does like the default one.

use super::rig::Kind;

/// Tests that do not hold, and why.
pub(crate) const TINY: &[(&str, &str)] = &[
    ("large_heads", "its crate has no limit for a head: a header of 64 MiB is accepted"),
    ("slow_heads", "its crate has no time-out, and one set on the socket would end the accepting thread"),
    ("slow_bodies", "the same"),
    ("too_many_connections", "its crate counts no connections and can't close one"),
    ("leaving_a_pending_answer", "its crate shows no disconnect; the answer's write is the first to notice"),
    ("half_closing_a_pending_answer", "the same"),
    ("leaving_behind_a_next_request", "the same"),
    ("half_closing_a_stream", "only a failed write tells, as when leaving a stream"),
    ("idle_connections", "its crate counts no connections: each has a thread"),
    ("leaving_a_stream", "only a failed write tells: `leaving_a_busy_stream` holds"),
    ("closing", "idle connections stay open until the process ends: `closing_ends_calls` holds"),
];

/// Why a test does not hold for `tiny_http`.
pub(crate) fn reason(test: &str) -> Option<&'static str> {
    TINY.iter().find(|(name, _)| *name == test).map(|(_, reason)| *reason)
}

/// Whether the front end closes the connection after an answer that says so. `tiny_http` leaves it to the client.
pub(crate) fn closes(kind: Kind) -> bool {
    kind == Kind::Hyper
}
