//! One JSON-RPC 2.0 message: decode, encode, ids kept with their JSON type and number form.
//!
//! Decoding goes by layers: the whole text must be JSON, then its outermost members are looked at, and what is inside
//! stays raw text ([`serde_json::value::RawValue`]) until somebody asks for it. So a lone surrogate, a number without a `f64` or
//! a thousand brackets deep inside one member spoil that member alone, and the answer can still carry the id.
//!
//! Specification: <https://www.jsonrpc.org/specification>, narrowed as MCP narrows it: `params` is an object, an id is
//! a string or an integer and never `null`.

mod members;
mod strict;

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

pub use members::{Members, MembersFault};
pub(crate) use strict::depth;
pub use strict::{MAX_DEPTH, ValueFault, value};

/// One message, its inner parts still raw.
#[derive(Clone, Debug)]
pub enum Message<'a> {
    /// A method with an id: it wants an answer.
    Request {
        /// The id, to be repeated in the answer.
        id: Id,
        /// The method.
        method: String,
        /// The members of `params`; empty when it is absent.
        params: Members<'a>,
    },
    /// A method without an id: it wants no answer.
    Notification {
        /// The method.
        method: String,
        /// The members of `params`; empty when it is absent.
        params: Members<'a>,
    },
    /// An answer to a request of ours.
    Response {
        /// The id of the request; `None` when the other side could not read it.
        id: Option<Id>,
        /// The result as it came, or the error.
        outcome: Result<&'a RawValue, Error>,
    },
}

/// A text: one message or a batch.
#[derive(Clone, Debug)]
pub enum Incoming<'a> {
    /// One message.
    One(Message<'a>),
    /// A JSON array, each element by itself; may be empty.
    Batch(Vec<Result<Message<'a>, Fault>>),
}

/// Why a text is not a message, with the id when it could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The id that the answer has to repeat.
    pub id: Option<Id>,
    /// What to answer.
    pub error: Error,
}

/// A JSON-RPC error object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Error {
    /// The code; [`code`] has those of the specification.
    pub code: i64,
    /// One short sentence.
    pub message: String,
    /// More, in a form the code defines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// The codes of the JSON-RPC 2.0 specification, section 5.1.
pub mod code {
    /// The text is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method does not exist.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// A fault of the side that answers.
    pub const INTERNAL_ERROR: i64 = -32603;
}

impl Error {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The same error with data.
    pub fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

/// The id of a request, or a progress token: a string or an integer, kept as its JSON text, so that `1` stays a number
/// and `"1"` a string. Two ids are equal when type and value are; a number's value is its text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(String);

impl Id {
    /// The id of a request of ours.
    pub fn number(number: u64) -> Self {
        Self(number.to_string())
    }

    /// The id with this text.
    pub fn text(text: &str) -> Self {
        Self(Value::from(text).to_string())
    }

    /// The id in a piece of JSON: `None` for anything but a string of Unicode text and an integer written without
    /// fraction and exponent (`1.0` and `1e2` are not ids).
    pub fn from_json(json: &RawValue) -> Option<Self> {
        let json = json.get();
        if json.starts_with('"') {
            return serde_json::from_str::<String>(json).ok().map(|text| Self::text(&text));
        }
        let digits = json.strip_prefix('-').unwrap_or(json);
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| Self(json.to_owned()))
    }

    /// The JSON text.
    pub fn json(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        raw(&self.0).serialize(serializer)
    }
}

/// Decodes a text.
///
/// # Errors
/// `-32700` when it is not JSON, `-32600` when it is JSON but no message: not an object or array, `jsonrpc` other than
/// `"2.0"`, an id that is neither string nor integer, a member twice, `params` that is no object.
pub fn decode(text: &str) -> Result<Incoming<'_>, Fault> {
    let json: &RawValue = serde_json::from_str(text)
        .map_err(|_| fault(None, code::PARSE_ERROR, "Parse error: the body is not JSON"))?;
    if !json.get().starts_with('[') {
        return message(json).map(Incoming::One);
    }
    let elements: Vec<&RawValue> = serde_json::from_str(json.get())
        .map_err(|_| fault(None, code::PARSE_ERROR, "Parse error: the body is not JSON"))?;
    Ok(Incoming::Batch(elements.into_iter().map(message).collect()))
}

/// The text of a request.
pub fn request(id: &Id, method: &str, params: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Request<'a, P> {
        jsonrpc: &'static str,
        id: &'a Id,
        method: &'a str,
        params: &'a P,
    }
    encode(&Request { jsonrpc: "2.0", id, method, params })
}

/// The text of a notification.
pub fn notification(method: &str, params: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Notification<'a, P> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a P,
    }
    encode(&Notification { jsonrpc: "2.0", method, params })
}

/// The text of a successful answer.
pub fn result(id: &Id, result: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Answer<'a, R> {
        jsonrpc: &'static str,
        id: &'a Id,
        result: &'a R,
    }
    encode(&Answer { jsonrpc: "2.0", id, result })
}

/// The text of an error answer; without `id` when the request's could not be read, because MCP's schema has no `null`.
pub fn error(id: Option<&Id>, error: &Error) -> String {
    #[derive(Serialize)]
    struct Answer<'a> {
        jsonrpc: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a Id>,
        error: &'a Error,
    }
    encode(&Answer { jsonrpc: "2.0", id, error })
}

/// A piece of JSON text as a value that serialises to the same text; `null` when it is not JSON, which is a fault of
/// whoever wrote it.
pub(crate) fn raw(json: &str) -> &RawValue {
    let read = serde_json::from_str(json);
    debug_assert!(read.is_ok(), "not JSON: {json}");
    read.unwrap_or(RawValue::NULL)
}

/// Our own structs have string keys only and cannot fail to serialise.
fn encode(message: &impl Serialize) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

fn fault(id: Option<Id>, code: i64, message: &str) -> Fault {
    Fault { id, error: Error::new(code, message) }
}

fn message(json: &RawValue) -> Result<Message<'_>, Fault> {
    let invalid = |id: Option<Id>, what: &str| {
        let message = "Invalid Request: ".to_owned() + what;
        fault(id, code::INVALID_REQUEST, &message)
    };
    let members = match Members::read(json) {
        Ok(members) => members,
        Err(MembersFault::NotObject) => return Err(invalid(None, "a message is a JSON object")),
        Err(MembersFault::Unreadable) => return Err(invalid(None, "a member's name is not Unicode text")),
        Err(MembersFault::Twice { name, members }) => {
            let id = members.raw("id").filter(|_| name != "id").and_then(Id::from_json);
            return Err(invalid(id, "a member is given twice"));
        }
    };
    let id = members.raw("id").and_then(Id::from_json);
    if members.text("jsonrpc").as_deref() != Some("2.0") {
        return Err(invalid(id, "jsonrpc must be \"2.0\""));
    }
    if members.raw("method").is_none() {
        return response(id.clone(), &members).ok_or_else(|| invalid(id, "there is no method"));
    }
    let Some(method) = members.text("method") else {
        return Err(invalid(id, "method must be a string"));
    };
    if members.raw("id").is_some() && id.is_none() {
        return Err(invalid(None, "id must be a string or an integer"));
    }
    let params = match members.raw("params").map(Members::read) {
        None => Members::default(),
        Some(Ok(params)) => params,
        Some(Err(MembersFault::NotObject)) => return Err(invalid(id, "params must be an object")),
        Some(Err(MembersFault::Unreadable)) => {
            return Err(invalid(id, "the name of a member of params is not Unicode text"));
        }
        Some(Err(MembersFault::Twice { .. })) => {
            return Err(invalid(id, "a member of params is given twice"));
        }
    };
    Ok(match id {
        Some(id) => Message::Request { id, method, params },
        None => Message::Notification { method, params },
    })
}

/// An answer has exactly one of `result` and `error`; only an error may come without a readable id.
fn response<'a>(id: Option<Id>, members: &Members<'a>) -> Option<Message<'a>> {
    match (members.raw("result"), members.raw("error")) {
        (Some(result), None) if id.is_some() => Some(Message::Response { id, outcome: Ok(result) }),
        (None, Some(error)) => {
            let error = Members::read(error).ok()?;
            let code = error.raw("code").and_then(|code| serde_json::from_str(code.get()).ok())?;
            let message = error.text("message").unwrap_or_default();
            let data = error.raw("data").and_then(|data| value(data).ok());
            Some(Message::Response { id, outcome: Err(Error { code, message, data }) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
