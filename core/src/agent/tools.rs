//! The five tools of the agent: what a model reads about them, what it passes in, what it gets back.
//! The plan, "What the agent sees: tools"; decisions 4, 5 and 10 add fields.

pub mod catalogue;
pub mod input;
pub mod result;

pub use catalogue::{tool_box, tools};
pub use input::{Call, ConnectInput, LeaveInput, ReceiveInput, SendInput, ToolName};
pub use result::{
    Action, Chat, Command, ConnectResult, LeaveResult, ListResult, Message, ReceiveResult, ReplyTo,
    SendResult, Status,
};
