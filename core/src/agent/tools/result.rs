//! Tool results. Each serialises to JSON text with its fields in the order of the plan's tables; what is not present
//! is left out.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::{Call, ToolName};
use crate::agent::text::peer::ChatType;
use crate::simplex::chat_ref::ChatRef;

/// How an action ended, or that none was needed (the plan, "connect", field `status`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It was performed.
    Done,
    /// It was not performed; `error` says why.
    Failed,
    /// An approver rejected it.
    Rejected,
    /// No decision within `--expire` hours.
    Expired,
    /// The agent has this chat already (connect only).
    Known,
}

/// One message (the plan, "Message").
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// The chat.
    pub chat: ChatRef,
    /// `meta.itemId`.
    pub item: u64,
    /// Who wrote it: the member's display name, the contact's, the channel's, or the agent's own.
    pub from: String,
    /// `groupMemberId` of the member who wrote it, in groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_member: Option<u64>,
    /// The writer's `peerType`, when the profile has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_type: Option<String>,
    /// `meta.itemTs`, as the core gives it (RFC 3339, UTC).
    pub time: String,
    /// `content.msgContent.text`.
    pub text: String,
    /// The content's type when it is not text: `image`, `file`, `voice`, … (decisions 4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// It was unread before this call.
    pub new: bool,
    /// The item it quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<ReplyTo>,
    /// `meta.userMention`.
    pub mentions_me: bool,
}

/// The item a message quotes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplyTo {
    /// The chat.
    pub chat: ChatRef,
    /// `quotedItem.itemId`, when the core has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<u64>,
}

/// A command that a contact or group advertises (the plan, "connect", `Command`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Command {
    /// Sent as `/keyword`, or `/keyword ` and its parameters.
    Command {
        /// The keyword, without the slash.
        keyword: String,
        /// What it does.
        label: String,
        /// Its parameters, when it has any.
        #[serde(skip_serializing_if = "Option::is_none")]
        params: Option<String>,
    },
    /// A group of commands.
    Menu {
        /// Its title.
        label: String,
        /// What it holds.
        commands: Vec<Self>,
    },
}

/// Who decides about a join that waits for admission (decisions 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Admission {
    /// `pending_approval`: the host of the group, for example by a captcha.
    Approval,
    /// `pending_review`: its members.
    Review,
}

/// Result of `connect`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConnectResult {
    /// The action's number; none when the chat was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<u64>,
    /// How it ended.
    pub status: Status,
    /// The chat, once it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<ChatRef>,
    /// Whether the other side accepted; done and known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connected: Option<bool>,
    /// What a join waits for, while it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admission: Option<Admission>,
    /// The type of the chat; done and known.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub chat_type: Option<ChatType>,
    /// The contact's or group's display name; done and known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The verified SimpleX name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simplex_name: Option<String>,
    /// The contact's `peerType`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_type: Option<String>,
    /// Short description from the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Welcome message from the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub welcome: Option<String>,
    /// The commands that the contact or group advertises.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Command>,
    /// The random profile's name, incognito.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_as: Option<String>,
    /// The agent's role, in groups and channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Messages at and after the connection; done with a chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Message>>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Result of `send`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SendResult {
    /// The action's number.
    pub action: u64,
    /// How it ended.
    pub status: Status,
    /// The chat; done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<ChatRef>,
    /// The sent message; done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<u64>,
    /// What was received in the chat after it, up to `limit`; done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub responses: Option<Vec<Message>>,
    /// Responses received but not returned; done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<u64>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Result of `receive`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceiveResult {
    /// The chat.
    pub chat: ChatRef,
    /// The new messages, up to `limit`.
    pub messages: Vec<Message>,
    /// New messages not returned.
    pub more: u64,
}

/// Result of `list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListResult {
    /// The agent's chats, without its control chat.
    pub chats: Vec<Chat>,
    /// Actions whose result no call has returned.
    pub actions: Vec<Action>,
}

/// A chat in `list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chat {
    /// Its reference.
    pub chat: ChatRef,
    /// Its type.
    #[serde(rename = "type")]
    pub chat_type: ChatType,
    /// The contact's or group's display name.
    pub name: String,
    /// The verified SimpleX name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simplex_name: Option<String>,
    /// The contact's `peerType`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_type: Option<String>,
    /// The agent has a random profile there.
    pub incognito: bool,
    /// The random profile's name, incognito.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_as: Option<String>,
    /// The agent can send there.
    pub connected: bool,
    /// What a join waits for, while it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admission: Option<Admission>,
    /// Unread messages.
    pub unread: u64,
    /// There is a standing approval; left out when there is none.
    #[serde(skip_serializing_if = "is_false")]
    pub approved: bool,
}

/// An action in `list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Action {
    /// Its number.
    pub action: u64,
    /// Its tool.
    pub tool: ToolName,
    /// Its input: passed again, it attaches to this action.
    pub input: Call,
    /// Its state.
    pub state: ActionState,
    /// At least one call waits on it.
    pub open: bool,
}

/// State of an action (the plan, "Actions").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionState {
    /// Waits for an approver.
    Pending,
    /// Is being performed.
    Performing,
    /// Performed.
    Done,
    /// Not performed.
    Failed,
    /// Rejected.
    Rejected,
    /// Expired.
    Expired,
}

/// Result of `leave`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeaveResult {
    /// The action's number.
    pub action: u64,
    /// How it ended.
    pub status: Status,
    /// The deleted chat; done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<ChatRef>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests;
