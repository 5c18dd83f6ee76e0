//! The envelope of the WebSocket, made into the one that the library has.
//!
//! | | the library (digest 1.4) | `simplex-chat -p` (`apps/simplex-chat/Server.hs`, 5.x to 7.0) |
//! |---|---|---|
//! | command | the line | `{"corrId":"7","cmd":LINE}` |
//! | answer | `{"result":R}` | `{"corrId":"7","resp":R}` |
//! | refusal | `{"error":E}` | `{"corrId":"7","resp":{"type":"chatCmdError","chatError":E}}` |
//! | event | `{"result":R}` | `{"resp":R}` |
//! | error without a command | `{"error":E}` | `{"resp":{"type":"chatError","chatError":E}}` |
//!
//! A server whose answers have `result` and `error` beside `corrId`, as the library's have, is understood too. Bodies
//! are passed on byte for byte: a number would lose digits in between.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// What a message of the server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    /// The answer to the command of this number: as the library gives it, or nothing that can be read.
    Answer(u64, Option<String>),
    /// An answer to a command that is not one of ours.
    Stray,
    /// An event, as the library gives it; a message that is no envelope as it came.
    Event(String),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, rename = "corrId")]
    corr_id: Option<&'a RawValue>,
    #[serde(borrow)]
    resp: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow, rename = "type")]
    tag: Cow<'a, str>,
    #[serde(borrow, rename = "chatError")]
    error: Option<&'a RawValue>,
}

/// A command line as the server takes it.
pub(super) fn command(number: u64, line: &str) -> String {
    serde_json::json!({"corrId": number.to_string(), "cmd": line}).to_string()
}

/// Reads a message of the server.
pub(super) fn read(text: &str) -> Incoming {
    let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(text) else {
        return Incoming::Event(text.to_owned());
    };
    let body = body(&envelope);
    match envelope.corr_id {
        None => Incoming::Event(body.unwrap_or_else(|| text.to_owned())),
        Some(number) => match number.get().trim_matches('"').parse() {
            Ok(number) => Incoming::Answer(number, body),
            Err(_) => Incoming::Stray,
        },
    }
}

fn body(envelope: &Envelope<'_>) -> Option<String> {
    let wrapped = |key: &str, value: &RawValue| Some(format!("{{\"{key}\":{}}}", value.get()));
    match envelope {
        Envelope { error: Some(error), .. } => wrapped("error", error),
        Envelope { result: Some(result), .. } => wrapped("result", result),
        Envelope { resp: Some(resp), .. } => match serde_json::from_str::<Body<'_>>(resp.get()) {
            Ok(Body { tag, error: Some(error) }) if tag == "chatCmdError" || tag == "chatError" => {
                wrapped("error", error)
            }
            _ => wrapped("result", resp),
        },
        Envelope { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WS-03, WS-04: both envelopes, and what is neither; bodies byte for byte.
    #[test]
    fn envelopes() {
        let event = |text: &str| Incoming::Event(text.to_owned());
        let answer = |number, text: &str| Incoming::Answer(number, Some(text.to_owned()));
        for (text, read_as) in [
            (
                r#"{"corrId":"7","resp":{"type":"cmdOk","n":12345678901234567890123.50}}"#,
                answer(7, r#"{"result":{"type":"cmdOk","n":12345678901234567890123.50}}"#),
            ),
            (
                r#"{"corrId":"7","resp":{"type":"chatCmdError","user_":{},"chatError":{"type":"error", "x":1e400}}}"#,
                answer(7, r#"{"error":{"type":"error", "x":1e400}}"#),
            ),
            (r#"{"resp":{"type":"newChatItems"}}"#, event(r#"{"result":{"type":"newChatItems"}}"#)),
            (r#"{"corrId":null,"resp":{"type":"a"}}"#, event(r#"{"result":{"type":"a"}}"#)),
            (r#"{"resp":{"type":"chatError","chatError":{"type":"b"}}}"#, event(r#"{"error":{"type":"b"}}"#)),
            (r#"{"resp":{"type":"chatError"}}"#, event(r#"{"result":{"type":"chatError"}}"#)),
            (
                r#"{"resp":{"type":"chatErrors","chatErrors":[]}}"#,
                event(r#"{"result":{"type":"chatErrors","chatErrors":[]}}"#),
            ),
            (r#"{"corrId":"8","result":{"type":"cmdOk"}}"#, answer(8, r#"{"result":{"type":"cmdOk"}}"#)),
            (r#"{"corrId":"8","error":{"type":"error"}}"#, answer(8, r#"{"error":{"type":"error"}}"#)),
            (r#"{"result":{"type":"a"}}"#, event(r#"{"result":{"type":"a"}}"#)),
            (r#"{"corrId":9,"resp":1}"#, answer(9, r#"{"result":1}"#)),
            (r#"{"corrId":"9"}"#, Incoming::Answer(9, None)),
            (r#"{"corrId":"9","cmd":"/user"}"#, Incoming::Answer(9, None)),
            (r#"{"corrId":"x","resp":{}}"#, Incoming::Stray),
            (r#"{"corrId":{},"resp":{}}"#, Incoming::Stray),
            ("{}", event("{}")),
            ("hello", event("hello")),
            ("[1]", event("[1]")),
        ] {
            assert_eq!(read(text), read_as, "{text}");
        }
    }

    /// WS-03: a line travels whole, whatever is in it.
    #[test]
    fn commands() {
        assert_eq!(
            command(7, "/_send \"\\\n\u{e9}"),
            "{\"cmd\":\"/_send \\\"\\\\\\n\u{e9}\",\"corrId\":\"7\"}"
        );
    }
}
