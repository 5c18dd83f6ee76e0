//! The actions of this run, in the order of their numbers.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::action::{Action, Stage, State};
use super::facts::Facts;
use super::tools::input::Call as Input;
use super::tools::result::ActionState;
use crate::simplex::chat_ref::ChatRef;
use crate::time::{Millis, Now};

/// Most actions that wait for a decision (plan, "Errors").
pub(super) const MAX_PENDING: usize = 20;
/// Most actions being performed, connects that wait for the other side not counted (decisions 3).
pub(super) const MAX_PERFORMING: usize = 20;

/// The desk.
#[derive(Clone, Debug, Default)]
pub(super) struct Desk(BTreeMap<u64, Action>);

impl Desk {
    /// Puts an action on the desk.
    pub(super) fn add(&mut self, action: Action) {
        self.0.insert(action.number, action);
    }

    /// An action by number.
    pub(super) fn action(&self, number: u64) -> Option<&Action> {
        self.0.get(&number)
    }

    /// An action by number, to change it.
    pub(super) fn action_mut(&mut self, number: u64) -> Option<&mut Action> {
        self.0.get_mut(&number)
    }

    /// Takes an action off the desk that nobody has heard of.
    pub(super) fn remove(&mut self, number: u64) -> Option<Action> {
        self.0.remove(&number)
    }

    /// All actions.
    pub(super) fn actions(&self) -> impl Iterator<Item = &Action> {
        self.0.values()
    }

    /// All actions, to change them.
    pub(super) fn actions_mut(&mut self) -> impl Iterator<Item = &mut Action> {
        self.0.values_mut()
    }

    /// The numbers of the actions that satisfy `test`.
    pub(super) fn numbers(&self, test: impl Fn(&Action) -> bool) -> Vec<u64> {
        self.0.values().filter(|action| test(action)).map(|action| action.number).collect()
    }

    /// The action a call attaches to: same tool and action fields, not returned, and about the same chat where the
    /// chat still exists (decisions 4).
    pub(super) fn attach(&self, input: &Input, chat: Option<&Facts>) -> Option<u64> {
        let same_chat = |action: &Action| match (&action.chat, chat) {
            (Some(of_action), Some(of_call)) => of_action.identity == of_call.identity,
            _ => true,
        };
        self.0
            .values()
            .rev()
            .find(|action| !action.returned && action.input.same_action(input) && same_chat(action))
            .map(|action| action.number)
    }

    /// Whether another action may be created, by what waits and what is performed.
    ///
    /// # Errors
    ///
    /// The text of the plan's "Errors".
    pub(super) fn room(&self) -> Result<(), &'static str> {
        let count = |state| self.0.values().filter(|action| action.listed_state() == state).count();
        if count(ActionState::Pending) >= MAX_PENDING {
            return Err(super::text::model::TOO_MANY_PENDING);
        }
        let waits = |action: &&Action| matches!(action.state, State::Performing(Stage::Waiting(_)));
        let waiting = self.0.values().filter(waits).count();
        if count(ActionState::Performing).saturating_sub(waiting) >= MAX_PERFORMING {
            return Err(super::text::model::TOO_MANY_PERFORMING);
        }
        Ok(())
    }

    /// The pending sends of a chat whose cards can be answered.
    pub(super) fn askable_sends(&self, chat: ChatRef) -> Vec<u64> {
        self.numbers(|action| {
            action.is_askable() && matches!(&action.input, Input::Send(send) if send.chat == chat)
        })
    }

    /// Pending actions whose time has passed.
    pub(super) fn due(&self, now: Now, expiry: Millis) -> Vec<u64> {
        self.numbers(|action| action.listed_state() == ActionState::Pending && action.is_due(now, expiry))
    }

    /// Forgets what nobody will ask for: final actions that no call waits on, once returned or past their time.
    pub(super) fn forget(&mut self, now: Now, expiry: Millis, busy: impl Fn(&Action) -> bool) {
        self.0.retain(|_, action| {
            let over = action.returned || action.is_due(now, expiry);
            !(action.is_final() && action.calls.is_empty() && over && !busy(action))
        });
    }
}
