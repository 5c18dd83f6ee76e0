//! `--core ws://…` over real sockets: a server like `simplex-chat -p`, and peers that are not like it.
#![allow(clippy::unwrap_used)]

#[path = "common/chat_server.rs"]
mod chat_server;
mod common;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use async_tungstenite::tungstenite::{self, Message, WebSocket as Socket};
use chat_server::ChatServer;
use common::TempDir;
use serde_json::Value;
use simplex_agent_adapters::driver::Inbox;
use simplex_agent_adapters::files::AddressLock;
use simplex_agent_adapters::simplex::SimplexCore;
use simplex_agent_adapters::simplex::sim::SimHost;
use simplex_agent_adapters::simplex::websocket::{Address, Broken, Connection, Reconnect, WebSocket};
use simplex_agent_core::Input;
use simplex_agent_core::effect::Outcome;
use simplex_agent_core::id::OpId;
use simplex_sim::Scenario;
use smol::channel::Receiver;

const VERSION: &str = r#"{"type":"versionInfo","versionInfo":{"version":"7.0.0.6"}}"#;
const OK: &str = r#"{"type":"cmdOk"}"#;

/// A listener whose connections are handled by this function, with their number.
fn peer(handle: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let handle = &handle;
        thread::scope(|scope| {
            for (number, stream) in listener.incoming().map_while(Result::ok).enumerate() {
                scope.spawn(move || handle(number, stream));
            }
        });
    });
    address(port)
}

fn address(port: u16) -> Address {
    format!("ws://127.0.0.1:{port}").parse().unwrap()
}

/// A peer that speaks WebSocket and has told its version.
fn greeted(handle: impl Fn(&mut Socket<TcpStream>) + Send + Sync + 'static) -> Address {
    peer(move |_, stream| {
        let mut socket = tungstenite::accept(stream).unwrap();
        let (number, line) = command(&mut socket);
        assert_eq!(line, "/version");
        say(&mut socket, &number, VERSION);
        handle(&mut socket);
    })
}

/// The next command: its number and line.
fn command(socket: &mut Socket<TcpStream>) -> (String, String) {
    let request: Value = serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap();
    (request["corrId"].as_str().unwrap().to_owned(), request["cmd"].as_str().unwrap().to_owned())
}

fn say(socket: &mut Socket<TcpStream>, number: &str, resp: &str) {
    socket.send(Message::text(format!("{{\"corrId\":\"{number}\",\"resp\":{resp}}}"))).unwrap();
}

/// Waits until the other side is gone.
fn drain(socket: &mut Socket<TcpStream>) {
    while socket.read().is_ok() {}
}

fn open(address: Address) -> (WebSocket, Receiver<Input>) {
    let (inbox, inputs) = Inbox::new();
    let connection = smol::block_on(Connection::open(address)).unwrap();
    (WebSocket::start(connection, inbox), inputs)
}

fn refused(address: Address) -> String {
    let line = smol::block_on(Connection::open(address)).unwrap_err().to_string();
    assert_eq!(line.lines().count(), 1);
    line
}

fn response(resp: &str) -> Outcome {
    Outcome::Response(format!("{{\"result\":{resp}}}"))
}

/// The inputs up to the ends of `count` commands, without events, and a little longer.
fn until_ended(inputs: &Receiver<Input>, count: usize) -> Vec<Input> {
    let mut all = Vec::new();
    while all.iter().filter(|input| matches!(input, Input::Done { .. })).count() < count {
        let input = inputs.recv_blocking().unwrap();
        all.extend(Some(input).filter(|input| !matches!(input, Input::Event(_))));
    }
    thread::sleep(Duration::from_millis(50));
    all.extend(std::iter::from_fn(|| inputs.try_recv().ok()));
    all
}

/// WS-06: whoever does not answer as simplex-chat does gets one line that says so.
#[test]
fn others_on_the_port() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let line = refused(address(free));
    assert!(line.starts_with(&format!("No simplex-chat at ws://127.0.0.1:{free}: ")), "{line}");
    assert!(line.ends_with(&format!(". Start simplex-chat -p {free} and leave it running.")), "{line}");

    type Handler = fn(usize, TcpStream);
    let others: [(&str, Handler, &str); 9] = [
        ("closes", |_, stream| drop(stream), "No simplex-chat at "),
        (
            "closes after the request",
            |_, mut stream| {
                let _ = stream.read(&mut [0; 4096]);
            },
            "it closed the connection. Start simplex-chat -p ",
        ),
        (
            "HTTP",
            |_, mut stream| {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
            },
            "does not answer as simplex-chat does: HTTP error: 404 Not Found",
        ),
        (
            "no HTTP",
            |_, mut stream| {
                let _ = stream.write_all(b"220 mail.example ESMTP\r\n");
                let _ = stream.read(&mut [0; 4096]);
            },
            "does not answer as simplex-chat does",
        ),
        (
            "an echo",
            |_, stream| {
                let mut socket = tungstenite::accept(stream).unwrap();
                while let Ok(message) = socket.read() {
                    let _ = socket.send(message);
                }
            },
            "does not answer as simplex-chat does: no answer to /version",
        ),
        (
            "another program",
            |_, stream| {
                let mut socket = tungstenite::accept(stream).unwrap();
                let (number, _) = command(&mut socket);
                say(&mut socket, &number, OK);
            },
            "does not answer as simplex-chat does: no version",
        ),
        (
            "a refusal",
            |_, stream| {
                let mut socket = tungstenite::accept(stream).unwrap();
                let (number, _) = command(&mut socket);
                say(&mut socket, &number, r#"{"type":"chatCmdError","chatError":{"type":"error"}}"#);
            },
            "does not answer as simplex-chat does: no version",
        ),
        (
            "a closed connection",
            |_, stream| {
                let mut socket = tungstenite::accept(stream).unwrap();
                command(&mut socket);
            },
            "No simplex-chat at ",
        ),
        (
            "an old core",
            |_, stream| {
                let mut socket = tungstenite::accept(stream).unwrap();
                let (number, _) = command(&mut socket);
                say(&mut socket, &number, r#"{"type":"versionInfo","versionInfo":{"version":"6.3.4.0"}}"#);
                drain(&mut socket);
            },
            "runs SimpleX core 6.3.4.0, which is too old; run simplex-chat of release 7.0 or later.",
        ),
    ];
    for (name, handler, says) in others {
        let line = refused(peer(handler));
        assert!(line.contains(says), "{name}: {line}");
    }
}

/// WS-06: a peer that accepts and says nothing, before the handshake or after it.
#[test]
fn a_silent_peer() {
    let before = thread::spawn(|| {
        refused(peer(|_, mut stream| while stream.read(&mut [0; 4096]).is_ok_and(|length| length > 0) {}))
    });
    let after = refused(peer(|_, stream| drain(&mut tungstenite::accept(stream).unwrap())));
    assert!(after.contains("did not answer /version within 10 s."), "{after}");
    let before = before.join().unwrap();
    assert!(before.contains("does not answer as simplex-chat does: no handshake."), "{before}");
}

/// WS-03, WS-04, WS-07: answers in another order, a slow one, text that is no envelope, answers to nobody, binary
/// messages, pings, and what came before the first answer.
#[test]
fn everything_reaches_whom_it_is_for() {
    let address = peer(|_, stream| {
        let mut socket = tungstenite::accept(stream).unwrap();
        let (number, _) = command(&mut socket);
        socket.send(Message::text(r#"{"resp":{"type":"early"}}"#)).unwrap();
        say(&mut socket, "77", OK);
        say(&mut socket, &number, VERSION);
        let (first, line) = command(&mut socket);
        assert_eq!(line, "/one \"\u{e9}\n");
        let (second, _) = command(&mut socket);
        socket.send(Message::text("no JSON")).unwrap();
        socket.send(Message::binary(vec![0xff, 0xfe])).unwrap();
        socket.send(Message::binary(br#"{"resp":{"type":"binary"}}"#.to_vec())).unwrap();
        socket.send(Message::Ping(vec![1].into())).unwrap();
        say(&mut socket, "4711", OK);
        say(&mut socket, "x", OK);
        say(&mut socket, &second, r#"{"type":"chatCmdError","chatError":{"type":"error","n":1.10}}"#);
        socket
            .send(Message::text(r#"{"corrId":null,"resp":{"type":"late","id":9007199254740993}}"#))
            .unwrap();
        thread::sleep(Duration::from_millis(200));
        say(&mut socket, &first, OK);
        // Once is enough.
        say(&mut socket, &first, OK);
        assert_eq!(socket.read().unwrap(), Message::Pong(vec![1].into()));
        let (third, _) = command(&mut socket);
        socket.send(Message::text(format!("{{\"corrId\":\"{third}\"}}"))).unwrap();
        drain(&mut socket);
    });
    let (mut core, inputs) = open(address);
    core.send(OpId::new(1), "/one \"\u{e9}\n".to_owned());
    core.send(OpId::new(2), "/two".to_owned());
    let event = |text: &str| Input::Event(text.to_owned());
    let done = |op, result| Input::Done { op: OpId::new(op), result };
    let taken: Vec<_> = (0..6).map(|_| inputs.recv_blocking().unwrap()).collect();
    assert_eq!(
        taken,
        [
            event(r#"{"result":{"type":"early"}}"#),
            event("no JSON"),
            event(r#"{"result":{"type":"binary"}}"#),
            done(2, Outcome::Response(r#"{"error":{"type":"error","n":1.10}}"#.to_owned())),
            event(r#"{"result":{"type":"late","id":9007199254740993}}"#),
            done(1, response(OK)),
        ]
    );
    core.send(OpId::new(3), "/three".to_owned());
    let unreadable = Outcome::Failed("simplex-chat's answer can't be read".to_owned());
    assert_eq!(inputs.recv_blocking().unwrap(), done(3, unreadable));
}

/// WS-08: a connection that ends under commands: the loss is told, then each ends once, and nothing comes after it.
#[test]
fn a_connection_that_ends() {
    type Handler = fn(&mut Socket<TcpStream>);
    let ends: [(&str, Handler, &str, bool); 6] = [
        ("dies", |_| {}, "it closed the connection", true),
        (
            "says farewell",
            |socket| {
                let _ = socket.close(None);
                drain(socket);
            },
            "it closed the connection",
            true,
        ),
        (
            "a huge frame",
            |socket| {
                // A text frame of 2^40 bytes.
                socket.get_mut().write_all(&[0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0, b'{']).unwrap();
                drain(socket);
            },
            "it sent a message of more than 128 MiB",
            false,
        ),
        (
            "a frame of a reserved kind",
            |socket| {
                socket.get_mut().write_all(&[0x83, 0]).unwrap();
                drain(socket);
            },
            "it does not keep to WebSocket",
            false,
        ),
        (
            "text that is no UTF-8",
            |socket| {
                socket.get_mut().write_all(&[0x81, 2, 0xff, 0xfe]).unwrap();
                drain(socket);
            },
            "it does not keep to WebSocket",
            false,
        ),
        (
            "half a frame",
            |socket| {
                socket.get_mut().write_all(&[0x81, 120, b'{']).unwrap();
            },
            "it closed the connection",
            true,
        ),
    ];
    for (name, handler, says, again) in ends {
        let (mut core, inputs) = open(greeted(move |socket| {
            let (number, _) = command(socket);
            let _ = command(socket);
            let _ = command(socket);
            say(socket, &number, OK);
            handler(socket);
        }));
        let link = core.link();
        for op in 1..=3 {
            core.send(OpId::new(op), "/x".to_owned());
        }
        let ends = until_ended(&inputs, 3);
        let broken = link.broken().unwrap();
        let reason = broken.reason;
        assert!(reason.contains(says), "{name}: {reason}");
        assert_eq!(broken.again, again, "{name}");
        let done = |op, result| Input::Done { op: OpId::new(op), result };
        assert_eq!(
            ends,
            [
                done(1, response(OK)),
                Input::CoreLost { reason: reason.clone() },
                done(2, Outcome::Failed(reason.clone())),
                done(3, Outcome::Failed(reason.clone())),
            ],
            "{name}"
        );
        // Later commands end at once, and so does the close.
        core.send(OpId::new(4), "/x".to_owned());
        core.close(OpId::new(5));
        let later: Vec<_> = (0..2).map(|_| inputs.recv_blocking().unwrap()).collect();
        assert_eq!(later, [done(4, Outcome::Failed(reason)), done(5, Outcome::Ok)]);
    }
}

/// WS-09: closing waits a little for commands, ends them, and says farewell; no command is sent for it.
#[test]
fn closing() {
    let (mut core, inputs) = open(greeted(|socket| {
        let (number, line) = command(socket);
        assert_eq!(line, "/slow");
        let (_, line) = command(socket);
        assert_eq!(line, "/never");
        thread::sleep(Duration::from_millis(100));
        say(socket, &number, OK);
        assert!(matches!(socket.read().unwrap(), Message::Close(_)));
    }));
    core.send(OpId::new(1), "/slow".to_owned());
    core.send(OpId::new(2), "/never".to_owned());
    core.close(OpId::new(3));
    core.send(OpId::new(4), "/late".to_owned());
    let closed = || Outcome::Failed("the connection to simplex-chat is closed".to_owned());
    let taken: Vec<_> = (0..4).map(|_| inputs.recv_blocking().unwrap()).collect();
    let done = |op, result| Input::Done { op: OpId::new(op), result };
    assert_eq!(taken, [done(4, closed()), done(1, response(OK)), done(2, closed()), done(3, Outcome::Ok)]);
    assert_eq!(core.link().broken(), None);
    thread::sleep(Duration::from_millis(50));
    assert!(inputs.is_empty());
}

/// WS-11: a program that comes back is found again, over others that refuse; one that stays away is given up, and so is
/// one that drops each connection.
#[test]
fn coming_back_and_staying_away() {
    let broken = |lasted| Broken { reason: "it went".to_owned(), again: true, lasted };
    let long = Duration::from_secs(3600);

    let temp = TempDir::new();
    let core =
        SimHost::new(1, &Scenario::demo()).open(temp.path().join("simplex").to_str().unwrap(), "").unwrap();
    let mut server = ChatServer::start(core, "Bot");
    let address: Address = server.address().parse().unwrap();
    let (mut core, inputs) = open(address);
    server.die();
    while !matches!(inputs.recv_blocking().unwrap(), Input::CoreLost { .. }) {}
    core.close(OpId::new(1));
    let mut reconnect = Reconnect::new(address, Duration::from_secs(60));
    let back = thread::spawn(move || {
        thread::sleep(Duration::from_secs(1));
        server.listen();
        server
    });
    let connection = smol::block_on(reconnect.connect(&broken(long))).unwrap();
    let (inbox, inputs) = Inbox::new();
    let mut core = WebSocket::start(connection, inbox);
    core.send(OpId::new(1), "/user".to_owned());
    let text = loop {
        match inputs.recv_blocking().unwrap() {
            Input::Event(_) => {}
            Input::Done { result: Outcome::Response(text), .. } => break text,
            other => panic!("{other:?}"),
        }
    };
    assert!(text.starts_with("{\"result\":{") && text.contains("\"Bot\""), "{text}");
    drop(back.join().unwrap());

    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut reconnect = Reconnect::new(self::address(free), Duration::from_secs(1));
    let line = smol::block_on(reconnect.connect(&broken(long))).unwrap_err();
    assert_eq!(
        line,
        format!(
            "simplex-chat at ws://127.0.0.1:{free} stayed away for 1 s. Start simplex-chat -p {free}, then start this \
             server again."
        )
    );

    static TRIES: AtomicUsize = AtomicUsize::new(0);
    let dropping = greeted(|_| {
        TRIES.fetch_add(1, Ordering::SeqCst);
    });
    let mut reconnect = Reconnect::new(dropping, Duration::from_secs(1));
    let mut lasted = long;
    let line = loop {
        match smol::block_on(reconnect.connect(&broken(lasted))) {
            Ok(connection) => drop(connection),
            Err(line) => break line,
        }
        lasted = Duration::ZERO;
    };
    let tries = TRIES.load(Ordering::SeqCst);
    assert!((1..=5).contains(&tries));
    let times = if tries == 1 { "once".to_owned() } else { format!("{tries} times") };
    let expected = format!(
        "simplex-chat at {dropping} came back {times} and did not stay for 1 s. See what its terminal says, then start \
         this server again."
    );
    assert_eq!(line, expected);

    let again = Broken { reason: "simplex-chat at X: no WebSocket".to_owned(), again: false, lasted: long };
    assert!(
        smol::block_on(reconnect.connect(&again))
            .unwrap_err()
            .starts_with("simplex-chat at X: no WebSocket. ")
    );
}

/// WS-12: one server at a time for an address; another address is another lock, and a lock is free with its holder.
#[test]
fn one_server_for_an_address() {
    let temp = TempDir::new();
    let folder = temp.path().join("home");
    let first = AddressLock::take(&folder, "ws://127.0.0.1:5225", "one").unwrap();
    let line = AddressLock::take(&folder, "ws://127.0.0.1:5225", "two").unwrap_err().to_string();
    let pid = std::process::id();
    assert!(
        line.starts_with(&format!("Another server uses ws://127.0.0.1:5225 (agent \"one\", PID {pid}). ")),
        "{line}"
    );
    let other = AddressLock::take(&folder, "ws://[::1]:5225", "two").unwrap();
    drop(first);
    drop(AddressLock::take(&folder, "ws://127.0.0.1:5225", "two").unwrap());
    drop(other);
    assert!(folder.join("ws-127.0.0.1-5225.lock").is_file());
}
