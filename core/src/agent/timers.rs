//! What becomes due with time. Looked at after every input, so that a late tick is never a fault.

use alloc::vec::Vec;

use super::action::{Posted, Stage, State, Work};
use super::tools::result::ActionState;
use super::{Agent, Cx, Phase};
use crate::time::{Millis, Wakeup};

/// The wall clock is looked at this often while an action is pending: a sleep of the computer delays no expiry longer.
const WALL_CLOCK: Millis = Millis::secs(60);

impl Agent {
    /// Everything that is due.
    pub(super) fn on_time(&mut self, cx: &mut Cx<'_>) {
        self.server.tick(cx.now, cx.fx);
        match self.phase {
            Phase::Running => {
                self.give_up_numbers(cx);
                self.give_up_owner_step(cx);
                self.expire(cx);
                self.end_waits(cx);
                self.retry_edits(cx);
                self.retry_link(cx);
                self.look_at_calls(cx);
                self.forget(cx);
                self.look_for_events(cx);
            }
            Phase::Stopping(_) => {
                self.retry_edits(cx);
                self.on_stop_time(cx);
            }
            Phase::Leaving(_) => self.look_at_leaving(cx),
            Phase::Starting(_) | Phase::Ended => {}
        }
    }

    /// Pending actions whose time has passed expire.
    pub(super) fn expire(&mut self, cx: &mut Cx<'_>) {
        for number in self.desk.due(cx.now, self.config.expiry()) {
            self.end_pending(cx, number, State::Expired);
        }
    }

    /// Connects whose wait is over end without a connection.
    fn end_waits(&mut self, cx: &mut Cx<'_>) {
        let now = cx.now.mono;
        let over: Vec<u64> = self.desk.numbers(
            |action| matches!(action.state, State::Performing(Stage::Waiting(until)) if now >= until),
        );
        for number in over {
            self.end_unconnected(cx, number);
        }
    }

    /// Final actions that nobody will ask for are forgotten.
    fn forget(&mut self, cx: &mut Cx<'_>) {
        // One whose card is on its way is still needed: its end is shown when the card is there.
        self.desk.forget(cx.now, self.config.expiry(), |action| action.posted == Posted::Under);
    }

    /// When the machine next wants to be woken, and why.
    pub(super) fn wakeup(&self) -> Option<Wakeup> {
        let at = |at: Option<Millis>, why| at.map(|at| Wakeup { at, why });
        let running = self.is_running();
        [
            self.server.next_wakeup(),
            at(self.calls_due().filter(|_| running), "a call's wait"),
            at(self.numbers_due().filter(|_| running), "a number to be stored"),
            at(self.owner.due().filter(|_| running), "an owner's command"),
            at(self.next_expiry().filter(|_| running), "an action's expiry"),
            at(self.next_wait().filter(|_| running), "a connection's deadline"),
            at(self.sharing.due().filter(|_| running), "events of own messages"),
            at(self.edits.due(), "an edit to be tried again"),
            at(self.link.due().filter(|_| running), "the join link"),
            at(self.stop_due(), "the stop"),
            at(self.leaving_due(), "the end"),
        ]
        .into_iter()
        .fold(None, Wakeup::earlier)
    }

    fn next_expiry(&self) -> Option<Millis> {
        // The same actions as `Desk::due` looks at: one that nobody is asked about would wake the driver for ever.
        let pending = self.desk.actions().filter(|action| action.listed_state() == ActionState::Pending);
        let next = pending.map(|action| action.created.mono + self.config.expiry()).min()?;
        Some(next.min(self.now.mono + WALL_CLOCK))
    }

    fn next_wait(&self) -> Option<Millis> {
        self.desk
            .actions()
            .filter(|action| matches!(action.work, Work::Connect(_)))
            .filter_map(|action| match action.state {
                State::Performing(Stage::Waiting(until)) => Some(until),
                _ => None,
            })
            .min()
    }
}
