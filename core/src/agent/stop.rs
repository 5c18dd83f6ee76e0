//! The stop (plan, "Start and shutdown"; decisions 4, "Stop"): nothing new is performed (P6), cards show what was left,
//! deliveries are waited for, the store is closed; at most 20 s in all.
//!
//! ```text
//! Input::Stop -> Cards (posts and edits under way) -> Connections -> Deliveries, every 100 ms, at most 10 s
//!   -> Closing -> "Stopped." -> Leaving
//! ```

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::action::{Posted, State, Way};
use super::ops::{Answer, Then, command_answer, done, unexpected};
use super::outcome::{self, Edit, decision};
use super::text::person;
use super::{Agent, Cx, Phase, join};
use crate::agent::card::Outcome as CardOutcome;
use crate::effect::{Effect, ExitCode, Outcome};
use crate::simplex::command::Command;
use crate::simplex::response::Response;
use crate::time::Millis;

/// A stop takes at most this long (decisions 4).
pub(super) const LONGEST: Millis = Millis::secs(20);
/// Deliveries are waited for at most this long (plan).
const DELIVERY: Millis = Millis::secs(10);
/// How often deliveries are counted (plan).
const POLL: Millis = Millis(100);

/// A stop under way.
#[derive(Clone, Debug)]
pub(super) struct Stopping {
    stage: Stage,
    deadline: Millis,
    cancelled: usize,
}

/// How far a stop is.
#[derive(Clone, Debug)]
enum Stage {
    /// Posts and edits of cards are under way.
    Cards,
    /// The control chat's connections are read.
    Connections { until: Millis },
    /// Deliveries are counted again at this moment.
    Deliveries { query: String, until: Millis, next: Option<Millis>, left: u64 },
    /// The store is being closed.
    Closing,
}

/// Steps of a stop.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Connections,
    Deliveries,
    Close,
}

impl Agent {
    /// The person asked to stop; a second time joins the stop under way.
    pub(super) fn on_stop(&mut self, cx: &mut Cx<'_>) {
        match self.phase {
            Phase::Starting(_) => {
                self.phase = Phase::Stopping(Stopping::new(cx.now.mono));
                self.server.close(cx.fx);
                cx.fx.push(Effect::CloseHttp);
                self.close_core(cx);
            }
            Phase::Running => self.begin_stop(cx),
            Phase::Stopping(_) | Phase::Leaving(_) | Phase::Ended => {}
        }
    }

    fn begin_stop(&mut self, cx: &mut Cx<'_>) {
        self.phase = Phase::Stopping(Stopping::new(cx.now.mono));
        self.server.close(cx.fx);
        cx.fx.push(Effect::CloseHttp);
        self.calls.clear();
        let pending = self.desk.numbers(|action| action.state == State::Pending);
        let performing = self.desk.numbers(|action| matches!(action.state, State::Performing(_)));
        for number in &pending {
            self.cancel(cx, *number);
        }
        for number in &performing {
            self.interrupt(cx, *number);
        }
        if let Phase::Stopping(stopping) = &mut self.phase {
            stopping.cancelled = pending.len() + performing.len();
        }
        self.look_at_stop(cx);
    }

    /// A pending action's card gets the cancelled form; one that is still being posted gets it when it is.
    fn cancel(&mut self, cx: &mut Cx<'_>, number: u64) {
        let Some(action) = self.desk.action_mut(number) else { return };
        action.interrupted = true;
        if let Posted::Item(item) = action.posted {
            let text = action.card.outcome(&CardOutcome::Cancelled);
            self.edit(cx, Edit { number, item, text, again: false });
        }
    }

    /// A performing action's card gets the interrupted form; its end edits nothing and logs nothing.
    fn interrupt(&mut self, cx: &mut Cx<'_>, number: u64) {
        let Some(action) = self.desk.action_mut(number) else { return };
        action.interrupted = true;
        let text = action.card.outcome(&CardOutcome::Interrupted(decision(action)));
        match (action.posted, action.way) {
            (Posted::Item(item), _) => self.edit(cx, Edit { number, item, text, again: false }),
            (_, Way::Host | Way::Standing) => {
                self.post(cx, Then::Card(outcome::Step::PostOutcome(number)), text);
            }
            (Posted::No | Posted::Under, Way::Ask) => {}
        }
    }

    /// A card was posted after the stop began: it gets the form of its action.
    pub(super) fn show_stopped(&mut self, cx: &mut Cx<'_>, number: u64) {
        let Some(action) = self.desk.action(number) else { return };
        match action.state {
            State::Pending => self.cancel(cx, number),
            State::Performing(_) => self.interrupt(cx, number),
            State::Done | State::Failed(_) | State::Rejected | State::Expired => self.show_card(cx, number),
        }
    }

    /// Goes on when the cards are done.
    pub(super) fn look_at_stop(&mut self, cx: &mut Cx<'_>) {
        let posts = |then: &Then| match then {
            Then::Card(_) | Then::Join(join::Step::Greet(_) | join::Step::Posted) => true,
            Then::Owner(ticket, _) => self.owner.waits_for(*ticket),
            _ => false,
        };
        let under_way = self.ops.open().any(posts);
        let Phase::Stopping(stopping) = &mut self.phase else { return };
        if !matches!(stopping.stage, Stage::Cards) || under_way || !self.edits.is_empty() {
            return;
        }
        if let Some(line) = person::cancelled(stopping.cancelled) {
            cx.log(line);
        }
        stopping.stage = Stage::Connections { until: cx.now.mono + DELIVERY };
        let Some(control) = self.control.as_ref().filter(|control| !control.lost) else {
            return self.close_core(cx);
        };
        let group = control.group_id();
        let query = format!(
            "SELECT hex(agent_conn_id) FROM connections WHERE group_member_id IN \
             (SELECT group_member_id FROM group_members WHERE group_id = {group})"
        );
        self.command(cx, Then::Stop(Step::Connections), &Command::SqlChat(query));
    }

    /// A step of the stop ended.
    pub(super) fn on_stop_step(&mut self, cx: &mut Cx<'_>, step: Step, result: Outcome) {
        match step {
            Step::Connections => self.on_connections(cx, command_answer(result)),
            Step::Deliveries => self.on_deliveries(cx, command_answer(result)),
            Step::Close => self.on_closed(cx, result),
        }
    }

    fn on_connections(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        let Some((Stage::Connections { until }, rows)) = self.stage().zip(self.rows(cx, answer)) else {
            return;
        };
        // The first row names the column; the values are hex digits, nothing else goes into a query.
        let is_hex = |row: &&String| !row.is_empty() && row.bytes().all(|byte| byte.is_ascii_hexdigit());
        let ids: Vec<String> = rows.iter().skip(1).filter(is_hex).map(|row| format!("'{row}'")).collect();
        let query = format!(
            "SELECT count(*) FROM snd_message_deliveries WHERE failed = 0 AND hex(conn_id) IN ({})",
            ids.join(",")
        );
        self.count_deliveries(cx, query, until);
    }

    fn count_deliveries(&mut self, cx: &mut Cx<'_>, query: String, until: Millis) {
        self.command(cx, Then::Stop(Step::Deliveries), &Command::SqlAgent(query.clone()));
        if let Phase::Stopping(stopping) = &mut self.phase {
            stopping.stage = Stage::Deliveries { query, until, next: None, left: 0 };
        }
    }

    fn on_deliveries(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        let Some(rows) = self.rows(cx, answer) else { return };
        let count: u64 = rows.get(1).and_then(|row| row.parse().ok()).unwrap_or(0);
        let Phase::Stopping(Stopping { stage: Stage::Deliveries { until, next, left, .. }, .. }) =
            &mut self.phase
        else {
            return;
        };
        *left = count;
        if count == 0 {
            self.close_core(cx);
        } else if cx.now.mono >= *until {
            cx.log(person::not_delivered(count));
            self.close_core(cx);
        } else {
            *next = Some(cx.now.mono + POLL);
        }
    }

    fn stage(&self) -> Option<Stage> {
        match &self.phase {
            Phase::Stopping(stopping) => Some(stopping.stage.clone()),
            Phase::Starting(_) | Phase::Running | Phase::Leaving(_) | Phase::Ended => None,
        }
    }

    /// The rows of a query; an error is said, and ends the wait.
    fn rows(&mut self, cx: &mut Cx<'_>, answer: Answer) -> Option<Vec<String>> {
        let error = match answer {
            Ok(Response::Rows(rows)) => return Some(rows),
            Ok(other) => unexpected("/sql", &other).text(),
            Err(trouble) => trouble.text(),
        };
        cx.warn(person::delivery_error(&error));
        self.close_core(cx);
        None
    }

    fn close_core(&mut self, cx: &mut Cx<'_>) {
        let Phase::Stopping(stopping) = &mut self.phase else { return };
        if !matches!(stopping.stage, Stage::Closing) {
            stopping.stage = Stage::Closing;
            let op = self.ops.begin(Then::Stop(Step::Close));
            cx.fx.push(Effect::CloseCore { op });
        }
    }

    fn on_closed(&mut self, cx: &mut Cx<'_>, result: Outcome) {
        if let Err(reason) = done(result) {
            cx.warn(format!("the store was not closed: {reason}"));
        }
        let Phase::Stopping(stopping) = &self.phase else { return };
        let deadline = stopping.deadline;
        cx.log(person::STOPPED);
        self.leave_stopped(cx, deadline);
    }

    /// When the stop wants to be looked at.
    pub(super) fn stop_due(&self) -> Option<Millis> {
        let Phase::Stopping(stopping) = &self.phase else { return None };
        match &stopping.stage {
            Stage::Deliveries { next: Some(next), .. } => Some((*next).min(stopping.deadline)),
            _ => Some(stopping.deadline),
        }
    }

    /// Counts deliveries again, or gives up.
    pub(super) fn on_stop_time(&mut self, cx: &mut Cx<'_>) {
        let Phase::Stopping(stopping) = &mut self.phase else { return };
        if cx.now.mono >= stopping.deadline {
            let left = stopping.stage.left();
            let line = person::stop_timed_out(&left);
            cx.warn(line);
            self.phase = Phase::Ended;
            cx.fx.push(Effect::Exit(ExitCode::Failure));
            return;
        }
        if let Stage::Deliveries { query, until, next: Some(next), .. } = stopping.stage.clone()
            && cx.now.mono >= next
        {
            self.count_deliveries(cx, query, until);
        }
    }
}

impl Stopping {
    const fn new(now: Millis) -> Self {
        Self { stage: Stage::Cards, deadline: Millis(now.0.saturating_add(LONGEST.0)), cancelled: 0 }
    }
}

impl Stage {
    /// What is unfinished, for the person at the terminal.
    fn left(&self) -> String {
        match self {
            Self::Cards => "cards being edited".to_string(),
            Self::Connections { .. } => "the count of undelivered messages".to_string(),
            Self::Deliveries { left, .. } => format!("{left} undelivered messages"),
            Self::Closing => "the store being closed".to_string(),
        }
    }
}
