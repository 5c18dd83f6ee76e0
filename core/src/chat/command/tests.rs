//! Tables of the writer. What the parser reads is in `spec/vectors/call-command.jsonl`, which `core/tests/chat_vectors.rs`
//! runs.

use alloc::string::{String, ToString};
use std::format;

use super::*;
use crate::simplex::ChatRef;
use crate::simplex::model::{GroupMemberId, Member};

const GROUP: ChatRef = ChatRef::Group(9);

fn member(row: u64, name: &str, status: &str) -> Member {
    let json = serde_json::json!({
        "groupMemberId": row, "memberId": format!("id-{row}"), "memberRole": "member", "memberCategory": "post",
        "memberStatus": status, "memberProfile": {"displayName": name, "fullName": ""},
    });
    serde_json::from_str(&json.to_string()).expect("a member")
}

fn mcp() -> Protocol<'static> {
    Protocol::parse("mcp").unwrap()
}

fn raw(json: &str) -> &RawValue {
    serde_json::from_str(json).unwrap()
}

/// A request of so many bytes, all of one encoded byte each but for its quotes.
fn long(bytes: usize) -> String {
    format!("{{\"x\":\"{}\"}}", "y".repeat(bytes - 8))
}

/// CHAT-09, CHAT-10: a name in one line without a map; two lines and a map where no name tells the member.
#[test]
fn whom_a_command_names() {
    let bob = member(7, "Bob", "connected");
    let gone = member(8, "Bob", "left");
    let other = member(9, "Bob\u{200b}", "connected");
    let folds = member(10, "Bob ", "connected");
    for (callee, expected, row) in [
        (Callee::ALL, "/_call mcp {}", None),
        (Callee::member(&bob, []), "/_call @Bob mcp {}", None),
        (Callee::member(&bob, [&bob, &gone]), "/_call @Bob mcp {}", None),
        (Callee::member(&bob, [&other]), "/_call @Bob mcp\n{}", Some(("Bob", 7))),
        (Callee::member(&bob, [&folds]), "/_call @Bob mcp\n{}", Some(("Bob", 7))),
        (Callee::member(&other, [&bob]), "/_call @Bob mcp\n{}", Some(("Bob", 9))),
        (Callee::member(&member(1, "Shop Bot", "connected"), []), "/_call @'Shop Bot' mcp {}", None),
        (Callee::member(&member(1, "d'Arc", "connected"), []), "/_call @dArc mcp\n{}", Some(("dArc", 1))),
        (Callee::member(&member(1, "'", "connected"), []), "/_call @member mcp\n{}", Some(("member", 1))),
        (Callee::member(&member(1, "a\nb", "connected"), []), "/_call @'a b' mcp\n{}", Some(("a b", 1))),
    ] {
        let written = write(GROUP, &callee, mcp(), Request::of(raw("{}")).unwrap()).unwrap();
        assert_eq!(written.text, expected);
        let map: std::vec::Vec<_> = written.mentions.into_iter().collect();
        let row = row.map(|(name, row): (&str, u64)| (name.to_string(), GroupMemberId::new(row)));
        assert_eq!(map, std::vec::Vec::from_iter(row));
        let command = parse(expected).unwrap().unwrap();
        assert_eq!((command.protocol, command.request.text()), (mcp(), "{}"));
    }
}

/// CHAT-08: the request is not written anew.
#[test]
fn the_request_stays_as_it_is() {
    let json = "{ \"id\" : 1.0e0, \"a\":\"\\u0041\\ud800\", \"a\":\"/\" }";
    let written = write(GROUP, &Callee::ALL, mcp(), Request::of(raw(json)).unwrap()).unwrap();
    assert_eq!(written.text, format!("/_call mcp {json}"));
    assert_eq!(parse(&written.text).unwrap().unwrap().request.text(), json);
}

/// CHAT-11: 1,024 encoded bytes stay for the reply, to the byte.
#[test]
fn a_command_leaves_room_for_its_reply() {
    // `/_call mcp ` has 11 bytes, and the four quotes of the request one more each.
    for (chat, most) in [(GROUP, 15_304 - 1_024 - 15), (ChatRef::Contact(4), 15_351 - 1_024 - 15)] {
        for (bytes, expected) in [
            (most, None),
            (most + 1, Some("arguments: too long by 1 bytes; use Service RPC or a shorter call")),
            (most + 1_200, Some("arguments: too long by 1200 bytes; use Service RPC or a shorter call")),
        ] {
            let json = long(bytes);
            let written = write(chat, &Callee::ALL, mcp(), Request::of(raw(&json)).unwrap());
            assert_eq!(written.err().map(|error| error.to_string()).as_deref(), expected, "{chat} {bytes}");
        }
    }
}

/// CHAT-02, CHAT-05: what is no request is not written.
#[test]
fn only_objects_are_requests() {
    let deep = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    assert_eq!(Request::of(raw("[1]")).err(), Some(Fault::NotObject));
    assert_eq!(Request::of(raw("null")).err(), Some(Fault::NotObject));
    assert_eq!(Request::of(raw(&deep(100))).err(), None);
    assert_eq!(Request::of(raw(&deep(101))).err(), Some(Fault::Deep));
    for name in ["", "MCP", "a_b", "a b", "é", "mcp\n"] {
        assert_eq!(Protocol::parse(name), None, "{name:?}");
    }
}

/// CHAT-07: texts made to hurt are refused, and their faults told.
#[test]
fn hostile_texts() {
    let nested = format!("/_call mcp {}{}", "[".repeat(4_500), "]".repeat(4_500));
    let objects = format!("/_call mcp {}1{}", "{\"\":".repeat(2_000), "}".repeat(2_000));
    let open = format!("/_call mcp {}", "{\"\":".repeat(2_500));
    let long = format!("/_call mcp {}", long(15_600));
    for (text, expected) in [
        (nested, Fault::NotObject),
        (objects, Fault::Deep),
        (open, Fault::NotJson),
        (long, Fault::Long),
        (format!("/_call @{}", "'".repeat(9_000)), Fault::Member),
        (format!("/_call{}", " ".repeat(9_000)), Fault::Protocol),
    ] {
        let fault = parse(&text).unwrap().unwrap_err();
        assert_eq!(fault.fault, expected);
        assert_eq!(fault.request.is_some(), expected == Fault::Deep);
        assert!(!fault.fault.to_string().is_empty());
    }
}
