//! The messages of a chat at its connection, kept true until a call returns them (CONN-42).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use crate::agent::collect::any_message;
use crate::agent::facts::Facts;
use crate::agent::tools::result::Message;
use crate::simplex::model::{ChatItem, Content, ItemId};

/// The page of messages at the connection.
#[derive(Clone, Debug, Default)]
pub(in crate::agent) struct Opening {
    messages: BTreeMap<ItemId, Message>,
    /// The page is being read: what changes meanwhile may be in it as it was.
    reading: bool,
    /// Changed while the page is read.
    newer: BTreeMap<ItemId, ChatItem>,
    /// Deleted while the page is read.
    gone: BTreeSet<ItemId>,
}

impl Opening {
    /// The page is being read from here on.
    pub(super) fn begin(&mut self) {
        self.reading = true;
    }

    /// Takes the page; `own` is the agent's name in the chat. Gives the messages that are still streamed: they are not
    /// of the page, and count when they are complete.
    pub(super) fn take(&mut self, facts: &Facts, items: &[ChatItem], own: &str) -> Vec<ChatItem> {
        self.reading = false;
        let newer = core::mem::take(&mut self.newer);
        let gone = core::mem::take(&mut self.gone);
        let mut live = Vec::new();
        for item in items {
            let id = item.meta.item_id;
            let item = newer.get(&id).unwrap_or(item);
            if gone.contains(&id) {
                continue;
            }
            if item.meta.item_live {
                live.push(item.clone());
            } else if let Some(message) = any_message(facts, item, own) {
                self.messages.insert(id, message);
            }
        }
        live
    }

    /// A message was changed.
    pub(in crate::agent) fn update(&mut self, item: &ChatItem) {
        let id = item.meta.item_id;
        if self.reading {
            self.newer.insert(id, item.clone());
        }
        if let (Some(message), Content::Received(content) | Content::Sent(content)) =
            (self.messages.get_mut(&id), &item.content)
        {
            message.text = content.text.clone();
        }
    }

    /// A message was deleted.
    pub(in crate::agent) fn remove(&mut self, item: ItemId) {
        if self.reading {
            self.gone.insert(item);
        }
        self.messages.remove(&item);
    }

    /// The messages, oldest first.
    pub(in crate::agent) fn messages(&self) -> impl Iterator<Item = &Message> {
        self.messages.values()
    }
}
