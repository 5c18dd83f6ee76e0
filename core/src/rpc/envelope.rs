//! The JSON around a protocol's message (agent protocols, "Request", "Response").
//!
//! Members of a protocol stay as they came, byte for byte; members this side does not know are passed over. A member
//! that is there twice is refused, because two readers would see two envelopes. The schemas are `spec/schemas/rpc-*`;
//! what a schema cannot say (a name given twice, exactly one of two members, what a key is) is said here and in
//! `spec/vectors/rpc-*`.

mod code;
mod request;
mod response;

use alloc::string::{String, ToString};
use core::fmt;

use serde_json::value::RawValue;

use crate::jsonrpc::{Members, MembersFault};

pub use code::Code;
pub use request::Request;
pub use response::{Answer, RpcError};

/// Why a text is no envelope. Printed, it is the `message` of a `bad_request`, and holds nothing that others wrote but
/// the name of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not JSON.
    NotJson,
    /// It is not an object.
    NotObject,
    /// The name of a member is not Unicode text.
    Name,
    /// A member of the envelope or of `error` is there twice.
    Twice(String),
    /// A member is missing.
    Missing(&'static str),
    /// A member is of another type.
    Type {
        /// The member.
        member: &'static str,
        /// What it must be.
        must_be: &'static str,
    },
    /// `requestKey` is no key.
    Key,
    /// A response with `response` and `error`.
    Both,
    /// A response with neither.
    Neither,
}

impl Fault {
    /// The word for it in `spec/vectors`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::NotJson => "notJson",
            Self::NotObject => "notObject",
            Self::Name => "name",
            Self::Twice(_) => "twice",
            Self::Missing(_) => "missing",
            Self::Type { .. } => "type",
            Self::Key => "key",
            Self::Both => "both",
            Self::Neither => "neither",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson => f.write_str("the envelope must be JSON"),
            Self::NotObject => f.write_str("the envelope must be an object"),
            Self::Name => f.write_str("the names of the envelope's members must be Unicode text"),
            Self::Twice(name) => write!(f, "{name:.40}: must be there once"),
            Self::Missing(member) => write!(f, "{member}: must be there"),
            Self::Type { member, must_be } => write!(f, "{member}: must be {must_be}"),
            Self::Key => f.write_str("requestKey: must be base64url of the X.509 DER of an Ed25519 key"),
            Self::Both => f.write_str("a response must not have both response and error"),
            Self::Neither => f.write_str("a response must have response or error"),
        }
    }
}

/// The members of the envelope in this text.
fn open(text: &str) -> Result<Members<'_>, Fault> {
    members(serde_json::from_str(text).map_err(|_| Fault::NotJson)?, Fault::NotObject)
}

/// The members of an object, each there once; `otherwise` when it is none.
fn members(json: &RawValue, otherwise: Fault) -> Result<Members<'_>, Fault> {
    Members::read(json).map_err(|fault| match fault {
        MembersFault::NotObject => otherwise,
        MembersFault::Unreadable => Fault::Name,
        MembersFault::Twice { name, .. } => Fault::Twice(name),
    })
}

/// A member that is a string when it is there.
fn text(members: &Members<'_>, member: &'static str) -> Result<Option<String>, Fault> {
    let Some(json) = members.raw(member) else { return Ok(None) };
    let text = serde_json::from_str(json.get());
    text.map(Some).map_err(|_| Fault::Type { member, must_be: "a string" })
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
