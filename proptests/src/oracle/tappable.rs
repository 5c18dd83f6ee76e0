//! P4 and P5: in what is posted only what was meant can be tapped, and it fits.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Say;
use crate::model::fact::{Fact, What};
use crate::model::reading::{self, Tool, kind};
use crate::model::stance::buttons;
use crate::model::{Action, Ledger, Stance};
use crate::trace::Property;

/// The only text that names commands without offering them for one action.
const HELP: &str = "Commands: /approve, /reject, /revoke, /pending, /list. Each card shows its commands.";

/// Most encoded bytes of a card (decisions 2).
const CARD: usize = 15_000;
/// Most encoded bytes of a new message's text: 15,602 with its envelope (FINDINGS, 6).
const TEXT: usize = 15_488;
/// Most encoded bytes of an edit in a group (FINDINGS, 6).
const EDIT: usize = 15_434;

/// Posts under way, and the cards there are.
#[derive(Default)]
pub(super) struct Texts {
    under_way: BTreeMap<u64, String>,
    /// Actions that have a card.
    carded: BTreeSet<u64>,
    /// Chats that `/approve CHAT all` was said for.
    opened: BTreeSet<String>,
}

impl Texts {
    pub(super) fn look(&mut self, ledger: &Ledger, fact: &Fact, say: &mut Say<'_>) {
        match &fact.what {
            What::End => self.under_way.clear(),
            What::Command(op, line) => self.posted(ledger, *op, line, say),
            What::Answer(op, _, result) => {
                if let Some(text) = self.under_way.remove(op) {
                    self.shown(ledger, &text, result, say);
                }
            }
            _ => {}
        }
    }

    fn posted(&mut self, ledger: &Ledger, op: u64, line: &str, say: &mut Say<'_>) {
        if let Some(chat) = line.strip_prefix("/_set custom ").and_then(|rest| rest.split(' ').next()) {
            self.opened.insert(chat.to_owned());
        }
        let Some(posted) = reading::posted(line).filter(|p| Some(&p.place) == ledger.control.as_ref()) else {
            return;
        };
        let size = encoded(&posted.text);
        let limit = match (Stance::of(&posted.text), posted.item) {
            (Some(_), _) => CARD,
            (None, None) => TEXT,
            (None, Some(_)) => EDIT,
        };
        if size > limit {
            say(Property::P5, format!("{size} bytes of {limit}: {:?}", posted.text));
        }
        self.under_way.insert(op, posted.text);
    }

    /// What the core made of a posted text.
    fn shown(&mut self, ledger: &Ledger, text: &str, result: &Value, say: &mut Say<'_>) {
        let item = match kind(result) {
            "newChatItems" => result.pointer("/chatItems/0/chatItem"),
            "chatItemUpdated" => result.pointer("/chatItem/chatItem"),
            _ => None,
        };
        let Some(item) = item else { return };
        let parts = item.get("formattedText").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut commands = Vec::new();
        for part in &parts {
            let format = part.get("format").map(kind).unwrap_or_default();
            match format {
                "" | "snippet" => {}
                "command" => {
                    commands.push(part.pointer("/format/commandStr").and_then(Value::as_str).unwrap_or("?"))
                }
                _ => say(Property::P4, format!("{part} can be tapped or misread in {text:?}")),
            }
        }
        let meant = self.meant(ledger, text);
        if text != HELP && meant.as_ref().is_none_or(|meant| meant.iter().ne(commands.iter())) {
            say(Property::P4, format!("{commands:?} can be tapped, meant was {meant:?}, in {text:?}"));
        }
    }

    /// The commands that a text may offer, in their order; none when no action has such a card.
    fn meant(&mut self, ledger: &Ledger, text: &str) -> Option<Vec<String>> {
        let revoke = || self.opened.iter().map(|chat| vec![format!("revoke {chat}")]).collect::<Vec<_>>();
        match Stance::of(text) {
            Some(Stance::Asks) => {
                let asked = buttons(text);
                let action = ledger
                    .current()
                    .find(|a| !self.carded.contains(&a.created.number) && offers(a) == asked)?;
                self.carded.insert(action.created.number);
                Some(asked)
            }
            Some(Stance::Done) if text.contains("\nApproved for this chat") => {
                revoke().into_iter().find(|meant| text.ends_with(&format!(" /'{}'", meant[0])))
            }
            None if text.ends_with(". /list shows the agent's chats.")
                || text.ends_with(" is new; /list shows it.") =>
            {
                Some(vec!["list".to_owned()])
            }
            None if text.starts_with("Approved for ") => {
                revoke().into_iter().find(|meant| text.ends_with(&format!(" /'{}'", meant[0])))
            }
            _ => Some(Vec::new()),
        }
    }
}

/// The buttons of an action's card.
fn offers(action: &Action) -> Vec<String> {
    let n = action.created.number;
    match (&action.created.chat, action.created.tool) {
        (Some(chat), Tool::Send) => {
            vec![format!("approve {chat} {n}"), format!("approve {chat} all"), format!("reject {chat} {n}")]
        }
        (Some(chat), _) => vec![format!("approve {chat} {n}"), format!("reject {chat} {n}")],
        (None, _) => vec![format!("approve {n}"), format!("reject {n}")],
    }
}

/// Bytes of a text as the content of a JSON string of the SimpleX core (digest 7).
fn encoded(text: &str) -> usize {
    text.chars()
        .map(|c| match c {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            c if c < ' ' => 6,
            c => c.len_utf8(),
        })
        .sum()
}
