//! Chats: what they are, and a page of one.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Deserialize;

use super::wire::{MissingField, list, or_default, promised, soft};
use super::{ChatItem, Contact, GroupInfo, GroupMemberId, ItemId, PendingConnection};
use crate::simplex::command::Conversation;

/// Which chat something is in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WireChatInfo")]
#[expect(clippy::large_enum_variant, reason = "lives on the stack of its handler, one at a time")]
pub enum ChatInfo {
    /// A chat with a contact.
    Direct(Contact),
    /// A group, a business chat or a channel.
    Group {
        /// The group.
        group: GroupInfo,
        /// The part of the group that is not its main chat. Owner commands there do not count (P13).
        scope: Option<Scope>,
    },
    /// The note folder.
    Local,
    /// A contact request that waits for the user.
    ContactRequest,
    /// A connection that is no chat yet.
    ContactConnection(PendingConnection),
    /// A kind this program does not know.
    Other(String),
}

impl ChatInfo {
    /// The chat as commands name it; none for kinds without messages of others.
    pub fn conversation(&self) -> Option<Conversation> {
        match self {
            Self::Direct(contact) => Some(Conversation::Contact(contact.contact_id)),
            Self::Group { group, scope: None } => Some(Conversation::Group(group.group_id)),
            Self::Group { group, scope: Some(Scope::Support(member)) } => {
                Some(Conversation::Support(group.group_id, *member))
            }
            Self::ContactConnection(pending) => Some(Conversation::Pending(pending.pcc_conn_id)),
            Self::Group { scope: Some(Scope::Other(_)), .. }
            | Self::Local
            | Self::ContactRequest
            | Self::Other(_) => None,
        }
    }
}

/// A part of a group that is not its main chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The chat with the group's moderators: of this member, or of the user when there is none.
    Support(Option<GroupMemberId>),
    /// A part this program does not know.
    Other(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireChatInfo {
    #[serde(rename = "type")]
    tag: String,
    contact: Option<Contact>,
    group_info: Option<GroupInfo>,
    group_chat_scope: Option<WireScope>,
    contact_connection: Option<PendingConnection>,
}

#[derive(Deserialize)]
struct WireScope {
    #[serde(rename = "type")]
    tag: String,
    #[serde(default, rename = "groupMember_", deserialize_with = "soft")]
    member: Option<ScopeMember>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScopeMember {
    group_member_id: GroupMemberId,
}

impl From<WireScope> for Scope {
    fn from(wire: WireScope) -> Self {
        if wire.tag == "memberSupport" {
            Self::Support(wire.member.map(|member| member.group_member_id))
        } else {
            Self::Other(wire.tag)
        }
    }
}

impl TryFrom<WireChatInfo> for ChatInfo {
    type Error = MissingField;

    fn try_from(wire: WireChatInfo) -> Result<Self, Self::Error> {
        Ok(match wire.tag.as_str() {
            "direct" => Self::Direct(promised(wire.contact, "contact")?),
            "group" => Self::Group {
                group: promised(wire.group_info, "groupInfo")?,
                scope: wire.group_chat_scope.map(Scope::from),
            },
            "local" => Self::Local,
            "contactRequest" => Self::ContactRequest,
            "contactConnection" => {
                Self::ContactConnection(promised(wire.contact_connection, "contactConnection")?)
            }
            _ => Self::Other(wire.tag),
        })
    }
}

/// A chat with a page of its items.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Chat {
    /// Which chat.
    pub chat_info: ChatInfo,
    /// The items, oldest first by the core's order: in groups that of `itemTs`, not of numbers (FINDINGS 5).
    /// Items that cannot be read are left out.
    #[serde(default, deserialize_with = "list")]
    pub chat_items: Vec<ChatItem>,
    /// Counts. Real in `/_get chats` and for pages around an item, zeros in others.
    #[serde(default, deserialize_with = "soft")]
    pub chat_stats: ChatStats,
}

/// Counts of a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatStats {
    /// Unread items, events among them: not the number of unread messages (FINDINGS 6).
    #[serde(default, deserialize_with = "or_default")]
    pub unread_count: u64,
    /// Unread items that mention the user.
    #[serde(default, deserialize_with = "or_default")]
    pub unread_mentions: u64,
    /// The smallest number of an unread item.
    pub min_unread_item_id: Option<ItemId>,
    /// True when the chat is marked unread.
    #[serde(default, deserialize_with = "or_default")]
    pub unread_chat: bool,
}
