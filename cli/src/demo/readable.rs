//! Results of tools, for a person to read.

use serde_json::{Map, Value};

/// A result in lines: what is one value each on the first, then every message, chat or action on lines of its own.
pub(super) fn lines(result: &Value) -> Vec<String> {
    let Some(members) = result.as_object() else { return vec![result.to_string()] };
    let mut lines = vec![scalars(members)];
    lines.retain(|line| !line.is_empty());
    for (name, value) in members {
        let Some(list) = value.as_array() else { continue };
        if name == "commands" {
            lines.push(format!("commands: {}", commands(list)));
            continue;
        }
        lines.push(if list.is_empty() { format!("{name}: none") } else { format!("{name}:") });
        lines.extend(list.iter().flat_map(entry));
    }
    lines
}

/// A message as its sender and text, anything else as its values.
fn entry(value: &Value) -> Vec<String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    match (text("from"), text("text"), value.as_object()) {
        (Some(from), Some(text), _) => {
            let mut lines = text.lines();
            let first = format!("  {from}: {}", lines.next().unwrap_or_default());
            std::iter::once(first).chain(lines.map(|line| format!("    {line}"))).collect()
        }
        (_, _, Some(members)) => vec![format!("  {}", scalars(members))],
        _ => vec![format!("  {value}")],
    }
}

fn scalars(members: &Map<String, Value>) -> String {
    let scalar = |(name, value): (&String, &Value)| match value {
        Value::String(text) => Some(format!("{name} {}", text.replace('\n', " / "))),
        Value::Number(_) | Value::Bool(_) => Some(format!("{name} {value}")),
        Value::Object(_) => Some(format!("{name} {value}")),
        Value::Null | Value::Array(_) => None,
    };
    members.iter().filter_map(scalar).collect::<Vec<_>>().join(", ")
}

/// The menu of a bot: commands as they are sent, submenus by their name.
fn commands(list: &[Value]) -> String {
    let command = |entry: &Value| match entry["keyword"].as_str() {
        Some(keyword) => format!("/{keyword}"),
        None => {
            let inner = entry["commands"].as_array().map(|list| commands(list)).unwrap_or_default();
            format!("{} ({inner})", entry["label"].as_str().unwrap_or_default())
        }
    };
    list.iter().map(command).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_in_lines() {
        let result = json!({
            "status": "done", "chat": "@4", "connected": true,
            "commands": [{"keyword": "new", "label": "New"}, {"label": "More", "commands": [{"keyword": "role"}]}],
            "messages": [{"from": "Bot", "text": "one\ntwo", "item": 3}],
            "actions": [],
            "chats": [{"chat": "@2", "name": "Nora"}],
        });
        assert_eq!(
            lines(&result),
            [
                "chat @4, connected true, status done",
                "actions: none",
                "chats:",
                "  chat @2, name Nora",
                "commands: /new, More (/role)",
                "messages:",
                "  Bot: one",
                "    two",
            ]
        );
        assert_eq!(lines(&json!({"actions": []})), ["actions: none"]);
        assert_eq!(lines(&json!("text")), ["\"text\""]);
    }
}
