//! The tools as `tools/list` shows them.

use serde_json::Value;
use simplex_agent_core::agent::text::model;
use simplex_agent_core::agent::tools;
use simplex_agent_core::config::Mode;
use simplex_agent_core::mcp::Tool;

use super::document::{row, table};

/// One section a tool.
pub(crate) fn sections() -> Vec<(String, String)> {
    let tools = tools::tools(Mode::Requests).into_iter().zip(tools::tools(Mode::Host));
    tools.map(|(tool, in_host)| (format!("tool {}", tool.name), described(&tool, &in_host))).collect()
}

/// What every model is told before it calls a tool.
pub(crate) fn instructions() -> String {
    format!("\n```text\n{}\n```\n\n", model::instructions("DISPLAY"))
}

fn described(tool: &Tool, in_host: &Tool) -> String {
    let mut text = format!(
        "\nTitle: {}.\n\n{}\n",
        tool.title.as_deref().unwrap(),
        tool.description.replace(" status ", "\nstatus ")
    );
    text += &hints(tool, in_host);
    text += &fields("input", &tool.input_schema);
    text += &fields("result", tool.output_schema.as_deref().unwrap());
    text
}

/// The annotations, and `_meta`, also where mode host adds to it.
fn hints(tool: &Tool, in_host: &Tool) -> String {
    let object = |text: &Option<String>| serde_json::from_str::<Value>(text.as_deref().unwrap()).unwrap();
    let mut rows = Vec::new();
    for (name, value) in object(&tool.annotations).as_object().unwrap() {
        rows.push(row(&[&format!("`{name}`"), &value.to_string()]));
    }
    let (meta, host_meta) = (object(&tool.meta), object(&in_host.meta));
    for (name, value) in host_meta.as_object().unwrap() {
        let only = if meta.get(name).is_none() { ", in mode host" } else { "" };
        rows.push(row(&[&format!("`{name}`"), &format!("{value}{only}")]));
    }
    table(&["hint", "value"], &rows)
}

/// The fields of a schema, those of nested objects below their own.
fn fields(what: &str, schema: &str) -> String {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let mut rows = Vec::new();
    add(&mut rows, "", &schema);
    if rows.is_empty() {
        return format!("\nIts {what} has no fields.\n\n");
    }
    table(&[&format!("{what} field"), "type", "needed", "meaning"], &rows)
}

fn add(rows: &mut Vec<String>, before: &str, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, field) in properties {
        let needed = match &field["default"] {
            Value::Null if required.contains(&name.as_str()) => "always".to_owned(),
            Value::Null => "no".to_owned(),
            default => format!("no; {default}"),
        };
        let about = field["description"].as_str().unwrap_or_default();
        rows.push(row(&[&format!("`{before}{name}`"), &kind(field), &needed, about]));
        add(rows, &format!("{before}{name}."), field);
        add(rows, &format!("{before}{name}[]."), &field["items"]);
    }
}

/// The type with its bounds. A keyword that is not known here would be lost, so it fails.
fn kind(schema: &Value) -> String {
    let known = [
        "description",
        "type",
        "minLength",
        "maxLength",
        "enum",
        "pattern",
        "minimum",
        "maximum",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "default",
        "properties",
        "required",
        "additionalProperties",
    ];
    for keyword in schema.as_object().unwrap().keys() {
        assert!(known.contains(&keyword.as_str()), "{keyword} in {schema}");
    }
    let range = |min: &str, max: &str| schema.get(min).map(|least| format!("{least} to {}", schema[max]));
    match schema["type"].as_str().unwrap() {
        "string" => match (schema["enum"].as_array(), schema["pattern"].as_str()) {
            (Some(words), _) => {
                let words: Vec<String> =
                    words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
                words.join(", ")
            }
            (None, Some(pattern)) => format!("text, `{pattern}`"),
            (None, None) => range("minLength", "maxLength")
                .map_or_else(|| "text".to_owned(), |range| format!("text of {range} characters")),
        },
        "integer" => range("minimum", "maximum")
            .map_or_else(|| "integer".to_owned(), |range| format!("integer, {range}")),
        "array" => {
            let count = range("minItems", "maxItems").map(|range| format!("{range} ")).unwrap_or_default();
            let each = if schema["uniqueItems"] == true { ", each once" } else { "" };
            format!("list of {count}({}){each}", kind(&schema["items"]))
        }
        other => other.to_owned(),
    }
}
