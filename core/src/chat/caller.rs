//! The open calls of one host, and which messages are their replies.
//!
//! A reply belongs to a call only when it quotes that call's message and comes from a sender the call accepts (P8).
//! The core gives an item's number to nothing else ever (FINDINGS, "Most important" 1), and a quote names the item by
//! the number it has here; so the number decides, whoever else uses the same chat.
//!
//! The host opens a call before it sends, because replies may come before the answer of `/_send`; tells the item when
//! that answer is there; passes the events; and asks with the waits of each of its own callers whether they ended.

mod end;
mod replies;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use super::identity::{Identity, Party, Place};
use crate::simplex::model::{ChatInfo, ChatItem, GroupMemberId, ItemId};
use crate::time::Millis;
use replies::Replies;

pub use end::{Ended, Waits};

/// A live message without an update for this long is taken as it stands (decisions 4).
pub const LIVE_PATIENCE: Millis = Millis::secs(60);

/// Most bytes of one call's replies, with what is kept beside the texts (decisions 7).
pub const MOST_BYTES: usize = 200_000;

/// Most own messages newer than a call's opening whose quotes are kept until the call's own message is known.
const EARLY_QUOTED: usize = 64;

/// What a protocol says about the text of a reply. Judged once, when the text is complete.
pub trait Binding {
    /// What this text is to the call. Pure: the same text is always the same.
    fn hear(&self, text: &str) -> Heard;
}

/// What a reply is to its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heard {
    /// A message of the protocol, after which its sender sends more.
    Part,
    /// The message that ends its sender's answer.
    Last,
    /// No message of the protocol.
    Text,
}

/// Whose replies a call takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepts {
    /// This party's alone: the contact of a direct chat, the mentioned member of a group by its `memberId`.
    One(Party),
    /// Any member's: the call is a broadcast to the group.
    Anyone,
}

/// A call to be made.
#[derive(Clone, Debug)]
pub struct Call<B> {
    /// The conversation its command is sent in.
    pub place: Place,
    /// Whose replies it takes.
    pub accepts: Accepts,
    /// The protocol's view of replies.
    pub binding: B,
}

/// One open call, for as long as its host runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// Whose a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No call's: an ordinary message.
    Nobody,
    /// This call's: it is marked read and kept out of everything else (decisions 7).
    Reply(Ticket),
    /// Known when a `/_send` under way is answered: [`Calls::sent`] or [`Calls::not_sent`] names the item again.
    Open,
}

/// What became of the messages that came before the answer of `/_send`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Replies of the call.
    pub replies: Vec<ItemId>,
    /// Ordinary messages after all.
    pub ordinary: Vec<ItemId>,
}

/// The replies of a call, as they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Who replied, in the order of their first replies.
    pub senders: Vec<Sender>,
    /// The replies, in the order of their arrival.
    pub replies: Vec<Reply>,
    /// How many more there were.
    pub more: u64,
}

/// Who replied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// Who it is.
    pub party: Party,
    /// The name it chose; empty for a contact, whose name is the chat's.
    pub name: String,
    /// The member's row, for texts.
    pub member: Option<GroupMemberId>,
    /// Whether its answer came to the end that the binding defines.
    pub complete: bool,
}

/// One reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Its place in [`Outcome::senders`].
    pub sender: usize,
    /// Its number here.
    pub item: ItemId,
    /// When its sender says it was sent.
    pub time: String,
    /// Its text, as it came.
    pub text: String,
    /// What it is.
    pub heard: Heard,
    /// The kind of a message that is not text.
    pub content: Option<String>,
    /// Its sender is known by another member's word alone.
    pub on_word: bool,
}

/// The open calls of one host.
#[derive(Clone, Debug)]
pub struct Calls<B> {
    open: BTreeMap<Ticket, Open<B>>,
    next: u64,
    /// The highest item number seen.
    newest: Option<ItemId>,
}

#[derive(Clone, Debug)]
struct Open<B> {
    call: Call<B>,
    stage: Stage,
    stopped: bool,
}

#[derive(Clone, Debug)]
enum Stage {
    /// `/_send` is under way; the message will have a number above `floor`. Replies by the item they quote.
    Sending { floor: Option<ItemId>, early: BTreeMap<ItemId, Replies> },
    /// The message is sent.
    Sent { item: ItemId, replies: Replies },
}

impl<B> Default for Calls<B> {
    fn default() -> Self {
        Self { open: BTreeMap::new(), next: 0, newest: None }
    }
}

impl<B: Binding> Calls<B> {
    /// Opens a call, before its message is sent.
    pub fn open(&mut self, call: Call<B>) -> Ticket {
        self.next = self.next.saturating_add(1);
        let stage = Stage::Sending { floor: self.newest, early: BTreeMap::new() };
        self.open.insert(Ticket(self.next), Open { call, stage, stopped: false });
        Ticket(self.next)
    }

    /// The call's message was sent and is this item.
    pub fn sent(&mut self, ticket: Ticket, item: ItemId) -> Settled {
        self.newest = self.newest.max(Some(item));
        let Some(open) = self.open.get_mut(&ticket) else { return Settled::default() };
        let Stage::Sending { early, .. } = &mut open.stage else { return Settled::default() };
        let mut early = core::mem::take(early);
        let replies = early.remove(&item).unwrap_or_default();
        let mine = replies.items().collect();
        open.stage = Stage::Sent { item, replies };
        for other in self.open.values_mut() {
            if let Stage::Sending { early, .. } = &mut other.stage {
                early.remove(&item);
            }
        }
        Settled { replies: mine, ordinary: self.released(early) }
    }

    /// The call's message was not sent: the call is closed.
    pub fn not_sent(&mut self, ticket: Ticket) -> Settled {
        let early = match self.open.remove(&ticket).map(|open| open.stage) {
            Some(Stage::Sending { early, .. }) => early,
            Some(Stage::Sent { .. }) | None => BTreeMap::new(),
        };
        Settled { replies: Vec::new(), ordinary: self.released(early) }
    }

    /// Messages that wait for no call any more.
    fn released(&self, early: BTreeMap<ItemId, Replies>) -> Vec<ItemId> {
        let waiting: BTreeSet<ItemId> = self.open.values().flat_map(Open::early_items).collect();
        early.values().flat_map(Replies::items).filter(|item| !waiting.contains(item)).collect()
    }

    /// A message came.
    pub fn on_new(&mut self, now: Millis, info: &ChatInfo, item: &ChatItem) -> Claim {
        self.newest = self.newest.max(Some(item.meta.item_id));
        let quoted = item.quoted_item.as_ref().and_then(|quote| quote.item_id);
        let (Some(quoted), Some(place), Some(party)) = (quoted, Place::of(info), Party::of(info, item))
        else {
            return Claim::Nobody;
        };
        let of_known = self.open.iter().find(|(_, open)| open.stage.item() == Some(quoted));
        let known = of_known.map(|(ticket, _)| *ticket);
        let mut claim = Claim::Nobody;
        for (ticket, open) in &mut self.open {
            let may_be = known.is_none_or(|known| known == *ticket)
                && open.call.place == place
                && open.call.accepts.admits(&party, &place);
            let Some(replies) = may_be.then(|| open.stage.replies_to(quoted)).flatten() else { continue };
            if replies.add(now, &party, item, &open.call.binding) {
                claim = if known.is_some() { Claim::Reply(*ticket) } else { Claim::Open };
            }
        }
        claim
    }

    /// A message was changed by its sender, or a live one went on or ended.
    pub fn on_update(&mut self, now: Millis, item: &ChatItem) {
        for open in self.open.values_mut() {
            for replies in open.stage.replies_mut() {
                replies.update(now, item, &open.call.binding);
            }
        }
    }

    /// A message was deleted by its sender, or by whoever may.
    pub fn on_deleted(&mut self, item: ItemId) {
        for replies in self.open.values_mut().flat_map(|open| open.stage.replies_mut()) {
            replies.remove(item);
        }
    }

    /// A chat is gone, or the user is no member any more: its calls are stopped.
    pub fn on_chat_gone(&mut self, chat: &Identity) {
        for open in self.open.values_mut().filter(|open| open.call.place.chat == *chat) {
            open.stopped = true;
        }
    }

    /// Nobody waits for the call any more: it ends as it stands.
    pub fn stop(&mut self, ticket: Ticket) {
        if let Some(open) = self.open.get_mut(&ticket) {
            open.stopped = true;
        }
    }

    /// Forgets a call: later replies are ordinary messages. What waited for its `/_send` is no reply.
    pub fn close(&mut self, ticket: Ticket) -> Settled {
        self.not_sent(ticket)
    }

    /// Whether the call ended for someone with these waits, and how. None for a call that is not open.
    pub fn ended(&self, ticket: Ticket, now: Millis, waits: &Waits) -> Option<Ended> {
        let open = self.open.get(&ticket)?;
        if open.stopped {
            return Some(Ended::Stopped);
        }
        let Stage::Sent { replies, .. } = &open.stage else {
            return (now >= waits.until).then_some(Ended::Wait);
        };
        match open.call.accepts {
            Accepts::One(_) => end::of_one(replies, &open.call.binding, now, waits),
            Accepts::Anyone => end::of_all(replies, &open.call.binding, now, waits),
        }
    }

    /// When [`Calls::ended`] may next say something else without another event; none for a call that is not open.
    pub fn next_look(&self, ticket: Ticket, now: Millis, waits: &Waits) -> Option<Millis> {
        let open = self.open.get(&ticket)?;
        Some(match &open.stage {
            Stage::Sent { replies, .. } => end::next_look(replies, &open.call.accepts, now, waits),
            Stage::Sending { .. } => waits.until,
        })
    }

    /// The replies as they stand, at most `limit` senders and texts of them (decisions 7). None for a call that is not
    /// open.
    pub fn outcome(&self, ticket: Ticket, now: Millis, limit: usize) -> Option<Outcome> {
        let open = self.open.get(&ticket)?;
        Some(match &open.stage {
            Stage::Sent { replies, .. } => {
                let limit = if matches!(open.call.accepts, Accepts::One(_)) { usize::MAX } else { limit };
                replies.outcome(now, limit, &open.call.binding)
            }
            Stage::Sending { .. } => Outcome { senders: Vec::new(), replies: Vec::new(), more: 0 },
        })
    }

    /// The call's message, once it is sent.
    pub fn item(&self, ticket: Ticket) -> Option<ItemId> {
        self.open.get(&ticket)?.stage.item()
    }
}

impl Accepts {
    /// Whether replies of this party in this conversation are taken.
    fn admits(&self, party: &Party, place: &Place) -> bool {
        match self {
            Self::One(one) => one == party,
            Self::Anyone => *party.chat() == place.chat,
        }
    }
}

impl<B> Open<B> {
    fn early_items(&self) -> impl Iterator<Item = ItemId> {
        let early = match &self.stage {
            Stage::Sending { early, .. } => Some(early),
            Stage::Sent { .. } => None,
        };
        early.into_iter().flat_map(|early| early.values().flat_map(Replies::items))
    }
}

impl Stage {
    /// The call's message, once it is sent.
    const fn item(&self) -> Option<ItemId> {
        match self {
            Self::Sent { item, .. } => Some(*item),
            Self::Sending { .. } => None,
        }
    }

    /// Where a reply that quotes this item is kept; none when the item cannot be the call's.
    fn replies_to(&mut self, quoted: ItemId) -> Option<&mut Replies> {
        match self {
            Self::Sent { item, replies } => (*item == quoted).then_some(replies),
            Self::Sending { floor, early } => {
                let fits = floor.is_none_or(|floor| quoted > floor)
                    && (early.len() < EARLY_QUOTED || early.contains_key(&quoted));
                fits.then(|| early.entry(quoted).or_default())
            }
        }
    }

    fn replies_mut(&mut self) -> impl Iterator<Item = &mut Replies> {
        let (early, sent) = match self {
            Self::Sending { early, .. } => (Some(early), None),
            Self::Sent { replies, .. } => (None, Some(replies)),
        };
        early.into_iter().flat_map(BTreeMap::values_mut).chain(sent)
    }
}

#[cfg(test)]
mod tests;
