//! Recorded flows in reduced form.
#![allow(dead_code, unreachable_pub, missing_docs)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What several clients did, and what each was told.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Flow {
    pub steps: Vec<Step>,
    /// Short forms of the events of each client, in order.
    pub events: BTreeMap<String, Vec<String>>,
    /// Items by client and recorded number: text, and how many of that text came before.
    pub items: BTreeMap<String, BTreeMap<String, (String, usize)>>,
}

/// One command, or the beginning or end of a process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Step {
    pub client: String,
    /// Milliseconds since the step before was answered.
    pub after: u64,
    /// The command, with `{L1}` for links; `open` and `close` for processes, `down`, `silent` and `up` for routers.
    pub line: String,
    /// Short form of the answer.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub answer: String,
    /// Links that the answer gave: name and place.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub links: Vec<(String, String)>,
}

/// The short form of a response or event: tag, and for items their contents.
pub fn brief(envelope: &Value) -> String {
    if let Some(error) = envelope.get("error") {
        return format!("ERR {}", crate::shapes::tag_of(error));
    }
    let result = &envelope["result"];
    let name = result["type"].as_str().unwrap_or_default();
    if name == "connectionPlan" {
        let plan = &result["connectionPlan"];
        let kind = plan["type"].as_str().unwrap_or_default();
        let inner = plan.as_object().into_iter().flatten().find_map(|(_, v)| v["type"].as_str());
        return format!("plan {kind}/{}", inner.unwrap_or_default());
    }
    if name != "newChatItems" {
        return name.to_string();
    }
    let mut parts: Vec<String> = Vec::new();
    for item in result["chatItems"].as_array().into_iter().flatten() {
        let content = &item["chatItem"]["content"];
        let scope = if item["chatInfo"].get("groupChatScope").is_some() { "S:" } else { "" };
        let keys = ["rcvGroupEvent", "sndGroupEvent", "rcvDirectEvent"];
        let inner = keys.iter().find_map(|k| content[*k]["type"].as_str());
        let part = format!("{scope}{}", inner.or_else(|| content["type"].as_str()).unwrap_or_default());
        if parts.last() != Some(&part) {
            parts.push(part);
        }
    }
    format!("items({})", parts.join(","))
}

/// Events whose moment says nothing: transport, and statuses of messages.
pub fn is_noise(tag: &str) -> bool {
    [
        "chatItemsStatusesUpdated",
        "agentConnsDeleted",
        "agentRcvQueuesDeleted",
        "hostConnected",
        "hostDisconnected",
        "connectionsDiff",
        "subscriptionStatus",
        "ERR errorAgent/CONN/NOT_FOUND",
        "ERR error/noConnectionUser",
        "ERR errorStore/connectionNotFound",
    ]
    .contains(&tag)
}

/// Every message item of an envelope: number and text.
pub fn items_of(envelope: &Value) -> Vec<(i64, String)> {
    let result = &envelope["result"];
    let lists = [&result["chatItems"], &result["chat"]["chatItems"]];
    let mut found = Vec::new();
    for item in lists.into_iter().filter_map(Value::as_array).flatten() {
        let meta = item.get("chatItem").unwrap_or(item).get("meta");
        if let Some(meta) = meta {
            let id = meta["itemId"].as_i64().unwrap_or_default();
            found.push((id, meta["itemText"].as_str().unwrap_or_default().to_string()));
        }
    }
    found
}

/// True for commands that name items.
pub fn names_items(line: &str) -> bool {
    line.contains("tem") || line.starts_with("/_get chat ") || line.starts_with("/_reaction")
}
