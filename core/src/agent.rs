//! The served agent: one SimpleX profile under its owner's supervision.
//!
//! ```text
//! Starting -the SimpleX core is started, the control chat and its members are known, the port is bound-> Running
//! Running  -Input::Stop-> Stopping -cards edited, deliveries waited for, store closed-> Leaving
//! Starting, Running -the core is lost, or start cannot go on-> Leaving
//! Leaving  -the clients have their last answers-> Ended
//! ```
//!
//! [`Agent`] routes inputs; each file of this folder holds one of its machines. Whatever ends later (a command, a
//! write) is remembered in `ops` with what to do then. Time is looked at after every input (`timers`), so that a
//! late tick is never a fault.

mod action;
mod approvals;
mod budget;
mod call;
pub mod card;
mod collect;
mod connect;
mod control;
mod counter;
mod desk;
mod disk;
mod events;
mod facts;
mod join;
mod lanes;
mod leaving;
mod link;
mod listing;
mod lookup;
mod ops;
mod outcome;
mod owner;
pub mod owner_command;
mod perform;
mod reader;
mod results;
mod sharing;
mod start;
mod stop;
pub mod text;
mod tidy;
mod timers;
pub mod tools;

pub use self::disk::damage;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::config::Config;
use crate::effect::{Effect, Effects, Input, Machine};
use crate::id::CallId;
use crate::mcp::server::Server;
use crate::simplex::model::User;
use crate::time::{Now, Wakeup};

use self::approvals::Approvals;
use self::budget::Budget;
use self::call::OpenCall;
use self::control::Control;
use self::counter::Counter;
use self::desk::Desk;
use self::disk::Disk;
use self::lanes::Lanes;
use self::leaving::Leaving;
use self::link::Link;
use self::ops::Ops;
use self::owner::OwnerQueue;
use self::reader::Reader;
use self::sharing::Sharing;
use self::start::Starting;
use self::stop::Stopping;

/// The served agent. See the module's documentation for its states, `ARCHITECTURE.md` for one call followed through.
#[derive(Clone, Debug)]
pub struct Agent {
    config: Config,
    phase: Phase,
    now: Now,
    ops: Ops,
    disk: Disk,
    /// The agent's profile, once known.
    user: Option<User>,
    /// Hosts of the routers the profile uses.
    routers: Vec<String>,
    control: Option<Control>,
    counter: Counter,
    approvals: Approvals,
    desk: Desk,
    lanes: Lanes,
    calls: BTreeMap<CallId, OpenCall>,
    server: Server,
    budget: Budget,
    link: Link,
    owner: OwnerQueue,
    reader: Reader,
    /// Whether the events of a core that others may use reach the agent.
    sharing: Sharing,
    /// Edits of cards that failed once, to be tried again.
    edits: outcome::Edits,
    /// Connection events seen while a connect waits for its command's answer.
    early: connect::Early,
    /// Events that came before the start was complete.
    queued: Vec<String>,
    /// How often the members were asked for: only the last answer counts.
    members_asked: u64,
    /// `Listening on …` was printed.
    said_listening: bool,
}

/// Where in its life the agent is.
#[derive(Clone, Debug)]
enum Phase {
    Starting(Box<Starting>),
    Running,
    Stopping(Stopping),
    Leaving(Leaving),
    Ended,
}

/// The moment and the effects of one input.
struct Cx<'a> {
    now: Now,
    fx: &'a mut Effects,
}

impl Cx<'_> {
    /// A line for stdout.
    fn log(&mut self, line: impl Into<String>) {
        self.fx.push(Effect::Log(line.into()));
    }

    /// A line for stderr.
    fn warn(&mut self, line: impl Into<String>) {
        self.fx.push(Effect::Warn(line.into()));
    }
}

impl Agent {
    /// An agent that has not started: it does so at [`Input::Start`].
    pub fn new(config: Config) -> Self {
        Self {
            server: Server::new(call::tool_box(
                &config,
                config.display_name.as_deref().unwrap_or(&config.name),
            )),
            phase: Phase::Starting(Box::default()),
            now: Now::default(),
            ops: Ops::default(),
            disk: Disk::default(),
            user: None,
            routers: Vec::new(),
            control: None,
            counter: Counter::default(),
            approvals: Approvals::default(),
            desk: Desk::default(),
            lanes: Lanes::default(),
            calls: BTreeMap::new(),
            budget: Budget::default(),
            link: Link::default(),
            owner: OwnerQueue::default(),
            reader: Reader::default(),
            sharing: Sharing::default(),
            edits: outcome::Edits::default(),
            early: connect::Early::default(),
            queued: Vec::new(),
            members_asked: 0,
            said_listening: false,
            config,
        }
    }

    const fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running)
    }

    const fn is_stopping(&self) -> bool {
        matches!(self.phase, Phase::Stopping(_))
    }

    /// The control chat, while the agent can use it.
    fn usable_control(&self) -> Option<&Control> {
        self.control.as_ref().filter(|control| !control.lost)
    }
}

impl Machine for Agent {
    fn handle(&mut self, now: Now, input: Input, effects: &mut Effects) {
        // The monotonic clock never runs backwards; the wall clock may, and expiry looks at both.
        self.now = Now { mono: self.now.mono.max(now.mono), unix: now.unix };
        let mut cx = Cx { now: self.now, fx: effects };
        let cx = &mut cx;
        if matches!(self.phase, Phase::Ended) {
            return;
        }
        if matches!(self.phase, Phase::Leaving(_)) {
            self.on_leaving(cx, input);
            return self.on_time(cx);
        }
        match input {
            Input::Start { state } => self.begin(cx, state.as_deref()),
            Input::Event(text) => self.on_event(cx, text),
            Input::CoreLost { reason } => self.on_core_lost(cx, &reason),
            Input::Done { op, result } => self.on_done(cx, op, result),
            Input::Http { request, head, body } => {
                for call in self.server.on_request(cx.now, request, &head, &body, cx.fx) {
                    self.open_call(cx, call);
                }
            }
            Input::HttpEnded { request, delivered } => {
                for ended in self.server.on_ended(request, delivered) {
                    self.on_call_ended(cx, ended);
                }
            }
            Input::Stop => self.on_stop(cx),
            Input::Tick => {}
        }
        self.on_time(cx);
    }

    fn next_wakeup(&self) -> Option<Wakeup> {
        self.wakeup()
    }
}
