//! Performing what was approved: one at a time in each lane, each checked again when it begins (decisions 3).

use alloc::string::{String, ToString};

use super::action::{Action, Gain, Posted, SendWork, Stage, State, Way, Work};
use super::collect::{Collector, Place};
use super::facts::Facts;
use super::lookup::{members_of, same_admission};
use super::ops::{Answer, Then, unexpected};
use super::text::{model, person};
use super::tools::input::Call as Input;
use super::{Agent, Cx};
use crate::agent::card::Card;
use crate::config::Mode;
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::command::{Command, Composed, Page};
use crate::simplex::error::ChatError;
use crate::simplex::model::{ChatInfo, GroupId, Member};
use crate::simplex::response::Response;

/// Steps of a send or leave.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The chat is read again: is it the one the card was made for?
    Identity,
    /// The members are read again: are the mentioned ones the same?
    Members,
    /// The message is being sent.
    Send,
    /// The group is being left.
    Leave,
    /// The chat is being deleted.
    Delete,
}

impl Agent {
    /// Makes an action; its card or its perform follows when its number is stored.
    pub(super) fn open_action(
        &mut self,
        cx: &Cx<'_>,
        input: Input,
        card: Card,
        chat: Option<Facts>,
        work: Work,
    ) -> u64 {
        let number = self.take_number();
        let way = match (self.config.mode, &chat, &work) {
            (Mode::Host, _, _) => Way::Host,
            (Mode::Requests, Some(facts), Work::Send(_)) if self.standing(facts).is_some() => Way::Standing,
            (Mode::Requests, _, _) => Way::Ask,
        };
        self.desk.add(Action {
            number,
            numbered: false,
            input,
            state: State::Pending,
            created: cx.now,
            way,
            posted: Posted::No,
            card,
            decided_by: None,
            approved_at: None,
            approver: None,
            calls: alloc::collections::BTreeSet::new(),
            returned: false,
            interrupted: false,
            chat,
            work,
            gain: Gain::default(),
            collector: None,
        });
        number
    }

    /// The name of the approver whose standing approval covers a send to this chat.
    pub(super) fn standing(&self, facts: &Facts) -> Option<String> {
        let control = self.usable_control().filter(|_| self.config.mode == Mode::Requests)?;
        self.approvals.covers(facts, control).map(|approval| approval.by().to_string())
    }

    /// An action's number may be seen from here on.
    pub(super) fn show_number(&mut self, cx: &mut Cx<'_>, number: u64) {
        let Some(action) = self.desk.action_mut(number) else { return };
        action.numbered = true;
        cx.log(person::action_created(number, action.card.request()));
    }

    /// An action's number is stored: its card is posted, or it is performed at once.
    pub(super) fn on_number_stored(&mut self, cx: &mut Cx<'_>, number: u64) {
        if !self.is_running() {
            return; // The stop ends it: nothing is posted or performed any more (P6).
        }
        self.show_number(cx, number);
        let Some(action) = self.desk.action(number) else { return };
        if action.state != State::Pending {
            // It ended meanwhile: its calls and the log hear of it together with its number.
            self.show_outcome(cx, number);
            return self.look_at_action(cx, number);
        }
        match action.way {
            Way::Ask => {
                self.post_card(cx, number);
                self.look_at_action(cx, number);
            }
            Way::Host => self.approve(cx, number, None),
            Way::Standing => match action.chat.as_ref().and_then(|facts| self.standing(facts)) {
                Some(by) => self.approve(cx, number, Some(by)),
                None => self.ask_instead(cx, number),
            },
        }
    }

    /// What allowed the action ended before it began: it is asked, by the card it has or a new one.
    fn ask_instead(&mut self, cx: &mut Cx<'_>, number: u64) {
        if let Some(action) = self.desk.action_mut(number) {
            action.way = Way::Ask;
            action.state = State::Pending;
            action.approved_at = None;
            action.decided_by = None;
            action.approver = None;
            if let Posted::Item(_) = action.posted {
                return self.look_at_action(cx, number);
            }
        }
        self.post_card(cx, number);
        self.look_at_action(cx, number);
    }

    /// Lets an action be performed. Whoever calls has checked that it may be.
    pub(super) fn approve(&mut self, cx: &mut Cx<'_>, number: u64, by: Option<String>) {
        let Some(action) = self.desk.action_mut(number) else { return };
        if action.state != State::Pending {
            return;
        }
        action.decided_by = by;
        action.approved_at = Some(cx.now.mono);
        action.state = State::Performing(Stage::Queued);
        let lane = action.lane();
        if self.lanes.enter(lane, number) {
            self.begin_perform(cx, number);
        }
        self.look_at_action(cx, number);
    }

    /// The action's turn has come.
    fn begin_perform(&mut self, cx: &mut Cx<'_>, number: u64) {
        let Some(action) = self.desk.action(number).filter(|action| !action.is_final()) else {
            return self.next_in_lane(cx, number);
        };
        if !self.is_running() {
            return; // The stop ends it (P6).
        }
        if !self.may_begin(action.number) {
            self.ask_instead(cx, number);
            return self.next_in_lane(cx, number);
        }
        let Some(action) = self.desk.action_mut(number) else { return };
        action.state = State::Performing(Stage::Running);
        match (&action.work, &action.chat) {
            (Work::Connect(_), _) => self.begin_connect(cx, number),
            (Work::Send(_) | Work::Leave, Some(facts)) => {
                let command = Command::Items { chat: facts.chat().into(), page: Page::Last { count: 1 } };
                self.command(cx, Then::Perform(number, Step::Identity), &command);
            }
            (Work::Send(_) | Work::Leave, None) => debug_assert!(false, "action {number} has no chat"),
        }
    }

    /// Whether what lets an action be performed still holds (decisions 3).
    fn may_begin(&self, number: u64) -> bool {
        let Some(action) = self.desk.action(number) else { return false };
        match action.way {
            Way::Host => true,
            Way::Standing => action.chat.as_ref().is_some_and(|facts| self.standing(facts).is_some()),
            // Whoever approved it may have stopped being an approver while it waited for its turn.
            Way::Ask => self.usable_control().is_some_and(|control| {
                action.approver.as_ref().is_some_and(|(id, member)| control.approver(*id, member).is_some())
            }),
        }
    }

    fn next_in_lane(&mut self, cx: &mut Cx<'_>, number: u64) {
        let Some(lane) = self.desk.action(number).map(Action::lane) else { return };
        if let Some(next) = self.lanes.leave(&lane, number) {
            self.begin_perform(cx, next);
        }
    }

    /// A step of a send or leave ended.
    pub(super) fn on_perform(&mut self, cx: &mut Cx<'_>, number: u64, step: Step, answer: Answer) {
        if !matches!(self.desk.action(number), Some(Action { state: State::Performing(Stage::Running), .. }))
        {
            return; // The control chat was lost, or the server stopped, while it was checked.
        }
        // What was not begun before the stop is not begun after it (P6).
        let begins = matches!(step, Step::Identity | Step::Members);
        if begins && !self.is_running() {
            return;
        }
        let ended = match step {
            Step::Identity => self.on_identity(cx, number, answer),
            Step::Members => self.on_same_members(cx, number, answer),
            Step::Send => self.on_sent(cx, number, answer),
            Step::Leave => self.on_left(cx, number, answer),
            Step::Delete => self.on_deleted(cx, number, answer),
        };
        if let Err(error) = ended {
            self.end_perform(cx, number, State::Failed(error));
        }
    }

    /// The chat was read again (P11).
    fn on_identity(&mut self, cx: &mut Cx<'_>, number: u64, answer: Answer) -> Result<(), String> {
        let found = self.existing(answer).map_err(|trouble| trouble.text())?;
        let Some(action) = self.desk.action(number) else { return Ok(()) };
        let Some(facts) =
            found.filter(|found| action.chat.as_ref().is_some_and(|was| was.identity == found.identity))
        else {
            return Err(model::CHAT_GONE.into());
        };
        match action.work.clone() {
            Work::Send(work) => {
                if !same_admission(action.chat.as_ref().and_then(|was| was.admission), facts.admission) {
                    return Err(model::ADMISSION_CHANGED.into());
                }
                match (work.mentions.is_empty(), facts.chat()) {
                    (false, ChatRef::Group(group)) => {
                        let command = Command::Members(GroupId::new(group));
                        self.command(cx, Then::Perform(number, Step::Members), &command);
                    }
                    _ => self.send(cx, number, work),
                }
            }
            Work::Leave => self.leave(cx, number, &facts),
            Work::Connect(_) => {}
        }
        Ok(())
    }

    /// A mentioned member has to be the one on the card: rows are given again (FINDINGS, "Most important" 1).
    fn on_same_members(&mut self, cx: &mut Cx<'_>, number: u64, answer: Answer) -> Result<(), String> {
        let members = members_of(answer)?;
        let Some(Work::Send(work)) = self.desk.action(number).map(|action| action.work.clone()) else {
            return Ok(());
        };
        let is = |member: &Member, name: &str, id: &str| member.member_id == id && member.name() == name;
        for (name, row, id) in &work.mentions {
            if !members.iter().any(|member| member.group_member_id == *row && is(member, name, id)) {
                let chat = self.desk.action(number).and_then(|action| action.chat.as_ref().map(Facts::chat));
                return Err(chat.map(|chat| model::no_member(chat, row.number())).unwrap_or_default());
            }
        }
        self.send(cx, number, work);
        Ok(())
    }

    fn send(&mut self, cx: &mut Cx<'_>, number: u64, work: SendWork) {
        // The standing approval may have been revoked while the chat was read again (P1).
        if !self.may_begin(number) {
            self.ask_instead(cx, number);
            return self.next_in_lane(cx, number);
        }
        if let Some(action) = self.desk.action_mut(number) {
            // Replies may come before the response that tells the item they are to follow.
            action.collector = action.chat.as_ref().map(|facts| Collector::new(Place::own(facts), None));
        }
        let message = Composed {
            text: work.text,
            mentions: work.mentions.into_iter().map(|(name, row, _)| (name, row)).collect(),
            quoted: work.quoted,
        };
        let command = Command::Send { chat: work.conversation, live: false, messages: alloc::vec![message] };
        self.command(cx, Then::Perform(number, Step::Send), &command);
    }

    fn on_sent(&mut self, cx: &mut Cx<'_>, number: u64, answer: Answer) -> Result<(), String> {
        let Some(action) = self.desk.action_mut(number) else { return Ok(()) };
        let item = match answer {
            Ok(Response::NewItems(items)) => items.first().map(|item| item.chat_item.meta.item_id),
            Ok(other) => return Err(unexpected("send", &other).text()),
            Err(trouble) => {
                let chat = action.chat.as_ref().map(Facts::chat);
                return Err(refused_send(trouble.error(), chat).unwrap_or_else(|| trouble.text()));
            }
        };
        let Some(item) = item else {
            return Err("The SimpleX core sent the message and did not say which one it is.".into());
        };
        if let Some(collector) = &mut action.collector {
            collector.start_after(item);
        }
        action.gain.sent = Some((item, cx.now.mono));
        self.end_perform(cx, number, State::Done);
        Ok(())
    }

    fn leave(&mut self, cx: &mut Cx<'_>, number: u64, facts: &Facts) {
        match facts.chat() {
            ChatRef::Group(group) if facts.must_leave => {
                let command = Command::Leave(GroupId::new(group));
                self.command(cx, Then::Perform(number, Step::Leave), &command);
            }
            ChatRef::Group(_) => self.delete_chat(cx, number, facts.chat(), false),
            ChatRef::Contact(_) => self.delete_chat(cx, number, facts.chat(), true),
        }
    }

    fn delete_chat(&mut self, cx: &mut Cx<'_>, number: u64, chat: ChatRef, notify: bool) {
        let command = Command::Delete { chat: chat.into(), notify };
        self.command(cx, Then::Perform(number, Step::Delete), &command);
    }

    fn on_left(&mut self, cx: &mut Cx<'_>, number: u64, answer: Answer) -> Result<(), String> {
        answer.map_err(|trouble| trouble.text())?;
        if let Some(chat) = self.desk.action(number).and_then(|action| action.chat.as_ref().map(Facts::chat))
        {
            self.delete_chat(cx, number, chat, false);
        }
        Ok(())
    }

    fn on_deleted(&mut self, cx: &mut Cx<'_>, number: u64, answer: Answer) -> Result<(), String> {
        answer.map_err(|trouble| trouble.text())?;
        let facts = self.desk.action(number).and_then(|action| action.chat.clone());
        self.end_perform(cx, number, State::Done);
        if let Some(facts) = facts {
            self.on_chat_deleted(cx, &facts, number);
        }
        Ok(())
    }

    /// The agent deleted a chat: its standing approval is gone, and what was asked for it fails (decisions 10).
    fn on_chat_deleted(&mut self, cx: &mut Cx<'_>, facts: &Facts, by: u64) {
        self.approvals.remove(facts.chat());
        if self.disk.known_as.remove(&facts.identity.key()).is_some() {
            self.store_disk(cx);
        }
        let pending = self.desk.numbers(|action| {
            action.number != by
                && action.state == State::Pending
                && action.chat.as_ref().is_some_and(|chat| chat.identity == facts.identity)
        });
        for number in pending {
            self.end_pending(cx, number, State::Failed(model::CHAT_GONE.into()));
        }
    }

    /// A peer deleted its contact or the group: nothing can be sent there any more, leaving still works.
    pub(super) fn on_chat_closed(&mut self, cx: &mut Cx<'_>, info: &ChatInfo) {
        let Some(facts) = Facts::of(info) else { return };
        let pending = self.desk.numbers(|action| {
            action.state == State::Pending
                && matches!(action.work, Work::Send(_))
                && action.chat.as_ref().is_some_and(|chat| chat.identity == facts.identity)
        });
        for number in pending {
            self.end_pending(cx, number, State::Failed(model::not_connected(facts.chat())));
        }
    }

    /// A perform ended: the action is final, its card shows it, its calls get it, the next in its lane begins.
    pub(super) fn end_perform(&mut self, cx: &mut Cx<'_>, number: u64, state: State) {
        let Some(action) = self.desk.action_mut(number) else { return };
        let lane = action.lane();
        if action.finish(state) {
            self.show_outcome(cx, number);
            self.look_at_action(cx, number);
        }
        if let Some(next) = self.lanes.leave(&lane, number) {
            self.begin_perform(cx, next);
        }
    }
}

/// A refusal of a send whose shape tells what the tool's own error says (decisions 10, "Refusals have odd names").
fn refused_send(error: Option<&ChatError>, chat: Option<ChatRef>) -> Option<String> {
    let (error, chat) = (error?, chat?);
    if error.is_not_current_member() || error.is_contact_not_ready() {
        return Some(model::not_connected(chat));
    }
    error.required_role().map(|_| model::role_too_low("observer", chat))
}
