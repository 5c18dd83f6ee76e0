//! What a request gets from a server on SimpleX before anybody behind it is asked.

use alloc::borrow::ToOwned;
use alloc::string::String;

use crate::jsonrpc::{self, Error, Fault, Id, Incoming, Members, MembersFault, Message, code};
use crate::mcp::meaning::envelope::{Envelope, VERSION, meta};
use crate::mcp::meaning::served_version;

/// What becomes of a message.
#[derive(Clone, Debug)]
pub enum Verdict<'a> {
    /// It is answered with this JSON-RPC error.
    Refused(Refused),
    /// It gets no answer: a notification, or an answer to a request that was never made.
    Nothing,
    /// The sender's own request of this id, in this conversation, is given up. Neither of the two is answered.
    Cancel(Id),
    /// `server/discover`: answered from what is known of the server.
    Discover(Id),
    /// `tools/list`: a page of the list as it is kept.
    Tools {
        /// The id to repeat.
        id: Id,
        /// Which page; the first without one.
        cursor: Option<String>,
    },
    /// It goes on.
    Pass(Passed<'a>),
}

/// An error answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The id to repeat, when it could be read.
    pub id: Option<Id>,
    /// The error.
    pub error: Error,
}

/// A request that the server itself has to answer.
#[derive(Clone, Debug)]
pub struct Passed<'a> {
    /// The id to repeat, with its type.
    pub id: Id,
    /// The method.
    pub method: String,
    /// The parameters, each as it came.
    pub params: Members<'a>,
    /// Set when the caller takes `notifications/progress` before the answer.
    pub progress: Option<Id>,
}

/// The methods of revision 2026-07-28 that are passed on: requests with one answer.
///
/// Not among them: `subscriptions/listen`, which has no end (decisions 9), and what belongs to earlier revisions.
const PASSED: [&str; 7] = [
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "tools/call",
];

impl Refused {
    /// The answer's text.
    pub fn text(&self) -> String {
        jsonrpc::error(self.id.as_ref(), &self.error)
    }
}

impl<'a> Verdict<'a> {
    /// Judges the text of a request, as it stands behind `/_call mcp` or in an envelope.
    pub fn of(text: &'a str) -> Self {
        let message = match jsonrpc::decode(text) {
            Ok(Incoming::One(message)) => message,
            Ok(Incoming::Batch(_)) => {
                return refused(None, code::INVALID_REQUEST, "Invalid Request: one message, not a batch");
            }
            Err(fault) => return Self::Refused(unreadable(text, fault)),
        };
        match message {
            Message::Request { id, method, params } => request(id, method, params),
            Message::Notification { method, params } if method == "notifications/cancelled" => {
                params.raw("requestId").and_then(Id::from_json).map_or(Self::Nothing, Self::Cancel)
            }
            Message::Notification { .. } | Message::Response { .. } => Self::Nothing,
        }
    }
}

fn request(id: Id, method: String, params: Members<'_>) -> Verdict<'_> {
    let envelope = match envelope(&id, &params) {
        Ok(envelope) => envelope,
        Err(error) => return Verdict::Refused(Refused { id: Some(id), error }),
    };
    match method.as_str() {
        "server/discover" => Verdict::Discover(id),
        "tools/list" => match params.raw("cursor") {
            None => Verdict::Tools { id, cursor: None },
            Some(_) => match params.text("cursor") {
                Some(cursor) => Verdict::Tools { id, cursor: Some(cursor) },
                None => refused(Some(id), code::INVALID_PARAMS, "cursor must be a string"),
            },
        },
        known if PASSED.contains(&known) => {
            Verdict::Pass(Passed { id, method, params, progress: envelope.token })
        }
        _ => refused(Some(id), code::METHOD_NOT_FOUND, "Method not found"),
    }
}

/// The envelope of a request, of a revision that is served.
fn envelope(id: &Id, params: &Members<'_>) -> Result<Envelope, Error> {
    let meta = meta(params, Some(id)).map_err(|refusal| refusal.error)?;
    if meta.raw(VERSION).is_none() {
        return Err(Envelope::missing(&meta, id).error);
    }
    let envelope = Envelope::read(&meta, id).map_err(|refusal| refusal.error)?;
    served_version(&envelope.version, id).map_err(|refusal| refusal.error)?;
    Ok(envelope)
}

/// The error for a text that is no message. A member of `params` that is there twice is a fault of the parameters
/// (decisions 8), however the message around it is read.
fn unreadable(text: &str, fault: Fault) -> Refused {
    let Fault { id, mut error } = fault;
    let twice = |members: Members<'_>| {
        members
            .raw("params")
            .is_some_and(|params| matches!(Members::read(params), Err(MembersFault::Twice { .. })))
    };
    let outer = serde_json::from_str(text).ok().and_then(|json| Members::read(json).ok());
    if outer.is_some_and(twice) {
        error = Error::new(code::INVALID_PARAMS, "a member of params is given twice");
    }
    Refused { id, error }
}

fn refused<'a>(id: Option<Id>, code: i64, message: &str) -> Verdict<'a> {
    Verdict::Refused(Refused { id, error: Error::new(code, message.to_owned()) })
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use super::*;

    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

    fn with_meta(method: &str, params: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{META}}}}}"#)
    }

    /// In short: what it is, with the id.
    fn short(text: &str) -> String {
        match Verdict::of(text) {
            Verdict::Refused(Refused { id, error }) => format!("{} {id:?}", error.code),
            Verdict::Nothing => "nothing".to_string(),
            Verdict::Cancel(id) => format!("cancel {id:?}"),
            Verdict::Discover(id) => format!("discover {id:?}"),
            Verdict::Tools { id, cursor } => format!("tools {id:?} {cursor:?}"),
            Verdict::Pass(passed) => format!("pass {:?} {}", passed.id, passed.method),
        }
    }

    /// MCPX-07, MCPX-08: the methods, and those that have no answer here.
    #[test]
    fn methods() {
        for (text, verdict) in [
            (with_meta("server/discover", ""), "discover 1"),
            (with_meta("tools/list", ""), "tools 1 None"),
            (with_meta("tools/list", r#""cursor":"2","#), "tools 1 Some(\"2\")"),
            (with_meta("tools/list", r#""cursor":2,"#), "-32602 Some(1)"),
            (with_meta("tools/call", r#""name":"add","#), "pass 1 tools/call"),
            (with_meta("resources/read", ""), "pass 1 resources/read"),
            (with_meta("subscriptions/listen", ""), "-32601 Some(1)"),
            (with_meta("initialize", ""), "-32601 Some(1)"),
            (with_meta("ping", ""), "-32601 Some(1)"),
            (with_meta("shut/down", ""), "-32601 Some(1)"),
        ] {
            assert_eq!(short(&text), verdict, "{text}");
        }
    }

    /// MCPX-09: what is no request of revision 2026-07-28.
    #[test]
    fn what_is_no_request() {
        let call = with_meta("tools/call", "");
        for (text, verdict) in [
            (call.replace("2026-07-28", "2099-01-01"), "-32022 Some(1)"),
            (call.replace("2026-07-28", "2025-11-25"), "-32022 Some(1)"),
            (call.replace(META, ""), "-32602 Some(1)"),
            (call.replace(META, r#""_meta":7"#), "-32602 Some(1)"),
            (call.replace(r#""id":1"#, r#""id":null"#), "-32600 None"),
            (call.replace(r#""id":1"#, r#""id":1.0"#), "-32600 None"),
            (call.replace(r#""id":1"#, r#""id":1,"id":1"#), "-32600 None"),
            (call.replace(r#""id":1"#, r#""id":1,"method":"x""#), "-32600 Some(1)"),
            (call.replace(META, &format!(r#"{META},"x":1,"x":2"#)), "-32602 Some(1)"),
            (call.replace("_meta\":{", "_meta\":{\"x\":1,\"x\":2,"), "-32602 Some(1)"),
            (call.replace(r#""id":1,"#, ""), "nothing"),
            (format!("[{call}]"), "-32600 None"),
            ("7".to_string(), "-32600 None"),
            ("".to_string(), "-32700 None"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_string(), "nothing"),
        ] {
            assert_eq!(short(&text), verdict, "{text}");
        }
        let text = call.replace("2026-07-28", "2099-01-01").replace(r#""id":1"#, r#""id":"1""#);
        let Verdict::Refused(refused) = Verdict::of(&text) else { panic!("served") };
        assert_eq!(
            refused.text(),
            r#"{"jsonrpc":"2.0","id":"1","error":{"code":-32022,"message":"Unsupported protocol version: 2099-01-01","data":{"requested":"2099-01-01","supported":["2026-07-28"]}}}"#
        );
    }

    /// MCPX-10: notifications; only a cancellation means something.
    #[test]
    fn notifications() {
        let text = |method: &str, params: &str| {
            format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{params}}}}}"#)
        };
        for (text, verdict) in [
            (text("notifications/cancelled", r#""requestId":7"#), "cancel 7"),
            (text("notifications/cancelled", r#""requestId":"7""#), "cancel \"7\""),
            (text("notifications/cancelled", r#""requestId":7.0"#), "nothing"),
            (text("notifications/cancelled", ""), "nothing"),
            (text("notifications/initialized", ""), "nothing"),
            (text("tools/call", META), "nothing"),
        ] {
            assert_eq!(short(&text), verdict, "{text}");
        }
    }
}
