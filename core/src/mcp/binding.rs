//! MCP over SimpleX, in a conversation and as Service RPC: what the two sides write and how they read each other.
//!
//! One message of a chat, or one envelope, holds one JSON-RPC message of revision 2026-07-28 or later. There are no
//! headers and no statuses, so that the body alone counts: the revision and the client stand in `params._meta` of each
//! request (MCP digest, section 7).
//!
//! - [`request`] writes the requests of a caller.
//! - [`reply`] tells a caller which message ends the answer, and what it says.
//! - [`judge`] tells a server which requests it answers by itself, and which go to what it serves.
//! - [`pages`] cuts a list of tools into pages that fit into a message.
//!
//! Source: the document of agent protocols, "MCP binding"; decisions 7 to 9.

pub mod judge;
pub mod pages;
pub mod reply;
pub mod request;

/// The name of the protocol in commands, envelopes and declarations.
pub const PROTOCOL: &str = "mcp";
