//! The default front end: hyper 1 on smol.
//!
//! hyper frames HTTP/1.1 and limits the head in size and time. What is added here: the number of connections, the exact
//! limit of a whole head, the body's limit, whether the last byte was accepted (`body` and `socket`), when a client is
//! gone, that an answer reaches a client that is still sending (`connection`), and the lengths that hyper leaves out of a
//! head (`heads`).
//!
//! Answered by hyper itself, before anything is known of a request: 400 for a malformed head, 431 for one that is too
//! large or declares a body of 2^64 bytes, 414 for a target that is too long.

mod body;
mod connection;
mod head_time;
mod heads;
mod listener;
mod service;
mod socket;

use std::net::SocketAddr;
use std::sync::Arc;

use simplex_agent_core::effect::Outcome;
use simplex_agent_core::id::{OpId, RequestId};
use simplex_agent_core::mcp::http::{Limits, Reply, Token};

use super::requests::{Part, Requests};
use crate::descriptors;
use crate::driver::{Front, Inbox};
use connection::Connections;

/// The front end on hyper. Its connections run on smol's global executor.
#[derive(Debug)]
pub struct HyperFront {
    port: u16,
    shared: Arc<Shared>,
    /// Closed to say that the front end closes.
    closing: smol::channel::Sender<()>,
    address: Option<SocketAddr>,
}

/// What every connection needs.
#[derive(Debug)]
struct Shared {
    token: Arc<Token>,
    limits: Limits,
    requests: Arc<Requests>,
    connections: Connections,
    /// Ends with an error when the front end closes.
    closing: smol::channel::Receiver<()>,
}

impl HyperFront {
    /// A front end for a port of 127.0.0.1, with the limits of [`Limits::SERVED`]; port 0 takes any free one.
    pub fn new(port: u16, token: Arc<Token>, inbox: Inbox) -> Self {
        Self::with_limits(port, token, inbox, Limits::SERVED)
    }

    /// A front end with other limits; the declared length of a body is always held to those of [`Limits::SERVED`].
    pub fn with_limits(port: u16, token: Arc<Token>, inbox: Inbox, limits: Limits) -> Self {
        let (closing, closed) = smol::channel::bounded(1);
        let shared = Shared {
            token,
            limits,
            requests: Requests::new(inbox, &limits),
            connections: Connections::new(descriptors::connections(limits.connections)),
            closing: closed,
        };
        Self { port, shared: Arc::new(shared), closing, address: None }
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }
}

impl Front for HyperFront {
    fn listen(&mut self, op: OpId) {
        let outcome = match listener::bind(self.port) {
            Ok((listener, address)) => {
                self.address = Some(address);
                smol::spawn(listener::accept(listener, self.shared.clone())).detach();
                Outcome::Ok
            }
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Outcome::AddrInUse,
            Err(error) => Outcome::Failed(error.to_string()),
        };
        self.shared.requests.inbox().done(op, outcome);
    }

    fn reply(&mut self, request: RequestId, reply: Reply) {
        self.shared.requests.give(request, Part::Reply(reply));
    }

    fn open(&mut self, request: RequestId, headers: Vec<(String, String)>) {
        self.shared.requests.give(request, Part::Open(headers));
    }

    fn send(&mut self, request: RequestId, text: String) {
        self.shared.requests.give(request, Part::Send(text));
    }

    fn close(&mut self, request: RequestId) {
        self.shared.requests.give(request, Part::Close);
    }

    fn close_all(&mut self) {
        self.shared.requests.close();
        self.closing.close();
        let shared = self.shared.clone();
        smol::spawn(async move {
            smol::Timer::after(std::time::Duration::from_millis(shared.limits.linger.0)).await;
            shared.connections.kill_all();
        })
        .detach();
    }
}

impl Drop for HyperFront {
    fn drop(&mut self) {
        self.shared.requests.close();
        self.closing.close();
    }
}
