//! A running server, and calls of its tools.
#![allow(dead_code, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Ended, Home, library_folder};

/// How long a line, or the end, may take. Only a hung server needs it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A server whose lines are read as they come.
pub(crate) struct Running {
    pub(crate) child: Child,
    lines: mpsc::Receiver<String>,
    pub(crate) seen: Vec<String>,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { child, lines, seen: Vec::new() }
    }

    /// Reads lines until one begins so.
    pub(crate) fn until(&mut self, start: &str) -> &str {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.seen.push(line),
                Err(_) => {
                    let _ = self.child.kill();
                    let mut errors = String::new();
                    let _ = self.child.stderr.take().map(|mut stderr| stderr.read_to_string(&mut errors));
                    panic!("no line {start:?} among {:#?}; stderr: {errors}", self.seen);
                }
            }
            if self.seen.last().unwrap().starts_with(start) {
                return self.seen.last().unwrap();
            }
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end.
    pub(crate) fn end(mut self) -> Ended {
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.seen.push(line);
        }
        let stdout: String = self.seen.iter().map(|line| format!("{line}\n")).collect();
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Ended { code: self.child.wait().unwrap().code(), stdout, stderr }
    }

    /// Asks it to stop, and waits for the end.
    pub(crate) fn stop(self, signal: Signal) -> Ended {
        self.signal(signal);
        self.end()
    }
}

impl Drop for Running {
    /// A test that fails leaves no server behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that is free now. Nothing else of these tests takes it: the system gives them in turn.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// `serve my-agent` on a port, over the simulator in process or over its library.
pub(crate) fn serve(home: &Home, port: u16, library: bool, more: &[&str]) -> Command {
    let port = port.to_string();
    let mut args = vec!["serve", "my-agent", "--port", &port];
    if !library {
        args.extend(["--core", "sim"]);
    }
    args.extend(more);
    let mut command = home.command(&args);
    if library {
        command.env("SIMPLEX_LIBS_DIR", library_folder());
    }
    command
}

/// An answer of the MCP endpoint.
pub(crate) struct Answer {
    /// For example `HTTP/1.1 200 OK`.
    pub(crate) status: String,
    /// The body; of a stream, the data of its last event.
    pub(crate) body: String,
}

/// Sends a request as it is; the server closes when it has refused it.
pub(crate) fn raw(port: u16, request: &str) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    // A server that refuses before it has read everything may close meanwhile.
    let _ = stream.write_all(request.as_bytes());
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let answer = read_to_end(&mut stream);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    Answer { status: head.lines().next().unwrap().to_owned(), body: body.to_owned() }
}

/// Posts a JSON-RPC message with a token.
pub(crate) fn post(port: u16, token: &str, message: &Value) -> Answer {
    let message = message.to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: \
         application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: \
         close\r\n\r\n{message}",
        message.len()
    )
    .unwrap();
    let answer = read_to_end(&mut stream);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { unchunked(body) } else { body.to_owned() };
    let last = body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
    Answer { status: head.lines().next().unwrap().to_owned(), body: last.unwrap_or(&body).to_owned() }
}

/// Everything that comes until the other side closes; comments of a stream shall not prolong the patience.
fn read_to_end(stream: &mut TcpStream) -> String {
    let until = Instant::now() + PATIENCE;
    let (mut answer, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return String::from_utf8(answer).unwrap(),
            Ok(length) => answer.extend_from_slice(&buffer[..length]),
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}")
            }
        }
        assert!(Instant::now() < until, "no end of {}", String::from_utf8_lossy(&answer));
    }
}

/// Calls a tool; its structured result. Panics on an error of the call.
pub(crate) fn call(port: u16, token: &str, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": "c1", "method": "tools/call", "params": params});
    let answer = post(port, token, &message);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["id"], "c1", "{body}");
    assert_eq!(body["result"]["isError"], false, "{body}");
    body["result"]["structuredContent"].clone()
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
        if size == 0 {
            break;
        }
    }
    whole
}
