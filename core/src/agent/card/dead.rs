//! Cards of an earlier run that still show their commands (decisions 4, "Dead cards").

use alloc::format;
use alloc::string::String;

use super::form;
use super::outcome::{Decision, Outcome};
use crate::simplex::chat_ref::{self, ChatRef};

/// A posted card that still shows its commands, read from its text alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadCard {
    /// The text without the commands line.
    request: String,
    /// The chat that the commands name: none for a connect.
    pub chat: Option<ChatRef>,
    /// The action's number.
    pub n: u64,
}

/// How a dead card is ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No approver's `/approve` came after it.
    Cancelled,
    /// An approver's `/approve` came: it may have been performed.
    Interrupted(Decision),
}

impl DeadCard {
    /// Reads the text of an own item of the control chat; none when it shows no commands of a card.
    pub fn read(text: &str) -> Option<Self> {
        let (request, last) = text.rsplit_once('\n')?;
        if !request.starts_with("I want to ") {
            return None;
        }
        let (first, _) = last.strip_prefix("/'approve ")?.split_once('\'')?;
        let (chat, n) = match first.split_once(' ') {
            Some((chat, n)) => (Some(chat_ref::parse(chat)?), n),
            None => (None, first),
        };
        let n: u64 = n.parse().ok()?;
        // What is not written as we write it is no card of ours.
        let ours = [true, false].into_iter().any(|can_stand| form::commands(chat, can_stand, n) == last);
        ours.then(|| Self { request: request.into(), chat, n })
    }

    /// Whether a standing approval can cover what it asks: a send.
    pub fn can_stand(&self) -> bool {
        self.request.starts_with("I want to send ")
    }

    /// The text that ends it; it fits, because the card was checked in its largest form.
    pub fn ended(&self, ending: &Ending) -> String {
        let outcome = match ending {
            Ending::Cancelled => Outcome::Cancelled,
            Ending::Interrupted(decision) => Outcome::Interrupted(decision.clone()),
        };
        format!("{}\n{}", self.request, outcome.line(self.chat, &outcome.shown_by(), ""))
    }
}
