//! A validator of JSON Type Definition (RFC 8927, section 3.3) for the schemas of `spec/schemas`: every form but the
//! discriminator, which no schema of ours has.

use std::format;
use std::string::String;
use std::vec::Vec;

use serde_json::{Map, Value, json};

/// Where a value does not fit a schema, as JSON pointers into the value; nothing when it fits.
pub(super) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(schema, schema, value, "", &mut faults);
    faults
}

const KEYWORDS: [&str; 11] = [
    "definitions",
    "metadata",
    "nullable",
    "ref",
    "type",
    "enum",
    "elements",
    "values",
    "properties",
    "optionalProperties",
    "additionalProperties",
];

fn check(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let form = schema.as_object().expect("a schema is an object");
    assert!(form.keys().all(|key| KEYWORDS.contains(&key.as_str())), "{form:?}");
    if form.get("nullable") == Some(&Value::Bool(true)) && value.is_null() {
        return;
    }
    let mut fail = |is_right: bool| {
        if !is_right {
            faults.push(at.into());
        }
    };
    if let Some(name) = form.get("ref") {
        let name = name.as_str().expect("a name");
        return check(root, &root["definitions"][name], value, at, faults);
    }
    if let Some(name) = form.get("type") {
        return fail(is_of_type(name.as_str().expect("a name"), value));
    }
    if let Some(words) = form.get("enum") {
        return fail(value.is_string() && words.as_array().expect("words").contains(value));
    }
    if let Some(element) = form.get("elements") {
        let Some(list) = value.as_array() else { return fail(false) };
        for (index, value) in list.iter().enumerate() {
            check(root, element, value, &format!("{at}/{index}"), faults);
        }
        return;
    }
    if let Some(of_all) = form.get("values") {
        let Some(object) = value.as_object() else { return fail(false) };
        for (name, value) in object {
            check(root, of_all, value, &format!("{at}/{name}"), faults);
        }
        return;
    }
    if form.contains_key("properties") || form.contains_key("optionalProperties") {
        let Some(object) = value.as_object() else { return fail(false) };
        check_members(root, form, object, at, faults);
    }
}

fn check_members(root: &Value, form: &Map<String, Value>, object: &Map<String, Value>, at: &str, faults: &mut Vec<String>) {
    let none = Map::new();
    let members = |key: &str| form.get(key).map_or(&none, |members| members.as_object().expect("members"));
    for (name, schema) in members("properties") {
        match object.get(name) {
            Some(value) => check(root, schema, value, &format!("{at}/{name}"), faults),
            None => faults.push(at.into()),
        }
    }
    for (name, schema) in members("optionalProperties") {
        if let Some(value) = object.get(name) {
            check(root, schema, value, &format!("{at}/{name}"), faults);
        }
    }
    if form.get("additionalProperties") != Some(&Value::Bool(true)) {
        let is_known = |name: &String| {
            ["properties", "optionalProperties"].iter().any(|key| members(key).contains_key(name))
        };
        faults.extend(object.keys().filter(|name| !is_known(name)).map(|name| format!("{at}/{name}")));
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    let within = |most: u64| value.as_u64().is_some_and(|number| number <= most);
    match name {
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "uint32" => within(u32::MAX.into()),
        other => panic!("no schema of ours has the type {other}"),
    }
}

/// The forms, as the examples of RFC 8927 have them.
#[test]
fn forms() {
    for (schema, value, expected) in [
        (json!({}), json!([null, 1]), [].as_slice()),
        (json!({"type": "string"}), json!(1), &[""]),
        (json!({"type": "uint32"}), json!(4_294_967_296_u64), &[""]),
        (json!({"type": "uint32", "nullable": true}), json!(null), &[]),
        (json!({"enum": ["a", "b"]}), json!("b"), &[]),
        (json!({"enum": ["a", "b"]}), json!("c"), &[""]),
        (json!({"elements": {"type": "boolean"}}), json!([true, 1, "x"]), &["/1", "/2"]),
        (json!({"elements": {}}), json!({}), &[""]),
        (json!({"values": {"type": "boolean"}}), json!({"a": true, "b": 0}), &["/b"]),
        (json!({"properties": {"a": {}}}), json!({"b": 1}), &["", "/b"]),
        (json!({"properties": {"a": {}}, "additionalProperties": true}), json!({"a": 1, "b": 1}), &[]),
        (json!({"optionalProperties": {"a": {"type": "string"}}}), json!({"a": 1}), &["/a"]),
        (
            json!({"definitions": {"a": {"elements": {"ref": "a"}}}, "ref": "a"}),
            json!([[], [[1]]]),
            &["/1/0/0"],
        ),
    ] {
        assert_eq!(faults(&schema, &value), expected, "{schema} {value}");
    }
}
