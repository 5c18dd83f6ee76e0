//! The endpoint: whether it listens, refuses strangers and knows its control chat.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use simplex_agent_adapters::files::Holder;

use super::{Finding, Patient, folder};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// A request that changes nothing, and that needs nothing but the token.
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
/// One that tells the version.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"doctor","version":"1"}}}"#;
/// The longest answer that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// Why there is no answer.
enum Trouble {
    /// None came in time.
    Late,
    /// It failed.
    Failed(String),
}

pub(super) fn look(patient: &Patient) -> Vec<Finding> {
    let Some(info) = &patient.info else { return Vec::new() };
    let port = match &patient.holder {
        Err(_) => return Vec::new(),
        // That it is another program's is told.
        Ok(Holder::Nobody) if patient.is_taken => return Vec::new(),
        Ok(Holder::Nobody) => return vec![Finding::Good(format!("port: {} is free", info.port))],
        Ok(Holder::Process { port: Some(port), .. }) => *port,
        // That the lock does not say more is told.
        Ok(Holder::Process { pid: None, .. }) => return Vec::new(),
        Ok(Holder::Process { .. }) => return vec![folder::starting(patient)],
    };
    let again = patient.stopped(&patient.serve_at(port, ""));
    let bad = |what: &str, trouble: Trouble| match trouble {
        Trouble::Late => {
            let more = if cfg!(unix) { "ulimit -n 4096; " } else { "" };
            let again = patient.stopped(&format!("{more}{}", patient.serve_at(port, "")));
            Finding::Bad(
                format!("{what} does not answer in time; it may be out of files or connections"),
                again,
            )
        }
        Trouble::Failed(reason) => Finding::Bad(format!("{what} does not answer: {reason}"), again.clone()),
    };
    let mut findings = vec![match status(port, None) {
        Ok(401) => Finding::Good(format!("port: {port} listens, and refuses who has no token")),
        Ok(other) => Finding::Bad(format!("port: {port} answers {other} without a token"), again.clone()),
        Err(trouble) => bad(&format!("port: {port}"), trouble),
    }];
    let token = patient.view.token().ok().flatten();
    if let (Finding::Good(_), Some(token)) = (&findings[0], token) {
        findings.push(match status(port, Some(token.reveal())) {
            Ok(200) => Finding::Good(format!(
                "MCP: answers at http://127.0.0.1:{port}/mcp{}{}",
                version(port, token.reveal()),
                control(patient)
            )),
            Ok(503) => Finding::Bad("MCP: the start is not done yet".to_owned(), patient.wait()),
            Ok(401) => {
                Finding::Bad("MCP: the server refuses the token of its folder".to_owned(), again.clone())
            }
            Ok(other) => Finding::Bad(format!("MCP: answers {other}"), again.clone()),
            Err(trouble) => bad("MCP: the server", trouble),
        });
    }
    findings
}

/// What `state.json` says of the control chat.
fn control(patient: &Patient) -> String {
    let state: Option<Value> =
        patient.view.read("state.json").ok().flatten().and_then(|text| serde_json::from_str(&text).ok());
    let created = state.as_ref().and_then(|state| state.pointer("/control/createdAt")?.as_str());
    created.map(|at| format!(", control chat of {at}")).unwrap_or_default()
}

/// `, simplex-mcp VERSION`, as the server says.
fn version(port: u16, token: &str) -> String {
    let said = post(port, Some(token), INITIALIZE).ok();
    let answer: Option<Value> =
        said.and_then(|said| serde_json::from_str(said.split_once("\r\n\r\n")?.1.trim()).ok());
    let version = answer.as_ref().and_then(|answer| answer.pointer("/result/serverInfo/version")?.as_str());
    version.map(|version| format!(", simplex-mcp {version}")).unwrap_or_default()
}

/// The HTTP status of a ping.
fn status(port: u16, token: Option<&str>) -> Result<u16, Trouble> {
    let said = post(port, token, PING)?;
    let status = said.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    status.ok_or_else(|| Trouble::Failed("what answers is no HTTP server".to_owned()))
}

/// An answer as it comes, or its beginning.
fn post(port: u16, token: Option<&str>, body: &str) -> Result<String, Trouble> {
    let say = |error: io::Error| match error.kind() {
        // A patience that ends has either name.
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Trouble::Late,
        _ => Trouble::Failed(error.to_string()),
    };
    let mut stream =
        TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)), PATIENCE).map_err(say)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(say)?;
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{token}Content-Type: application/json\r\nAccept: \
         application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).map_err(say)?;
    let mut answer = Vec::new();
    let read = stream.take(LONGEST).read_to_end(&mut answer);
    // What came before a reset counts.
    if answer.is_empty() {
        read.map_err(say)?;
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
