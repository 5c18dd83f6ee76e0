//! The endpoint: whether it listens, refuses strangers and knows its control chat.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use simplex_agent_adapters::files::Holder;

use super::{Finding, Patient};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// A request that changes nothing, and that needs nothing but the token.
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

pub(super) fn look(patient: &Patient) -> Vec<Finding> {
    let Some(info) = &patient.info else { return Vec::new() };
    let (port, serve) = (info.port, &patient.serve);
    let again = format!("stop the server, then {serve} --port {port}");
    if patient.holder == Holder::Nobody {
        // The token is not shown to whoever that is.
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        return match TcpStream::connect_timeout(&address, PATIENCE) {
            Err(_) => vec![Finding::Good(format!("port: {port} is free"))],
            Ok(_) => vec![Finding::Bad(
                format!("port: {port} is another program's"),
                format!("{serve} --port {} --new-token", port.wrapping_add(1).max(1024)),
            )],
        };
    }
    if matches!(patient.holder, Holder::Process { port: None, .. }) {
        return vec![Finding::Bad(
            "server: starts, and does not listen yet".to_owned(),
            "wait, and look at the server's lines".to_owned(),
        )];
    }
    let mut findings = vec![match status(port, None) {
        Ok(401) => Finding::Good(format!("port: {port} listens, and refuses who has no token")),
        Ok(other) => Finding::Bad(format!("port: {port} answers {other} without a token"), again.clone()),
        Err(reason) => Finding::Bad(format!("port: {port} does not answer: {reason}"), again.clone()),
    }];
    let token = patient.view.token().ok().flatten();
    if let (Finding::Good(_), Some(token)) = (&findings[0], token) {
        findings.push(match status(port, Some(token.reveal())) {
            Ok(200) => {
                Finding::Good(format!("MCP: answers at http://127.0.0.1:{port}/mcp{}", control(patient)))
            }
            Ok(503) => Finding::Bad(
                "MCP: the start is not done yet".to_owned(),
                "wait, and look at the server's lines".to_owned(),
            ),
            Ok(401) => Finding::Bad("MCP: the server refuses the token of its folder".to_owned(), again),
            Ok(other) => Finding::Bad(format!("MCP: answers {other}"), again),
            Err(reason) => Finding::Bad(format!("MCP: {reason}"), again),
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

/// The HTTP status of a ping.
fn status(port: u16, token: Option<&str>) -> Result<u16, String> {
    let say = |error: std::io::Error| error.to_string();
    let mut stream =
        TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)), PATIENCE).map_err(say)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(say)?;
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{token}Content-Type: application/json\r\nAccept: \
         application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{PING}",
        PING.len()
    );
    stream.write_all(request.as_bytes()).map_err(say)?;
    let mut head = [0; 12];
    stream.read_exact(&mut head).map_err(say)?;
    let text = String::from_utf8_lossy(&head);
    let status = text.strip_prefix("HTTP/1.1 ").and_then(|status| status.parse().ok());
    status.ok_or_else(|| "what answers is no HTTP server".to_owned())
}
