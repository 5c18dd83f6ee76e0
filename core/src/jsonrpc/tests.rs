use alloc::format;
use alloc::string::{String, ToString};

use serde_json::json;
use serde_json::value::RawValue;

use super::{Error, Fault, Id, Incoming, MAX_DEPTH, Message, ValueFault, decode, error, raw, result, value};

/// What a text is, in one line.
fn seen(text: &str) -> String {
    let one = |message: &Message<'_>| match message {
        Message::Request { id, method, params } => {
            format!("request {id:?} {method} {}", params.iter().count())
        }
        Message::Notification { method, params } => {
            format!("notification {method} {}", params.iter().count())
        }
        Message::Response { id, outcome } => format!("response {id:?} {}", outcome.is_ok()),
    };
    let fault = |Fault { id, error }: &Fault| format!("{} {id:?} {}", error.code, error.message);
    match decode(text) {
        Ok(Incoming::One(message)) => one(&message),
        Ok(Incoming::Batch(elements)) => {
            let elements: alloc::vec::Vec<String> =
                elements.iter().map(|element| element.as_ref().map_or_else(fault, one)).collect();
            format!("[{}]", elements.join(", "))
        }
        Err(error) => fault(&error),
    }
}

#[test]
fn texts() {
    let deep = "[".repeat(100_000);
    let nested = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{}{}}}}}"#,
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    for (text, expected) in [
        ("", "-32700 None Parse error: the body is not JSON"),
        ("{", "-32700 None Parse error: the body is not JSON"),
        (&deep, "-32700 None Parse error: the body is not JSON"),
        ("\u{feff}{}", "-32700 None Parse error: the body is not JSON"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m"} x"#, "-32700 None Parse error: the body is not JSON"),
        ("1", "-32600 None Invalid Request: a message is a JSON object"),
        ("null", "-32600 None Invalid Request: a message is a JSON object"),
        ("{}", "-32600 None Invalid Request: jsonrpc must be \"2.0\""),
        (
            r#"{"jsonrpc":"1.0","id":7,"method":"m"}"#,
            "-32600 Some(7) Invalid Request: jsonrpc must be \"2.0\"",
        ),
        (r#"{"jsonrpc":2.0,"id":7,"method":"m"}"#, "-32600 Some(7) Invalid Request: jsonrpc must be \"2.0\""),
        (r#"{"jsonrpc":"2.0","id":7}"#, "-32600 Some(7) Invalid Request: there is no method"),
        (r#"{"jsonrpc":"2.0","id":7,"method":1}"#, "-32600 Some(7) Invalid Request: method must be a string"),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"\ud800"}"#,
            "-32600 Some(7) Invalid Request: method must be a string",
        ),
        (r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#, "request 7 m 0"),
        (r#" {"jsonrpc":"2.0","id":"7","method":"m","params":{"a":1}} "#, "request \"7\" m 1"),
        (r#"{"jsonrpc":"2.0","id":0,"method":"m"}"#, "request 0 m 0"),
        (r#"{"jsonrpc":"2.0","id":-3,"method":"m"}"#, "request -3 m 0"),
        (
            r#"{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"m"}"#,
            "request 123456789012345678901234567890 m 0",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.0,"method":"m"}"#,
            "-32600 None Invalid Request: id must be a string or an integer",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1e2,"method":"m"}"#,
            "-32600 None Invalid Request: id must be a string or an integer",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
            "-32600 None Invalid Request: id must be a string or an integer",
        ),
        (
            r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#,
            "-32600 None Invalid Request: id must be a string or an integer",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"\udc00","method":"m"}"#,
            "-32600 None Invalid Request: id must be a string or an integer",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":[]}"#,
            "-32600 Some(7) Invalid Request: params must be an object",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":null}"#,
            "-32600 Some(7) Invalid Request: params must be an object",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"m","method":"n"}"#,
            "-32600 Some(7) Invalid Request: a member is given twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"m"}"#,
            "-32600 None Invalid Request: a member is given twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1,"\u0061":2}}"#,
            "-32600 Some(7) Invalid Request: a member of params is given twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"\ud800":1}}"#,
            "-32600 Some(7) Invalid Request: the name of a member of params is not Unicode text",
        ),
        (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":"\ud800","b":1e999}}"#, "request 7 m 2"),
        (&nested, "request 1 m 1"),
        (r#"{"jsonrpc":"2.0","method":"m"}"#, "notification m 0"),
        (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, "response Some(7) true"),
        (r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"m"}}"#, "response Some(7) false"),
        (r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"m"}}"#, "response None false"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, "-32600 None Invalid Request: there is no method"),
        (
            r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":-1,"message":"m"}}"#,
            "-32600 Some(7) Invalid Request: there is no method",
        ),
        ("[]", "[]"),
        (
            r#"[{"jsonrpc":"2.0","id":7,"method":"m"},1,{"jsonrpc":"2.0","method":"n"}]"#,
            "[request 7 m 0, -32600 None Invalid Request: a message is a JSON object, notification n 0]",
        ),
    ] {
        assert_eq!(seen(text), expected, "{text:.100}");
    }
}

#[test]
fn values() {
    let level = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for (text, expected) in [
        (r#"{"a":[1,-1,1.5,true,null,"x"]}"#.to_string(), Ok(json!({"a": [1, -1, 1.5, true, null, "x"]}))),
        (r#""\ud83d\ude00 \\ud800 \"""#.to_string(), Ok(json!("😀 \\ud800 \""))),
        (r#""\ud83d""#.to_string(), Err(ValueFault::Surrogate)),
        (r#""\ud83dx\ude00""#.to_string(), Err(ValueFault::Surrogate)),
        (r#""\ude00""#.to_string(), Err(ValueFault::Surrogate)),
        (r#"{"\ude00":1}"#.to_string(), Err(ValueFault::Surrogate)),
        ("1e999".to_string(), Err(ValueFault::Number)),
        ("1e-999".to_string(), Ok(json!(0.0))),
        (r#"[{"a":1,"a":1}]"#.to_string(), Err(ValueFault::Twice)),
        (level(MAX_DEPTH + 1), Err(ValueFault::Deep)),
        (level(100_000), Err(ValueFault::Deep)),
        (format!(r#""{}""#, "[".repeat(1000)), Ok(json!("[".repeat(1000)))),
    ] {
        let json: &RawValue = serde_json::from_str(&text).unwrap();
        assert_eq!(value(json), expected, "{text:.100}");
    }
    assert!(value(raw(&level(MAX_DEPTH))).is_ok());
}

#[test]
fn answers_repeat_the_id_with_its_type() {
    for id in ["1", "\"1\"", "-0", "\"\\n😀\"", "18446744073709551616"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        let Ok(Incoming::One(Message::Request { id: read, .. })) = decode(&text) else { panic!("{text}") };
        assert_eq!(result(&read, &json!({})), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
    assert_ne!(Id::number(1), Id::text("1"));
    assert_eq!(
        error(None, &Error::new(-32600, "no").with(json!({"a": 1}))),
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no","data":{"a":1}}}"#
    );
}
