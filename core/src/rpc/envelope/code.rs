//! Error codes of a response.

use alloc::string::String;
use core::convert::Infallible;
use core::fmt;
use core::str::FromStr;

/// Why a request has no response of its protocol (agent protocols, "Error codes").
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// The responder does not serve the protocol over Service RPC.
    UnsupportedProtocol,
    /// It does not serve the requested version.
    UnsupportedVersion,
    /// The envelope is invalid, or `requestKey` differs from the verified signer key.
    BadRequest,
    /// The request needs a conversation.
    ConversationRequired,
    /// The response exceeds the size limit. The work was done.
    TooLarge,
    /// The requester may repeat the request after `retryAfter`.
    RateLimited,
    /// The responder failed.
    Internal,
    /// A code that is not known here.
    Other(String),
}

impl Code {
    /// The text.
    pub const fn as_str(&self) -> &str {
        match self {
            Self::UnsupportedProtocol => "unsupported_protocol",
            Self::UnsupportedVersion => "unsupported_version",
            Self::BadRequest => "bad_request",
            Self::ConversationRequired => "conversation_required",
            Self::TooLarge => "too_large",
            Self::RateLimited => "rate_limited",
            Self::Internal => "internal",
            Self::Other(code) => code.as_str(),
        }
    }
}

impl FromStr for Code {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "unsupported_protocol" => Self::UnsupportedProtocol,
            "unsupported_version" => Self::UnsupportedVersion,
            "bad_request" => Self::BadRequest,
            "conversation_required" => Self::ConversationRequired,
            "too_large" => Self::TooLarge,
            "rate_limited" => Self::RateLimited,
            "internal" => Self::Internal,
            other => Self::Other(other.into()),
        })
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
