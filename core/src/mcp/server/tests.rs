//! Whole requests and their answers. `answers` has those that need no tool, `calls` those that do, `hostile` those that are bent.

mod answers;
mod calls;
mod hostile;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::Server;
use crate::effect::{Effect, Effects};
use crate::id::RequestId;
use crate::mcp::http::{Body, Head, Reply};
use crate::mcp::tool::{Call, Tool, ToolBox, ToolResult};
use crate::time::{Millis, Now, UnixMillis};

/// The headers of a modern request.
const MODERN: &[(&str, &str)] = &[("mcp-protocol-version", "2026-07-28")];

/// A server with the tools `send` and `list`, and its clock.
struct Bench {
    server: Server,
    now: u64,
    requests: u64,
    effects: Effects,
}

impl Bench {
    fn new() -> Self {
        let tool = |name: &str| Tool {
            name: name.to_owned(),
            title: None,
            description: format!("Does {name}."),
            input_schema: r#"{"type":"object"}"#.to_owned(),
            output_schema: None,
            annotations: None,
            meta: None,
        };
        let mut server = Server::new(ToolBox {
            name: "bench".to_owned(),
            version: "1.2.3".to_owned(),
            instructions: "Be kind.".to_owned(),
            tools: Vec::from([tool("send"), tool("list")]),
        });
        server.set_ready(true);
        Self { server, now: 1000, requests: 0, effects: Effects::default() }
    }

    fn now(&self) -> Now {
        Now { mono: Millis(self.now), unix: UnixMillis(0) }
    }

    /// Posts a body and gives back the request and its calls.
    fn begin(&mut self, headers: &[(&str, &str)], body: &str) -> (RequestId, Vec<Call>) {
        self.requests += 1;
        let request = RequestId::new(self.requests);
        let body = Body::Text(body.to_owned());
        let calls = self.server.on_request(self.now(), request, &head(headers), &body, &mut self.effects);
        (request, calls)
    }

    /// Posts a body that needs no tool.
    fn post(&mut self, headers: &[(&str, &str)], body: &str) -> Reply {
        let (_, calls) = self.begin(headers, body);
        assert_eq!(calls, [], "{body}");
        let effects: Vec<Effect> = self.effects.drain().collect();
        let [Effect::HttpReply { reply, .. }] = effects.as_slice() else { panic!("{effects:?}") };
        reply.clone()
    }

    /// Posts a call and gives it back.
    fn call(&mut self, headers: &[(&str, &str)], body: &str) -> (RequestId, Call) {
        let (request, mut calls) = self.begin(headers, body);
        assert_eq!(self.effects.as_slice(), []);
        (request, calls.pop().unwrap())
    }

    fn finish(&mut self, call: &Call, text: &str) {
        let result =
            ToolResult { structured: Some(r#"{"n":1}"#.to_owned()), text: text.to_owned(), is_error: false };
        self.server.finish(self.now(), call.id, result, &mut self.effects);
    }

    fn progress(&mut self, call: &Call, message: &str) {
        self.server.progress(self.now(), call.id, message, &mut self.effects);
    }

    fn tick(&mut self, millis: u64) {
        self.now += millis;
        self.server.tick(self.now(), &mut self.effects);
    }

    /// When the server wants to be woken, from now.
    fn wakeup(&self) -> Option<u64> {
        self.server.next_wakeup().map(|wakeup| wakeup.at.0 - self.now)
    }

    /// The effects since the last look, one a line.
    fn seen(&mut self) -> Vec<String> {
        let line = |effect: Effect| match effect {
            Effect::HttpReply { request, reply } => format!("{request} {} {}", reply.status, reply.body),
            Effect::HttpOpen { request, .. } => format!("{request} open"),
            Effect::HttpSend { request, text } => format!("{request} {text}"),
            Effect::HttpClose { request } => format!("{request} close"),
            other => panic!("{other:?}"),
        };
        self.effects.drain().map(line).collect()
    }
}

fn head(headers: &[(&str, &str)]) -> Head {
    let always = [("host", "127.0.0.1:5226"), ("content-type", "application/json")];
    let all = always.iter().chain(headers);
    Head {
        method: "POST".to_owned(),
        target: "/mcp".to_owned(),
        headers: all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        authorized: true,
    }
}

/// A modern request with its envelope.
fn modern(id: &str, method: &str, params: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{comma}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

/// A legacy request.
fn legacy(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#)
}

/// The headers of a modern request with this method and name.
fn headers<'a>(method: &'a str, name: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut headers = MODERN.to_vec();
    headers.push(("mcp-method", method));
    if !name.is_empty() {
        headers.push(("mcp-name", name));
    }
    headers
}

/// The status of an answer, then the code and id of its error, or `ok`.
fn summary(reply: &Reply) -> String {
    if reply.body.is_empty() {
        return reply.status.to_string();
    }
    let body: Value = serde_json::from_str(&reply.body).unwrap();
    let id = body.get("id").map_or_else(|| "-".to_owned(), ToString::to_string);
    match body.get("error") {
        Some(error) => format!("{} {} {id}", reply.status, error["code"]),
        None => format!("{} ok {id}", reply.status),
    }
}
