//! What is read before a `send`, `leave` or `receive` becomes an action or a result, and the checks on the way, in
//! the order of decisions 4: attach, stopping, lost, chat, the tool's own in the order of its inputs, limits, card,
//! approver.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::action::{SendWork, Work};
use super::call::Stage;
use super::facts::Facts;
use super::ops::{Answer, Then, Trouble, unexpected};
use super::text::model;
use super::tools::input::{Call as Input, SendInput};
use super::tools::result::Admission;
use super::{Agent, Cx};
use crate::agent::card::{Card, Leave, Quote, Request, Send, TooLong};
use crate::id::CallId;
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::command::{Command, Page};
use crate::simplex::model::{Chat, ChatItem, Content, GroupMemberId, ItemId, Member};
use crate::simplex::response::Response;
use crate::simplex::{name, size};

/// Steps of a look-up.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The chat of the call is read.
    Chat,
    /// The quoted item is read.
    Quote(Box<Draft>),
    /// The members are read.
    Members(Box<Draft>),
    /// A connect: the agent's chats are read.
    Chats,
    /// A connect: the target is planned.
    Plan,
}

/// A send on its way to its card.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    facts: Facts,
    quote: Option<Quote>,
    mentions: Vec<(String, GroupMemberId, String)>,
}

impl Agent {
    /// Reads the chat of a call.
    pub(super) fn look_up_chat(&mut self, cx: &mut Cx<'_>, call: CallId) {
        let Some(chat) = self.calls.get(&call).and_then(|open| chat_of(&open.input)) else { return };
        let command = Command::Items { chat: chat.into(), page: Page::Last { count: 1 } };
        self.command(cx, Then::Lookup(call, Step::Chat), &command);
    }

    /// A step of a look-up ended.
    pub(super) fn on_lookup(&mut self, cx: &mut Cx<'_>, call: CallId, step: Step, answer: Answer) {
        if matches!(step, Step::Plan) {
            self.budget.give_back();
            self.begin_plans(cx);
        }
        // A call that was given up, or whose client left, takes no late answer.
        let Some(open) = self.calls.get(&call).filter(|open| matches!(open.stage, Stage::Looking)) else {
            return;
        };
        let input = open.input.clone();
        let ended = match (step, input) {
            (Step::Chat, input) => self.on_chat(cx, call, &input, answer),
            (Step::Quote(draft), Input::Send(input)) => self.on_quote(cx, call, &input, *draft, answer),
            (Step::Members(draft), Input::Send(input)) => self.on_members(cx, call, &input, *draft, answer),
            (Step::Chats, Input::Connect(input)) => self.on_chats(cx, call, &input, answer),
            (Step::Plan, Input::Connect(input)) => self.on_plan(cx, call, &input, answer),
            _ => Ok(()),
        };
        if let Err(reason) = ended {
            self.refuse(cx, call, reason);
        }
    }

    fn on_chat(
        &mut self,
        cx: &mut Cx<'_>,
        call: CallId,
        input: &Input,
        answer: Answer,
    ) -> Result<(), String> {
        let Some(chat) = chat_of(input) else { return Ok(()) };
        let facts = self.existing(answer).map_err(|trouble| trouble.text())?;
        let no_chat = || model::no_chat(chat);
        if matches!(input, Input::Receive(_)) {
            self.begin_receive(cx, call, facts.ok_or_else(no_chat)?);
            return Ok(());
        }
        if let Some(action) = self.desk.attach(input, facts.as_ref()) {
            self.attach(cx, call, action);
            return Ok(());
        }
        self.may_create()?;
        let facts = facts.ok_or_else(no_chat)?;
        match input {
            Input::Send(input) => self.check_send(cx, call, input, facts),
            Input::Leave(_) => {
                let request = Request::Leave(Leave { chat: facts.named() });
                self.create(cx, call, request, Some(facts), Work::Leave)
            }
            Input::Connect(_) | Input::Receive(_) | Input::List {} => Ok(()),
        }
    }

    /// The chat of an answer; none when there is none, when it is the control chat, or the profile's own contact.
    pub(super) fn existing(&self, answer: Answer) -> Result<Option<Facts>, Trouble> {
        match answer {
            Ok(Response::Chat(chat)) => {
                let own = self.user.as_ref().and_then(|user| user.user_contact_id);
                let own = own.map(|contact| ChatRef::Contact(contact.number()));
                let others = |facts: &Facts| !self.is_control(facts.chat()) && own != Some(facts.chat());
                Ok(Facts::of(&chat.chat_info).filter(others))
            }
            Ok(other) => Err(unexpected("chat", &other)),
            Err(trouble) if trouble.is(|e| e.is_contact_not_found() || e.is_group_not_found()) => Ok(None),
            Err(trouble) => Err(trouble),
        }
    }

    /// Whether this is the control chat, which is none of the agent's chats (plan, "list").
    pub(super) fn is_control(&self, chat: ChatRef) -> bool {
        let control = self.control.as_ref().map(|control| ChatRef::Group(control.group_id().number()));
        control == Some(chat)
    }

    /// Whether new actions are taken at all.
    pub(super) fn may_create(&self) -> Result<(), String> {
        if self.is_stopping() {
            return Err(model::STOPPING.into());
        }
        if self.usable_control().is_none() {
            return Err(model::LOST.into());
        }
        Ok(())
    }

    fn check_send(
        &mut self,
        cx: &mut Cx<'_>,
        call: CallId,
        input: &SendInput,
        facts: Facts,
    ) -> Result<(), String> {
        can_post(&facts)?;
        let draft = Draft { facts, quote: None, mentions: Vec::new() };
        match input.reply_to {
            Some(item) => {
                let chat = draft.facts.conversation();
                let page = Page::Around { item: ItemId::new(item), count: 0 };
                let step = Then::Lookup(call, Step::Quote(Box::new(draft)));
                self.command(cx, step, &Command::Items { chat, page });
                Ok(())
            }
            None => self.read_mentioned(cx, call, input, draft),
        }
    }

    fn on_quote(
        &mut self,
        cx: &mut Cx<'_>,
        call: CallId,
        input: &SendInput,
        mut draft: Draft,
        answer: Answer,
    ) -> Result<(), String> {
        let item = input.reply_to.unwrap_or_default();
        let chat = match answer {
            Ok(Response::Chat(chat)) => chat,
            Ok(other) => return Err(unexpected("reply_to", &other).text()),
            Err(trouble) if trouble.is(|e| e.is_chat_item_not_found()) => {
                return Err(model::no_item(input.chat, item));
            }
            Err(trouble) => return Err(trouble.text()),
        };
        draft.quote = Some(quote(&chat, &draft.facts, input.chat, item, self.own_name(&draft.facts))?);
        self.read_mentioned(cx, call, input, draft)
    }

    /// The name the agent has in a chat.
    pub(super) fn own_name(&self, facts: &Facts) -> String {
        let own = || self.user.as_ref().map(|user| user.profile.display_name.clone()).unwrap_or_default();
        self.known_as(facts).unwrap_or_else(own)
    }

    /// The random profile's name of an incognito chat, as far as it is known.
    pub(super) fn known_as(&self, facts: &Facts) -> Option<String> {
        facts
            .known_as
            .clone()
            .or_else(|| self.disk.known_as.get(&facts.identity.key()).cloned().filter(|_| facts.incognito))
    }

    /// Remembers the random profile's name of a contact: no later answer of the core tells it. A group tells its own.
    pub(super) fn remember_name(&mut self, cx: &mut Cx<'_>, facts: &Facts, name: &str) {
        if facts.known_as.is_some() {
            return;
        }
        let known = self.disk.known_as.insert(facts.identity.key(), name.to_string());
        if known.as_deref() != Some(name) {
            self.store_disk(cx);
        }
    }

    fn read_mentioned(
        &mut self,
        cx: &mut Cx<'_>,
        call: CallId,
        input: &SendInput,
        draft: Draft,
    ) -> Result<(), String> {
        if input.mention.is_empty() {
            return self.finish_send(cx, call, input, draft);
        }
        let ChatRef::Group(group) = input.chat else { return Err(model::mention_in_contact(input.chat)) };
        if input.text.trim_start_matches(' ').starts_with('/') {
            return Err(model::COMMAND_WITH_MENTION.into());
        }
        let step = Then::Lookup(call, Step::Members(Box::new(draft)));
        self.command(cx, step, &Command::Members(crate::simplex::model::GroupId::new(group)));
        Ok(())
    }

    fn on_members(
        &mut self,
        cx: &mut Cx<'_>,
        call: CallId,
        input: &SendInput,
        mut draft: Draft,
        answer: Answer,
    ) -> Result<(), String> {
        let members = members_of(answer)?;
        draft.mentions = mentioned(input, &members)?;
        self.finish_send(cx, call, input, draft)
    }

    fn finish_send(
        &mut self,
        cx: &mut Cx<'_>,
        call: CallId,
        input: &SendInput,
        draft: Draft,
    ) -> Result<(), String> {
        let text = final_text(&input.text, &draft.mentions);
        fits(&text, draft.quote.as_ref(), input.chat)?;
        let facts = draft.facts;
        let request = Request::Send(Send {
            chat: facts.named(),
            incognito: facts.incognito,
            admission: facts.admission.is_some(),
            text: text.clone(),
            reply_to: draft.quote,
            mentions: draft.mentions.iter().map(|(name, _, _)| name.clone()).collect(),
        });
        let work = Work::Send(SendWork {
            conversation: facts.conversation(),
            text,
            quoted: input.reply_to.map(ItemId::new),
            mentions: draft.mentions,
        });
        self.create(cx, call, request, Some(facts), work)
    }

    /// The last checks, and the action.
    pub(super) fn create(
        &mut self,
        cx: &mut Cx<'_>,
        call: CallId,
        request: Request,
        chat: Option<Facts>,
        work: Work,
    ) -> Result<(), String> {
        let Some(open) = self.calls.get(&call) else { return Ok(()) };
        let input = open.input.clone();
        // An equal call may have made the action while this one was looking.
        if let Some(action) = self.desk.attach(&input, chat.as_ref()) {
            self.attach(cx, call, action);
            return Ok(());
        }
        self.may_create()?;
        self.desk.room()?;
        let card = Card::fit(request).map_err(|too_long| match too_long {
            TooLong::Text => model::TEXT_TOO_LONG.to_string(),
            TooLong::Message => model::MESSAGE_TOO_LONG.to_string(),
        })?;
        if !self.usable_control().is_some_and(super::control::Control::has_approver) {
            return Err(self.no_approver().into());
        }
        let number = self.open_action(cx, input, card, chat, work);
        self.attach(cx, call, number);
        self.store_counter(cx);
        Ok(())
    }

    const fn no_approver(&self) -> &'static str {
        match self.config.owners {
            crate::config::Owners::Anyone => model::NO_OWNER,
            crate::config::Owners::Nobody | crate::config::Owners::Listed(_) => model::NO_APPROVING_OWNER,
        }
    }
}

/// The chat an input names.
const fn chat_of(input: &Input) -> Option<ChatRef> {
    match input {
        Input::Send(input) => Some(input.chat),
        Input::Receive(input) => Some(input.chat),
        Input::Leave(input) => Some(input.chat),
        Input::Connect(_) | Input::List {} => None,
    }
}

/// The members of a group in which someone is mentioned.
pub(super) fn members_of(answer: Answer) -> Result<Vec<Member>, String> {
    match answer {
        Ok(Response::Members { members, .. }) => Ok(members),
        Ok(other) => Err(unexpected("mention", &other).text()),
        Err(trouble) => Err(trouble.text()),
    }
}

/// Whether the agent can post in a chat, or in its admission chat.
fn can_post(facts: &Facts) -> Result<(), String> {
    if facts.admission.is_some() {
        return Ok(());
    }
    if !facts.connected {
        return Err(model::not_connected(facts.chat()));
    }
    match &facts.role {
        Some(role) if !role.may_post() => Err(model::role_too_low(role.as_str(), facts.chat())),
        _ => Ok(()),
    }
}

/// The quoted message as the card shows it.
fn quote(chat: &Chat, facts: &Facts, reference: ChatRef, item: u64, own: String) -> Result<Quote, String> {
    let found = chat.chat_items.iter().find(|found| found.meta.item_id.number() == item);
    let found: &ChatItem = found.ok_or_else(|| model::no_item(reference, item))?;
    if found.meta.item_deleted.is_some() {
        return Err(model::not_a_message(reference, item));
    }
    match &found.content {
        Content::Received(content) => {
            let from = super::collect::message(facts, found).map(|message| message.from).unwrap_or_default();
            Ok(Quote { from, text: content.text.clone() })
        }
        Content::Sent(content) => Ok(Quote { from: own, text: content.text.clone() }),
        Content::Other(_) => Err(model::not_a_message(reference, item)),
    }
}

/// The mentioned members: the name in the text, row and identity.
fn mentioned(input: &SendInput, members: &[Member]) -> Result<Vec<(String, GroupMemberId, String)>, String> {
    let mut mentions: Vec<(String, GroupMemberId, String)> = Vec::new();
    for id in &input.mention {
        let row = GroupMemberId::new(*id);
        let member = members
            .iter()
            .find(|member| member.group_member_id == row && member.member_status.is_current_or_pending());
        let member = member.ok_or_else(|| model::no_member(input.chat, *id))?;
        let name = member.name();
        if name::mention(name).is_none() {
            return Err(model::unmentionable(*id));
        }
        if let Some((_, other, _)) = mentions.iter().find(|(other, _, _)| other == name) {
            return Err(model::equal_names(other.number(), *id));
        }
        mentions.push((name.into(), row, member.member_id.clone()));
    }
    Ok(mentions)
}

/// The text that is sent: mentioned names stand before it, unless it has them (decisions 2).
fn final_text(text: &str, mentions: &[(String, GroupMemberId, String)]) -> String {
    let mut parts: Vec<String> = mentions
        .iter()
        .filter(|(name, _, _)| !mentions_name(text, name))
        .filter_map(|(name, _, _)| name::mention(name))
        .collect();
    parts.push(text.into());
    parts.join(" ")
}

/// Whether the core finds a mention of this name in a text.
fn mentions_name(text: &str, name: &str) -> bool {
    use crate::simplex::markdown::{Format, parse};
    let fragments = parse(text).unwrap_or_default();
    fragments.iter().any(
        |fragment| matches!(&fragment.format, Some(Format::Mention { member_name }) if member_name == name),
    )
}

/// Whether the core takes the text, alone or beside its quote (decisions 2 and 10).
fn fits(text: &str, quote: Option<&Quote>, chat: ChatRef) -> Result<(), String> {
    let Some(quote) = quote else { return Ok(()) };
    let limit = match chat {
        ChatRef::Contact(_) => size::DIRECT_REPLY,
        ChatRef::Group(_) => size::GROUP_REPLY,
    };
    let total = size::encoded_len(text).saturating_add(size::encoded_len(&quote.text));
    if total > limit { Err(model::QUOTE_TOO_LONG.into()) } else { Ok(()) }
}

/// Whether a chat's admission is as it was.
pub(super) fn same_admission(a: Option<Admission>, b: Option<Admission>) -> bool {
    a.is_some() == b.is_some()
}
