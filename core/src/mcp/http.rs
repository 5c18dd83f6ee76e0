//! What an HTTP request to `/mcp` is before its message is looked at, and what an answer is.
//!
//! [`admit`] makes the checks that need no body (steps 1 to 7 of the order of checks: Host, Origin, path, token,
//! method, content type, declared length), so that a front end refuses without reading one.

mod admission;
mod authority;
mod token;

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::jsonrpc::{self, Error, Id, code};
use crate::time::Millis;

pub use admission::admit;
pub use token::{Token, authorized};

/// The head of an HTTP request. The `Authorization` header is judged by the host with a function of this module and
/// left out, so that no record and no log can hold the token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The method as sent, for example `POST`.
    pub method: String,
    /// The request target as sent, for example `/mcp`.
    pub target: String,
    /// Names in lower case and values trimmed of space and tab, in order, repeated headers repeated.
    pub headers: Vec<(String, String)>,
    /// Whether the bearer token was right.
    pub authorized: bool,
}

/// A header as often as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header<'a> {
    /// Not at all.
    None,
    /// Once, with this value.
    One(&'a str),
    /// Several times; such a header of the protocol is malformed, because readers would differ.
    Many,
}

impl Head {
    /// The header with this lower-case name.
    pub fn header(&self, name: &str) -> Header<'_> {
        let mut values =
            self.headers.iter().filter(|(sent, _)| sent == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (None, _) => Header::None,
            (Some(value), None) => Header::One(value),
            (Some(_), Some(_)) => Header::Many,
        }
    }
}

/// The body of a request, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Body {
    /// The text.
    Text(String),
    /// Longer than [`Limits::body`]; the rest was not read.
    TooLarge,
    /// Not UTF-8.
    NotUtf8,
    /// Not there whole after [`Limits::body_time`].
    TooSlow,
    /// It ended early or its chunks are malformed.
    Broken,
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The HTTP status, 200 to 599.
    pub status: u16,
    /// Names and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body; may be empty.
    pub body: String,
}

impl Reply {
    /// An answer without a body.
    pub fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: String::new() }
    }

    /// An answer that is one JSON text.
    pub fn json(status: u16, body: String) -> Self {
        Self { body, ..Self::empty(status) }.with("Content-Type", "application/json")
    }

    /// An answer that is a JSON-RPC error.
    pub fn error(status: u16, id: Option<&Id>, error: &Error) -> Self {
        Self::json(status, jsonrpc::error(id, error))
    }

    /// A refusal for a reason that lies below JSON-RPC.
    pub(super) fn refused(status: u16, message: &str) -> Self {
        Self::error(status, None, &Error::new(code::INVALID_REQUEST, message))
    }

    /// The server can't take this request for a while.
    pub(super) fn unavailable(id: Option<&Id>, message: &str) -> Self {
        Self::error(503, id, &Error::new(code::INTERNAL_ERROR, message)).with("Retry-After", "1")
    }

    /// The same answer with one more header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

impl Body {
    /// The text, or the answer for its absence.
    ///
    /// # Errors
    /// 413, 408 and 400 for a broken body close the connection, since the rest would be taken for the next request; 400
    /// with `-32700` for bytes that are no UTF-8.
    pub fn text(&self) -> Result<&str, Reply> {
        match self {
            Self::Text(text) => Ok(text),
            Self::TooLarge => Err(too_large()),
            Self::TooSlow => Err(Reply::refused(408, "the body did not arrive in time; send it whole")
                .with("Connection", "close")),
            Self::Broken => {
                Err(Reply::refused(400, "the body ended early or is malformed").with("Connection", "close"))
            }
            Self::NotUtf8 => {
                let error = Error::new(code::PARSE_ERROR, "Parse error: the body is not UTF-8");
                Err(Reply::error(400, None, &error))
            }
        }
    }
}

/// The answer to a body beyond [`Limits::body`], declared or counted.
fn too_large() -> Reply {
    let message = "the body must have at most ".to_owned() + &Limits::SERVED.body.to_string() + " bytes";
    Reply::refused(413, &message).with("Connection", "close")
}

/// The answer to a head beyond [`Limits::head`].
pub fn head_too_large() -> Reply {
    let message = "the head must have at most ".to_owned() + &Limits::SERVED.head.to_string() + " bytes";
    Reply::refused(431, &message).with("Connection", "close")
}

/// The answer to a body for which there is no room beside those that are held ([`Limits::large_bodies`]).
pub fn crowded() -> Reply {
    let message = "the server holds as many large bodies as it may; try again in a second";
    Reply::unavailable(None, message).with("Connection", "close")
}

/// What a front end allows a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's head.
    pub head: usize,
    /// Headers of a request.
    pub headers: usize,
    /// How long a head may take, an idle connection's next one included.
    pub head_time: Millis,
    /// Bytes of a body.
    pub body: usize,
    /// How long a body may take.
    pub body_time: Millis,
    /// Bytes of each body that are not counted among [`Limits::large_bodies`]: no ordinary request has more.
    pub small_body: usize,
    /// Bytes of the bodies of all requests that have not ended, what is small of each left out.
    pub large_bodies: usize,
    /// Open connections; when there are more, the one idle longest is closed.
    pub connections: usize,
    /// How long answers may take to leave after [`Effect::CloseHttp`](crate::Effect::CloseHttp).
    pub linger: Millis,
}

impl Limits {
    /// The limits served with. The body's is that of both official SDKs; a head of 60 s is the plan's
    /// (`headersTimeout`); the connections are ours. The bodies of all of them are 128 MiB at most, half of it for
    /// small ones; both numbers are ours.
    pub const SERVED: Self = Self {
        head: 32 * 1024,
        headers: 100,
        head_time: Millis::secs(60),
        body: 4 * 1024 * 1024,
        body_time: Millis::secs(60),
        small_body: 64 * 1024,
        large_bodies: 64 * 1024 * 1024,
        connections: 1024,
        linger: Millis::secs(2),
    };
}
