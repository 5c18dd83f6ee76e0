//! Reading a chat: the unread messages of a page and before, and which of them a call has handed out.
//!
//! The core's counts tell nothing: `unreadCount` counts every unread item, and group pages are not in the order of the
//! item numbers (FINDINGS 5, 6). So pages are read from the end until one has nothing unread, and sorted by number.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::call::{Answered, OpenCall, Stage, json, take_new};
use super::collect::{Collector, LIVE_PATIENCE, Place, message};
use super::facts::Facts;
use super::ops::{Answer, Then, unexpected};
use super::tools::input::Call as Input;
use super::tools::result::{Message, ReceiveResult};
use super::{Agent, Cx};
use crate::id::CallId;
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::command::{Command, Conversation, Page};
use crate::simplex::model::{Chat, ChatItem, ItemId, ItemStatus, Timestamp};
use crate::simplex::response::Response;
use crate::time::{Millis, Now};

/// Items a page.
const PAGE: u32 = 100;

/// Which messages are in a result that is on its way, and which were returned in this run.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    /// In results that are on their way, each with the number of results.
    handed: BTreeMap<ItemId, u32>,
    /// Returned and being marked read, or marked, each with its place in the order of returns.
    returned: BTreeMap<ItemId, u64>,
    /// How many results were returned.
    returns: u64,
}

/// Returned messages remembered, so that a call that collected one earlier does not call it new.
const REMEMBERED: usize = 1_000;

impl Reader {
    /// Messages go into a result.
    pub(super) fn hand_out(&mut self, items: &[ItemId]) {
        for item in items {
            *self.handed.entry(*item).or_insert(0) += 1;
        }
    }

    /// A result did not reach its client: its messages are unread again.
    pub(super) fn take_back(&mut self, items: &[ItemId]) {
        for item in items {
            if let Some(count) = self.handed.get_mut(item) {
                *count -= 1;
                if *count == 0 {
                    self.handed.remove(item);
                }
            }
        }
    }

    /// A result reached its client: its messages are marked read.
    pub(super) fn settle(&mut self, items: &[ItemId]) {
        self.take_back(items);
        self.returns = self.returns.saturating_add(1);
        self.returned.extend(items.iter().map(|item| (*item, self.returns)));
        while self.returned.len() > REMEMBERED {
            self.returned.pop_first();
        }
    }

    /// Returned messages could not be marked read: the next call returns them again.
    pub(super) fn unsettle(&mut self, items: &[ItemId]) {
        self.returned.retain(|item, _| !items.contains(item));
    }

    /// Whether a result with this message reached its client.
    pub(super) fn is_returned(&self, item: ItemId) -> bool {
        self.returned.contains_key(&item)
    }

    /// Whether it had reached its client when only so many results had been returned.
    fn was_returned(&self, item: ItemId, returns: u64) -> bool {
        self.returned.get(&item).is_some_and(|at| *at <= returns)
    }

    /// Whether a call has handed this message out.
    pub(super) fn is_known(&self, item: ItemId) -> bool {
        self.handed.contains_key(&item) || self.is_returned(item)
    }
}

/// Steps of reading.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A page of a `receive`.
    Page(CallId),
    /// Deleted messages, which no result shows, are being marked read.
    Tidied,
}

/// The unread messages found so far.
#[derive(Clone, Debug)]
pub(super) struct Unread {
    facts: Facts,
    messages: BTreeMap<ItemId, Message>,
    /// Still streamed: left out and counted until this moment, then taken as they stand.
    live: BTreeMap<ItemId, (Millis, Message)>,
    /// Deleted by their senders: left out and marked read.
    deleted: BTreeSet<ItemId>,
    /// Deleted while the pages are read: an older page may still have them.
    gone: BTreeSet<ItemId>,
    /// Changed while the pages are read: an older page may still have them as they were.
    newer: BTreeMap<ItemId, ChatItem>,
    /// How many results had been returned when the reading began.
    returns: u64,
}

impl Unread {
    /// Nothing found yet in this chat.
    pub(super) const fn new(facts: Facts, reader: &Reader) -> Self {
        Self {
            facts,
            messages: BTreeMap::new(),
            live: BTreeMap::new(),
            deleted: BTreeSet::new(),
            gone: BTreeSet::new(),
            newer: BTreeMap::new(),
            returns: reader.returns,
        }
    }

    /// The chat.
    pub(super) const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Takes a page; gives the item before which the next page is wanted. What was returned before the reading began
    /// is being marked read and is left out; what another call returns later is kept (plan, "receive").
    pub(super) fn take(&mut self, now: Now, chat: &Chat, reader: &Reader) -> Option<ItemId> {
        let unread = |item: &&ChatItem| item.meta.item_status == ItemStatus::RcvNew;
        for item in chat.chat_items.iter().filter(unread) {
            let id = item.meta.item_id;
            if !reader.was_returned(id, self.returns) && !self.gone.contains(&id) {
                let newer = self.newer.remove(&id);
                let item = newer.as_ref().unwrap_or(item);
                self.put(now.mono + patience_left(now, item), item);
            }
        }
        let more = chat.chat_items.len() >= PAGE as usize && chat.chat_items.iter().any(|item| unread(&item));
        // The page's first item is the anchor, whatever its number: pages follow the core's own order.
        chat.chat_items.first().map(|item| item.meta.item_id).filter(|_| more)
    }

    fn put(&mut self, live_until: Millis, item: &ChatItem) {
        let id = item.meta.item_id;
        if item.meta.item_deleted.is_some() {
            if item.received().is_some() {
                self.deleted.insert(id);
            }
        } else if let Some(message) = message(&self.facts, item) {
            if item.meta.item_live {
                self.live.insert(id, (live_until, message));
            } else {
                self.messages.insert(id, message);
            }
        }
    }

    /// Puts a message found here as it is after a change; false when it was not found here.
    fn update(&mut self, now: Millis, item: &ChatItem) -> bool {
        let id = item.meta.item_id;
        let found = self.messages.contains_key(&id) || self.live.remove(&id).is_some();
        if found {
            self.put(now + LIVE_PATIENCE, item);
        }
        found
    }

    /// A message found here was deleted.
    fn remove(&mut self, item: ItemId) {
        if self.messages.remove(&item).is_some() || self.live.remove(&item).is_some() {
            self.deleted.insert(item);
        }
    }

    /// How many messages are unread.
    pub(super) fn count(&self) -> u64 {
        (self.messages.len() + self.live.len()) as u64
    }

    /// The messages that count, those included whose stream stands still.
    fn settled(&self, now: Millis) -> impl Iterator<Item = &Message> {
        let stalled = self.live.values().filter(move |(until, _)| *until <= now).map(|(_, message)| message);
        self.messages.values().chain(stalled)
    }

    /// When the next live message is taken as it stands.
    fn due(&self) -> Option<Millis> {
        self.live.values().map(|(until, _)| *until).min()
    }

    /// The deleted messages found, taken out.
    pub(super) fn take_deleted(&mut self) -> Vec<ItemId> {
        core::mem::take(&mut self.deleted).into_iter().collect()
    }
}

/// A `receive` under way.
#[derive(Clone, Debug)]
pub(super) struct Receiving {
    pub(super) unread: Unread,
    /// What comes while the pages are read, and afterwards.
    pub(super) collector: Collector,
    /// It ends with nothing at this moment.
    until: Millis,
    /// Pages are being read.
    reading: bool,
}

impl Receiving {
    /// Whether it can be answered.
    pub(super) fn is_ready(&self, now: Millis) -> bool {
        let found = self.unread.settled(now).next().is_some() || self.collector.has_settled(now);
        !self.reading && (found || now >= self.until)
    }

    /// The chat that is read.
    pub(super) fn chat(&self) -> ChatRef {
        self.unread.facts.chat()
    }

    /// When it ends at the latest.
    pub(super) const fn until(&self) -> Millis {
        self.until
    }

    /// Whether pages are being read.
    pub(super) const fn is_reading(&self) -> bool {
        self.reading
    }

    /// When it wants to be looked at.
    pub(super) fn due(&self) -> Option<Millis> {
        let due = [self.collector.quiet_at(Millis(0)), self.unread.due(), Some(self.until)];
        due.into_iter().flatten().min().filter(|_| !self.reading)
    }

    /// A message was changed, or its stream went on or ended.
    pub(super) fn update(&mut self, now: Millis, item: &ChatItem) {
        if !self.unread.update(now, item) && self.reading {
            self.unread.newer.insert(item.meta.item_id, item.clone());
        }
    }

    /// A message was deleted.
    pub(super) fn remove(&mut self, item: ItemId) {
        self.unread.remove(item);
        if self.reading {
            self.unread.gone.insert(item);
        }
    }

    /// The pages are read: what came meanwhile is known better from its events.
    fn end_reading(&mut self) {
        self.reading = false;
        self.unread.newer.clear();
        self.unread.gone.clear();
        let collector = &self.collector;
        self.unread.messages.retain(|item, _| !collector.holds(*item));
        self.unread.live.retain(|item, _| !collector.holds(*item));
    }

    /// The result, unread messages and those that came during the call in chat order, and what is read with it.
    fn result(&self, now: Millis, limit: usize, reader: &Reader) -> (ReceiveResult, Vec<ItemId>) {
        let came = self.collector.collected(now, usize::MAX);
        let mut all: BTreeMap<u64, Message> =
            self.unread.settled(now).map(|message| (message.item, message.clone())).collect();
        let live = self.unread.count() - all.len() as u64;
        all.extend(came.messages.into_iter().map(|message| (message.item, message)));
        let total = all.len() as u64 + live + came.more;
        let mut messages: Vec<Message> = all.into_values().take(limit).collect();
        let read = take_new(&mut messages, reader);
        let more = total - messages.len() as u64;
        (ReceiveResult { chat: self.unread.facts.chat(), messages, more }, read)
    }
}

/// How long a live message of a page may still stand still before it is taken as it stands (decisions 4).
fn patience_left(now: Now, item: &ChatItem) -> Millis {
    let touched = item.meta.updated_at.as_ref().and_then(Timestamp::unix);
    let age = touched.map_or(0, |touched| now.unix.0.saturating_sub(touched.0));
    Millis(LIVE_PATIENCE.0.saturating_sub(u64::try_from(age).unwrap_or_default()))
}

/// The page before an item, or the last one.
pub(super) fn page(before: Option<ItemId>) -> Page {
    before.map_or(Page::Last { count: PAGE }, |item| Page::Before { item, count: PAGE })
}

impl Agent {
    /// Begins to read the new messages of a chat for a `receive`.
    pub(super) fn begin_receive(&mut self, cx: &mut Cx<'_>, call: CallId, facts: Facts) {
        let Some(open) = self.calls.get_mut(&call) else { return };
        let command = Command::Items { chat: facts.conversation(), page: page(None) };
        let collector = Collector::new(Place::own(&facts), None);
        let until = cx.now.mono + open.input.wait();
        let receiving =
            Receiving { unread: Unread::new(facts, &self.reader), collector, until, reading: true };
        open.stage = Stage::Receiving(Box::new(receiving));
        self.command(cx, Then::Read(Step::Page(call)), &command);
    }

    /// A page came, or messages were marked read.
    pub(super) fn on_read(&mut self, cx: &mut Cx<'_>, step: Step, answer: Answer) {
        match step {
            Step::Page(call) => self.on_page(cx, call, answer),
            Step::Tidied => {
                if let Err(trouble) = answer {
                    cx.warn(alloc::format!("messages not marked read: {}", trouble.text()));
                }
            }
        }
    }

    fn on_page(&mut self, cx: &mut Cx<'_>, call: CallId, answer: Answer) {
        let Some(OpenCall { stage: Stage::Receiving(receiving), .. }) = self.calls.get_mut(&call) else {
            return;
        };
        let chat = match answer {
            Ok(Response::Chat(chat)) => chat,
            Ok(other) => return self.refuse(cx, call, unexpected("receive", &other).text()),
            Err(trouble) => return self.refuse(cx, call, trouble.text()),
        };
        let conversation = receiving.unread.facts.conversation();
        if let Some(before) = receiving.unread.take(cx.now, &chat, &self.reader) {
            let command = Command::Items { chat: conversation, page: page(Some(before)) };
            return self.command(cx, Then::Read(Step::Page(call)), &command);
        }
        receiving.end_reading();
        let deleted = receiving.unread.take_deleted();
        self.mark_deleted_read(cx, conversation, deleted);
        self.look_at_call(cx, call);
    }

    /// Deleted messages stay unread in the core: they are marked read, because no result shows them (decisions 10).
    pub(super) fn mark_deleted_read(&mut self, cx: &mut Cx<'_>, chat: Conversation, items: Vec<ItemId>) {
        if !items.is_empty() {
            self.command(cx, Then::Read(Step::Tidied), &Command::MarkRead { chat, items });
        }
    }

    /// Answers a `receive`.
    pub(super) fn end_receive(&mut self, cx: &mut Cx<'_>, call: CallId) {
        let Some(OpenCall { stage: Stage::Receiving(receiving), input: Input::Receive(input), .. }) =
            self.calls.get(&call)
        else {
            return;
        };
        let (result, read) = receiving.result(cx.now.mono, input.limit as usize, &self.reader);
        let conversation = receiving.unread.facts.conversation();
        let answered = Answered { action: None, read: Some((conversation, read)) };
        self.answer(cx, call, json(&result), answered);
    }
}
