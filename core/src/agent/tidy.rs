//! Cards of an earlier run that still show their commands are ended at start: no dead button stays, and no card lies
//! (decisions 4, "Dead cards").

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;

use super::ops::{Answer, Then};
use super::outcome::Edit;
use super::owner::commanded;
use super::owner_command::OwnerCommand;
use super::reader::page;
use super::{Agent, Cx};
use crate::agent::card::{DeadCard, Decision, Ending};
use crate::simplex::command::{Command, Conversation};
use crate::simplex::model::{Chat, ChatItem, Content, ItemId, MemberRole};
use crate::simplex::response::Response;
use crate::time::{Millis, UnixMillis};

/// A sent message can be edited for this long (FINDINGS 6).
const EDITABLE: Millis = Millis::secs(24 * 3600);

/// Steps of tidying.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A page of the control chat.
    Page(Box<Found>),
}

/// What the pages showed.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    cards: BTreeMap<ItemId, DeadCard>,
    approvals: BTreeMap<ItemId, Approved>,
}

/// An approver's command.
#[derive(Clone, Debug)]
struct Approved {
    command: OwnerCommand,
    by: String,
}

impl Agent {
    /// Begins to read the control chat from its end.
    pub(super) fn begin_tidy(&mut self, cx: &mut Cx<'_>) {
        self.read_control(cx, Box::default(), None);
    }

    fn read_control(&mut self, cx: &mut Cx<'_>, found: Box<Found>, before: Option<ItemId>) {
        let Some(control) = self.usable_control() else { return };
        let command = Command::Items { chat: Conversation::Group(control.group_id()), page: page(before) };
        self.command(cx, Then::Tidy(Step::Page(found)), &command);
    }

    /// A page came.
    pub(super) fn on_tidy(&mut self, cx: &mut Cx<'_>, step: Step, answer: Answer) {
        let Step::Page(mut found) = step;
        let chat = match answer {
            Ok(Response::Chat(chat)) => chat,
            Ok(_) => return,
            Err(trouble) => {
                return cx.warn(alloc::format!("old cards were not looked for: {}", trouble.text()));
            }
        };
        match found.take(&chat, cx.now.unix) {
            Some(before) => self.read_control(cx, found, Some(before)),
            None => self.end_dead_cards(cx, *found),
        }
    }

    fn end_dead_cards(&mut self, cx: &mut Cx<'_>, found: Found) {
        for (item, card) in &found.cards {
            // A card of this run is not dead.
            if self.desk.action(card.n).is_some() {
                continue;
            }
            let ending = match found.approval(*item, card) {
                Some(by) => Ending::Interrupted(Decision::Approver(by.into())),
                None => Ending::Cancelled,
            };
            let text = card.ended(&ending);
            self.edit(cx, Edit { number: card.n, item: *item, text, again: false });
        }
    }
}

impl Found {
    /// Takes a page; gives the item before which the next one is wanted.
    fn take(&mut self, chat: &Chat, now: UnixMillis) -> Option<ItemId> {
        let oldest = UnixMillis(now.0.saturating_sub(EDITABLE.0 as i64));
        let is_recent = |item: &ChatItem| item.meta.item_ts.unix().is_some_and(|at| at > oldest);
        for item in chat.chat_items.iter().filter(|item| is_recent(item)) {
            self.take_item(item);
        }
        chat.chat_items.first().filter(|item| is_recent(item)).map(|item| item.meta.item_id)
    }

    fn take_item(&mut self, item: &ChatItem) {
        if let Content::Sent(content) = &item.content
            && item.meta.item_deleted.is_none()
            && let Some(card) = DeadCard::read(&content.text)
        {
            self.cards.insert(item.meta.item_id, card);
        }
        if let Some((member, command)) = commanded(item)
            && member.member_role == MemberRole::Owner
        {
            self.approvals.insert(item.meta.item_id, Approved { command, by: member.name().into() });
        }
    }

    /// Who approved a card after it came.
    fn approval(&self, item: ItemId, card: &DeadCard) -> Option<&str> {
        let covers = |command: OwnerCommand| match command {
            OwnerCommand::Approve { chat, n } => n == card.n && (chat.is_none() || chat == card.chat),
            OwnerCommand::ApproveAll { chat } => card.chat == Some(chat) && card.can_stand(),
            OwnerCommand::Reject { .. }
            | OwnerCommand::Revoke { .. }
            | OwnerCommand::Pending
            | OwnerCommand::List
            | OwnerCommand::Unknown => false,
        };
        self.approvals
            .range((core::ops::Bound::Excluded(item), core::ops::Bound::Unbounded))
            .find(|(_, approved)| covers(approved.command))
            .map(|(_, approved)| approved.by.as_str())
    }
}
