//! What goes wrong on request.

use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simplex_agent_core::Millis;

/// Something that goes wrong, once or `count` times ([`Network::fault`](crate::Network::fault)).
///
/// `command` is the beginning of a command line (`"/_send"`, `"/_connect plan"`); `""` is any. Faults of commands and
/// events meet opened handles only, never the people of the scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the fields are named as in the text above")]
pub enum Fault {
    /// The command is not performed; the answer is `{"error": error}`.
    Fail { command: String, error: Value, count: u32 },
    /// The command is performed, yet the answer is `{"error": error}`.
    FailAfter { command: String, error: Value, count: u32 },
    /// The command is performed; its answer comes later by this much.
    Slow { command: String, delay: Millis, count: u32 },
    /// The command is performed and never answered.
    Hang { command: String, count: u32 },
    /// The command is performed; the answer is this text instead.
    Answer { command: String, text: String, count: u32 },
    /// The events that the command causes at the same handle come before its answer (normally they come after).
    EventsFirst { command: String, count: u32 },
    /// Each of the next events comes later by this much; those after them do not wait.
    DelayEvents { delay: Millis, count: u32 },
    /// Each of the next events comes twice.
    DuplicateEvents { count: u32 },
    /// A router refuses connections (FINDINGS.md 7). The host is the one of its links: `smp1.example`.
    RouterDown { host: String },
    /// A router accepts and never answers: commands end with their time-outs.
    RouterSilent { host: String },
    /// A router works again; what waited for it is delivered.
    RouterUp { host: String },
    /// Ends every fault.
    Clear,
}

impl Fault {
    /// The beginning of the commands it meets.
    pub(crate) fn command(&self) -> Option<&str> {
        match self {
            Self::Fail { command, .. }
            | Self::FailAfter { command, .. }
            | Self::Slow { command, .. }
            | Self::Hang { command, .. }
            | Self::Answer { command, .. }
            | Self::EventsFirst { command, .. } => Some(command),
            _ => None,
        }
    }

    /// Counts one use; true when it was the last.
    pub(crate) fn use_up(&mut self) -> bool {
        match self {
            Self::Fail { count, .. }
            | Self::FailAfter { count, .. }
            | Self::Slow { count, .. }
            | Self::Hang { count, .. }
            | Self::Answer { count, .. }
            | Self::EventsFirst { count, .. } => {
                *count = count.saturating_sub(1);
                *count == 0
            }
            _ => false,
        }
    }
}
