//! What a person of a simulated network sees.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simplex_agent_core::UnixMillis;

/// One chat of a person's list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewChat {
    /// Its reference in that person's database: `@4`, `#1`.
    pub chat_ref: String,
    /// Its local name, as in the list.
    pub name: String,
    /// Display name and role (`owner`, `member`…) of the others, for groups; empty for contacts.
    pub members: Vec<ViewMember>,
    /// The own role in a group (`owner`…), empty for contacts.
    pub role: String,
    /// True when messages can be sent to it.
    pub connected: bool,
    /// Messages of people, oldest first; the items of the main chat and of the support scope together.
    pub messages: Vec<ViewMessage>,
}

/// Another member of a group, as a person sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewMember {
    /// Its number in that person's database.
    pub id: i64,
    /// Its local name, with `_1` when names repeat.
    pub name: String,
    /// `owner`, `admin`, `moderator`, `member`, `observer`.
    pub role: String,
    /// `connected`, `left`, `removed`…
    pub status: String,
}

/// A message as a person sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewMessage {
    /// Its number in that person's database.
    pub id: i64,
    /// The local name of its author; the own display name for own messages.
    pub author: String,
    /// True for own messages.
    pub own: bool,
    /// The text as last edited. Deleted messages keep theirs (FINDINGS.md 6).
    pub text: String,
    /// `formattedText` as the core gives it, absent for plain text.
    pub formatted_text: Option<Value>,
    /// The text of the quoted message.
    pub quote: Option<String>,
    /// True in the support scope of a group.
    pub support: bool,
    /// True after an edit.
    pub edited: bool,
    /// True while it is being written.
    pub live: bool,
    /// True once its author deleted it.
    pub deleted: bool,
    /// Its time.
    pub time: UnixMillis,
}
