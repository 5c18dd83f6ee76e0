//! What others read of the chat transport: callers' models, and callers of a bot.

use alloc::format;
use alloc::string::String;

use super::command::Fault;
use super::responder::Refusal;
use crate::jsonrpc::MAX_DEPTH;
use crate::simplex::size::MESSAGE;

/// A command whose quote would leave too little room for its reply (decisions 7).
pub fn too_long(by: usize) -> String {
    format!("arguments: too long by {by} bytes; use Service RPC or a shorter call")
}

/// The answer to a command of a protocol that is not served (decisions 7).
pub fn protocols_served(names: &[String]) -> String {
    if names.is_empty() {
        return "No protocols are served here.".into();
    }
    format!("Protocols served here: {}.", names.join(", "))
}

/// What has to be there instead of what is.
pub fn fault(fault: Fault) -> String {
    match fault {
        Fault::Long => format!("a command has at most {MESSAGE} encoded bytes"),
        Fault::Spaces => "exactly one space must stand between the parts".into(),
        Fault::Member => "a member's name must follow @, in quotes when it has spaces".into(),
        Fault::Protocol => "a protocol name of a-z, 0-9 and - must come before the request".into(),
        Fault::NoRequest => "a JSON object must follow the protocol name".into(),
        Fault::NotJson => "the request must be JSON".into(),
        Fault::NotObject => "the request must be a JSON object".into(),
        Fault::Deep => format!("the request must be nested at most {MAX_DEPTH} levels deep"),
        Fault::Trailing => "nothing may follow the request".into(),
    }
}

/// The message of the error by which a binding refuses a command.
pub fn refusal(why: &Refusal) -> String {
    match why {
        Refusal::Malformed(what) => fault(*what),
        Refusal::Forwarded => "a forwarded message is no command; send it yourself".into(),
        Refusal::TooOld => "too old".into(),
        Refusal::TooMany(wait) => {
            format!("too many calls; try again in {} seconds", wait.0.div_ceil(1_000))
        }
        Refusal::Busy => "too many calls at work; try again when one is answered".into(),
        Refusal::Restarted => "The bot restarted; the call may have run.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Millis;
    use alloc::string::ToString;

    /// CHAT-37: what is served, and that nothing is.
    #[test]
    fn what_is_served() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<alloc::vec::Vec<_>>();
        assert_eq!(protocols_served(&[]), "No protocols are served here.");
        assert_eq!(protocols_served(&names(&["mcp"])), "Protocols served here: mcp.");
        assert_eq!(protocols_served(&names(&["mcp", "a2a"])), "Protocols served here: mcp, a2a.");
    }

    /// CHAT-27, CHAT-29, CHAT-37: each refusal in its words.
    #[test]
    fn refusals() {
        for (why, expected) in [
            (Refusal::Malformed(Fault::NotObject), "the request must be a JSON object"),
            (Refusal::Forwarded, "a forwarded message is no command; send it yourself"),
            (Refusal::TooOld, "too old"),
            (Refusal::TooMany(Millis(1_001)), "too many calls; try again in 2 seconds"),
            (Refusal::Busy, "too many calls at work; try again when one is answered"),
            (Refusal::Restarted, "The bot restarted; the call may have run."),
        ] {
            assert_eq!(refusal(&why), expected);
        }
    }
}
