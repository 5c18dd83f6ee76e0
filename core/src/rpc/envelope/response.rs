//! The envelope of a response.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::value::RawValue;

use super::{Code, Fault, members, open, quoted, text};
use crate::simplex::model::Raw;

/// What a responder says. Exactly one of the two, so that no response of this program can have both or neither (P10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The protocol's message, as it came.
    Response(Raw),
    /// The envelope's own error.
    Error(RpcError),
}

/// Why there is no response of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcError {
    /// Which kind.
    pub code: Code,
    /// A description, for the logs of the requester. Read, it is what others wrote.
    pub message: Option<String>,
    /// After how many seconds a repeated request can succeed, any uint32.
    pub retry_after: Option<u32>,
}

impl RpcError {
    /// An error of this code with a description.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: Some(message.into()), retry_after: None }
    }

    /// The same error, with the seconds after which a repeated request can succeed.
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Whether repeating the request is no use. A code that is not known is final like the others; only
    /// `retryAfter` says otherwise (agent protocols, "Error codes").
    pub const fn is_final(&self) -> bool {
        self.retry_after.is_none()
    }

    fn read(json: &RawValue) -> Result<Self, Fault> {
        let members = members(json, Fault::Type { member: "error", must_be: "an object" })?;
        let code = text(&members, "code")?.ok_or(Fault::Missing("code"))?;
        let Ok(code) = code.parse();
        let retry_after =
            members.raw("retryAfter").map(|json| uint32(json.get()).ok_or(NOT_UINT32)).transpose()?;
        Ok(Self { code, message: text(&members, "message")?, retry_after })
    }

    fn to_json(&self) -> Raw {
        let mut members: Vec<(&str, String)> = alloc::vec![("code", quoted(self.code.as_str()))];
        members.extend(self.message.as_deref().map(|message| ("message", quoted(message))));
        members.extend(self.retry_after.map(|seconds| ("retryAfter", seconds.to_string())));
        Raw::from_members(members.iter().map(|(name, json)| (*name, json.as_str())))
    }
}

const NOT_UINT32: Fault =
    Fault::Type { member: "retryAfter", must_be: "a number of seconds from 0 to 4294967295" };

impl Answer {
    /// The answer in this text.
    ///
    /// # Errors
    /// It is no valid response.
    pub fn read(json: &str) -> Result<Self, Fault> {
        let members = open(json)?;
        match (members.raw("response"), members.raw("error")) {
            (Some(response), None) => Ok(Self::Response(response.into())),
            (None, Some(error)) => RpcError::read(error).map(Self::Error),
            (Some(_), Some(_)) => Err(Fault::Both),
            (None, None) => Err(Fault::Neither),
        }
    }

    /// The text.
    pub fn to_json(&self) -> Raw {
        match self {
            Self::Response(response) => Raw::from_members([("response", response.as_str())]),
            Self::Error(error) => Raw::from_members([("error", error.to_json().as_str())]),
        }
    }
}

impl From<RpcError> for Answer {
    fn from(error: RpcError) -> Self {
        Self::Error(error)
    }
}

/// A `uint32` of JSON Type Definition: a number without a fraction in its range, in any form (RFC 8927, section 2.2.3).
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared with what it came from")]
fn uint32(json: &str) -> Option<u32> {
    let number: f64 = serde_json::from_str(json).ok()?;
    let whole = number as u32;
    #[allow(clippy::float_cmp, reason = "whole numbers of this size are exact")]
    (f64::from(whole) == number).then_some(whole)
}
