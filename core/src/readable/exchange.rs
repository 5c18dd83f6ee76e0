//! One HTTP request of an MCP client and what came back, as that client reads it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use serde_json::Value;

use crate::mcp::http::Reply;

/// What an MCP client received for one request so far.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The status, once known.
    pub status: Option<u16>,
    /// The headers of the answer.
    pub headers: Vec<(String, String)>,
    /// The body so far.
    pub body: String,
    /// The answer is a stream.
    pub stream: bool,
    /// Nothing more comes.
    pub ended: bool,
    /// The client left before the answer was whole.
    pub gone: bool,
}

impl Exchange {
    /// More of a streamed answer.
    pub fn take_text(&mut self, text: &str) {
        if !self.ended {
            self.body.push_str(text);
        }
    }

    /// A streamed answer begins.
    pub fn open(&mut self, headers: Vec<(String, String)>) {
        self.status = Some(200);
        self.headers = headers;
        self.stream = true;
    }

    /// Takes a whole answer.
    pub fn take_reply(&mut self, reply: Reply) {
        self.status = Some(reply.status);
        self.headers = reply.headers;
        self.body = reply.body;
        self.ended = true;
    }

    /// The JSON messages of the answer, notifications included.
    pub fn messages(&self) -> Vec<Value> {
        let texts: Vec<&str> = if self.stream {
            self.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
        } else {
            vec![self.body.as_str()]
        };
        texts.into_iter().filter_map(|text| serde_json::from_str(text).ok()).collect()
    }

    /// The JSON-RPC response, once it came.
    pub fn response(&self) -> Option<Value> {
        self.messages().into_iter().find(|message| message.get("method").is_none())
    }

    /// The structured result of a tool call, once it came.
    pub fn result(&self) -> Option<Value> {
        self.response()?.get("result")?.get("structuredContent").cloned()
    }

    /// The text of a tool call's error result.
    pub fn error(&self) -> Option<String> {
        let response = self.response()?;
        let result = response.get("result")?;
        let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
        let text = result.get("content")?.get(0)?.get("text")?.as_str()?;
        is_error.then(|| text.to_owned())
    }

    /// The messages of the progress notifications.
    pub fn progress(&self) -> Vec<String> {
        let messages = self.messages();
        let text = |message: &Value| message.get("params")?.get("message")?.as_str().map(str::to_owned);
        messages.iter().filter(|message| is_progress(message)).filter_map(text).collect()
    }

    /// What is new to see of call `number` since `told`: its progress, and its end once it is there. A client that
    /// left sees nothing.
    pub fn news(&self, number: usize, told: &mut Told) -> Vec<String> {
        let progress = self.progress();
        let new = progress.iter().skip(told.progress);
        let mut seen: Vec<String> = new.map(|text| format!("call {number} progress {text}")).collect();
        told.progress = progress.len();
        if self.gone || !self.ended || told.answered {
            return seen;
        }
        told.answered = true;
        match (self.result(), self.error()) {
            (Some(result), _) => seen.push(format!("call {number} result {result}")),
            (None, Some(error)) => seen.push(format!("call {number} error {error}")),
            (None, None) => seen.extend(self.other(number)),
        }
        seen
    }

    /// An answer that is no tool's: its JSON-RPC error, or its status and, of a stream, each message that is no
    /// progress.
    fn other(&self, number: usize) -> Vec<String> {
        let status = self.status.unwrap_or(0);
        let error = self.response().and_then(|response| response.get("error").cloned());
        if let Some(error) = error.filter(|_| status == 200) {
            return vec![format!("call {number} refused {error}")];
        }
        if !self.stream {
            return vec![format!("call {number} status {status} {}", self.body.trim_end())];
        }
        let messages = self.messages().into_iter().filter(|message| !is_progress(message));
        messages.map(|message| format!("call {number} status {status} {message}")).collect()
    }
}

/// What of an [`Exchange`] was seen already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    progress: usize,
    answered: bool,
}

fn is_progress(message: &Value) -> bool {
    message.get("method").and_then(Value::as_str) == Some("notifications/progress")
}
