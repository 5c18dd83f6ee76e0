//! The `list` tool: the agent's chats with their unread messages, and the actions without a result.
//!
//! The core's `unreadCount` counts items that are no messages (FINDINGS 6), so the chats that have any are read.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::call::{Answered, Stage, json};
use super::connect::ALL_CHATS;
use super::facts::Facts;
use super::ops::{Answer, Then, unexpected};
use super::reader::{Unread, page};
use super::tools::result::{Action as ListedAction, Chat as ListedChat, ListResult};
use super::{Agent, Cx};
use crate::id::CallId;
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::command::Command;
use crate::simplex::response::Response;

/// Steps of a `list`.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The chats are read.
    Chats,
    /// The unread messages of one chat are read; the others wait.
    Unread(Box<Listing>),
}

/// A `list` under way.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    chats: Vec<Facts>,
    unread: BTreeMap<ChatRef, u64>,
    /// Chats whose unread messages are not counted yet, the last first.
    to_read: Vec<Facts>,
    reading: Option<Unread>,
}

impl Agent {
    /// Begins a `list`.
    pub(super) fn begin_list(&mut self, cx: &mut Cx<'_>, call: CallId) {
        let command = Command::Chats { user: self.user_id(), count: ALL_CHATS };
        self.command(cx, Then::List(call, Step::Chats), &command);
    }

    /// A step of a `list` ended.
    pub(super) fn on_list(&mut self, cx: &mut Cx<'_>, call: CallId, step: Step, answer: Answer) {
        if !self.calls.get(&call).is_some_and(|open| matches!(open.stage, Stage::Looking)) {
            return;
        }
        let response = match answer {
            Ok(response) => response,
            Err(trouble) => return self.refuse(cx, call, trouble.text()),
        };
        match (step, response) {
            (Step::Chats, Response::Chats(chats)) => {
                let mut all = Vec::new();
                let mut to_read = Vec::new();
                for chat in &chats {
                    let Some(facts) =
                        Facts::of(&chat.chat_info).filter(|facts| !self.is_control(facts.chat()))
                    else {
                        continue;
                    };
                    // The count tells nothing of an admission chat.
                    if chat.chat_stats.unread_count > 0 || facts.admission.is_some() {
                        to_read.push(facts.clone());
                    }
                    all.push(facts);
                }
                let listing = Listing { chats: all, unread: BTreeMap::new(), to_read, reading: None };
                self.go_on_listing(cx, call, Box::new(listing));
            }
            (Step::Unread(mut listing), Response::Chat(chat)) => {
                let Some(mut unread) = listing.reading.take() else { return };
                if let Some(before) = unread.take(cx.now, &chat, &self.reader) {
                    let command =
                        Command::Items { chat: unread.facts().conversation(), page: page(Some(before)) };
                    listing.reading = Some(unread);
                    return self.command(cx, Then::List(call, Step::Unread(listing)), &command);
                }
                let deleted = unread.take_deleted();
                self.mark_deleted_read(cx, unread.facts().conversation(), deleted);
                listing.unread.insert(unread.facts().chat(), unread.count());
                self.go_on_listing(cx, call, listing);
            }
            (_, other) => self.refuse(cx, call, unexpected("list", &other).text()),
        }
    }

    fn go_on_listing(&mut self, cx: &mut Cx<'_>, call: CallId, mut listing: Box<Listing>) {
        let Some(facts) = listing.to_read.pop() else { return self.end_list(cx, call, &listing) };
        let command = Command::Items { chat: facts.conversation(), page: page(None) };
        listing.reading = Some(Unread::new(facts, &self.reader));
        self.command(cx, Then::List(call, Step::Unread(listing)), &command);
    }

    fn end_list(&mut self, cx: &mut Cx<'_>, call: CallId, listing: &Listing) {
        let chats = listing.chats.iter().map(|facts| ListedChat {
            chat: facts.chat(),
            chat_type: facts.peer.chat_type,
            name: facts.peer.name.clone(),
            simplex_name: facts.peer.simplex_name.clone(),
            peer_type: facts.peer.peer_type.as_ref().map(ToString::to_string),
            incognito: facts.incognito,
            known_as: self.known_as(facts),
            connected: facts.connected,
            admission: facts.admission,
            unread: listing.unread.get(&facts.chat()).copied().unwrap_or(0),
            approved: self.standing(facts).is_some(),
        });
        let actions = self.desk.actions().filter(|action| action.numbered && !action.returned);
        let actions = actions.map(|action| ListedAction {
            action: action.number,
            tool: action.input.tool(),
            input: action.input.clone(),
            state: action.listed_state(),
            open: !action.calls.is_empty(),
        });
        let result = ListResult { chats: chats.collect(), actions: actions.collect() };
        self.answer(cx, call, json(&result), Answered::default());
    }
}
