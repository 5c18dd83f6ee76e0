//! Texts, by the rules of the language crate.

use alloc::string::String;

use serde_json::Value;
use simplex_agent_core::simplex::{markdown, name, size};

/// `formattedText`, absent for plain text.
pub(crate) fn formatted(text: &str) -> Option<Value> {
    markdown::parse(text).map(|parts| markdown::to_json(&parts))
}

/// Names that the text mentions, in order.
pub(crate) fn mentioned(text: &str) -> alloc::vec::Vec<String> {
    let parts = formatted(text);
    let parts = parts.as_ref().and_then(Value::as_array).into_iter().flatten();
    let name = |part: &Value| {
        let format = part.get("format")?;
        let mention = format.get("type").and_then(Value::as_str) == Some("mention");
        mention.then(|| format.get("memberName").and_then(Value::as_str).map(String::from)).flatten()
    };
    parts.filter_map(name).collect()
}

/// `hasLink`: the text has a web link or a SimpleX link.
pub(crate) fn has_link(text: &str) -> bool {
    if !text.contains("://") && !text.contains("simplex:/") && !text.contains('.') {
        return false;
    }
    let parts = formatted(text);
    let mut parts = parts.as_ref().and_then(Value::as_array).into_iter().flatten();
    parts.any(|p| {
        let kind = p.get("format").and_then(|f| f.get("type")).and_then(Value::as_str);
        matches!(kind, Some("uri" | "hyperLink" | "simplexLink"))
    })
}

/// The valid form of a display name.
pub(crate) fn valid_name(name: &str) -> String {
    name::valid_form(name)
}

/// Bytes of a text in a message.
pub(crate) fn encoded(text: &str) -> usize {
    size::encoded_len(text)
}
