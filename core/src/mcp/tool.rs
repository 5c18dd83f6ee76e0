//! What passes between the protocol and whoever serves the tools.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::id::CallId;

/// The server as its clients see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolBox {
    /// `serverInfo.name`.
    pub name: String,
    /// `serverInfo.version`.
    pub version: String,
    /// What the model is told about all tools together.
    pub instructions: String,
    /// The tools, in the order of `tools/list`.
    pub tools: Vec<Tool>,
}

/// One tool, as `tools/list` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// 1 to 64 of `A-Z a-z 0-9 _ -`.
    pub name: String,
    /// For people.
    pub title: Option<String>,
    /// For the model.
    pub description: String,
    /// JSON text of an object with `"type":"object"` at its root, shown as it is written.
    pub input_schema: String,
    /// The same for the structured result.
    pub output_schema: Option<String>,
    /// JSON text of `annotations`, an object.
    pub annotations: Option<String>,
    /// JSON text of `_meta`, an object.
    pub meta: Option<String>,
}

/// A call that the agent has to serve. Its arguments are Unicode text and finite numbers, nothing more is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its identifier, for [`Server::finish`](super::Server::finish).
    pub id: CallId,
    /// A name of the [`ToolBox`].
    pub tool: String,
    /// The arguments; empty when they are absent.
    pub arguments: Map<String, Value>,
    /// Whether the client listens to [`Server::progress`](super::Server::progress).
    pub wants_progress: bool,
    /// Whether the client is of the legacy era.
    pub legacy: bool,
}

/// What a tool gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// JSON text of an object that fits the tool's output schema.
    pub structured: Option<String>,
    /// The same for the model to read, or the error text.
    pub text: String,
    /// Whether the tool failed in a way that the model can act on.
    pub is_error: bool,
}

/// A call that is over for its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The call.
    pub call: CallId,
    /// Whether its result reached the client: the last byte was accepted, the client had not closed, and no legacy
    /// `notifications/cancelled` named the call (decisions 4). False too when the client left before the result.
    pub returned: bool,
}
