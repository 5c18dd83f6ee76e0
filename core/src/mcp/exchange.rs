//! One HTTP request with calls in it, and the form of its answer.
//!
//! ```text
//! Waiting -every answer within 200 ms-> Answered, one JSON text
//! Waiting -200 ms, when the client takes a stream-> Streaming, an event for each message, a comment every 15 s
//! Streaming -last answer-> Answered
//! ```
//!
//! The first byte never depends on a tool: clients give up on a request that sends nothing, and a stream shows a client
//! that vanished (MCP digest, section 1.5).

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::http::Reply;
use crate::effect::{Effect, Effects};
use crate::id::RequestId;
use crate::time::{Millis, Now, Wakeup};

/// How long an answer may take to be a plain JSON text (decisions 5).
const GRACE: Millis = Millis(200);

/// How often a stream shows that it lives (decisions 5; the default of both official SDKs).
const COMMENT: Millis = Millis::secs(15);

/// One HTTP request with calls in it.
#[derive(Clone, Debug)]
pub(super) struct Exchange {
    request: RequestId,
    /// Whether the request was an array, so that its answer is one.
    batch: bool,
    /// Messages not sent yet; progress of the grace period among them, which a JSON answer leaves out.
    unsent: Vec<Unsent>,
    /// Answers that are still to come.
    open: usize,
    stage: Stage,
}

#[derive(Clone, Debug)]
enum Unsent {
    Answer(String),
    Progress(String),
}

#[derive(Clone, Debug)]
enum Stage {
    /// Nothing was sent; a stream is opened at this time, or never.
    Waiting(Option<Millis>),
    /// A stream is open; a comment is due at this time.
    Streaming(Millis),
    /// Everything was sent.
    Answered,
}

impl Exchange {
    /// A request without answers yet. `streams` is false for a client that takes no
    /// event stream: it gets JSON, however late.
    pub(super) fn new(now: Now, request: RequestId, batch: bool, streams: bool) -> Self {
        let stage = Stage::Waiting(streams.then_some(now.mono + GRACE));
        Self { request, batch, unsent: Vec::new(), open: 0, stage }
    }

    /// Announces an answer that is still to come.
    pub(super) fn expect(&mut self) {
        self.open = self.open.saturating_add(1);
    }

    /// The same exchange with the answers that were ready at once.
    pub(super) fn with_ready(mut self, answers: Vec<String>) -> Self {
        self.unsent.extend(answers.into_iter().map(Unsent::Answer));
        self
    }

    /// Takes an expected answer. The last one ends the exchange.
    pub(super) fn answer(&mut self, answer: String, effects: &mut Effects) {
        self.open = self.open.saturating_sub(1);
        self.unsent.push(Unsent::Answer(answer));
        match self.stage {
            Stage::Waiting(_) if self.open == 0 => {
                effects.push(Effect::HttpReply { request: self.request, reply: self.json() });
                self.stage = Stage::Answered;
            }
            Stage::Streaming(_) => {
                self.flush(effects);
                if self.open == 0 {
                    effects.push(Effect::HttpClose { request: self.request });
                    self.stage = Stage::Answered;
                }
            }
            Stage::Waiting(_) | Stage::Answered => {}
        }
    }

    /// Takes a notification about one of the calls.
    pub(super) fn progress(&mut self, notification: String, effects: &mut Effects) {
        match self.stage {
            Stage::Waiting(Some(_)) => self.unsent.push(Unsent::Progress(notification)),
            Stage::Streaming(_) => {
                self.unsent.push(Unsent::Progress(notification));
                self.flush(effects);
            }
            Stage::Waiting(None) | Stage::Answered => {}
        }
    }

    /// Opens the stream or sends the comment that is due.
    pub(super) fn tick(&mut self, now: Now, effects: &mut Effects) {
        match self.stage {
            Stage::Waiting(Some(at)) if at <= now.mono => {
                effects.push(Effect::HttpOpen { request: self.request, headers: stream_headers() });
                self.stage = Stage::Streaming(now.mono + COMMENT);
                self.flush(effects);
            }
            Stage::Streaming(at) if at <= now.mono => {
                effects.push(Effect::HttpSend { request: self.request, text: ": keepalive\n\n".to_owned() });
                self.stage = Stage::Streaming(now.mono + COMMENT);
            }
            _ => {}
        }
    }

    /// When [`Exchange::tick`] has something to do.
    pub(super) fn wakeup(&self) -> Option<Wakeup> {
        match self.stage {
            Stage::Waiting(at) => at.map(|at| Wakeup { at, why: "open an event stream" }),
            Stage::Streaming(at) => Some(Wakeup { at, why: "keep an event stream alive" }),
            Stage::Answered => None,
        }
    }

    fn flush(&mut self, effects: &mut Effects) {
        for message in self.unsent.drain(..) {
            let (Unsent::Answer(json) | Unsent::Progress(json)) = message;
            effects.push(Effect::HttpSend { request: self.request, text: event(&json) });
        }
    }

    fn json(&mut self) -> Reply {
        let answers = self.unsent.drain(..).filter_map(|message| match message {
            Unsent::Answer(json) => Some(json),
            Unsent::Progress(_) => None,
        });
        Reply::json(200, joined(self.batch, answers.collect()))
    }
}

/// The body of a JSON answer: one message, or the array of a batch's.
pub(super) fn joined(batch: bool, answers: Vec<String>) -> String {
    let all = answers.join(",");
    if batch { "[".to_owned() + &all + "]" } else { all }
}

/// A message as one event. A line break in JSON text is white space between its parts, and would end the line here.
/// There is no `id:`, because a client would take the stream for one that can be resumed.
fn event(json: &str) -> String {
    "event: message\ndata: ".to_owned() + &json.replace(['\n', '\r'], " ") + "\n\n"
}

fn stream_headers() -> Vec<(String, String)> {
    let headers = [
        ("Content-Type", "text/event-stream"),
        ("Cache-Control", "no-cache, no-transform"),
        ("X-Accel-Buffering", "no"),
    ];
    headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}
