//! Which commands were taken: each is run once (decisions 7).

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::format;
use alloc::string::String;

use crate::chat::identity::Identity;
use crate::simplex::model::ChatItem;

/// Most that are remembered. The oldest go first: they are long too old to be run by then.
const MOST: usize = 16_384;

/// Commands by chat and by what the peers know the message by.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    keys: BTreeSet<(Identity, String)>,
    order: VecDeque<(Identity, String)>,
}

impl Seen {
    pub(super) fn has(&self, chat: &Identity, item: &ChatItem) -> bool {
        self.keys.contains(&(chat.clone(), key(item)))
    }

    pub(super) fn note(&mut self, chat: &Identity, item: &ChatItem) {
        let key = (chat.clone(), key(item));
        if !self.keys.insert(key.clone()) {
            return;
        }
        self.order.push_back(key);
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.keys.remove(&oldest);
        }
    }
}

/// The shared identifier; for an item without one its number, with a character that the other has not.
fn key(item: &ChatItem) -> String {
    match &item.meta.item_shared_msg_id {
        Some(shared) => shared.to_owned(),
        None => format!("#{}", item.meta.item_id),
    }
}
