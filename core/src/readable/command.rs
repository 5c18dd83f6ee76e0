//! What is seen of a command: a message in the control chat, or the command itself.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Deserialize;

use super::message_lines;
use crate::simplex::response::Response;

/// A command under way.
#[derive(Clone, Debug)]
pub(super) enum Shown {
    /// A message is posted in the control chat: its text.
    Post(String),
    /// A message of the control chat is edited: its number and its text.
    Edit(String, String),
    /// Any other: the line.
    Command(String),
}

#[derive(Deserialize)]
struct Composed {
    #[serde(rename = "msgContent")]
    content: Text,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

impl Shown {
    /// Reads a command of the agent; `control` is the number of its control chat.
    pub(super) fn of(line: &str, control: Option<u64>) -> Self {
        let control = control.map(|group| format!("#{group} "));
        let seen = control.and_then(|chat| post(line, &chat).or_else(|| edit(line, &chat)));
        seen.unwrap_or_else(|| Self::Command(line.to_string()))
    }

    /// Whether it is a message in the control chat.
    pub(super) const fn is_post(&self) -> bool {
        !matches!(self, Self::Command(_))
    }

    /// How it is named when it fails.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Post(text) => format!("post: {}", text.lines().next().unwrap_or_default()),
            Self::Edit(item, _) => format!("edit {item}"),
            Self::Command(line) => line.clone(),
        }
    }

    /// What is seen when it was done.
    pub(super) fn lines(&self, response: &Response) -> Vec<String> {
        match (self, response) {
            (Self::Post(text), Response::NewItems(items)) => items
                .iter()
                .flat_map(|item| message_lines("post", item.chat_item.meta.item_id, text))
                .collect(),
            (Self::Edit(item, text), _) => message_lines("edit", item, text),
            _ => Vec::new(),
        }
    }
}

fn post(line: &str, chat: &str) -> Option<Shown> {
    let (_, json) = line.strip_prefix("/_send ")?.strip_prefix(chat)?.split_once("json ")?;
    let [Composed { content }] = serde_json::from_str::<[Composed; 1]>(json).ok()?;
    Some(Shown::Post(content.text))
}

fn edit(line: &str, chat: &str) -> Option<Shown> {
    let rest = line.strip_prefix("/_update item ")?.strip_prefix(chat)?;
    let (place, json) = rest.split_once(" json ")?;
    let item = place.split(' ').next()?.to_string();
    let Composed { content } = serde_json::from_str(json).ok()?;
    Some(Shown::Edit(item, content.text))
}
