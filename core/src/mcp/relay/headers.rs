//! The headers of a message that came without any (MCP digest, section 1.2).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::jsonrpc::Members;

/// What every POST has.
const ALWAYS: [(&str, &str); 2] =
    [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];

/// The headers of a modern message; the name of what is called belongs to requests.
pub(super) fn modern(
    version: &str,
    method: &str,
    params: &Members<'_>,
    request: bool,
) -> Vec<(&'static str, String)> {
    let mut headers = always();
    // A text that no header can hold is left out; the server then says which one is missing.
    headers.extend(literal(version).map(|version| ("mcp-protocol-version", version)));
    headers.extend(literal(method).map(|method| ("mcp-method", method)));
    let named = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return headers,
    };
    let name = params.text(named).filter(|_| request);
    headers.extend(name.map(|name| ("mcp-name", encoded(&name))));
    headers
}

/// The headers of a legacy message, with the version that was settled on.
pub(super) fn legacy(version: Option<&str>) -> Vec<(&'static str, String)> {
    let mut headers = always();
    headers.extend(version.and_then(literal).map(|version| ("mcp-protocol-version", version)));
    headers
}

fn always() -> Vec<(&'static str, String)> {
    ALWAYS.map(|(name, value)| (name, value.to_owned())).into()
}

/// The text, when a header holds it as it is.
fn literal(text: &str) -> Option<String> {
    let is_plain = !text.is_empty()
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    is_plain.then(|| text.to_owned())
}

/// The text, or its Base64 between marks when it is no plain one or looks like that itself.
fn encoded(text: &str) -> String {
    match literal(text).filter(|text| !text.starts_with("=?base64?")) {
        Some(text) => text,
        None => format!("=?base64?{}?=", STANDARD.encode(text)),
    }
}
