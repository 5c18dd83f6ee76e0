//! What `simplex-chat -p PORT` is to its clients, over the simulator: the envelope, one queue of events, commands of a
//! connection one after the other (`apps/simplex-chat/Server.hs`).
#![allow(dead_code, clippy::unwrap_used, clippy::unwrap_in_result)]

use std::io::ErrorKind;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use async_tungstenite::tungstenite::{self, Error, Message, WebSocket};
use serde_json::Value;
use simplex_agent_adapters::simplex::Blocking;
use simplex_agent_adapters::simplex::sim::SimCore;

/// A running server. Its core lives on when it stops, as a database does.
pub(crate) struct ChatServer {
    core: Arc<SimCore>,
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
    running: Option<Listening>,
}

struct Listening {
    stop: Arc<Mutex<Vec<TcpStream>>>,
    thread: JoinHandle<()>,
}

impl ChatServer {
    /// A server on a free port, whose user exists and whose chat is started, as that program sees to.
    pub(crate) fn start(core: SimCore, user: &str) -> Self {
        let profile = format!(
            r#"/_create user {{"profile":{{"displayName":"{user}","fullName":""}},"pastTimestamp":false}}"#
        );
        assert!(core.command(&profile).unwrap().contains("activeUser"));
        assert!(core.command("/_start").unwrap().contains("chatStarted"));
        let mut server = Self { core: Arc::new(core), port: 0, seen: Arc::default(), running: None };
        server.listen();
        server
    }

    pub(crate) fn address(&self) -> String {
        format!("ws://127.0.0.1:{}", self.port)
    }

    /// The commands that came, in order.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// Listens, on the port of before.
    pub(crate) fn listen(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).unwrap();
        self.port = listener.local_addr().unwrap().port();
        let stop = Arc::new(Mutex::new(Vec::new()));
        let (core, seen, open) = (Arc::clone(&self.core), Arc::clone(&self.seen), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            let mut clients = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                if Arc::strong_count(&open) == 1 {
                    break;
                }
                open.lock().unwrap().push(stream.try_clone().unwrap());
                let (core, seen) = (Arc::clone(&core), Arc::clone(&seen));
                clients.push(thread::spawn(move || drop(serve(stream, &core, &seen))));
            }
            drop(listener);
            clients.into_iter().for_each(|client| client.join().unwrap());
        });
        self.running = Some(Listening { stop, thread });
    }

    /// Dies: every connection is cut, the port is free.
    pub(crate) fn die(&mut self) {
        let Listening { stop, thread } = self.running.take().unwrap();
        let open = std::mem::take(&mut *stop.lock().unwrap());
        drop(stop);
        // Wakes the listener, which sees that nobody wants it.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        open.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
        thread.join().unwrap();
    }
}

/// Serves one client until its connection ends.
fn serve(stream: TcpStream, core: &SimCore, seen: &Mutex<Vec<String>>) -> Result<(), Box<Error>> {
    let Ok(mut socket) = tungstenite::accept(stream) else { return Ok(()) };
    socket.get_ref().set_read_timeout(Some(Duration::from_millis(5))).unwrap();
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => answer(&mut socket, core, seen, &text)?,
            Ok(_) => {}
            Err(Error::Io(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(Box::new(error)),
        }
        while let Some(event) = core.receive(Duration::ZERO).unwrap() {
            socket.send(Message::text(format!("{{\"resp\":{}}}", resp(&event, "chatError"))))?;
        }
    }
}

fn answer(
    socket: &mut WebSocket<TcpStream>,
    core: &SimCore,
    seen: &Mutex<Vec<String>>,
    text: &str,
) -> Result<(), Box<Error>> {
    let request: Value = serde_json::from_str(text).unwrap();
    let (number, line) = (request["corrId"].as_str().unwrap(), request["cmd"].as_str().unwrap());
    seen.lock().unwrap().push(line.to_owned());
    let answer = core.command(line).unwrap();
    let answer = resp(&answer, "chatCmdError");
    Ok(socket.send(Message::text(format!("{{\"corrId\":\"{number}\",\"resp\":{answer}}}")))?)
}

/// The body as this envelope has it; the library's is one member, `result` or `error`.
fn resp(text: &str, error: &str) -> String {
    let inner = text.strip_suffix('}').unwrap();
    match inner.strip_prefix("{\"result\":") {
        Some(result) => result.to_owned(),
        None => {
            let chat_error = inner.strip_prefix("{\"error\":").unwrap();
            format!("{{\"type\":\"{error}\",\"chatError\":{chat_error}}}")
        }
    }
}
