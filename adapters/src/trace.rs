//! A machine whose traffic with the SimpleX core is told, without what people wrote.

use serde::Deserialize;
use simplex_agent_core::effect::Outcome;
use simplex_agent_core::{Effect, Effects, Input, Machine, Now, Wakeup};

/// Another machine, and who is told of it.
pub struct Traced<F> {
    machine: Box<dyn Machine + Send>,
    tell: F,
}

impl<F: FnMut(&str)> Traced<F> {
    /// Tells `tell` a line for each command, its answer and each event: keywords and tags, no names, links, texts.
    pub fn new(machine: Box<dyn Machine + Send>, tell: F) -> Self {
        Self { machine, tell }
    }
}

impl<F: FnMut(&str)> Machine for Traced<F> {
    fn handle(&mut self, now: Now, input: Input, effects: &mut Effects) {
        match &input {
            Input::Event(text) => (self.tell)(&format!("event {}", tag(text))),
            Input::Done { op, result: Outcome::Response(text) } => {
                (self.tell)(&format!("answer {}: {}", op.number(), tag(text)));
            }
            _ => {}
        }
        let before = effects.as_slice().len();
        self.machine.handle(now, input, effects);
        for effect in effects.as_slice().iter().skip(before) {
            if let Effect::Command { op, line } = effect {
                (self.tell)(&format!("command {}: {}", op.number(), keyword(line)));
            }
        }
    }

    fn next_wakeup(&self) -> Option<Wakeup> {
        self.machine.next_wakeup()
    }
}

/// The first word of a command, and its second when that is one of the language: both are ours.
fn keyword(line: &str) -> &str {
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let first = line.split(' ').next().unwrap_or_default();
    match line.get(first.len() + 1..).and_then(|rest| rest.split(' ').next()) {
        // Without the underscore a word may be a name: `/connect alice`.
        Some(second) if first.starts_with("/_") && !second.is_empty() && is_word(second) => {
            &line[..first.len() + 1 + second.len()]
        }
        _ => first,
    }
}

/// The tag of an event or an answer, or of its error.
fn tag(text: &str) -> String {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        result: Option<Tagged<'a>>,
        #[serde(borrow)]
        error: Option<Tagged<'a>>,
    }
    #[derive(Deserialize)]
    struct Tagged<'a> {
        r#type: Option<&'a str>,
    }
    match serde_json::from_str(text) {
        Ok(Envelope { result: Some(Tagged { r#type: Some(tag) }), .. }) => tag.to_owned(),
        Ok(Envelope { error: Some(Tagged { r#type: Some(tag) }), .. }) => format!("error {tag}"),
        _ => "without a tag".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLI-50: what is told of a line holds nothing that a person wrote.
    #[test]
    fn keywords_and_tags() {
        for (line, told) in [
            ("/_send #1 json [{\"msgContent\":{\"text\":\"secret\"}}]", "/_send"),
            ("/_get chat @4 count=1", "/_get chat"),
            ("/_connect plan 1 https://x/a#secret", "/_connect plan"),
            ("/connect secret", "/connect"),
            ("/_start", "/_start"),
            ("", ""),
        ] {
            assert_eq!(keyword(line), told);
        }
        for (text, told) in [
            (r#"{"result":{"type":"newChatItems","text":"secret"}}"#, "newChatItems"),
            (r#"{"error":{"type":"errorAgent","agentError":{"type":"SMP"}}}"#, "error errorAgent"),
            (r#"{"result":{"a":1}}"#, "without a tag"),
            ("secret", "without a tag"),
        ] {
            assert_eq!(tag(text), told);
        }
    }
}
