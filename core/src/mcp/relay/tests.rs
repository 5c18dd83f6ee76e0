//! Tables of lines and answers.

use std::string::String;
use std::vec::Vec;

use super::*;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;

/// A relay, its orders in short.
struct Bench(Relay);

impl Bench {
    fn new() -> Self {
        Self(Relay::new("my-agent", " --data /d"))
    }

    fn line(&mut self, line: &str) -> Vec<String> {
        let mut out = Vec::new();
        self.0.on_line(line, &mut out);
        out.iter().map(short).collect()
    }

    fn opened(&mut self, exchange: u64) -> Vec<String> {
        let mut out = Vec::new();
        self.0.on_opened(ExchangeId(exchange), &mut out);
        out.iter().map(short).collect()
    }

    fn event(&mut self, exchange: u64, json: &str) -> Vec<String> {
        let mut out = Vec::new();
        self.0.on_event(ExchangeId(exchange), json, &mut out);
        out.iter().map(short).collect()
    }

    fn end(&mut self, exchange: u64, end: End) -> Vec<String> {
        let mut out = Vec::new();
        self.0.on_end(ExchangeId(exchange), end, &mut out);
        out.iter().map(short).collect()
    }
}

fn short(order: &Order) -> String {
    match order {
        Order::Post { exchange, headers, after, .. } => {
            let own = headers.iter().filter(|(name, _)| name.starts_with("mcp-"));
            let own: Vec<String> = own.map(|(name, value)| format!(" {}={value}", &name[4..])).collect();
            let after = if after.0 > 0 { format!(" after {}", after.0) } else { String::new() };
            format!("post {}{}{after}", exchange.0, own.concat())
        }
        Order::Close(exchange) => format!("close {}", exchange.0),
        Order::Write(line) => line.clone(),
    }
}

fn whole(status: u16, body: &str) -> End {
    End::Whole { status, retry_after: None, body: body.to_owned() }
}

/// STDIO-02, STDIO-03: the headers of both eras.
#[test]
fn headers_of_lines() {
    let modern = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{META}}}}}"#)
    };
    for (line, order) in [
        (modern("server/discover", ""), "post 0 protocol-version=2026-07-28 method=server/discover"),
        (
            modern("tools/call", r#""name":"send","#),
            "post 0 protocol-version=2026-07-28 method=tools/call name=send",
        ),
        (
            modern("tools/call", r#""name":"Grüße","#),
            "post 0 protocol-version=2026-07-28 method=tools/call name==?base64?R3LDvMOfZQ==?=",
        ),
        (
            modern("tools/call", r#""name":"=?base64?x?=","#),
            "post 0 protocol-version=2026-07-28 method=tools/call name==?base64?PT9iYXNlNjQ/eD89?=",
        ),
        (
            modern("tools/call", r#""name":" a\n","#),
            "post 0 protocol-version=2026-07-28 method=tools/call name==?base64?IGEK?=",
        ),
        (modern("tools/call", r#""name":7,"#), "post 0 protocol-version=2026-07-28 method=tools/call"),
        (
            modern("resources/read", r#""uri":"a:b","#),
            "post 0 protocol-version=2026-07-28 method=resources/read name=a:b",
        ),
        (modern("tools/list\\n", ""), "post 0 protocol-version=2026-07-28"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#.to_owned(), "post 0"),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(), "post 0"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#.to_owned(), "post 0 protocol-version=2025-03-26"),
    ] {
        assert_eq!(Bench::new().line(&line), [order], "{line}");
    }
    let mut out = Vec::new();
    Bench::new().0.on_line(" {\"jsonrpc\":\"2.0\",\"id\":1e2,\"method\":\"x\"}", &mut out);
    assert!(matches!(&out[..], [Order::Write(_)]), "an id that is none is refused here");
}

/// STDIO-03: what `initialize` settled on is named from then on.
#[test]
fn the_negotiated_version() {
    let mut bench = Bench::new();
    bench.line(r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#);
    let answer = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}"#;
    assert_eq!(bench.end(0, whole(200, answer)), [answer]);
    let order = bench.line(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(order, ["post 1 protocol-version=2025-06-18"]);
    let order = bench.line(r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#);
    assert_eq!(order, ["post 2"]);
}

/// STDIO-04: what is no message gets its error here; blank lines and answers get nothing.
#[test]
fn lines_that_are_no_requests() {
    for (line, written) in [
        ("", None),
        (" \r", None),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, None),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#, None),
        (
            "{",
            Some(
                r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: the body is not JSON"}}"#,
            ),
        ),
        (
            r#"{"jsonrpc":"1.0","id":"a","method":"x"}"#,
            Some(
                r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"Invalid Request: jsonrpc must be \"2.0\""}}"#,
            ),
        ),
    ] {
        let expected: Vec<&str> = written.into_iter().collect();
        assert_eq!(Bench::new().line(line), expected, "{line}");
    }
}

/// STDIO-05, STDIO-06: answers pass as they are, on one line, and an error without an id gets the request's.
#[test]
fn answers() {
    let none = "The agent's server answered HTTP status";
    for (end, written) in [
        (
            whole(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\n \"result\":{\"b\":1,\"a\":1.0}}"),
            r#"{"jsonrpc":"2.0","id":1,  "result":{"b":1,"a":1.0}}"#,
        ),
        (
            whole(404, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}"#),
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}"#,
        ),
        (
            whole(403, r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"x","data":[1]}}"#),
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"x","data":[1]}}"#,
        ),
        (whole(500, "oops"), none),
        (whole(202, ""), none),
        (
            End::Failed("it was cut".to_owned()),
            "The agent's server gave no answer: it was cut. simplex-mcp doctor my-agent --data /d says why.",
        ),
        (End::NotRunning, "The agent is not running. Start it with: simplex-mcp serve my-agent --data /d"),
        (End::Stream, "The agent's server closed the connection before its answer. Repeat the call"),
    ] {
        let mut bench = Bench::new();
        bench.line(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        let lines = bench.end(0, end.clone());
        assert_eq!(lines.len(), 1, "{end:?}");
        let id = serde_json::from_str::<serde_json::Value>(&lines[0]).unwrap()["id"].clone();
        assert_eq!(id, 1, "{end:?}");
        assert!(lines[0].contains(written), "{end:?}: {}", lines[0]);
        // It has ended: nothing is written twice.
        assert!(bench.end(0, End::Stream).is_empty() && bench.event(0, "{}").is_empty());
    }
    let mut bench = Bench::new();
    bench.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert!(bench.end(0, End::NotRunning).is_empty(), "nobody waits for it");
}

/// STDIO-06: messages of a stream pass in order; its end adds nothing when the answer was among them.
#[test]
fn streams() {
    let mut bench = Bench::new();
    bench.line(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call"}"#);
    bench.opened(0);
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#;
    assert_eq!(bench.event(0, progress), [progress]);
    assert_eq!(bench.0.left(), Left::Streams);
    let answer = r#"{"jsonrpc":"2.0","id":"a","result":{}}"#;
    assert_eq!(bench.event(0, answer), [answer]);
    assert_eq!(bench.0.left(), Left::Nothing);
    assert!(bench.end(0, End::Stream).is_empty());
}

/// STDIO-07: the token is read anew once, a server that is not ready is waited for, and both come to an end.
#[test]
fn repeated_posts() {
    let mut bench = Bench::new();
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    bench.line(line);
    assert_eq!(bench.end(0, whole(401, "")), ["post 0"]);
    let lines = bench.end(0, whole(401, ""));
    assert!(lines[0].contains("refuses the token") && lines.len() == 1, "{lines:?}");
    for (end, after, most) in [
        (whole(503, ""), 1000, 60),
        (End::Whole { status: 503, retry_after: Some(7), body: String::new() }, 7000, 8),
        (End::NotListening, 500, 120),
    ] {
        let mut bench = Bench::new();
        bench.line(line);
        for _ in 0..most {
            assert_eq!(bench.end(0, end.clone()), [format!("post 0 after {after}")]);
        }
        let lines = bench.end(0, end);
        assert!(lines.len() == 1 && lines[0].contains("\"error\""), "{lines:?}");
    }
    // A day to wait is not waited for.
    let mut bench = Bench::new();
    bench.line(line);
    let end = End::Whole { status: 503, retry_after: Some(u64::MAX), body: String::new() };
    assert!(bench.end(0, end)[0].contains("HTTP status 503"));
}

/// STDIO-08: a cancelled request is closed, a legacy server is told, and nothing more is written.
#[test]
fn cancellation() {
    let modern = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{META}}}}}"#);
    let legacy = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#;
    let cancel = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
    };
    let mut bench = Bench::new();
    bench.line(&modern);
    assert!(bench.line(&cancel("\"1\"")).is_empty(), "ids keep their type");
    assert_eq!(bench.line(&cancel("1")), ["close 0"]);
    assert!(bench.event(0, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).is_empty());
    assert!(bench.end(0, End::Stream).is_empty());
    let mut bench = Bench::new();
    bench.line(legacy);
    assert_eq!(bench.line(&cancel("1")), ["post 1", "close 0"]);
    assert!(bench.line(&cancel("1")).is_empty());
    assert!(bench.end(1, whole(202, "")).is_empty());
    let mut bench = Bench::new();
    bench.line(r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"a"}]"#);
    assert_eq!(bench.line(&cancel("1")), ["post 1"]);
    let answers = r#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#;
    assert_eq!(bench.end(0, whole(200, answers)), [answers]);
}

/// STDIO-15: a crowd is posted some at a time; who has an answer, a stream, or was given up makes room.
#[test]
fn a_crowd_waits_its_turn() {
    let mut bench = Bench::new();
    let ping = |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    for id in 0..64 {
        assert_eq!(bench.line(&ping(id)), [format!("post {id}")]);
    }
    for id in 64..70 {
        assert_eq!(bench.line(&ping(id)), Vec::<String>::new());
    }
    let answer = r#"{"jsonrpc":"2.0","id":5,"result":{}}"#;
    assert_eq!(bench.end(5, whole(200, answer)), [answer.to_owned(), "post 64".to_owned()]);
    assert_eq!(bench.opened(6), ["post 65"]);
    // A stream has made its room already.
    assert_eq!(bench.event(6, r#"{"jsonrpc":"2.0","id":6,"result":{}}"#).len(), 1);
    assert_eq!(bench.end(6, End::Stream), Vec::<String>::new());
    // A request that was not posted is given up without a word to the server but the notification, which waits too.
    let cancel = |id: u64| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
    };
    assert_eq!(bench.line(&cancel(66)), Vec::<String>::new());
    assert_eq!(bench.line(&cancel(7)), ["close 7", "post 67"]);
    // A server that is not ready keeps its place.
    let busy = End::Whole { status: 503, retry_after: Some(1), body: String::new() };
    assert_eq!(bench.end(8, busy), ["post 8 after 1000"]);
}

/// STDIO-10: at the client's end it is known what may still come, and the rest gets an error.
#[test]
fn what_is_left_at_the_end() {
    let mut bench = Bench::new();
    assert_eq!(bench.0.left(), Left::Nothing);
    bench.line(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    bench.line(r#"{"jsonrpc":"2.0","id":"b","method":"ping"}"#);
    bench.opened(0);
    assert_eq!(bench.0.left(), Left::Answers);
    bench.opened(1);
    assert_eq!(bench.0.left(), Left::Streams);
    bench.event(0, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let mut out = Vec::new();
    bench.0.give_up(&mut out);
    let error = r#"{"jsonrpc":"2.0","id":"b","error":{"code":-32603,"message":"The client closed its side before the answer. Repeat the call: it attaches to the same action."}}"#;
    assert_eq!(out.iter().map(short).collect::<Vec<_>>(), [error]);
    assert_eq!(bench.0.left(), Left::Nothing);
    // A notification is to reach the server as well.
    bench.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(bench.0.left(), Left::Answers);
}
