use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::json;

use super::{Bench, headers, legacy, modern};
use crate::effect::Effects;
use crate::id::{CallId, RequestId};
use crate::mcp::tool::Ended;

const RESULT: &str = r#"{"resultType":"complete","content":[{"type":"text","text":"done"}],"structuredContent":{"n":1},"isError":false,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.2.3"}}}"#;

/// A modern call of `send` with a progress token, which is JSON text.
fn with_token(id: &str, token: &str) -> alloc::string::String {
    let token = format!(r#""_meta":{{"progressToken":{token},"#);
    modern(id, "tools/call", r#""name":"send""#).replace(r#""_meta":{"#, &token)
}

/// MCP-17, MCP-26: a result within 200 ms is JSON, and nothing wakes the server afterwards.
#[test]
fn quick_results_are_json() {
    let mut bench = Bench::new();
    let params = r#""name":"send","arguments":{"text":"\u0000","wait":1.5}"#;
    let (request, call) =
        bench.call(&headers("tools/call", "=?base64?c2VuZA==?="), &modern("\"a\"", "tools/call", params));
    assert_eq!((call.tool.as_str(), call.wants_progress, call.legacy), ("send", false, false));
    assert_eq!(json!(call.arguments), json!({"text": "\u{0}", "wait": 1.5}));
    assert_eq!(bench.wakeup(), Some(200));
    bench.tick(199);
    bench.finish(&call, "done");
    assert_eq!(bench.seen(), [format!(r#"req1 200 {{"jsonrpc":"2.0","id":"a","result":{RESULT}}}"#)]);
    assert_eq!(bench.wakeup(), None);
    bench.finish(&call, "again");
    bench.progress(&call, "late");
    bench.tick(60_000);
    assert_eq!(bench.seen(), [""; 0]);
    assert_eq!(bench.server.on_ended(request, true), [Ended { call: call.id, returned: true }]);
    assert_eq!(bench.server.on_ended(request, true), []);
    assert_eq!(bench.server.open_calls(), 0);
}

/// STDIO-14: progress of a call that ends within 200 ms is not sent, though the client listens: some hosts drop a
/// connection on it.
#[test]
fn quick_results_have_no_progress() {
    let mut bench = Bench::new();
    let (_, call) = bench.call(&headers("tools/call", "send"), &with_token("7", "0"));
    bench.progress(&call, "waits");
    bench.tick(199);
    bench.progress(&call, "works");
    bench.finish(&call, "done");
    assert_eq!(bench.seen(), [format!(r#"req1 200 {{"jsonrpc":"2.0","id":7,"result":{RESULT}}}"#)]);
}

/// MCP-26, MCP-27, MCP-28: a stream, its comments, its progress, its end.
#[test]
fn slow_results_are_streams() {
    let mut bench = Bench::new();
    let (request, call) = bench.call(&headers("tools/call", "send"), &with_token("7", "0"));
    assert!(call.wants_progress);
    let progress = |number: u64, message: &str| {
        format!(
            "req1 event: message\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":0,\"progress\":{number},\"message\":\"{message}\"}}}}\n\n"
        )
    };
    bench.progress(&call, "waits");
    assert_eq!(bench.seen(), [""; 0]);
    bench.tick(200);
    assert_eq!(bench.seen(), ["req1 open".to_string(), progress(1, "waits")]);
    assert_eq!(bench.wakeup(), Some(15_000));
    bench.progress(&call, "works");
    assert_eq!(bench.seen(), [progress(2, "works")]);
    bench.tick(14_999);
    assert_eq!(bench.seen(), [""; 0]);
    for _ in 0..3 {
        bench.tick(bench.wakeup().unwrap());
        assert_eq!(bench.seen(), ["req1 : keepalive\n\n"]);
        assert_eq!(bench.wakeup(), Some(15_000));
    }
    bench.finish(&call, "done");
    let event =
        format!("req1 event: message\ndata: {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{RESULT}}}\n\n");
    assert_eq!(bench.seen(), [event, "req1 close".to_string()]);
    bench.progress(&call, "late");
    assert_eq!((bench.seen().len(), bench.wakeup()), (0, None));
    assert_eq!(bench.server.on_ended(request, true), [Ended { call: call.id, returned: true }]);
}

/// MCP-28: tokens keep their type, and without one there is no progress but there are comments.
#[test]
fn progress_needs_a_token() {
    for (token, shown) in [("\"t\"", Some("\"t\"")), ("12", Some("12")), ("", None)] {
        let mut bench = Bench::new();
        let body = if token.is_empty() {
            modern("7", "tools/call", r#""name":"send""#)
        } else {
            with_token("7", token)
        };
        let (_, call) = bench.call(&headers("tools/call", "send"), &body);
        bench.tick(200);
        bench.seen();
        bench.progress(&call, "m");
        let seen = bench.seen();
        assert_eq!(seen.len(), usize::from(shown.is_some()));
        if let Some(shown) = shown {
            assert!(seen[0].contains(&format!(r#""progressToken":{shown},"#)), "{seen:?}");
        }
        bench.tick(15_000);
        assert_eq!(bench.seen(), ["req1 : keepalive\n\n"]);
    }
}

/// MCP-35: a client that takes no stream gets JSON, however late, and no progress.
#[test]
fn accept() {
    for (accept, streams) in [
        (None, true),
        (Some("application/json, text/event-stream"), true),
        (Some("Text/Event-Stream;q=0.5"), true),
        (Some("*/*"), true),
        (Some("text/*"), true),
        (Some("application/json"), false),
        (Some(""), false),
    ] {
        let mut bench = Bench::new();
        let mut sent = headers("tools/call", "send");
        sent.extend(accept.map(|accept| ("accept", accept)));
        let (_, call) = bench.call(&sent, &with_token("7", "1"));
        bench.progress(&call, "m");
        assert_eq!(bench.wakeup().is_some(), streams, "{accept:?}");
        bench.tick(3_600_000);
        bench.finish(&call, "done");
        let seen = bench.seen();
        assert_eq!(seen[0].starts_with("req1 open"), streams, "{seen:?}");
        assert_eq!(
            seen[0].starts_with("req1 200 {\"jsonrpc\":\"2.0\",\"id\":7,\"result\""),
            !streams,
            "{seen:?}"
        );
    }
}

/// MCP-31: a client that leaves ends its calls, answered or not, and nothing is sent to it any more.
#[test]
fn clients_leave() {
    for (ticks, answered, delivered, returned) in [
        (0, false, false, false),
        (200, false, false, false),
        (0, true, false, false),
        (200, true, false, false),
        (0, true, true, true),
        (200, true, true, true),
        // A front end that says a pending answer was delivered is wrong, and is not believed.
        (0, false, true, false),
    ] {
        let mut bench = Bench::new();
        let (request, call) = bench.call(&headers("tools/call", "send"), &with_token("7", "1"));
        bench.tick(ticks);
        if answered {
            bench.finish(&call, "done");
        }
        bench.seen();
        assert_eq!(bench.server.on_ended(request, delivered), [Ended { call: call.id, returned }]);
        bench.finish(&call, "late");
        bench.progress(&call, "late");
        bench.tick(60_000);
        assert_eq!((bench.seen().len(), bench.wakeup(), bench.server.open_calls()), (0, None, 0));
    }
}

/// MCP-24, MCP-32: a legacy cancellation ends nothing and marks the calls it may mean, before and after their answer.
#[test]
fn legacy_cancellation() {
    let cancel = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
    };
    for (id, late, returned) in [
        ("3", false, false),
        ("3", true, false),
        ("\"3\"", false, true),
        ("4", false, true),
        ("null", false, true),
    ] {
        let mut bench = Bench::new();
        let (request, call) = bench.call(&[], &legacy("3", "tools/call", r#""name":"send""#));
        assert!(call.legacy);
        if !late {
            assert_eq!(bench.post(&[], &cancel(id)).status, 202);
        }
        bench.finish(&call, "done");
        assert_eq!(bench.seen().len(), 1, "the call still gets its answer");
        if late {
            assert_eq!(bench.post(&[], &cancel(id)).status, 202);
        }
        assert_eq!(bench.server.on_ended(request, true), [Ended { call: call.id, returned }], "{id} {late}");
    }
    // Neither does a legacy cancellation touch a modern call, nor a modern one anything.
    let mut bench = Bench::new();
    let (request, call) =
        bench.call(&headers("tools/call", "send"), &modern("3", "tools/call", r#""name":"send""#));
    let (second, legacy) = bench.call(&[], &legacy("4", "tools/call", r#""name":"send""#));
    bench.post(&[], &cancel("3"));
    bench.post(super::MODERN, &cancel("4"));
    bench.finish(&call, "done");
    bench.finish(&legacy, "done");
    assert_eq!(bench.server.on_ended(request, true), [Ended { call: call.id, returned: true }]);
    assert_eq!(bench.server.on_ended(second, true), [Ended { call: legacy.id, returned: true }]);
}

/// MCP-07, MCP-26: the calls of a batch are answered together as JSON, or one event each.
#[test]
fn batches_of_calls() {
    let call = |id: &str| legacy(id, "tools/call", r#""name":"send""#);
    let body = format!("[{},{},{},1]", call("1"), legacy("2", "ping", ""), call("3"));
    let mut bench = Bench::new();
    let (request, calls) = bench.begin(&[], &body);
    assert_eq!((calls.len(), bench.seen().len()), (2, 0));
    bench.finish(&calls[1], "three");
    assert_eq!(bench.seen().len(), 0);
    bench.finish(&calls[0], "one");
    let seen = bench.seen();
    let ids: Vec<usize> =
        ["\"id\":2,", "-32600", "\"id\":3,", "\"id\":1,"].map(|id| seen[0].find(id).unwrap()).into();
    assert!(seen[0].starts_with("req1 200 [{") && ids.is_sorted(), "{seen:?}");
    assert_eq!(bench.server.on_ended(request, true).len(), 2);

    let (_, calls) = bench.begin(&[], &body);
    bench.tick(200);
    let seen = bench.seen();
    assert_eq!((seen.len(), seen[0].as_str()), (3, "req2 open"));
    bench.finish(&calls[1], "three");
    assert_eq!(bench.seen().len(), 1);
    bench.finish(&calls[0], "one");
    let seen = bench.seen();
    assert_eq!((seen.len(), seen[1].as_str()), (2, "req2 close"));
}

/// HTTP-10: the 513th call gets 503, until one is over.
#[test]
fn at_most_512_calls() {
    let mut bench = Bench::new();
    let body = legacy("1", "tools/call", r#""name":"send""#);
    let open: Vec<(RequestId, CallId)> = (0..512)
        .map(|_| {
            let (request, call) = bench.call(&[], &body);
            (request, call.id)
        })
        .collect();
    let reply = bench.post(&[], &body);
    assert_eq!(reply.status, 503);
    assert!(reply.headers.contains(&("Retry-After".to_string(), "1".to_string())));
    assert_eq!(bench.post(&[], &legacy("1", "ping", "")).status, 200);
    assert_eq!(bench.server.on_ended(open[0].0, false), [Ended { call: open[0].1, returned: false }]);
    assert_eq!(bench.post(&[], &format!("[{body},{body}]")).status, 503);
    bench.call(&[], &body);
}

/// STOP-02, P3: at stop every open call gets its one answer.
#[test]
fn close_ends_open_calls() {
    let mut bench = Bench::new();
    let (_, waiting) = bench.call(&[], &legacy("1", "tools/call", r#""name":"send""#));
    let (_, answered) = bench.call(&[], &legacy("2", "tools/call", r#""name":"send""#));
    bench.finish(&answered, "done");
    bench.seen();
    bench.tick(100);
    let (pending, _) =
        bench.call(&headers("tools/call", "send"), &modern("3", "tools/call", r#""name":"send""#));
    bench.tick(100);
    assert_eq!(bench.seen(), ["req1 open"]);
    let mut effects = Effects::default();
    core::mem::swap(&mut effects, &mut bench.effects);
    bench.server.close(&mut effects);
    bench.effects = effects;
    let error = |id: u8| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"the server stopped before the call was finished"}}}}"#
        )
    };
    let event = format!("req1 event: message\ndata: {}\n\n", error(1));
    assert_eq!(bench.seen(), [event, "req1 close".to_string(), format!("{pending} 200 {}", error(3))]);
    bench.finish(&waiting, "late");
    bench.tick(60_000);
    assert_eq!((bench.seen().len(), bench.wakeup()), (0, None));
}
