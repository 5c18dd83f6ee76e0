//! A SimpleX core that another program owns gives each event to one of its clients, whichever asks first. The agent
//! notices when it is not the only one: a card of its own was delivered, the core says so, and no event did.
//!
//! ```text
//! Quiet -a card was posted-> Expecting -its event came-> Quiet
//! Expecting -30 s-> the chat is read: not delivered yet, or no answer-> Quiet
//!                                     delivered-> Missing -its event came-> Quiet
//!                                                 Missing -10 s-> said once
//! ```
//!
//! Time alone proves nothing: offline routers keep a message for days, and then there is no event either.

use super::ops::{Answer, Then};
use super::text::person;
use super::{Agent, Cx};
use crate::simplex::command::{Command, Conversation, Page};
use crate::simplex::model::{ItemId, ItemStatus};
use crate::simplex::response::Response;
use crate::time::Millis;

/// So long an event of a card is waited for before the core is asked.
const PATIENCE: Millis = Millis::secs(30);
/// So long an event may be on its way after the core said that there was one.
const ON_ITS_WAY: Millis = Millis::secs(10);
/// The card is among so many items before and after it.
const AROUND: u32 = 1;

/// Whether own events reach the agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Sharing {
    waiting: Option<Waiting>,
    /// The last own item of which an event came: it may come before the answer that names the item.
    last: Option<ItemId>,
    /// It was said.
    said: bool,
}

/// A card whose event is waited for.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    item: ItemId,
    /// `None` while the chat is being read.
    until: Option<Millis>,
    delivered: bool,
}

impl Sharing {
    /// An event of an own item came.
    pub(super) fn saw(&mut self, item: ItemId) {
        self.last = self.last.max(Some(item));
        self.waiting = self.waiting.filter(|waiting| waiting.item != item);
    }

    /// When it wants to be looked at.
    pub(super) fn due(&self) -> Option<Millis> {
        self.waiting?.until
    }
}

impl Agent {
    /// A card was posted: an event says when it is delivered.
    pub(super) fn expect_event(&mut self, cx: &Cx<'_>, item: ItemId) {
        let sharing = &mut self.sharing;
        let came = sharing.last.is_some_and(|last| item <= last);
        if self.config.shared_core && !sharing.said && !came && sharing.waiting.is_none() {
            let until = Some(cx.now.mono + PATIENCE);
            sharing.waiting = Some(Waiting { item, until, delivered: false });
        }
    }

    /// An event is late.
    pub(super) fn look_for_events(&mut self, cx: &mut Cx<'_>) {
        let Some(waiting) = &mut self.sharing.waiting else { return };
        if waiting.until.is_none_or(|until| cx.now.mono < until) {
            return;
        }
        waiting.until = None;
        let waiting = *waiting;
        if waiting.delivered {
            self.sharing.waiting = None;
            self.sharing.said = true;
            return cx.warn(person::EVENTS_STAY_AWAY);
        }
        let Some(control) = self.usable_control() else {
            self.sharing.waiting = None;
            return;
        };
        let chat = Conversation::Group(control.group_id());
        let page = Page::Around { item: waiting.item, count: AROUND };
        self.command(cx, Then::Sharing(waiting.item), &Command::Items { chat, page });
    }

    /// The core said what became of the card.
    pub(super) fn on_delivery_read(&mut self, cx: &Cx<'_>, item: ItemId, answer: Answer) {
        let Some(waiting) = self.sharing.waiting.as_mut().filter(|waiting| waiting.item == item) else {
            return;
        };
        let delivered = matches!(&answer, Ok(Response::Chat(chat)) if chat.chat_items.iter().any(|found| {
            found.meta.item_id == item && matches!(found.meta.item_status, ItemStatus::SndSent | ItemStatus::SndRcvd)
        }));
        if delivered {
            waiting.delivered = true;
            waiting.until = Some(cx.now.mono + ON_ITS_WAY);
        } else {
            self.sharing.waiting = None;
        }
    }
}
