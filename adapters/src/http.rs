//! HTTP on 127.0.0.1, by [`hyper`]. A front end decides nothing: a request is admitted, limited and answered by
//! [`simplex_agent_core::mcp::http`].

use std::sync::Arc;

use simplex_agent_core::mcp::http::Token;

use crate::driver::{Front, Inbox};

pub mod hyper;
mod requests;

/// The front end of this build, for a port of 127.0.0.1.
pub fn front(port: u16, token: Arc<Token>, inbox: Inbox) -> Box<dyn Front> {
    Box::new(hyper::HyperFront::new(port, token, inbox))
}
