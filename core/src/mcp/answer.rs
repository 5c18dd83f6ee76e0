//! The results, as JSON texts. What differs by era: a modern result says that it is complete, who answers, and how long
//! a list may be kept (MCP digest, sections 2 and 4).

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::meaning::Era;
use super::tool::{Tool, ToolBox, ToolResult};
use super::version;
use crate::jsonrpc::{self, Id, raw};
use crate::time::Millis;

/// How long a client may keep `server/discover` and `tools/list`: neither changes while the server runs, and the next run
/// may be another version (decisions 5).
const KEEP: Millis = Millis::secs(300);

/// The answer to `server/discover`.
pub(super) fn discover(tools: &ToolBox, id: &Id) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Discovered<'a> {
        result_type: &'static str,
        supported_versions: [&'static str; 1],
        capabilities: Value,
        instructions: &'a str,
        ttl_ms: u64,
        cache_scope: &'static str,
        #[serde(rename = "_meta")]
        meta: Meta<'a>,
    }
    jsonrpc::result(
        id,
        &Discovered {
            result_type: "complete",
            supported_versions: [version::MODERN],
            capabilities: json!({"tools": {}}),
            instructions: &tools.instructions,
            ttl_ms: KEEP.0,
            cache_scope: "private",
            meta: Meta::of(tools),
        },
    )
}

/// The answer to a legacy `initialize` that asks for a revision.
pub(super) fn initialize(tools: &ToolBox, id: &Id, asked: &str) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Initialized<'a> {
        protocol_version: &'static str,
        capabilities: Value,
        server_info: ServerInfo<'a>,
        instructions: &'a str,
    }
    jsonrpc::result(
        id,
        &Initialized {
            protocol_version: version::negotiated(asked),
            capabilities: json!({"tools": {"listChanged": false}}),
            server_info: ServerInfo { name: &tools.name, version: &tools.version },
            instructions: &tools.instructions,
        },
    )
}

/// The answer to a legacy `ping`.
pub(super) fn ping(id: &Id) -> String {
    jsonrpc::result(id, &json!({}))
}

/// The tools as every list shows them.
pub(super) fn shown(tools: &ToolBox) -> Box<RawValue> {
    let tools: Vec<Shown<'_>> = tools.tools.iter().map(Shown::of).collect();
    // Our own structs have string keys only and cannot fail to serialise.
    to_raw_value(&tools).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// The answer to `tools/list`: one page, private because it is behind a token.
pub(super) fn list(tools: &ToolBox, shown: &RawValue, era: Era, id: &Id) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Listed<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        result_type: Option<&'static str>,
        tools: &'a RawValue,
        #[serde(skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_scope: Option<&'static str>,
        #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Meta<'a>>,
    }
    let modern = era == Era::Modern;
    jsonrpc::result(
        id,
        &Listed {
            result_type: modern.then_some("complete"),
            tools: shown,
            ttl_ms: modern.then_some(KEEP.0),
            cache_scope: modern.then_some("private"),
            meta: modern.then(|| Meta::of(tools)),
        },
    )
}

/// The answer to `tools/call`.
pub(super) fn call(tools: &ToolBox, era: Era, id: &Id, result: &ToolResult) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Called<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        result_type: Option<&'static str>,
        content: [Text<'a>; 1],
        #[serde(skip_serializing_if = "Option::is_none")]
        structured_content: Option<&'a RawValue>,
        is_error: bool,
        #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Meta<'a>>,
    }
    #[derive(Serialize)]
    struct Text<'a> {
        r#type: &'static str,
        text: &'a str,
    }
    let modern = era == Era::Modern;
    jsonrpc::result(
        id,
        &Called {
            result_type: modern.then_some("complete"),
            content: [Text { r#type: "text", text: &result.text }],
            structured_content: result.structured.as_deref().map(raw),
            is_error: result.is_error,
            meta: modern.then(|| Meta::of(tools)),
        },
    )
}

/// A progress notification. The total is unknown: nobody knows how long a person takes.
pub(super) fn progress(token: &Id, progress: u64, message: &str) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Progress<'a> {
        progress_token: &'a Id,
        progress: u64,
        message: &'a str,
    }
    jsonrpc::notification("notifications/progress", &Progress { progress_token: token, progress, message })
}

#[derive(Serialize)]
struct ServerInfo<'a> {
    name: &'a str,
    version: &'a str,
}

/// What every modern result carries.
#[derive(Serialize)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/serverInfo")]
    server: ServerInfo<'a>,
}

impl<'a> Meta<'a> {
    fn of(tools: &'a ToolBox) -> Self {
        Self { server: ServerInfo { name: &tools.name, version: &tools.version } }
    }
}

/// A tool in `tools/list`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    description: &'a str,
    input_schema: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'a RawValue>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a RawValue>,
}

impl<'a> Shown<'a> {
    fn of(tool: &'a Tool) -> Self {
        Self {
            name: &tool.name,
            title: tool.title.as_deref(),
            description: &tool.description,
            input_schema: raw(&tool.input_schema),
            output_schema: tool.output_schema.as_deref().map(raw),
            annotations: tool.annotations.as_deref().map(raw),
            meta: tool.meta.as_deref().map(raw),
        }
    }
}
