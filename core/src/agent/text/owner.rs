//! What the owner reads in the agent control chat, other than cards (the plan, "What the owner sees"; decisions 2
//! and 10). The only things that can be tapped are the commands that a text offers.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::slice;

use super::peer::{Chat, Peer};
use super::{entry, shown, time, what};
use crate::agent::card::Request;
use crate::config::OwnerEntry;
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::size::{cut_encoded, encoded_len};
use crate::time::UnixMillis;

/// At the owner's join (the plan, "What the owner sees").
pub const GREETING: &str = "I'm your agent. I ask here before I connect or send.";

/// Any other one-line text that starts with `/` (the plan, "Replies").
pub const COMMANDS: &str =
    "Commands: /approve, /reject, /revoke, /pending, /list. Each card shows its commands.";

/// The SimpleX core did not acknowledge what a command needs (CMD-34).
pub const NO_ANSWER: &str =
    "The SimpleX core has not answered for 2 minutes; try again, or restart the server.";

/// The sender is not an approver, no `--owners` (the plan, "Replies").
pub const ONLY_OWNERS: &str = "Only owners approve actions.";

/// The sender is not an approver, `--owners` (the plan, "Replies").
pub const ONLY_LISTED_OWNERS: &str = "Only the owners listed in --owners approve actions.";

/// `/approve CHAT all` in mode host (the plan, "Replies").
pub const MODE_HOST: &str = "Approvals apply in mode requests; this server runs in mode host.";

/// `/pending` without pending actions (the plan, "Commands").
pub const NO_PENDING: &str = "No pending actions.";

/// `/list` without chats (the plan, "Replies").
pub const NO_CHATS: &str = "No chats.";

/// Most chats that `/list` shows (the plan, "Commands").
pub const LIST_CHATS: usize = 100;

/// Most encoded bytes of a line of `/list`, the final `…` included (the plan, "Commands").
pub const LIST_LINE: usize = 100;

/// N unknown, decided or from an earlier run (the plan, "Replies").
pub fn not_pending(n: u64) -> String {
    format!("Action {} is not pending.", shown::number(n))
}

/// CHAT is not the action's chat (the plan, "Replies"; decisions 2).
pub fn not_for(n: u64, chat: ChatRef) -> String {
    format!("Action {} is not for {}.", shown::number(n), span(chat))
}

/// `/approve CHAT all`: the standing approval is made (the plan, "Replies"; decisions 10). `admission`: it covers the
/// group's admission chat only.
pub fn approved(chat: &Chat, admission: bool, by: &str) -> String {
    let admission = if admission { ", in its admission chat" } else { "" };
    let reference = chat.chat;
    format!(
        "Approved for {}{admission} (messages and tool calls) by {}. /'revoke {reference}'",
        named(chat),
        shown::name(by)
    )
}

/// `/approve CHAT all` for no chat of the agent (the plan, "Replies"; decisions 2).
pub fn no_chat(chat: ChatRef) -> String {
    format!("No chat {}. /list shows the agent's chats.", span(chat))
}

/// `/approve CHAT all` for a chat made after the command (decisions 10).
pub fn new_chat(chat: ChatRef) -> String {
    format!("Chat {} is new; /list shows it.", span(chat))
}

/// `/revoke CHAT` (the plan, "Replies").
pub fn revoked(chat: &Chat) -> String {
    format!("Messages to {} need approval again.", named(chat))
}

/// `/revoke CHAT` without a standing approval (the plan, "Replies"; decisions 2).
pub fn not_approved(chat: ChatRef) -> String {
    format!("Messages to {} have no standing approval.", span(chat))
}

/// `/pending`: one line per pending action, number, request and expiry (the plan, "Commands"; decisions 2).
/// Twenty of them, the most there are, take at most 8 kB.
pub fn pending<'a>(actions: impl Iterator<Item = (u64, &'a Request, UnixMillis)>) -> String {
    let lines: Vec<String> = actions
        .map(|(n, request, expires)| {
            let expires = shown::span(&time::minute(expires));
            format!("{} {} expires {expires}", shown::number(n), what::action(request, shown::name))
        })
        .collect();
    if lines.is_empty() { NO_PENDING.to_string() } else { lines.join("\n") }
}

/// A chat as `/list` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedChat<'a> {
    /// The chat.
    pub chat: ChatRef,
    /// Who is on the other side.
    pub peer: &'a Peer,
    /// Who gave the standing approval, while it applies.
    pub approved_by: Option<&'a str>,
    /// The agent can send there.
    pub connected: bool,
}

/// `/list`: one line per chat, the most recent first; `older` chats are not among them (the plan, "Commands").
/// Callers pass at most [`LIST_CHATS`]: 10.3 kB.
pub fn list<'a>(chats: impl Iterator<Item = ListedChat<'a>>, older: usize) -> String {
    let mut lines: Vec<String> = chats.map(|chat| list_line(&chat)).collect();
    match older {
        0 => {}
        1 => lines.push("1 older chat is not shown.".to_string()),
        _ => lines.push(format!("{older} older chats are not shown.")),
    }
    if lines.is_empty() { NO_CHATS.to_string() } else { lines.join("\n") }
}

fn list_line(chat: &ListedChat<'_>) -> String {
    let mut line = format!("{} {} {}", span(chat.chat), chat.peer.word(), shown::name(&chat.peer.name));
    if let Some(by) = chat.approved_by {
        line.push_str(", approved for this chat by ");
        line.push_str(&shown::name(by));
    }
    if !chat.connected {
        line.push_str(", not connected");
    }
    if encoded_len(&line) <= LIST_LINE {
        return line;
    }
    let cut = cut_encoded(&line, LIST_LINE);
    if closed(&cut) {
        return cut;
    }
    // A cut inside a name's code span closes it again.
    let mut cut = cut_encoded(&line, LIST_LINE - 1);
    if !closed(&cut) {
        cut.push('`');
    }
    cut
}

/// Whether every code span of the line is closed.
fn closed(line: &str) -> bool {
    line.matches('`').count().is_multiple_of(2)
}

/// A human joined by the link, `--owners` without a list (the plan, "Membership messages").
pub fn observer_joined(member: &OwnerEntry) -> String {
    format!(
        "{} joined (member {}). Restart the server with {}",
        name(member),
        id(member),
        option(slice::from_ref(member))
    )
}

/// A human outside the list became owner, `--owners LIST`; `entries` are the list and this one (the plan,
/// "Membership messages").
pub fn owner_added(member: &OwnerEntry, entries: &[OwnerEntry]) -> String {
    format!(
        "{} (member {}) is now an owner and can't approve actions yet. Restart the server with {}",
        name(member),
        id(member),
        option(entries)
    )
}

/// An owner in the list stopped being one; `remaining` are the human owners that remain (the plan, "Membership
/// messages").
pub fn owner_gone(member: &OwnerEntry, remaining: &[OwnerEntry]) -> String {
    let gone = format!("{} (member {}) is no longer an owner.", name(member), id(member));
    match remaining.is_empty() {
        true => format!("{gone} No owners remain: restart the server with {}", shown::span(entry::RESET)),
        false => format!("{gone} Restart the server with {}", option(remaining)),
    }
}

/// `business Ridgeline (#9)`.
fn named(chat: &Chat) -> String {
    format!("{} {} ({})", chat.peer.word(), shown::name(&chat.peer.name), chat.chat)
}

/// A chat reference outside parentheses: bare, the parser makes a mention or a public name of it (decisions 2).
fn span(chat: ChatRef) -> String {
    shown::span(&chat.to_string())
}

fn name(member: &OwnerEntry) -> String {
    shown::name(&member.name)
}

fn id(member: &OwnerEntry) -> String {
    shown::number(member.id)
}

/// `--owners …` as a code span, so that a name in it forms no tappable command.
fn option(entries: &[OwnerEntry]) -> String {
    shown::span(&entry::option(entries))
}

#[cfg(test)]
mod tests;
