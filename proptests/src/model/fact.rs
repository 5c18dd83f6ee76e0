//! What happened at the seam, in the words of the model.

use std::collections::BTreeMap;

use serde_json::Value;
use simplex_agent_core::effect::{Effect, Input, Outcome};
use simplex_agent_core::mcp::http::Body;

use super::key::Key;
use super::reading;
use crate::play::moment;
use crate::trace::Trace;
use crate::world::Seam;

/// One thing that happened, with its place in the seam.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Its place.
    pub at: usize,
    /// The wall clock, in milliseconds.
    pub unix: i64,
    /// The monotonic clock, in milliseconds.
    pub mono: u64,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum What {
    /// A process began.
    Start,
    /// A process ended, as asked or killed.
    End,
    /// It was asked to stop.
    StopAsked,
    /// A tool call that may make an action came.
    Call(u64, Option<Key>),
    /// The client of a request left.
    Gone(u64),
    /// A JSON-RPC message for a request was written.
    Said(u64, Value),
    /// The answer of a request ended.
    Closed(u64),
    /// An event of the SimpleX core.
    Event(Value),
    /// A command for the SimpleX core.
    Command(u64, String),
    /// It answered a command: the line, and the result, null when it is an error.
    Answer(u64, String, Value),
    /// A line was logged.
    Log(String),
}

/// The facts of a trace, in order.
pub fn facts(trace: &Trace) -> Vec<Fact> {
    let mut lines: BTreeMap<u64, String> = BTreeMap::new();
    let mut facts = Vec::new();
    for (at, seam) in trace.seam.iter().enumerate() {
        let now = moment(seam);
        for what in whats(seam, &mut lines) {
            facts.push(Fact { at, unix: now.unix.0, mono: now.mono.0, what });
        }
    }
    facts
}

fn whats(seam: &Seam, lines: &mut BTreeMap<u64, String>) -> Vec<What> {
    match seam {
        Seam::Killed(_) => vec![What::End],
        Seam::In(_, input) => came(input, lines).into_iter().collect(),
        Seam::Out(_, effect) => went(effect, lines),
    }
}

fn came(input: &Input, lines: &mut BTreeMap<u64, String>) -> Option<What> {
    Some(match input {
        Input::Start { .. } => {
            lines.clear();
            What::Start
        }
        Input::Stop => What::StopAsked,
        Input::Event(text) => What::Event(reading::result(text)),
        Input::Done { op, result: Outcome::Response(text) } => {
            let line = lines.remove(&op.number())?;
            What::Answer(op.number(), line, reading::result(text))
        }
        Input::Http { request, body: Body::Text(text), .. } => {
            let body: Value = serde_json::from_str(text).ok()?;
            What::Call(request.number(), Key::of(&body))
        }
        Input::HttpEnded { request, delivered: false } => What::Gone(request.number()),
        _ => return None,
    })
}

fn went(effect: &Effect, lines: &mut BTreeMap<u64, String>) -> Vec<What> {
    match effect {
        Effect::Command { op, line } => {
            lines.insert(op.number(), line.clone());
            vec![What::Command(op.number(), line.clone())]
        }
        Effect::HttpReply { request, reply } => {
            let said = serde_json::from_str(&reply.body).ok().map(|body| What::Said(request.number(), body));
            said.into_iter().chain([What::Closed(request.number())]).collect()
        }
        Effect::HttpSend { request, text } => {
            let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
            data.filter_map(|data| serde_json::from_str(data).ok())
                .map(|message| What::Said(request.number(), message))
                .collect()
        }
        Effect::HttpClose { request } => vec![What::Closed(request.number())],
        Effect::Log(line) => vec![What::Log(line.clone())],
        Effect::Exit(_) => vec![What::End],
        _ => Vec::new(),
    }
}
