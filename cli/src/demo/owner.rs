//! The owner's side: what her app shows of the control chat, and what she types or taps there.

use std::collections::BTreeMap;

use serde_json::Value;
use simplex_agent_adapters::simplex::sim::SimHost;
use simplex_sim::{Act, ViewMessage};

/// The owner in the demo scenario.
pub(super) const NAME: &str = "Alice";

/// The owner's app, open at the control chat.
#[derive(Debug)]
pub(super) struct Owner {
    network: SimHost,
    chat: &'static str,
    shown: BTreeMap<i64, String>,
    cards: BTreeMap<i64, Card>,
}

/// A card that can be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Card {
    /// The number of its message.
    pub(super) item: i64,
    /// What a tap on its first button sends.
    pub(super) approve: String,
    /// What a tap on the button that rejects sends.
    pub(super) reject: String,
}

/// A message as it came, or as it was edited.
#[derive(Debug)]
pub(super) struct Shown {
    /// Who wrote it.
    pub(super) author: String,
    /// Whether its earlier text was shown before.
    pub(super) is_edit: bool,
    /// As the app shows it; a tappable command in square brackets.
    pub(super) text: String,
}

impl Owner {
    /// Opens the app at the chat of this name.
    pub(super) fn new(network: SimHost, chat: &'static str) -> Self {
        Self { network, chat, shown: BTreeMap::new(), cards: BTreeMap::new() }
    }

    /// Messages of others that came or were edited since the last look.
    pub(super) fn look(&mut self) -> Vec<Shown> {
        let mut news = Vec::new();
        for message in self.messages() {
            match card(&message) {
                Some(card) => self.cards.insert(message.id, card),
                None => self.cards.remove(&message.id),
            };
            let earlier = self.shown.insert(message.id, message.text.clone());
            if !message.own && earlier.as_ref() != Some(&message.text) {
                let text = rendered(&message);
                let author = app_name(&message.author).to_owned();
                news.push(Shown { author, is_edit: earlier.is_some(), text });
            }
        }
        news
    }

    /// The newest card that waits for her decision.
    pub(super) fn open_card(&self) -> Option<Card> {
        self.cards.values().next_back().cloned()
    }

    /// The text of a message, as last looked at.
    pub(super) fn text(&self, item: i64) -> &str {
        self.shown.get(&item).map_or("", String::as_str)
    }

    /// Whether a message with this text was shown.
    pub(super) fn has_seen(&self, text: &str) -> bool {
        self.shown.values().any(|shown| shown.contains(text))
    }

    /// Sends a text into the control chat, as a tap on a button does.
    ///
    /// # Errors
    ///
    /// Why it can't be sent.
    pub(super) fn say(&self, text: &str) -> Result<(), String> {
        let act = Act::Say { chat: self.chat.to_owned(), text: text.to_owned() };
        self.network.with(|network, now| network.act(now, NAME, act))
    }

    /// A link of the simulated network.
    pub(super) fn link(&self, name: &str) -> Option<String> {
        self.network.with(|network, _| network.link(name))
    }

    fn messages(&self) -> Vec<ViewMessage> {
        let chats = self.network.with(|network, _| network.view(NAME));
        chats.into_iter().find(|chat| chat.name == self.chat).map(|chat| chat.messages).unwrap_or_default()
    }
}

/// The buttons of a message, when it is a card.
fn card(message: &ViewMessage) -> Option<Card> {
    let commands: Vec<&str> = parts(message).filter_map(|(_, command)| command).collect();
    let button = |word: &str| {
        let found = commands.iter().find(|command| command.starts_with(word) && !command.ends_with(" all"));
        found.map(|command| format!("/{command}"))
    };
    Some(Card { item: message.id, approve: button("approve ")?, reject: button("reject ")? })
}

/// The name as the app shows it: without the number by which the core tells equal names apart.
fn app_name(local: &str) -> &str {
    match local.rsplit_once('_') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => local,
    }
}

/// The text as the app shows it.
fn rendered(message: &ViewMessage) -> String {
    if message.formatted_text.is_none() {
        return message.text.clone();
    }
    parts(message)
        .map(|(part, command)| match (command, part.pointer("/format/type").and_then(Value::as_str)) {
            (Some(command), _) => format!("[/{command}]"),
            (None, Some("snippet")) => format!("`{}`", text_of(part)),
            (None, _) => text_of(part).to_owned(),
        })
        .collect()
}

/// The parts of a formatted text, each with the command it sends when tapped.
fn parts(message: &ViewMessage) -> impl Iterator<Item = (&Value, Option<&str>)> {
    let parts = message.formatted_text.as_ref().and_then(Value::as_array);
    parts.into_iter().flatten().map(|part| (part, part.pointer("/format/commandStr").and_then(Value::as_str)))
}

fn text_of(part: &Value) -> &str {
    part["text"].as_str().unwrap_or_default()
}
