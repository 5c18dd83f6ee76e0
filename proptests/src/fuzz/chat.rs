//! The chat transport's texts.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use simplex_agent_core::chat::command;

/// `/_call`: a text is no command, or faulty, or read as parts that make the same text, white space after it aside; and
/// its request is a JSON object for every other reader too.
pub fn call_command(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let Some(read) = command::parse(text) else {
        assert!(!command::is_command(text));
        return;
    };
    let command = match read {
        Ok(command) => command,
        Err(malformed) => {
            assert!(malformed.is_addressed || malformed.member.is_none());
            assert!(!malformed.fault.to_string().is_empty());
            return;
        }
    };
    let request = command.request.text();
    assert!(request.starts_with('{') && request.ends_with('}'));
    assert!(serde_json::from_str::<BTreeMap<String, &RawValue>>(request).is_ok() || request.contains("\\u"));
    let members = match command.member {
        None => vec![String::new()],
        Some(name) => vec![format!("@{name} "), format!("@'{name}' ")],
    };
    let texts = members.iter().flat_map(|member| {
        [' ', '\n'].map(|line| format!("/_call {member}{}{line}{request}", command.protocol.as_str()))
    });
    assert!(texts.into_iter().any(|written| text.trim_ascii_end() == written), "{text:?}");
}
