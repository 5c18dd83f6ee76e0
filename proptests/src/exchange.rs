//! One HTTP request and what came back.

use serde_json::Value;
use simplex_agent_core::mcp::http::Reply;

/// An HTTP request of a simulated MCP client.
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
        messages
            .iter()
            .filter(|message| message["method"] == "notifications/progress")
            .filter_map(text)
            .collect()
    }
}
