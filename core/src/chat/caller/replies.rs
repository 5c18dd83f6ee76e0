//! The replies of one call, within bounds.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Binding, Heard, LIVE_PATIENCE, MOST_BYTES, Outcome, Reply, Sender};
use crate::chat::identity::{Party, is_on_word};
use crate::simplex::model::{ChatDir, ChatItem, ItemId, MsgContent, MsgKind};
use crate::time::Millis;

/// Kept free for the reply that ends an answer: more than one message can have.
const FOR_LAST: usize = 20_000;
/// What a reply or a sender costs beside its texts, and more than that in no shape of the result.
const OVERHEAD: usize = 120;

/// Replies by number, which is the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Replies {
    held: BTreeMap<ItemId, Held>,
    senders: Vec<Sender>,
    bytes: usize,
    more: u64,
    /// The highest item that was counted and not kept, so that a repeated event counts once.
    counted: Option<ItemId>,
    last: Option<Millis>,
}

#[derive(Clone, Debug)]
struct Held {
    sender: usize,
    time: String,
    text: String,
    content: Option<String>,
    on_word: bool,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Being written, last changed then.
    Live(Millis),
    /// Complete.
    Settled(Heard),
    /// Deleted, or grown above what is kept: stays so that a repeated event does not bring it back.
    Gone,
}

/// What counts of the replies, up to a limit of senders and texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    /// Senders with messages of the protocol, and text replies.
    pub(super) units: usize,
    /// Some counted sender began an answer and did not end it.
    pub(super) unfinished: bool,
    /// Some sender's answer is complete.
    pub(super) complete: bool,
}

impl Replies {
    /// The items that are kept.
    pub(super) fn items(&self) -> impl Iterator<Item = ItemId> {
        self.held.keys().copied()
    }

    /// Something was not kept for want of room.
    pub(super) const fn is_full(&self) -> bool {
        self.more > 0
    }

    /// When the last one came, or a live one went on.
    pub(super) const fn last(&self) -> Option<Millis> {
        self.last
    }

    /// When the live one that was changed last is taken as it stands.
    pub(super) fn live_until(&self, now: Millis) -> Option<Millis> {
        let live = self.held.values().filter_map(|held| match held.state {
            State::Live(touched) => Some(touched + LIVE_PATIENCE),
            State::Settled(_) | State::Gone => None,
        });
        live.filter(|until| *until > now).max()
    }

    /// When the next live one is taken as it stands.
    pub(super) fn next_settled(&self, now: Millis) -> Option<Millis> {
        let live = self.held.values().filter_map(|held| match held.state {
            State::Live(touched) => Some(touched + LIVE_PATIENCE),
            State::Settled(_) | State::Gone => None,
        });
        live.filter(|until| *until > now).min()
    }

    /// A message that quotes the call's came from a sender it accepts. False when it is no message.
    pub(super) fn add(
        &mut self,
        now: Millis,
        party: &Party,
        item: &ChatItem,
        binding: &impl Binding,
    ) -> bool {
        let Some(content) = item.received().filter(|_| item.meta.item_deleted.is_none()) else {
            return false;
        };
        let id = item.meta.item_id;
        if self.held.contains_key(&id) {
            return true;
        }
        self.last = Some(now);
        let state =
            if item.meta.item_live { State::Live(now) } else { State::Settled(judge(binding, content)) };
        let known = self.senders.iter().position(|sender| sender.party == *party);
        let sender_cost = if known.is_some() { 0 } else { cost_of_sender(party, item) };
        let cost = cost(&content.text).saturating_add(item.meta.item_ts.as_str().len());
        if !self.has_room(cost.saturating_add(sender_cost), state == State::Settled(Heard::Last)) {
            if self.counted.is_none_or(|counted| id > counted) {
                self.counted = Some(id);
                self.more = self.more.saturating_add(1);
            }
            return true;
        }
        self.bytes = self.bytes.saturating_add(cost).saturating_add(sender_cost);
        let sender = known.unwrap_or_else(|| {
            self.senders.push(sender(party, item));
            self.senders.len().saturating_sub(1)
        });
        let content_kind = (content.kind != MsgKind::Text).then(|| content.kind.as_str().to_owned());
        self.held.insert(
            id,
            Held {
                sender,
                time: item.meta.item_ts.as_str().to_owned(),
                text: content.text.clone(),
                content: content_kind,
                on_word: is_on_word(item),
                state,
            },
        );
        true
    }

    /// A live reply went on or ended, or a text was edited. A message of the protocol stays what it was when it was
    /// complete: edits of replies are ignored (decisions 7), those of texts are not (decisions 4).
    pub(super) fn update(&mut self, now: Millis, item: &ChatItem, binding: &impl Binding) {
        let Some(content) = item.received() else { return };
        let Some(held) = self.held.get(&item.meta.item_id) else { return };
        let state = match held.state {
            State::Gone | State::Settled(Heard::Part | Heard::Last) => return,
            State::Settled(Heard::Text) => held.state,
            State::Live(_) if item.meta.item_live => State::Live(now),
            State::Live(_) => State::Settled(judge(binding, content)),
        };
        let without = self.bytes.saturating_sub(held.text.len());
        let was_live = matches!(held.state, State::Live(_));
        let bytes = without.saturating_add(content.text.len());
        let limit = most(state == State::Settled(Heard::Last));
        let Some(held) = self.held.get_mut(&item.meta.item_id) else { return };
        if bytes > limit {
            *held = Held { text: String::new(), state: State::Gone, ..held.clone() };
            self.bytes = without;
            self.more = self.more.saturating_add(1);
            return;
        }
        held.text.clone_from(&content.text);
        held.state = state;
        self.bytes = bytes;
        if was_live {
            self.last = Some(now);
        }
    }

    /// A reply was deleted.
    pub(super) fn remove(&mut self, item: ItemId) {
        if let Some(held) = self.held.get_mut(&item) {
            self.bytes = self.bytes.saturating_sub(held.text.len());
            held.text = String::new();
            held.state = State::Gone;
        }
    }

    /// What counts, up to `limit`.
    pub(super) fn count(&self, now: Millis, limit: usize, binding: &impl Binding) -> Count {
        let mut shown = Shown::new(self.senders.len(), limit);
        for (held, heard) in self.settled(now, binding) {
            shown.admit(held.sender, heard);
        }
        Count {
            units: shown.units,
            unfinished: shown.senders.iter().any(|(began, ended)| *began && !ended),
            complete: shown.senders.iter().any(|(_, ended)| *ended),
        }
    }

    /// The replies as they stand, up to `limit`.
    pub(super) fn outcome(&self, now: Millis, limit: usize, binding: &impl Binding) -> Outcome {
        let mut shown = Shown::new(self.senders.len(), limit);
        let mut outcome = Outcome { senders: Vec::new(), replies: Vec::new(), more: self.more };
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        for (id, held) in &self.held {
            let heard = held.heard(now, binding);
            let Some(heard) = heard.filter(|heard| shown.admit(held.sender, *heard)) else {
                outcome.more = outcome.more.saturating_add(u64::from(held.state != State::Gone));
                continue;
            };
            let sender = *places.entry(held.sender).or_insert(outcome.senders.len());
            if sender == outcome.senders.len() {
                outcome.senders.extend(self.senders.get(held.sender).cloned());
            }
            if let Some(sender) = outcome.senders.get_mut(sender) {
                sender.complete |= heard == Heard::Last;
            }
            outcome.replies.push(Reply {
                sender,
                item: *id,
                time: held.time.clone(),
                text: held.text.clone(),
                heard,
                content: held.content.clone(),
                on_word: held.on_word,
            });
        }
        outcome
    }

    fn settled<'a>(
        &'a self,
        now: Millis,
        binding: &'a impl Binding,
    ) -> impl Iterator<Item = (&'a Held, Heard)> {
        self.held.values().filter_map(move |held| Some((held, held.heard(now, binding)?)))
    }

    const fn has_room(&self, cost: usize, is_last: bool) -> bool {
        self.bytes.saturating_add(cost) <= most(is_last)
    }
}

/// Most bytes with one more reply of this kind.
const fn most(is_last: bool) -> usize {
    if is_last { MOST_BYTES } else { MOST_BYTES.saturating_sub(FOR_LAST) }
}

impl Held {
    /// What it is, when it is complete.
    fn heard(&self, now: Millis, binding: &impl Binding) -> Option<Heard> {
        match self.state {
            State::Settled(heard) => Some(heard),
            State::Live(touched) if now.since(touched) >= LIVE_PATIENCE => {
                Some(if self.content.is_none() { binding.hear(&self.text) } else { Heard::Text })
            }
            State::Live(_) | State::Gone => None,
        }
    }
}

/// Goes through replies in order and takes those of the first so many senders and texts.
struct Shown {
    /// Whether each sender began an answer, and ended it.
    senders: Vec<(bool, bool)>,
    units: usize,
    limit: usize,
}

impl Shown {
    fn new(senders: usize, limit: usize) -> Self {
        Self { senders: alloc::vec![(false, false); senders], units: 0, limit }
    }

    fn admit(&mut self, sender: usize, heard: Heard) -> bool {
        let Some((began, ended)) = self.senders.get_mut(sender) else { return false };
        if heard == Heard::Text || !*began {
            if self.units >= self.limit {
                return false;
            }
            self.units = self.units.saturating_add(1);
        }
        *began |= heard != Heard::Text;
        *ended |= heard == Heard::Last;
        true
    }
}

/// Only a text message is a message of a protocol.
fn judge(binding: &impl Binding, content: &MsgContent) -> Heard {
    if content.kind == MsgKind::Text { binding.hear(&content.text) } else { Heard::Text }
}

const fn cost(text: &str) -> usize {
    text.len().saturating_add(OVERHEAD)
}

fn cost_of_sender(party: &Party, item: &ChatItem) -> usize {
    let member = match party {
        Party::Contact(_) => 0,
        Party::Member { member_id, .. } => member_id.len(),
    };
    cost(name(item)).saturating_add(member).saturating_add(party.chat().created_at.len())
}

fn name(item: &ChatItem) -> &str {
    match &item.chat_dir {
        ChatDir::GroupRcv(member) => member.name(),
        _ => "",
    }
}

fn sender(party: &Party, item: &ChatItem) -> Sender {
    let member = match &item.chat_dir {
        ChatDir::GroupRcv(member) => Some(member.group_member_id),
        _ => None,
    };
    Sender { party: party.clone(), name: name(item).to_owned(), member, complete: false }
}
