//! What a chat is called: the words of cards, replies, log lines and results for who is on the other side.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::simplex::chat_ref::ChatRef;

/// The four types of chats that results name (the plan, "connect", field `type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatType {
    /// A person, bot or agent.
    Contact,
    /// A business chat: technically a group.
    Business,
    /// A group.
    Group,
    /// A channel: a group through relays.
    Channel,
}

/// Who is on the other side of a chat or a planned link, with the texts as the peer wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// The type of the chat.
    pub chat_type: ChatType,
    /// `peerType` of a contact's profile (`human`, `bot`, `agent`, `business` or a later word), when it has one.
    pub peer_type: Option<String>,
    /// The display name, as the peer wrote it.
    pub name: String,
    /// In a connect card the target, when it is a SimpleX name; otherwise the verified SimpleX name, when the core has
    /// one (`@name.simplex`, `#name.simplex`).
    pub simplex_name: Option<String>,
}

/// A chat of the agent, as texts name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chat {
    /// Its reference.
    pub chat: ChatRef,
    /// Who is on the other side.
    pub peer: Peer,
}

impl Peer {
    /// The word before the name: contact, bot, agent, business, group or channel (the plan, "Connect card").
    pub fn word(&self) -> &'static str {
        match (self.chat_type, self.peer_type.as_deref()) {
            (ChatType::Contact, Some("bot")) => "bot",
            (ChatType::Contact, Some("agent")) => "agent",
            (ChatType::Contact, _) => "contact",
            (ChatType::Business, _) => "business",
            (ChatType::Group, _) => "group",
            (ChatType::Channel, _) => "channel",
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;

    use super::*;

    #[test]
    fn words() {
        let table = [
            (ChatType::Contact, None, "contact"),
            (ChatType::Contact, Some("human"), "contact"),
            (ChatType::Contact, Some("bot"), "bot"),
            (ChatType::Contact, Some("agent"), "agent"),
            (ChatType::Contact, Some("business"), "contact"),
            (ChatType::Business, Some("bot"), "business"),
            (ChatType::Group, None, "group"),
            (ChatType::Channel, None, "channel"),
        ];
        for (chat_type, peer_type, word) in table {
            let peer = Peer {
                chat_type,
                peer_type: peer_type.map(ToOwned::to_owned),
                name: String::new(),
                simplex_name: None,
            };
            assert_eq!(peer.word(), word);
        }
    }
}
