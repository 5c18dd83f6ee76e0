//! Replies between here and the routers: how many of a chat are on the way.
//!
//! `/_send` answers at once and is no signal; that a router took a message is told by its delivery status
//! (decisions 7, "Floods"), which may come before the answer.

use alloc::collections::{BTreeMap, BTreeSet};

use super::Flight;
use crate::chat::identity::Identity;
use crate::simplex::model::{ItemId, ItemStatus};
use crate::simplex::size::encoded_len;

/// Most replies of one chat that no router has acknowledged (decisions 7).
pub const MOST_UNACKNOWLEDGED: usize = 16;
/// Most statuses kept of items whose sending was not answered yet.
const MOST_EARLY: usize = 64;

/// Whether a text fits into so many encoded bytes.
pub(super) fn fits(text: &str, room: usize) -> bool {
    encoded_len(text) <= room
}

#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    chats: BTreeMap<Identity, Line>,
    flights: BTreeMap<Flight, (Identity, ItemId)>,
    last: u64,
}

#[derive(Clone, Debug, Default)]
struct Line {
    flying: usize,
    unacknowledged: BTreeSet<ItemId>,
    /// Delivered before it was known that they are ours.
    early: BTreeSet<ItemId>,
}

impl Lines {
    pub(super) fn on_the_way(&self, chat: &Identity) -> usize {
        self.chats.get(chat).map_or(0, |line| line.flying.saturating_add(line.unacknowledged.len()))
    }

    pub(super) fn has_room(&self, chat: &Identity) -> bool {
        self.on_the_way(chat) < MOST_UNACKNOWLEDGED
    }

    /// A reply to a command is given to the core.
    pub(super) fn launch(&mut self, chat: &Identity, command: ItemId) -> Flight {
        self.last = self.last.saturating_add(1);
        let flight = Flight(self.last);
        let line = self.chats.entry(chat.clone()).or_default();
        line.flying = line.flying.saturating_add(1);
        self.flights.insert(flight, (chat.clone(), command));
        flight
    }

    /// The core answered: with the item, or with a refusal. Gives the command.
    pub(super) fn landed(&mut self, flight: Flight, item: Option<ItemId>) -> Option<ItemId> {
        let (chat, command) = self.flights.remove(&flight)?;
        if let Some(line) = self.chats.get_mut(&chat) {
            line.flying = line.flying.saturating_sub(1);
            if let Some(item) = item.filter(|item| !line.early.remove(item)) {
                line.unacknowledged.insert(item);
            }
            self.tidy(&chat);
        }
        Some(command)
    }

    pub(super) fn on_delivery(&mut self, chat: &Identity, item: ItemId, status: &ItemStatus) {
        let is_waiting = matches!(status, ItemStatus::SndNew | ItemStatus::SndWarning);
        let Some(line) = self.chats.get_mut(chat).filter(|_| !is_waiting) else { return };
        let known = line.unacknowledged.remove(&item);
        if !known && line.flying > 0 && line.early.len() < MOST_EARLY {
            line.early.insert(item);
        }
        self.tidy(chat);
    }

    pub(super) fn forget(&mut self, chat: &Identity) {
        self.chats.remove(chat);
        self.flights.retain(|_, (of, _)| of != chat);
    }

    fn tidy(&mut self, chat: &Identity) {
        let Some(line) = self.chats.get_mut(chat) else { return };
        if line.flying == 0 {
            line.early.clear();
            if line.unacknowledged.is_empty() {
                self.chats.remove(chat);
            }
        }
    }
}
