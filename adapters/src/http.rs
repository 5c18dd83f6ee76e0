//! HTTP on 127.0.0.1, in two front ends that pass the same tests.
//!
//! [`hyper`] is the default. `tiny`, behind the feature `tiny-http`, is for hosts that want fewer packages; what it
//! can't do is listed in its module. Neither decides anything: a request is admitted, limited and answered by
//! [`simplex_agent_core::mcp::http`].

use std::sync::Arc;

use simplex_agent_core::mcp::http::Token;

use crate::driver::{Front, Inbox};

mod budget;
pub mod hyper;
mod requests;
#[cfg(feature = "tiny-http")]
pub mod tiny;

/// The front end of this build, for a port of 127.0.0.1.
pub fn front(port: u16, token: Arc<Token>, inbox: Inbox) -> Box<dyn Front> {
    #[cfg(feature = "tiny-http")]
    let front = tiny::TinyFront::new(port, token, inbox);
    #[cfg(not(feature = "tiny-http"))]
    let front = hyper::HyperFront::new(port, token, inbox);
    Box::new(front)
}
