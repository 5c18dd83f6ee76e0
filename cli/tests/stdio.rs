//! `stdio`: lines in, lines out, over a server on the simulator and over one that the test itself plays.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use common::Home;
use common::server::{PATIENCE, Running, free_port, serve};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const MODERN: &str = "2026-07-28";

/// An MCP host's end of the two pipes.
struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
}

impl Host {
    fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { stdin: child.stdin.take(), child, lines }
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.stdin.as_ref().unwrap(), "{message}").unwrap();
    }

    fn next(&self) -> Value {
        serde_json::from_str(&self.lines.recv_timeout(PATIENCE).unwrap()).unwrap()
    }

    /// Nothing more comes for a while.
    fn is_silent(&self) -> bool {
        self.lines.recv_timeout(Duration::from_millis(400)).is_err()
    }

    /// Closes stdin; what was still written.
    fn close(mut self) -> Vec<String> {
        drop(self.stdin.take());
        let rest = self.lines.iter().collect();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((self.child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
        rest
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(id: &Value, method: &str, mut params: Value, modern: bool) -> Value {
    if modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": "p",
        });
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn tool(id: &Value, name: &str, arguments: &Value, modern: bool) -> Value {
    request(id, "tools/call", json!({"name": name, "arguments": arguments}), modern)
}

fn cancelled(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

fn chat(list: &Value) -> Value {
    list["result"]["structuredContent"]["chats"][0]["chat"].clone()
}

/// STDIO-01, STDIO-02, STDIO-03, STDIO-06, STDIO-09, STDIO-10: both eras over one server, several calls at once.
#[test]
fn both_eras() {
    let home = Home::new();
    let mut server = Running::start(&mut serve(&home, free_port(), false, &[]));
    server.until("Add the agent");
    for modern in [false, true] {
        let mut host = Host::start(&mut home.command(&["stdio", "my-agent"]));
        if modern {
            host.write(&request(&json!("d"), "server/discover", json!({}), true));
            assert_eq!(host.next()["result"]["supportedVersions"], json!([MODERN]));
        } else {
            let client = json!({"name": "t", "version": "1"});
            let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
            host.write(&request(&json!(0), "initialize", params, false));
            assert_eq!(host.next()["result"]["protocolVersion"], "2025-06-18");
            host.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        host.write(&tool(&json!(1), "list", &json!({}), modern));
        let list = host.next();
        assert_eq!((&list["id"], &list["result"]["isError"]), (&json!(1), &json!(false)), "{list}");
        assert_eq!(list["result"].get("resultType").is_some(), modern);
        // A call that waits does not keep the others.
        let receive = json!({"chat": chat(&list), "wait": 2});
        host.write(&tool(&json!("1"), "receive", &receive, modern));
        host.write(&tool(&json!(2), "list", &json!({}), modern));
        let mut answers = vec![host.next()];
        while answers.last().unwrap()["id"] != "1" {
            answers.push(host.next());
        }
        let ids: Vec<&Value> = answers.iter().filter_map(|line| line.get("id")).collect();
        assert_eq!(ids, [&json!(2), &json!("1")], "{answers:?}");
        // What is not modern JSON-RPC gets the server's own error.
        host.write(&request(&json!(3), "no/such", json!({}), modern));
        assert_eq!(host.next()["error"]["code"], -32601);
        // The last answers come though stdin is closed; a call that waits gets an error.
        host.write(&tool(&json!(4), "receive", &json!({"chat": chat(&list), "wait": 600}), modern));
        host.write(&tool(&json!(5), "list", &json!({}), modern));
        let rest = host.close();
        let rest: Vec<Value> = rest.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of =
            |id: u8| rest.iter().find(|line| line["id"] == id).unwrap_or_else(|| panic!("{id}: {rest:?}"));
        assert!(of(5)["result"].is_object(), "{rest:?}");
        let closed =
            "The client closed its side before the answer. Repeat the call: it attaches to the same action.";
        assert_eq!(of(4)["error"]["message"], closed);
    }
    // The same process goes on when the server comes back with another token, on another port.
    let mut host = Host::start(&mut home.command(&["stdio", "my-agent"]));
    host.write(&request(&json!(1), "ping", json!({}), false));
    assert_eq!(host.next(), json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(server.stop(Signal::TERM).code, Some(0));
    host.write(&request(&json!(2), "ping", json!({}), false));
    let error = "The agent is not running. Start it with: simplex-mcp serve my-agent";
    assert_eq!(host.next(), json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": error}}));
    let mut server = Running::start(&mut serve(&home, free_port(), false, &["--new-token"]));
    server.until("Listening");
    host.write(&request(&json!(3), "ping", json!({}), false));
    assert_eq!(host.next()["id"], 3);
    assert!(host.close().is_empty());
}

/// A server that the test plays: it holds the data folder and reads one request a connection.
struct Played {
    _lock: File,
    listener: TcpListener,
}

impl Played {
    fn new(home: &Home) -> Self {
        let data = home.data("my-agent");
        fs::create_dir_all(&data).unwrap();
        let mut lock = File::create(data.join("lock")).unwrap();
        lock.try_lock().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        writeln!(lock, "1 {port}").unwrap();
        let info = json!({"name": "my-agent", "port": port, "expireHours": 23});
        fs::write(data.join("server.json"), info.to_string()).unwrap();
        Self { _lock: lock, listener }
    }

    /// A request: its head in lower case but for the values, its body, and the connection.
    fn accept(&self) -> (Vec<(String, String)>, Value, TcpStream) {
        let (stream, _) = self.listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut headers = Vec::new();
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "POST /mcp HTTP/1.1\r\n");
        loop {
            line.clear();
            reader.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length").unwrap().1.parse().unwrap();
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        headers.sort();
        (headers, serde_json::from_slice(&body).unwrap(), stream)
    }
}

fn set_token(home: &Home, letter: &str) {
    fs::write(home.data("my-agent").join("token"), letter.repeat(42) + "A").unwrap();
}

fn is_closed(stream: &mut TcpStream) -> bool {
    matches!(stream.read(&mut [0; 16]), Ok(0) | Err(_))
}

/// STDIO-02, STDIO-05, STDIO-06, STDIO-07, STDIO-08: what is on the wire.
#[test]
fn on_the_wire() {
    let home = Home::new();
    let played = Played::new(&home);
    set_token(&home, "a");
    let mut host = Host::start(&mut home.command(&["stdio", "my-agent"]));
    host.write(&tool(&json!(7), "send", &json!({}), true));
    // The token is read anew after a refusal.
    let (headers, body, mut stream) = played.accept();
    set_token(&home, "b");
    assert_eq!(body, tool(&json!(7), "send", &json!({}), true));
    let port = played.listener.local_addr().unwrap().port();
    let length = body.to_string().len().to_string();
    let expected = [
        ("accept", "application/json, text/event-stream"),
        ("authorization", &format!("Bearer {}A", "a".repeat(42))),
        ("content-length", &length),
        ("content-type", "application/json"),
        ("host", &format!("127.0.0.1:{port}")),
        ("mcp-method", "tools/call"),
        ("mcp-name", "send"),
        ("mcp-protocol-version", MODERN),
    ];
    assert_eq!(headers, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    write!(stream, "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n").unwrap();
    let (headers, _, mut stream) = played.accept();
    assert!(headers.contains(&("authorization".to_owned(), format!("Bearer {}A", "b".repeat(42)))));
    // Events pass one by one, as they come.
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    .unwrap();
    for number in 1..=2 {
        let message =
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": number}});
        let text = format!(": keepalive\n\nevent: message\ndata: {message}\n\n");
        let (first, second) = text.split_at(text.len() / 2);
        for part in [first, second] {
            write!(stream, "{:x}\r\n{part}\r\n", part.len()).unwrap();
        }
        assert_eq!(host.next(), message);
    }
    // A cancelled request is closed, and nothing more is said about it.
    host.write(&cancelled(&json!(7)));
    assert!(is_closed(&mut stream) && host.is_silent());
    // In the legacy era the server is told as well.
    host.write(&tool(&json!(8), "send", &json!({}), false));
    let (_, _, mut stream) = played.accept();
    host.write(&cancelled(&json!(8)));
    let (_, body, mut told) = played.accept();
    assert_eq!(body, cancelled(&json!(8)));
    write!(told, "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n").unwrap();
    assert!(is_closed(&mut stream) && host.is_silent());
    // A server that is not ready is asked again; one that breaks off is an error.
    host.write(&request(&json!(9), "ping", json!({}), false));
    let (_, _, mut stream) = played.accept();
    write!(stream, "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n")
        .unwrap();
    drop(played.accept());
    let broken = host.next();
    assert_eq!((&broken["id"], &broken["error"]["code"]), (&json!(9), &json!(-32603)), "{broken}");
    // The end of stdin closes what waits.
    host.write(&tool(&json!(10), "send", &json!({}), true));
    let (_, _, mut stream) = played.accept();
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: x\n\n").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let rest = host.close();
    assert!(rest.len() == 1 && rest[0].contains("\"id\":10,\"error\""), "{rest:?}");
    assert!(is_closed(&mut stream));
}

/// STDIO-05, STDIO-10, STDIO-15: more calls than the server has connections or open calls for, and the end of stdin
/// behind them: each is answered.
#[test]
fn a_crowd_of_calls_before_the_end() {
    let home = Home::new();
    let mut server = Running::start(&mut serve(&home, free_port(), false, &[]));
    server.until("Add the agent");
    let mut host = Host::start(&mut home.command(&["stdio", "my-agent"]));
    for id in 0..1500 {
        let name = if id % 2 == 0 { "ping" } else { "tools/call" };
        host.write(&request(&json!(id), name, json!({"name": "list", "arguments": {}}), false));
    }
    let answers = host.close();
    let mut ids: Vec<u64> = answers
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .inspect(|answer| assert!(answer["result"].is_object(), "{answer}"))
        .map(|answer| answer["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..1500));
}

/// STDIO-11: the token is sent to nobody while no server holds the folder, whoever has its port.
#[test]
fn a_stranger_on_the_port() {
    let home = Home::new();
    let Played { _lock: lock, listener } = Played::new(&home);
    drop(lock);
    set_token(&home, "a");
    let mut host = Host::start(&mut home.command(&["stdio", "my-agent"]));
    host.write(&request(&json!(1), "ping", json!({}), false));
    assert!(host.next()["error"]["message"].as_str().unwrap().contains("is not running"));
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "nobody came");
    assert!(host.close().is_empty());
}

/// STDIO-11, DATA-16: nor while a server starts that can't have its port; and what a failed start was told is not what
/// `--start` repeats.
#[test]
fn a_start_that_fails_shows_no_token_and_keeps_no_options() {
    let home = Home::new();
    let port = free_port();
    let mut server = Running::start(&mut serve(&home, port, false, &[]));
    server.until("Listening");
    assert_eq!(server.stop(Signal::TERM).code, Some(0));
    let options = || fs::read_to_string(home.data("my-agent").join("options.json")).unwrap();
    let kept = options();

    let stranger = TcpListener::bind(("127.0.0.1", port)).unwrap();
    assert_eq!(Running::start(&mut serve(&home, port, false, &["--approve", "host"])).end().code, Some(1));
    assert_eq!(options(), kept);
    let mut host = Host::start(&mut home.command(&["stdio", "my-agent", "--start"]));
    host.write(&request(&json!(1), "ping", json!({}), false));
    let error = host.next()["error"]["message"].as_str().unwrap().to_owned();
    assert!(error.contains("it ended at its start") && error.contains("serve.log says why"), "{error}");
    stranger.set_nonblocking(true).unwrap();
    while let Ok((mut stream, _)) = stranger.accept() {
        let mut text = String::new();
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let _ = stream.read_to_string(&mut text);
        assert!(text.is_empty(), "{text}");
    }
    assert!(host.close().is_empty());
}

/// STDIO-12, STDIO-13, DATA-16: `--start` starts the server once for many, with the options of its last start, and it
/// goes on afterwards.
#[test]
fn starting_the_server() {
    let home = Home::new();
    let data = home.data("my-agent");
    let ping = request(&json!(1), "ping", json!({}), false);
    let mut host = Host::start(&mut home.command(&["stdio", "my-agent", "--start"]));
    host.write(&ping);
    let never = host.next()["error"]["message"].as_str().unwrap().to_owned();
    assert!(never.contains("never started") && never.contains("simplex-mcp serve my-agent"), "{never}");
    assert!(host.close().is_empty() && !data.exists());

    let port = free_port();
    let mut server = Running::start(&mut serve(&home, port, false, &["--owners", "--expire", "5"]));
    server.until("Listening");
    assert_eq!(server.stop(Signal::TERM).code, Some(0));
    let mut hosts: Vec<Host> =
        (0..2).map(|_| Host::start(&mut home.command(&["stdio", "my-agent", "--start"]))).collect();
    for host in &mut hosts {
        host.write(&ping);
        host.write(&request(&json!(2), "ping", json!({}), false));
    }
    for host in hosts {
        let ids = [host.next(), host.next()].map(|line| line["result"].is_object());
        assert_eq!(ids, [true, true]);
        assert!(host.close().is_empty());
    }
    let lock = fs::read_to_string(data.join("lock")).unwrap();
    let pid: i32 = lock.split(' ').next().unwrap().parse().unwrap();
    let pid = Pid::from_raw(pid).unwrap();
    let until = Instant::now() + PATIENCE;
    let log = || fs::read_to_string(data.join("serve.log")).unwrap();
    while !log().contains("Restart the server with --owners 2:Alice") {
        assert!(Instant::now() < until, "{}", log());
        std::thread::sleep(Duration::from_millis(50));
    }
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(fs::metadata(data.join("serve.log")).unwrap().permissions().mode() & 0o777, 0o600);
    let info: Value = serde_json::from_str(&fs::read_to_string(data.join("server.json")).unwrap()).unwrap();
    assert_eq!((&info["port"], &info["expireHours"]), (&json!(port), &json!(5)));
    assert_eq!(
        fs::read_to_string(data.join("options.json")).unwrap(),
        "{\"options\":[\"--owners\",\"--core=sim\"]}\n"
    );

    // Options that cannot be read start nothing.
    let until = Instant::now() + PATIENCE;
    while rustix::process::test_kill_process(pid).is_ok() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    fs::write(data.join("options.json"), "[1]").unwrap();
    let mut host = Host::start(&mut home.command(&["stdio", "my-agent", "--start"]));
    host.write(&ping);
    let damaged = host.next()["error"]["message"].as_str().unwrap().to_owned();
    assert!(damaged.contains("options.json is damaged"), "{damaged}");
    // Nor does a server that ends at its start leave the host waiting.
    fs::write(data.join("options.json"), "{\"options\":[\"--core=no\"]}").unwrap();
    host.write(&ping);
    let ended = host.next()["error"]["message"].as_str().unwrap().to_owned();
    assert!(ended.contains("it ended at its start") && ended.contains("serve.log"), "{ended}");
}

/// STDIO-16: after the server's process has died a call is not to be repeated blindly, because the next run does not know
/// it; after a connection that broke off it is.
#[test]
fn a_server_that_dies_under_a_call() {
    let home = Home::new();
    let mut server = Running::start(&mut serve(&home, free_port(), false, &[]));
    server.until("Add the agent");
    let mut host = Host::start(&mut home.command(&["stdio", "my-agent"]));
    host.write(&tool(&json!(1), "list", &json!({}), false));
    let receive = json!({"chat": chat(&host.next()), "wait": 600});
    host.write(&tool(&json!(2), "receive", &receive, false));
    // Its stream has begun.
    assert!(host.is_silent());
    server.child.kill().unwrap();
    let died = "The agent's server gave no answer: it ended, and its next run does not know this call; look with list and \
                receive whether it was done before you repeat it. simplex-mcp doctor my-agent says why.";
    let error = host.next();
    assert_eq!((&error["id"], &error["error"]["message"]), (&json!(2), &json!(died)));
    assert!(host.close().is_empty());
    drop(server);

    let played = Played::new(&home);
    let mut host = Host::start(&mut home.command(&["stdio", "my-agent"]));
    host.write(&tool(&json!(3), "send", &json!({}), false));
    let (_, _, mut stream) = played.accept();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    write!(stream, "{head}").unwrap();
    drop(stream);
    let broken = "The agent's server closed the connection before its answer. Repeat the call: it attaches to the same \
                  action.";
    assert_eq!(host.next()["error"]["message"], broken);
}

/// STDIO-12, DOC-09: what is not started names the folder that was given, and the agent whose folder that is.
#[test]
fn a_folder_that_was_given() {
    let home = Home::new();
    let data = home.data("my-agent");
    fs::create_dir_all(&data).unwrap();
    let shown = data.display();
    let refused = || {
        let args = ["stdio", "other", "--start", "--data", data.to_str().unwrap()];
        let mut host = Host::start(&mut home.command(&args));
        host.write(&request(&json!(1), "ping", json!({}), false));
        host.next()["error"]["message"].as_str().unwrap().to_owned()
    };
    let never =
        format!("it was never started; the first start needs you: simplex-mcp serve other --data {shown}.");
    assert!(refused().contains(&never), "{}", refused());
    fs::write(data.join("server.json"), r#"{"name":"my-agent","port":5226,"expireHours":23}"#).unwrap();
    let other = format!(
        "{shown} is the data folder of agent \"my-agent\"; use stdio my-agent --data {shown}. simplex-mcp doctor"
    );
    assert!(refused().contains(&other), "{}", refused());
    assert!(!data.join("serve.log").exists());
}
