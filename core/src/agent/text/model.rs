//! What the model reads, other than the tools' descriptions: server instructions, tool errors, progress (the plan,
//! "Server instructions", "Errors", "Actions"; decisions 2 to 5 and 10). All errors here are ones it can act on.

use alloc::format;
use alloc::string::String;

use super::time;
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::fold;
use crate::time::UnixMillis;

/// No approver, no `--owners` (the plan, "Errors").
pub const NO_OWNER: &str = "The agent has no owner. The person who runs it has to join its control chat with the link the server printed.";

/// No approver, `--owners` (the plan, "Errors").
pub const NO_APPROVING_OWNER: &str = "The agent has no approving owner. The person who runs it has to restart it with the --owners options it printed.";

/// The control chat is lost (the plan, "Errors").
pub const LOST: &str =
    "The agent lost its control chat. The person who runs it has to restart it with --reset-owners.";

/// The SimpleX core gives no answer to what a call has to read first.
pub const NO_ANSWER: &str =
    "The SimpleX core has not answered for 2 minutes; call again, or restart the server.";

/// Why an action has no number (DATA-15).
pub const NUMBER_LATE: &str = "storing the action's number took more than 2 minutes";

/// The server is stopping (the plan, "Start and shutdown").
pub const STOPPING: &str = "The server is stopping.";

/// 20 actions pending (the plan, "Errors").
pub const TOO_MANY_PENDING: &str = "20 actions are pending; wait for the owner's decisions.";

/// 20 actions performing (the plan, "Errors").
pub const TOO_MANY_PERFORMING: &str = "20 actions are being performed; wait for their results.";

/// The card of a send is over 15,000 bytes (the plan, "Errors").
pub const TEXT_TOO_LONG: &str = "text: too long for its approval card; shorten it.";

/// The card of a connect is over 15,000 bytes (the plan, "Errors").
pub const MESSAGE_TOO_LONG: &str = "message: too long for its approval card; shorten it.";

/// Text and quote together exceed what the core takes (decisions 2).
pub const QUOTE_TOO_LONG: &str = "text: too long beside the quoted message; shorten it or drop reply_to.";

/// A text that starts with `/` together with `mention` would stop being a command (decisions 2).
pub const COMMAND_WITH_MENTION: &str =
    "mention: a text that starts with / is a command, and a name before it would end that; drop mention.";

/// A send whose scope changed between card and approval (decisions 10). The `error` of a failed action.
pub const ADMISSION_CHANGED: &str = "The admission to this group changed since the request; send again.";

/// The chat of an approved action is gone or another one has its number (decisions 10; P11). The `error` of a failed
/// action.
pub const CHAT_GONE: &str = "The chat of this action no longer exists.";

/// The `error` of an action that was pending when the control chat was lost (the plan, "Events in the agent control
/// chat").
pub const CONTROL_CHAT_LOST: &str = "control chat lost";

/// A join that the group refused (decisions 3). The `error` of a failed action.
pub const JOIN_REJECTED: &str = "The group rejected the request to join.";

/// The server instructions of the agent `display` (the plan, "Server instructions").
pub fn instructions(display: &str) -> String {
    include_str!("instructions.txt").trim_end().replace("DISPLAY", &fold::one_line(display))
}

/// No such chat, or the control chat (the plan, "Errors").
pub fn no_chat(chat: ChatRef) -> String {
    format!("No chat {chat}. list shows the agent's chats.")
}

/// The target is no link and no name (the plan, "Errors"; decisions 1).
pub fn not_a_target(target: &str) -> String {
    format!("Not a SimpleX link or name: {}", given(target))
}

/// The link can't be joined; `reason` is a clause without a full stop, such as `it is this agent's own link`
/// (the plan, "Errors"; decisions 1 and 3).
pub fn not_joinable(target: &str, reason: &str) -> String {
    format!("{} can't be joined now: {reason}.", given(target))
}

/// A message for what takes none (the plan, "Errors").
pub fn no_message(target: &str) -> String {
    format!(
        "message: {} is not a contact or business address with short link data, or its contact exists without a \
         connection.",
        given(target)
    )
}

/// Too many plans (decisions 3). `minutes`: until the next is allowed, at least 1.
pub fn too_many_plans(minutes: u64) -> String {
    let unit = if minutes == 1 { "minute" } else { "minutes" };
    format!("connect: too many links looked up; try again in {minutes} {unit}.")
}

/// Not connected, or the core says "not current member" (the plan, "Errors"; decisions 10).
pub fn not_connected(chat: ChatRef) -> String {
    format!("The agent is not connected to {chat} and can't post; list shows connected: false.")
}

/// The role is below author (the plan, "Errors").
pub fn role_too_low(role: &str, chat: ChatRef) -> String {
    format!("The agent has role {} in {chat} and can't post.", fold::one_line(role))
}

/// `reply_to` is not in the chat (the plan, "Errors").
pub fn no_item(chat: ChatRef, item: u64) -> String {
    format!("reply_to: {chat} has no item {item}.")
}

/// `reply_to` is no message (the plan, "Errors").
pub fn not_a_message(chat: ChatRef, item: u64) -> String {
    format!("reply_to: item {item} in {chat} is not a message.")
}

/// `mention` is no member (the plan, "Errors").
pub fn no_member(chat: ChatRef, member: u64) -> String {
    format!("mention: {chat} has no member {member}.")
}

/// `mention` in a contact chat (the plan, "Errors").
pub fn mention_in_contact(chat: ChatRef) -> String {
    format!("mention: {chat} is a contact chat; mentions apply to groups and channels.")
}

/// Two mentioned members have one name (the plan, "Errors").
pub fn equal_names(first: u64, second: u64) -> String {
    format!("mention: members {first} and {second} have the same name.")
}

/// A member's name can't be mentioned: it contains `'` (decisions 2).
pub fn unmentionable(member: u64) -> String {
    format!(
        "mention: the name of member {member} contains ' and can't be mentioned; write it in text without @."
    )
}

/// An action's number could not be stored anywhere (DATA-15).
pub fn number_lost(error: &str) -> String {
    let error = fold::one_line(error);
    let error = error.trim_end_matches('.');
    format!("Nothing was asked or done: the action's number is not stored: {error}. Call again later.")
}

/// A pending action (the plan, "Actions"; decisions 1). Progress.
pub fn waits_for_approver(n: u64, until: UnixMillis) -> String {
    format!("Action {n} waits for an approver until {}.", time::minute(until))
}

/// A performed send or leave (the plan, "Actions"). Progress.
pub fn being_performed(n: u64) -> String {
    format!("Action {n} is being performed.")
}

/// A performed connect (the plan, "Actions"; decisions 1). Progress.
pub fn waits_for_connection(n: u64, until: UnixMillis) -> String {
    format!("Action {n} waits for the connection until {}.", time::minute(until))
}

/// A done action whose call waits for messages. Progress.
pub fn waits_for_messages(n: u64, until: UnixMillis) -> String {
    format!("Action {n} is done; the call waits for messages until {}.", time::minute(until))
}

/// A `receive` that waits. Progress.
pub fn receive_waits(chat: ChatRef, until: UnixMillis) -> String {
    format!("Waiting for a message in {chat} until {}.", time::minute(until))
}

/// What the model gave, on one line, not longer than anyone reads.
fn given(text: &str) -> String {
    const CHARS: usize = 200;
    let line = fold::one_line(text);
    match line.char_indices().nth(CHARS) {
        Some((end, _)) => [line.get(..end).unwrap_or_default(), "…"].concat(),
        None => line,
    }
}

#[cfg(test)]
mod tests;
