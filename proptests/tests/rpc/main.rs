//! Properties of Service RPC: P10, each judged by a model that shares no code with the responder, and hostile texts.
#![allow(clippy::unwrap_in_result, reason = "tests")]

mod hostile;
mod network;
mod responder;
