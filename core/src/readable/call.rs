//! The line of an HTTP request.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::mcp::http::{Body, Head, Header};

/// The headers that every client sends; the others are shown.
const USUAL: [&str; 8] = [
    "host",
    "content-type",
    "content-length",
    "accept",
    "user-agent",
    "connection",
    "accept-encoding",
    "accept-language",
];

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// `> call TOOL {JSON}` (2026-07-28), `> legacy TOOL {JSON}`, or `> http {HEADERS} BODY` for whatever is no tool call.
pub(super) fn line(number: usize, head: &Head, body: &Body) -> String {
    let text = match body {
        Body::Text(text) => text.as_str(),
        Body::TooLarge | Body::NotUtf8 | Body::TooSlow | Body::Broken => {
            return format!("# request {number}: {} {} without a body: {body:?}", head.method, head.target);
        }
    };
    if let Ok(Request { method, params }) = serde_json::from_str(text)
        && method == "tools/call"
    {
        let era = if matches!(head.header("mcp-method"), Header::None) { "legacy" } else { "call" };
        let arguments = params.arguments.map_or("{}", RawValue::get).replace(['\n', '\r'], " ");
        return format!("> {era} {} {arguments}", params.name);
    }
    let shown = |(name, _): &&(String, String)| !USUAL.contains(&name.to_ascii_lowercase().as_str());
    let headers: BTreeMap<&str, Value> = head
        .headers
        .iter()
        .filter(shown)
        .map(|(name, value)| (name.as_str(), Value::from(value.as_str())))
        .collect();
    let headers = serde_json::to_string(&headers).unwrap_or_default();
    format!("> http {headers} {}", text.replace(['\n', '\r'], " "))
}
