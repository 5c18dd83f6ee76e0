//! What an owner's message commands (decisions 10, "Who gave a command"; P13). Who may give one is decided elsewhere.

use crate::simplex::chat_ref::{self, ChatRef};

/// Most digits of an action number (decisions 10).
const MAX_DIGITS: usize = 15;

/// A command to the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerCommand {
    /// `/approve [CHAT] N`.
    Approve {
        /// The chat that the action has to be for, when given.
        chat: Option<ChatRef>,
        /// The action.
        n: u64,
    },
    /// `/reject [CHAT] N`.
    Reject {
        /// The chat that the action has to be for, when given.
        chat: Option<ChatRef>,
        /// The action.
        n: u64,
    },
    /// `/approve CHAT all`.
    ApproveAll {
        /// The chat.
        chat: ChatRef,
    },
    /// `/revoke CHAT`.
    Revoke {
        /// The chat.
        chat: ChatRef,
    },
    /// `/pending`.
    Pending,
    /// `/list`.
    List,
    /// One line that starts with `/` and is none of these: it gets the `Commands:` reply.
    Unknown,
}

/// Reads the text of a message: trimmed, one line, a slash, optional quotes around the rest, the keyword without
/// regard to ASCII case (phones capitalise), then one or two arguments. None means silence: no slash, or several lines.
pub fn parse(text: &str) -> Option<OwnerCommand> {
    let rest = text.trim().strip_prefix('/')?;
    // Every character that some app shows as the start of another line.
    if rest.contains(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']) {
        return None;
    }
    Some(unquoted(rest).and_then(command).unwrap_or(OwnerCommand::Unknown))
}

/// The text inside the quotes of `'approve @4 2'`, or all of it when there are none.
fn unquoted(text: &str) -> Option<&str> {
    match text.strip_prefix('\'') {
        Some(quoted) => quoted.strip_suffix('\''),
        None => Some(text),
    }
}

fn command(text: &str) -> Option<OwnerCommand> {
    if text.starts_with(char::is_whitespace) {
        return None;
    }
    let mut words = text.split_whitespace();
    let (keyword, first, second) = (words.next()?, words.next(), words.next());
    if words.next().is_some() {
        return None;
    }
    let is = |name: &str| keyword.eq_ignore_ascii_case(name);
    match (first, second) {
        (Some(chat), Some(all)) if is("approve") && all.eq_ignore_ascii_case("all") => {
            Some(OwnerCommand::ApproveAll { chat: chat_ref::parse(chat)? })
        }
        (Some(first), second) if is("approve") => {
            let (chat, n) = action(first, second)?;
            Some(OwnerCommand::Approve { chat, n })
        }
        (Some(first), second) if is("reject") => {
            let (chat, n) = action(first, second)?;
            Some(OwnerCommand::Reject { chat, n })
        }
        (Some(chat), None) if is("revoke") => Some(OwnerCommand::Revoke { chat: chat_ref::parse(chat)? }),
        (None, None) if is("pending") => Some(OwnerCommand::Pending),
        (None, None) if is("list") => Some(OwnerCommand::List),
        _ => None,
    }
}

/// `N` or `CHAT N`.
fn action(first: &str, second: Option<&str>) -> Option<(Option<ChatRef>, u64)> {
    match second {
        None => Some((None, number(first)?)),
        Some(second) => Some((Some(chat_ref::parse(first)?), number(second)?)),
    }
}

/// 1 to 15 ASCII digits.
fn number(text: &str) -> Option<u64> {
    let digits = (1..=MAX_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::OwnerCommand::{Approve, ApproveAll, List, Pending, Reject, Revoke, Unknown};
    use super::*;

    const AT_4: ChatRef = ChatRef::Contact(4);
    const GROUP_9: ChatRef = ChatRef::Group(9);

    /// CMD-04, CMD-05, CMD-06, CMD-14: every edge of the grammar.
    #[test]
    fn grammar() {
        let table = [
            ("/approve 2", Some(Approve { chat: None, n: 2 })),
            ("/approve @4 2", Some(Approve { chat: Some(AT_4), n: 2 })),
            ("/'approve @4 2'", Some(Approve { chat: Some(AT_4), n: 2 })),
            ("/'approve 1'", Some(Approve { chat: None, n: 1 })),
            ("/reject 2", Some(Reject { chat: None, n: 2 })),
            ("/'reject #9 12'", Some(Reject { chat: Some(GROUP_9), n: 12 })),
            ("/approve @4 all", Some(ApproveAll { chat: AT_4 })),
            ("/'approve #9 all'", Some(ApproveAll { chat: GROUP_9 })),
            ("/revoke #9", Some(Revoke { chat: GROUP_9 })),
            ("/'revoke @4'", Some(Revoke { chat: AT_4 })),
            ("/pending", Some(Pending)),
            ("/list", Some(List)),
            ("/'list'", Some(List)),
            // Case, spaces and a final line break.
            ("/Approve 2", Some(Approve { chat: None, n: 2 })),
            ("/APPROVE @4 ALL", Some(ApproveAll { chat: AT_4 })),
            ("/PENDING", Some(Pending)),
            ("  /approve   @4\t2  ", Some(Approve { chat: Some(AT_4), n: 2 })),
            ("/approve 4\n", Some(Approve { chat: None, n: 4 })),
            ("\u{a0}/approve\u{a0}4", Some(Approve { chat: None, n: 4 })),
            ("/'approve 2 '", Some(Approve { chat: None, n: 2 })),
            // Numbers: at most 15 digits, ASCII, no sign.
            ("/approve 999999999999999", Some(Approve { chat: None, n: 999_999_999_999_999 })),
            ("/approve 1000000000000000", Some(Unknown)),
            ("/approve 18446744073709551617", Some(Unknown)),
            (
                "/approve @999999999999999 1",
                Some(Approve { chat: Some(ChatRef::Contact(999_999_999_999_999)), n: 1 }),
            ),
            ("/approve @1000000000000000 1", Some(Unknown)),
            ("/revoke #18446744073709551626", Some(Unknown)),
            ("/approve 0", Some(Approve { chat: None, n: 0 })),
            ("/approve +2", Some(Unknown)),
            ("/approve -2", Some(Unknown)),
            ("/approve ٢", Some(Unknown)),
            ("/approve 2.", Some(Unknown)),
            ("/approve #", Some(Unknown)),
            // Words too few, too many, of another kind.
            ("/approve", Some(Unknown)),
            ("/approve @4", Some(Unknown)),
            ("/approve all", Some(Unknown)),
            ("/approve 2 @4", Some(Unknown)),
            ("/approve 2 3", Some(Unknown)),
            ("/approve @4 2 please", Some(Unknown)),
            ("/approve 2 please", Some(Unknown)),
            ("/reject @4 all", Some(Unknown)),
            ("/reject", Some(Unknown)),
            ("/revoke", Some(Unknown)),
            ("/revoke 9", Some(Unknown)),
            ("/revoke #9 now", Some(Unknown)),
            ("/pending 2", Some(Unknown)),
            ("/list all", Some(Unknown)),
            ("/help", Some(Unknown)),
            ("/approve2", Some(Unknown)),
            ("/approve\u{200b} 2", Some(Unknown)),
            ("/а\u{70}prove 2", Some(Unknown)),
            ("/", Some(Unknown)),
            ("//approve 2", Some(Unknown)),
            ("/ approve 2", Some(Unknown)),
            // Quotes that do not match.
            ("/'approve 2", Some(Unknown)),
            ("/approve 2'", Some(Unknown)),
            ("/'approve 2' now", Some(Unknown)),
            ("/' approve 2'", Some(Unknown)),
            ("/''", Some(Unknown)),
            ("/'", Some(Unknown)),
            ("/\"approve 2\"", Some(Unknown)),
            // Silence.
            ("", None),
            ("approve 2", None),
            ("please /approve 2", None),
            ("'/approve 2'", None),
            ("`/approve 2`", None),
            ("/approve 2\n/approve 3", None),
            ("/approve\n2", None),
            ("/approve 2\nthanks", None),
            ("thanks\n/approve 2", None),
            ("/approve\r2", None),
            ("/approve\u{2028}2", None),
            ("\u{200b}/approve 2", None),
        ];
        for (text, command) in table {
            assert_eq!(parse(text), command, "{text:?}");
        }
    }

    /// CMD-04, LANG-22: whatever a card's commands say is read back, with and without the quotes that a tap may keep.
    #[test]
    fn every_tap_is_read() {
        for chat in [AT_4, GROUP_9, ChatRef::Group(999_999_999_999_999)] {
            for n in [0, 1, 12, 999_999_999_999_999] {
                let inner = std::format!("approve {chat} {n}");
                let expected = Some(Approve { chat: Some(chat), n });
                assert_eq!(parse(&std::format!("/{inner}")), expected);
                assert_eq!(parse(&std::format!("/'{inner}'")), expected);
            }
        }
    }
}
