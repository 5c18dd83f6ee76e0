//! What a tool call asks for: the fields that make it one action.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::fact::{Fact, What};
use super::reading::Tool;

/// The fields of a call that make it one action.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The tool.
    pub tool: Tool,
    /// `chat` or `target`.
    pub place: String,
    /// `text` or `message`.
    pub text: Option<String>,
}

impl Key {
    /// The key of a JSON-RPC request; none when it makes no action.
    pub fn of(body: &Value) -> Option<Self> {
        let arguments = body.pointer("/params/arguments")?;
        let field = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        let tool = match body.pointer("/params/name")?.as_str()? {
            "connect" => Tool::Connect,
            "send" => Tool::Send,
            "leave" => Tool::Leave,
            _ => return None,
        };
        let place = field(if tool == Tool::Connect { "target" } else { "chat" })?;
        let text = field(if tool == Tool::Connect { "message" } else { "text" });
        Some(Self { tool, place, text })
    }

    /// The part of a target that no other link has; the whole when it is a name.
    pub fn fragment(&self) -> &str {
        let after = self.place.split_once('#').map_or(self.place.as_str(), |(_, after)| after);
        match self.place.starts_with(['@', '#']) {
            true => &self.place,
            false => after,
        }
    }

    /// Whether a command line is about what this target leads to. The link that a plan gave has the target's own key;
    /// it may name another router than the target did.
    pub fn leads_to(&self, line: &str) -> bool {
        line.contains(self.fragment())
    }

    /// Whether a command line has this very target.
    pub fn is_in(&self, line: &str) -> bool {
        line.contains(self.fragment()) && self.host().is_none_or(|host| line.contains(host))
    }

    fn host(&self) -> Option<&str> {
        let (_, rest) = self.place.split_once("://")?;
        rest.split(['/', '#', '?']).next()
    }

    /// Whether a router may hear of this target only after an approval (P12): a one-time link, or a link at a router
    /// that the profile does not use.
    pub fn is_gated(&self) -> bool {
        let one_time = self.place.contains("/i#") || self.place.contains("invitation");
        one_time || self.host().is_some_and(|host| host != "smp1.example")
    }
}

/// The keys of the actions, by number: each call is told its action's number in its progress or result.
pub fn keys(facts: &[Fact]) -> BTreeMap<u64, BTreeSet<Key>> {
    let mut calls: BTreeMap<u64, Key> = BTreeMap::new();
    let mut keys: BTreeMap<u64, BTreeSet<Key>> = BTreeMap::new();
    for fact in facts {
        match &fact.what {
            What::Call(request, Some(key)) => {
                calls.insert(*request, key.clone());
            }
            What::Said(request, message) => {
                if let Some((n, key)) = told(message).zip(calls.get(request)) {
                    keys.entry(n).or_default().insert(key.clone());
                }
            }
            _ => {}
        }
    }
    keys
}

/// The action's number in a progress notification or a result.
pub fn told(message: &Value) -> Option<u64> {
    if let Some(n) = message.pointer("/result/structuredContent/action").and_then(Value::as_u64) {
        return Some(n);
    }
    let text = message.pointer("/params/message")?.as_str()?;
    text.strip_prefix("Action ")?.split(' ').next()?.parse().ok()
}
