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

    /// The last line; `error` is the error as it is shown, backticks included.
    pub(super) fn line(&self, chat: Option<ChatRef>, error: &str) -> String {
        match self {
            Self::Done(Decision::Standing(_)) | Self::Requested(Decision::Standing(_)) => {
                let revoke = chat.map(|chat| format!(" /'revoke {chat}'")).unwrap_or_default();
                format!("{}.{revoke}", self.allowed())
            }
            Self::Done(_) | Self::Requested(_) => format!("{}.", self.allowed()),
            Self::Failed { .. } => format!("{}; failed: {error}.", self.allowed()),
            Self::Dropped(_) => format!("Failed: {error}."),
            Self::Rejected(by) => format!("Rejected by {}.", shown::name(by)),
            Self::Expired => "Expired.".to_string(),
            Self::Cancelled => "Cancelled: the server stopped.".to_string(),
            Self::Interrupted(_) => format!("{}; interrupted: the server stopped.", self.allowed()),
        }
    }

    /// `Approved by Alice` and its two other forms.
    fn allowed(&self) -> String {
        match self {
            Self::Done(decision)
            | Self::Requested(decision)
            | Self::Failed { decision, .. }
            | Self::Interrupted(decision) => match decision {
                Decision::Approver(by) => format!("Approved by {}", shown::name(by)),
                Decision::Standing(by) => {
                    format!("Approved for this chat (messages and tool calls) by {}", shown::name(by))
                }
                Decision::Host => "Performed without approval (mode host)".to_string(),
            },
            Self::Dropped(_) | Self::Rejected(_) | Self::Expired | Self::Cancelled => String::new(),
        }
    }
}

/// Each outcome that this request can have, with the longest line it can have: names of 50 four-byte characters in a
/// code span.
pub(super) fn largest(request: &Request) -> Vec<Outcome> {
    let by = || "\u{10fffd}".repeat(fold::NAME_CHARS);
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
