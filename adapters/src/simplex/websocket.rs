//! The SimpleX core of a running `simplex-chat -p PORT`, over WebSocket.
//!
//! That program serves its clients in a way of its own (`apps/simplex-chat/Server.hs`):
//!
//! - All clients take events out of one queue, each event goes to one of them. So one server at a time takes an address
//!   ([`AddressLock`](crate::files::AddressLock)); what other programs take is noticed by the machine.
//! - With no client, events wait in that queue. What was on its way when a connection broke is lost, and when the program
//!   was restarted, the queue is.
//! - The commands of one connection run one after the other: a slow one holds up those behind it. Its socket is not read
//!   meanwhile, so a ping would go unanswered: only the end of the connection is its end.
//! - A command that runs when the connection breaks is cut off, at any point.
//!
//! So a connection that broke is not mended under the machine: events may be missing, the program may come back with
//! another profile, and commands on their way belong to a state that is gone. The machine is told once
//! ([`Input::CoreLost`]), before the commands under way end: what was cut off may have been done, so the machine takes
//! their actions as interrupted, not as failed. It ends its calls and leaves. The host then waits for the program
//! ([`Reconnect`]) and starts a new machine on a new connection, which reads everything that counts as after any
//! restart.
//!
//! `/_stop` would end the core of the other program for everyone: closing is closing the socket.

mod address;
mod connection;
mod envelope;
mod reconnect;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use async_tungstenite::tungstenite::Message;
use simplex_agent_core::Input;
use simplex_agent_core::effect::Outcome;
use simplex_agent_core::id::OpId;
use smol::channel::{Receiver, Sender};
use smol::future::FutureExt;

use super::SimplexCore;
use crate::driver::Inbox;
pub use address::{Address, AddressError};
pub use connection::{ConnectError, Connection};
use connection::{Ended, next, within};
use envelope::Incoming;
pub use reconnect::Reconnect;

/// How long closing waits for commands that are under way.
const CLOSE_WAIT: Duration = Duration::from_secs(2);
/// How long the farewell may take.
const FAREWELL: Duration = Duration::from_secs(1);
/// What a command gets that was not answered before the connection was closed.
const CLOSED: &str = "the connection to simplex-chat is closed";

/// A [`SimplexCore`] over a [`Connection`].
#[derive(Debug)]
pub struct WebSocket {
    shared: Arc<Shared>,
    orders: Sender<Order>,
}

/// Tells how the connection of a [`WebSocket`] ended, after the machine has left.
#[derive(Clone, Debug)]
pub struct Link(Arc<Shared>);

/// How a connection ended that nobody closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What ended it, for the person at the terminal.
    pub reason: String,
    /// Whether a new connection may go better.
    pub again: bool,
    /// How long it lasted.
    pub lasted: Duration,
}

#[derive(Debug)]
struct Shared {
    inbox: Inbox,
    state: Mutex<State>,
    since: Instant,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    last: u64,
    /// Commands under way. Whoever takes one out reports it: this makes each end come once.
    running: BTreeMap<u64, OpId>,
}

#[derive(Debug)]
enum Phase {
    Open,
    Closing(OpId),
    Closed,
    Broken(Broken),
}

/// What the thread of the connection is to do.
#[derive(Debug)]
enum Order {
    Send(String),
    Close,
}

impl WebSocket {
    /// Puts the events of a connection into the inbox from here on, and takes commands.
    pub fn start(mut connection: Connection, inbox: Inbox) -> Self {
        let (orders, queue) = smol::channel::unbounded();
        let state = State { phase: Phase::Open, last: 0, running: BTreeMap::new() };
        let shared = Arc::new(Shared { inbox, state: Mutex::new(state), since: connection.since });
        for event in std::mem::take(&mut connection.early) {
            shared.inbox.put(Input::Event(event));
        }
        let of_thread = Arc::clone(&shared);
        let body = move || smol::block_on(of_thread.run(connection, queue));
        if let Err(error) = thread::Builder::new().name("simplex-websocket".to_owned()).spawn(body) {
            let reason = format!("no thread could be started: {error}");
            shared.end(Ended { reason, again: false });
        }
        Self { shared, orders }
    }

    /// Tells how the connection ended, when this is gone.
    pub fn link(&self) -> Link {
        Link(Arc::clone(&self.shared))
    }
}

impl SimplexCore for WebSocket {
    fn send(&mut self, op: OpId, line: String) {
        let mut state = self.shared.lock();
        let reason = match &state.phase {
            Phase::Open => {
                state.last += 1;
                let number = state.last;
                state.running.insert(number, op);
                // The thread holds the other end as long as the phase is this one.
                let _ = self.orders.try_send(Order::Send(envelope::command(number, &line)));
                return;
            }
            Phase::Broken(broken) => broken.reason.clone(),
            Phase::Closing(_) | Phase::Closed => CLOSED.to_owned(),
        };
        drop(state);
        self.shared.inbox.done(op, Outcome::Failed(reason));
    }

    fn close(&mut self, op: OpId) {
        let mut state = self.shared.lock();
        if matches!(state.phase, Phase::Open) {
            state.phase = Phase::Closing(op);
            let _ = self.orders.try_send(Order::Close);
            return;
        }
        drop(state);
        self.shared.inbox.done(op, Outcome::Ok);
    }
}

impl Link {
    /// How the connection ended, when it broke.
    pub fn broken(&self) -> Option<Broken> {
        match &self.0.lock().phase {
            Phase::Broken(broken) => Some(broken.clone()),
            Phase::Open | Phase::Closing(_) | Phase::Closed => None,
        }
    }
}

impl Shared {
    /// The state, also after a thread that held it panicked: it is consistent between any two statements.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of the connection.
    async fn run(&self, connection: Connection, orders: Receiver<Order>) {
        let Connection { address, mut sender, mut receiver, .. } = connection;
        let reading = async {
            loop {
                match next(&mut receiver).await {
                    Ok(text) => self.take(&text),
                    Err(ended) => return Some(ended),
                }
                if self.is_done() {
                    return None;
                }
            }
        };
        let writing = async {
            while let Ok(order) = orders.recv().await {
                match order {
                    Order::Send(text) => {
                        if let Err(error) = sender.send(Message::text(text)).await {
                            return Some(Ended::of(&error));
                        }
                    }
                    Order::Close if self.is_done() => return None,
                    Order::Close => {
                        smol::Timer::after(CLOSE_WAIT).await;
                        return None;
                    }
                }
            }
            None
        };
        let ended = reading.or(writing).await;
        if ended.is_none() {
            // What cannot be said is left unsaid: the socket is closed in any case.
            let _ = within(FAREWELL, sender.close(None)).await;
        }
        drop((sender, receiver));
        self.end(ended.map_or_else(
            || Ended { reason: CLOSED.to_owned(), again: false },
            |ended| Ended { reason: format!("simplex-chat at {address}: {}", ended.reason), ..ended },
        ));
    }

    /// A message came.
    fn take(&self, text: &str) {
        match envelope::read(text) {
            Incoming::Event(event) => self.inbox.put(Input::Event(event)),
            Incoming::Answer(number, answer) => {
                let Some(op) = self.lock().running.remove(&number) else { return };
                self.inbox.done(
                    op,
                    answer.map_or_else(
                        || Outcome::Failed("simplex-chat's answer can't be read".to_owned()),
                        Outcome::Response,
                    ),
                );
            }
            Incoming::Stray => {}
        }
    }

    /// Whether it is being closed and nothing is under way.
    fn is_done(&self) -> bool {
        let state = self.lock();
        matches!(state.phase, Phase::Closing(_)) && state.running.is_empty()
    }

    /// The connection is gone: the machine is told, then every command under way ends.
    fn end(&self, ended: Ended) {
        let mut state = self.lock();
        let running = std::mem::take(&mut state.running);
        let Ended { reason, again } = ended;
        let broken = Broken { reason: reason.clone(), again, lasted: self.since.elapsed() };
        let phase = match state.phase {
            Phase::Open => Phase::Broken(broken),
            Phase::Closing(_) | Phase::Closed | Phase::Broken(_) => Phase::Closed,
        };
        let before = std::mem::replace(&mut state.phase, phase);
        drop(state);
        let lost = matches!(before, Phase::Open);
        if lost {
            self.inbox.put(Input::CoreLost { reason: reason.clone() });
        }
        for op in running.into_values() {
            self.inbox.done(op, Outcome::Failed(reason.clone()));
        }
        if let Phase::Closing(op) = before {
            self.inbox.done(op, Outcome::Ok);
        }
    }
}
