//! Properties of the chat transport's parts, each against a small model that shares no code with them.

mod caller;
mod command;
mod floods;
mod objects;
mod responder;
