//! Small readings of texts and JSON.

use serde_json::Value;

/// What a log line says of a new action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// Its number.
    pub number: u64,
    /// Its tool.
    pub tool: Tool,
    /// Its chat; none for a connect.
    pub chat: Option<String>,
}

/// A tool that makes actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// `connect`.
    Connect,
    /// `send`.
    Send,
    /// `leave`.
    Leave,
}

/// `Action 2: send to bot SimpleX Directory (@4)` and its like; none for any other line.
pub fn created(line: &str) -> Option<Created> {
    let (number, rest) = line.strip_prefix("Action ")?.split_once(": ")?;
    let number = number.parse().ok()?;
    let tool = match rest.split(' ').next()? {
        "connect" => Tool::Connect,
        "send" => Tool::Send,
        "leave" | "delete" => Tool::Leave,
        _ => return None,
    };
    if tool == Tool::Connect {
        return Some(Created { number, tool, chat: None });
    }
    let chat = rest.strip_suffix(')')?.rsplit_once('(')?.1;
    Some(Created { number, tool, chat: Some(chat.to_owned()) })
}

/// A command of an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// `/approve [CHAT] N`.
    Approve(Option<String>, u64),
    /// `/approve CHAT all`.
    ApproveAll(String),
    /// `/reject [CHAT] N`.
    Reject(Option<String>, u64),
    /// `/revoke CHAT`.
    Revoke(String),
    /// Another line that starts with a slash.
    Else,
}

/// What a message commands, as the manual says it.
pub fn word(text: &str) -> Option<Word> {
    let line = text.trim().strip_prefix('/')?;
    if line.contains('\n') || line.contains('\r') {
        return None;
    }
    let bare = line.strip_prefix('\'').and_then(|line| line.strip_suffix('\'')).unwrap_or(line);
    let parts: Vec<&str> = bare.split_whitespace().collect();
    let verb = parts.first().map(|verb| verb.to_ascii_lowercase())?;
    let number = |text: &str| text.parse::<u64>().ok();
    Some(match (verb.as_str(), parts.get(1..)?) {
        ("approve", [chat, all]) if all.eq_ignore_ascii_case("all") => Word::ApproveAll((*chat).into()),
        ("approve", [n]) => number(n).map_or(Word::Else, |n| Word::Approve(None, n)),
        ("approve", [chat, n]) => number(n).map_or(Word::Else, |n| Word::Approve(Some((*chat).into()), n)),
        ("reject", [n]) => number(n).map_or(Word::Else, |n| Word::Reject(None, n)),
        ("reject", [chat, n]) => number(n).map_or(Word::Else, |n| Word::Reject(Some((*chat).into()), n)),
        ("revoke", [chat]) => Word::Revoke((*chat).into()),
        _ => Word::Else,
    })
}

/// What `result` of an envelope of the SimpleX core is; null when it is an error.
pub fn result(text: &str) -> Value {
    serde_json::from_str::<Value>(text)
        .ok()
        .and_then(|mut all| all.get_mut("result").map(Value::take))
        .unwrap_or_default()
}

/// `type` of a result.
pub fn kind(result: &Value) -> &str {
    result.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The text and the place of a message that a command line posts or edits: `/_send #1 json […]` and
/// `/_update item #1 16 json {…}`.
pub fn posted(line: &str) -> Option<Posted> {
    let (head, json) = line.split_once(" json ")?;
    let value: Value = serde_json::from_str(json).ok()?;
    let words: Vec<&str> = head.split(' ').collect();
    let text = |value: &Value| value.pointer("/msgContent/text").and_then(Value::as_str).map(str::to_owned);
    match words.as_slice() {
        ["/_send", place] => Some(Posted {
            place: (*place).into(),
            item: None,
            text: text(value.get(0)?)?,
            message: value[0].clone(),
        }),
        ["/_update", "item", place, item] => {
            let text = text(&value)?;
            Some(Posted { place: (*place).into(), item: item.parse().ok(), text, message: value })
        }
        _ => None,
    }
}

/// A posted or edited message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// `#1`, `@4`, `#2(_support)`.
    pub place: String,
    /// The item, when it is an edit.
    pub item: Option<u64>,
    /// The text.
    pub text: String,
    /// All of the message.
    pub message: Value,
}

/// `#2` of `#2(_support)`.
pub fn chat_of(place: &str) -> &str {
    place.split('(').next().unwrap_or(place)
}

/// Every object of a JSON value.
pub fn each_object<'a>(value: &'a Value, look: &mut impl FnMut(&'a serde_json::Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            look(map);
            for part in map.values() {
                each_object(part, look);
            }
        }
        Value::Array(parts) => {
            for part in parts {
                each_object(part, look);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The readings that all oracles stand on.
    #[test]
    fn readings() {
        assert_eq!(
            created("Action 2: send to bot (@9) (@4)"),
            Some(Created { number: 2, tool: Tool::Send, chat: Some("@4".into()) })
        );
        assert_eq!(created("Action 2 approved by Alice: sent."), None);
        assert_eq!(created("Action 2: failed: x."), None);
        assert_eq!(word("/'approve @4 2'"), Some(Word::Approve(Some("@4".into()), 2)));
        assert_eq!(word(" /Approve @4 ALL"), Some(Word::ApproveAll("@4".into())));
        assert_eq!(word("hm /approve 2"), None);
        assert_eq!(word("/approve 2\nhm"), None);
        let posted =
            posted(r##"/_update item #1 16 json {"msgContent":{"type":"text","text":"a"},"mentions":{}}"##);
        let posted = posted.expect("it is an edit");
        assert_eq!((posted.place.as_str(), posted.item, posted.text.as_str()), ("#1", Some(16), "a"));
    }
}
