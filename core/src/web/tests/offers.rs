//! What later code asks of entries and offers.

use std::string::{String, ToString};
use std::vec::Vec;

use serde_json::json;

use crate::simplex::model::{PeerType, Raw};
use crate::web::llms;
use crate::web::{Declared, Offer, Protocol, Said};

/// WEB-45: the protocols of a SimpleX contact, with where they are served; other networks have none.
#[test]
fn endpoints() {
    let text = "## Communications
- [a](https://h.x/a#AAAA): SimpleX business contact for agents, MCP, A2A. x
- [b](@acme.simplex): SimpleX contact for agents, x-1. x
- [c](https://matrix.to/#/@x:y): Matrix contact for agents, MCP. x
- [d](https://h.x/g#AAAA): SimpleX group for agents. x
";
    let read = llms::parse(text);
    let all: Vec<String> = read
        .entries
        .iter()
        .flat_map(|entry| entry.endpoints())
        .map(|endpoint| endpoint.to_string())
        .collect();
    assert_eq!(
        all,
        [
            "mcp, business contact https://h.x/a#AAAA",
            "a2a, business contact https://h.x/a#AAAA",
            "x-1, contact @acme.simplex"
        ]
    );
    assert_eq!(read.notes, []);
}

/// WEB-42: a protocol that the address declares is the one that counts, by its own name.
#[test]
fn services() {
    let data: Raw = json!({"profile": {"preferences": {"protocols": {
        "mcp": {"versions": ["2026-07-28"], "transports": {"chat": false, "rpc": true}},
        "MCP": {"versions": [], "transports": {"chat": true}},
    }}}})
    .into();
    let offer = Offer::new(None, Some(&Declared::of_address(&data)));
    let service = offer.service(&Protocol::MCP).expect("mcp is declared");
    assert_eq!((service.chat, service.rpc), (Said::No, Said::Yes));
    assert_eq!(offer.service(&Protocol::A2A), None);
}

/// WEB-33, WEB-34: unknown peer types are kept, and never stand for anybody.
#[test]
fn unknown_peers() {
    let data: Raw = json!({"serves": ["robot", "agent"]}).into();
    let declared = Declared::of_address(&data);
    let audience = declared.audience.expect("serves is there");
    assert_eq!(audience.to_string(), "robot, agent");
    assert!(audience.includes(&PeerType::Agent) && !audience.includes(&PeerType::Human));
    assert!(!audience.includes(&PeerType::Other("robot".into())));
    assert_eq!(audience.known().count(), 1);
    assert_eq!(declared.faults[0].to_string(), "serves/0: ignored: not a peer type that is known here");
}

/// WEB-37: whatever a peer writes is read without a panic, and nothing of it is taken for granted.
#[test]
fn odd_data() {
    for text in ["null", "[]", "1", "\"x\"", "{}", r#"{"profile":1}"#, r#"{"profile":{"preferences":[]}}"#] {
        let raw = Raw::parse(text).expect(text);
        for declared in [Declared::of_address(&raw), Declared::of_group(&raw), Declared::of_profile(&raw)] {
            assert_eq!(
                (declared.audience, declared.protocols, declared.faults.len()),
                (None, None, 0),
                "{text}"
            );
        }
    }
    let deep = std::format!("{{\"serves\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(
        Declared::of_address(&Raw::parse(&deep).expect("JSON")).audience.is_some_and(|all| all.0.is_empty())
    );
    let twice = Raw::parse(r#"{"serves":["human"],"serves":["agent"]}"#).expect("JSON");
    assert_eq!(Declared::of_address(&twice).audience.map(|all| all.to_string()), Some("agent".into()));
}

/// WEB-33: what is unknown in a declaration is written as it came, letter by letter.
#[test]
fn unknown_members_are_kept() {
    let members = r#"{"x 1":{"n":1.50e3},"mcp":{"k":[ 12345678901234567890123 ],"versions":["1"],"transports":{"t":-0.0,"rpc":true}}}"#;
    let profile = std::format!("{{\"preferences\":{{\"protocols\":{members}}}}}");
    let declared = Declared::of_profile(&Raw::parse(&profile).expect("JSON"));
    assert_eq!(declared.protocols.map(|protocols| protocols.to_json()).as_deref(), Some(members));
}
