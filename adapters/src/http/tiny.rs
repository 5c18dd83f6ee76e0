//! The front end on `tiny_http`, for hosts that want fewer packages. It is not the default, because of what its crate
//! (0.12) can't do:
//!
//! - **Leaving clients** are noticed only by a write that fails: a stream's comment or event, the first after a reset
//!   or the second after an orderly close. While a plain answer is pending there is no sign; core opens a stream after
//!   200 ms, so this lasts no longer than the next comment but for clients that take no stream.
//! - **Connections** have a thread each, without limit in number, head size, header count or time.
//! - **Closing** a connection is not possible: `Connection: close` asks the client to do it, and idle connections stay
//!   until the process ends.
//! - **A body that is not read** is allocated whole when its request is dropped, so that a declared length of terabytes
//!   would abort the process. Such a request is answered and then leaked: one connection each, which is the lesser
//!   evil.
//! - **An error while accepting** ends it for good.

use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use simplex_agent_core::effect::Outcome;
use simplex_agent_core::id::{OpId, RequestId};
use simplex_agent_core::mcp::http::{
    Body, Head, Header, Limits, Reply, Token, admit, authorized, crowded, head_too_large,
};
use smol::future::block_on;
use tiny_http::{HTTPVersion, Request, Response, Server, StatusCode};

use super::budget::Held;
use super::requests::{OpenRequest, Part, Requests};
use crate::driver::{Front, Inbox};

/// What is read and dropped of a body that is refused, in bytes at most.
const DROPPED: usize = 16 * 1024 * 1024;

/// The front end on `tiny_http`, on threads of its own.
pub struct TinyFront {
    port: u16,
    token: Arc<Token>,
    requests: Arc<Requests>,
    server: Option<Arc<Server>>,
    address: Option<SocketAddr>,
}

impl TinyFront {
    /// A front end for a port of 127.0.0.1; port 0 takes any free one.
    pub fn new(port: u16, token: Arc<Token>, inbox: Inbox) -> Self {
        Self { port, token, requests: Requests::new(inbox, &Limits::SERVED), server: None, address: None }
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    fn bind(&mut self) -> io::Result<()> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port))?;
        let address = listener.local_addr()?;
        let server = Arc::new(Server::from_listener(listener, None).map_err(io::Error::other)?);
        let (accepting, token, requests) = (server.clone(), self.token.clone(), self.requests.clone());
        thread::Builder::new().name("http".to_owned()).spawn(move || {
            while let Ok(request) = accepting.recv() {
                let (token, requests) = (token.clone(), requests.clone());
                // Without a thread the request is dropped, which answers it with 500.
                let _ = thread::Builder::new().spawn(move || serve(request, &token, &requests));
            }
        })?;
        self.server = Some(server);
        self.address = Some(address);
        Ok(())
    }
}

impl Front for TinyFront {
    fn listen(&mut self, op: OpId) {
        let outcome = match self.bind() {
            Ok(()) => Outcome::Ok,
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => Outcome::AddrInUse,
            Err(error) => Outcome::Failed(error.to_string()),
        };
        self.requests.inbox().done(op, outcome);
    }

    fn reply(&mut self, request: RequestId, reply: Reply) {
        self.requests.give(request, Part::Reply(reply));
    }

    fn open(&mut self, request: RequestId, headers: Vec<(String, String)>) {
        self.requests.give(request, Part::Open(headers));
    }

    fn send(&mut self, request: RequestId, text: String) {
        self.requests.give(request, Part::Send(text));
    }

    fn close(&mut self, request: RequestId) {
        self.requests.give(request, Part::Close);
    }

    fn close_all(&mut self) {
        self.requests.close();
        // Its drop, after the accepting thread's, ends the listening socket.
        if let Some(server) = self.server.take() {
            server.unblock();
        }
    }
}

impl Drop for TinyFront {
    fn drop(&mut self) {
        self.close_all();
    }
}

/// Serves one request.
fn serve(mut request: Request, token: &Token, requests: &Arc<Requests>) {
    let head = head(&request, token);
    let admitted =
        if head_length(&request) > Limits::SERVED.head { Err(head_too_large()) } else { admit(&head) };
    if let Err(reply) = admitted {
        return refuse(request, &head, reply);
    }
    let mut held = requests.hold();
    let body = match read(&mut request, &mut held) {
        Ok(body) => body,
        Err(reply) => return refuse(request, &head, reply),
    };
    let Some(open) = requests.begin(head, body, held) else { return };
    let old = *request.http_version() < HTTPVersion(1, 1);
    let mut writer = request.into_writer();
    // An answer whose last byte was accepted counts as delivered: whether the client closed is not to be seen.
    if write(&mut writer, &open, old).is_ok() {
        open.delivered();
    }
}

/// The bytes of a head as it was sent, spaces around values aside.
fn head_length(request: &Request) -> usize {
    let line = request.method().as_str().len() + request.url().len() + "  HTTP/1.1\r\n".len();
    let header = |header: &tiny_http::Header| {
        header.field.as_str().as_str().len() + header.value.as_str().len() + ": \r\n".len()
    };
    line + request.headers().iter().map(header).sum::<usize>() + "\r\n".len()
}

/// The head as the machine sees it. What could carry a secret is left out, so that no record can hold it.
fn head(request: &Request, token: &Token) -> Head {
    let (mut headers, mut bearers) = (Vec::new(), Vec::new());
    for header in request.headers() {
        let name = header.field.as_str().as_str().to_ascii_lowercase();
        let value = header.value.as_str().trim_matches([' ', '\t']).to_owned();
        match name.as_str() {
            "authorization" => bearers.push(value),
            "proxy-authorization" | "cookie" => {}
            _ => headers.push((name, value)),
        }
    }
    let bearer = if let [bearer] = bearers.as_slice() { Some(bearer.as_str()) } else { None };
    Head {
        method: request.method().as_str().to_owned(),
        target: request.url().to_owned(),
        headers,
        authorized: authorized(bearer, token),
    }
}

/// The body, at most as long as the limit allows; how long it takes is not limited.
///
/// # Errors
/// There is no room for it beside the others.
fn read(request: &mut Request, held: &mut Held) -> Result<Body, Reply> {
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 16 * 1024]);
    let whole = request.body_length();
    loop {
        let length = match request.as_reader().read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Ok(Body::Broken),
            Ok(0) => break,
            Ok(length) => length,
        };
        if bytes.len() + length > Limits::SERVED.body {
            return Ok(Body::TooLarge);
        }
        if !held.grow(length) {
            return Err(crowded());
        }
        bytes.extend(piece.iter().take(length));
    }
    Ok(match whole {
        Some(whole) if bytes.len() < whole => Body::Broken,
        _ => String::from_utf8(bytes).map_or(Body::NotUtf8, Body::Text),
    })
}

/// Answers a request whose body is not read.
fn refuse(request: Request, head: &Head, reply: Reply) {
    let declared = match head.header("content-length") {
        Header::One(length) => length.parse().unwrap_or(usize::MAX),
        Header::None | Header::Many => request.body_length().unwrap_or_default(),
    };
    if declared <= Limits::SERVED.body && request.body_length().unwrap_or_default() <= Limits::SERVED.body {
        let mut response = Response::from_data(reply.body).with_status_code(reply.status);
        for (name, value) in &reply.headers {
            if let Ok(header) = tiny_http::Header::from_bytes(name.as_bytes(), value.as_bytes()) {
                response.add_header(header);
            }
        }
        // The answer goes out first; what is left of the body is read when the request is dropped.
        let _ = request.respond(response);
        return;
    }
    // The one way to hold the reader and the writer apart begins with a head of its own: an interim one, which clients
    // skip.
    let mut stream = request.upgrade("none", Response::new_empty(StatusCode(103)));
    let _ = write_whole(&mut stream, &reply);
    // A client that sends its body before it reads is not held up.
    if declared <= DROPPED {
        let _ = io::copy(&mut (&mut stream).take(declared as u64), &mut io::sink());
    }
    std::mem::forget(stream);
}

/// Writes an answer as its parts come.
///
/// # Errors
/// It was not accepted to the last byte, or there is none.
fn write(writer: &mut dyn Write, open: &OpenRequest, old: bool) -> io::Result<()> {
    match part(open) {
        Part::Reply(reply) => write_whole(writer, &reply),
        Part::Open(headers) => write_stream(writer, &headers, open, old),
        Part::Send(_) | Part::Close | Part::Abort => Err(aborted()),
    }
}

/// Waits for the next part of an answer.
fn part(open: &OpenRequest) -> Part {
    block_on(poll_fn(|context| open.poll_part(context)))
}

fn write_whole(writer: &mut dyn Write, reply: &Reply) -> io::Result<()> {
    let length = ("Content-Length".to_owned(), reply.body.len().to_string());
    let head = status_line(reply.status, reply.headers.iter().chain([&length]));
    writer.write_all((head + &reply.body).as_bytes())?;
    writer.flush()
}

/// Each part is flushed by itself. HTTP/1.0 has no chunks: its stream ends with the connection.
fn write_stream(
    writer: &mut dyn Write,
    headers: &[(String, String)],
    open: &OpenRequest,
    old: bool,
) -> io::Result<()> {
    let framing = if old { ("Connection", "close") } else { ("Transfer-Encoding", "chunked") };
    let framing = (framing.0.to_owned(), framing.1.to_owned());
    writer.write_all(status_line(200, headers.iter().chain([&framing])).as_bytes())?;
    writer.flush()?;
    loop {
        let text = match part(open) {
            Part::Send(text) if old => text,
            Part::Send(text) => format!("{:x}\r\n{text}\r\n", text.len()),
            Part::Close if old => return Ok(()),
            Part::Close => {
                writer.write_all(b"0\r\n\r\n")?;
                return writer.flush();
            }
            Part::Reply(_) | Part::Open(_) | Part::Abort => return Err(aborted()),
        };
        writer.write_all(text.as_bytes())?;
        writer.flush()?;
    }
}

fn status_line<'a>(status: u16, headers: impl Iterator<Item = &'a (String, String)>) -> String {
    let mut head = format!("HTTP/1.1 {status} {}\r\n", StatusCode(status).default_reason_phrase());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head + "\r\n"
}

fn aborted() -> io::Error {
    io::Error::other("the server closes")
}
