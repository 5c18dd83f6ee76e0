//! What people of a simulated network do.

use alloc::string::String;

use serde::{Deserialize, Serialize};

/// What a person or bot of the network does, as in its app ([`Network::act`](crate::Network::act)).
///
/// `chat` is the name of the chat in that person's list (`"My Agent"`, `"Team_1"`), or its reference (`"@4"`, `"#1"`).
/// `member` is the local or the display name of a member. `item` is the number of a message in that person's own view ([`ViewMessage::id`](crate::ViewMessage::id)).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the fields are named as in the text above")]
pub enum Act {
    /// Any command of the text API, for what has no act of its own. An error answer is returned as the error.
    Command(String),
    /// Opens a link and connects by it.
    Join { link: String },
    /// Sends a text.
    Say { chat: String, text: String },
    /// Sends a text into the own support scope of a group ("chat with admins").
    SayInSupport { chat: String, text: String },
    /// Replies to a message, quoting it.
    Reply { chat: String, item: i64, text: String },
    /// Forwards a message to another chat.
    Forward { chat: String, item: i64, to: String },
    /// Edits an own message.
    Edit { chat: String, item: i64, text: String },
    /// Deletes an own message for everyone.
    Delete { chat: String, item: i64 },
    /// Begins a live message.
    LiveStart { chat: String, text: String },
    /// Goes on with a live message.
    LiveUpdate { chat: String, item: i64, text: String },
    /// Ends a live message.
    LiveEnd { chat: String, item: i64, text: String },
    /// Reads a chat to its end.
    Read { chat: String },
    /// Leaves a group.
    Leave { chat: String },
    /// Changes the role of a member (named as in the group) of a group.
    SetRole { chat: String, member: String, role: String },
    /// Adds a contact to a group.
    Add { chat: String, contact: String, role: String },
    /// Removes a member of a group.
    Remove { chat: String, member: String },
    /// Accepts a member that waits for admission.
    AcceptMember { chat: String, member: String, role: String },
    /// Deletes a group for all members.
    DeleteGroup { chat: String },
    /// Deletes a contact, the peer is told.
    DeleteContact { chat: String },
    /// Accepts the oldest contact request of this name.
    Accept { name: String },
    /// Rejects the oldest contact request of this name; the other side is not told.
    Reject { name: String },
    /// Changes the own display name.
    Rename { name: String },
    /// Stops receiving; what others send is kept for it.
    GoOffline,
    /// Receives again.
    GoOnline,
    /// Creates an address, and publishes it under this name ([`Network::link`](crate::Network::link)).
    CreateAddress { name: String },
    /// Creates a one-time link, and publishes it under this name.
    CreateOneTimeLink { name: String },
    /// Creates a group with a link, and publishes the link under this name.
    CreateGroup { chat: String, name: String },
    /// Deletes the link of the own address.
    DeleteAddress,
}
