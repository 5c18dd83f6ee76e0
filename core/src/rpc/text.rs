//! What models and people read of Service RPC. What a requester reads of its own call it can act on; what a responder
//! writes into `message` is for the logs of the other side.

use alloc::format;
use alloc::string::String;

use super::{MAX_JSON, REQUEST_WAIT};

/// The SimpleX core does not know the command (decisions 6).
pub const CORE_TOO_OLD: &str = "Service RPC needs SimpleX core 7.1 or later";

/// The address has no ratchet keys (decisions 9: a request to it fails at once).
pub const NO_KEYS: &str = "The address takes no Service RPC requests; use a conversation.";

/// A target that is no contact address: a one-time link, a group, a channel, a relay.
pub const NO_ADDRESS: &str = "to: Service RPC takes a contact address or the SimpleX name of one.";

/// An own request over [`MAX_JSON`].
pub fn too_long(bytes: usize) -> String {
    let over = bytes.saturating_sub(MAX_JSON);
    format!("arguments: too long by {over} bytes; use a conversation or a shorter call.")
}

/// No response in time.
pub fn timed_out() -> String {
    format!("No answer came in {} seconds. The call may have run.", REQUEST_WAIT.0 / 1000)
}

/// What came is no response.
pub fn invalid(fault: &str) -> String {
    format!("The answer is not valid: {fault}. The call may have run.")
}

/// The own SimpleX core answered, and not as this command is answered.
pub const UNKNOWN_ANSWER: &str =
    "The SimpleX core gave an answer that is not known here. The call may have run.";

/// The core of the service refused; the reason is what others wrote.
pub fn rejected(reason: &str) -> String {
    format!("The service refused the request: {reason}")
}

/// `message` of a `bad_request` about the key.
pub const WRONG_KEY: &str = "requestKey: must be the key that the request is signed with";

/// `message` of an `internal` about a signer key that the own core wrote and nobody can read.
pub const UNREADABLE_SIGNER: &str = "the signer key cannot be read";

/// `message` of a `conversation_required` at the deadline.
pub const TAKES_LONGER: &str =
    "the answer takes longer than a request can wait; connect and call in a conversation";

/// `message` of an `internal` at the deadline.
pub const NO_ANSWER: &str = "there was no answer in time";

/// `message` of an `internal` at a stop.
pub const STOPPING: &str = "the service is stopping";

/// `message` of an `unsupported_protocol`; the same words as in a conversation (decisions 7).
pub fn protocols(served: &str) -> String {
    format!("Protocols served here: {served}.")
}

/// `message` of an `unsupported_version`.
pub fn versions(served: &str) -> String {
    format!("Versions served here: {served}.")
}

/// `message` of a `rate_limited`.
pub fn too_many(seconds: u32) -> String {
    format!("too many requests; try again in {seconds} s")
}

/// `message` of a `too_large`.
pub fn too_large(bytes: usize) -> String {
    format!("the response has {bytes} bytes; at most {MAX_JSON} are sent")
}
