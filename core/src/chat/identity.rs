//! Who and where: chats, conversations and the parties in them, by what stays the same.

use alloc::format;
use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::simplex::ChatRef;
use crate::simplex::command::Conversation;
use crate::simplex::model::{ChatDir, ChatInfo, ChatItem};

/// Which chat it is: numbers are given again after a delete, so the time of creation belongs to it (P11).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// The chat's number.
    pub chat: ChatRef,
    /// When the chat was made, as the core writes it: it stays through joining and renaming (decisions 10).
    pub created_at: String,
}

impl Identity {
    /// The chat of an item or event; none when it is neither a contact nor a group.
    pub fn of(info: &ChatInfo) -> Option<Self> {
        let (chat, created_at) = match info {
            ChatInfo::Direct(contact) => (ChatRef::Contact(contact.contact_id.number()), &contact.created_at),
            ChatInfo::Group { group, .. } => (ChatRef::Group(group.group_id.number()), &group.created_at),
            ChatInfo::Local
            | ChatInfo::ContactRequest
            | ChatInfo::ContactConnection(_)
            | ChatInfo::Other(_) => return None,
        };
        Some(Self { chat, created_at: created_at.as_str().into() })
    }

    /// It as the key of an object in `DIR/state.json`.
    pub fn key(&self) -> String {
        format!("{} {}", self.chat, self.created_at)
    }
}

/// One conversation: a chat's main scope, or a support scope, which is a conversation of its own (decisions 7).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The chat.
    pub chat: Identity,
    /// The part of it, as commands name it.
    pub conversation: Conversation,
}

impl Place {
    /// The conversation of an item; none where there is nobody to talk to, and in a scope this program does not know.
    pub fn of(info: &ChatInfo) -> Option<Self> {
        Some(Self { chat: Identity::of(info)?, conversation: info.conversation()? })
    }
}

/// One side of a call: who sent a command or a reply, and who owns what came of it (decisions 9, "Ownership").
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Party {
    /// The contact of a direct chat.
    Contact(Identity),
    /// A member of a group.
    #[serde(rename_all = "camelCase")]
    Member {
        /// The group.
        group: Identity,
        /// What the group knows the member by; stays as long as the membership.
        member_id: String,
    },
}

impl Party {
    /// Who wrote an item: none for own items, and for posts of a channel, which have no sender.
    pub fn of(info: &ChatInfo, item: &ChatItem) -> Option<Self> {
        let chat = Identity::of(info)?;
        match &item.chat_dir {
            ChatDir::DirectRcv if !chat.chat.is_group() => Some(Self::Contact(chat)),
            ChatDir::GroupRcv(member) if chat.chat.is_group() => {
                Some(Self::Member { group: chat, member_id: member.member_id.clone() })
            }
            _ => None,
        }
    }

    /// The chat the party is in.
    pub const fn chat(&self) -> &Identity {
        match self {
            Self::Contact(chat) | Self::Member { group: chat, .. } => chat,
        }
    }
}

/// Whether an item's writer is known by the word of another member alone: an admin passed it on, and no signature says
/// that it is as written (decisions 9 and 10).
pub fn is_on_word(item: &ChatItem) -> bool {
    use crate::simplex::model::Verified;
    item.meta.forwarded_by_member.is_some() && item.meta.msg_verified != Some(Verified::Verified)
}
