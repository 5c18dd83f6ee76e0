//! The requests of a caller.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Serialize, Serializer};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::jsonrpc::{self, Id, Members};
use crate::mcp::meaning::envelope::{CAPABILITIES, CLIENT, TOKEN, VERSION};
use crate::mcp::version;

/// Writes the requests of one caller.
///
/// The caller declares no capabilities: nothing can ask it back in the middle of a request, because an
/// `input_required` result is answered with a new request. By default it does not name its software either, which would
/// tell its requests from those of others (agent protocols, "Privacy considerations").
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writer {
    /// Name and version of the caller's software, when it tells them.
    pub client: Option<(String, String)>,
}

impl Writer {
    /// `server/discover`: which revisions and capabilities there are.
    pub fn discover(&self, id: &Id) -> String {
        self.write(id, "server/discover", Object::default(), Object::default())
    }

    /// `tools/list`: the first page, or the one of a cursor.
    pub fn list_tools(&self, id: &Id, cursor: Option<&str>) -> String {
        let mut params = Object::default();
        if let Some(cursor) = cursor {
            params.put("cursor", &cursor);
        }
        self.write(id, "tools/list", params, Object::default())
    }

    /// `tools/call`. The arguments travel as they are, byte for byte. With a progress token the bot may send
    /// `notifications/progress` before its answer.
    pub fn call_tool(&self, id: &Id, tool: &str, arguments: &RawValue, progress: Option<&Id>) -> String {
        let (mut params, mut meta) = (Object::default(), Object::default());
        params.put("name", &tool);
        params.put("arguments", &arguments);
        if let Some(token) = progress {
            meta.put(TOKEN, token);
        }
        self.write(id, "tools/call", params, meta)
    }

    /// Any method. The members of `params` stay as they are, those that its `_meta` has already as well.
    pub fn any(&self, id: &Id, method: &str, params: &Members<'_>) -> String {
        let given = params.raw("_meta").and_then(|meta| Members::read(meta).ok()).unwrap_or_default();
        let params = params.iter().filter(|(name, _)| *name != "_meta");
        self.write(id, method, Object::of(params), Object::of(given.iter()))
    }

    /// `notifications/cancelled`: the answer to this request is not wanted any more.
    pub fn cancel(&self, request: &Id) -> String {
        let mut params = Object::default();
        params.put("requestId", request);
        jsonrpc::notification("notifications/cancelled", &params)
    }

    /// The request with a whole envelope (MCP digest, section 2.1): what `meta` lacks is added.
    fn write<'a>(&self, id: &Id, method: &str, mut params: Object<'a>, mut meta: Object<'a>) -> String {
        meta.lend(VERSION, &version::MODERN);
        meta.lend(CAPABILITIES, &json!({}));
        if let Some((name, version)) = &self.client {
            meta.lend(CLIENT, &json!({"name": name, "version": version}));
        }
        params.put("_meta", &meta);
        jsonrpc::request(id, method, &params)
    }
}

/// An object whose members keep their order and their text.
#[derive(Debug, Default)]
struct Object<'a>(Vec<(&'a str, Box<RawValue>)>);

impl<'a> Object<'a> {
    fn of(members: impl Iterator<Item = (&'a str, &'a RawValue)>) -> Self {
        Self(members.map(|(name, json)| (name, json.to_owned())).collect())
    }

    /// Adds a member. What is written here has string keys only and cannot fail to serialise.
    fn put(&mut self, name: &'a str, value: &impl Serialize) {
        self.0.extend(to_raw_value(value).ok().map(|json| (name, json)));
    }

    /// Adds a member that is not there yet.
    fn lend(&mut self, name: &'a str, value: &impl Serialize) {
        if !self.0.iter().any(|(given, _)| *given == name) {
            self.put(name, value);
        }
    }
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, json)| (name, json)))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::jsonrpc::raw;

    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

    /// MCPX-01, MCPX-02: each request has the whole envelope, and says nothing about the caller that need not be said.
    #[test]
    fn requests_have_an_envelope() {
        let writer = Writer::default();
        let id = Id::number(1);
        let params = |params: &str| alloc::format!(r#""params":{{{params}{META}}}}}"#);
        for (written, method, expected) in [
            (writer.discover(&id), "server/discover", params("")),
            (writer.list_tools(&id, None), "tools/list", params("")),
            (writer.list_tools(&id, Some("p\"2")), "tools/list", params(r#""cursor":"p\"2","#)),
            (
                writer.call_tool(&id, "add", raw(r#"{"b":1.50,"a":[1, 2]}"#), None),
                "tools/call",
                params(r#""name":"add","arguments":{"b":1.50,"a":[1, 2]},"#),
            ),
        ] {
            let expected = alloc::format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}",{expected}"#);
            assert_eq!(written, expected);
        }
        let token = writer.call_tool(&Id::text("1"), "add", raw("{}"), Some(&Id::number(0)));
        assert!(
            token.contains(r#""id":"1""#) && token.contains(r#""_meta":{"progressToken":0,"io."#),
            "{token}"
        );
    }

    /// MCPX-02: who wants to be known names itself.
    #[test]
    fn a_client_that_tells_its_name() {
        let writer = Writer { client: Some(("x".to_string(), "1".to_string())) };
        let written = writer.discover(&Id::number(1));
        assert!(
            written.contains(r#""io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"}"#),
            "{written}"
        );
    }

    /// MCPX-01: what a person writes stays, and only what is missing is added.
    #[test]
    fn any_request_keeps_what_it_has() {
        let params = r#"{"z":1e2,"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01","k":1.0}}"#;
        let params = Members::read(raw(params)).expect("members");
        assert_eq!(
            Writer::default().any(&Id::number(7), "resources/read", &params),
            r#"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"z":1e2,"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01","k":1.0,"io.modelcontextprotocol/clientCapabilities":{}}}}"#
        );
    }

    /// MCPX-03: the id of the request that is given up keeps its type.
    #[test]
    fn a_cancellation() {
        for (id, written) in [(Id::number(7), "7"), (Id::text("7"), "\"7\"")] {
            let expected = alloc::format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{written}}}}}"#
            );
            assert_eq!(Writer::default().cancel(&id), expected);
        }
    }
}
