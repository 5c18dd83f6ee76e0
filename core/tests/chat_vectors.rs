//! The parser of `/_call` against the vectors of `spec/vectors`, whose README says how they are read.

use serde_json::{Value, json};
use simplex_agent_core::chat::command;

/// What the parser makes of a text, in the form of the vectors.
fn answer(text: &str) -> Value {
    let mut out = match command::parse(text) {
        None => return json!({ "command": false }),
        Some(Ok(command)) => json!({
            "member": command.member,
            "protocol": command.protocol.as_str(),
            "request": command.request.text(),
        }),
        Some(Err(malformed)) => json!({
            "fault": malformed.fault.word(),
            "addressed": malformed.is_addressed,
            "member": malformed.member,
            "protocol": malformed.protocol.map(|protocol| protocol.as_str()),
        }),
    };
    if let Value::Object(members) = &mut out {
        members.retain(|_, value| !value.is_null());
    }
    out
}

/// CHAT-01, CHAT-02, CHAT-03, CHAT-04, CHAT-05, CHAT-06
#[test]
fn commands_are_read_as_the_vectors_say() {
    let vectors = include_str!("../../spec/vectors/call-command.jsonl");
    let mut count = 0;
    for line in vectors.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON object on each line");
        let text = vector["in"].as_str().expect("in");
        let actual = answer(text);
        assert_eq!(actual, vector["out"], "{text:?}\n{}", json!({ "in": text, "out": actual }));
        count += 1;
    }
    assert!(count > 40, "{count}");
}
