//! Records to the JSON of the core: every key that the recorded core emits, nothing else.

use alloc::string::{String, ToString};

use serde_json::{Map, Value, json};
use simplex_agent_core::UnixMillis;

mod contact;
mod group;
mod item;
mod preferences;
mod user;

pub(crate) use contact::{conn_json, link_json};
pub(crate) use group::{full_title as title, member_profile};
pub(crate) use item::EDIT_WINDOW;
pub(crate) use preferences::{
    feature_items, full_preferences, group_feature_items, group_preferences, received_profile,
};
pub(crate) use user::network_config;

/// A moment as the core writes it: `2026-11-30T21:07:36.123Z`.
pub(crate) fn time(at: UnixMillis) -> Value {
    Value::String(time_text(at))
}

/// The text of [`time`]; the epoch for moments out of range.
pub(crate) fn time_text(at: UnixMillis) -> String {
    jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

/// Adds a key when there is a value: the core leaves absent fields out.
pub(crate) fn put(object: &mut Value, key: &str, value: Option<Value>) {
    if let (Some(map), Some(value)) = (object.as_object_mut(), value) {
        map.insert(key.to_string(), value);
    }
}

/// Some JSON object's entries.
pub(crate) fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// `{"type": kind}`.
pub(crate) fn tag(kind: &str) -> Value {
    json!({"type": kind})
}
