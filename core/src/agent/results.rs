//! The results of calls that wait on an action: when they are ready, and what they hold.

use alloc::string::String;
use alloc::vec::Vec;

use super::action::{Action, Stage, State, Work};
use super::call::{Answered, json, take_new};
use super::facts::Facts;
use super::tools::input::{Call as Input, ConnectInput, SendInput};
use super::tools::result::{ConnectResult, LeaveResult, Message, SendResult, Status};
use super::{Agent, connect};
use crate::time::Millis;

/// Most messages of a connect's result beside its page: those a collector keeps.
const CONNECT_MESSAGES: usize = 100;

impl Agent {
    /// The result of a call on an action, when it is ready, and what is done when its client has it.
    pub(super) fn result(&self, now: Millis, number: u64, input: &Input) -> Option<(String, Answered)> {
        let action = self.desk.action(number)?;
        match (input, &action.work) {
            (Input::Connect(input), Work::Connect(joining)) => {
                self.connect_result(now, action, joining, input)
            }
            (Input::Send(input), Work::Send(_)) => self.send_result(now, action, input),
            (Input::Leave(_), Work::Leave) => leave_result(action),
            _ => None,
        }
    }

    /// When the result of a call may be ready, as far as time decides it.
    pub(super) fn result_due(&self, action: &Action, input: &Input) -> Option<Millis> {
        match (input, &action.work) {
            (Input::Connect(input), Work::Connect(joining)) => connect_end(action, joining, input),
            (Input::Send(input), Work::Send(_)) => send_end(action, input),
            _ => None,
        }
    }

    fn send_result(&self, now: Millis, action: &Action, input: &SendInput) -> Option<(String, Answered)> {
        let status = action.status()?;
        let mut result = SendResult {
            action: action.number,
            status,
            chat: None,
            item: None,
            responses: None,
            more: None,
            error: action.error(),
        };
        let mut answered = Answered { action: Some(action.number), read: None };
        if let (Status::Done, Some((item, _))) = (status, action.gain.sent) {
            if send_end(action, input).is_none_or(|end| now < end) {
                return None;
            }
            let mut collected = action.collector.as_ref().map(|c| c.collected(now, input.limit as usize));
            let read = collected.as_mut().map(|c| take_new(&mut c.messages, &self.reader));
            let (messages, more) = collected.map(|c| (c.messages, c.more)).unwrap_or_default();
            answered.read =
                action.chat.as_ref().map(|facts| (facts.conversation(), read.unwrap_or_default()));
            result.chat = action.chat.as_ref().map(Facts::chat);
            result.item = Some(item.number());
            result.responses = Some(messages);
            result.more = Some(more);
        }
        Some((json(&result), answered))
    }

    fn connect_result(
        &self,
        now: Millis,
        action: &Action,
        joining: &connect::Joining,
        input: &ConnectInput,
    ) -> Option<(String, Answered)> {
        let mut answered = Answered { action: Some(action.number), read: None };
        let result = match (&action.state, action.status()) {
            (State::Performing(_), _) => {
                // This call's own wait is over while others wait on.
                connect_end(action, joining, input).filter(|end| now >= *end)?;
                self.unconnected(action, joining)
            }
            (State::Done, Some(Status::Known)) => {
                self.known_result(Some(action.number), action.gain.joined.as_ref()?, &joining.said)
            }
            (State::Done, _) if action.gain.connected_at.is_none() => self.unconnected(action, joining),
            (State::Done, _) => {
                connect_end(action, joining, input).filter(|end| now >= *end)?;
                let facts = action.gain.joined.as_ref()?;
                let mut messages = self.connect_messages(now, action, joining);
                answered.read = Some((facts.conversation(), take_new(&mut messages, &self.reader)));
                ConnectResult {
                    connected: Some(true),
                    messages: Some(messages),
                    ..self.chat_result(Some(action.number), Status::Done, facts, &joining.said)
                }
            }
            (_, Some(status)) => bare(action.number, status, action.error()),
            (_, None) => return None,
        };
        Some((json(&result), answered))
    }

    /// Asked for and not accepted yet; the chat is named when there is one.
    fn unconnected(&self, action: &Action, joining: &connect::Joining) -> ConnectResult {
        let said = &joining.said;
        let result = match &action.gain.joined {
            Some(facts) => self.chat_result(Some(action.number), Status::Done, facts, said),
            None => ConnectResult {
                chat_type: said.peer.as_ref().map(|peer| peer.chat_type),
                name: said.peer.as_ref().map(|peer| peer.name.clone()),
                peer_type: said.peer.as_ref().and_then(|peer| peer.peer_type.clone()),
                description: said.description.clone(),
                welcome: said.welcome.clone(),
                known_as: joining.known_as.clone(),
                ..bare(action.number, Status::Done, None)
            },
        };
        ConnectResult { connected: Some(false), ..result }
    }

    fn connect_messages(&self, now: Millis, action: &Action, joining: &connect::Joining) -> Vec<Message> {
        let mut messages: Vec<Message> = joining.opening.messages().cloned().collect();
        if let Some(collector) = &action.collector {
            messages.extend(collector.collected(now, CONNECT_MESSAGES).messages);
        }
        // A message that was streamed at the connection stands among those of the page.
        messages.sort_by_key(|message| message.item);
        messages
    }
}

/// Whether a call of a connect may end by time alone: once its connection was asked for, and behind another connect to
/// its target. In between, nothing is known until the core answers.
const fn can_wait(action: &Action, joining: &connect::Joining) -> bool {
    match action.state {
        State::Performing(Stage::Running) => false,
        State::Performing(Stage::Waiting(_)) => joining.conn.is_some(),
        _ => true,
    }
}

/// When a send's call is over: `wait` after the sending, or `idle` after the last response.
fn send_end(action: &Action, input: &SendInput) -> Option<Millis> {
    let (_, sent) = action.gain.sent?;
    let end = sent + Millis::secs(u64::from(input.wait));
    let quiet = action.collector.as_ref().and_then(|c| c.quiet_at(Millis::secs(u64::from(input.idle))));
    Some(quiet.map_or(end, |quiet| quiet.min(end)))
}

/// When a connect's call is over: `wait` after the approval at the latest; once connected, `idle` without a message,
/// counted from the connection, or with a message from the first reply. A connect that has not been asked for yet has
/// nothing to tell: its call goes on though its time is over, until the core has answered.
fn connect_end(action: &Action, joining: &connect::Joining, input: &ConnectInput) -> Option<Millis> {
    if !can_wait(action, joining) {
        return None;
    }
    let end = action.approved_at? + Millis::secs(u64::from(input.wait));
    let Some(connected) = action.gain.connected_at.filter(|_| action.is_final()) else { return Some(end) };
    let idle = Millis::secs(u64::from(input.idle));
    let quiet = action.collector.as_ref().and_then(|c| c.quiet_at(idle));
    let replied = quiet.is_some() || joining.page_has_reply();
    if joining.message.is_some() && !replied {
        return Some(end);
    }
    Some(quiet.unwrap_or(connected + idle).min(end))
}

impl connect::Joining {
    /// Whether the page at the connection holds an answer to the own message: something received after it.
    fn page_has_reply(&self) -> bool {
        let own = self.message.as_deref();
        let after = self.opening.messages().skip_while(|message| Some(message.text.as_str()) != own);
        after.count() > 1
    }
}

fn leave_result(action: &Action) -> Option<(String, Answered)> {
    let status = action.status()?;
    let chat = action.chat.as_ref().map(Facts::chat).filter(|_| status == Status::Done);
    let result = LeaveResult { action: action.number, status, chat, error: action.error() };
    Some((json(&result), Answered { action: Some(action.number), read: None }))
}

/// A connect's result that names no chat.
fn bare(number: u64, status: Status, error: Option<String>) -> ConnectResult {
    ConnectResult {
        action: Some(number),
        status,
        chat: None,
        connected: None,
        admission: None,
        chat_type: None,
        name: None,
        simplex_name: None,
        peer_type: None,
        description: None,
        welcome: None,
        commands: Vec::new(),
        known_as: None,
        role: None,
        messages: None,
        error,
    }
}
