//! What the person at the terminal reads (the plan, "What the person sees: CLI" and "Other lines"; decisions 1, 10
//! and 11). Names and errors are folded to one line here; whoever prints a line escapes what a terminal would obey.

use alloc::format;
use alloc::string::{String, ToString};
use core::slice;

use super::peer::ChatType;
use super::{entry, what};
use crate::agent::card::{Decision, Outcome, Request};
use crate::config::{Mode, OwnerEntry};
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::fold;

/// Above the join link (the plan, "First start").
pub const JOIN: &str = "Join the agent control chat in the SimpleX app. The link works once:";

/// Below the small QR code (the plan, "First start").
pub const SCAN_HINT: &str =
    "If the QR code does not scan, restart with --qr-code large, or paste the link into the app.";

/// Below the link, `--owners` without a list (the plan, "Owner joins (--owners)").
pub const OBSERVER_LINK: &str = "The link adds an observer. Its ID and name are printed when it joins.";

/// No approver, no `--owners`; a new link follows (the plan, "Other lines").
pub const NO_OWNERS: &str = "No owners in the agent control chat.";

/// The control chat is lost (the plan, "Other lines").
pub const LOST: &str = "The agent lost its control chat. Restart the server with --reset-owners.";

/// The last line of a stop (the plan, "Other lines").
pub const STOPPED: &str = "Stopped.";

/// `--reset-owners` with a list (the plan, "Rejected arguments"). Exit code 2.
pub const RESET_WITH_LIST: &str =
    "--reset-owners takes --owners without a list: member IDs change in a new agent control chat.";

/// NAME is none (the plan, "Rejected arguments"). Exit code 2.
pub const BAD_NAME: &str =
    "NAME: 1 to 32 lowercase letters, digits and single hyphens, starting with a letter or digit.";

/// One of the agent's chats has the wanted name (decisions 6). Exit code 1.
pub const NAME_TAKEN: &str = "--display-name: one of the agent's chats has this name.";

/// The first line (the plan, "First start"; decisions 1).
pub fn first(version: &str, name: &str) -> String {
    format!("SimpleX MCP server {version}, agent \"{name}\"")
}

/// The data folder (the plan, "First start").
pub fn data_folder(dir: &str) -> String {
    format!("Data folder: {dir}")
}

/// The mode (the plan, "First start").
pub fn approval_mode(mode: Mode) -> String {
    let mode = match mode {
        Mode::Requests => "requests",
        Mode::Host => "host",
    };
    format!("Approval mode: {mode}")
}

/// The control chat was created (the plan, "First start").
pub fn control_chat_created(display: &str) -> String {
    format!("Agent control chat \"{}\" created.", fold::one_line(display))
}

/// Below the link, no `--owners` (the plan, "First start").
pub fn owner_link(display: &str) -> String {
    format!(
        "Whoever joins by this link becomes an owner of \"{}\" and approves its actions. To approve owners yourself, \
         start with --owners.",
        fold::one_line(display)
    )
}

/// As [`owner_link`], in mode host, where owners see what is done and the host's user decides it; the plan has no line
/// of its own for it.
pub fn host_owner_link(display: &str) -> String {
    format!(
        "Whoever joins by this link becomes an owner of \"{}\" and sees its actions, which the user of the MCP host \
         approves (mode host). To choose owners yourself, start with --owners.",
        fold::one_line(display)
    )
}

/// The server answers (the plan, "First start").
pub fn listening(port: u16) -> String {
    format!("Listening on http://127.0.0.1:{port}/mcp")
}

/// Another server holds the lock (the plan, "First start"). Exit code 1.
pub fn locked(dir: &str, pid: &str) -> String {
    format!("Another server uses {dir} (PID {pid}). If no server runs, remove {dir}/lock.")
}

/// The port is in use (the plan, "First start"; decisions 11). Exit code 1.
pub fn port_in_use(port: u16) -> String {
    format!(
        "Port {port} is in use. Start with --port N. Someone may have seen the token: also pass --new-token"
    )
}

/// The port can't be had for another reason, such as one below 1024.
pub fn port_unusable(port: u16, reason: &str) -> String {
    let reason = reason.trim_end_matches('.');
    format!("Port {port} can't be used: {reason}. Start with --port N.")
}

/// The routers in use, as `/smp` shows them (decisions 6).
pub fn routers(hosts: &[String]) -> String {
    format!("SMP routers: {}", hosts.join(", "))
}

/// The join link can't be made while the routers can't be reached; one line for all attempts (decisions 4).
pub fn link_retry(error: &str) -> String {
    format!("No link yet: {}. Trying again every 30 seconds.", clause(error))
}

/// The owner joined, no `--owners` (the plan, "Owner joins (no --owners)").
pub fn owner_joined(member: &OwnerEntry) -> String {
    format!("{} is now an owner. The link is deleted.", who(member, " joined", " and"))
}

/// Somebody else came by the link (decisions 10).
pub fn late_joiner(late: &OwnerEntry, first: &OwnerEntry) -> String {
    format!("{} used the link after {} and was removed.", who(late, "", ""), fold::name(&first.name))
}

/// The register hint (the plan, "Owner joins (no --owners)"; decisions 1). `data_option` is ` --data DIR` quoted for
/// the shell, or empty, as [`Config::data_option`](crate::Config::data_option).
pub fn register_hint(name: &str, data_option: &str) -> String {
    format!("Add the agent to Claude Code: simplex-mcp register {name}{data_option}")
}

/// A human joined by the link, `--owners` without a list (the plan, "Owner joins (--owners)").
pub fn observer_joined(member: &OwnerEntry) -> String {
    let option = entry::option(slice::from_ref(member));
    format!("{}. Restart the server with {option}", who(member, " joined", ""))
}

/// `--owners LIST` is in force (the plan, "Owner joins (--owners)").
pub fn owners(entries: &[OwnerEntry]) -> String {
    format!("Owners: {}.", entry::list(entries))
}

/// A human outside the list became owner; `entries` are the list and this one (the plan, "Other lines").
pub fn owner_added(member: &OwnerEntry, entries: &[OwnerEntry]) -> String {
    format!(
        "{} is now an owner and can't approve actions yet. Restart the server with {}",
        who(member, "", ""),
        entry::option(entries)
    )
}

/// An owner in the list stopped being one; `remaining` are the human owners that remain (the plan, "Other lines").
pub fn owner_gone(member: &OwnerEntry, remaining: &[OwnerEntry]) -> String {
    let gone = who(member, "", "");
    match remaining.is_empty() {
        true => format!(
            "{gone} is no longer an owner. No owners remain: restart the server with {}",
            entry::RESET
        ),
        false => {
            format!("{gone} is no longer an owner. Restart the server with {}", entry::option(remaining))
        }
    }
}

/// An `--owners` entry names no current member (the plan, "Owners"; decisions 11: the current entries, to paste).
/// Exit code 2.
pub fn unknown_owner(wanted: &OwnerEntry, current: &[OwnerEntry]) -> String {
    let now = match current.is_empty() {
        true => "It has no members.".to_string(),
        false => format!("Current members: {}", entry::option(current)),
    };
    format!(
        "--owners: member {} is not in the agent control chat. Start with --reset-owners --owners, or use the IDs of \
         current members. {now}",
        entry::list(slice::from_ref(wanted))
    )
}

/// An `--owners` entry is none (the plan, "Rejected arguments"; decisions 1). Exit code 2.
pub fn bad_owner_entry(entry: &str) -> String {
    format!("--owners: ID:NAME expected, got {}", fold::one_line(entry))
}

/// `--display-name` is no SimpleX name (the plan, "Options"; decisions 1). Exit code 2.
pub fn bad_display_name(valid: &str) -> String {
    format!("--display-name: not a valid SimpleX name; try {valid}")
}

/// An action was created (the plan, "Other lines").
pub fn action_created(n: u64, request: &Request) -> String {
    let action = what::action(request, fold::name);
    match request {
        Request::Connect(connect) => {
            let how = if connect.incognito { "incognito" } else { "as itself" };
            format!("Action {n}: {action}, {how}")
        }
        Request::Send(send) => format!("Action {n}: {action} ({})", send.chat.chat),
        Request::Leave(leave) => format!("Action {n}: {action} ({})", leave.chat.chat),
    }
}

/// An action ended (the plan, "Other lines"); none for what the stop ended, which its own line counts.
pub fn action_ended(n: u64, request: &Request, outcome: &Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Dropped(error) => action_not_posted(n, error),
        Outcome::Rejected(by) => format!("Action {n} rejected by {}.", fold::name(by)),
        Outcome::Expired => format!("Action {n} expired."),
        Outcome::Cancelled | Outcome::Interrupted(_) => return None,
        Outcome::Done(Decision::Host) | Outcome::Requested(Decision::Host) => {
            format!("Action {n}: performed without approval (mode host).")
        }
        Outcome::Failed { decision: Decision::Host, error } => {
            format!("Action {n}: performed without approval (mode host); failed: {}.", clause(error))
        }
        Outcome::Done(decision) => approved(n, decision, done(request)),
        Outcome::Requested(decision) => approved(n, decision, "connection requested"),
        Outcome::Failed { decision, error } => approved(n, decision, &format!("failed: {}", clause(error))),
    })
}

/// An error inside a sentence: on one line, its own full stop left to the sentence.
fn clause(error: &str) -> String {
    fold::one_line(error).trim_end_matches('.').to_string()
}

/// The counter or the card could not be written (the plan, "Other lines").
pub fn action_not_posted(n: u64, error: &str) -> String {
    format!("Action {n}: failed: {}.", clause(error))
}

/// An action's number could not be stored anywhere (DATA-15). For stderr.
pub fn number_lost(error: &str) -> String {
    format!("An action was not made: its number is not stored: {}", fold::one_line(error))
}

/// The messages at a connection could not be read (CONN-45). For stderr.
pub fn page_not_read(n: u64, error: &str) -> String {
    format!("Action {n}: messages not read, receive will: {}", fold::one_line(error))
}

/// An outcome edit failed twice (decisions 3). For stderr.
pub fn card_not_edited(n: u64, error: &str) -> String {
    format!("Action {n}: its card could not be edited: {}", fold::one_line(error))
}

/// The control chat did not take a reply or a membership message. For stderr.
pub fn not_posted(error: &str) -> String {
    format!("A message to the agent control chat was not posted: {}", fold::one_line(error))
}

/// A member could not be made owner. For stderr.
pub fn not_promoted(member: &OwnerEntry, error: &str) -> String {
    format!("{} could not be made an owner: {}", who(member, "", ""), fold::one_line(error))
}

/// The data folder knows a control chat that the profile does not have: the database may be another one. For stderr.
pub const CONTROL_CHAT_GONE: &str = "The agent control chat of the last start is not in the SimpleX database: a new one is \
     made, and whoever joins by its link becomes an owner. If the database was moved or replaced, stop the server and put it \
     back.";

/// A member could not be removed from the control chat. For stderr.
pub fn not_removed(error: &str) -> String {
    format!("A member could not be removed from the agent control chat: {}", fold::one_line(error))
}

/// The join link could not be deleted: it still works. For stderr.
pub fn link_not_deleted(error: &str) -> String {
    format!("The join link could not be deleted and still works: {}", fold::one_line(error))
}

/// What a stop ended, when it ended anything (the plan, "Other lines").
pub fn cancelled(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("Cancelled 1 action.".to_string()),
        _ => Some(format!("Cancelled {count} actions.")),
    }
}

/// The SimpleX core ended by itself, for this reason (START-28).
pub fn core_stopped(reason: &str) -> String {
    let reason = reason.trim_end_matches('.');
    format!("The SimpleX core stopped: {reason}. Mend that, then start the server again.")
}

/// The connection to a SimpleX core that another program owns broke, for this reason (WS-10). For stderr.
pub fn connection_broke(reason: &str) -> String {
    format!("The connection to the SimpleX core broke: {}.", fold::one_line(reason).trim_end_matches('.'))
}

/// The core says that a card was sent, and its events did not say so (WS-15). For stderr.
pub const EVENTS_STAY_AWAY: &str = "Another program takes events of this SimpleX core: a message was delivered and no \
    event said so. Approvals and answers can get lost; let no other client connect to it while this server runs.";

/// A query of the delivery wait failed (the plan, "Start and shutdown"). For stderr.
pub fn delivery_error(error: &str) -> String {
    format!("delivery wait: {}", fold::one_line(error))
}

/// The delivery wait ended by its limit (decisions 10).
pub fn not_delivered(count: u64) -> String {
    match count {
        1 => "delivery wait: 1 message not delivered yet".to_string(),
        _ => format!("delivery wait: {count} messages not delivered yet"),
    }
}

/// The stop took 20 s; `left` names what had not ended (decisions 4). Exit code 1.
pub fn stop_timed_out(left: &str) -> String {
    format!("Stopped after 20 seconds with this unfinished: {}", fold::one_line(left))
}

/// `register` added the entry (the plan, "Register").
pub fn registered(scope: &str, name: &str) -> String {
    format!("Added to Claude Code: scope {scope}, server simplex-{name}.")
}

/// `register` of an agent that was never started (the plan, "Register"; decisions 1). `data_option` is ` --data DIR`
/// quoted for the shell, or empty. Exit code 1.
pub fn never_started(name: &str, data_option: &str) -> String {
    format!("Agent \"{name}\" was never started. Start it with: simplex-mcp serve {name}{data_option}")
}

/// `register` without `claude` on the PATH; `project` is the folder of scope local, none for scope user; `file` is
/// `~/.claude.json` unless Claude Code is told another place (the plan, "Register"). Exit code 1.
pub fn no_claude(name: &str, project: Option<&str>, file: &str, entry: &str) -> String {
    let place = project.map(|project| format!("\"projects\" > \"{project}\" > ")).unwrap_or_default();
    format!("Add this entry under {place}\"mcpServers\" in {file}: {{\"simplex-{name}\": {entry}}}")
}

/// `register` when `claude` refused the entry; `by_hand` is [`no_claude`], `kept` whether its file is as it was.
/// Exit code 1.
pub fn claude_failed(reason: &str, kept: bool, by_hand: &str) -> String {
    let kept = if kept { "Nothing was changed" } else { "The earlier entry was removed" };
    format!("claude mcp add-json failed: {}. {kept}. {by_hand}", fold::one_line(reason))
}

/// A chat as log lines name it.
pub fn chat(reference: ChatRef, word: &str, name: &str) -> String {
    format!("{word} {} ({reference})", fold::name(name))
}

fn approved(n: u64, decision: &Decision, end: &str) -> String {
    match decision {
        Decision::Approver(by) | Decision::Standing(by) => {
            format!("Action {n} approved by {}: {end}.", fold::name(by))
        }
        Decision::Host => format!("Action {n}: performed without approval (mode host); {end}."),
    }
}

/// What was done, in one word.
fn done(request: &Request) -> &'static str {
    match request {
        Request::Connect(_) => "connected",
        Request::Send(_) => "sent",
        Request::Leave(leave) if leave.chat.peer.chat_type == ChatType::Contact => "deleted",
        Request::Leave(_) => "left",
    }
}

/// `Alice joined (member 3) and`.
fn who(member: &OwnerEntry, before: &str, after: &str) -> String {
    format!("{}{before} (member {}){after}", fold::name(&member.name), member.id)
}

#[cfg(test)]
mod tests;
