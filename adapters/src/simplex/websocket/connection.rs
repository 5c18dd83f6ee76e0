//! A connection to `simplex-chat -p PORT`, from the socket to the version of the core behind it.

use std::fmt;
use std::future::Future;
use std::time::{Duration, Instant};

use async_tungstenite::tungstenite::Error;
use async_tungstenite::tungstenite::error::ProtocolError;
use async_tungstenite::tungstenite::protocol::{Message, WebSocketConfig};
use async_tungstenite::{WebSocketReceiver, WebSocketSender, client_async_with_config};
use simplex_agent_core::simplex::response::{self, Response};
use smol::future::FutureExt;
use smol::net::TcpStream;
use smol::stream::StreamExt;

use super::Address;
use super::envelope::{self, Incoming};

/// The longest message taken, in bytes. A page of messages with their pictures has some MB, the list of ten thousand
/// chats some tens; more comes of no SimpleX core.
const LONGEST: usize = 128 << 20;
/// How long the socket and the handshake may take, each.
const OPENING: Duration = Duration::from_secs(5);
/// How long the first answer may take: commands of a client that was here before go first.
const HELLO: Duration = Duration::from_secs(10);
/// The number of the first command.
const FIRST: u64 = 0;
/// The oldest core taken (decisions 6).
const OLDEST: u32 = 7;

/// An open connection to a SimpleX core of a version that fits.
pub struct Connection {
    pub(super) address: Address,
    pub(super) sender: WebSocketSender<TcpStream>,
    pub(super) receiver: WebSocketReceiver<TcpStream>,
    /// Events that came before the first answer.
    pub(super) early: Vec<String>,
    pub(super) since: Instant,
    version: String,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectError {
    text: String,
    /// Whether a later try may go better.
    pub(super) again: bool,
}

impl fmt::Display for ConnectError {
    /// One line with the remedy.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for ConnectError {}

impl Connection {
    /// Connects, and asks for the version of the core.
    ///
    /// # Errors
    ///
    /// Nobody listens there, or someone who is no SimpleX core of release 7.0 or later.
    pub async fn open(address: Address) -> Result<Self, ConnectError> {
        let socket = within(OPENING, TcpStream::connect(address.socket())).await;
        let socket = match socket {
            Some(Ok(socket)) => socket,
            Some(Err(error)) => return Err(absent(address, &error.to_string())),
            None => return Err(absent(address, "it does not accept the connection")),
        };
        let config = WebSocketConfig::default().max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST));
        let url = format!("{address}/");
        let handshake = within(OPENING, client_async_with_config(url, socket, Some(config))).await;
        let stream = match handshake {
            Some(Ok((stream, _))) => stream,
            Some(Err(Error::Io(error))) => return Err(absent(address, &error.to_string())),
            // A forwarded port is closed like this while nobody listens at its other end.
            Some(Err(Error::Protocol(ProtocolError::HandshakeIncomplete))) => {
                return Err(absent(address, "it closed the connection"));
            }
            Some(Err(error)) => return Err(another(address, &error.to_string())),
            None => return Err(another(address, "no handshake")),
        };
        let (sender, receiver) = stream.split();
        let (early, since, version) = (Vec::new(), Instant::now(), String::new());
        let mut connection = Self { address, sender, receiver, early, since, version };
        let version =
            within(HELLO, connection.ask_version()).await.unwrap_or_else(|| Err(silent(address)))?;
        connection.version.clone_from(&version);
        if is_new(&version) { Ok(connection) } else { Err(old(address, &version)) }
    }

    /// The version that the core told, such as `7.0.2.0`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Asks for the version of the core.
    async fn ask_version(&mut self) -> Result<String, ConnectError> {
        let address = self.address;
        let command = envelope::command(FIRST, "/version");
        if let Err(error) = self.sender.send(Message::text(command)).await {
            return Err(absent(address, &Ended::of(&error).reason));
        }
        loop {
            let text = match next(&mut self.receiver).await {
                Ok(text) => text,
                Err(Ended { reason, again: true }) => return Err(absent(address, &reason)),
                Err(Ended { reason, again: false }) => return Err(another(address, &reason)),
            };
            match envelope::read(&text) {
                Incoming::Answer(FIRST, Some(answer)) => {
                    return match response::decode(&answer) {
                        Ok(Response::Version(version)) => Ok(version),
                        _ => Err(another(address, "no version")),
                    };
                }
                Incoming::Answer(FIRST, None) => return Err(another(address, "no answer to /version")),
                Incoming::Event(event) => self.early.push(event),
                Incoming::Answer(..) | Incoming::Stray => {}
            }
        }
    }
}

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// For the person at the terminal.
    pub(super) reason: String,
    /// Whether a new connection may go better.
    pub(super) again: bool,
}

impl Ended {
    /// What an error of the connection means. One that breaks the rules of WebSocket would do so again.
    pub(super) fn of(error: &Error) -> Self {
        let again = matches!(
            error,
            Error::ConnectionClosed
                | Error::AlreadyClosed
                | Error::Io(_)
                | Error::Protocol(
                    ProtocolError::ResetWithoutClosingHandshake | ProtocolError::SendAfterClosing
                )
        );
        let reason = match error {
            Error::Io(error) => error.to_string(),
            _ if again => "it closed the connection".to_owned(),
            Error::Capacity(_) => {
                format!("it sent a message of more than {} MiB", LONGEST >> 20)
            }
            _ => format!("it does not keep to WebSocket ({error})"),
        };
        Self { reason, again }
    }
}

/// The next text. A binary message of text is one; other binary messages are passed over.
pub(super) async fn next(receiver: &mut WebSocketReceiver<TcpStream>) -> Result<String, Ended> {
    loop {
        match receiver.next().await {
            Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_owned()),
            Some(Ok(Message::Binary(bytes))) => {
                if let Ok(text) = std::str::from_utf8(&bytes) {
                    return Ok(text.to_owned());
                }
            }
            // A ping is answered by the library; a close is followed by the end.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_))) => {}
            Some(Err(error)) => return Err(Ended::of(&error)),
            None => return Err(Ended::of(&Error::ConnectionClosed)),
        }
    }
}

/// What comes of a future, when it comes in time.
pub(super) async fn within<T>(time: Duration, future: impl Future<Output = T>) -> Option<T> {
    let late = async {
        smol::Timer::after(time).await;
        None
    };
    async { Some(future.await) }.or(late).await
}

/// Whether this core is of a release that is taken: `7.0.0.6` is.
fn is_new(version: &str) -> bool {
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| major >= OLDEST)
}

fn absent(address: Address, reason: &str) -> ConnectError {
    let text = format!(
        "No simplex-chat at {address}: {}. Start simplex-chat -p {} and leave it running.",
        reason.trim_end_matches('.'),
        address.port()
    );
    ConnectError { text, again: true }
}

fn silent(address: Address) -> ConnectError {
    let text = format!(
        "{address} did not answer /version within {} s. If it is simplex-chat -p, wait until it has finished what it is \
         doing.",
        HELLO.as_secs()
    );
    ConnectError { text, again: true }
}

fn another(address: Address, reason: &str) -> ConnectError {
    let reason = reason.trim_end_matches('.');
    let text = format!(
        "{address} does not answer as simplex-chat does: {reason}. Give --core the port of simplex-chat -p PORT."
    );
    ConnectError { text, again: false }
}

fn old(address: Address, version: &str) -> ConnectError {
    let text = format!(
        "{address} runs SimpleX core {version}, which is too old; run simplex-chat of release 7.0 or later."
    );
    ConnectError { text, again: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WS-05
    #[test]
    fn versions() {
        for (version, fits) in [
            ("7.0.0.6", true),
            ("7.1", true),
            ("v7.0.0", true),
            ("10.0", true),
            ("6.4.3.1", false),
            ("6.5", false),
            ("", false),
            ("x", false),
            ("-7.0", false),
        ] {
            assert_eq!(is_new(version), fits, "{version}");
        }
    }
}
