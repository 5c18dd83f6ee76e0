//! The Model Context Protocol over HTTP, both eras.
//!
//! [`http`] says what an HTTP request is before its body is read, `meaning` what its message asks for, and
//! [`server`] keeps the open calls and writes the answers. [`relay`] is the other side: it posts what a client writes as lines. *Modern* is revision 2026-07-28: everything needed is in
//! each request. *Legacy* is 2025-11-25 and earlier: `initialize`, served without a session.
//!
//! [`binding`] carries the same messages over SimpleX, where there are no headers and no statuses.

mod answer;
pub mod binding;
mod exchange;
pub mod http;
mod meaning;
pub mod relay;
pub mod schema;
pub mod server;
pub mod tool;
mod version;

pub use server::Server;
pub use tool::{Call, Ended, Tool, ToolBox, ToolResult};
