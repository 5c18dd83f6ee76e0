//! Messages that belong to a result: what was received in one conversation after one item.
//!
//! The core gives item numbers in the order of arrival, so a map by number is in arrival order (plan, "Correlation").

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::facts::{Facts, Identity};
use super::tools::result::{Message, ReplyTo};
use crate::simplex::model::{ChatDir, ChatInfo, ChatItem, Content, ItemId, ItemStatus, MsgContent, MsgKind};
use crate::time::Millis;

/// Most messages kept for one result; later ones are counted (decisions 4).
const KEPT: usize = 100;
/// A live message without an update for this long is taken as it stands (decisions 4).
pub(super) const LIVE_PATIENCE: Millis = Millis::secs(60);

/// Which conversation of which chat.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) chat: Identity,
    /// The admission chat, or another support scope, instead of the main chat.
    pub(super) support: bool,
}

impl Place {
    /// The place of an event's chat.
    pub(super) fn of(facts: &Facts, info: &ChatInfo) -> Self {
        Self { chat: facts.identity.clone(), support: matches!(info, ChatInfo::Group { scope: Some(_), .. }) }
    }

    /// The place where the agent's own messages to a chat go.
    pub(super) fn own(facts: &Facts) -> Self {
        Self { chat: facts.identity.clone(), support: facts.admission.is_some() }
    }
}

/// A message kept for a result.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    message: Message,
    /// Still streamed by its sender.
    live: bool,
    /// When it came or was last changed.
    touched: Millis,
}

/// Collects the messages of one place.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    place: Place,
    /// Only items above this one; `None` until it is known: everything is kept and judged then.
    after: Option<ItemId>,
    held: BTreeMap<ItemId, Held>,
    uncounted: u64,
    last: Option<Millis>,
}

/// What a collector gives to a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Collected {
    pub(super) messages: Vec<Message>,
    pub(super) more: u64,
}

impl Collector {
    /// Collects what comes in a place after an item.
    pub(super) const fn new(place: Place, after: Option<ItemId>) -> Self {
        Self { place, after, held: BTreeMap::new(), uncounted: 0, last: None }
    }

    /// The place it collects from.
    pub(super) const fn place(&self) -> &Place {
        &self.place
    }

    /// Fixes the item after which messages count, and drops the earlier ones.
    pub(super) fn start_after(&mut self, item: ItemId) {
        self.after = Some(item);
        self.held.retain(|id, _| *id > item);
    }

    /// A message came.
    pub(super) fn add(&mut self, now: Millis, place: &Place, facts: &Facts, item: &ChatItem) {
        let id = item.meta.item_id;
        if *place != self.place || self.after.is_some_and(|after| id <= after) || self.held.contains_key(&id)
        {
            return;
        }
        self.keep(now, facts, item);
    }

    /// Keeps a message of this place, wherever it stands.
    pub(super) fn keep(&mut self, now: Millis, facts: &Facts, item: &ChatItem) {
        let Some(message) = message(facts, item) else { return };
        self.last = Some(now);
        if self.held.len() < KEPT {
            self.held.insert(item.meta.item_id, Held { message, live: item.meta.item_live, touched: now });
        } else {
            self.uncounted = self.uncounted.saturating_add(1);
        }
    }

    /// A message was changed by its sender, or a live one went on or ended.
    pub(super) fn update(&mut self, now: Millis, place: &Place, item: &ChatItem) {
        if *place != self.place {
            return;
        }
        let (Some(held), Some(content)) = (self.held.get_mut(&item.meta.item_id), item.received()) else {
            return;
        };
        held.message.text = content.text.clone();
        if held.live {
            held.live = item.meta.item_live;
            held.touched = now;
            self.last = Some(now);
        }
    }

    /// A message was deleted by its sender.
    pub(super) fn remove(&mut self, item: ItemId) {
        self.held.remove(&item);
    }

    /// Whether this message is kept.
    pub(super) fn holds(&self, item: ItemId) -> bool {
        self.held.contains_key(&item)
    }

    /// Whether a message is kept that counts.
    pub(super) fn has_settled(&self, now: Millis) -> bool {
        self.held.values().any(|held| held.settled(now))
    }

    /// When `idle` without a new message is over: counted from the last one, and held off while one is live.
    pub(super) fn quiet_at(&self, idle: Millis) -> Option<Millis> {
        let live = self.held.values().filter(|held| held.live).map(|held| held.touched + LIVE_PATIENCE).max();
        let last = self.last?;
        Some(live.map_or(last + idle, |live| live.max(last + idle)))
    }

    /// The messages up to a limit, oldest first, and how many more there are.
    pub(super) fn collected(&self, now: Millis, limit: usize) -> Collected {
        let settled = || self.held.values().filter(|held| held.settled(now));
        let messages: Vec<Message> = settled().take(limit).map(|held| held.message.clone()).collect();
        let more = (self.held.len() - messages.len()) as u64 + self.uncounted;
        Collected { messages, more }
    }
}

impl Held {
    const fn settled(&self, now: Millis) -> bool {
        !self.live || now.since(self.touched).0 >= LIVE_PATIENCE.0
    }
}

/// A received message as a result shows it; `None` when the item is no message, or a deleted one.
pub(super) fn message(facts: &Facts, item: &ChatItem) -> Option<Message> {
    let content = item.received().filter(|_| item.meta.item_deleted.is_none())?;
    Some(shown(facts, item, content, Sender::of(facts, item)))
}

/// A message that was sent or received; `own` is the agent's name in that chat.
pub(super) fn any_message(facts: &Facts, item: &ChatItem, own: &str) -> Option<Message> {
    match &item.content {
        Content::Received(_) => message(facts, item),
        Content::Sent(content) if item.meta.item_deleted.is_none() => {
            let sender = Sender { name: own.into(), member: None, peer_type: None };
            Some(shown(facts, item, content, sender))
        }
        Content::Sent(_) | Content::Other(_) => None,
    }
}

/// Who sent a message.
struct Sender {
    name: String,
    member: Option<u64>,
    peer_type: Option<String>,
}

impl Sender {
    /// The member of a group's message; otherwise the contact or the channel itself (plan, "Message").
    fn of(facts: &Facts, item: &ChatItem) -> Self {
        match &item.chat_dir {
            ChatDir::GroupRcv(member) => Self {
                name: member.name().into(),
                member: Some(member.group_member_id.number()),
                peer_type: member.member_profile.peer_type.as_ref().map(|word| word.as_str().into()),
            },
            _ => {
                Self { name: facts.peer.name.clone(), member: None, peer_type: facts.peer.peer_type.clone() }
            }
        }
    }
}

fn shown(facts: &Facts, item: &ChatItem, content: &MsgContent, sender: Sender) -> Message {
    let chat = facts.chat();
    Message {
        chat,
        item: item.meta.item_id.number(),
        from: sender.name,
        from_member: sender.member,
        from_type: sender.peer_type,
        time: item.meta.item_ts.as_str().into(),
        text: content.text.clone(),
        content: (content.kind != MsgKind::Text).then(|| content.kind.as_str().into()),
        new: item.meta.item_status == ItemStatus::RcvNew,
        reply_to: item
            .quoted_item
            .as_ref()
            .map(|quote| ReplyTo { chat, item: quote.item_id.map(ItemId::number) }),
        mentions_me: item.meta.user_mention,
    }
}
