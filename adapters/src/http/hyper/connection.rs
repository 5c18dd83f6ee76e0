//! The open connections: how many there are, which is idle longest, and the life of one.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::net::TcpStream;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use ::hyper::server::conn::http1;
use ::hyper::service::service_fn;
use smol::Async;
use smol_hyper::rt::{FuturesIo, SmolTimer};

use super::socket::Socket;
use super::{Shared, service};
use crate::http::requests::OpenRequest;

/// How often a closed client is looked for behind bytes that hide its end.
const LOOK: Duration = Duration::from_millis(200);

/// The open connections.
#[derive(Debug)]
pub(super) struct Connections {
    most: usize,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    open: BTreeMap<u64, Arc<Connection>>,
}

/// One connection.
#[derive(Debug)]
pub(super) struct Connection {
    number: u64,
    pub(super) stream: Async<TcpStream>,
    state: Mutex<State>,
    /// Closed to end the connection at once.
    kill: (smol::channel::Sender<()>, smol::channel::Receiver<()>),
}

#[derive(Debug)]
struct State {
    /// A request is with the machine.
    busy: bool,
    /// When a request last began or ended, or the connection began.
    used: Instant,
    /// A request whose whole answer is in hyper's buffer.
    written: Option<InFlight>,
}

/// A request that is with the machine, on its connection.
#[derive(Debug)]
pub(super) struct InFlight {
    open: Option<OpenRequest>,
    connection: Arc<Connection>,
}

impl Connections {
    pub(super) fn new(most: usize) -> Self {
        Self { most, table: Mutex::default() }
    }

    /// Takes a connection in. When there are too many, the one idle longest is closed; a connection that the machine
    /// works for is not idle. `None`, and the new one is closed, when none is idle.
    pub(super) fn add(&self, stream: Async<TcpStream>) -> Option<Arc<Connection>> {
        // Events are small and wait for nothing.
        let _ = stream.get_ref().set_nodelay(true);
        let mut table = lock(&self.table);
        if table.open.len() >= self.most {
            let idle = table.open.values().filter_map(|open| Some((open.idle_since()?, open.number)));
            let (_, longest) = idle.min()?;
            if let Some(connection) = table.open.remove(&longest) {
                connection.kill();
            }
        }
        table.next += 1;
        let state = State { busy: false, used: Instant::now(), written: None };
        let connection = Arc::new(Connection {
            number: table.next,
            stream,
            state: Mutex::new(state),
            kill: smol::channel::bounded(1),
        });
        table.open.insert(connection.number, connection.clone());
        Some(connection)
    }

    /// Ends all of them at once.
    pub(super) fn kill_all(&self) {
        for connection in lock(&self.table).open.values() {
            connection.kill();
        }
    }

    fn remove(&self, connection: &Connection) {
        lock(&self.table).open.remove(&connection.number);
    }
}

impl Connection {
    fn kill(&self) {
        self.kill.0.close();
    }

    fn idle_since(&self) -> Option<Instant> {
        let state = lock(&self.state);
        (!state.busy).then_some(state.used)
    }

    /// A request came, which may yet be refused.
    pub(super) fn used(&self) {
        lock(&self.state).used = Instant::now();
    }

    /// A request is with the machine from here on.
    pub(super) fn begin(self: &Arc<Self>, open: OpenRequest) -> InFlight {
        lock(&self.state).busy = true;
        InFlight { open: Some(open), connection: self.clone() }
    }

    /// Everything that hyper had was accepted by the socket: a request whose answer was in it has been answered, unless
    /// the connection broke. A client that closes without having read everything breaks it; one that closes in good
    /// order at this moment has read its answer.
    pub(super) fn flushed(&self) {
        let written = lock(&self.state).written.take();
        if let Some(mut written) = written
            && !self.is_broken()
            && let Some(open) = written.open.take()
        {
            open.delivered();
        }
    }

    /// Whether the client has closed and everything it sent was read.
    fn is_closed(&self) -> bool {
        match self.stream.get_ref().peek(&mut [0]) {
            Ok(length) => length == 0,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }

    /// Whether the client reset the connection. After its end was read only the socket's error tells.
    fn is_broken(&self) -> bool {
        let stream = self.stream.get_ref();
        let failed = |error: &std::io::Error| error.kind() != std::io::ErrorKind::WouldBlock;
        stream.peek(&mut [0]).as_ref().is_err_and(failed) || !matches!(stream.take_error(), Ok(None))
    }

    /// Waits for a client to close while the machine works for it. hyper looks itself, but not behind the bytes of a
    /// next request.
    async fn gone(&self) {
        loop {
            if self.stream.readable().await.is_err() {
                return;
            }
            if self.is_closed() && lock(&self.state).busy {
                return;
            }
            smol::Timer::after(LOOK).await;
        }
    }
}

impl InFlight {
    /// The whole answer is in hyper's buffer; the next flush decides, unless the client has closed already.
    pub(super) fn written(self) {
        let connection = self.connection.clone();
        if connection.is_closed() {
            return;
        }
        // Dropped after the lock is free, which its drop takes.
        let earlier = lock(&connection.state).written.replace(self);
        drop(earlier);
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = lock(&self.connection.state);
        state.busy = false;
        state.used = Instant::now();
    }
}

/// Serves a connection until its end, which is the end of its requests.
pub(super) async fn run(connection: Arc<Connection>, shared: Arc<Shared>) {
    let service = service_fn(|request| service::serve(&shared, &connection, request));
    let mut http = pin!(
        http1::Builder::new()
            .timer(SmolTimer::new())
            .header_read_timeout(Duration::from_millis(shared.limits.head_time.0))
            .max_headers(shared.limits.headers)
            .max_buf_size(shared.limits.head)
            .serve_connection(FuturesIo::new(Socket(connection.clone())), service)
    );
    let mut killed = pin!(connection.kill.1.recv());
    let mut gone = pin!(connection.gone());
    let mut closing = pin!(shared.closing.recv());
    let mut closes = false;
    poll_fn(|context| {
        if killed.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        if !closes && closing.as_mut().poll(context).is_ready() {
            closes = true;
            http.as_mut().graceful_shutdown();
        }
        if http.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        gone.as_mut().poll(context)
    })
    .await;
    // An answer that was never flushed was not delivered.
    let unsent = lock(&connection.state).written.take();
    drop(unsent);
    shared.connections.remove(&connection);
}

/// A state is whole between any two statements, so that a panic of another holder spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
