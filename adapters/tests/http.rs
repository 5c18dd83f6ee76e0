//! The HTTP front ends over real sockets.
#![allow(clippy::unwrap_used)]

#[path = "http/client.rs"]
mod client;
#[path = "http/exceptions.rs"]
mod exceptions;
#[path = "http/machine.rs"]
mod machine;
#[path = "http/rig.rs"]
mod rig;

use std::io::Read;
use std::net::TcpListener;
use std::thread::sleep;
use std::time::{Duration, Instant};

use simplex_agent_adapters::driver::{Front, Inbox};
use simplex_agent_adapters::http::hyper::HyperFront;
use simplex_agent_core::id::OpId;
use simplex_agent_core::mcp::http::{Limits, Token};
use simplex_agent_core::time::Millis;

use client::{Client, call, good_head, ping, post, post_for_json};
use exceptions::closes;
use rig::{Kind, Rig, TOKEN};
use rustix::process::{Resource, getrlimit, setrlimit};

/// Runs each test against each front end.
macro_rules! for_each_front {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        mod hyper {
            $(#[test] $(#[$meta])* fn $name() { super::$name(super::Kind::Hyper) })*
        }
        #[cfg(feature = "tiny-http")]
        mod tiny {
            $(#[test] $(#[$meta])* fn $name() {
                if super::exceptions::reason(stringify!($name)).is_none() {
                    super::$name(super::Kind::Tiny)
                }
            })*
        }
    };
}

for_each_front! {
    /// HTTP-01, HTTP-02, HTTP-03, HTTP-04, HTTP-05, HTTP-06, HTTP-07, HTTP-15
    refusals,
    /// HTTP-04
    targets,
    /// HTTP-18
    split_heads_and_bodies,
    /// HTTP-18
    pipelining,
    /// HTTP-18
    chunked,
    /// HTTP-08, HTTP-18
    malformed_chunks,
    /// HTTP-08
    huge_declared_length,
    /// HTTP-08
    counted_length,
    /// HTTP-18, HTTP-34
    ambiguous_lengths,
    /// HTTP-33
    many_large_bodies,
    /// HTTP-12
    large_heads,
    /// HTTP-12, HTTP-16
    slow_heads,
    slow_bodies,
    /// HTTP-18
    expect_continue,
    keep_alive,
    /// MCP-05
    bytes_that_are_no_text,
    delivered_answers,
    undelivered_answers,
    /// HTTP-14, MCP-31
    leaving_a_pending_answer,
    /// HTTP-14, MCP-31
    half_closing_a_pending_answer,
    /// HTTP-31
    half_closing_after_a_request,
    /// HTTP-14, HTTP-31
    half_closing_a_stream,
    /// HTTP-30
    answers_before_the_end_of_a_body,
    /// HTTP-12
    exact_limit_of_a_head,
    /// HTTP-18, HTTP-32
    hostile_input,
    /// HTTP-11, HTTP-32
    idle_connections,
    /// HTTP-14, MCP-31
    leaving_behind_a_next_request,
    /// HTTP-14, MCP-31
    leaving_a_stream,
    /// HTTP-14, HTTP-17
    leaving_a_busy_stream,
    /// MCP-26, MCP-27, MCP-28
    streams,
    /// HTTP-11
    too_many_connections,
    /// STOP-02
    closing,
    /// STOP-02, HTTP-17
    closing_ends_calls,
    many_at_once,
    no_secrets,
}

fn refusals(kind: Kind) {
    let rig = Rig::new(kind);
    assert!(rig.address.ip().is_loopback());
    let good = post(&ping(1));
    for (from, to, status) in [
        ("", "", 200),
        ("Host: localhost", "Host: evil.example", 403),
        ("Host: localhost", "Host: LOCALHOST:1", 200),
        ("Host: localhost", "Host: localhost\r\nOrigin: null", 403),
        ("Host: localhost", "Host: localhost\r\nOrigin: http://evil.example", 403),
        ("Host: localhost", "Host: localhost\r\nOrigin: http://localhost:3000", 200),
        ("/mcp", "/", 404),
        (TOKEN, "wrong", 401),
        ("Authorization", "X-Authorization", 401),
        ("Bearer", "Basic", 401),
        ("Authorization: ", "Authorization: Bearer x\r\nAuthorization: ", 401),
        ("POST", "GET", 405),
        ("POST", "DELETE", 405),
        ("POST", "OPTIONS", 405),
        ("application/json", "text/plain", 415),
    ] {
        let answer = Client::connect(&rig).send(good.replacen(from, to, 1)).answer();
        assert_eq!(answer.status, status, "{from} -> {to}: {answer:?}");
        assert_eq!(answer.header("allow"), (status == 405).then_some("POST"));
        assert_eq!(answer.header("www-authenticate"), (status == 401).then_some("Bearer"));
        assert!(!answer.headers.iter().any(|(name, _)| name.starts_with("access-control")));
        assert_eq!(answer.body.is_empty(), status == 404, "{answer:?}");
    }
    assert_eq!(rig.count("http req"), 3, "what is refused never reaches the machine");
}

fn targets(kind: Kind) {
    let rig = Rig::new(kind);
    for (target, status) in [
        ("/mcp?x=1", 200),
        ("http://127.0.0.1/mcp", 200),
        ("http://evil.example/mcp", 403),
        ("//[", 404),
        ("/mcp/", 404),
        ("*", 404),
        ("/%", 404),
    ] {
        let answer = Client::connect(&rig).send(post(&ping(1)).replacen("/mcp", target, 1)).answer();
        assert_eq!(answer.status, status, "{target}");
    }
}

fn split_heads_and_bodies(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    for byte in post(&ping(1)).bytes() {
        client.send([byte]);
        if byte % 16 == 0 {
            sleep(Duration::from_millis(1));
        }
    }
    assert_eq!(client.answer().body, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}

fn pipelining(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    let slow = post(&call(2, "slow", r#"{"ms":100}"#));
    client.send([post(&ping(1)), slow, post(&ping(3))].concat());
    for id in 1..=3 {
        let answer = client.answer();
        assert!(answer.body.contains(&format!(r#""id":{id},"#)), "{answer:?}");
    }
}

fn chunked(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    let body = ping(7);
    let (first, rest) = body.split_at(10);
    let head = good_head() + "Transfer-Encoding: chunked\r\n\r\n";
    client.send(format!("{head}a\r\n{first}\r\n"));
    sleep(Duration::from_millis(10));
    client.send(format!("{:x};ext=1\r\n{rest}\r\n0\r\n\r\n", rest.len()));
    assert_eq!(client.answer().body, r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    client.send(post(&ping(8)));
    assert_eq!(client.answer().status, 200, "the connection goes on");
}

fn malformed_chunks(kind: Kind) {
    let rig = Rig::new(kind);
    for chunks in ["x\r\n", "-1\r\n", "ffffffffffffffffff\r\n", "1\r\nabc\r\n0\r\n\r\n"] {
        let mut client = Client::connect(&rig);
        client.send(good_head() + "Transfer-Encoding: chunked\r\n\r\n" + chunks);
        assert_eq!(client.maybe_answer().map_or(400, |answer| answer.status), 400, "{chunks:?}");
        assert!(!closes(kind) || client.is_closed(), "{chunks:?}");
    }
    assert_eq!(Client::connect(&rig).send(post(&ping(1))).answer().status, 200);
}

/// The body is never waited for, allocated or taken for a next request.
fn huge_declared_length(kind: Kind) {
    let rig = Rig::new(kind);
    for length in ["4194305", "20000000000000", "9223372036854775807"] {
        for (from, to, status) in [("", "", 413), (TOKEN, "wrong", 401), ("/mcp", "/", 404)] {
            let mut client = Client::connect(&rig);
            client.send(format!("{}Content-Length: {length}\r\n\r\n{{}}", good_head()).replacen(from, to, 1));
            let answer = client.answer();
            assert_eq!(answer.status, status, "{length}");
            if status == 413 && closes(kind) {
                assert_eq!(answer.header("connection"), Some("close"));
                assert!(client.is_closed());
            }
        }
    }
    for length in ["18446744073709551615", "99999999999999999999999"] {
        let mut client = Client::connect(&rig);
        client.send(format!("{}Content-Length: {length}\r\n\r\n{{}}", good_head()));
        assert!((400..500).contains(&client.answer().status), "{length}");
    }
    assert_eq!(Client::connect(&rig).send(post(&ping(1))).answer().status, 200);
    assert_eq!(rig.count("http req"), 1);
}

fn counted_length(kind: Kind) {
    let rig = Rig::new(kind);
    let limit = Limits::SERVED.body;
    let padded = |length: usize| ping(1) + &" ".repeat(length - ping(1).len());
    for (length, status) in [(limit, 200), (limit + 1, 413)] {
        let mut client = Client::connect(&rig);
        let body = padded(length);
        client.send(format!(
            "{}Transfer-Encoding: chunked\r\n\r\n{length:x}\r\n{body}\r\n0\r\n\r\n",
            good_head()
        ));
        assert_eq!(client.answer().status, status);
    }
    assert_eq!(Client::connect(&rig).send(post(&padded(limit))).answer().status, 200);
}

/// Nothing hidden in a body is ever served, and what is ambiguous is refused or ends the connection.
fn ambiguous_lengths(kind: Kind) {
    let rig = Rig::new(kind);
    let body = ping(1);
    let hidden = post(&call(66, "echo", r#"{"smuggled":1}"#));
    let length = body.len();
    let chunk = format!("{length:x}\r\n{body}\r\n0\r\n\r\n");
    for (lengths, rest, allowed) in [
        (format!("Content-Length: {length}\r\nContent-Length: {length}"), body.clone(), &[400][..]),
        (format!("Content-Length: {length}\r\nContent-Length: 1"), body.clone(), &[400]),
        (format!("Content-Length: 1\r\nContent-Length: {length}"), body.clone(), &[400]),
        (format!("Content-Length: {length}\r\nTransfer-Encoding: chunked"), chunk.clone(), &[400]),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5".to_owned(), chunk.clone() + &hidden, &[400]),
        ("Transfer-Encoding: gzip".to_owned(), body.clone(), &[400]),
        ("Content-Length: -1".to_owned(), body.clone(), &[400]),
        ("Content-Length: x".to_owned(), body.clone(), &[400]),
        ("Content-Length: 1x".to_owned(), body.clone(), &[400]),
    ] {
        // Also behind a good request in the same bytes.
        for before in ["".to_owned(), post(&ping(2))] {
            let mut client = Client::connect(&rig);
            client.send(format!("{before}{}{lengths}\r\n\r\n{rest}", good_head()));
            if !before.is_empty() {
                assert_eq!(client.answer().status, 200);
            }
            let status = client.maybe_answer().map_or(400, |answer| answer.status);
            assert!(allowed.contains(&status), "{lengths}: {status}");
            assert!(!closes(kind) || client.is_closed(), "{lengths}");
        }
    }
    assert_eq!(rig.count("smuggled"), 0);
}

/// Whole bodies of calls that wait and halves of bodies count alike, until their requests have ended.
fn many_large_bodies(kind: Kind) {
    let rig = Rig::new(kind);
    let padded = |body: String| body + &" ".repeat(4_000_000);
    let most = Limits::SERVED.large_bodies / (4_000_000 - Limits::SERVED.small_body);
    let mut open = Vec::new();
    for id in 1..most {
        let mut client = Client::connect(&rig);
        client.send_all(post(&padded(call(id.try_into().unwrap(), "hang", "{}")))).unwrap();
        open.push(client);
    }
    let start = Instant::now();
    while rig.count("call hang") < most - 1 {
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", rig.diary());
        sleep(Duration::from_millis(10));
    }
    // A half takes the last place, when no ping has it at that moment.
    let half = padded(format!("{}Content-Length: 4000001\r\n\r\n", good_head()));
    let refused = loop {
        assert!(start.elapsed() < Duration::from_secs(20), "there is still room");
        let mut client = Client::connect(&rig);
        client.send_all(&half).unwrap();
        open.push(client);
        let answer = Client::connect(&rig).send(post(&padded(ping(1)))).answer();
        if answer.status != 200 {
            break answer;
        }
    };
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert!(refused.body.contains("as many large bodies as it may"), "{refused:?}");
    assert!(!closes(kind) || refused.header("connection") == Some("close"));
    assert_eq!(Client::connect(&rig).send(post(&ping(2))).answer().status, 200, "a small one");
    drop(open);
    while Client::connect(&rig).send(post(&padded(ping(3)))).answer().status != 200 {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing is given back");
        sleep(Duration::from_millis(10));
    }
}

fn large_heads(kind: Kind) {
    let rig = Rig::new(kind);
    for head in [
        format!("X-Large: {}\r\n", "x".repeat(64 * 1024)),
        (0..101).map(|number| format!("X-{number}: 1\r\n")).collect(),
        format!("{}: 1\r\n", "x".repeat(64 * 1024)),
    ] {
        let mut client = Client::connect(&rig);
        client.send(good_head() + &head + "\r\n");
        assert_eq!(client.maybe_answer().map_or(431, |answer| answer.status), 431);
    }
    let mut client = Client::connect(&rig);
    client.send("x".repeat(10 * 1024 * 1024));
    assert!(client.maybe_answer().is_none_or(|answer| (400..500).contains(&answer.status)));
    let fits = format!("X-Large: {}\r\nContent-Length: {}\r\n\r\n", "x".repeat(20 * 1024), ping(1).len());
    assert_eq!(Client::connect(&rig).send(good_head() + &fits + &ping(1)).answer().status, 200);
}

fn slow_heads(kind: Kind) {
    let limits = Limits { head_time: Millis(200), ..Limits::SERVED };
    let rig = Rig::with_limits(kind, limits);
    for sent in ["", "POST", &good_head()] {
        let start = Instant::now();
        let mut client = Client::connect(&rig);
        client.send(sent);
        assert!(client.maybe_answer().is_none_or(|answer| answer.status == 408));
        assert!((150..8000).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());
    }
    let mut client = Client::connect(&rig);
    client.send(post(&ping(1)));
    assert_eq!(client.answer().status, 200);
    assert!(client.is_closed(), "an idle connection ends too");
    // Each request begins the time anew.
    let rig = Rig::with_limits(kind, Limits { head_time: Millis(1000), ..limits });
    let mut client = Client::connect(&rig);
    for _ in 0..4 {
        client.send(post(&ping(1)));
        assert_eq!(client.answer().status, 200);
        sleep(Duration::from_millis(400));
    }
    assert!(client.is_closed());
}

fn slow_bodies(kind: Kind) {
    let limits = Limits { body_time: Millis(200), ..Limits::SERVED };
    let rig = Rig::with_limits(kind, limits);
    let mut client = Client::connect(&rig);
    client.send(good_head() + "Content-Length: 100\r\n\r\n{");
    assert_eq!(client.answer().status, 408);
    assert!(client.is_closed());
}

fn expect_continue(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    let head = format!("{}Expect: 100-continue\r\nContent-Length: {}\r\n\r\n", good_head(), ping(1).len());
    client.send(&head);
    assert_eq!(client.head().unwrap().0, 100);
    client.send(ping(1));
    assert_eq!(client.answer().status, 200);
    let mut client = Client::connect(&rig);
    client.send(head.replacen(TOKEN, "wrong", 1));
    assert_eq!(client.answer().status, 401, "a request that is refused is not asked for its body");
}

fn keep_alive(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    for id in 0..3 {
        assert_eq!(client.send(post(&ping(id))).answer().status, 200);
        assert_eq!(client.send(post(r#"{"jsonrpc":"2.0","method":"n"}"#)).answer().status, 202);
        let stream = client.send(post(&call(id, "slow", r#"{"ms":250}"#))).answer();
        assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    }
    client.send(post(&ping(9)).replacen("\r\n", "\r\nConnection: close\r\n", 1));
    assert_eq!(client.answer().status, 200);
    assert!(client.is_closed());
}

fn bytes_that_are_no_text(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    client.send(good_head() + "Content-Length: 2\r\n\r\n").send([0xC3, 0x28]);
    let answer = client.answer();
    assert_eq!((answer.status, answer.body.contains("-32700")), (400, true));
}

fn delivered_answers(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    client.send(post(&call(1, "echo", "{}")));
    assert_eq!(client.answer().status, 200);
    rig.wait("over returned=true");
    let mut stream = Client::connect(&rig);
    stream.send(post(&call(1, "slow", r#"{"ms":300}"#)));
    assert!(stream.answer().body.contains("slow done"));
    let big = Client::connect(&rig).send(post(&call(1, "big", r#"{"bytes":3000000}"#))).answer();
    assert!(big.body.len() > 3_000_000);
    rig.stop();
    while rig.count("over") < 3 {
        sleep(Duration::from_millis(1));
    }
    assert_eq!(rig.count("over returned=false"), 0);
    drop(client);
}

/// A client that takes no bytes has no answer, though the machine gave it.
fn undelivered_answers(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    client.send(post(&call(1, "big", r#"{"bytes":30000000}"#)));
    rig.wait("call big");
    sleep(Duration::from_millis(200));
    assert_eq!(rig.count("over"), 0, "it is not over while the client may still read");
    drop(client);
    rig.wait("over returned=false");
}

fn leaving_a_pending_answer(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    client.send(post_for_json(&call(1, "hang", "{}")));
    rig.wait("call hang");
    sleep(Duration::from_millis(50));
    drop(client);
    assert!(rig.wait("over returned=false") < Duration::from_secs(1));
}

fn half_closing_a_pending_answer(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    client.send(post_for_json(&call(1, "hang", "{}")));
    rig.wait("call hang");
    client.half_close();
    assert!(rig.wait("over returned=false") < Duration::from_secs(1));
    assert!(client.maybe_answer().is_none());
}

/// A client that asks and closes its sending half gets every answer that comes at once.
fn half_closing_after_a_request(kind: Kind) {
    let rig = Rig::new(kind);
    for _ in 0..20 {
        let mut client = Client::connect(&rig);
        client.send(post(&ping(1)) + &post_for_json(&call(2, "slow", r#"{"ms":50}"#)) + &post(&ping(3)));
        client.half_close();
        for id in 1..=3 {
            let answer = client.answer();
            assert!(answer.body.contains(&format!(r#""id":{id},"result""#)), "{answer:?}");
        }
        assert!(client.maybe_answer().is_none());
    }
}

/// An open stream ends at once: so does a client look that cancels its call.
fn half_closing_a_stream(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    client.send(post(&call(1, "hang", "{}")));
    assert_eq!(client.head().unwrap().0, 200);
    sleep(Duration::from_millis(250));
    client.half_close();
    assert!(rig.wait("over returned=false") < Duration::from_millis(250));
}

/// A client that sends all of a body before it reads finds the answer: nothing resets the connection.
fn answers_before_the_end_of_a_body(kind: Kind) {
    let rig = Rig::new(kind);
    let body = " ".repeat(5 * 1024 * 1024);
    let head = format!("{}Content-Length: {}\r\n\r\n", good_head(), body.len());
    for (from, to, status) in [("", "", 413), (TOKEN, "wrong", 401), ("/mcp", "/", 404)].repeat(5) {
        let mut client = Client::connect(&rig);
        client.send_all(head.replacen(from, to, 1)).unwrap();
        client.send_all(&body).unwrap();
        assert_eq!(client.answer().status, status);
    }
    let chunked = format!("{}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", good_head(), body.len());
    let mut client = Client::connect(&rig);
    client.send_all(chunked + &body + "\r\n0\r\n\r\n").unwrap();
    assert_eq!(client.answer().status, 413);
}

fn exact_limit_of_a_head(kind: Kind) {
    let rig = Rig::new(kind);
    let limit = Limits::SERVED.head;
    for (length, status) in [(limit - 1, 200), (limit, 200), (limit + 1, 431), (40_000, 431), (65_536, 431)] {
        let head = format!("{}Content-Length: {}\r\nX-Large: ", good_head(), ping(1).len());
        let filler = "x".repeat(length - head.len() - 4);
        let answer = Client::connect(&rig).send(head + &filler + "\r\n\r\n" + &ping(1)).answer();
        assert_eq!(answer.status, status, "{length}");
    }
}

/// What nobody should send: 4xx or a closed connection, nothing hidden is served, and the next request is answered.
fn hostile_input(kind: Kind) {
    let rig = Rig::new(kind);
    let body = ping(1);
    let hidden = post(&call(66, "echo", r#"{"smuggled":1}"#));
    let chunk = format!("{:x}\r\n{body}\r\n0\r\n", body.len());
    let with = |headers: &str, rest: &str| format!("{}{headers}\r\n\r\n{rest}", good_head());
    let large = "x".repeat(64 * 1024);
    // `tiny_http` knows no trailers.
    let trailers: &[u16] = if closes(kind) { &[200] } else { &[400] };
    let rows: Vec<(&str, String, &[u16])> = vec![
        ("a header of 64 KiB", with(&format!("X: {large}\r\nContent-Length: 2"), "{}"), &[431]),
        ("a target of 64 KiB", post(&body).replacen("/mcp", &format!("/mcp?{large}"), 1), &[414, 431]),
        ("a method of 64 KiB", post(&body).replacen("POST", &large, 1), &[400, 431]),
        ("a body of 5 MiB", post(&" ".repeat(5 << 20)), &[413]),
        ("trailers", with("Transfer-Encoding: chunked", &format!("{chunk}X-Trailer: 1\r\n\r\n")), trailers),
        (
            "trailers of 64 KiB",
            with("Transfer-Encoding: chunked", &format!("{chunk}X: {large}\r\n\r\n")),
            &[200, 400, 431],
        ),
        ("two lengths", with("Content-Length: 5\r\nContent-Length: 50", &hidden), &[400]),
        (
            "a length and chunks",
            with("Content-Length: 5\r\nTransfer-Encoding: chunked", &format!("{chunk}\r\n{hidden}")),
            &[400],
        ),
        (
            "chunks and a length",
            with("Transfer-Encoding: chunked\r\nContent-Length: 5", &(chunk.clone() + "\r\n")),
            &[400],
        ),
        ("20 TB and no body", with("Content-Length: 20000000000000", ""), &[413]),
        ("a good one and garbage", post(&body) + "\0\x01garbage\r\n\r\n", &[200]),
        ("garbage", "\x16\x03\x01\x02\0\x01\0\x01\u{fc}\x03\x03\r\n\r\n".to_owned(), &[400]),
        ("another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), &[400, 403, 404, 505]),
        ("a folded header", with("X: 1\r\n folded\r\nContent-Length: 2", "{}"), &[400]),
        ("a space before the colon", with("Content-Length : 2", "{}"), &[400]),
        ("an empty name", with(": 1\r\nContent-Length: 2", "{}"), &[400]),
        ("a zero in a header", with("X: \0\r\nContent-Length: 2", "{}"), &[400]),
        ("no host", post(&body).replacen("Host: localhost\r\n", "", 1), &[400, 403]),
        ("two hosts", post(&body).replacen("\r\n", "\r\nHost: localhost\r\n", 1), &[400, 403]),
    ];
    for (name, bytes, allowed) in rows {
        if name == "another protocol" && !closes(kind) {
            // It is refused, but on a connection that stays open and without a length.
            continue;
        }
        let mut client = Client::connect(&rig);
        client.send(&bytes);
        if !bytes.starts_with(&good_head()) {
            client.half_close();
        }
        let status = client.maybe_answer().map_or(400, |answer| answer.status);
        assert!(allowed.contains(&status), "{name}: {status}");
        assert_eq!(Client::connect(&rig).send(post(&ping(2))).answer().status, 200, "after {name}");
    }
    assert_eq!(rig.count("smuggled"), 0);
}

/// Thousands of connections that say nothing take no one's place.
fn idle_connections(kind: Kind) {
    let rig = Rig::new(kind);
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
    // Both ends are in this process, beside those of the other tests.
    let free = getrlimit(Resource::Nofile).current.unwrap_or(1 << 20).saturating_sub(2048);
    let count = free.min(5000);
    let mut idle: Vec<Client> = (0..count).map(|_| Client::connect(&rig)).collect();
    assert_eq!(Client::connect(&rig).send(post(&ping(1))).answer().status, 200);
    let most = Limits::SERVED.connections as u64;
    if count > most {
        assert!(idle[0].is_closed(), "the one idle longest was closed");
    }
}

fn leaving_behind_a_next_request(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    client.send(post_for_json(&call(1, "hang", "{}")) + &post(&ping(2)));
    rig.wait("call hang");
    sleep(Duration::from_millis(50));
    drop(client);
    assert!(rig.wait("over returned=false") < Duration::from_secs(2));
    assert_eq!(rig.count("http req"), 1, "the next request is not served any more");
}

fn leaving_a_stream(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    client.send(post(&call(1, "hang", "{}")));
    assert_eq!(client.head().unwrap().0, 200);
    drop(client);
    assert!(rig.wait("over returned=false") < Duration::from_secs(1));
}

/// Where only a write can tell, the next events do.
fn leaving_a_busy_stream(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    client.send(post(&call(1, "slow", r#"{"ms":60000}"#)));
    assert_eq!(client.head().unwrap().0, 200);
    drop(client);
    assert!(rig.wait("over returned=false") < Duration::from_secs(2));
}

fn streams(kind: Kind) {
    let rig = Rig::new(kind);
    let mut client = Client::connect(&rig);
    let start = Instant::now();
    client.send(post(&call(5, "slow", r#"{"ms":1500}"#)));
    let (status, headers) = client.head().unwrap();
    assert!((190..1400).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());
    assert_eq!(status, 200);
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-cache, no-transform"),
        ("x-accel-buffering", "no"),
    ] {
        assert!(headers.contains(&(name.to_owned(), value.to_owned())), "{headers:?}");
    }
    let mut text = String::new();
    let mut first = None;
    while let Some(chunk) = client.chunk() {
        first.get_or_insert_with(|| start.elapsed());
        text += std::str::from_utf8(&chunk).unwrap();
    }
    assert!(first.unwrap() < Duration::from_millis(1400), "events are flushed: {first:?}");
    let events: Vec<&str> = text.split_terminator("\n\n").collect();
    let (last, progress) = events.split_last().unwrap();
    assert!(last.starts_with(r#"event: message"#) && last.contains(r#""id":5,"result""#), "{text}");
    assert!(progress.len() > 2, "{text}");
    for (index, event) in progress.iter().enumerate() {
        assert!(event.contains(&format!(r#""progressToken":5,"progress":{},"#, index + 1)), "{event}");
    }
}

fn too_many_connections(kind: Kind) {
    let limits = Limits { connections: 3, ..Limits::SERVED };
    let rig = Rig::with_limits(kind, limits);
    let mut busy = Client::connect(&rig);
    busy.send(post_for_json(&call(1, "hang", "{}")));
    rig.wait("call hang");
    let mut idle: Vec<Client> = (0..2)
        .map(|id| {
            let mut client = Client::connect(&rig);
            assert_eq!(client.send(post(&ping(id))).answer().status, 200);
            client
        })
        .collect();
    // The first of the idle ones is used again, so that the second is idle longest.
    assert_eq!(idle[0].send(post(&ping(3))).answer().status, 200);
    let mut more = Client::connect(&rig);
    assert_eq!(more.send(post(&ping(4))).answer().status, 200);
    assert!(idle[1].is_closed());
    assert_eq!(idle[0].send(post(&ping(5))).answer().status, 200);
    assert_eq!(rig.count("over"), 0, "a connection that is worked for is not idle");
}

fn closing(kind: Kind) {
    let rig = Rig::new(kind);
    let mut idle = Client::connect(&rig);
    assert_eq!(idle.send(post(&ping(1))).answer().status, 200);
    let mut half = Client::connect(&rig);
    half.send("POST /mcp HTTP/1.1\r\n");
    let mut pending = Client::connect(&rig);
    pending.send(post_for_json(&call(1, "hang", "{}")));
    let mut streaming = Client::connect(&rig);
    streaming.send(post(&call(1, "hang", "{}")));
    assert_eq!(streaming.head().unwrap().0, 200);
    rig.stop();
    assert!(pending.answer().body.contains("the server stopped"));
    let event = streaming.chunk().unwrap();
    assert!(String::from_utf8(event).unwrap().contains("the server stopped"));
    assert!(streaming.chunk().is_none());
    for client in [&mut idle, &mut half, &mut pending, &mut streaming] {
        assert!(client.maybe_answer().is_none());
    }
    let refused = std::net::TcpStream::connect(rig.address).and_then(|mut stream| stream.read(&mut [0]));
    assert!(!matches!(refused, Ok(length) if length > 0));
    while rig.count("ended req") < 3 {
        sleep(Duration::from_millis(1));
    }
    assert_eq!(rig.count("over returned=true"), 2);
}

fn closing_ends_calls(kind: Kind) {
    let rig = Rig::new(kind);
    let mut pending = Client::connect(&rig);
    pending.send(post_for_json(&call(1, "hang", "{}")));
    let mut streaming = Client::connect(&rig);
    streaming.send(post(&call(1, "hang", "{}")));
    assert_eq!(streaming.head().unwrap().0, 200);
    rig.stop();
    assert!(pending.answer().body.contains("the server stopped"));
    assert!(String::from_utf8(streaming.chunk().unwrap()).unwrap().contains("the server stopped"));
    assert!(streaming.chunk().is_none());
    while rig.count("ended req") < 2 {
        sleep(Duration::from_millis(1));
    }
    assert_eq!(rig.count("over returned=true"), 2);
}

fn many_at_once(kind: Kind) {
    let rig = Rig::new(kind);
    let threads: Vec<_> = (0..20)
        .map(|id| {
            let address = rig.address;
            std::thread::spawn(move || {
                let mut client = Client::to(address);
                for _ in 0..20 {
                    let answer = client.send(post(&call(id, "echo", &format!(r#"{{"n":{id}}}"#)))).answer();
                    assert!(
                        answer.body.contains(&format!(r#""structuredContent":{{"n":{id}}}"#)),
                        "{answer:?}"
                    );
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let start = Instant::now();
    while rig.count("over returned=true") < 400 {
        assert!(start.elapsed() < Duration::from_secs(5), "{}", rig.count("over"));
        sleep(Duration::from_millis(1));
    }
}

/// The token is in nothing that the machine is told.
fn no_secrets(kind: Kind) {
    let rig = Rig::new(kind);
    let request = post(&ping(1)).replacen("\r\n", "\r\nCookie: secret\r\nProxy-Authorization: secret\r\n", 1);
    assert_eq!(Client::connect(&rig).send(request).answer().status, 200);
    let diary = rig.diary().concat();
    assert!(diary.contains("content-type") && diary.contains("authorized: true"), "{diary}");
    assert!(!diary.contains(TOKEN) && !diary.contains("secret"), "{diary}");
}

/// HTTP-17: no exception outlives its test, and each has a reason.
#[test]
fn exceptions_name_tests() {
    let source = include_str!("http.rs");
    for (test, reason) in exceptions::TINY {
        assert!(source.contains(&format!("fn {test}(kind: Kind)")) && !reason.is_empty(), "{test}");
        assert_eq!(exceptions::reason(test), Some(*reason));
    }
}

/// HTTP-01: a port that is taken is named so.
#[test]
fn a_port_in_use() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let (inbox, inputs) = Inbox::new();
    let mut front = HyperFront::new(port, Token::new(TOKEN).into(), inbox.clone());
    front.listen(OpId::new(7));
    let done = format!("{:?}", smol::block_on(inputs.recv()).unwrap());
    assert_eq!(done, "Done { op: OpId(7), result: AddrInUse }");
    #[cfg(feature = "tiny-http")]
    {
        let mut front =
            simplex_agent_adapters::http::tiny::TinyFront::new(port, Token::new(TOKEN).into(), inbox);
        front.listen(OpId::new(8));
        let done = format!("{:?}", smol::block_on(inputs.recv()).unwrap());
        assert_eq!(done, "Done { op: OpId(8), result: AddrInUse }");
    }
}
