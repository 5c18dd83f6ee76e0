#![allow(clippy::type_complexity, reason = "a table is read by its rows")]

use alloc::format;
use alloc::string::{String, ToString};

use serde_json::{Value, json};

use super::{Bench, MODERN, head, headers, legacy, modern, summary};
use crate::effect::{Effect, Effects};
use crate::id::RequestId;
use crate::mcp::http::Body;
use crate::time::Now;

/// MCP-05, MCP-06, MCP-15: what is no message.
#[test]
fn bodies() {
    for (body, expected) in [
        ("", "400 -32700 -"),
        ("{", "400 -32700 -"),
        ("\u{0}", "400 -32700 -"),
        ("7", "400 -32600 -"),
        ("{}", "400 -32600 -"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "400 -32600 -"),
        (r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#, "400 -32600 -"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, "400 -32600 -"),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, "400 -32600 \"a\""),
        (r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}"#, "400 -32600 5"),
    ] {
        let expected = expected.to_string();
        assert_eq!(summary(&Bench::new().post(&[], body)), expected, "{body}");
        assert_eq!(summary(&Bench::new().post(MODERN, body)), expected, "modern header, {body}");
    }
    let mut bench = Bench::new();
    for (body, status) in
        [(Body::TooLarge, 413), (Body::TooSlow, 408), (Body::Broken, 400), (Body::NotUtf8, 400)]
    {
        let mut effects = Effects::default();
        bench.server.on_request(Now::default(), RequestId::new(1), &head(&[]), &body, &mut effects);
        let [Effect::HttpReply { reply, .. }] = effects.as_slice() else { panic!("{effects:?}") };
        let closes = reply.headers.contains(&("Connection".to_string(), "close".to_string()));
        assert_eq!((reply.status, closes), (status, body != Body::NotUtf8), "{body:?}");
    }
}

/// MCP-01, MCP-08, MCP-09, MCP-10, MCP-11, MCP-12, MCP-13, MCP-34: a modern request, spoiled in each way and in the order of the checks.
#[test]
fn modern_requests() {
    const VERSION: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    const CAPABILITIES: &str = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    let with = |meta: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{{"_meta":{meta}}}}}"#)
    };
    let both = |more: &str| with(&format!("{{{VERSION},{CAPABILITIES}{more}}}"));
    let of = |version: &str| both("").replace("2026-07-28", version);
    let list = headers("tools/list", "");
    let version = |version| [("mcp-protocol-version", version), ("mcp-method", "tools/list")];
    let cases: &[(&str, &[(&str, &str)], String, &str)] = &[
        ("right", &list, both(""), "200 ok 7"),
        ("no meta", &list, r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#.into(), "400 -32602 7"),
        ("null meta", &list, with("null"), "400 -32602 7"),
        ("meta no object", &list, with("[]"), "400 -32602 7"),
        ("meta member twice", &list, both(r#","progressToken":1,"progressToken":1"#), "400 -32602 7"),
        ("no version", &list, with(&format!("{{{CAPABILITIES}}}")), "400 -32602 7"),
        ("no capabilities", &list, with(&format!("{{{VERSION}}}")), "400 -32602 7"),
        ("version no string", &list, of("\",\"x\":\"").replace("\"\",", "1,"), "400 -32602 7"),
        ("capabilities no object", &list, both("").replace(":{}", ":[]"), "400 -32602 7"),
        (
            "client",
            &list,
            both(r#","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}"#),
            "200 ok 7",
        ),
        ("client no object", &list, both(r#","io.modelcontextprotocol/clientInfo":1"#), "400 -32602 7"),
        (
            "client no name",
            &list,
            both(r#","io.modelcontextprotocol/clientInfo":{"version":"1"}"#),
            "400 -32602 7",
        ),
        ("level", &list, both(r#","io.modelcontextprotocol/logLevel":"alert""#), "200 ok 7"),
        ("level unknown", &list, both(r#","io.modelcontextprotocol/logLevel":"loud""#), "400 -32602 7"),
        ("token zero", &list, both(r#","progressToken":0"#), "200 ok 7"),
        ("token fraction", &list, both(r#","progressToken":0.5"#), "400 -32602 7"),
        ("token object", &list, both(r#","progressToken":{}"#), "400 -32602 7"),
        ("unknown members", &list, both(r#","traceparent":1,"x":{"y":[]}"#), "200 ok 7"),
        ("header differs", &version("2025-11-25"), both(""), "400 -32020 7"),
        ("body differs", &list, of("v999.0.0"), "400 -32020 7"),
        ("unsupported", &version("v999.0.0"), of("v999.0.0"), "400 -32022 7"),
        ("legacy in meta", &version("2025-11-25"), of("2025-11-25"), "400 -32022 7"),
        ("unsupported, no headers", &[], of("2099-01-01"), "400 -32022 7"),
        ("no headers", &[], both(""), "400 -32020 7"),
        ("no version header", &[("mcp-method", "tools/list")], both(""), "400 -32020 7"),
        ("no method header", MODERN, both(""), "400 -32020 7"),
        ("method differs", &headers("tools/call", ""), both(""), "400 -32020 7"),
        ("method in capitals", &headers("TOOLS/LIST", ""), both(""), "400 -32020 7"),
        ("method before version", &[("mcp-method", "x")], of("2099-01-01"), "400 -32020 7"),
        ("version twice", &[MODERN[0], MODERN[0], ("mcp-method", "tools/list")], both(""), "400 -32020 7"),
        ("method twice", &[MODERN[0], list[1], list[1]], both(""), "400 -32020 7"),
        ("name not needed", &headers("tools/list", "x"), both(""), "200 ok 7"),
        (
            "session and last event",
            &[list[0], list[1], ("mcp-session-id", "x"), ("last-event-id", "1")],
            both(""),
            "200 ok 7",
        ),
        ("cursor", &list, modern("7", "tools/list", r#""cursor":"x""#), "200 -32602 7"),
        ("empty cursor", &list, modern("7", "tools/list", r#""cursor":"""#), "200 -32602 7"),
        ("cursor no string", &list, modern("7", "tools/list", r#""cursor":1"#), "200 -32602 7"),
        ("text id", &list, modern("\"1\"", "tools/list", ""), "200 ok \"1\""),
    ];
    for (name, headers, body, expected) in cases {
        assert_eq!(summary(&Bench::new().post(headers, body)), *expected, "{name}: {body}");
    }
    for method in [
        "ping",
        "initialize",
        "logging/setLevel",
        "subscriptions/listen",
        "resources/list",
        "prompts/list",
        "completion/complete",
        "tasks/get",
        "notifications/initialized",
        "unknown",
        "",
    ] {
        let reply = Bench::new().post(&[MODERN[0], ("mcp-method", method)], &modern("7", method, ""));
        // An empty header counts as a missing one.
        let expected = if method.is_empty() { "400 -32020 7" } else { "404 -32601 7" };
        assert_eq!(summary(&reply), expected, "{method}");
    }
}

/// MCP-12, MCP-33: what can be said about a call before it is served.
#[test]
fn calls_refused() {
    let call = |params: &str| modern("7", "tools/call", params);
    let list = r#""name":"list""#;
    for (name, params, expected) in [
        ("", list, "400 -32020 7"),
        ("send", list, "400 -32020 7"),
        ("List", list, "400 -32020 7"),
        ("=?base64?bGlzdA=?=", list, "400 -32020 7"),
        ("=?base64?c2VuZA==?=", list, "400 -32020 7"),
        ("none", r#""name":"none""#, "200 -32602 7"),
        ("list", "", "200 -32602 7"),
        ("list", r#""name":1"#, "200 -32602 7"),
        ("list", r#""name":"list","arguments":null"#, "200 -32602 7"),
        ("list", r#""name":"list","arguments":[]"#, "200 -32602 7"),
        ("list", r#""name":"list","arguments":"{}""#, "200 -32602 7"),
    ] {
        let reply = Bench::new().post(&headers("tools/call", name), &call(params));
        assert_eq!(summary(&reply), expected, "{name}: {params}");
        if !expected.starts_with('4') {
            let reply = Bench::new().post(&[], &legacy("7", "tools/call", params));
            assert_eq!(summary(&reply), expected, "legacy, {params}");
        }
    }
    let reply = Bench::new().post(&headers("tools/call", "none"), &call(r#""name":"none""#));
    assert!(reply.body.contains(r#""message":"Unknown tool: none""#), "{}", reply.body);
}

/// TOOL-06: arguments that are no JSON value for a tool get a result that names the argument and the rule.
#[test]
fn arguments_that_no_tool_reads() {
    let deep = format!(r#"{{"text":{}{}}}"#, "[".repeat(101), "]".repeat(101));
    let deeper = format!(r#"{{"text":{}1{}}}"#, r#"{"a":"#.repeat(50_000), "}".repeat(50_000));
    for (arguments, text) in [
        (r#"{"text":"\ud800"}"#, "text: must be Unicode text, has half of a surrogate pair"),
        (r#"{"\udfff":1}"#, "arguments: a name must be Unicode text, has half of a surrogate pair"),
        (r#"{"wait":1e999}"#, "wait: must be a number of at most 1.8e308, has a larger one"),
        (&deep, "text: must be nested at most 100 levels deep"),
        (&deeper, "text: must be nested at most 100 levels deep"),
        (r#"{"wait":1,"wait":2}"#, "wait: must be given once, is given twice"),
        (r#"{"x":[{"a":1,"a":2}]}"#, "x: must have each member once, has one twice"),
    ] {
        let params = format!(r#""name":"send","arguments":{arguments}"#);
        let reply = Bench::new().post(&headers("tools/call", "send"), &modern("7", "tools/call", &params));
        let body: Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!(reply.status, 200);
        assert_eq!(body["result"]["isError"], true, "{arguments:.100}");
        assert_eq!(body["result"]["content"], json!([{"type": "text", "text": text}]));
    }
}

/// MCP-16, MCP-17, MCP-18, MCP-37: the modern results, byte for byte.
#[test]
fn modern_results() {
    let reply = Bench::new().post(&headers("server/discover", ""), &modern("1", "server/discover", ""));
    assert_eq!(
        reply.body,
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"Be kind.","ttlMs":300000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.2.3"}}}}"#
    );
    assert_eq!(reply.headers, [("Content-Type".to_string(), "application/json".to_string())]);
    let reply = Bench::new().post(&headers("tools/list", ""), &modern("1", "tools/list", ""));
    assert_eq!(
        reply.body,
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[{"name":"send","description":"Does send.","inputSchema":{"type":"object"}},{"name":"list","description":"Does list.","inputSchema":{"type":"object"}}],"ttlMs":300000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.2.3"}}}}"#
    );
    let reply = Bench::new().post(
        &[("mcp-protocol-version", "v999.0.0"), ("mcp-method", "server/discover")],
        &modern("1", "server/discover", "").replace("2026-07-28", "v999.0.0"),
    );
    assert_eq!(
        reply.body,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version: v999.0.0","data":{"requested":"v999.0.0","supported":["2026-07-28"]}}}"#
    );
    let reply = Bench::new().post(MODERN, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let body: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!(
        body["error"]["data"]["envelope"]["missing"],
        json!(["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"])
    );
}

/// MCP-19, MCP-20, MCP-23: the legacy results, byte for byte.
#[test]
fn legacy_results() {
    for (asked, given) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("junk", "2025-11-25"),
    ] {
        let params = format!(
            r#""protocolVersion":"{asked}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}"#
        );
        let reply = Bench::new().post(&[], &legacy("0", "initialize", &params));
        let expected = format!(
            r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{given}","capabilities":{{"tools":{{"listChanged":false}}}},"serverInfo":{{"name":"bench","version":"1.2.3"}},"instructions":"Be kind."}}}}"#
        );
        assert_eq!(reply.body, expected);
        assert_eq!(reply.headers, [("Content-Type".to_string(), "application/json".to_string())]);
    }
    let reply = Bench::new().post(&[], &legacy("\"p\"", "ping", ""));
    assert_eq!(reply.body, r#"{"jsonrpc":"2.0","id":"p","result":{}}"#);
    let reply = Bench::new().post(&[], &legacy("1", "tools/list", ""));
    assert_eq!(
        reply.body,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"send","description":"Does send.","inputSchema":{"type":"object"}},{"name":"list","description":"Does list.","inputSchema":{"type":"object"}}]}}"#
    );
}

/// MCP-02, MCP-03, MCP-04, MCP-14, MCP-21, MCP-22, MCP-25: which era, and what the legacy one answers.
#[test]
fn eras() {
    let header = |version| [("mcp-protocol-version", version)];
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let response = r#"{"jsonrpc":"2.0","id":3,"result":{}}"#;
    let modern_note =
        r#"{"jsonrpc":"2.0","method":"n","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}}"#;
    let initialize = legacy("7", "initialize", r#""protocolVersion":"2025-11-25""#);
    let ping = legacy("7", "ping", "");
    let cases: &[(&[(&str, &str)], &str, &str)] = &[
        (&[], &ping, "200 ok 7"),
        (&header(""), &ping, "200 ok 7"),
        (&header("2025-03-26"), &ping, "200 ok 7"),
        (&header("2025-11-25"), &ping, "200 ok 7"),
        (&header("2023-01-01"), &ping, "400 -32600 7"),
        (&header("2024-11-05"), &ping, "400 -32600 7"),
        (&header("2026-07-28"), &ping, "400 -32602 7"),
        (&header("v999.0.0"), &ping, "400 -32602 7"),
        (&[header("2025-11-25")[0], header("2025-11-25")[0]], &ping, "400 -32020 7"),
        (&[("mcp-method", "other"), ("mcp-name", "other")], &ping, "200 ok 7"),
        (&[], &initialize, "200 ok 7"),
        (&header("2025-06-18"), &initialize, "200 ok 7"),
        (&header("2026-07-28"), &initialize, "400 -32020 7"),
        (&[], &legacy("7", "initialize", ""), "200 -32602 7"),
        (&[], &legacy("7", "server/discover", ""), "200 -32601 7"),
        (&[], &legacy("7", "logging/setLevel", ""), "200 -32601 7"),
        (&[], &legacy("7", "tools/list", r#""cursor":"x""#), "200 -32602 7"),
        (&[], &legacy("7", "ping", r#""_meta":null"#), "200 ok 7"),
        (
            &[],
            &legacy("7", "ping", r#""_meta":{"progressToken":[],"io.modelcontextprotocol/x":1}"#),
            "200 ok 7",
        ),
        (&[], notification, "202"),
        (&header("2025-11-25"), notification, "202"),
        (&header("2023-01-01"), notification, "400 -32600 -"),
        (&header("2026-07-28"), notification, "202"),
        (&[header("2026-07-28")[0], ("mcp-method", "notifications/initialized")], notification, "202"),
        (&[header("2026-07-28")[0], ("mcp-method", "other")], notification, "400 -32020 -"),
        (&[], modern_note, "202"),
        (&[], response, "202"),
        (&header("2025-11-25"), response, "202"),
        (&header("2026-07-28"), response, "400 -32600 3"),
    ];
    for (headers, body, expected) in cases {
        assert_eq!(summary(&Bench::new().post(headers, body)), *expected, "{headers:?} {body}");
    }
}

/// MCP-07: batches of the legacy era.
#[test]
fn batches() {
    let ping = |id: &str| legacy(id, "ping", "");
    let note = r#"{"jsonrpc":"2.0","method":"n"}"#;
    let many = |count: usize| format!("[{}]", std::vec![note; count].join(","));
    let array = |elements: &[&str]| format!("[{}]", elements.join(","));
    let cases: &[(&[(&str, &str)], String, &str)] = &[
        (&[], "[]".into(), "400 -32600 -"),
        (&[], many(100), "202"),
        (&[], many(101), "400 -32600 -"),
        (&[("mcp-protocol-version", "2025-03-26")], many(1), "202"),
        (&[("mcp-protocol-version", "2025-06-18")], many(1), "400 -32600 -"),
        (MODERN, many(1), "400 -32600 -"),
        (&[], array(&[&ping("1"), &modern("2", "tools/list", "")]), "400 -32600 -"),
        (&[], array(&[&legacy("1", "initialize", r#""protocolVersion":"2025-03-26""#)]), "400 -32600 -"),
    ];
    for (headers, body, expected) in cases {
        assert_eq!(summary(&Bench::new().post(headers, body)), *expected, "{body:.100}");
    }
    let reply = Bench::new().post(&[], &array(&[&ping("1"), "1", note, &legacy("\"2\"", "none", "")]));
    let expected: String = [
        r#"[{"jsonrpc":"2.0","id":1,"result":{}},"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request: a message is a JSON object"}},"#,
        r#"{"jsonrpc":"2.0","id":"2","error":{"code":-32601,"message":"Method not found"}}]"#,
    ]
    .concat();
    assert_eq!((reply.status, reply.body), (200, expected));
}

/// HTTP-09: before the server is ready, and after it closed.
#[test]
fn not_ready() {
    let retry = ("Retry-After".to_string(), "1".to_string());
    let mut bench = Bench::new();
    bench.server.set_ready(false);
    let reply = bench.post(&[], &legacy("1", "ping", ""));
    assert_eq!((reply.status, reply.headers.contains(&retry)), (503, true));
    let mut stranger = head(&[]);
    stranger.authorized = false;
    let mut effects = Effects::default();
    bench.server.on_request(Now::default(), RequestId::new(9), &stranger, &Body::TooLarge, &mut effects);
    assert!(matches!(effects.as_slice(), [Effect::HttpReply { reply, .. }] if reply.status == 401));
    bench.server.set_ready(true);
    assert_eq!(summary(&bench.post(&[], &legacy("1", "ping", ""))), "200 ok 1");
    bench.server.close(&mut Effects::default());
    assert_eq!(bench.post(&[], &legacy("1", "ping", "")).status, 503);
}
