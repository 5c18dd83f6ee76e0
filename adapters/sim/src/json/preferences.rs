//! Preferences: defaults, merges, and the items that tell of them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::{entries, put};

/// Features of contacts in the order of their items, with the words of those items. `files` has no item.
const CONTACT_FEATURES: [(&str, &str); 5] = [
    ("timedMessages", "Disappearing messages"),
    ("fullDelete", "Full deletion"),
    ("reactions", "Message reactions"),
    ("voice", "Voice messages"),
    ("calls", "Audio/video calls"),
];

/// Features of groups in the order of their items.
const GROUP_FEATURES: [(&str, &str); 10] = [
    ("timedMessages", "Disappearing messages"),
    ("directMessages", "Direct messages"),
    ("fullDelete", "Full deletion"),
    ("reactions", "Message reactions"),
    ("voice", "Voice messages"),
    ("files", "Files and media"),
    ("simplexLinks", "SimpleX links"),
    ("reports", "Member reports"),
    ("history", "Recent history"),
    ("support", "Chat with admins"),
];

/// A profile's preferences with every feature.
pub(crate) fn full_preferences(profile: &Value) -> Value {
    let mut full = json!({
        "timedMessages": {"allow": "yes"}, "fullDelete": {"allow": "no"}, "reactions": {"allow": "yes"},
        "voice": {"allow": "yes"}, "files": {"allow": "always"}, "calls": {"allow": "yes"},
        "sessions": {"allow": "no"}, "commands": [],
    });
    overlay(&mut full, profile.get("preferences"));
    full
}

/// A group profile's preferences with every feature.
pub(crate) fn group_preferences(profile: &Value) -> Value {
    let mut full = json!({
        "timedMessages": {"enable": "off", "ttl": 86400}, "directMessages": {"enable": "off"},
        "fullDelete": {"enable": "off"}, "reactions": {"enable": "on"}, "voice": {"enable": "on"},
        "files": {"enable": "on"}, "simplexLinks": {"enable": "on"}, "reports": {"enable": "on"},
        "history": {"enable": "off"}, "support": {"enable": "on"}, "sessions": {"enable": "off"},
        "comments": {"enable": "off"}, "commands": [],
    });
    overlay(&mut full, profile.get("groupPreferences"));
    full
}

fn overlay(full: &mut Value, given: Option<&Value>) {
    for (key, value) in given.into_iter().flat_map(entries) {
        put(full, key, Some(value.clone()));
    }
}

/// A profile as peers get it: with all preferences.
pub(crate) fn received_profile(profile: &Value) -> Value {
    let mut sent = profile.clone();
    put(&mut sent, "preferences", Some(full_preferences(profile)));
    sent
}

/// `mergedPreferences` of a contact. An incognito contact has the preferences that its connection began with.
pub(crate) fn merged(own: &Value, contact: &Value, incognito: bool) -> Value {
    let (user, peer) = (full_preferences(own), full_preferences(contact));
    let mut merged = json!({});
    for (feature, preference) in entries(&user).filter(|(k, _)| *k != "commands") {
        let theirs = peer.get(feature).cloned().unwrap_or(Value::Null);
        let value = json!({
            "enabled": enabled(preference, &theirs),
            "userPreference": {"type": if incognito { "contact" } else { "user" }, "preference": preference},
            "contactPreference": theirs,
        });
        put(&mut merged, feature, Some(value));
    }
    if contact.get("preferences").is_some() {
        put(&mut merged, "commands", peer.get("commands").cloned());
    }
    merged
}

/// For whom a feature is on, by both sides' wishes.
fn enabled(user: &Value, contact: &Value) -> Value {
    let (user, contact) = (allow(user), allow(contact));
    let (for_user, for_contact) = match (user, contact) {
        ("always", "no") => (false, true),
        ("no", "always") => (true, false),
        ("no", _) | (_, "no") => (false, false),
        _ => (true, true),
    };
    json!({"forUser": for_user, "forContact": for_contact})
}

fn allow(preference: &Value) -> &str {
    preference.get("allow").and_then(Value::as_str).unwrap_or("no")
}

/// Contents and texts of the items that tell which features a contact has.
pub(crate) fn feature_items(own: &Value, contact: &Value) -> Vec<(Value, String)> {
    let (user, peer) = (full_preferences(own), full_preferences(contact));
    let null = Value::Null;
    let mut items = Vec::new();
    for (feature, words) in CONTACT_FEATURES {
        let on = enabled(user.get(feature).unwrap_or(&null), peer.get(feature).unwrap_or(&null));
        let both = on.get("forUser") == Some(&Value::Bool(true));
        let state = match (both, feature) {
            (true, "timedMessages") => "allowed",
            (true, _) => "enabled",
            (false, _) => "off",
        };
        items.push((
            json!({"type": "rcvChatFeature", "feature": feature, "enabled": on}),
            format!("{words}: {state}"),
        ));
    }
    items
}

/// Contents and texts of the items that tell which features a group has; `kind` is `sndGroupFeature` or
/// `rcvGroupFeature`.
pub(crate) fn group_feature_items(profile: &Value, kind: &str) -> Vec<(Value, String)> {
    let full = group_preferences(profile);
    let mut items = Vec::new();
    for (feature, words) in GROUP_FEATURES {
        let mut preference = full.get(feature).cloned().unwrap_or(Value::Null);
        let state = preference.get("enable").and_then(Value::as_str).unwrap_or("off").to_string();
        let role = preference.get("role").cloned();
        if feature == "timedMessages" && state == "off" {
            preference = json!({"enable": "off"});
        }
        preference = json!({"enable": preference.get("enable")});
        let suffix = role.as_ref().and_then(Value::as_str).map_or_else(String::new, |r| format!(" for {r}s"));
        let mut content = json!({"type": kind, "groupFeature": feature, "preference": preference});
        put(&mut content, "memberRole_", role);
        items.push((content, format!("{words}: {state}{suffix}")));
    }
    items
}
