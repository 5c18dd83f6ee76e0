//! The text rules against recorded conversations with a real SimpleX core: links, targets of plans, message texts.
//!
//! Runs only when the recordings are at hand: in the folder named by `SIMPLEX_MCP_SHARED`, or in `shared` beside the
//! repository.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use simplex_agent_core::simplex::markdown;
use simplex_agent_core::simplex::target::{self, LinkForm, Target};

/// LANG-10: every link that the core wrote is read, and its full form written as the core writes it.
#[test]
fn recorded_links_are_read() {
    let mut links = BTreeSet::new();
    for_each_object(|object| {
        for key in ["connFullLink", "connShortLink"] {
            links.extend(object.get(key).and_then(Value::as_str).map(String::from));
        }
    });
    for text in links.iter().filter(|text| !text.contains(CUT)) {
        let Some(Target::Link(link)) = target::parse(text) else {
            panic!("{text}");
        };
        assert!(!link.hosts.is_empty(), "{text}");
        if link.form == LinkForm::Full {
            assert_eq!(link.uri, *text);
        }
    }
}

/// LANG-10, LANG-11: what the core planned is a target, what it called no link is none.
#[test]
fn recorded_plans_agree() {
    for line in recorded_lines() {
        let (Some(command), Some(reply)) = (line.command, line.reply) else {
            continue;
        };
        let Some(target) = command.strip_prefix("/_connect plan 1 ") else {
            continue;
        };
        let target = target.split(" resolve=").next().unwrap_or_default();
        let refused = reply.contains("\"invalidConnReq\"") || reply.contains("\"commandError\"");
        if !command.contains(" resolve=") {
            assert_eq!(target::parse(target).is_none(), refused, "{target:?}");
        }
    }
}

/// LANG-16: message texts are formatted as in the recorded items.
#[test]
fn recorded_messages_are_formatted_alike() {
    for_each_object(|object| {
        let text = object.get("content").and_then(|content| content["msgContent"]["text"].as_str());
        let is_item = object.contains_key("meta") && object.contains_key("chatDir");
        if let Some(text) = text.filter(|text| is_item && !text.contains(CUT)) {
            let expected = object.get("formattedText").cloned().unwrap_or(Value::Null);
            let parts = markdown::parse(text).map_or(Value::Null, |parts| markdown::to_json(&parts));
            assert_eq!(parts, expected, "{text:?}");
        }
    });
}

/// What ends a long text that was cut when it was recorded.
const CUT: &str = "…[cut, ";

/// A command with its reply, or an event.
struct Line {
    command: Option<String>,
    reply: Option<String>,
}

fn for_each_object(mut see: impl FnMut(&serde_json::Map<String, Value>)) {
    for line in recorded_lines() {
        let Some(reply) = line.reply else {
            continue;
        };
        let mut values = vec![serde_json::from_str(&reply).unwrap_or(json!(null))];
        while let Some(value) = values.pop() {
            match value {
                Value::Object(object) => {
                    see(&object);
                    values.extend(object.into_iter().map(|(_, value)| value));
                }
                Value::Array(array) => values.extend(array),
                _ => {}
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a test may be told where the recorded files are")]
fn recorded_lines() -> Vec<Line> {
    let named = env::var_os("SIMPLEX_MCP_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let Ok(folder) = fs::read_dir(named.unwrap_or(beside).join("transcripts")) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for path in folder
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
    {
        let mut commands = BTreeMap::new();
        for line in fs::read_to_string(&path).unwrap_or_default().lines() {
            let line: Value = serde_json::from_str(line).unwrap_or(json!(null));
            let number = (line["client"].to_string(), line["n"].as_u64());
            if let Some(command) = line["cmd"].as_str() {
                commands.insert(number, command.to_string());
            } else if let Some(raw) = line["raw"].as_str() {
                let command = if line["kind"] == "resp" { commands.remove(&number) } else { None };
                lines.push(Line { command, reply: Some(raw.to_string()) });
            }
        }
    }
    lines
}
