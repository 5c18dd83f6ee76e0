//! What a message asks for: its era, whether its headers agree with it, and its method.
//!
//! Steps 9 to 16 of the order of checks (MCP digest, sections 1.1 and 5.1). The body decides the era, the headers only
//! where the body says nothing:
//!
//! | message | era |
//! |---|---|
//! | `params._meta` has the protocol version | modern, whatever the headers say |
//! | no such member, version header from 2026-07-28 on | modern and broken; a notification is accepted |
//! | no such member, another version header or none | legacy |

pub(super) mod envelope;
mod headers;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::http::{Head, Reply};
use super::version;
use crate::jsonrpc::{self, Error, Fault, Id, Members, Message, code};
use envelope::{Envelope, meta};

/// What a message asks for.
#[derive(Debug)]
pub(super) enum Meaning<'a> {
    /// Nothing that is answered: any notification, and answers to requests that were never made.
    Nothing,
    /// A legacy client gives up the request with this id (decisions 4).
    Cancelled(Id),
    /// Something that is answered.
    Request(Request<'a>),
}

/// A request whose headers and envelope are right and whose method is served.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// The era.
    pub(super) era: Era,
    /// The id to repeat.
    pub(super) id: Id,
    /// The method.
    pub(super) method: Method,
    /// Its parameters.
    pub(super) params: Members<'a>,
    /// The progress token, with its JSON type.
    pub(super) token: Option<Id>,
}

/// The two ways to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// 2026-07-28.
    Modern,
    /// 2025-11-25 and earlier.
    Legacy,
}

/// The methods served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// `server/discover`, modern.
    Discover,
    /// `initialize`, legacy.
    Initialize,
    /// `ping`, legacy.
    Ping,
    /// `tools/list`.
    List,
    /// `tools/call`.
    Call,
}

/// Why a message is not served, and with which status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The HTTP status; 200 when the answer is an ordinary one that holds an error.
    pub(super) status: u16,
    /// The id to repeat, when it could be read and there is one.
    pub(super) id: Option<Id>,
    /// The error.
    pub(super) error: Error,
}

/// Header and body disagree, or a header that must be there is not (MCP, `-32020`).
const HEADER_MISMATCH: i64 = -32020;

/// The modern revision asked for is not served (MCP, `-32022`).
const UNSUPPORTED_VERSION: i64 = -32022;

/// The most elements of a legacy batch, as in the official TypeScript SDK.
const MAX_BATCH: usize = 100;

impl Refusal {
    fn new(status: u16, id: Option<&Id>, code: i64, message: &str) -> Self {
        Self { status, id: id.cloned(), error: Error::new(code, message) }
    }

    /// The whole answer.
    pub(super) fn reply(&self) -> Reply {
        Reply::error(self.status, self.id.as_ref(), &self.error)
    }

    /// The JSON-RPC answer without its status, for a batch.
    pub(super) fn text(&self) -> String {
        jsonrpc::error(self.id.as_ref(), &self.error)
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self { status: 400, id: fault.id, error: fault.error }
    }
}

/// What one message asks for.
///
/// # Errors
/// What it gets instead.
pub(super) fn one<'a>(head: &Head, message: Message<'a>) -> Result<Meaning<'a>, Refusal> {
    match message {
        Message::Request { id, method, params } => request(head, id, &method, params).map(Meaning::Request),
        Message::Notification { method, params } => notification(head, &method, &params),
        Message::Response { id, .. } => match headers::version(head, id.as_ref())? {
            Some(named) if version::is_modern(named) => {
                let message = "Invalid Request: a client posts requests and notifications";
                Err(Refusal::new(400, id.as_ref(), code::INVALID_REQUEST, message))
            }
            named => headers::legacy(named, id.as_ref()).map(|()| Meaning::Nothing),
        },
    }
}

/// What the messages of a legacy batch ask for, each by itself.
///
/// # Errors
/// What the whole batch gets instead: it is empty or too long, its version has no batches, or it holds `initialize` or
/// a modern request.
pub(super) fn batch<'a>(
    head: &Head,
    elements: Vec<Result<Message<'a>, Fault>>,
) -> Result<Vec<Result<Meaning<'a>, Refusal>>, Refusal> {
    let refused = |what: &str| {
        let message = "Invalid Request: ".to_owned() + what;
        Err(Refusal::new(400, None, code::INVALID_REQUEST, &message))
    };
    if headers::version(head, None)?.is_some_and(|named| named != version::BATCHES) {
        return refused("batches exist in revision 2025-03-26 only; send one message");
    }
    if elements.is_empty() {
        return refused("the batch is empty");
    }
    if elements.len() > MAX_BATCH {
        return refused("a batch has at most 100 messages");
    }
    let messages = || elements.iter().flatten();
    if messages().any(is_modern) {
        return refused("a batch holds no requests of revision 2026-07-28 or later");
    }
    if messages().any(|message| matches!(message, Message::Request { method, .. } if method == "initialize"))
    {
        return refused("initialize is not part of a batch");
    }
    Ok(elements.into_iter().map(|element| one(head, element?)).collect())
}

fn is_modern(message: &Message<'_>) -> bool {
    match message {
        Message::Request { params, .. } | Message::Notification { params, .. } => {
            meta(params, None).is_ok_and(|meta| meta.raw(envelope::VERSION).is_some())
        }
        Message::Response { .. } => false,
    }
}

fn request<'a>(head: &Head, id: Id, method: &str, params: Members<'a>) -> Result<Request<'a>, Refusal> {
    let meta = meta(&params, Some(&id))?;
    if meta.raw(envelope::VERSION).is_some() {
        let envelope = Envelope::read(&meta, &id)?;
        headers::agree(head, &id, &envelope.version, method)?;
        served_version(&envelope.version, &id)?;
        headers::complete(head, &id, method, &params)?;
        let served = match method {
            "server/discover" => Method::Discover,
            "tools/list" => Method::List,
            "tools/call" => Method::Call,
            _ => return Err(Refusal::new(404, Some(&id), code::METHOD_NOT_FOUND, "Method not found")),
        };
        return Ok(Request { era: Era::Modern, id, method: served, params, token: envelope.token });
    }
    match headers::version(head, Some(&id))? {
        Some(named) if version::is_modern(named) && method == "initialize" => {
            let message = "initialize belongs to revisions before 2026-07-28, the MCP-Protocol-Version header names a later one";
            Err(Refusal::new(400, Some(&id), HEADER_MISMATCH, message))
        }
        Some(named) if version::is_modern(named) => Err(Envelope::missing(&meta, &id)),
        named => {
            headers::legacy(named, Some(&id))?;
            let served = match method {
                "initialize" => Method::Initialize,
                "ping" => Method::Ping,
                "tools/list" => Method::List,
                "tools/call" => Method::Call,
                _ => return Err(Refusal::new(200, Some(&id), code::METHOD_NOT_FOUND, "Method not found")),
            };
            let token = meta.raw("progressToken").and_then(Id::from_json);
            Ok(Request { era: Era::Legacy, id, method: served, params, token })
        }
    }
}

fn notification<'a>(head: &Head, method: &str, params: &Members<'a>) -> Result<Meaning<'a>, Refusal> {
    let named = headers::version(head, None)?;
    let meta = meta(params, None)?;
    if meta.raw(envelope::VERSION).is_some() || named.is_some_and(version::is_modern) {
        headers::same_method(head, None, method)?;
        return Ok(Meaning::Nothing);
    }
    headers::legacy(named, None)?;
    if method != "notifications/cancelled" {
        return Ok(Meaning::Nothing);
    }
    Ok(params.raw("requestId").and_then(Id::from_json).map_or(Meaning::Nothing, Meaning::Cancelled))
}

pub(super) fn served_version(asked: &str, id: &Id) -> Result<(), Refusal> {
    if asked == version::MODERN {
        return Ok(());
    }
    let message = "Unsupported protocol version: ".to_owned() + asked;
    let mut refusal = Refusal::new(400, Some(id), UNSUPPORTED_VERSION, &message);
    refusal.error.data = Some(serde_json::json!({"supported": [version::MODERN], "requested": asked}));
    Err(refusal)
}
