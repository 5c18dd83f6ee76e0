//! The open connections: how many there are, which is idle longest, and the life of one.

use std::collections::{BTreeMap, VecDeque};
use std::future::{Future, poll_fn};
use std::io::{self, Read as _};
use std::net::{Shutdown, TcpStream};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use ::hyper::server::conn::http1;
use ::hyper::service::service_fn;
use smol::Async;
use smol::future::FutureExt as _;
use smol::io::{AsyncRead as _, AsyncReadExt as _};
use smol_hyper::rt::FuturesIo;

use super::head_time::HeadTime;
use super::heads::Heads;
use super::socket::Socket;
use super::{Shared, service};
use crate::http::requests::{OpenRequest, Part};

/// How often a client is looked at whose end can't be waited for, because of unread bytes.
const LOOK: Duration = Duration::from_millis(200);
/// How often the request of a client that has closed at least its sending half is looked at.
const LOOK_ENDED: Duration = Duration::from_millis(20);
/// How long the answer of a client that closed its sending half may take, where no stream is open. Every answer that
/// comes at once fits: core opens a stream after 200 ms.
const HALF_CLOSED: Duration = Duration::from_millis(300);
/// Bytes of a next request that are taken from the socket while the machine works, so that they hide no end.
const AHEAD: usize = 16 * 1024;
/// What is read and dropped of a request that was answered before its end, at most: a socket that is closed with
/// unread bytes is reset, and the answer may be lost.
const DROPPED: usize = 16 * 1024 * 1024;
/// How long that may take.
const DROPPING: Duration = Duration::from_secs(2);

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
    heads: Mutex<Heads>,
    /// Closed to end the connection at once.
    kill: (smol::channel::Sender<()>, smol::channel::Receiver<()>),
}

#[derive(Debug)]
struct State {
    /// A request is with the machine.
    busy: bool,
    /// When a request last began or ended, or the connection began.
    used: Instant,
    /// Its answer is an open stream.
    streams: bool,
    /// A request whose whole answer is in hyper's buffer.
    written: Option<InFlight>,
    /// What was read ahead of hyper.
    ahead: VecDeque<u8>,
}

/// How a client looks from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Client {
    /// It is there.
    Present,
    /// It will send no more: it has closed, or only its sending half.
    Ended,
    /// It is gone for certain.
    Broken,
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
        let state = State {
            busy: false,
            used: Instant::now(),
            streams: false,
            written: None,
            ahead: VecDeque::new(),
        };
        let connection = Arc::new(Connection {
            number: table.next,
            stream,
            state: Mutex::new(state),
            heads: Mutex::default(),
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

    /// The answer of the request at work is an open stream from here on.
    pub(super) fn streams(&self) {
        lock(&self.state).streams = true;
    }

    /// Reads what was read ahead, then from the socket.
    pub(super) fn poll_read(&self, context: &mut Context<'_>, bytes: &mut [u8]) -> Poll<io::Result<usize>> {
        let ahead = &mut lock(&self.state).ahead;
        let polled = if ahead.is_empty() {
            Pin::new(&mut &self.stream).poll_read(context, bytes)
        } else {
            Poll::Ready(ahead.read(bytes))
        };
        if let Poll::Ready(Ok(length)) = polled {
            lock(&self.heads).pass(bytes.get(..length).unwrap_or_default());
        }
        polled
    }

    /// The Content-Length headers of the request that hyper hands over, as far as they are known.
    pub(super) fn lengths(&self) -> Vec<String> {
        lock(&self.heads).lengths()
    }

    /// How the client looks, behind everything that was read.
    fn client(&self) -> Client {
        match self.stream.get_ref().peek(&mut [0]) {
            Ok(0) => Client::Ended,
            Ok(_) => Client::Present,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Client::Present,
            Err(_) => Client::Broken,
        }
    }

    /// Whether the client reset the connection. A socket with nothing to read tells so by itself; behind bytes or after
    /// the end only its error does.
    fn is_broken(&self) -> bool {
        let stream = self.stream.get_ref();
        match stream.peek(&mut [0]) {
            Ok(_) => !matches!(stream.take_error(), Ok(None)),
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        }
    }

    /// Waits for a client to leave while the machine works for it.
    ///
    /// An end of what it sends is how both a client that leaves and one that closes only its sending half look. An open
    /// stream ends at once then, because leaving is how a call is cancelled; an answer that is still to come has
    /// [`HALF_CLOSED`] left, so that a client that asks and half-closes gets what is answered at once.
    async fn gone(&self) {
        let mut ended = None;
        loop {
            if ended.is_none() && self.stream.readable().await.is_err() {
                return;
            }
            self.read_ahead();
            let client = self.client();
            if client == Client::Ended {
                ended.get_or_insert_with(Instant::now);
            }
            if self.has_left(client, ended) {
                return;
            }
            smol::Timer::after(if ended.is_some() { LOOK_ENDED } else { LOOK }).await;
        }
    }

    /// Whether the request at work is for nobody any more.
    fn has_left(&self, client: Client, ended: Option<Instant>) -> bool {
        let state = lock(&self.state);
        let is_late = || ended.is_some_and(|ended| ended.max(state.used).elapsed() > HALF_CLOSED);
        state.busy
            && match client {
                Client::Present => false,
                Client::Ended => state.streams || is_late(),
                Client::Broken => true,
            }
    }

    /// Takes the bytes of a next request from the socket, which hyper leaves there while the machine works.
    fn read_ahead(&self) {
        let mut state = lock(&self.state);
        if !state.busy {
            return;
        }
        let mut bytes = [0; 4096];
        while state.ahead.len() < AHEAD {
            match self.stream.get_ref().read(&mut bytes) {
                Ok(length) if length > 0 => state.ahead.extend(bytes.iter().take(length)),
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// Says that nothing more comes, then reads and drops what the client still sends, until it closes, it has sent too
    /// much or [`DROPPING`] has passed.
    async fn linger(&self) {
        if self.stream.get_ref().shutdown(Shutdown::Write).is_err() {
            return;
        }
        let drop_rest = async {
            let (mut bytes, mut dropped) = (vec![0; 8 * 1024], 0);
            while dropped < DROPPED {
                match (&self.stream).read(&mut bytes).await {
                    Ok(length) if length > 0 => dropped += length,
                    Ok(_) | Err(_) => return,
                }
            }
        };
        let late = async {
            smol::Timer::after(DROPPING).await;
        };
        drop_rest.or(late).await;
    }
}

impl InFlight {
    /// The next part of its answer.
    pub(super) fn poll_part(&self, context: &mut Context<'_>) -> Poll<Part> {
        self.open.as_ref().map_or(Poll::Ready(Part::Abort), |open| open.poll_part(context))
    }

    /// The whole answer is in hyper's buffer; the next flush decides, unless the client has closed already.
    pub(super) fn written(self) {
        let connection = self.connection.clone();
        if connection.client() != Client::Present {
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
        state.streams = false;
        state.used = Instant::now();
    }
}

/// Serves a connection until its end, which is the end of its requests.
pub(super) async fn run(connection: Arc<Connection>, shared: Arc<Shared>) {
    let killed = async {
        let _ = connection.kill.1.recv().await;
    };
    let served = async {
        if serve(&connection, &shared).await {
            connection.linger().await;
        }
    };
    killed.or(served).await;
    // An answer that was never flushed was not delivered.
    let unsent = lock(&connection.state).written.take();
    drop(unsent);
    shared.connections.remove(&connection);
}

/// Serves the requests of a connection; whether a client may still be there at the end.
async fn serve(connection: &Arc<Connection>, shared: &Arc<Shared>) -> bool {
    let service = service_fn(|request| service::serve(shared, connection, request));
    let mut head_time = HeadTime::default();
    let mut http = pin!(
        http1::Builder::new()
            .timer(head_time.of_hyper())
            .header_read_timeout(Duration::from_millis(shared.limits.head_time.0))
            .max_headers(shared.limits.headers)
            .max_buf_size(shared.limits.head)
            // Who is gone is told by `Connection::gone`.
            .half_close(true)
            .serve_connection(FuturesIo::new(Socket(connection.clone())), service)
    );
    let mut gone = pin!(connection.gone());
    let mut closing = pin!(shared.closing.recv());
    let mut closes = false;
    poll_fn(|context| {
        if !closes && closing.as_mut().poll(context).is_ready() {
            closes = true;
            http.as_mut().graceful_shutdown();
        }
        head_time.poll(context);
        // Before hyper, so that it finds what is read ahead.
        if gone.as_mut().poll(context).is_ready() {
            return Poll::Ready(false);
        }
        let end = http.as_mut().poll(context).map(|_| true);
        head_time.poll(context);
        end
    })
    .await
}

/// A state is whole between any two statements, so that a panic of another holder spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
