//! What a command is about: a chat, a part of it, a page of it.

use core::fmt;

use crate::simplex::ChatRef;
use crate::simplex::model::{ConnId, ConnLink, ContactId, GroupId, GroupMemberId, ItemId, PublicName};

/// A chat, or a part of one, as commands name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conversation {
    /// `@4`
    Contact(ContactId),
    /// `#12`: the main scope of a group.
    Group(GroupId),
    /// `#12(_support)`: the user's chat with the moderators; `#12(_support:7)`: that of a member.
    Support(GroupId, Option<GroupMemberId>),
    /// `:3`: a connection that is no chat yet. Only [`Delete`](super::Command::Delete) takes it.
    Pending(ConnId),
}

impl Conversation {
    /// The chat, whichever part of it is named; none for a pending connection.
    pub const fn chat(self) -> Option<ChatRef> {
        match self {
            Self::Contact(contact) => Some(ChatRef::Contact(contact.number())),
            Self::Group(group) | Self::Support(group, _) => Some(ChatRef::Group(group.number())),
            Self::Pending(_) => None,
        }
    }
}

impl From<ChatRef> for Conversation {
    /// The main scope of the chat.
    fn from(chat: ChatRef) -> Self {
        match chat {
            ChatRef::Contact(number) => Self::Contact(ContactId::new(number)),
            ChatRef::Group(number) => Self::Group(GroupId::new(number)),
        }
    }
}

impl fmt::Display for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contact(contact) => write!(f, "@{contact}"),
            Self::Group(group) => write!(f, "#{group}"),
            Self::Support(group, None) => write!(f, "#{group}(_support)"),
            Self::Support(group, Some(member)) => write!(f, "#{group}(_support:{member})"),
            Self::Pending(connection) => write!(f, ":{connection}"),
        }
    }
}

/// A page of a chat, of at most `count` items unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// The last items.
    Last {
        /// How many.
        count: u32,
    },
    /// The items after one.
    After {
        /// The one.
        item: ItemId,
        /// How many.
        count: u32,
    },
    /// The items before one.
    Before {
        /// The one.
        item: ItemId,
        /// How many.
        count: u32,
    },
    /// `count` items before one, the one, and `count` after it.
    Around {
        /// The one.
        item: ItemId,
        /// How many on each side.
        count: u32,
    },
    /// The items around the first unread one: not the end of the chat.
    Initial {
        /// How many.
        count: u32,
    },
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Last { count } => write!(f, "count={count}"),
            Self::After { item, count } => write!(f, "after={item} count={count}"),
            Self::Before { item, count } => write!(f, "before={item} count={count}"),
            Self::Around { item, count } => write!(f, "around={item} count={count}"),
            Self::Initial { count } => write!(f, "initial={count}"),
        }
    }
}

/// Numbers with commas between them.
pub(super) struct Joined<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for Joined<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, number) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            number.fmt(f)?;
        }
        Ok(())
    }
}

/// `FULL[ SHORT]`
pub(super) fn write_link(f: &mut fmt::Formatter<'_>, link: &ConnLink) -> fmt::Result {
    f.write_str(&link.conn_full_link)?;
    match &link.conn_short_link {
        Some(short) => write!(f, " {short}"),
        None => Ok(()),
    }
}

/// `[ domain=D]`
pub(super) fn write_domain(f: &mut fmt::Formatter<'_>, domain: Option<&PublicName>) -> fmt::Result {
    match domain {
        Some(domain) => write!(f, " domain={domain}"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::Conversation;
    use crate::simplex::ChatRef;
    use crate::simplex::model::{ConnId, GroupId, GroupMemberId};

    /// A chat reference is the main scope of its chat, in the same words; a part of a chat leads back to it.
    #[test]
    fn chats_and_their_parts() {
        for chat in [ChatRef::Contact(4), ChatRef::Group(12)] {
            let conversation = Conversation::from(chat);
            assert_eq!(conversation.chat(), Some(chat));
            assert_eq!(conversation.to_string(), chat.to_string());
        }
        let support = Conversation::Support(GroupId::new(12), Some(GroupMemberId::new(7)));
        assert_eq!(support.chat(), Some(ChatRef::Group(12)));
        assert_eq!(Conversation::Pending(ConnId::new(3)).chat(), None);
    }
}
