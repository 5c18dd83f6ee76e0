//! A small machine behind a front end: four tools, and a diary of what it was told.
//!
//! `echo` answers its arguments at once, `slow` after `ms` milliseconds with progress on the way, `hang` never, `big`
//! with `bytes` letters at once. A call of `slow` with a `key` that is open already attaches: both get the same result.

use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use simplex_agent_core::id::{CallId, OpId, RequestId};
use simplex_agent_core::mcp::{Call, Server, Tool, ToolBox, ToolResult};
use simplex_agent_core::time::Millis;
use simplex_agent_core::{Effect, Effects, Input, Machine, Now, Wakeup};

/// What the machine was told, one line each.
pub(crate) type Diary = Arc<Mutex<Vec<String>>>;

pub(crate) struct TestMachine {
    server: Server,
    slow: Vec<Slow>,
    diary: Diary,
}

/// A call that ends later.
struct Slow {
    call: CallId,
    request: Value,
    at: Millis,
    progress_at: Millis,
}

impl TestMachine {
    pub(crate) fn new(diary: Diary) -> Self {
        let tool = |name: &str| Tool {
            name: name.to_owned(),
            title: None,
            description: format!("The test tool {name}."),
            input_schema: json!({"type": "object", "properties": {"ms": {"type": "number"}}}).to_string(),
            output_schema: Some(json!({"type": "object"}).to_string()),
            annotations: None,
            meta: None,
        };
        let tools = ["echo", "slow", "hang", "big"].map(tool).into();
        let mut server = Server::new(ToolBox {
            name: "test-machine".to_owned(),
            version: "1".to_owned(),
            instructions: "For tests.".to_owned(),
            tools,
        });
        server.set_ready(true);
        Self { server, slow: Vec::new(), diary }
    }

    fn note(&self, line: String) {
        self.diary.lock().unwrap().push(line);
    }

    fn on_call(&mut self, now: Now, call: Call, effects: &mut Effects) {
        self.note(format!("call {} {}", call.tool, Value::Object(call.arguments.clone())));
        let number = |name: &str| call.arguments.get(name).and_then(Value::as_u64).unwrap_or_default();
        match call.tool.as_str() {
            "slow" => {
                let request = Value::Object(call.arguments.clone());
                let first = self.slow.iter().find(|slow| slow.request == request).map(|slow| slow.at);
                let at = first.unwrap_or_else(|| now.mono + Millis(number("ms")));
                self.slow.push(Slow { call: call.id, request, at, progress_at: now.mono });
            }
            "hang" => {}
            "big" => {
                let text = "x".repeat(number("bytes") as usize);
                self.server.finish(now, call.id, result(&Map::new(), text), effects);
            }
            _ => {
                let text = Value::Object(call.arguments.clone()).to_string();
                self.server.finish(now, call.id, result(&call.arguments, text), effects);
            }
        }
    }

    fn on_time(&mut self, now: Now, effects: &mut Effects) {
        for slow in &mut self.slow {
            if slow.progress_at <= now.mono && slow.at > now.mono {
                slow.progress_at = now.mono + Millis(50);
                self.server.progress(now, slow.call, "working", effects);
            }
        }
        let (due, later) = std::mem::take(&mut self.slow).into_iter().partition(|slow| slow.at <= now.mono);
        self.slow = later;
        for slow in due {
            self.server.finish(now, slow.call, result(&Map::new(), "slow done".to_owned()), effects);
        }
        self.server.tick(now, effects);
    }
}

impl Machine for TestMachine {
    fn handle(&mut self, now: Now, input: Input, effects: &mut Effects) {
        match input {
            Input::Start { .. } => effects.push(Effect::Listen { op: OpId::new(1) }),
            Input::Http { request, head, body } => {
                self.note(format!("http {request} {head:?}"));
                for call in self.server.on_request(now, request, &head, &body, effects) {
                    self.on_call(now, call, effects);
                }
            }
            Input::HttpEnded { request, delivered } => self.on_ended(request, delivered),
            Input::Done { result, .. } => self.note(format!("listen {result:?}")),
            Input::Stop => {
                self.server.close(effects);
                effects.push(Effect::CloseHttp);
            }
            _ => {}
        }
        self.on_time(now, effects);
    }

    fn next_wakeup(&self) -> Option<Wakeup> {
        let slow =
            self.slow.iter().map(|slow| Wakeup { at: slow.at.min(slow.progress_at), why: "a slow call" });
        Wakeup::earlier(slow.min(), self.server.next_wakeup())
    }
}

impl TestMachine {
    fn on_ended(&mut self, request: RequestId, delivered: bool) {
        self.note(format!("ended {request} delivered={delivered}"));
        for ended in self.server.on_ended(request, delivered) {
            self.slow.retain(|slow| slow.call != ended.call);
            self.note(format!("over returned={}", ended.returned));
        }
    }
}

fn result(structured: &Map<String, Value>, text: String) -> ToolResult {
    ToolResult { structured: Some(Value::Object(structured.clone()).to_string()), text, is_error: false }
}
