//! Key paths and value types of JSON, with the objects that come everywhere told apart.
#![allow(dead_code, unreachable_pub, missing_docs)]

use std::collections::BTreeMap;

use serde_json::Value;

/// What was seen of one kind of object: how often, and each key's types with how often the key was there.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub count: u64,
    pub keys: BTreeMap<String, (u64, Vec<String>)>,
}

/// Kinds of objects by name: events, responses, errors, and what is in them.
#[derive(Clone, Debug, Default)]
pub struct Shapes(pub BTreeMap<String, Seen>);

impl Shapes {
    /// Adds an envelope of a response or event.
    pub fn envelope(&mut self, kind: &str, envelope: &Value) {
        if let Some(result) = envelope.get("result").or_else(|| envelope.get("resp")) {
            let name = format!("{kind} {}", result["type"].as_str().unwrap_or("?"));
            self.object(&name, result);
        } else if let Some(error) = envelope.get("error") {
            let name = format!("error {}", tag_of(error));
            self.object(&name, error);
        }
    }

    fn object(&mut self, name: &str, value: &Value) {
        let Some(map) = value.as_object() else { return };
        self.0.entry(name.to_string()).or_default().count += 1;
        for (key, value) in map {
            let kind = self.kind(name, key, value);
            let seen = self.0.entry(name.to_string()).or_default();
            let entry = seen.keys.entry(key.clone()).or_default();
            entry.0 += 1;
            if !entry.1.contains(&kind) {
                entry.1.push(kind);
                entry.1.sort();
            }
        }
    }

    /// The type of a value; objects get a name of their own and are looked into.
    fn kind(&mut self, parent: &str, key: &str, value: &Value) -> String {
        match value {
            Value::Null => "null".into(),
            Value::Bool(_) => "bool".into(),
            Value::Number(_) => "number".into(),
            Value::String(_) => "string".into(),
            Value::Array(items) => {
                let mut kinds: Vec<String> = items.iter().map(|i| self.kind(parent, key, i)).collect();
                kinds.sort();
                kinds.dedup();
                format!("[{}]", kinds.join("|"))
            }
            Value::Object(map) => {
                if matches!(key, "customData" | "mentions") {
                    if key == "mentions" {
                        for mention in map.values() {
                            self.object("Mention", mention);
                        }
                    }
                    return "map".into();
                }
                let name = known(map).map_or_else(|| nested(parent, key, map), String::from);
                self.object(&name, value);
                name
            }
        }
    }
}

/// The objects that come in many places.
fn known(map: &serde_json::Map<String, Value>) -> Option<&'static str> {
    let has = |key: &str| map.contains_key(key);
    Some(if has("mergedPreferences") {
        "Contact"
    } else if has("groupProfile") && has("membership") {
        "GroupInfo"
    } else if has("groupMemberId") && has("memberProfile") {
        "GroupMember"
    } else if has("pccConnId") {
        "PendingConnection"
    } else if has("connId") && has("connStatus") {
        "Connection"
    } else if has("chatDir") && has("meta") {
        "ChatItem"
    } else if has("itemTs") {
        "ItemMeta"
    } else if has("userId") && has("activeUser") {
        "User"
    } else if has("profileId") && has("displayName") {
        "LocalProfile"
    } else if has("contactRequestId") && has("profile") {
        "ContactRequest"
    } else if has("keyword") || has("commands") && has("label") {
        "Command"
    } else {
        return None;
    })
}

/// A name by the last part of the parent's, the key, and the object's `type`.
fn nested(parent: &str, key: &str, map: &serde_json::Map<String, Value>) -> String {
    let parent = parent.rsplit(['.', ' ']).next().unwrap_or(parent);
    let parent = parent.split('{').next().unwrap_or(parent);
    match map.get("type").and_then(Value::as_str) {
        Some(kind) => format!("{parent}.{key}{{{kind}}}"),
        None => format!("{parent}.{key}"),
    }
}

/// `TYPE/TYPE/…` of an error.
pub fn tag_of(error: &Value) -> String {
    let mut tags = Vec::new();
    let mut at = Some(error);
    while let Some(value) = at {
        tags.extend(value.get("type").and_then(Value::as_str).map(String::from));
        at = value.as_object().and_then(|map| {
            let mut inner = map.iter().filter(|(k, v)| {
                (k.ends_with("Err") || k.ends_with("Error") || *k == "errorType") && v.is_object()
            });
            inner.next().map(|(_, v)| v)
        });
    }
    tags.join("/")
}
