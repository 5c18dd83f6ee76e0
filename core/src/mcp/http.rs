//! What an HTTP request to `/mcp` means.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

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

/// The body of a request, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Body {
    /// The text.
    Text(String),
    /// Longer than the limit; the rest was not read.
    TooLarge,
    /// Not UTF-8.
    NotUtf8,
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
