//! For tests: a JSON Schema evaluator of its own, for the keywords that are published, so that what is published is
//! compared with what is checked.

use alloc::format;
use alloc::string::{String, ToString};

use serde_json::Value;

/// Whether a value fits a published schema, or the first reason why not.
pub(crate) fn evaluate(schema: &Value, value: &Value) -> Result<(), String> {
    let schema = schema.as_object().ok_or("a schema is an object")?;
    for (keyword, rule) in schema {
        if !holds(keyword, rule, schema.get("properties"), value)? {
            return Err(format!("{keyword} {rule} does not hold for {value}"));
        }
    }
    Ok(())
}

fn holds(keyword: &str, rule: &Value, properties: Option<&Value>, value: &Value) -> Result<bool, String> {
    let count = |length: usize| rule.as_u64().is_some_and(|rule| length as u64 <= rule);
    let count_from = |length: usize| rule.as_u64().is_some_and(|rule| length as u64 >= rule);
    Ok(match (keyword, value) {
        ("description" | "default", _) => true,
        ("type", _) => rule.as_str().is_some_and(|name| is_type(name, value)),
        ("enum", _) => rule.as_array().is_some_and(|words| words.contains(value)),
        ("minimum", Value::Number(number)) => number.as_f64() >= rule.as_f64(),
        ("maximum", Value::Number(number)) => number.as_f64() <= rule.as_f64(),
        ("minLength", Value::String(text)) => count_from(text.chars().count()),
        ("maxLength", Value::String(text)) => count(text.chars().count()),
        ("minItems", Value::Array(items)) => count_from(items.len()),
        ("maxItems", Value::Array(items)) => count(items.len()),
        ("uniqueItems", Value::Array(items)) => items
            .iter()
            .enumerate()
            .all(|(at, item)| !items[..at].iter().any(|other| other.as_f64() == item.as_f64())),
        ("pattern", Value::String(text)) => {
            assert_eq!(rule, "^[@#][0-9]{1,15}$", "the one pattern that is published");
            let digits: String = text.chars().skip(1).collect();
            text.starts_with(['@', '#'])
                && (1..=15).contains(&digits.chars().count())
                && digits.chars().all(|digit| digit.is_ascii_digit())
        }
        ("items", Value::Array(items)) => {
            for item in items {
                evaluate(rule, item)?;
            }
            true
        }
        ("properties", Value::Object(object)) => {
            for (name, value) in object {
                if let Some(schema) = rule.get(name) {
                    evaluate(schema, value).map_err(|error| format!("{name}: {error}"))?;
                }
            }
            true
        }
        ("required", Value::Object(object)) => rule.as_array().is_some_and(|names| {
            names.iter().all(|name| name.as_str().is_some_and(|name| object.contains_key(name)))
        }),
        ("additionalProperties", Value::Object(object)) => {
            assert_eq!(rule, false);
            object.keys().all(|name| properties.is_some_and(|properties| properties.get(name).is_some()))
        }
        // The other keywords say nothing about values of another type.
        (
            "minimum"
            | "maximum"
            | "minLength"
            | "maxLength"
            | "minItems"
            | "maxItems"
            | "uniqueItems"
            | "pattern"
            | "items"
            | "properties"
            | "required"
            | "additionalProperties",
            _,
        ) => true,
        (other, _) => return Err(format!("{other} is published, and unknown here").to_string()),
    })
}

fn is_type(name: &str, value: &Value) -> bool {
    match (name, value) {
        ("integer", Value::Number(number)) => {
            number.is_u64() || number.is_i64() || number.as_f64().is_some_and(|float| float % 1.0 == 0.0)
        }
        ("string", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        _ => false,
    }
}
