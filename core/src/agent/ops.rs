//! What to do when an effect ends.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;

use super::{
    Agent, Cx, call, connect, counter, join, link, listing, lookup, outcome, owner, perform, reader, start,
    stop, tidy,
};
use crate::effect::{DataFile, Effect, Outcome};
use crate::id::{CallId, OpId};
use crate::simplex::command::Command;
use crate::simplex::error::{ChatError, wording};
use crate::simplex::model::ItemId;
use crate::simplex::response::{self, Response};

/// The machine, and the place in it, that goes on when an operation ends.
#[derive(Clone, Debug)]
pub(super) enum Then {
    Start(Box<start::Step>),
    Stop(stop::Step),
    Counter(counter::Part),
    Card(outcome::Step),
    Perform(u64, perform::Step),
    Connect(u64, connect::Step),
    Lookup(CallId, lookup::Step),
    List(CallId, listing::Step),
    Read(reader::Step),
    Owner(owner::Ticket, owner::Step),
    Link(link::Step),
    Join(join::Step),
    Tidy(tidy::Step),
    Sharing(ItemId),
    Call(CallId, call::Step),
    /// Nothing to do but say that it failed.
    Note(&'static str),
}

/// The operations under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Ops {
    last: u64,
    open: BTreeMap<OpId, Then>,
}

impl Ops {
    /// A new operation.
    pub(super) fn begin(&mut self, then: Then) -> OpId {
        self.last = self.last.saturating_add(1);
        let op = OpId::new(self.last);
        self.open.insert(op, then);
        op
    }

    /// An operation ended; `None` when it is not known.
    fn end(&mut self, op: OpId) -> Option<Then> {
        self.open.remove(&op)
    }

    /// The operations under way.
    pub(super) fn open(&self) -> impl Iterator<Item = &Then> {
        self.open.values()
    }
}

/// Why a command has no response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The SimpleX core refused it.
    Refused(ChatError),
    /// It got no answer, or one that cannot be read.
    NoAnswer(String),
}

impl Trouble {
    /// The reason, for the owner, the model or the person at the terminal.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Refused(error) => wording::text(error),
            Self::NoAnswer(reason) => reason.clone(),
        }
    }

    /// The core's error, when it is one.
    pub(super) const fn error(&self) -> Option<&ChatError> {
        match self {
            Self::Refused(error) => Some(error),
            Self::NoAnswer(_) => None,
        }
    }

    /// Whether the core's error satisfies `test`.
    pub(super) fn is(&self, test: fn(&ChatError) -> bool) -> bool {
        self.error().is_some_and(test)
    }
}

/// How a command ended.
pub(super) type Answer = Result<Response, Trouble>;

/// A response that does not fit the command: the error text names both.
pub(super) fn unexpected(what: &str, response: &Response) -> Trouble {
    Trouble::NoAnswer(match response {
        Response::Unknown { tag, why: Some(why) } => {
            let tag = if tag.is_empty() { String::new() } else { alloc::format!(" {tag}") };
            alloc::format!(
                "{what}: the SimpleX core's answer{tag} can't be read ({why}); it may have been done"
            )
        }
        Response::Unknown { tag, why: None } => {
            alloc::format!(
                "{what}: this program does not know the SimpleX core's answer {tag}; it may have been done"
            )
        }
        _ => alloc::format!(
            "{what}: the SimpleX core gave the answer of another command; it may have been done"
        ),
    })
}

/// Reads how a command ended.
fn answer(result: Outcome) -> Answer {
    match result {
        Outcome::Response(text) => response::decode(&text).map_err(Trouble::Refused),
        Outcome::Failed(reason) => Err(Trouble::NoAnswer(reason)),
        Outcome::Ok | Outcome::AddrInUse => Err(Trouble::NoAnswer("the SimpleX core gave no answer".into())),
    }
}

/// Reads how a write or the closing of the store ended.
pub(super) fn done(result: Outcome) -> Result<(), String> {
    match result {
        Outcome::Ok | Outcome::Response(_) => Ok(()),
        Outcome::AddrInUse => Err("the address is in use".into()),
        Outcome::Failed(reason) => Err(reason),
    }
}

impl Agent {
    /// Sends a command; `then` gets its end.
    pub(super) fn command(&mut self, cx: &mut Cx<'_>, then: Then, command: &Command) {
        let op = self.ops.begin(then);
        cx.fx.push(Effect::Command { op, line: command.to_line() });
    }

    /// Writes a file of the data folder; `then` gets its end.
    pub(super) fn write(&mut self, cx: &mut Cx<'_>, then: Then, file: DataFile, text: String) {
        let op = self.ops.begin(then);
        cx.fx.push(Effect::Write { op, file, text });
    }

    /// An operation ended.
    pub(super) fn on_done(&mut self, cx: &mut Cx<'_>, op: OpId, result: Outcome) {
        let Some(then) = self.ops.end(op) else {
            debug_assert!(false, "{op} ended twice or was never begun");
            return;
        };
        match then {
            Then::Start(step) => self.on_start(cx, *step, result),
            Then::Stop(step) => self.on_stop_step(cx, step, result),
            Then::Counter(part) => self.on_counter(cx, part, result),
            Then::Card(step) => self.on_card(cx, step, answer(result)),
            Then::Perform(action, step) => self.on_perform(cx, action, step, answer(result)),
            Then::Connect(action, step @ connect::Step::Remember) => {
                // A write: its good end is `Ok`, which for a command would be no answer.
                let stored = done(result).map(|()| Response::Ok).map_err(Trouble::NoAnswer);
                self.on_connect(cx, action, step, stored);
            }
            Then::Connect(action, step) => self.on_connect(cx, action, step, answer(result)),
            Then::Lookup(call, step) => self.on_lookup(cx, call, step, answer(result)),
            Then::List(call, step) => self.on_list(cx, call, step, answer(result)),
            Then::Read(step) => self.on_read(cx, step, answer(result)),
            Then::Owner(ticket, step) => self.on_owner(cx, ticket, step, answer(result)),
            Then::Link(step) => self.on_link(cx, step, answer(result)),
            Then::Join(step) => self.on_join(cx, step, answer(result)),
            Then::Tidy(step) => self.on_tidy(cx, step, answer(result)),
            Then::Sharing(item) => self.on_delivery_read(cx, item, answer(result)),
            Then::Call(call, step) => self.on_call(cx, call, step, answer(result)),
            Then::Note(what) => {
                if let Err(reason) = failed(result) {
                    cx.warn(alloc::format!("{what}: {reason}"));
                }
            }
        }
    }
}

/// Whether an operation of either kind failed, and why.
fn failed(result: Outcome) -> Result<(), String> {
    match result {
        Outcome::Response(_) => answer(result).map(|_| ()).map_err(|trouble| trouble.text()),
        Outcome::Ok | Outcome::AddrInUse | Outcome::Failed(_) => done(result),
    }
}

/// For machines that get the raw end: reads it as a command's.
pub(super) fn command_answer(result: Outcome) -> Answer {
    answer(result)
}
