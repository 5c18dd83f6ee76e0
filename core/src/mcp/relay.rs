//! A client that speaks MCP over lines, in front of a server that speaks it over HTTP: what becomes of each line, each
//! answer and each failure. Both eras pass through as they are; this adds the headers that HTTP wants, and an error for
//! whatever gets no answer.
//!
//! ```text
//! a request      -> one POST; what comes back -> one line for each message
//! cancelled      -> modern: that request's stream is closed. legacy: forwarded, then closed. Nothing more is written
//! 401            -> once more, with the token read anew; then an error
//! 503, or a server that holds the folder and does not listen yet -> again, for a minute; then an error
//! the client's end -> what is not answered soon gets an error
//! ```
//!
//! Sources: the MCP digest, sections 1.2, 1.6, 4.3 and 7.

mod headers;
mod sse;
#[cfg(test)]
mod tests;

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::meaning::envelope;
use super::version;
use crate::jsonrpc::{self, Error, Id, Incoming, Members, Message, code};
use crate::time::Millis;

pub use sse::Events;

/// How long a server that is not ready is waited for.
const PATIENCE: Millis = Millis::secs(60);
/// How long after a server that did not listen was tried, it is tried again.
const PAUSE: Millis = Millis(500);

/// How many messages are posted at once; the others wait for the answers or streams of these. A server has a limit to
/// its connections, and closes one that it has not begun to read.
const AT_ONCE: usize = 64;

/// One POST and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExchangeId(u64);

/// What has to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Post a message to the endpoint, with the port and the token as the data folder has them then.
    Post {
        /// Names the answer.
        exchange: ExchangeId,
        /// Names and values; the authority and the token come besides.
        headers: Vec<(&'static str, String)>,
        /// The body.
        body: String,
        /// How long to wait before.
        after: Millis,
    },
    /// Close the connection of an exchange; nothing more is said about it.
    Close(ExchangeId),
    /// A line for the client, without its end.
    Write(String),
}

/// How an exchange ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// An event stream ended, after its messages were told.
    Stream,
    /// An answer that is no event stream.
    Whole {
        /// The status.
        status: u16,
        /// The number in `Retry-After`, in seconds.
        retry_after: Option<u64>,
        /// The body.
        body: String,
    },
    /// No server holds the data folder.
    NotRunning,
    /// A server holds the data folder, and nobody listens on its port.
    NotListening,
    /// Something else failed; the reason is a part of a sentence.
    Failed(String),
}

/// The lines of one client.
#[derive(Debug)]
pub struct Relay {
    /// ` --data DIR` after NAME, or NAME alone: what a command that a message names takes.
    agent: String,
    next: u64,
    open: BTreeMap<ExchangeId, Open>,
    /// Those that are still to be posted, in order; some may be given up.
    queue: VecDeque<ExchangeId>,
    /// How many are at [`Place::Posted`].
    posted: usize,
    /// What `initialize` settled on.
    negotiated: Option<String>,
}

/// An exchange that has not ended.
#[derive(Clone, Debug)]
struct Open {
    headers: Vec<(&'static str, String)>,
    body: String,
    /// The requests without an answer.
    waiting: Vec<Id>,
    modern: bool,
    initialize: bool,
    token_tried: bool,
    waited: Millis,
    place: Place,
}

/// How far an exchange has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Others go first.
    Queued,
    /// Nothing has come back.
    Posted,
    /// Its answer is an open stream.
    Streaming,
}

/// What is still to come for a client that has closed its side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Nothing.
    Nothing,
    /// Messages that are not posted yet, or that the server has not answered in any way.
    Answers,
    /// Calls alone that the server works at, or that wait for something.
    Streams,
}

impl Relay {
    /// A relay for an agent; `data_option` is ` --data DIR`, quoted for the shell, or empty.
    pub fn new(name: &str, data_option: &str) -> Self {
        let agent = format!("{name}{data_option}");
        Self { agent, next: 0, open: BTreeMap::new(), queue: VecDeque::new(), posted: 0, negotiated: None }
    }

    /// Takes a line of the client.
    pub fn on_line(&mut self, line: &str, out: &mut Vec<Order>) {
        if line.trim().is_empty() {
            return;
        }
        match jsonrpc::decode(line) {
            Err(fault) => out.push(Order::Write(jsonrpc::error(fault.id.as_ref(), &fault.error))),
            Ok(Incoming::One(message)) => self.on_message(line, &message, out),
            Ok(Incoming::Batch(elements)) => {
                let ids = elements.iter().filter_map(|element| match element {
                    Ok(Message::Request { id, .. }) => Some(id.clone()),
                    _ => None,
                });
                let headers = headers::legacy(Some(version::BATCHES));
                self.post(line, headers, ids.collect(), false, false, out);
            }
        }
    }

    /// The answer of an exchange is an event stream.
    pub fn on_opened(&mut self, exchange: ExchangeId, out: &mut Vec<Order>) {
        self.leave(exchange, Place::Streaming);
        self.post_next(out);
    }

    /// Takes a message of an event stream.
    pub fn on_event(&mut self, exchange: ExchangeId, json: &str, out: &mut Vec<Order>) {
        let Some(open) = self.open.get_mut(&exchange) else { return };
        if let Ok(Incoming::One(Message::Response { id: Some(id), outcome })) = jsonrpc::decode(json) {
            open.waiting.retain(|waiting| *waiting != id);
            if open.initialize
                && let Ok(result) = outcome
                && let Ok(result) = Members::read(result)
            {
                self.negotiated = result.text("protocolVersion");
            }
        }
        out.push(Order::Write(one_line(json)));
    }

    /// Takes the end of an exchange.
    pub fn on_end(&mut self, exchange: ExchangeId, end: End, out: &mut Vec<Order>) {
        let Some(open) = self.open.get_mut(&exchange) else { return };
        let again = match &end {
            End::Whole { status: 401, .. } if !open.token_tried => {
                open.token_tried = true;
                Some(Millis(0))
            }
            End::Whole { status: 503, retry_after, .. } => {
                Some(Millis::secs(retry_after.unwrap_or(1).max(1)))
            }
            End::NotListening => Some(PAUSE),
            _ => None,
        };
        if let Some(after) = again
            && open.waited + after <= PATIENCE
        {
            open.waited = open.waited + after;
            let (headers, body) = (open.headers.clone(), open.body.clone());
            out.push(Order::Post { exchange, headers, body, after });
            return;
        }
        let error = self.answer(exchange, end, out);
        self.leave(exchange, Place::Streaming);
        let Some(open) = self.open.remove(&exchange) else { return };
        for id in open.waiting {
            out.push(Order::Write(jsonrpc::error(Some(&id), &error)));
        }
        self.post_next(out);
    }

    /// What is still to come when the client has closed its side.
    pub fn left(&self) -> Left {
        let is_unanswered = |open: &Open| open.place != Place::Streaming;
        if self.open.values().any(is_unanswered) {
            Left::Answers
        } else if self.open.values().any(|open| !open.waiting.is_empty()) {
            Left::Streams
        } else {
            Left::Nothing
        }
    }

    /// Whatever has no answer gets none any more, because the client has closed its side.
    pub fn give_up(&mut self, out: &mut Vec<Order>) {
        let text =
            "The client closed its side before the answer. Repeat the call: it attaches to the same action.";
        let error = Error::new(code::INTERNAL_ERROR, text);
        for id in core::mem::take(&mut self.open).into_values().flat_map(|open| open.waiting) {
            out.push(Order::Write(jsonrpc::error(Some(&id), &error)));
        }
    }

    fn on_message(&mut self, line: &str, message: &Message<'_>, out: &mut Vec<Order>) {
        match message {
            Message::Request { id, method, params } => {
                let (headers, modern) = self.headers(method, params, true);
                self.post(line, headers, [id.clone()].into(), modern, method == "initialize", out);
            }
            Message::Notification { method, params } if method == "notifications/cancelled" => {
                if let Some(id) = params.raw("requestId").and_then(Id::from_json) {
                    self.cancel(line, &id, out);
                }
            }
            Message::Notification { method, params } => {
                let (headers, modern) = self.headers(method, params, false);
                self.post(line, headers, Vec::new(), modern, false, out);
            }
            // The server asks nothing, so this answers nothing.
            Message::Response { .. } => {}
        }
    }

    /// The headers of a message, and whether it is of the modern era.
    fn headers(
        &self,
        method: &str,
        params: &Members<'_>,
        request: bool,
    ) -> (Vec<(&'static str, String)>, bool) {
        let meta = params.raw("_meta").and_then(|meta| Members::read(meta).ok()).unwrap_or_default();
        if meta.raw(envelope::VERSION).is_some() {
            let named = meta.text(envelope::VERSION).unwrap_or_default();
            return (headers::modern(&named, method, params, request), true);
        }
        let negotiated = self.negotiated.as_deref().filter(|_| method != "initialize");
        (headers::legacy(negotiated), false)
    }

    fn post(
        &mut self,
        line: &str,
        headers: Vec<(&'static str, String)>,
        waiting: Vec<Id>,
        modern: bool,
        initialize: bool,
        out: &mut Vec<Order>,
    ) {
        let exchange = ExchangeId(self.next);
        self.next = self.next.saturating_add(1);
        let body = line.trim().to_owned();
        let open = Open {
            headers,
            body,
            waiting,
            modern,
            initialize,
            token_tried: false,
            waited: Millis(0),
            place: Place::Queued,
        };
        self.open.insert(exchange, open);
        self.queue.push_back(exchange);
        self.post_next(out);
    }

    /// Posts what there is room for.
    fn post_next(&mut self, out: &mut Vec<Order>) {
        while self.posted < AT_ONCE
            && let Some(exchange) = self.queue.pop_front()
        {
            // It may have been given up.
            let Some(open) = self.open.get_mut(&exchange) else { continue };
            open.place = Place::Posted;
            self.posted += 1;
            let (headers, body) = (open.headers.clone(), open.body.clone());
            out.push(Order::Post { exchange, headers, body, after: Millis(0) });
        }
    }

    /// An exchange leaves [`Place::Posted`], when it is there.
    fn leave(&mut self, exchange: ExchangeId, to: Place) {
        if let Some(open) = self.open.get_mut(&exchange)
            && core::mem::replace(&mut open.place, to) == Place::Posted
        {
            self.posted = self.posted.saturating_sub(1);
        }
    }

    /// The client has given up a request. In the modern era closing its stream says so; a legacy server is told first.
    fn cancel(&mut self, line: &str, id: &Id, out: &mut Vec<Order>) {
        let meant = |open: &Open| open.waiting.contains(id);
        let exchanges: Vec<_> =
            self.open.iter().filter(|(_, open)| meant(open)).map(|(id, open)| (*id, open.modern)).collect();
        if exchanges.iter().any(|(_, modern)| !modern) {
            let headers = headers::legacy(self.negotiated.as_deref());
            self.post(line, headers, Vec::new(), false, false, out);
        }
        for (exchange, _) in exchanges {
            let Some(open) = self.open.get_mut(&exchange) else { continue };
            open.waiting.retain(|waiting| waiting != id);
            // The rest of a batch is still wanted.
            if open.waiting.is_empty() {
                let was_posted = open.place != Place::Queued;
                self.leave(exchange, Place::Streaming);
                self.open.remove(&exchange);
                if was_posted {
                    out.push(Order::Close(exchange));
                }
            }
        }
        self.post_next(out);
    }

    /// Writes what an answer holds. The error is for the requests that it does not answer.
    fn answer(&mut self, exchange: ExchangeId, end: End, out: &mut Vec<Order>) -> Error {
        let agent = &self.agent;
        let internal = |text: String| Error::new(code::INTERNAL_ERROR, text);
        let doctor = format!("simplex-mcp doctor {agent} says why.");
        match end {
            End::NotRunning => internal(format!("The agent is not running. Start it with: simplex-mcp serve {agent}")),
            End::NotListening => internal(format!("The agent's server is running and does not listen. {doctor}")),
            End::Failed(reason) => internal(format!("The agent's server gave no answer: {reason}. {doctor}")),
            End::Stream => internal(
                "The agent's server closed the connection before its answer. Repeat the call: it attaches to the same \
                 action."
                    .to_string(),
            ),
            End::Whole { status: 401, .. } => {
                internal(format!("The agent's server refuses the token in its data folder. {doctor}"))
            }
            End::Whole { status, body, .. } => {
                match jsonrpc::decode(&body) {
                    Ok(Incoming::One(Message::Response { id: None, outcome: Err(error) })) => return error,
                    Ok(Incoming::One(_)) => self.on_event(exchange, &body, out),
                    Ok(Incoming::Batch(answers)) => {
                        if let Some(open) = self.open.get_mut(&exchange) {
                            open.waiting.retain(|id| !answers.iter().any(|answer| answers_to(answer, id)));
                        }
                        out.push(Order::Write(one_line(&body)));
                    }
                    Err(_) => {}
                }
                internal(format!("The agent's server answered HTTP status {status}. {doctor}"))
            }
        }
    }
}

fn answers_to(message: &Result<Message<'_>, jsonrpc::Fault>, id: &Id) -> bool {
    matches!(message, Ok(Message::Response { id: Some(answered), .. }) if answered == id)
}

/// JSON on one line: a line break in it is white space between its parts.
fn one_line(json: &str) -> String {
    json.trim().replace(['\n', '\r'], " ")
}
