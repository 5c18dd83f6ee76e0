//! One request for a file: redirects followed, nothing waited for without end.

use std::io::{self, Read};
use std::time::Duration;

use ureq::http::StatusCode;
use ureq::tls::TlsConfig;
use ureq::{Agent, Body, Error, Timeout};

use super::address::Address;
use super::{Network, trust};

/// How many redirects are followed. A release of the project takes one.
const REDIRECTS: u32 = 5;
/// The longest head of an answer, in bytes.
const HEAD: usize = 64 << 10;

/// How long is waited, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience(pub Duration);

impl Default for Patience {
    /// 30 s: for the connection with its proxy and TLS, for the head of an answer, and for each next part of the
    /// file. The whole file may take longer.
    fn default() -> Self {
        Self(Duration::from_secs(30))
    }
}

/// A file that is being received.
pub(super) struct Incoming {
    /// Its length in bytes, where the server tells.
    pub(super) length: Option<u64>,
    body: ureq::BodyReader<'static>,
    patience: Patience,
}

impl Incoming {
    /// The next bytes, none at the end.
    ///
    /// # Errors
    ///
    /// What a person can read.
    pub(super) fn read(&mut self, piece: &mut [u8]) -> Result<usize, String> {
        loop {
            match self.body.read(piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read.map_err(|error| io_reason(&error, self.patience)),
            }
        }
    }
}

/// Asks for a file. The status must be 200.
///
/// # Errors
///
/// What a person can read; it names the address that did not give the file when that is another one.
pub(super) fn get(asked: &Address, network: &Network, patience: Patience) -> Result<Incoming, String> {
    let mut address = asked.clone();
    for _ in 0..=REDIRECTS {
        let answer = get_once(&address, network, patience);
        let answer = answer
            .map_err(|reason| if address == *asked { reason } else { format!("{address}: {reason}") })?;
        let status = answer.status();
        if status == StatusCode::OK {
            let body: Body = answer.into_body();
            return Ok(Incoming { length: body.content_length(), body: body.into_reader(), patience });
        }
        let location = answer.headers().get("location").and_then(|location| location.to_str().ok());
        let Some(location) = location.filter(|_| status.is_redirection()) else {
            let name = status.canonical_reason().unwrap_or_default();
            let from = if address == *asked { String::new() } else { format!("{address}: ") };
            return Err(format!("{from}the answer was {} {name}", status.as_u16()).trim_end().to_owned());
        };
        let next = address.follow(location);
        address = next.ok_or_else(|| format!("{address} redirects to {location}, which is not https"))?;
    }
    Err(format!("more than {REDIRECTS} redirects, the last to {address}"))
}

fn get_once(
    address: &Address,
    network: &Network,
    patience: Patience,
) -> Result<ureq::http::Response<Body>, String> {
    let Patience(limit) = patience;
    let proxy = network.proxies.of_address(address)?;
    let through = proxy.as_ref().and_then(|_| network.proxies.variable());
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .https_only(address.is_https())
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_response_header_size(HEAD)
        .proxy(proxy)
        .tls_config(TlsConfig::builder().root_certs(trust::roots(network.roots.as_deref())?).build())
        .user_agent(concat!("simplex-mcp/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(limit))
        .timeout_connect(Some(limit))
        .timeout_send_request(Some(limit))
        .timeout_recv_response(Some(limit))
        .timeout_per_read(Some(limit))
        .build()
        .into();
    agent.get(address.uri().clone()).call().map_err(|error| {
        let reason = reason(&error, patience);
        through
            .map_or_else(|| reason.clone(), |variable| format!("{reason} (through the proxy of {variable})"))
    })
}

/// An error of the client in words for a person.
fn reason(error: &Error, patience: Patience) -> String {
    match error {
        Error::Io(error) => io_reason(error, patience),
        Error::Timeout(timeout) => timeout_reason(*timeout, patience),
        Error::HostNotFound => "the host was not found".to_owned(),
        Error::ConnectionFailed => "no connection".to_owned(),
        other => one_line(&other.to_string()),
    }
}

fn io_reason(error: &io::Error, patience: Patience) -> String {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::Io(inner)) => io_reason(inner, patience),
        Some(inner) => reason(inner, patience),
        None if error.kind() == io::ErrorKind::TimedOut => timeout_reason(Timeout::PerRead, patience),
        None if error.kind() == io::ErrorKind::UnexpectedEof => {
            "the connection ended before the file".to_owned()
        }
        None => one_line(&error.to_string()),
    }
}

fn timeout_reason(timeout: Timeout, Patience(limit): Patience) -> String {
    let what = match timeout {
        Timeout::Resolve => "the host was not found",
        Timeout::Connect => "no connection",
        Timeout::RecvResponse => "no answer",
        _ => "nothing came",
    };
    format!("{what} for {} s", limit.as_secs_f64())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
