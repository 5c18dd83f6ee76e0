//! Reading a chat: the unread messages of a page and before, and which of them a call has handed out.
//!
//! The core's counts tell nothing: `unreadCount` counts every unread item, and group pages are not in the order of the
//! item numbers (FINDINGS 5, 6). So pages are read from the end until one has nothing unread, and sorted by number.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::call::{Answered, OpenCall, Stage, json, mark_new, new_items};
use super::collect::{Collector, Place, message};
use super::facts::Facts;
use super::ops::{Answer, Then, unexpected};
use super::tools::input::Call as Input;
use super::tools::result::{Message, ReceiveResult};
use super::{Agent, Cx};
use crate::id::CallId;
use crate::simplex::command::{Command, Conversation, Page};
use crate::simplex::model::{Chat, ChatItem, ItemId, ItemStatus};
use crate::simplex::response::Response;
use crate::time::Millis;

/// Items a page.
const PAGE: u32 = 100;

/// Which messages are in a result that is on its way, and which were returned in this run.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    /// In results that are on their way, each with the number of results.
    handed: BTreeMap<ItemId, u32>,
    /// Returned and being marked read, or marked.
    returned: BTreeSet<ItemId>,
}

/// Returned messages remembered, so that a call that collected one earlier does not call it new.
const REMEMBERED: usize = 10_000;

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

    /// Messages were returned and are marked read.
    pub(super) fn settle(&mut self, items: &[ItemId]) {
        self.take_back(items);
        self.returned.extend(items);
        while self.returned.len() > REMEMBERED {
            self.returned.pop_first();
        }
    }

    /// Whether a call has handed this message out.
    pub(super) fn is_known(&self, item: ItemId) -> bool {
        self.handed.contains_key(&item) || self.returned.contains(&item)
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
    /// Still streamed: left out and counted.
    live: BTreeSet<ItemId>,
    /// Deleted by their senders: left out and marked read.
    deleted: BTreeSet<ItemId>,
}

impl Unread {
    /// Nothing found yet in this chat.
    pub(super) const fn new(facts: Facts) -> Self {
        Self { facts, messages: BTreeMap::new(), live: BTreeSet::new(), deleted: BTreeSet::new() }
    }

    /// The chat.
    pub(super) const fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Takes a page; gives the item before which the next page is wanted.
    pub(super) fn take(&mut self, chat: &Chat) -> Option<ItemId> {
        let unread = |item: &&ChatItem| item.meta.item_status == ItemStatus::RcvNew;
        for item in chat.chat_items.iter().filter(unread) {
            self.put(item);
        }
        let more = chat.chat_items.len() >= PAGE as usize && chat.chat_items.iter().any(|item| unread(&item));
        // The page's first item is the anchor, whatever its number: pages follow the core's own order.
        chat.chat_items.first().map(|item| item.meta.item_id).filter(|_| more)
    }

    fn put(&mut self, item: &ChatItem) {
        let id = item.meta.item_id;
        if item.meta.item_deleted.is_some() {
            if item.received().is_some() {
                self.deleted.insert(id);
            }
        } else if item.meta.item_live {
            self.live.insert(id);
        } else if let Some(message) = message(&self.facts, item) {
            self.messages.insert(id, message);
        }
    }

    /// A message found here was changed, or its stream ended.
    pub(super) fn update(&mut self, item: &ChatItem) {
        let id = item.meta.item_id;
        if self.messages.contains_key(&id) || (self.live.contains(&id) && !item.meta.item_live) {
            self.live.remove(&id);
            self.put(item);
        }
    }

    /// A message found here was deleted.
    pub(super) fn remove(&mut self, item: ItemId) {
        if self.messages.remove(&item).is_some() || self.live.remove(&item) {
            self.deleted.insert(item);
        }
    }

    /// How many messages are unread and not in a result on its way.
    pub(super) fn count(&self, reader: &Reader) -> u64 {
        (self.fresh(reader).count() + self.live.len()) as u64
    }

    fn fresh<'a>(&'a self, reader: &'a Reader) -> impl Iterator<Item = &'a Message> {
        self.messages.iter().filter(|(item, _)| !reader.is_known(**item)).map(|(_, message)| message)
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
    pub(super) fn is_ready(&self, now: Millis, reader: &Reader) -> bool {
        let found = self.unread.fresh(reader).next().is_some() || self.collector.has_settled(now);
        !self.reading && (found || now >= self.until)
    }

    /// When it wants to be looked at.
    pub(super) fn due(&self) -> Option<Millis> {
        let quiet = self.collector.quiet_at(Millis(0));
        (!self.reading).then(|| quiet.map_or(self.until, |quiet| quiet.min(self.until)))
    }

    /// The result: unread messages and those that came during the call, in chat order.
    fn result(&self, now: Millis, limit: usize, reader: &Reader) -> ReceiveResult {
        let came = self.collector.collected(now, usize::MAX);
        let mut all: BTreeMap<u64, Message> =
            self.unread.fresh(reader).map(|message| (message.item, message.clone())).collect();
        all.extend(came.messages.into_iter().map(|message| (message.item, message)));
        let total = all.len() as u64 + self.unread.live.len() as u64 + came.more;
        let mut messages: Vec<Message> = all.into_values().take(limit).collect();
        mark_new(&mut messages, reader);
        let more = total - messages.len() as u64;
        ReceiveResult { chat: self.unread.facts.chat(), messages, more }
    }
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
        let receiving = Receiving { unread: Unread::new(facts), collector, until, reading: true };
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
        if let Some(before) = receiving.unread.take(&chat) {
            let command = Command::Items { chat: conversation, page: page(Some(before)) };
            return self.command(cx, Then::Read(Step::Page(call)), &command);
        }
        receiving.reading = false;
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
        let result = receiving.result(cx.now.mono, input.limit as usize, &self.reader);
        let conversation = receiving.unread.facts.conversation();
        let answered = Answered { action: None, read: Some((conversation, new_items(&result.messages))) };
        self.answer(cx, call, json(&result), answered);
    }
}
