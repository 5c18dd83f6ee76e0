//! A server to measure the HTTP front end with: the real front end, driver and MCP server, and three tools that answer
//! from memory in the place of the agent. `benches/http/run.py` measures it beside servers of other SDKs.
//!
//! `TOKEN=… mcp_server PORT`
#![allow(clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use simplex_agent_adapters::clock::Clock;
use simplex_agent_adapters::driver::{self, Console, Inbox, Io};
use simplex_agent_adapters::files::Writer;
use simplex_agent_adapters::simplex::SimplexCore;
use simplex_agent_adapters::{http, signals};
use simplex_agent_core::config::QrSize;
use simplex_agent_core::effect::{Effect, Effects, ExitCode, Input, Machine, Outcome};
use simplex_agent_core::id::{CallId, OpId};
use simplex_agent_core::mcp::http::Token;
use simplex_agent_core::mcp::{Call, Server, Tool, ToolBox, ToolResult};
use simplex_agent_core::{Millis, Now, Wakeup};

fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok());
    let (Some(port), Ok(token)) = (port, std::env::var("TOKEN")) else {
        eprintln!("usage: TOKEN=… mcp_server PORT");
        std::process::exit(2);
    };
    let (inbox, inputs) = Inbox::new();
    let _stop = signals::watch(inbox.clone())?;
    let io = Io {
        simplex: Box::new(Nothing),
        front: http::front(port, Arc::new(Token::new(&token)), inbox.clone()),
        // The machine writes no file.
        writer: Writer::start(Path::new("."), inbox, None),
        console: Box::new(Nothing),
    };
    let (code, _) = driver::run_beside_front(Box::new(Bench::new()), Clock::new(), None, inputs, io);
    std::process::exit(i32::from(code.number()))
}

/// No arguments.
const NONE: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
/// The argument of `echo`.
const TEXT: &str = r#"{"type":"object","properties":{"text":{"type":"string","minLength":1}},"required":["text"],"additionalProperties":false}"#;
/// The argument of `slow`.
const SECONDS: &str = r#"{"type":"object","properties":{"seconds":{"type":"integer","minimum":0,"maximum":86400}},"required":["seconds"],"additionalProperties":false}"#;
/// The result of `list`.
const ITEMS: &str = r#"{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"number"}},"required":["name","size"]}}},"required":["items"]}"#;

/// The machine: the MCP server, and calls of `slow` that are not over.
struct Bench {
    server: Server,
    slow: BTreeMap<CallId, Slow>,
}

/// A call that reports its progress once a second.
struct Slow {
    next: Millis,
    done: u64,
    seconds: u64,
}

impl Bench {
    fn new() -> Self {
        let tool = |name: &str, description: &str, input: &str, output: Option<&str>| Tool {
            name: name.to_owned(),
            title: None,
            description: description.to_owned(),
            input_schema: input.to_owned(),
            output_schema: output.map(str::to_owned),
            annotations: None,
            meta: None,
        };
        let tools = ToolBox {
            name: "simplex-bench".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: "bench server".to_owned(),
            tools: vec![
                tool("list", "List items", NONE, Some(ITEMS)),
                tool("echo", "Echo text", TEXT, None),
                tool("slow", "Report progress once a second for N seconds", SECONDS, None),
            ],
        };
        Self { server: Server::new(tools), slow: BTreeMap::new() }
    }

    fn begin(&mut self, now: Now, call: &Call, effects: &mut Effects) {
        let result = match call.tool.as_str() {
            "list" => {
                let items = json!({"items": [{"name": "alpha", "size": 1}, {"name": "beta", "size": 2},
                    {"name": "gamma", "size": 3}]});
                let text = items.to_string();
                Ok(ToolResult { structured: Some(text.clone()), text, is_error: false })
            }
            "echo" => match call.arguments.get("text").and_then(|text| text.as_str()) {
                Some(text) if !text.is_empty() => Ok(text.to_owned()),
                _ => Err("text must be a string and not empty"),
            }
            .map(said),
            _ => match call.arguments.get("seconds").and_then(|seconds| seconds.as_u64()) {
                Some(seconds) => {
                    let next = now.mono + Millis::secs(1);
                    self.slow.insert(call.id, Slow { next, done: 0, seconds });
                    return;
                }
                None => Err("seconds must be an integer"),
            },
        };
        let failed = |text| ToolResult { is_error: true, ..said(String::from(text)) };
        self.server.finish(now, call.id, result.unwrap_or_else(failed), effects);
    }

    fn advance(&mut self, now: Now, effects: &mut Effects) {
        let server = &mut self.server;
        self.slow.retain(|call, slow| {
            if slow.next > now.mono {
                return true;
            }
            slow.next = slow.next + Millis::secs(1);
            slow.done += 1;
            server.progress(now, *call, &format!("step {}", slow.done), effects);
            if slow.done < slow.seconds {
                return true;
            }
            server.finish(now, *call, said(format!("done after {}s", slow.seconds)), effects);
            false
        });
    }
}

impl Machine for Bench {
    fn handle(&mut self, now: Now, input: Input, effects: &mut Effects) {
        match input {
            Input::Start { .. } => effects.push(Effect::Listen { op: OpId::new(1) }),
            Input::Done { result: Outcome::Ok, .. } => self.server.set_ready(true),
            Input::Done { result, .. } => {
                effects.push(Effect::Warn(format!("{result:?}")));
                effects.push(Effect::Exit(ExitCode::Failure));
            }
            Input::Http { request, head, body } => {
                for call in self.server.on_request(now, request, &head, &body, effects) {
                    self.begin(now, &call, effects);
                }
            }
            Input::HttpEnded { request, delivered } => {
                for ended in self.server.on_ended(request, delivered) {
                    self.slow.remove(&ended.call);
                }
            }
            Input::Stop => effects.push(Effect::Exit(ExitCode::Success)),
            Input::Tick | Input::Event(_) | Input::CoreLost { .. } => {}
        }
        self.advance(now, effects);
        self.server.tick(now, effects);
    }

    fn next_wakeup(&self) -> Option<Wakeup> {
        let slow = self.slow.values().map(|slow| slow.next).min();
        Wakeup::earlier(slow.map(|at| Wakeup { at, why: "progress" }), self.server.next_wakeup())
    }
}

fn said(text: String) -> ToolResult {
    ToolResult { structured: None, text, is_error: false }
}

/// No SimpleX core; a console that shows warnings.
struct Nothing;

impl SimplexCore for Nothing {
    fn send(&mut self, _op: OpId, _line: String) {}

    fn close(&mut self, _op: OpId) {}
}

impl Console for Nothing {
    fn log(&mut self, _line: &str) {}

    fn warn(&mut self, line: &str) {
        eprintln!("{line}");
    }

    fn qr(&mut self, _link: &str, _size: QrSize) {}
}
