//! Chat items.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simplex_agent_core::UnixMillis;

/// Which chat an item is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Chat {
    Contact(i64),
    Group(i64),
    Local(i64),
}

/// Who wrote an item, as `chatDir` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Author {
    Own,
    Peer,
    Member(i64),
    Channel,
}

/// A chat item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) id: i64,
    pub(crate) chat: Chat,
    /// The member of a support scope; the own membership's row for the own scope.
    pub(crate) support: Option<i64>,
    pub(crate) author: Author,
    pub(crate) ts: UnixMillis,
    pub(crate) content: Value,
    pub(crate) text: String,
    pub(crate) status: Value,
    pub(crate) shared_id: Option<String>,
    pub(crate) quote: Option<Quoted>,
    /// Name in the text to member identifier.
    pub(crate) mentions: Vec<(String, String)>,
    pub(crate) user_mention: bool,
    pub(crate) edited: bool,
    pub(crate) live: Option<bool>,
    pub(crate) deleted: Option<UnixMillis>,
    /// The member that deleted it, when not its author.
    pub(crate) moderated_by: Option<i64>,
    pub(crate) forwarded: bool,
    pub(crate) handed_on_by: Option<i64>,
    pub(crate) as_group: bool,
    pub(crate) ttl: Option<i64>,
    pub(crate) via_proxy: Option<bool>,
    pub(crate) signed: bool,
    pub(crate) created: UnixMillis,
    pub(crate) updated: UnixMillis,
    pub(crate) reactions: Vec<(bool, Value)>,
    /// Ends that got it, and ends that said so.
    pub(crate) sent: (usize, usize, usize),
}

/// The quoted item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Quoted {
    pub(crate) author: Option<Author>,
    pub(crate) item: Option<i64>,
    pub(crate) shared_id: Option<String>,
    pub(crate) sent: UnixMillis,
    pub(crate) content: Value,
}

impl Item {
    /// True for `sndMsgContent` and `rcvMsgContent`.
    pub(crate) fn is_message(&self) -> bool {
        matches!(self.content_type(), "sndMsgContent" | "rcvMsgContent")
    }

    pub(crate) fn content_type(&self) -> &str {
        self.content.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn is_unread(&self) -> bool {
        self.status.get("type").and_then(Value::as_str) == Some("rcvNew")
    }

    pub(crate) fn is_own(&self) -> bool {
        self.author == Author::Own
    }
}
