//! A run as a person reads it: what passed the seam, in the script format of the system's tests.
//!
//! Lines that begin with `> ` are what happened to the agent (`> start`, `> call send {…}`, `> Alice: /approve 1`,
//! `> run 5s`, `> hang up 2`, `> stop`). The lines below are what was then seen: `log`, `err`, `post N` and `edit N`
//! (cards and other messages in the control chat), `gone N`, `call N progress|result|error|refused|status`,
//! `exit CODE`. Everything else that was told to the agent is a comment, which begins with `# `.
//!
//! A recorded network is not the simulated one of the tests: the lines of a record say what happened, and become a
//! test when they are put below a scenario with the same people.

mod call;
mod command;
mod exchange;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Deserialize;

pub use exchange::{Exchange, Told};

use crate::effect::{DataFile, Effect, Input, Outcome};
use crate::id::{OpId, RequestId};
use crate::simplex::event::{self, Event};
use crate::simplex::model::{ChatDir, PlacedItem};
use crate::simplex::response;
use crate::time::{Millis, Now};
use command::Shown;

/// Time that passes unseen for less than this is not told.
const TOLD: Millis = Millis::secs(1);

/// Makes the lines of a run. Feed it everything that passes the seam, in order.
#[derive(Clone, Debug, Default)]
pub struct Readable {
    every_command: bool,
    /// The control chat's number, once the agent wrote it down.
    control: Option<u64>,
    /// When the last line was made.
    last: Option<Millis>,
    now: Millis,
    calls: BTreeMap<RequestId, Call>,
    commands: BTreeMap<OpId, Shown>,
}

/// An HTTP request, numbered from 1.
#[derive(Clone, Debug)]
struct Call {
    number: usize,
    exchange: Exchange,
    told: Told,
}

impl Readable {
    /// A run that begins. With `every_command` each command of the agent is seen as `command LINE`, and each answer
    /// that is an error.
    pub fn new(every_command: bool) -> Self {
        Self { every_command, ..Self::default() }
    }

    /// The lines of an input.
    pub fn input(&mut self, now: Now, input: &Input) -> Vec<String> {
        self.now = now.mono;
        let lines = match input {
            Input::Start { state } => {
                self.read_state(state.as_deref().unwrap_or_default());
                self.last = Some(now.mono);
                Vec::from(["> start".to_string()])
            }
            Input::Event(text) => self.event(text),
            Input::CoreLost { reason } => Vec::from([format!("# the SimpleX core is lost: {reason}")]),
            Input::Done { op, result } => self.done(*op, result),
            Input::Http { request, head, body } => {
                let number = self.calls.len() + 1;
                let call = Call { number, exchange: Exchange::default(), told: Told::default() };
                self.calls.insert(*request, call);
                Vec::from([call::line(number, head, body)])
            }
            Input::HttpEnded { request, delivered } => self.http_ended(*request, *delivered),
            Input::Stop => Vec::from(["> stop".to_string()]),
            Input::Tick => Vec::new(),
        };
        self.timed(lines)
    }

    /// The lines of an effect.
    pub fn effect(&mut self, effect: &Effect) -> Vec<String> {
        let lines = match effect {
            Effect::Log(line) => Vec::from([format!("log {line}")]),
            Effect::Warn(line) => Vec::from([format!("err {line}")]),
            Effect::ShowQr { link, size } => Vec::from([format!("log [QR code, {size:?}: {link}]")]),
            Effect::Exit(code) => Vec::from([format!("exit {}", code.number())]),
            Effect::Command { op, line } => self.command(*op, line),
            Effect::Write { file, text, .. } => {
                if *file == DataFile::State {
                    self.read_state(text);
                }
                Vec::new()
            }
            Effect::HttpReply { request, reply } => {
                self.of_call(*request, |exchange| exchange.take_reply(reply.clone()))
            }
            Effect::HttpOpen { request, headers } => {
                self.of_call(*request, |exchange| exchange.open(headers.clone()))
            }
            Effect::HttpSend { request, text } => self.of_call(*request, |exchange| exchange.take_text(text)),
            Effect::HttpClose { request } => self.of_call(*request, |exchange| exchange.ended = true),
            Effect::Listen { .. } | Effect::CloseHttp | Effect::CloseCore { .. } => Vec::new(),
        };
        self.timed(lines)
    }

    /// Puts the time that passed before the lines.
    fn timed(&mut self, mut lines: Vec<String>) -> Vec<String> {
        if lines.is_empty() {
            return lines;
        }
        let passed = self.now.since(self.last.unwrap_or(self.now));
        if passed >= TOLD {
            lines.insert(0, format!("> run {}s", passed.0 / 1000));
        }
        self.last = Some(self.now);
        lines
    }

    /// Takes the control chat from the text of `state.json`.
    fn read_state(&mut self, text: &str) {
        #[derive(Deserialize)]
        struct State {
            control: Control,
        }
        #[derive(Deserialize)]
        struct Control {
            group: u64,
        }
        if let Ok(State { control }) = serde_json::from_str(text) {
            self.control = Some(control.group);
        }
    }

    fn event(&self, text: &str) -> Vec<String> {
        match event::decode(text) {
            Event::NewItems(items) => items.iter().filter_map(|placed| self.message(placed)).collect(),
            Event::Unknown { tag, why: Some(why) } => {
                Vec::from([format!("# event {tag}, unreadable: {why}")])
            }
            _ => Vec::from([format!("# event {}", event::tag(text))]),
        }
    }

    /// A message of somebody else: in the control chat the line of who wrote it, elsewhere a comment.
    fn message(&self, placed: &PlacedItem) -> Option<String> {
        let content = placed.chat_item.received()?;
        let chat = placed.chat_info.conversation()?.to_string();
        let text = content.text.replace('\n', "\\n");
        let control = self.control.is_some_and(|group| chat == format!("#{group}"));
        Some(match &placed.chat_item.chat_dir {
            ChatDir::GroupRcv(member) if control => format!("> {}: {text}", member.name()),
            ChatDir::GroupRcv(member) => format!("# {chat} {}: {text}", member.name()),
            _ => format!("# {chat}: {text}"),
        })
    }

    fn command(&mut self, op: OpId, line: &str) -> Vec<String> {
        let shown = Shown::of(line, self.control);
        let is_post = !matches!(shown, Shown::Command(_));
        self.commands.insert(op, shown);
        if self.every_command && !is_post { Vec::from([format!("command {line}")]) } else { Vec::new() }
    }

    fn done(&mut self, op: OpId, result: &Outcome) -> Vec<String> {
        let shown = self.commands.remove(&op);
        match (shown, result) {
            (Some(shown), Outcome::Response(text)) => match response::decode(text) {
                Ok(response) => shown.lines(&response),
                Err(error) if self.every_command || shown.is_post() => {
                    let chain: Vec<&str> = error.chain().collect();
                    Vec::from([format!("# error of {}: {}", shown.name(), chain.join(": "))])
                }
                Err(_) => Vec::new(),
            },
            (Some(shown), Outcome::Failed(reason)) => {
                Vec::from([format!("# failed: {}: {reason}", shown.name())])
            }
            (None, Outcome::Failed(reason)) => Vec::from([format!("# failed: {reason}")]),
            (None, Outcome::AddrInUse) => Vec::from(["# the port is in use".to_string()]),
            _ => Vec::new(),
        }
    }

    fn http_ended(&mut self, request: RequestId, delivered: bool) -> Vec<String> {
        match self.calls.get_mut(&request) {
            Some(call) if !delivered && !call.exchange.gone => {
                call.exchange.gone = true;
                call.exchange.ended = true;
                Vec::from([format!("> hang up {}", call.number)])
            }
            _ => Vec::new(),
        }
    }

    fn of_call(&mut self, request: RequestId, change: impl FnOnce(&mut Exchange)) -> Vec<String> {
        let Some(call) = self.calls.get_mut(&request) else { return Vec::new() };
        change(&mut call.exchange);
        call.exchange.news(call.number, &mut call.told)
    }
}

/// A message, one line a line: `post 13: first`, `  | second`.
pub fn message_lines(what: &str, number: impl core::fmt::Display, text: &str) -> Vec<String> {
    let mut parts = text.split('\n');
    let first = format!("{what} {number}: {}", parts.next().unwrap_or_default());
    core::iter::once(first).chain(parts.map(|line| format!("  | {line}"))).collect()
}
