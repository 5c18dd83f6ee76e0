//! How an action ended, and the last line that says so.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::request::{Request, Tense};
use crate::agent::text::shown;
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::fold;

/// By whom an action was allowed. Names are as their owners wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// An approver's `/approve`.
    Approver(String),
    /// A standing approval of the chat, by this approver.
    Standing(String),
    /// Mode host.
    Host,
}

/// How an action ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// Performed.
    Done(Decision),
    /// A connect whose other side has not accepted.
    Requested(Decision),
    /// Not performed.
    Failed {
        /// By whom it was allowed.
        decision: Decision,
        /// Why it failed.
        error: String,
    },
    /// Nobody decided, and it can't be performed any more: its chat is gone, for example.
    Dropped(String),
    /// Rejected by this approver.
    Rejected(String),
    /// No decision in time.
    Expired,
    /// The server stopped before a decision.
    Cancelled,
    /// The server stopped while it was performed.
    Interrupted(Decision),
}

/// Encoded bytes, backticks included, that every card has for an error, whatever else it shows; a longer one gets what
/// is left.
pub(super) const ERROR_ROOM: usize = 400;

impl Outcome {
    /// The error, when it failed.
    pub(super) fn error(&self) -> Option<&str> {
        match self {
            Self::Failed { error, .. } | Self::Dropped(error) => Some(error),
            _ => None,
        }
    }

    /// Only what was done changes the first line.
    pub(super) const fn tense(&self) -> Tense {
        match self {
            Self::Done(_) => Tense::Done,
            Self::Requested(_) => Tense::Asked,
            _ => Tense::Want,
        }
    }

    /// Who decided, as a card shows that person; empty when nobody did.
    pub(super) fn shown_by(&self) -> String {
        let by = match self {
            Self::Rejected(by) => Some(by),
            Self::Done(decision)
            | Self::Requested(decision)
            | Self::Failed { decision, .. }
            | Self::Interrupted(decision) => match decision {
                Decision::Approver(by) | Decision::Standing(by) => Some(by),
                Decision::Host => None,
            },
            Self::Dropped(_) | Self::Expired | Self::Cancelled => None,
        };
        by.map(|by| shown::name(by)).unwrap_or_default()
    }

    /// The last line; `by` is [`Self::shown_by`], `error` the error as it is shown, backticks included.
    pub(super) fn line(&self, chat: Option<ChatRef>, by: &str, error: &str) -> String {
        match self {
            Self::Done(decision @ Decision::Standing(_))
            | Self::Requested(decision @ Decision::Standing(_)) => {
                let revoke = chat.map(|chat| format!(" /'revoke {chat}'")).unwrap_or_default();
                format!("{}.{revoke}", decision.allowed(by))
            }
            Self::Done(decision) | Self::Requested(decision) => format!("{}.", decision.allowed(by)),
            Self::Failed { decision, .. } => format!("{}; failed: {error}.", decision.allowed(by)),
            Self::Dropped(_) => format!("Failed: {error}."),
            Self::Rejected(_) => format!("Rejected by {by}."),
            Self::Expired => "Expired.".to_string(),
            Self::Cancelled => "Cancelled: the server stopped.".to_string(),
            Self::Interrupted(decision) => {
                format!("{}; interrupted: the server stopped.", decision.allowed(by))
            }
        }
    }
}

impl Decision {
    /// `Approved by Alice` and its two other forms, with the name as it is shown.
    fn allowed(&self, by: &str) -> String {
        match self {
            Self::Approver(_) => format!("Approved by {by}"),
            Self::Standing(_) => format!("Approved for this chat (messages and tool calls) by {by}"),
            Self::Host => "Performed without approval (mode host)".to_string(),
        }
    }
}

/// The longest name of a decider as it is shown: 50 four-byte characters in a code span.
pub(super) fn longest_name() -> String {
    shown::name(&"\u{10fffd}".repeat(fold::NAME_CHARS))
}

/// Each outcome that this request can have; whoever measures them takes [`longest_name`] for the decider's.
pub(super) fn largest(request: &Request) -> Vec<Outcome> {
    let by = String::new;
    let mut decisions: Vec<Decision> = [Decision::Approver(by()), Decision::Host].into();
    if request.can_stand() {
        decisions.push(Decision::Standing(by()));
    }
    let mut outcomes: Vec<Outcome> = [Outcome::Expired, Outcome::Cancelled, Outcome::Rejected(by())].into();
    for decision in decisions {
        outcomes.push(Outcome::Done(decision.clone()));
        outcomes.push(Outcome::Requested(decision.clone()));
        outcomes.push(Outcome::Interrupted(decision.clone()));
        outcomes.push(Outcome::Failed { decision, error: String::new() });
    }
    outcomes
}
