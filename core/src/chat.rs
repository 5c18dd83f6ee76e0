//! The chat transport: calls between agents as messages of a conversation.
//!
//! A command is the text of a message, `/_call PROTOCOL {json}`; each answer is a message that quotes it.
//! What the JSON says is the business of a protocol's binding (MCP, A2A): nothing here looks into it, and a binding is
//! asked where its words are needed.
//!
//! These are building blocks, not a [`Machine`](crate::Machine): facts go in as calls, decisions come out as values
//! and as steps that the host drains, and whatever is sent, read or stored, the host does by effects of its own.
//!
//! Source: the document of agent protocols, "Chat transport"; decisions 7, and 10 for what a chat is known by.

pub mod caller;
pub mod command;
pub mod floods;
pub mod identity;
pub mod journal;
pub mod responder;
pub mod room;
pub mod text;
