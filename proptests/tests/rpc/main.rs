//! Properties of Service RPC: P10, each judged by a model that shares no code with the responder, and hostile texts.

mod hostile;
mod network;
mod responder;
