//! A client that writes bytes and reads whole answers, so that it can do what no library does.
#![allow(clippy::unwrap_in_result, reason = "an answer that can't be read fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use super::rig::{Rig, TOKEN};

pub(crate) struct Client {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(sent, _)| sent == name).map(|(_, value)| value.as_str())
    }
}

impl Client {
    pub(crate) fn connect(rig: &Rig) -> Self {
        Self::to(rig.address)
    }

    pub(crate) fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.set_nodelay(true).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Self { stream, reader }
    }

    /// Writes bytes; a server that has closed already is seen when its answer is read.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let _ = self.stream.write_all(bytes.as_ref());
        self
    }

    /// Writes bytes, all of which the server has to take.
    pub(crate) fn send_all(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        self.stream.write_all(bytes.as_ref())
    }

    /// Closes the sending half.
    pub(crate) fn half_close(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    /// The next answer.
    pub(crate) fn answer(&mut self) -> Answer {
        self.maybe_answer().expect("an answer")
    }

    /// The next answer, or `None` when the server closes without one.
    pub(crate) fn maybe_answer(&mut self) -> Option<Answer> {
        let (mut status, mut headers) = self.head()?;
        while (100..200).contains(&status) {
            (status, headers) = self.head()?;
        }
        let mut answer = Answer { status, headers, body: String::new() };
        let mut bytes = Vec::new();
        if answer.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                bytes.extend(chunk);
            }
        } else if let Some(length) = answer.header("content-length") {
            bytes.resize(length.parse().unwrap(), 0);
            self.reader.read_exact(&mut bytes).unwrap();
        } else if !matches!(status, 202 | 204) {
            self.reader.read_to_end(&mut bytes).unwrap();
        }
        answer.body = String::from_utf8(bytes).unwrap();
        Some(answer)
    }

    /// The status and the headers of the next answer; its body is not read.
    pub(crate) fn head(&mut self) -> Option<(u16, Vec<(String, String)>)> {
        let line = self.line()?;
        let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("{line:?}")).parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Some((status, headers));
            }
            let (name, value) = line.split_once(':').unwrap();
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    /// The next chunk; `None` for the last one.
    pub(crate) fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = usize::from_str_radix(&self.line().expect("a chunk"), 16).unwrap();
        let mut bytes = vec![0; size + 2];
        self.reader.read_exact(&mut bytes).unwrap();
        bytes.truncate(size);
        (size > 0).then_some(bytes)
    }

    /// Whether the server closes without sending more.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.reader.read(&mut [0]), Ok(0))
            || self.stream.take_error().ok().flatten().is_some()
            || self.stream.peer_addr().is_err()
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end_matches("\r\n").to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }
}

/// The head of a good request, up to its length and the empty line.
pub(crate) fn good_head() -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
    )
}

/// A whole good request.
pub(crate) fn post(body: &str) -> String {
    format!("{}Content-Length: {}\r\n\r\n{body}", good_head(), body.len())
}

/// A good request that takes no event stream.
pub(crate) fn post_for_json(body: &str) -> String {
    post(body).replacen("\r\n", "\r\nAccept: application/json\r\n", 1)
}

pub(crate) fn ping(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

pub(crate) fn call(id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},"_meta":{{"progressToken":{id}}}}}}}"#
    )
}
