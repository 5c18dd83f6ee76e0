//! A small MCP client: requests of revision 2026-07-28 over a socket of their own, one each.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

const REVISION: &str = "2026-07-28";
/// How long the server may be silent; its comments come every 15 s.
const SILENCE: Duration = Duration::from_secs(60);

/// The agent's end of the MCP endpoint.
#[derive(Debug)]
pub(super) struct Client {
    port: u16,
    token: String,
}

impl Client {
    /// A client of a server on 127.0.0.1.
    pub(super) fn new(port: u16, token: &str) -> Self {
        Self { port, token: token.to_owned() }
    }

    /// Where the endpoint is.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// The bearer token.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Calls a tool; its progress messages are told as they come.
    ///
    /// # Errors
    ///
    /// What the tool says is wrong with the call, or why there is no answer.
    pub(super) fn call(
        &self,
        tool: &str,
        arguments: &Value,
        progress: impl FnMut(&str),
    ) -> Result<Value, String> {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.request("tools/call", params, Some(tool), progress)?;
        if result["isError"] == true {
            let text = result.pointer("/content/0/text").and_then(Value::as_str);
            return Err(text.unwrap_or("an error without a text").to_owned());
        }
        Ok(result["structuredContent"].clone())
    }

    /// Sends one request and reads its answer to the end.
    ///
    /// # Errors
    ///
    /// The server's error, or why there is no answer.
    pub(super) fn request(
        &self,
        method: &str,
        mut params: Value,
        name: Option<&str>,
        mut progress: impl FnMut(&str),
    ) -> Result<Value, String> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": {"name": "simplex-mcp demo", "version": env!("CARGO_PKG_VERSION")},
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": "p",
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let name = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {REVISION}\r\nMcp-Method: {method}\r\n\
             {name}Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.port,
            self.token,
            message.len()
        );
        let body = self.exchange(&(head + &message)).map_err(|error| format!("{}: {error}", self.url()))?;
        // To the end: an answer counts as delivered when all of it was taken.
        let mut end = Err("the connection ended without an answer".to_owned());
        for line in body.lines() {
            let line = match line {
                Ok(line) => line,
                Err(error) if end.is_err() => return Err(format!("{}: {error}", self.url())),
                Err(_) => break,
            };
            let json = line.strip_prefix("data:").unwrap_or(&line).trim();
            let Ok(answer) = serde_json::from_str::<Value>(json) else { continue };
            if answer["method"] == "notifications/progress" {
                progress(answer["params"]["message"].as_str().unwrap_or_default());
            } else if let Some(result) = answer.get("result") {
                end = Ok(result.clone());
            } else if let Some(error) = answer.get("error") {
                return Err(error["message"].as_str().unwrap_or("an error without a message").to_owned());
            }
        }
        end
    }

    /// Writes a request; the body of its answer, to be read line by line: JSON on one line, or an event stream.
    fn exchange(&self, request: &str) -> Result<Box<dyn BufRead>, String> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(|error| error.to_string())?;
        stream.set_read_timeout(Some(SILENCE)).map_err(|error| error.to_string())?;
        (&stream).write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        let mut reader = BufReader::new(stream);
        let status = head_line(&mut reader)?;
        let mut is_chunked = false;
        loop {
            let line = head_line(&mut reader)?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            is_chunked |= line.starts_with("transfer-encoding:") && line.ends_with("chunked");
        }
        if !status.contains(" 200 ") {
            return Err(status);
        }
        if is_chunked {
            Ok(Box::new(BufReader::new(Chunked { inner: reader, left: 0, ended: false })))
        } else {
            Ok(Box::new(reader))
        }
    }
}

fn head_line(reader: &mut impl BufRead) -> Result<String, String> {
    let mut line = String::new();
    match reader.read_line(&mut line) {
        Ok(0) => Err("the connection ended without an answer".to_owned()),
        Ok(_) => Ok(line.trim_end().to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The content of a chunked body.
struct Chunked<R> {
    inner: R,
    /// What is left of the chunk.
    left: usize,
    ended: bool,
}

impl<R: BufRead> Read for Chunked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bad = |reason: &str| std::io::Error::other(reason.to_owned());
        while self.left == 0 && !self.ended {
            let mut size = String::new();
            self.inner.read_line(&mut size)?;
            // The line end behind the last chunk.
            if size == "\r\n" {
                continue;
            }
            self.left = usize::from_str_radix(size.trim(), 16).map_err(|_| bad("the answer was cut"))?;
            self.ended = self.left == 0;
        }
        let most = self.left.min(buffer.len());
        let read = self.inner.read(&mut buffer[..most])?;
        self.left -= read;
        if read == 0 && most > 0 { Err(bad("the answer was cut")) } else { Ok(read) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined() {
        let read = |bytes: &str| {
            let mut text = String::new();
            let mut body = Chunked { inner: bytes.as_bytes(), left: 0, ended: false };
            body.read_to_string(&mut text).map(|_| text).map_err(|error| error.to_string())
        };
        assert_eq!(read("4\r\nab\nc\r\n1\r\nd\r\n0\r\n\r\n").as_deref(), Ok("ab\ncd"));
        assert_eq!(read("0\r\n\r\n").as_deref(), Ok(""));
        for cut in ["", "4\r\nab", "4\r\nabcd\r\n", "x\r\n"] {
            assert_eq!(read(cut), Err("the answer was cut".to_owned()), "{cut:?}");
        }
    }
}
