//! The limits that are public constants of the core.

use simplex_agent_core::agent::text::{owner, shown};
use simplex_agent_core::mcp::http::Limits;
use simplex_agent_core::mcp::schema;
use simplex_agent_core::record;
use simplex_agent_core::simplex::{chat_ref, fold, name, size};

use super::document;

fn limits() -> Vec<(&'static str, String)> {
    let Limits { head, headers, head_time, body, body_time, small_body, large_bodies, connections, linger } =
        Limits::SERVED;
    vec![
        ("head of an HTTP request", format!("{head} bytes, {headers} headers, {} s", head_time.0 / 1000)),
        ("body of an HTTP request", format!("{body} bytes, {} s", body_time.0 / 1000)),
        (
            "bodies of all HTTP requests that have not ended, beyond it the next is answered 503",
            format!("{large_bodies} bytes, and {small_body} bytes of each"),
        ),
        (
            "open HTTP connections; beyond it the one idle longest is closed",
            format!("{connections}, and fewer where the system allows fewer than 4096 open files"),
        ),
        ("time that answers have to leave at a stop", format!("{} s", linger.0 / 1000)),
        ("numbers of items, members and actions", format!("up to {}", schema::MAX_ID)),
        ("digits of a chat reference", chat_ref::MAX_DIGITS.to_string()),
        ("card in the control chat", format!("{} bytes of its JSON text", size::CARD)),
        ("any message of the SimpleX core", format!("{} bytes", size::MESSAGE)),
        ("message sent with a request to connect", format!("{} bytes of its JSON text", size::REQUEST_TEXT)),
        ("`--display-name`", format!("{} characters", name::MAX_CHARS)),
        ("name as it is shown; longer ones are cut", format!("{} characters", fold::NAME_CHARS)),
        ("quoted line on a card", format!("{} characters", shown::QUOTE_CHARS)),
        ("chats in the answer to `/list`", owner::LIST_CHATS.to_string()),
        ("line of the answer to `/list`", format!("{} bytes of its JSON text", owner::LIST_LINE)),
        ("line of a record that `replay` reads", format!("less than {} bytes (1 GiB)", record::LONGEST_LINE)),
    ]
}

/// The limits as a table.
pub(crate) fn table() -> String {
    let rows: Vec<String> = limits().iter().map(|(what, limit)| document::row(&[what, limit])).collect();
    document::table(&["what", "limit"], &rows)
}
