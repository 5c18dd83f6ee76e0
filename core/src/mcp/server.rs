//! The stateful part of the protocol: open calls, and the answers of the requests they came in.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::answer;
use super::exchange::{Exchange, joined};
use super::http::{Body, Head, Header, Reply, admit};
use super::meaning::{self, Era, Meaning, Method, Refusal, Request};
use super::tool::{Call, Ended, ToolBox, ToolResult};
use crate::effect::{Effect, Effects};
use crate::id::{CallId, RequestId};
use crate::jsonrpc::{self, Error, Id, Incoming, Members, MembersFault, code};
use crate::time::{Now, Wakeup};

/// The most calls open at a time (decisions 4).
const MAX_CALLS: usize = 512;

/// Serves MCP to any number of clients without a session: what a request needs is in it. The only state is the calls
/// that are not over.
///
/// A call begins in [`Server::on_request`], gets its answer by [`Server::finish`], and is over by
/// [`Server::on_ended`], which may come before the answer (the client left).
#[derive(Clone, Debug)]
pub struct Server {
    tools: ToolBox,
    /// The tools as lists show them.
    shown: Box<RawValue>,
    ready: bool,
    closed: bool,
    next: u64,
    calls: BTreeMap<CallId, OpenCall>,
    exchanges: BTreeMap<RequestId, Exchange>,
    /// Requests that have not ended: their answers may be on their way.
    requests: BTreeSet<RequestId>,
}

/// A call that is not over.
#[derive(Clone, Debug)]
struct OpenCall {
    request: RequestId,
    era: Era,
    id: Id,
    token: Option<Id>,
    /// The last progress sent.
    progress: u64,
    /// Its answer is in the exchange.
    answered: bool,
    /// A legacy client gave it up. The mark stands until the call is over, also after its answer.
    cancelled: bool,
}

/// What a request comes to.
enum Served {
    /// An answer that needs no tool.
    Answer(String),
    /// A call, and where it belongs.
    Call(Box<(Call, OpenCall)>),
}

impl Server {
    /// A server that is not ready yet.
    pub fn new(tools: ToolBox) -> Self {
        Self {
            shown: answer::shown(&tools),
            tools,
            ready: false,
            closed: false,
            next: 1,
            calls: BTreeMap::new(),
            exchanges: BTreeMap::new(),
            requests: BTreeSet::new(),
        }
    }

    /// Whether requests are served. Until they are, those that may be served get 503 with `Retry-After: 1`.
    pub fn set_ready(&mut self, ready: bool) {
        self.ready = ready;
    }

    /// Takes a request. What needs no tool is answered; the calls are given back, in the order of the request.
    pub fn on_request(
        &mut self,
        now: Now,
        request: RequestId,
        head: &Head,
        body: &Body,
        effects: &mut Effects,
    ) -> Vec<Call> {
        self.requests.insert(request);
        match self.begin(now, request, head, body) {
            Ok(calls) => calls,
            Err(reply) => {
                effects.push(Effect::HttpReply { request, reply });
                Vec::new()
            }
        }
    }

    /// Takes the end of a request: its client has the answer, or is gone. Each of its calls is over, the calls whose
    /// answer was never given included.
    pub fn on_ended(&mut self, request: RequestId, delivered: bool) -> Vec<Ended> {
        self.requests.remove(&request);
        self.exchanges.remove(&request);
        let mut over = Vec::new();
        self.calls.retain(|call, open| {
            let ends = open.request == request;
            if ends {
                over.push(Ended { call: *call, returned: delivered && open.answered && !open.cancelled });
            }
            !ends
        });
        over
    }

    /// Gives a call its result. A call that has one, or that is over, is left alone.
    pub fn finish(&mut self, _now: Now, call: CallId, result: ToolResult, effects: &mut Effects) {
        if let Some(open) = self.calls.get(&call) {
            let text = answer::call(&self.tools, open.era, &open.id, &result);
            self.answer(call, text, effects);
        }
    }

    /// Tells the client of a call how far it is, when it asked to be told. Each notification's number is one more than
    /// the last one's.
    pub fn progress(&mut self, _now: Now, call: CallId, message: &str, effects: &mut Effects) {
        let Some(open) = self.calls.get_mut(&call).filter(|open| !open.answered) else { return };
        let (Some(token), Some(exchange)) = (&open.token, self.exchanges.get_mut(&open.request)) else {
            return;
        };
        open.progress = open.progress.saturating_add(1);
        exchange.progress(answer::progress(token, open.progress, message), effects);
    }

    /// Opens the streams and sends the comments that are due. To be called with every input.
    pub fn tick(&mut self, now: Now, effects: &mut Effects) {
        for exchange in self.exchanges.values_mut() {
            exchange.tick(now, effects);
        }
    }

    /// When [`Server::tick`] has something to do.
    pub fn next_wakeup(&self) -> Option<Wakeup> {
        self.exchanges.values().filter_map(Exchange::wakeup).min()
    }

    /// The calls that are not over.
    pub fn open_calls(&self) -> usize {
        self.calls.len()
    }

    /// Whether a request has not ended: its client may not have the whole answer.
    pub fn has_requests(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Ends every call that has no result, with an error, and refuses what comes after.
    pub fn close(&mut self, effects: &mut Effects) {
        self.closed = true;
        let open: Vec<(CallId, Id)> = self
            .calls
            .iter()
            .filter(|(_, open)| !open.answered)
            .map(|(call, open)| (*call, open.id.clone()))
            .collect();
        for (call, id) in open {
            let error = Error::new(code::INTERNAL_ERROR, "the server stopped before the call was finished");
            self.answer(call, jsonrpc::error(Some(&id), &error), effects);
        }
    }

    fn answer(&mut self, call: CallId, text: String, effects: &mut Effects) {
        let Some(open) = self.calls.get_mut(&call).filter(|open| !open.answered) else { return };
        open.answered = true;
        if let Some(exchange) = self.exchanges.get_mut(&open.request) {
            exchange.answer(text, effects);
        }
    }

    /// Serves one request.
    ///
    /// # Errors
    /// The answer, when nothing of it is left to be done.
    fn begin(&mut self, now: Now, request: RequestId, head: &Head, body: &Body) -> Result<Vec<Call>, Reply> {
        // The front end asked before it read the body; asking again costs little and trusts nobody.
        admit(head)?;
        if self.closed {
            return Err(Reply::unavailable(None, "the server is stopping").with("Connection", "close"));
        }
        if !self.ready {
            return Err(Reply::unavailable(None, "the server is starting; try again in a second"));
        }
        let incoming = jsonrpc::decode(body.text()?).map_err(|fault| Refusal::from(fault).reply())?;
        let exchange = |batch| Exchange::new(now, request, batch, takes_stream(head));
        match incoming {
            Incoming::One(message) => {
                let meaning = meaning::one(head, message).map_err(|refusal| refusal.reply())?;
                match self.serve(request, meaning).map_err(|refusal| refusal.reply())? {
                    None => Err(Reply::empty(202)),
                    Some(Served::Answer(text)) => Err(Reply::json(200, text)),
                    Some(Served::Call(call)) => self.open(request, exchange(false), Vec::from([*call])),
                }
            }
            Incoming::Batch(elements) => {
                let elements = meaning::batch(head, elements).map_err(|refusal| refusal.reply())?;
                let (mut answers, mut calls) = (Vec::new(), Vec::new());
                for element in elements {
                    match element.and_then(|meaning| self.serve(request, meaning)) {
                        Ok(None) => {}
                        Ok(Some(Served::Answer(text))) => answers.push(text),
                        Ok(Some(Served::Call(call))) => calls.push(*call),
                        Err(refusal) => answers.push(refusal.text()),
                    }
                }
                match (calls.is_empty(), answers.is_empty()) {
                    (true, true) => Err(Reply::empty(202)),
                    (true, false) => Err(Reply::json(200, joined(true, answers))),
                    (false, _) => self.open(request, exchange(true).with_ready(answers), calls),
                }
            }
        }
    }

    /// Opens the calls of a request.
    ///
    /// # Errors
    /// 503 when there would be too many.
    fn open(
        &mut self,
        request: RequestId,
        mut exchange: Exchange,
        calls: Vec<(Call, OpenCall)>,
    ) -> Result<Vec<Call>, Reply> {
        if self.calls.len().saturating_add(calls.len()) > MAX_CALLS {
            let id = calls.first().filter(|_| calls.len() == 1).map(|(_, open)| &open.id);
            return Err(Reply::unavailable(id, "512 calls are open; try again when one has ended"));
        }
        let mut begun = Vec::new();
        for (call, open) in calls {
            exchange.expect();
            self.calls.insert(call.id, open);
            begun.push(call);
        }
        self.exchanges.insert(request, exchange);
        Ok(begun)
    }

    /// Serves one message; `None` when it gets no answer.
    ///
    /// # Errors
    /// The error it gets instead of a result.
    fn serve(&mut self, request: RequestId, meaning: Meaning<'_>) -> Result<Option<Served>, Refusal> {
        let message = match meaning {
            Meaning::Nothing => return Ok(None),
            Meaning::Cancelled(id) => {
                self.cancel(&id);
                return Ok(None);
            }
            Meaning::Request(message) => message,
        };
        let Request { era, id, method, params, .. } = &message;
        Ok(Some(match method {
            Method::Discover => Served::Answer(answer::discover(&self.tools, id)),
            Method::Ping => Served::Answer(answer::ping(id)),
            Method::Initialize => {
                let asked = params.text("protocolVersion");
                let asked = asked.ok_or_else(|| invalid(id, "protocolVersion must be a string"))?;
                Served::Answer(answer::initialize(&self.tools, id, &asked))
            }
            // There is one page, so no cursor was ever given out.
            Method::List if params.raw("cursor").is_some() => {
                return Err(invalid(id, "unknown cursor; list without one"));
            }
            Method::List => Served::Answer(answer::list(&self.tools, &self.shown, *era, id)),
            Method::Call => self.call(request, message)?,
        }))
    }

    /// Reads a `tools/call`. Arguments that no tool can read are answered as a tool would answer them: with a result the
    /// model can act on.
    ///
    /// # Errors
    /// In an ordinary answer: `-32602` for a name or arguments of the wrong kind and an unknown tool.
    fn call(&mut self, request: RequestId, message: Request<'_>) -> Result<Served, Refusal> {
        let Request { era, id, params, token, .. } = message;
        let tool = params.text("name").ok_or_else(|| invalid(&id, "name must be a string"))?;
        if !self.tools.tools.iter().any(|known| known.name == tool) {
            return Err(invalid(&id, &format!("Unknown tool: {tool}")));
        }
        let arguments = match arguments(&params) {
            Ok(arguments) => arguments.ok_or_else(|| invalid(&id, "arguments must be an object"))?,
            Err(text) => {
                let result = ToolResult { structured: None, text, is_error: true };
                return Ok(Served::Answer(answer::call(&self.tools, era, &id, &result)));
            }
        };
        let call = CallId::new(self.next);
        self.next = self.next.saturating_add(1);
        let wants_progress = token.is_some();
        let open = OpenCall { request, era, id, token, progress: 0, answered: false, cancelled: false };
        let call = Call { id: call, tool, arguments, wants_progress, legacy: era == Era::Legacy };
        Ok(Served::Call(Box::new((call, open))))
    }

    /// Marks the calls that a legacy client may mean: ids of several clients are equal often, so none is ended.
    fn cancel(&mut self, id: &Id) {
        for open in self.calls.values_mut().filter(|open| open.era == Era::Legacy && open.id == *id) {
            open.cancelled = true;
        }
    }
}

/// The arguments of a call, or `None` when they are no object.
///
/// # Errors
/// What the model is told when they can't be read, naming the argument.
fn arguments(params: &Members<'_>) -> Result<Option<Map<String, Value>>, String> {
    let Some(json) = params.raw("arguments") else { return Ok(Some(Map::new())) };
    let members = match Members::read(json) {
        Ok(members) => members,
        Err(MembersFault::NotObject) => return Ok(None),
        Err(MembersFault::Unreadable) => {
            return Err("arguments: a name must be Unicode text, has half of a surrogate pair".to_owned());
        }
        Err(MembersFault::Twice { name, .. }) => {
            return Err(format!("{name}: must be given once, is given twice"));
        }
    };
    let read = |(name, json): (&str, _)| match jsonrpc::value(json) {
        Ok(value) => Ok((name.to_owned(), value)),
        Err(fault) => Err(format!("{name}: {fault}")),
    };
    members.iter().map(read).collect::<Result<_, _>>().map(Some)
}

/// Whether the client takes an event stream: it says nothing about what it accepts, or names it.
fn takes_stream(head: &Head) -> bool {
    let mut accepted =
        head.headers.iter().filter(|(name, _)| name == "accept").flat_map(|(_, value)| value.split(','));
    let stream = |range: &str| {
        let range = range.split(';').next().unwrap_or_default().trim();
        ["text/event-stream", "text/*", "*/*"].into_iter().any(|taken| range.eq_ignore_ascii_case(taken))
    };
    head.header("accept") == Header::None || accepted.any(stream)
}

fn invalid(id: &Id, message: &str) -> Refusal {
    Refusal { status: 200, id: Some(id.clone()), error: Error::new(code::INVALID_PARAMS, message) }
}

#[cfg(test)]
mod tests;
