//! What a person of a simulated network sees.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simplex_agent_core::UnixMillis;

use crate::db::{Author, Chat, Contact, Db, Group, Item, Member};

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

impl Db {
    /// What the person of this database sees.
    pub(crate) fn view(&self) -> Vec<ViewChat> {
        let contacts = self.contacts.values().filter(|c| c.id != 1 && c.used);
        let mut chats: Vec<ViewChat> = contacts.map(|c| self.view_contact(c)).collect();
        chats.extend(self.groups.values().map(|g| self.view_group(g)));
        chats
    }

    fn view_contact(&self, contact: &Contact) -> ViewChat {
        let ready = contact.conn.and_then(|c| self.conns.get(&c)).is_some_and(|c| c.status == "ready");
        ViewChat {
            chat_ref: format!("@{}", contact.id),
            name: contact.local_name.clone(),
            members: Vec::new(),
            role: String::new(),
            connected: ready && contact.status == "active",
            messages: self.view_messages(Chat::Contact(contact.id)),
        }
    }

    fn view_group(&self, group: &Group) -> ViewChat {
        let own = self.members.get(&group.own);
        let others = self.members.values().filter(|m| m.group == group.id && m.id != group.own);
        let member = |m: &Member| ViewMember {
            id: m.id,
            name: m.local_name.clone(),
            role: m.role.clone(),
            status: m.status.clone(),
        };
        ViewChat {
            chat_ref: format!("#{}", group.id),
            name: group.local_name.clone(),
            members: others.map(member).collect(),
            role: own.map(|m| m.role.clone()).unwrap_or_default(),
            connected: own.is_some_and(|m| matches!(m.status.as_str(), "connected" | "complete" | "creator")),
            messages: self.view_messages(Chat::Group(group.id)),
        }
    }

    fn view_messages(&self, chat: Chat) -> Vec<ViewMessage> {
        self.items
            .values()
            .filter(|i| i.chat == chat && i.is_message())
            .map(|i| self.view_message(i))
            .collect()
    }

    fn view_message(&self, item: &Item) -> ViewMessage {
        let author = match item.author {
            Author::Own => self.user.as_ref().map(|u| u.local_name.clone()),
            Author::Member(id) => self.members.get(&id).map(|m| m.local_name.clone()),
            Author::Peer | Author::Channel => match item.chat {
                Chat::Contact(id) => self.contacts.get(&id).map(|c| c.local_name.clone()),
                Chat::Group(id) => self.groups.get(&id).map(|g| g.local_name.clone()),
                Chat::Local(_) => None,
            },
        };
        let quoted = |q: &crate::db::Quoted| q.content.get("text").and_then(Value::as_str).map(String::from);
        ViewMessage {
            id: item.id,
            author: author.unwrap_or_default(),
            own: item.is_own(),
            text: item.text.clone(),
            formatted_text: crate::text::formatted(&item.text),
            quote: item.quote.as_ref().and_then(quoted),
            support: item.support.is_some(),
            edited: item.edited,
            live: item.live == Some(true),
            deleted: item.deleted.is_some(),
            time: item.ts,
        }
    }
}
