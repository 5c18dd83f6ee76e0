//! `ws://HOST:PORT`, on this machine.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// Where `simplex-chat -p PORT` listens: a loopback address and a port.
///
/// Nothing else is taken: the connection is neither encrypted nor authenticated, so that on a network anyone could read
/// and write the chats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(SocketAddr);

/// Why a text is no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// It has another form.
    Form,
    /// Its host is not this machine.
    NotLoopback,
}

impl Address {
    /// The socket address.
    pub const fn socket(self) -> SocketAddr {
        self.0
    }

    /// The port.
    pub const fn port(self) -> u16 {
        self.0.port()
    }
}

impl FromStr for Address {
    type Err = AddressError;

    /// Reads `ws://127.0.0.1:5225`, `ws://localhost:5225`, `ws://[::1]:5225`, each with or without a slash at the end.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let rest = text.strip_prefix("ws://").ok_or(AddressError::Form)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = rest.rsplit_once(':').ok_or(AddressError::Form)?;
        let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse().ok().filter(|port| digits && *port != 0).ok_or(AddressError::Form)?;
        let host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(host) => IpAddr::V6(host.parse().map_err(|_| AddressError::Form)?),
            // What simplex-chat listens on; a name server is not asked.
            None if host == "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
            None => IpAddr::V4(host.parse().map_err(|_| other(host))?),
        };
        if host.is_loopback() {
            Ok(Self(SocketAddr::new(host, port)))
        } else {
            Err(AddressError::NotLoopback)
        }
    }
}

/// A name that may be another machine's, or no name at all.
fn other(host: &str) -> AddressError {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-' || c == '_';
    if !host.is_empty() && host.chars().all(is_name) { AddressError::NotLoopback } else { AddressError::Form }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ws://{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WS-01, WS-02
    #[test]
    fn addresses() {
        for (text, address) in [
            ("ws://127.0.0.1:5225", "ws://127.0.0.1:5225"),
            ("ws://127.0.0.1:5225/", "ws://127.0.0.1:5225"),
            ("ws://localhost:1", "ws://127.0.0.1:1"),
            ("ws://127.8.9.10:65535", "ws://127.8.9.10:65535"),
            ("ws://[::1]:5225", "ws://[::1]:5225"),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), address, "{text}");
        }
        for text in
            ["ws://192.168.1.2:5225", "ws://0.0.0.0:5225", "ws://example.com:5225", "ws://[fd00::1]:1"]
        {
            assert_eq!(text.parse::<Address>(), Err(AddressError::NotLoopback), "{text}");
        }
        for text in [
            "",
            "ws://",
            "ws://:5225",
            "ws://127.0.0.1",
            "ws://127.0.0.1:",
            "ws://127.0.0.1:0",
            "ws://127.0.0.1:65536",
            "ws://127.0.0.1:+5",
            "ws://127.0.0.1:5225/x",
            "ws://me@127.0.0.1:5225",
            "ws://::1:5225",
            "ws://[::1:5225",
            "wss://127.0.0.1:5225",
            "http://127.0.0.1:5225",
        ] {
            assert_eq!(text.parse::<Address>(), Err(AddressError::Form), "{text}");
        }
    }
}
