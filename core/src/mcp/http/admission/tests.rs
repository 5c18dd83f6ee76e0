use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use super::admit;
use crate::mcp::http::{Head, Reply};

/// A request that is admitted.
fn good() -> Head {
    let headers = [("host", "127.0.0.1:5226"), ("content-type", "application/json"), ("content-length", "2")];
    Head {
        method: "POST".to_owned(),
        target: "/mcp".to_owned(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        authorized: true,
    }
}

/// The good request with a header set to these values.
fn with(name: &str, values: &[&str]) -> Head {
    let mut head = good();
    head.headers.retain(|(sent, _)| sent != name);
    head.headers.extend(values.iter().map(|value| (name.to_owned(), (*value).to_owned())));
    head
}

fn status(head: &Head) -> u16 {
    admit(head).map_or_else(|reply| reply.status, |()| 200)
}

fn header<'a>(reply: &'a Reply, name: &str) -> Option<&'a str> {
    reply.headers.iter().find(|(sent, _)| sent == name).map(|(_, value)| value.as_str())
}

/// HTTP-02, HTTP-03, HTTP-07, HTTP-08: every check of the digest's rows 1 to 7, with the values that pass and those that do not.
#[test]
fn each_check() {
    for (name, values, expected) in [
        ("host", &["localhost"][..], 200),
        ("host", &["LOCALHOST:80"], 200),
        ("host", &["[::1]:5226"], 200),
        ("host", &["evil.example:5226"], 403),
        ("host", &[""], 403),
        ("host", &[], 403),
        ("host", &["127.0.0.1", "127.0.0.1"], 403),
        ("origin", &[], 200),
        ("origin", &[""], 200),
        ("origin", &["http://localhost"], 200),
        ("origin", &["https://127.0.0.1:8443"], 200),
        ("origin", &["http://[::1]:1"], 200),
        ("origin", &["null"], 403),
        ("origin", &["http://evil.example"], 403),
        ("origin", &["http://localhost.evil.example"], 403),
        ("origin", &["file://localhost"], 403),
        ("origin", &["localhost"], 403),
        ("origin", &["http://localhost/path"], 403),
        ("origin", &["http://localhost", "http://localhost"], 403),
        ("content-type", &["application/json"], 200),
        ("content-type", &["Application/JSON ; charset=utf-8"], 200),
        ("content-type", &[], 415),
        ("content-type", &[""], 415),
        ("content-type", &["text/plain"], 415),
        ("content-type", &["application/json-rpc"], 415),
        ("content-type", &["application/json", "application/json"], 415),
        ("content-length", &[], 200),
        ("content-length", &["4194304"], 200),
        ("content-length", &["4194305"], 413),
        ("content-length", &["20000000000000"], 413),
        ("content-length", &["99999999999999999999999999"], 413),
        ("content-length", &["-1"], 400),
        ("content-length", &["+1"], 400),
        ("content-length", &[""], 400),
        ("content-length", &["2", "2"], 400),
        ("transfer-encoding", &["chunked"], 400),
    ] {
        assert_eq!(status(&with(name, values)), expected, "{name}: {values:?}");
    }
    let chunked =
        Head { headers: with("transfer-encoding", &["chunked"]).headers, ..with("content-length", &[]) };
    assert_eq!(status(&chunked), 400, "both lengths");
    for (coding, expected) in
        [("chunked", 200), ("Chunked", 200), ("gzip", 400), ("gzip, chunked", 400), ("", 400)]
    {
        let mut coded = with("content-length", &[]);
        coded.headers.push(("transfer-encoding".to_owned(), coding.to_owned()));
        assert_eq!(status(&coded), expected, "{coding}");
    }
}

/// HTTP-04.
#[test]
fn targets() {
    for (target, expected) in [
        ("/mcp", 200),
        ("/mcp?a=b", 200),
        ("http://127.0.0.1:5226/mcp", 200),
        ("http://evil.example/mcp", 403),
        ("http://127.0.0.1:5226/other", 404),
        ("http://127.0.0.1:5226", 404),
        ("/", 404),
        ("/mcp/", 404),
        ("/MCP", 404),
        ("//mcp", 404),
        ("//[", 404),
        ("/mcp#x", 404),
        ("/mcp/../mcp", 404),
        ("/%6dcp", 404),
        ("*", 404),
        ("mcp", 404),
        ("", 404),
        ("localhost:1", 404),
        ("\u{0}", 404),
    ] {
        assert_eq!(status(&Head { target: target.to_owned(), ..good() }), expected, "{target}");
    }
}

/// HTTP-06, MCP-38.
#[test]
fn methods() {
    for method in ["GET", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH", "post", ""] {
        let reply = admit(&Head { method: method.to_owned(), ..good() }).unwrap_err();
        assert_eq!((reply.status, header(&reply, "Allow")), (405, Some("POST")), "{method}");
    }
}

/// HTTP-02: each earlier fault wins over each later one.
#[test]
fn order() {
    let faults = [
        (403, (|head| head.headers[0].1 = "evil.example".to_owned()) as fn(&mut Head)),
        (403, |head| head.headers.push(("origin".to_owned(), "null".to_owned()))),
        (404, |head| head.target = "/".to_owned()),
        (401, |head| head.authorized = false),
        (405, |head| head.method = "GET".to_owned()),
        (415, |head| head.headers[1].1 = "text/plain".to_owned()),
        (413, |head| head.headers[2].1 = "4194305".to_owned()),
    ];
    for (index, (expected, _)) in faults.iter().enumerate() {
        let mut head = good();
        faults.iter().skip(index).for_each(|(_, spoil)| spoil(&mut head));
        assert_eq!(status(&head), *expected, "{index}");
    }
}

/// HTTP-05, HTTP-08, HTTP-15: a refusal names no id, and a body that is not read closes the connection.
#[test]
fn refusals() {
    let reply = admit(&Head { authorized: false, ..good() }).unwrap_err();
    assert_eq!(header(&reply, "WWW-Authenticate"), Some("Bearer"));
    assert!(
        reply.body.starts_with(r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"#),
        "{}",
        reply.body
    );
    let reply = admit(&with("content-length", &["4194305"])).unwrap_err();
    assert_eq!(header(&reply, "Connection"), Some("close"));
    let reply = admit(&Head { target: "/".to_owned(), ..good() }).unwrap_err();
    assert_eq!((reply.body.as_str(), reply.headers), ("", Vec::new()), "no CORS header either");
}
