//! Contacts, requests and connections.

use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simplex_agent_core::UnixMillis;

/// A contact.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Contact {
    pub(crate) id: i64,
    pub(crate) local_name: String,
    pub(crate) profile: i64,
    pub(crate) conn: Option<i64>,
    /// False for the row that is the profile itself, and for requests that were not accepted.
    pub(crate) used: bool,
    /// `active` or `deleted` (by the peer).
    pub(crate) status: String,
    pub(crate) created: UnixMillis,
    pub(crate) updated: UnixMillis,
    pub(crate) chat_ts: UnixMillis,
    pub(crate) prepared: Option<Prepared>,
    pub(crate) request: Option<i64>,
    pub(crate) custom: Option<Value>,
    /// The mark of `/_unread chat`.
    pub(crate) unread: bool,
    pub(crate) group_invitation_sent: bool,
}

/// What was prepared and not connected yet, or how it was.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Prepared {
    pub(crate) full: String,
    pub(crate) short: Option<String>,
    pub(crate) one_time: bool,
    pub(crate) welcome: Option<String>,
    pub(crate) request: Option<String>,
    /// Set by the first try, with its incognito setting.
    pub(crate) incognito: Option<bool>,
    pub(crate) started: bool,
    pub(crate) business: bool,
    pub(crate) direct: bool,
}

/// A contact request that waits for the person.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) id: i64,
    pub(crate) contact: i64,
    pub(crate) agent_invitation: String,
    pub(crate) x_contact_id: String,
    pub(crate) profile: i64,
    pub(crate) local_name: String,
    /// The requesting side's newest end.
    pub(crate) wire: u64,
    pub(crate) more_profile: Option<Value>,
    pub(crate) message: Option<String>,
    pub(crate) created: UnixMillis,
    pub(crate) updated: UnixMillis,
}

/// A connection: one end here, one end at a peer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Conn {
    pub(crate) id: i64,
    pub(crate) agent_id: String,
    pub(crate) wire: u64,
    pub(crate) peer: Option<u64>,
    pub(crate) entity: Entity,
    /// `new`, `prepared`, `joined`, `requested`, `accepted`, `sndReady`, `ready`, `deleted`.
    pub(crate) status: String,
    /// The link it was made with, in either form, and whose it is.
    pub(crate) link: Option<u64>,
    pub(crate) own_link: bool,
    pub(crate) link_full: String,
    pub(crate) link_short: Option<String>,
    /// True for the host's end of a join by group link.
    pub(crate) via_group_link: bool,
    pub(crate) via_contact_uri: bool,
    pub(crate) group_link: Option<String>,
    pub(crate) x_contact_id: Option<String>,
    /// The random profile.
    pub(crate) custom_profile: Option<i64>,
    pub(crate) via_user_link: Option<i64>,
    pub(crate) initiated: bool,
    pub(crate) level: i64,
    pub(crate) pq: bool,
    pub(crate) peer_version: bool,
    /// A used one-time link was connected to again: nothing can be sent (FINDINGS.md, 3).
    pub(crate) broken: bool,
    /// The peer's profile as it will be told after the connection works.
    pub(crate) more_profile: Option<Value>,
    pub(crate) created: UnixMillis,
    pub(crate) updated: UnixMillis,
}

/// What a connection belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Entity {
    Pending,
    Contact(i64),
    Member(i64),
}
