//! One action: what the agent asked for, and how far it is (plan, "Actions").
//!
//! ```text
//! Pending -/approve-> Performing -> Done | Failed
//! Pending -/reject-> Rejected; -deadline-> Expired; -card not posted, control chat lost, chat gone-> Failed
//! created under a standing approval or in host mode: Pending -number stored-> Performing
//! ```
//!
//! A final state never changes (P3): [`Action::finish`] is the only way into one.

use alloc::collections::BTreeSet;
use alloc::string::String;

use super::collect::Collector;
use super::connect::Joining;
use super::facts::Facts;
use super::lanes::Lane;
use super::tools::input::Call as Input;
use super::tools::result::{ActionState, Status};
use crate::agent::card::Card;
use crate::id::CallId;
use crate::simplex::command::Conversation;
use crate::simplex::model::{GroupMemberId, ItemId};
use crate::time::{Millis, Now};

/// One action of this run.
#[derive(Clone, Debug)]
pub(super) struct Action {
    /// Its number, never used twice (P7).
    pub(super) number: u64,
    /// Its number is stored: until then nobody sees it (P7).
    pub(super) numbered: bool,
    /// The tool's input: the fields that make it this action, and those of its first call.
    pub(super) input: Input,
    /// How far it is.
    pub(super) state: State,
    /// When it was created.
    pub(super) created: Now,
    /// Who decides.
    pub(super) way: Way,
    /// Where its card is.
    pub(super) posted: Posted,
    /// The card's texts.
    pub(super) card: Card,
    /// The approver's name, as cards show it.
    pub(super) decided_by: Option<String>,
    /// When it was approved, or began without asking.
    pub(super) approved_at: Option<Millis>,
    /// Which member approved it, by row and identity; none without a card.
    pub(super) approver: Option<(GroupMemberId, String)>,
    /// The calls that wait on it.
    pub(super) calls: BTreeSet<CallId>,
    /// A call's result of it reached its client: it is no longer listed, and nothing attaches to it.
    pub(super) returned: bool,
    /// The server stops while it is performed: its end edits no card and logs no line.
    pub(super) interrupted: bool,
    /// The chat it is about, as it was when the card was made; `None` for a connect.
    pub(super) chat: Option<Facts>,
    /// What is performed.
    pub(super) work: Work,
    /// What a done action gave.
    pub(super) gain: Gain,
    /// Messages that belong to its result.
    pub(super) collector: Option<Collector>,
}

/// State of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    Pending,
    Performing(Stage),
    Done,
    Failed(String),
    Rejected,
    Expired,
}

/// How far a perform is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Waits for its lane.
    Queued,
    /// Commands are under way.
    Running,
    /// A connect that waits for the other side until this moment; it does not count among those performing.
    Waiting(Millis),
}

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// An approver, by the card.
    Ask,
    /// A standing approval of the chat.
    Standing,
    /// Nobody: mode host.
    Host,
}

/// Where an action's card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Posted {
    /// Not posted.
    No,
    /// Being posted.
    Under,
    /// This item of the control chat.
    Item(ItemId),
}

/// What is performed, checked and planned before the card was made.
#[derive(Clone, Debug)]
pub(super) enum Work {
    Send(SendWork),
    Leave,
    Connect(alloc::boxed::Box<Joining>),
}

/// The message of a send: what the card shows is what is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SendWork {
    /// Where it goes: the chat, or its admission chat.
    pub(super) conversation: Conversation,
    /// The final text.
    pub(super) text: String,
    /// The quoted item.
    pub(super) quoted: Option<ItemId>,
    /// Mentions: the name in the text, and the member's row and identity.
    pub(super) mentions: alloc::vec::Vec<(String, GroupMemberId, String)>,
}

/// What a done action gave.
#[derive(Clone, Debug, Default)]
pub(super) struct Gain {
    /// A send: the sent item and the moment it was sent.
    pub(super) sent: Option<(ItemId, Millis)>,
    /// A connect: the chat, once there is one.
    pub(super) joined: Option<Facts>,
    /// A connect: the moment of the connection, when the other side accepted.
    pub(super) connected_at: Option<Millis>,
    /// A connect that found its target done by another one.
    pub(super) known: bool,
}

impl Action {
    /// Whether it waits for an approver and its card can be answered.
    pub(super) const fn is_askable(&self) -> bool {
        matches!((&self.state, &self.posted, self.way), (State::Pending, Posted::Item(_), Way::Ask))
    }

    /// Whether its state is final.
    pub(super) const fn is_final(&self) -> bool {
        matches!(self.state, State::Done | State::Failed(_) | State::Rejected | State::Expired)
    }

    /// Enters a final state, once.
    pub(super) fn finish(&mut self, state: State) -> bool {
        debug_assert!(!matches!(state, State::Pending | State::Performing(_)), "not a final state");
        if self.is_final() {
            return false;
        }
        self.state = state;
        true
    }

    /// The lane it is performed in.
    pub(super) fn lane(&self) -> Lane {
        match (&self.work, &self.chat) {
            (Work::Connect(joining), _) => Lane::Target(joining.key.clone()),
            (_, Some(facts)) => Lane::Chat(facts.chat()),
            (_, None) => Lane::Target(String::new()),
        }
    }

    /// The state as `list` names it: one that nobody is asked about is being performed from its creation on.
    pub(super) const fn listed_state(&self) -> ActionState {
        match self.state {
            State::Pending if matches!(self.way, Way::Ask) => ActionState::Pending,
            // Nobody is asked: it only waits until its number is stored.
            State::Pending | State::Performing(_) => ActionState::Performing,
            State::Done => ActionState::Done,
            State::Failed(_) => ActionState::Failed,
            State::Rejected => ActionState::Rejected,
            State::Expired => ActionState::Expired,
        }
    }

    /// The status of its results; `None` while it is not final.
    pub(super) const fn status(&self) -> Option<Status> {
        match self.state {
            State::Pending | State::Performing(_) => None,
            State::Done if self.gain.known => Some(Status::Known),
            State::Done => Some(Status::Done),
            State::Failed(_) => Some(Status::Failed),
            State::Rejected => Some(Status::Rejected),
            State::Expired => Some(Status::Expired),
        }
    }

    /// Why it failed.
    pub(super) fn error(&self) -> Option<String> {
        match &self.state {
            State::Failed(error) => Some(error.clone()),
            _ => None,
        }
    }

    /// Whether its deadline has passed, by either clock (decisions 4, "Expiry").
    pub(super) fn is_due(&self, now: Now, expiry: Millis) -> bool {
        now.mono >= self.created.mono + expiry || now.unix >= self.created.unix.plus(expiry)
    }
}
