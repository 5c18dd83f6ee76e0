//! A server for archives, and a proxy, on this machine. They do what a test wants of them, good or bad.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The certificate of `mirror.example` and `other.example`, and its key, made anew for each run.
fn identity() -> &'static CertifiedKey<KeyPair> {
    static IDENTITY: OnceLock<CertifiedKey<KeyPair>> = OnceLock::new();
    let names = ["mirror.example", "other.example"].map(str::to_owned);
    IDENTITY.get_or_init(|| generate_simple_self_signed(names).unwrap())
}

/// The certificate of every mirror, for the file of those that are trusted.
pub(crate) fn certificate() -> String {
    identity().cert.pem()
}

/// A connection, with or without TLS.
pub(crate) trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// A server that keeps the heads of its requests.
pub(crate) struct Mirror {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Mirror {
    /// Answers each request with what a function does with its head and its connection, which is closed then.
    pub(crate) fn new(answer: impl Fn(&str, &mut dyn Stream) + Send + Sync + 'static) -> Self {
        Self::listen(move |head, stream| answer(head, stream), |stream| Box::new(stream))
    }

    /// The same behind TLS.
    pub(crate) fn with_tls(answer: impl Fn(&str, &mut dyn Stream) + Send + Sync + 'static) -> Self {
        let certificate = identity().cert.der().clone();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(identity().signing_key.serialize_der()));
        let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key);
        let config = Arc::new(config.unwrap());
        let wrap = move |stream| -> Box<dyn Stream> {
            Box::new(StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream))
        };
        Self::listen(move |head, stream| answer(head, stream), wrap)
    }

    /// Answers each request with these bytes.
    pub(crate) fn raw(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::new(move |_, stream| {
            let _ = stream.write_all(&answer);
        })
    }

    /// Gives a file.
    pub(crate) fn file(body: &[u8]) -> Self {
        Self::raw(file(body))
    }

    /// Asks another server on this machine whatever it is asked to connect to.
    pub(crate) fn proxy_to(port: u16) -> Self {
        Self::new(move |_, stream| {
            stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
            tunnel(stream, TcpStream::connect(("127.0.0.1", port)).unwrap());
        })
    }

    fn listen(
        answer: impl Fn(&str, &mut dyn Stream) + Send + Sync + 'static,
        wrap: impl Fn(TcpStream) -> Box<dyn Stream> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, heads): (_, Arc<Mutex<Vec<String>>>) =
            (listener.local_addr().unwrap().port(), Arc::default());
        let (kept, shared) = (Arc::clone(&heads), Arc::new((answer, wrap)));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (kept, shared) = (Arc::clone(&kept), Arc::clone(&shared));
                thread::spawn(move || {
                    let stream = stream.unwrap();
                    // A proxy reads and writes at once in small parts.
                    stream.set_read_timeout(Some(std::time::Duration::from_millis(10))).unwrap();
                    let mut stream = (shared.1)(stream);
                    let Some(head) = head(&mut stream) else { return };
                    kept.lock().unwrap().push(head.clone());
                    (shared.0)(&head, &mut stream);
                    let _ = stream.flush();
                });
            }
        });
        Self { port, heads }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The address of a path of a server without TLS.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// The heads of the requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

/// A whole answer with a file.
pub(crate) fn file(body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

/// An answer that leads elsewhere.
pub(crate) fn redirect(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").into_bytes()
}

/// Waits until the client has gone.
pub(crate) fn hang(stream: &mut dyn Stream) {
    while may_read(stream, &mut [0; 64]).is_none_or(|count| count > 0) {}
}

/// The path of a request.
pub(crate) fn path(head: &str) -> &str {
    head.split(' ').nth(1).unwrap_or_default()
}

fn head(stream: &mut dyn Stream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match may_read(stream, &mut byte) {
            Some(0) => return None,
            Some(_) => head.push(byte[0]),
            None => {}
        }
    }
    Some(String::from_utf8(head).unwrap())
}

/// Bytes, zero for the end; none when nothing came for a while.
fn may_read(stream: &mut dyn Stream, piece: &mut [u8]) -> Option<usize> {
    use std::io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    match stream.read(piece) {
        Ok(count) => Some(count),
        Err(error) if matches!(error.kind(), Interrupted | TimedOut | WouldBlock) => None,
        Err(_) => Some(0),
    }
}

/// Copies in both directions until one side ends.
fn tunnel(client: &mut dyn Stream, mut server: TcpStream) {
    server.set_read_timeout(Some(std::time::Duration::from_millis(10))).unwrap();
    let mut piece = vec![0; 1 << 14];
    loop {
        for turn in [true, false] {
            let (from, to): (&mut dyn Stream, &mut dyn Stream) =
                if turn { (&mut *client, &mut server) } else { (&mut server, &mut *client) };
            match may_read(from, &mut piece) {
                Some(0) => return,
                Some(count) if to.write_all(&piece[..count]).is_err() => return,
                Some(_) | None => {}
            }
        }
    }
}
