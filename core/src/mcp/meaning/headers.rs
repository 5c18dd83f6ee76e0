//! The protocol's own headers, compared with the body (MCP digest, section 1.2).

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::{HEADER_MISMATCH, Refusal};
use crate::jsonrpc::{Id, Members, code};
use crate::mcp::http::{Head, Header};
use crate::mcp::version;

/// Names as they are written in messages; on the wire they have any case.
const VERSION: &str = "MCP-Protocol-Version";
const METHOD: &str = "Mcp-Method";
const NAME: &str = "Mcp-Name";

/// The version header.
///
/// # Errors
/// `-32020` when it is there twice: which one counts would be a guess.
pub(super) fn version<'a>(head: &'a Head, id: Option<&Id>) -> Result<Option<&'a str>, Refusal> {
    once(head, id, VERSION, "mcp-protocol-version")
}

/// What can be said against the headers before the version is known to be served: the ones that are there must agree
/// with the body.
///
/// # Errors
/// `-32020`.
pub(super) fn agree(head: &Head, id: &Id, body_version: &str, method: &str) -> Result<(), Refusal> {
    if let Some(named) = version(head, Some(id))?
        && named != body_version
    {
        return Err(mismatch(Some(id), VERSION, named, body_version));
    }
    same_method(head, Some(id), method)
}

/// Whether `Mcp-Method`, when it is there, names the method. Letters count as they are written.
///
/// # Errors
/// `-32020`.
pub(super) fn same_method(head: &Head, id: Option<&Id>, method: &str) -> Result<(), Refusal> {
    match once(head, id, METHOD, "mcp-method")? {
        Some(named) if named != method => Err(mismatch(id, METHOD, named, method)),
        _ => Ok(()),
    }
}

/// What must be there in a request of a served version, and the name of what is called.
///
/// # Errors
/// `-32020`.
pub(super) fn complete(head: &Head, id: &Id, method: &str, params: &Members<'_>) -> Result<(), Refusal> {
    if version(head, Some(id))?.is_none() {
        return Err(missing(id, VERSION));
    }
    if once(head, Some(id), METHOD, "mcp-method")?.is_none() {
        return Err(missing(id, METHOD));
    }
    let named = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let Some(sent) = once(head, Some(id), NAME, "mcp-name")? else {
        return Err(missing(id, NAME));
    };
    let Some(decoded) = decoded(sent) else {
        let message = format!("Header mismatch: {NAME} is not the Base64 of UTF-8 text");
        return Err(Refusal::new(400, Some(id), HEADER_MISMATCH, &message));
    };
    // A body whose name is no string is refused for that, by the method.
    match params.text(named) {
        Some(name) if name != decoded => Err(mismatch(Some(id), NAME, &decoded, &name)),
        _ => Ok(()),
    }
}

/// Whether a legacy revision is served. A request without the header is of the revision before it existed.
///
/// # Errors
/// 400.
pub(super) fn legacy(named: Option<&str>, id: Option<&Id>) -> Result<(), Refusal> {
    match named {
        Some(named) if !version::LEGACY.contains(&named) => {
            let message = format!(
                "Unsupported protocol version: {named} (supported versions: {})",
                version::LEGACY.join(", ")
            );
            Err(Refusal::new(400, id, code::INVALID_REQUEST, &message))
        }
        _ => Ok(()),
    }
}

/// The value of a header; the empty one counts as absent.
fn once<'a>(head: &'a Head, id: Option<&Id>, name: &str, wire: &str) -> Result<Option<&'a str>, Refusal> {
    match head.header(wire) {
        Header::None | Header::One("") => Ok(None),
        Header::One(value) => Ok(Some(value)),
        Header::Many => {
            let message = format!("Header mismatch: {name} is there twice");
            Err(Refusal::new(400, id, HEADER_MISMATCH, &message))
        }
    }
}

/// A value as it is meant: `=?base64?…?=` with lower-case marks is Base64 with padding of UTF-8 text, everything else is
/// literal.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Some(Cow::Borrowed(value));
    };
    let bytes = STANDARD.decode(encoded).ok()?;
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

fn missing(id: &Id, name: &str) -> Refusal {
    let message = format!("Header mismatch: the {name} header is missing");
    let mut refusal = Refusal::new(400, Some(id), HEADER_MISMATCH, &message);
    refusal.error.data = Some(json!({"mismatch": {"header": "(missing)", "body": name}}));
    refusal
}

fn mismatch(id: Option<&Id>, name: &str, header: &str, body: &str) -> Refusal {
    let message = format!("Header mismatch: {name} is {header:?}, the body has {body:?}");
    let mut refusal = Refusal::new(400, id, HEADER_MISMATCH, &message);
    refusal.error.data = Some(json!({"mismatch": {"header": header.to_owned(), "body": body.to_owned()}}));
    refusal
}

#[cfg(test)]
mod tests {
    use super::decoded;

    /// MCP-12.
    #[test]
    fn base64_names() {
        for (value, name) in [
            ("send", Some("send")),
            ("=?base64?c2VuZA==?=", Some("send")),
            ("=?base64?w6k=?=", Some("é")),
            ("=?base64??=", Some("")),
            ("=?base64?c2VuZA?=", None),
            ("=?base64?c2VuZA=?=", None),
            ("=?base64?c2Vu*A==?=", None),
            ("=?base64?c2VuZB==?=", None),
            ("=?base64?/w==?=", None),
            ("=?base64?c2VuZA==", Some("=?base64?c2VuZA==")),
            ("c2VuZA==?=", Some("c2VuZA==?=")),
            ("=?BASE64?c2VuZA==?=", Some("=?BASE64?c2VuZA==?=")),
            ("=?base64?=", Some("=?base64?=")),
        ] {
            assert_eq!(decoded(value).as_deref(), name, "{value}");
        }
    }
}
