//! Groups and members.

use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simplex_agent_core::UnixMillis;

use super::Prepared;

/// A group, business chat or channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Group {
    pub(crate) id: i64,
    /// The same for all members, never shown.
    pub(crate) key: String,
    pub(crate) local_name: String,
    pub(crate) profile: Value,
    /// The own membership's row.
    pub(crate) own: i64,
    pub(crate) business: Option<Business>,
    pub(crate) channel: bool,
    pub(crate) public_id: Option<String>,
    pub(crate) link: Option<GroupLink>,
    /// The link it was joined by.
    pub(crate) joined_by: Option<u64>,
    pub(crate) via_uri: Option<String>,
    pub(crate) prepared: Option<Prepared>,
    pub(crate) custom: Option<Value>,
    pub(crate) unread: bool,
    pub(crate) created: UnixMillis,
    pub(crate) updated: UnixMillis,
    pub(crate) chat_ts: UnixMillis,
    /// The contact that invited, while the invitation waits.
    pub(crate) invited_by: Option<i64>,
    /// True once the feature items were made.
    pub(crate) features: bool,
}

/// A business chat.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Business {
    /// `business` at the customer, `customer` at the business.
    pub(crate) kind: String,
    pub(crate) business: String,
    pub(crate) customer: String,
    /// The customer's request, to know it when it comes again.
    pub(crate) x_contact_id: Option<String>,
}

/// A link by which others join.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GroupLink {
    pub(crate) id: i64,
    pub(crate) link: u64,
    pub(crate) role: String,
}

/// A member of a group, the own membership too.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Member {
    pub(crate) id: i64,
    pub(crate) group: i64,
    pub(crate) index: i64,
    pub(crate) member_id: String,
    pub(crate) role: String,
    /// `user`, `invitee`, `host`, `pre`, `post`.
    pub(crate) category: String,
    pub(crate) status: String,
    pub(crate) local_name: String,
    pub(crate) profile: i64,
    pub(crate) contact: Option<i64>,
    pub(crate) contact_profile: i64,
    pub(crate) conn: Option<i64>,
    /// `user`, `unknown` or `contact`.
    pub(crate) invited_by: String,
    pub(crate) invited_by_member: Option<i64>,
    pub(crate) support: Option<Support>,
    pub(crate) public_key: Option<String>,
    pub(crate) relay_link: Option<String>,
    pub(crate) peer_version: bool,
    pub(crate) blocked: bool,
    /// A customer whose chat existed before the request.
    pub(crate) prepared: bool,
    pub(crate) created: UnixMillis,
    pub(crate) updated: UnixMillis,
}

/// The state of a support scope.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Support {
    pub(crate) ts: UnixMillis,
    pub(crate) unread: i64,
    pub(crate) attention: i64,
    pub(crate) mentions: i64,
    pub(crate) last: Option<UnixMillis>,
}

impl Member {
    /// Digest 8: statuses that count as a current member.
    pub(crate) fn is_current(&self) -> bool {
        matches!(
            self.status.as_str(),
            "introduced" | "intro-inv" | "accepted" | "announced" | "connected" | "complete" | "creator"
        )
    }

    pub(crate) fn is_pending(&self) -> bool {
        matches!(self.status.as_str(), "pending_approval" | "pending_review")
    }

    pub(crate) fn is_removed(&self) -> bool {
        matches!(self.status.as_str(), "rejected" | "removed" | "left" | "deleted")
    }

    pub(crate) fn rank(&self) -> u8 {
        rank(&self.role)
    }
}

/// Roles in ascending order (digest 8).
pub(crate) fn rank(role: &str) -> u8 {
    ["relay", "observer", "author", "member", "moderator", "admin", "owner"]
        .iter()
        .position(|r| *r == role)
        .and_then(|p| u8::try_from(p).ok())
        .unwrap_or(0)
}
