//! The side that asks: one command, and what its end means (agent protocols, "Exchange"; decisions 8).
//!
//! Nothing here asks twice. What may have run is said, so that whoever repeats a call does so knowingly.

use alloc::string::{String, ToString};

use super::envelope::{Answer, Code, Fault, Request, RpcError};
use super::ring::Key;
use super::{MAX_JSON, REQUEST_WAIT, text};
use crate::effect::Outcome;
use crate::jsonrpc::{Members, code};
use crate::simplex::command::Command;
use crate::simplex::error::{ChatError, wording};
use crate::simplex::model::{Raw, UserId};
use crate::simplex::response::{self, Response};
use crate::simplex::target::{LinkKind, NameKind, Target};
use crate::time::Millis;

/// The longest wait that is shown; `retryAfter` may be any uint32 (decisions 8).
pub const MAX_RETRY_AFTER: u32 = 86_400;
/// A `conversation_required` that took this long is one that the responder gave up with: the work may have been done.
/// One that needs no work comes sooner (ours: the time that the SimpleX core waits when it is not told how long).
pub const LATE: Millis = Millis::secs(30);

/// A request that is to be made.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The user that asks.
    pub user: UserId,
    /// Whom.
    pub target: &'a Target,
    /// The protocol's name.
    pub protocol: &'a str,
    /// The protocol's version, for one whose messages do not say it.
    pub version: Option<&'a Raw>,
    /// The protocol's message.
    pub request: &'a Raw,
    /// The key that signs; none for a request that nobody can link to another.
    pub key: Option<&'a Key>,
}

/// Why a request is not made. Printed, it is for the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The envelope has this many bytes, more than [`MAX_JSON`].
    TooLong(usize),
    /// The target is no contact address (P12: a one-time link is not asked about).
    NoAddress,
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::TooLong(bytes) => f.write_str(&text::too_long(*bytes)),
            Self::NoAddress => f.write_str(text::NO_ADDRESS),
        }
    }
}

impl Call<'_> {
    /// The command. With a key it names the key's label, and the host puts the key in
    /// ([`with_key`](crate::simplex::command::with_key)).
    ///
    /// # Errors
    /// Nothing was sent, and nothing asked of a router.
    pub fn command(&self) -> Result<Command, Refusal> {
        let target = self.address().ok_or(Refusal::NoAddress)?;
        let envelope = Request {
            protocol: self.protocol.into(),
            version: self.version.cloned(),
            request_key: self.key.map(|key| key.public_key),
            request: self.request.clone(),
        };
        let request = envelope.to_json();
        if request.as_str().len() > MAX_JSON {
            return Err(Refusal::TooLong(request.as_str().len()));
        }
        let sign_key = self.key.map(|key| key.label.clone());
        Ok(Command::ServiceRequest {
            user: self.user,
            target,
            timeout: REQUEST_WAIT.0 / 1000,
            sign_key,
            request,
        })
    }

    fn address(&self) -> Option<String> {
        match self.target {
            Target::Link(link) => (link.kind == LinkKind::Contact).then(|| link.text.clone()),
            Target::Name(name) => (name.kind == NameKind::Contact).then(|| name.to_string()),
        }
    }
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With the protocol's message, as it came.
    Response(Raw),
    /// With an error of the envelope.
    Error(RpcError),
    /// With what is no response.
    Invalid(Fault),
    /// Without a response in time.
    TimedOut,
    /// The address has no ratchet keys.
    NoKeys,
    /// The own SimpleX core does not know Service RPC; or, for a signed request, not the form of the key, which no core
    /// 7.1 has confirmed.
    CoreTooOld,
    /// The core of the service refused, with this reason.
    Rejected(String),
    /// The own SimpleX core says this.
    Failed(ChatError),
    /// The own SimpleX core gave no answer, or one that nobody knows: why.
    Lost(String),
}

/// How a request ended, and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How.
    pub end: End,
    /// Whether the work may have been done without its result having come. Repeating it would do it twice.
    pub may_have_run: bool,
    /// After how many seconds a repeated request can succeed, as it is shown: at most [`MAX_RETRY_AFTER`].
    pub retry_after: Option<u32>,
}

impl Ended {
    /// How a request ended whose command ended so after this time.
    pub fn judge(outcome: &Outcome, took: Millis) -> Self {
        let end = End::of(outcome);
        let retry_after = match &end {
            End::Error(error) => error.retry_after.map(|seconds| seconds.min(MAX_RETRY_AFTER)),
            _ => None,
        };
        Self { may_have_run: end.may_have_run(took), end, retry_after }
    }
}

impl End {
    fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Response(text) => match response::decode(text) {
                Ok(Response::ServiceResponse(data)) => match Answer::read(data.as_str()) {
                    Ok(Answer::Response(response)) => Self::Response(response),
                    Ok(Answer::Error(error)) => Self::Error(error),
                    Err(fault) => Self::Invalid(fault),
                },
                Ok(_) => Self::Lost(text::UNKNOWN_ANSWER.into()),
                Err(error) => Self::of_error(error),
            },
            Outcome::Failed(reason) => Self::Lost(reason.clone()),
            Outcome::Ok | Outcome::AddrInUse => {
                debug_assert!(false, "a command ended without a response");
                Self::Lost(text::UNKNOWN_ANSWER.into())
            }
        }
    }

    fn of_error(error: ChatError) -> Self {
        if error.is_service_timeout() {
            Self::TimedOut
        } else if error.is_no_service_keys() {
            Self::NoKeys
        } else if let Some(reason) = error.service_rejection() {
            Self::Rejected(reason)
        } else if error.is_invalid_service_response() {
            Self::Invalid(Fault::NotObject)
        } else if error.is_unparsed() {
            Self::CoreTooOld
        } else {
            Self::Failed(error)
        }
    }

    /// Decisions 8 name `too_large`, a time-out, `internal`, -32603 and a late `conversation_required`; what this side
    /// does not understand may have run as well.
    fn may_have_run(&self, took: Millis) -> bool {
        match self {
            Self::Response(response) => is_internal_error(response),
            Self::Error(error) => match error.code {
                Code::TooLarge | Code::Internal | Code::Other(_) => true,
                Code::ConversationRequired => took >= LATE,
                Code::UnsupportedProtocol
                | Code::UnsupportedVersion
                | Code::BadRequest
                | Code::RateLimited => false,
            },
            Self::Invalid(_) | Self::TimedOut | Self::Lost(_) => true,
            Self::NoKeys | Self::CoreTooOld | Self::Rejected(_) => false,
            // Refusals before anything was sent. Other errors, of the network above all, may come after it.
            Self::Failed(error) => !(error.is_command_error() || error.is_invalid_link() || error.is_auth()),
        }
    }

    /// What the model is told, for an end without the protocol's message. What others wrote is in it as it came: it
    /// belongs inside `untrusted`.
    pub fn text(&self) -> Option<String> {
        Some(match self {
            Self::Response(_) => return None,
            Self::Error(error) => match &error.message {
                Some(message) => alloc::format!("{}: {message}", error.code),
                None => error.code.to_string(),
            },
            Self::Invalid(fault) => text::invalid(&fault.to_string()),
            Self::TimedOut => text::timed_out(),
            Self::NoKeys => text::NO_KEYS.into(),
            Self::CoreTooOld => text::CORE_TOO_OLD.into(),
            Self::Rejected(reason) => text::rejected(reason),
            Self::Failed(error) => wording::text(error),
            Self::Lost(reason) => reason.clone(),
        })
    }
}

/// A JSON-RPC error -32603, with which the bindings say that the work failed on the way or its result does not fit.
fn is_internal_error(response: &Raw) -> bool {
    let read = |json: &str| -> Option<i64> {
        let error = Members::read(serde_json::from_str(json).ok()?).ok()?.raw("error")?;
        serde_json::from_str(Members::read(error).ok()?.raw("code")?.get()).ok()
    };
    read(response.as_str()) == Some(code::INTERNAL_ERROR)
}

#[cfg(test)]
mod tests;
