//! What a caller is told: which message ends an answer, and what the answer is.

use alloc::string::String;

use serde_json::value::RawValue;

use crate::chat::caller::{Binding, Heard};
use crate::jsonrpc::{self, Error, Id, Incoming, Members, Message};

/// The replies to one request in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The request's id.
    pub id: Id,
}

/// How a request was answered.
#[derive(Clone, Debug)]
pub enum Answer<'a> {
    /// It is done: the result as it came.
    Complete(&'a RawValue),
    /// The server asks the caller for something first; the answer is a new request (MCP, multi-round-trip requests).
    InputRequired(&'a RawValue),
    /// A kind of result that this program does not know, with its name.
    Other(String, &'a RawValue),
    /// It failed.
    Failed(Error),
}

impl Binding for Expected {
    /// The response to the request ends the answer, and so does an error of a server that could not read the id
    /// (decisions 7, "End of a wait"). Notifications may come before it. All else is text: also the response to another
    /// request, because what it quotes is this one.
    fn hear(&self, text: &str) -> Heard {
        match jsonrpc::decode(text) {
            Ok(Incoming::One(Message::Notification { .. })) => Heard::Part,
            Ok(Incoming::One(Message::Response { id, .. })) if self.is_mine(id.as_ref()) => Heard::Last,
            Ok(_) | Err(_) => Heard::Text,
        }
    }
}

impl Expected {
    /// What the text of a response says; none when it is not the response to this request.
    pub fn read<'a>(&self, text: &'a str) -> Option<Answer<'a>> {
        match jsonrpc::decode(text) {
            Ok(Incoming::One(Message::Response { id, outcome })) if self.is_mine(id.as_ref()) => {
                Some(outcome.map_or_else(Answer::Failed, answer))
            }
            Ok(_) | Err(_) => None,
        }
    }

    fn is_mine(&self, id: Option<&Id>) -> bool {
        id.is_none_or(|id| *id == self.id)
    }
}

/// A result by its `resultType`; one without is complete, as results were before there were others (MCP digest,
/// section 2).
fn answer(result: &RawValue) -> Answer<'_> {
    let members = Members::read(result).unwrap_or_default();
    match members.text("resultType").as_deref() {
        None | Some("complete") => Answer::Complete(result),
        Some("input_required") => Answer::InputRequired(result),
        Some(other) => Answer::Other(other.into(), result),
    }
}

/// The cursor of the page after this result of `tools/list`; none at the last page.
pub fn next_cursor(result: &RawValue) -> Option<String> {
    Members::read(result).ok()?.text("nextCursor")
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    /// MCPX-04: the response ends the answer, in any form that answers this request.
    #[test]
    fn what_ends_an_answer() {
        let expected = Expected { id: Id::number(1) };
        for (text, heard) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Heard::Last),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":""}}"#, Heard::Last),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}"#, Heard::Last),
            (r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":""}}"#, Heard::Last),
            (r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#, Heard::Part),
            (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, Heard::Text),
            (r#"{"jsonrpc":"2.0","id":2,"result":{}}"#, Heard::Text),
            (r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#, Heard::Text),
            (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, Heard::Text),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#, Heard::Text),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, Heard::Text),
            (r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#, Heard::Text),
            (r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#, Heard::Text),
            ("One moment, please.", Heard::Text),
            ("", Heard::Text),
        ] {
            assert_eq!(expected.hear(text), heard, "{text}");
            assert_eq!(expected.read(text).is_some(), heard == Heard::Last, "{text}");
        }
    }

    /// MCPX-05: results travel as they came, by their kind.
    #[test]
    fn kinds_of_results() {
        let expected = Expected { id: Id::number(1) };
        for (result, kind) in [
            (r#"{"resultType":"complete","content":[1.50]}"#, "Complete"),
            (r#"{"content":[]}"#, "Complete"),
            (r#"{"resultType":7}"#, "Complete"),
            (r#"{"resultType":"input_required","requestState":"s"}"#, "InputRequired"),
            (r#"{"resultType":"task"}"#, "Other"),
            ("[]", "Complete"),
        ] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
            let (found, raw) = match expected.read(&text) {
                Some(Answer::Complete(raw)) => ("Complete", raw),
                Some(Answer::InputRequired(raw)) => ("InputRequired", raw),
                Some(Answer::Other(_, raw)) => ("Other", raw),
                other => panic!("{other:?}"),
            };
            assert_eq!((found, raw.get()), (kind, result));
        }
    }

    /// MCPX-06.
    #[test]
    fn pages_follow_each_other() {
        let cursor = |result| next_cursor(jsonrpc::raw(result));
        assert_eq!(cursor(r#"{"tools":[],"nextCursor":"2"}"#).as_deref(), Some("2"));
        assert_eq!(cursor(r#"{"tools":[]}"#), None);
        assert_eq!(cursor(r#"{"nextCursor":null}"#), None);
        assert_eq!(cursor("7"), None);
    }
}
