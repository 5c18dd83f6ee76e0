//! What a network gives back, and to which process.

use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Serialize};

/// One "process" on one database: from [`Network::open`](crate::Network::open) to
/// [`Network::close`](crate::Network::close). Never given twice in one network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Handle(pub(crate) u64);

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "handle{}", self.0)
    }
}

/// Something a process is told, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Output {
    /// The answer of a command: `{"result":…}` or `{"error":…}` (digest 1.4).
    Response {
        /// The process that sent the command.
        handle: Handle,
        /// The ticket it was sent with.
        ticket: u64,
        /// The JSON text.
        text: String,
    },
    /// An event: `{"result":…}` or `{"error":…}`.
    Event {
        /// The process it is for.
        handle: Handle,
        /// The JSON text.
        text: String,
    },
}
