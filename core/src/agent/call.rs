//! The open tool calls: what each is waiting for, and how it is answered.
//!
//! ```text
//! Looking -chat read, checks passed, action found or made-> Waiting -its condition-> Answered -client has it-> gone
//! Looking -a receive whose chat has nothing new-> Receiving -> Answered
//! Looking -an error the model can correct-> Answered
//! any -the client leaves-> gone; its action stays as it is (plan, "Calls")
//! ```

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::action::{Action, Stage as Progress, State, Way};
use super::collect::Collector;
use super::ops::{Answer, Then};
use super::reader::{Reader, Receiving};
use super::text;
use super::tools::input::{Call as Input, ToolName};
use super::tools::result::{ActionState, Message};
use super::{Agent, Cx, tools};
use crate::config::Config;
use crate::id::CallId;
use crate::mcp::{Call, Ended, ToolBox, ToolResult};
use crate::simplex::command::{Command, Conversation};
use crate::simplex::model::ItemId;
use crate::time::{Millis, Now};

/// While an action is not final, its calls are told how far it is this often (plan, "Calls").
const PROGRESS: Millis = Millis::secs(60);

/// What a call reads before it becomes an action or a result takes at most this long: four times the core's own
/// longest time-out (FINDINGS 7), so that a core that never answers leaves no call open.
pub(super) const LONGEST_LOOK: Millis = Millis::secs(120);

/// One open call.
#[derive(Clone, Debug)]
pub(super) struct OpenCall {
    pub(super) input: Input,
    pub(super) stage: Stage,
    /// When it came.
    opened: Millis,
    /// When it was told how far it is, and the state of its action then; a `receive` has none.
    told: Option<(Millis, Option<ActionState>)>,
}

impl OpenCall {
    /// What collects messages for it.
    pub(super) fn collector_mut(&mut self) -> Option<&mut Collector> {
        match &mut self.stage {
            Stage::Receiving(receiving) => Some(&mut receiving.collector),
            Stage::Looking | Stage::Waiting(_) | Stage::Answered(_) => None,
        }
    }
}

/// What a call is waiting for.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// Commands that come before an action or a result.
    Looking,
    /// This action.
    Waiting(u64),
    /// A new message, at most until this moment.
    Receiving(Box<Receiving>),
    /// That its client has the result.
    Answered(Answered),
}

/// What is done when a result has reached its client.
#[derive(Clone, Debug, Default)]
pub(super) struct Answered {
    /// The action that is returned then.
    pub(super) action: Option<u64>,
    /// The messages that are read then.
    pub(super) read: Option<(Conversation, Vec<ItemId>)>,
}

/// Steps of answered calls.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Messages are being marked read.
    MarkRead(Vec<ItemId>),
}

/// What MCP serves for this configuration.
pub(super) fn tool_box(config: &Config, display: &str) -> ToolBox {
    tools::tool_box(display, &config.version, config.mode)
}

impl Agent {
    /// A tool call came.
    pub(super) fn open_call(&mut self, cx: &mut Cx<'_>, call: Call) {
        let Some(tool) = ToolName::named(&call.tool) else {
            debug_assert!(false, "MCP serves a tool that does not exist: {}", call.tool);
            return;
        };
        let input = match Input::parse(tool, &call.arguments) {
            Ok(input) => input,
            Err(reason) => return self.server.finish(cx.now, call.id, refused(reason), cx.fx),
        };
        let open = OpenCall { input: input.clone(), stage: Stage::Looking, opened: cx.now.mono, told: None };
        self.calls.insert(call.id, open);
        match input {
            Input::Connect(input) => self.look_up_target(cx, call.id, &input),
            Input::Send(_) | Input::Leave(_) | Input::Receive(_) => self.look_up_chat(cx, call.id),
            Input::List {} => self.begin_list(cx, call.id),
        }
    }

    /// Ends a call with an error that the model can correct.
    pub(super) fn refuse(&mut self, cx: &mut Cx<'_>, call: CallId, reason: impl Into<String>) {
        if let Some(open) = self.calls.get_mut(&call) {
            open.stage = Stage::Answered(Answered::default());
            self.server.finish(cx.now, call, refused(reason.into()), cx.fx);
        }
    }

    /// Ends a call with a result.
    pub(super) fn answer(&mut self, cx: &mut Cx<'_>, call: CallId, result: String, answered: Answered) {
        let Some(open) = self.calls.get_mut(&call) else { return };
        if let Some((_, items)) = &answered.read {
            self.reader.hand_out(items);
        }
        open.stage = Stage::Answered(answered);
        let result = ToolResult { text: result.clone(), structured: Some(result), is_error: false };
        self.server.finish(cx.now, call, result, cx.fx);
    }

    /// The answer of a call reached its client, or the client is gone.
    pub(super) fn on_call_ended(&mut self, cx: &mut Cx<'_>, ended: Ended) {
        let Some(open) = self.calls.remove(&ended.call) else { return };
        match open.stage {
            Stage::Looking | Stage::Receiving(_) => {}
            Stage::Waiting(action) => self.detach(ended.call, action),
            Stage::Answered(answered) => self.on_answered(cx, ended, answered),
        }
    }

    fn on_answered(&mut self, cx: &mut Cx<'_>, ended: Ended, answered: Answered) {
        if let Some(number) = answered.action {
            self.detach(ended.call, number);
            if let Some(action) = self.desk.action_mut(number).filter(|_| ended.returned) {
                action.returned = true;
            }
        }
        let Some((conversation, items)) = answered.read.filter(|(_, items)| !items.is_empty()) else {
            return;
        };
        if ended.returned {
            self.reader.settle(&items);
            let read = Command::MarkRead { chat: conversation, items: items.clone() };
            self.command(cx, Then::Call(ended.call, Step::MarkRead(items)), &read);
        } else {
            self.reader.take_back(&items);
        }
    }

    /// The messages of a returned result are marked read, or could not be.
    pub(super) fn on_call(&mut self, cx: &mut Cx<'_>, _call: CallId, step: Step, answer: Answer) {
        let Step::MarkRead(items) = step;
        if let Err(trouble) = answer {
            self.reader.unsettle(&items);
            cx.warn(alloc::format!("messages not marked read: {}", trouble.text()));
        }
    }

    fn detach(&mut self, call: CallId, number: u64) {
        if let Some(action) = self.desk.action_mut(number) {
            action.calls.remove(&call);
        }
    }

    /// Lets a call wait on an action.
    pub(super) fn attach(&mut self, cx: &mut Cx<'_>, call: CallId, number: u64) {
        let (Some(open), Some(action)) = (self.calls.get_mut(&call), self.desk.action_mut(number)) else {
            return;
        };
        open.stage = Stage::Waiting(number);
        action.calls.insert(call);
        let wait = open.input.wait();
        self.extend_wait(number, wait);
        self.look_at_call(cx, call);
    }

    /// Looks whether a call's condition holds, and tells it how far its action is.
    pub(super) fn look_at_call(&mut self, cx: &mut Cx<'_>, call: CallId) {
        let Some(open) = self.calls.get(&call) else { return };
        match &open.stage {
            Stage::Waiting(number) => {
                let number = *number;
                self.look_at_waiting(cx, call, number);
            }
            Stage::Looking if cx.now.mono >= open.opened + LONGEST_LOOK => {
                self.refuse(cx, call, text::model::NO_ANSWER);
            }
            Stage::Receiving(receiving)
                if receiving.is_reading() && cx.now.mono >= open.opened + LONGEST_LOOK =>
            {
                self.refuse(cx, call, text::model::NO_ANSWER);
            }
            Stage::Receiving(receiving) if receiving.is_ready(cx.now.mono) => self.end_receive(cx, call),
            Stage::Receiving(receiving) if !receiving.is_reading() => {
                let until = cx.now.unix.plus(receiving.until().since(cx.now.mono));
                let message = text::model::receive_waits(receiving.chat(), until);
                self.tell(cx, call, None, message);
            }
            Stage::Receiving(_) | Stage::Looking | Stage::Answered(_) => {}
        }
    }

    /// Looks at all calls that wait on an action.
    pub(super) fn look_at_action(&mut self, cx: &mut Cx<'_>, number: u64) {
        let calls: Vec<CallId> =
            self.desk.action(number).map(|action| action.calls.iter().copied().collect()).unwrap_or_default();
        for call in calls {
            self.look_at_call(cx, call);
        }
    }

    fn look_at_waiting(&mut self, cx: &mut Cx<'_>, call: CallId, number: u64) {
        let Some(open) = self.calls.get(&call) else { return };
        if !self.desk.action(number).is_some_and(|action| action.numbered) {
            return; // Its result and its progress name the number, which is not stored yet (P7).
        }
        if let Some(ready) = self.result(cx.now.mono, number, &open.input) {
            return self.answer(cx, call, ready.0, ready.1);
        }
        let Some(action) = self.desk.action(number) else { return };
        let (state, message) = (action.listed_state(), self.progress(cx.now, action, &open.input));
        self.tell(cx, call, Some(state), message);
    }

    /// Progress: at once, then every minute, and at each change of the action's state (decisions 5).
    fn tell(&mut self, cx: &mut Cx<'_>, call: CallId, state: Option<ActionState>, message: String) {
        let Some(open) = self.calls.get_mut(&call) else { return };
        if open.told.is_some_and(|(at, told)| told == state && cx.now.mono < at + PROGRESS) {
            return;
        }
        open.told = Some((cx.now.mono, state));
        self.server.progress(cx.now, call, &message, cx.fx);
    }

    /// How far an action is, for a call that waits on it (plan, `action()`).
    fn progress(&self, now: Now, action: &Action, input: &Input) -> String {
        let number = action.number;
        let wall = |at: Millis| now.unix.plus(at.since(now.mono));
        match &action.state {
            State::Pending if action.way == Way::Ask => {
                text::model::waits_for_approver(number, action.created.unix.plus(self.config.expiry()))
            }
            State::Performing(Progress::Waiting(until)) => {
                text::model::waits_for_connection(number, wall(*until))
            }
            State::Pending | State::Performing(Progress::Queued | Progress::Running) => {
                text::model::being_performed(number)
            }
            State::Done | State::Failed(_) | State::Rejected | State::Expired => {
                let end = self.result_due(action, input).unwrap_or(now.mono);
                text::model::waits_for_messages(number, wall(end))
            }
        }
    }

    /// When the next call wants to be looked at. What is due has been looked at ([`Self::look_at_calls`] runs after
    /// every input); a call that is not answered then waits for an event or an answer, not for time.
    pub(super) fn calls_due(&self) -> Option<Millis> {
        let due = self.calls.values().filter_map(|open| self.call_due(open));
        due.filter(|at| *at > self.now.mono).min()
    }

    fn call_due(&self, open: &OpenCall) -> Option<Millis> {
        let told = open.told.map(|(at, _)| at + PROGRESS);
        match &open.stage {
            Stage::Answered(_) => None,
            Stage::Looking => Some(open.opened + LONGEST_LOOK),
            Stage::Receiving(receiving) if receiving.is_reading() => Some(open.opened + LONGEST_LOOK),
            Stage::Receiving(receiving) => [told, receiving.due()].into_iter().flatten().min(),
            Stage::Waiting(number) => {
                let numbered = self.desk.action(*number).filter(|action| action.numbered);
                let due = numbered.and_then(|action| self.result_due(action, &open.input));
                [told, due].into_iter().flatten().min()
            }
        }
    }

    /// Looks at every call that may be due.
    pub(super) fn look_at_calls(&mut self, cx: &mut Cx<'_>) {
        let now = cx.now.mono;
        let due: Vec<CallId> = self
            .calls
            .iter()
            .filter(|(_, open)| self.call_due(open).is_some_and(|at| at <= now))
            .map(|(call, _)| *call)
            .collect();
        for call in due {
            self.look_at_call(cx, call);
        }
    }
}

/// A result as JSON text.
pub(super) fn json(result: &impl serde::Serialize) -> String {
    serde_json::to_string(result).unwrap_or_default()
}

/// An error that the model can correct.
fn refused(reason: String) -> ToolResult {
    ToolResult { structured: None, text: reason, is_error: true }
}

/// Leaves `new` to those messages that no other call has handed out (decisions 4); gives what is marked read when the
/// result is returned: everything that is unread, because the other call may never be returned.
pub(super) fn take_new(messages: &mut [Message], reader: &Reader) -> Vec<ItemId> {
    let mut unread = Vec::new();
    for message in messages {
        let item = ItemId::new(message.item);
        if message.new && !reader.is_returned(item) {
            unread.push(item);
        }
        message.new &= !reader.is_known(item);
    }
    unread
}

impl Agent {
    /// The `receive` calls under way.
    pub(super) fn receiving_mut(&mut self) -> impl Iterator<Item = &mut Receiving> {
        self.calls.values_mut().filter_map(|open| match &mut open.stage {
            Stage::Receiving(receiving) => Some(&mut **receiving),
            Stage::Looking | Stage::Waiting(_) | Stage::Answered(_) => None,
        })
    }

    /// Their numbers.
    pub(super) fn receiving_calls(&self) -> Vec<CallId> {
        let receives = |open: &&OpenCall| matches!(open.stage, Stage::Receiving(_));
        self.calls.iter().filter(|(_, open)| receives(open)).map(|(call, _)| *call).collect()
    }
}
