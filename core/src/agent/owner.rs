//! Owner commands: who may give one, what it does, what is replied (plan, "Commands", `ownerCommand`; decisions 10).
//!
//! Commands run one at a time, in the order of their arrival: one that writes is waited for before the next begins.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::action::{Action, State};
use super::approvals::Approval;
use super::call::LONGEST_LOOK;
use super::connect::ALL_CHATS;
use super::control::Person;
use super::facts::Facts;
use super::ops::{Answer, Then, unexpected};
use super::owner_command::{self, OwnerCommand};
use super::text::{owner as text, person};
use super::{Agent, Cx};
use crate::config::{Mode, Owners};
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::command::{Command, Page};
use crate::simplex::model::{
    ChatDir, ChatItem, GroupMemberId, ItemId, Member, MemberRole, MsgKind, Timestamp, Verified,
};
use crate::simplex::response::Response;
use crate::time::Millis;

/// At most one `Commands:` reply to a member in this time (decisions 10).
const HELP_EVERY: Millis = Millis::secs(10);

/// Items remembered against events that come twice.
const REMEMBERED: usize = 100;

/// The commands that wait, and the one under way.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnerQueue {
    waiting: VecDeque<Given>,
    /// The step under way, and when it began.
    busy: Option<(Ticket, Millis)>,
    last: Ticket,
    /// Live messages of members: a command at their final update.
    live: BTreeSet<ItemId>,
    /// The items taken last: an event may come twice, a command is given once.
    taken: BTreeSet<ItemId>,
    helped: BTreeMap<GroupMemberId, Millis>,
}

/// Which step of a command an operation is of: one that was given up ends no later step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ticket(u64);

/// A message that starts with `/`.
#[derive(Clone, Debug)]
struct Given {
    command: OwnerCommand,
    sender: GroupMemberId,
    member_id: String,
    /// The role the message was sent with.
    as_owner: bool,
    /// The sender was an approver when it came.
    by_approver: bool,
    /// The action it answers was asking when it came (P1).
    asked: bool,
    at: Timestamp,
}

impl OwnerQueue {
    /// A live message was deleted.
    pub(super) fn forget_live(&mut self, item: ItemId) {
        self.live.remove(&item);
    }

    /// Whether the queue waits for this step.
    pub(super) fn waits_for(&self, ticket: Ticket) -> bool {
        self.busy.is_some_and(|(busy, _)| busy == ticket)
    }

    /// When the step under way is given up.
    pub(super) fn due(&self) -> Option<Millis> {
        self.busy.map(|(_, since)| since + LONGEST_LOOK)
    }

    /// Begins a step.
    fn begin(&mut self, now: Millis, step: Step) -> Then {
        self.last = Ticket(self.last.0.saturating_add(1));
        self.busy = Some((self.last, now));
        Then::Owner(self.last, step)
    }
}

/// Steps of a command.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The chat of an `/approve CHAT all` is read.
    Chat(ChatRef, Box<Standing>),
    /// A new standing approval is being stored.
    Stored(Box<Approval>, Box<Facts>),
    /// The chat of a `/revoke` is read.
    RevokedChat(Box<Approval>),
    /// The removal of a standing approval is being stored.
    Revoked(Option<Box<Facts>>, ChatRef),
    /// The chats are read for `/list`.
    Chats,
    /// The reply is being posted.
    Reply,
}

/// Who gives a standing approval, and when.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    by: Person,
    at: Timestamp,
}

impl Agent {
    /// A new item in the main scope of the control chat (P13: nothing else gives a command).
    pub(super) fn on_control_item(&mut self, cx: &mut Cx<'_>, item: &ChatItem) {
        if item.meta.item_live {
            self.owner.live.insert(item.meta.item_id);
        } else {
            self.take_command(cx, item);
        }
    }

    /// An item there was changed: only the end of a live message counts, no edit does.
    pub(super) fn on_control_update(&mut self, cx: &mut Cx<'_>, item: &ChatItem) {
        if !item.meta.item_live && self.owner.live.remove(&item.meta.item_id) {
            self.take_command(cx, item);
        }
    }

    fn take_command(&mut self, cx: &mut Cx<'_>, item: &ChatItem) {
        let Some(mut given) = given(item) else { return };
        if !self.owner.taken.insert(item.meta.item_id) {
            return;
        }
        if self.owner.taken.len() > REMEMBERED {
            self.owner.taken.pop_first();
        }
        // It may wait for the commands before it: what counts is who the sender was, and what was asked, when it came.
        given.by_approver = self.approver(&given).is_some();
        given.asked = match given.command {
            OwnerCommand::Approve { n, .. } | OwnerCommand::Reject { n, .. } => {
                self.desk.action(n).is_some_and(Action::is_askable)
            }
            _ => true,
        };
        self.owner.waiting.push_back(given);
        self.next_command(cx);
    }

    /// Begins the next command when none is under way.
    fn next_command(&mut self, cx: &mut Cx<'_>) {
        while self.owner.busy.is_none() {
            let Some(given) = self.owner.waiting.pop_front() else { return };
            if !self.is_running() {
                continue; // Nothing begins after the stop did (P6).
            }
            // Expiry comes before the command: an action whose time has passed can't be approved.
            self.expire(cx);
            self.run_command(cx, given);
        }
    }

    fn run_command(&mut self, cx: &mut Cx<'_>, given: Given) {
        if given.command == OwnerCommand::Unknown {
            return self.reply_help(cx, given.sender);
        }
        let Some(by) = self.approver(&given).filter(|_| given.by_approver).cloned() else {
            return self.reply_no_approver(cx);
        };
        match given.command {
            OwnerCommand::Approve { n, .. } | OwnerCommand::Reject { n, .. } if !given.asked => {
                self.reply(cx, text::not_pending(n));
            }
            OwnerCommand::Approve { chat, n } => self.on_approve(cx, &by, chat, n),
            OwnerCommand::Reject { chat, n } => self.on_reject(cx, &by, chat, n),
            OwnerCommand::ApproveAll { chat } => self.on_approve_all(cx, by, chat, given.at),
            OwnerCommand::Revoke { chat } => self.on_revoke(cx, chat),
            OwnerCommand::Pending => self.reply_pending(cx),
            OwnerCommand::List => {
                let command = Command::Chats { user: self.user_id(), count: ALL_CHATS };
                self.owner_step(cx, Step::Chats, &command);
            }
            OwnerCommand::Unknown => {}
        }
    }

    /// The sender of a command, while an approver.
    fn approver(&self, given: &Given) -> Option<&Person> {
        let control = self.control.as_ref().filter(|_| given.as_owner)?;
        control.approver(given.sender, &given.member_id)
    }

    /// Posts a reply; the next command waits until it is posted.
    fn reply(&mut self, cx: &mut Cx<'_>, reply: String) {
        let then = self.owner.begin(cx.now.mono, Step::Reply);
        self.post(cx, then, reply);
    }

    /// Sends a command of the one under way; the next waits until it is answered.
    fn owner_step(&mut self, cx: &mut Cx<'_>, step: Step, command: &Command) {
        let then = self.owner.begin(cx.now.mono, step);
        self.command(cx, then, command);
    }

    fn reply_no_approver(&mut self, cx: &mut Cx<'_>) {
        let anyone = self.config.owners == Owners::Anyone;
        self.reply(cx, if anyone { text::ONLY_OWNERS } else { text::ONLY_LISTED_OWNERS }.into());
    }

    fn reply_help(&mut self, cx: &mut Cx<'_>, sender: GroupMemberId) {
        let now = cx.now.mono;
        if self.owner.helped.get(&sender).is_some_and(|at| now < *at + HELP_EVERY) {
            return;
        }
        self.owner.helped.retain(|_, at| now < *at + HELP_EVERY);
        self.owner.helped.insert(sender, now);
        self.reply(cx, text::COMMANDS.into());
    }

    /// The action a command names, when it can be answered; otherwise the reply.
    fn answerable(&self, chat: Option<ChatRef>, n: u64) -> Result<u64, String> {
        let action =
            self.desk.action(n).filter(|action| action.is_askable()).ok_or_else(|| text::not_pending(n))?;
        match chat {
            Some(chat) if action.chat.as_ref().map(Facts::chat) != Some(chat) => Err(text::not_for(n, chat)),
            _ => Ok(n),
        }
    }

    fn on_approve(&mut self, cx: &mut Cx<'_>, by: &Person, chat: Option<ChatRef>, n: u64) {
        match self.answerable(chat, n) {
            Ok(n) => self.approve_by(cx, n, (by.id, by.member_id.clone()), &by.name),
            Err(reply) => self.reply(cx, reply),
        }
    }

    /// An approver's decision about one action.
    fn approve_by(&mut self, cx: &mut Cx<'_>, n: u64, approver: (GroupMemberId, String), name: &str) {
        if let Some(action) = self.desk.action_mut(n) {
            action.approver = Some(approver);
        }
        self.approve(cx, n, Some(name.into()));
    }

    fn on_reject(&mut self, cx: &mut Cx<'_>, by: &Person, chat: Option<ChatRef>, n: u64) {
        match self.answerable(chat, n) {
            Ok(n) => {
                if let Some(action) = self.desk.action_mut(n) {
                    action.decided_by = Some(by.name.clone());
                }
                self.end_pending(cx, n, State::Rejected);
            }
            Err(reply) => self.reply(cx, reply),
        }
    }

    fn on_approve_all(&mut self, cx: &mut Cx<'_>, by: Person, chat: ChatRef, at: Timestamp) {
        if self.config.mode == Mode::Host {
            return self.reply(cx, text::MODE_HOST.into());
        }
        let step = Step::Chat(chat, Box::new(Standing { by, at }));
        self.owner_step(cx, step, &Command::Items { chat: chat.into(), page: Page::Last { count: 1 } });
    }

    fn on_revoke(&mut self, cx: &mut Cx<'_>, chat: ChatRef) {
        // It counts from here on, whatever the write says.
        let Some(approval) = self.approvals.remove(chat) else {
            return self.reply(cx, text::not_approved(chat));
        };
        let step = Step::RevokedChat(Box::new(approval));
        self.owner_step(cx, step, &Command::Items { chat: chat.into(), page: Page::Last { count: 1 } });
    }

    fn reply_pending(&mut self, cx: &mut Cx<'_>) {
        let expiry = self.config.expiry();
        let pending = self.desk.actions().filter(|action| action.is_askable());
        let reply = text::pending(
            pending.map(|action| (action.number, action.card.request(), action.created.unix.plus(expiry))),
        );
        self.reply(cx, reply);
    }

    /// A step of a command ended.
    pub(super) fn on_owner(&mut self, cx: &mut Cx<'_>, ticket: Ticket, step: Step, answer: Answer) {
        if !self.owner.waits_for(ticket) {
            return self.on_owner_late(cx, step, answer);
        }
        self.owner.busy = None;
        match step {
            Step::Chat(chat, standing) => self.on_chat_to_approve(cx, chat, &standing, answer),
            Step::Stored(approval, facts) => self.on_approval_stored(cx, *approval, &facts, answer),
            Step::RevokedChat(approval) => self.on_chat_to_revoke(cx, &approval, answer),
            Step::Revoked(facts, chat) => self.on_revocation_stored(cx, facts.as_deref(), chat, answer),
            Step::Chats => self.reply_list(cx, answer),
            Step::Reply => {
                if let Err(trouble) = answer {
                    cx.warn(person::not_posted(&trouble.text()));
                }
            }
        }
        self.next_command(cx);
        self.look_at_stop(cx);
    }

    /// A step that the core does not acknowledge is given up, so that it holds no later command.
    pub(super) fn give_up_owner_step(&mut self, cx: &mut Cx<'_>) {
        if self.owner.due().is_none_or(|due| cx.now.mono < due) {
            return;
        }
        let Some((ticket, _)) = self.owner.busy.take() else { return };
        let step = self.ops.open().find_map(|then| match then {
            Then::Owner(own, step) if *own == ticket => Some(step.clone()),
            _ => None,
        });
        match step {
            Some(Step::Reply) | None => cx.warn(person::not_posted(text::NO_ANSWER)),
            Some(step) => {
                self.take_back(cx, &step);
                self.reply_error(cx, text::NO_ANSWER);
            }
        }
        self.next_command(cx);
    }

    /// An approval that may be stored although its approver is told that it failed.
    fn take_back(&mut self, cx: &mut Cx<'_>, step: &Step) {
        if let Step::Stored(approval, _) = step
            && !self.approvals.has(approval.chat.chat)
        {
            self.drop_approval(cx, approval);
        }
    }

    /// The answer of a step that was given up. Its approver was told that it failed: what it stored is taken back, and
    /// what it was to take back is.
    fn on_owner_late(&mut self, cx: &mut Cx<'_>, step: Step, answer: Answer) {
        if !self.is_running() {
            return;
        }
        match step {
            Step::RevokedChat(approval) if !self.approvals.has(approval.chat.chat) => {
                let found = self.existing(answer).ok().flatten();
                if found.is_some_and(|facts| facts.identity == approval.chat) {
                    self.drop_approval(cx, &approval);
                }
            }
            step => self.take_back(cx, &step),
        }
    }

    fn on_chat_to_approve(&mut self, cx: &mut Cx<'_>, chat: ChatRef, standing: &Standing, answer: Answer) {
        let facts = match self.existing(answer) {
            Ok(Some(facts)) => facts,
            Ok(None) => return self.reply(cx, text::no_chat(chat)),
            Err(trouble) => return self.reply_error(cx, &trouble.text()),
        };
        // A number may have come to name another chat since the owner read it (decisions 10).
        if !is_before(&facts.created, &standing.at) {
            return self.reply(cx, text::new_chat(chat));
        }
        // The approver may have stopped being one while the chat was read.
        let control = self
            .usable_control()
            .filter(|control| control.approver(standing.by.id, &standing.by.member_id).is_some());
        let Some(control) = control else {
            return self.reply_no_approver(cx);
        };
        let approval = Approval::new(&facts, &standing.by, control, cx.now.unix);
        let command = Command::SetCustomData { chat: chat.into(), data: Some(approval.custom_data()) };
        self.owner_step(cx, Step::Stored(Box::new(approval), Box::new(facts)), &command);
    }

    fn on_approval_stored(&mut self, cx: &mut Cx<'_>, approval: Approval, facts: &Facts, answer: Answer) {
        if let Err(trouble) = answer {
            return self.reply_error(cx, &trouble.text());
        }
        let (by, approver) = (approval.by().to_string(), approval.approver());
        if !self.usable_control().is_some_and(|control| approval.stands(control)) {
            // The approver stopped being one while it was stored: it never applied.
            return self.drop_approval(cx, &approval);
        }
        self.approvals.set(approval);
        for number in self.desk.askable_sends(facts.chat()) {
            let covered =
                self.desk.action(number).and_then(|action| action.chat.as_ref()).is_some_and(|chat| {
                    chat.identity == facts.identity && chat.admission.is_some() == facts.admission.is_some()
                });
            if covered {
                self.approve_by(cx, number, approver.clone(), &by);
            }
        }
        self.reply(cx, text::approved(&facts.named(), facts.admission.is_some(), &by));
    }

    fn on_chat_to_revoke(&mut self, cx: &mut Cx<'_>, approval: &Approval, answer: Answer) {
        let chat = approval.chat.chat;
        let facts = self.existing(answer).ok().flatten().filter(|facts| facts.identity == approval.chat);
        let command = Command::SetCustomData { chat: chat.into(), data: approval.custom_data_without() };
        match facts {
            Some(facts) => self.owner_step(cx, Step::Revoked(Some(Box::new(facts)), chat), &command),
            None => self.reply(cx, text::not_approved(chat)),
        }
    }

    fn on_revocation_stored(
        &mut self,
        cx: &mut Cx<'_>,
        facts: Option<&Facts>,
        chat: ChatRef,
        answer: Answer,
    ) {
        match (answer, facts) {
            (Ok(_), Some(facts)) => self.reply(cx, text::revoked(&facts.named())),
            (Ok(_), None) => self.reply(cx, text::not_approved(chat)),
            (Err(trouble), _) => self.reply_error(cx, &trouble.text()),
        }
    }

    fn reply_error(&mut self, cx: &mut Cx<'_>, error: &str) {
        self.reply(cx, super::text::shown::error(error, crate::agent::card::LIMIT));
    }

    /// Removes a standing approval from a chat's custom data.
    pub(super) fn drop_approval(&mut self, cx: &mut Cx<'_>, approval: &Approval) {
        let chat = approval.chat.chat;
        let command = Command::SetCustomData { chat: chat.into(), data: approval.custom_data_without() };
        self.command(cx, Then::Note("a standing approval was not removed"), &command);
    }

    /// Standing approvals whose approver stopped being one end, and never revive (decisions 10).
    pub(super) fn drop_fallen_approvals(&mut self, cx: &mut Cx<'_>) {
        let Some(control) = &self.control else { return };
        for approval in self.approvals.take_fallen(control) {
            self.drop_approval(cx, &approval);
        }
    }

    fn reply_list(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        let chats = match answer {
            Ok(Response::Chats(chats)) => chats,
            Ok(other) => return self.reply_error(cx, &unexpected("/list", &other).text()),
            Err(trouble) => return self.reply_error(cx, &trouble.text()),
        };
        let all: Vec<Facts> = chats
            .iter()
            .filter_map(|chat| Facts::of(&chat.chat_info))
            .filter(|facts| !self.is_control(facts.chat()))
            .collect();
        let approved: Vec<Option<String>> =
            all.iter().take(text::LIST_CHATS).map(|facts| self.standing(facts)).collect();
        let listed = all.iter().zip(&approved).map(|(facts, by)| text::ListedChat {
            chat: facts.chat(),
            peer: &facts.peer,
            approved_by: by.as_deref(),
            connected: facts.connected,
        });
        let reply = text::list(listed, all.len().saturating_sub(text::LIST_CHATS));
        self.reply(cx, reply);
    }
}

/// The command that a new item gives, by the rules of decisions 10 (P13).
fn given(item: &ChatItem) -> Option<Given> {
    let (member, command) = commanded(item)?;
    let meta = &item.meta;
    if meta.item_deleted.is_some() {
        return None;
    }
    Some(Given {
        command,
        sender: member.group_member_id,
        member_id: member.member_id.clone(),
        as_owner: member.member_role == MemberRole::Owner,
        by_approver: false,
        asked: false,
        at: meta.item_ts.clone(),
    })
}

/// A command in a member's own new words: a text, not forwarded, not passed on by another member on its word alone, no
/// edit.
pub(super) fn commanded(item: &ChatItem) -> Option<(&Member, OwnerCommand)> {
    let ChatDir::GroupRcv(member) = &item.chat_dir else { return None };
    let content = item.received().filter(|content| content.kind == MsgKind::Text)?;
    let meta = &item.meta;
    let by_another = meta.forwarded_by_member.is_some() && meta.msg_verified != Some(Verified::Verified);
    if meta.is_forwarded || by_another || meta.item_edited {
        return None;
    }
    Some((member, owner_command::parse(&content.text)?))
}

/// Whether a chat was created before a command, by whole seconds: received times have no more (FINDINGS 5).
fn is_before(created: &Timestamp, command: &Timestamp) -> bool {
    let seconds = |time: &Timestamp| time.unix().map(|unix| unix.0.div_euclid(1000));
    matches!((seconds(created), seconds(command)), (Some(created), Some(command)) if created < command)
}
