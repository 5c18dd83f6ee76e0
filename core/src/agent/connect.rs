//! Connecting: what is looked up before a card, what is done after its approval, how the connection is noticed.
//!
//! A link is planned when the call comes, and the action does what was planned and shown; a name is not resolved again.
//! A one-time link, and a link of a host that is none of the profile's routers, is planned only after the approval,
//! because the plan itself reaches a router (P12; decisions 3).

mod again;
mod notice;
mod opening;
mod route;
mod run;

use alloc::string::{String, ToString};

pub(super) use notice::{Early, Seen};
pub(super) use opening::Opening;
pub(super) use route::{Route, Verdict, judge};
pub(super) use run::Step;

use super::action::Work;
use super::call::{Answered, json};
use super::facts::{Facts, Identity};
use super::lookup::Step as Look;
use super::ops::{Answer, Then, unexpected};
use super::text::model;
use super::text::peer::Peer;
use super::tools::input::ConnectInput;
use super::tools::result::{ConnectResult, Status};
use super::{Agent, Cx};
use crate::agent::card::{Connect, ConnectTarget, Request};
use crate::id::CallId;
use crate::simplex::command::Command;
use crate::simplex::model::{ChatInfo, ConnId, UserId};
use crate::simplex::response::Response;
use crate::simplex::target::{self, LinkForm, Target};
use crate::time::Millis;

/// Why a full one-time link is refused that was used.
const USED: &str = "the agent has used this one-time link before";
/// How many chats are read at once: more than anyone has.
pub(super) const ALL_CHATS: u32 = 100_000;

/// A connect on its way: the work of its action.
#[derive(Clone, Debug)]
pub(super) struct Joining {
    pub(super) incognito: bool,
    pub(super) message: Option<String>,
    /// The target's full link, as far as the plan told it: its short form and its name are the same target.
    pub(super) key: String,
    /// What is done; `None` until a late plan.
    pub(super) route: Option<Route>,
    /// What the link says of itself.
    pub(super) said: Said,
    /// What the core was asked for, once it was.
    pub(super) conn: Option<Conn>,
    /// Name of the random profile of a connection that has no chat yet.
    pub(super) known_as: Option<String>,
    /// The chat that a failure deletes again.
    pub(super) prepared: Option<Facts>,
    /// The longest `wait` of the calls that attached, from the approval.
    pub(super) wait: Millis,
    /// The messages of the chat at the connection.
    pub(super) opening: Opening,
}

/// What a link says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) peer: Option<Peer>,
    pub(super) description: Option<String>,
    pub(super) welcome: Option<String>,
}

/// A connection that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Conn {
    /// The chat comes with an event of this connection. The number is given again after a delete, the other is not.
    Pending { id: ConnId, agent_id: String },
    /// The chat is known.
    Chat(Identity),
}

impl Agent {
    /// The profile's number.
    pub(super) fn user_id(&self) -> UserId {
        self.user.as_ref().map_or(UserId::new(1), |user| user.user_id)
    }

    /// Begins a connect: what the target is decides what may be looked up unasked.
    pub(super) fn look_up_target(&mut self, cx: &mut Cx<'_>, call: CallId, input: &ConnectInput) {
        if let Err(reason) = self.try_target(cx, call, input) {
            self.refuse(cx, call, reason);
        }
    }

    fn try_target(&mut self, cx: &mut Cx<'_>, call: CallId, input: &ConnectInput) -> Result<(), String> {
        let own = super::tools::input::Call::Connect(input.clone());
        if let Some(action) = self.desk.attach(&own, None) {
            self.attach(cx, call, action);
            return Ok(());
        }
        let Some(target) = target::parse(&input.target) else {
            self.may_create()?;
            return Err(model::not_a_target(&input.target));
        };
        match &target {
            Target::Link(link) if link.is_one_time() => {
                let chats = Command::Chats { user: self.user_id(), count: ALL_CHATS };
                self.command(cx, Then::Lookup(call, Look::Chats), &chats);
                Ok(())
            }
            Target::Link(link) => {
                match link.unknown_host(|host| self.routers.iter().any(|own| own == host)) {
                    Some(host) => {
                        let host = ConnectTarget::Host(host.to_string());
                        self.create_late(cx, call, input, host)
                    }
                    None => self.plan(cx, call),
                }
            }
            Target::Name(_) => self.plan(cx, call),
        }
    }

    fn plan(&mut self, cx: &mut Cx<'_>, call: CallId) -> Result<(), String> {
        self.budget.take(cx.now.mono, call).map_err(|minutes| match self.may_create() {
            Ok(()) => model::too_many_plans(minutes),
            Err(reason) => reason,
        })?;
        self.begin_plans(cx);
        Ok(())
    }

    /// Begins the plans whose turn has come; a call whose client left needs none.
    pub(super) fn begin_plans(&mut self, cx: &mut Cx<'_>) {
        while let Some(call) = self.budget.next() {
            match self.calls.get(&call).map(|open| &open.input) {
                Some(super::tools::input::Call::Connect(input)) => {
                    let plan = Command::Plan { user: self.user_id(), target: input.target.clone() };
                    self.command(cx, Then::Lookup(call, Look::Plan), &plan);
                }
                _ => self.budget.give_back(),
            }
        }
    }

    /// A one-time link: is it that of a chat the agent has? The comparison reaches nobody.
    pub(super) fn on_chats(
        &mut self,
        cx: &mut Cx<'_>,
        call: CallId,
        input: &ConnectInput,
        answer: Answer,
    ) -> Result<(), String> {
        let chats = match answer {
            Ok(Response::Chats(chats)) => chats,
            Ok(other) => return Err(unexpected("connect", &other).text()),
            Err(trouble) => return Err(trouble.text()),
        };
        let known = chats.iter().find_map(|chat| match &chat.chat_info {
            ChatInfo::Direct(contact) => {
                let prepared = contact.prepared_contact.as_ref()?;
                prepared.conn_link_to_connect.is(&input.target).then(|| Facts::contact(contact))
            }
            _ => None,
        });
        match known {
            Some(facts) => {
                self.answer_known(cx, call, facts, &Said::default());
                Ok(())
            }
            None => {
                self.may_create()?;
                if self.disk.one_time.contains(&digest(&input.target)) {
                    return Err(model::not_joinable(&input.target, USED));
                }
                if input.message.is_some() {
                    return Err(model::no_message(&input.target));
                }
                self.create_late(cx, call, input, ConnectTarget::OneTime)
            }
        }
    }

    fn create_late(
        &mut self,
        cx: &mut Cx<'_>,
        call: CallId,
        input: &ConnectInput,
        target: ConnectTarget,
    ) -> Result<(), String> {
        let joining = Joining::new(input, None, Said::default());
        let request =
            Request::Connect(Connect { target, incognito: input.incognito, message: input.message.clone() });
        self.create(cx, call, request, None, Work::Connect(joining.into()))
    }

    /// The plan came: known, refused, or a card.
    pub(super) fn on_plan(
        &mut self,
        cx: &mut Cx<'_>,
        call: CallId,
        input: &ConnectInput,
        answer: Answer,
    ) -> Result<(), String> {
        let verdict = match answer {
            Ok(Response::Planned(planned)) => judge(&planned, input),
            Ok(other) => Err(unexpected("connect", &other).text()),
            Err(trouble) => Err(trouble.text()),
        };
        // A target that is known needs nothing that only a new action needs (decisions 4).
        if !matches!(verdict, Ok(Verdict::Known(..))) {
            self.may_create()?;
        }
        match verdict? {
            Verdict::Known(facts, _) if self.is_control(facts.chat()) => {
                Err(model::not_joinable(&input.target, route::OWN_LINK))
            }
            Verdict::Known(facts, said) => {
                self.answer_known(cx, call, facts, &said);
                Ok(())
            }
            Verdict::Join(route, said) => {
                let request = Request::Connect(Connect {
                    target: ConnectTarget::Planned {
                        peer: said.peer.clone().unwrap_or_else(|| route::unnamed(&input.target)),
                        description: said.description.clone(),
                        welcome: said.welcome.clone(),
                    },
                    incognito: input.incognito,
                    message: input.message.clone(),
                });
                let joining = Joining::new(input, Some(route), said);
                self.create(cx, call, request, None, Work::Connect(joining.into()))
            }
        }
    }

    /// The agent has this chat: no action, no card (plan, "connect").
    fn answer_known(&mut self, cx: &mut Cx<'_>, call: CallId, facts: Facts, said: &Said) {
        let result = json(&self.known_result(None, &facts, said));
        self.answer(cx, call, result, Answered::default());
    }

    /// The result of a connect to a chat the agent has.
    pub(super) fn known_result(&self, action: Option<u64>, facts: &Facts, said: &Said) -> ConnectResult {
        ConnectResult {
            connected: Some(facts.connected),
            ..self.chat_result(action, Status::Known, facts, said)
        }
    }

    /// The fields of a result that describe a chat.
    pub(super) fn chat_result(
        &self,
        action: Option<u64>,
        status: Status,
        facts: &Facts,
        said: &Said,
    ) -> ConnectResult {
        ConnectResult {
            action,
            status,
            chat: Some(facts.chat()),
            connected: None,
            admission: facts.admission,
            chat_type: Some(facts.peer.chat_type),
            name: Some(facts.peer.name.clone()),
            simplex_name: facts.peer.simplex_name.clone(),
            peer_type: facts.peer.peer_type.clone(),
            description: facts.description.clone().or_else(|| said.description.clone()),
            welcome: said.welcome.clone(),
            commands: facts.commands.clone(),
            known_as: self.known_as(facts),
            role: facts.role.as_ref().map(ToString::to_string),
            messages: None,
            error: None,
        }
    }
}

impl Joining {
    fn new(input: &ConnectInput, route: Option<Route>, said: Said) -> Self {
        Self {
            incognito: input.incognito,
            message: input.message.clone(),
            key: route.as_ref().and_then(Route::full_link).unwrap_or(&input.target).into(),
            route,
            said,
            conn: None,
            known_as: None,
            prepared: None,
            wait: Millis::secs(u64::from(input.wait)),
            opening: Opening::default(),
        }
    }
}

/// Whether a target is a full one-time link, whose use has to be remembered by the program itself.
pub(super) fn is_full_one_time(target: &str) -> bool {
    matches!(target::parse(target), Some(Target::Link(link)) if link.is_one_time() && link.form == LinkForm::Full)
}

/// SHA-256 of a link, in lower-case hex.
pub(super) fn digest(link: &str) -> String {
    use core::fmt::Write;

    use sha2::{Digest, Sha256};
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(link.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
