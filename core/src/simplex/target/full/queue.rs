//! Queue addresses inside full links: `smp://KEYHASH@HOST,HOST:PORT/SENDER#/?v=1-4&dh=KEY&q=c`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;

use super::{X25519, take_key};
use crate::simplex::target::host::{legacy_onion, take_host};
use crate::simplex::target::query::{self, Query};
use crate::simplex::target::scan::Scan;

/// First version of a queue address that lists all hosts in the server's address.
const HOSTS_VERSION: u16 = 2;

/// First version that does not say by `k=s` that the sender can secure the queue.
const SHORT_LINKS_VERSION: u16 = 4;

/// The version of an address that names none.
const INITIAL: Versions = Versions { min: 1, max: 1 };

/// A range of protocol versions.
#[derive(Clone, Copy)]
pub(super) struct Versions {
    min: u16,
    pub(super) max: u16,
}

impl Versions {
    /// Reads `2` or `2-7`; numbers wrap at 65,536, as for the core.
    pub(super) fn take(scan: &mut Scan<'_>) -> Option<Self> {
        let take_version = |s: &mut Scan<'_>| s.take_number().map(|number| (number & 0xffff) as u16);
        let min = take_version(scan)?;
        let max = if scan.take(b"-").is_some() { take_version(scan)? } else { min };
        (min <= max).then_some(Self { min, max })
    }

    pub(super) fn raised_to(self, lowest: u16) -> Self {
        let min = self.min.max(lowest);
        Self { min, max: self.max.max(min) }
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min == self.max { write!(f, "{}", self.min) } else { write!(f, "{}-{}", self.min, self.max) }
    }
}

/// A queue that receives messages.
pub(super) struct Queue {
    versions: Versions,
    key_hash: String,
    pub(super) hosts: Vec<String>,
    port: Option<i64>,
    sender: String,
    dh_key: String,
    mode: Option<Mode>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Messaging,
    Contact,
}

/// What comes after the `#` of a queue address.
struct Tail {
    versions: Versions,
    hosts: Vec<String>,
    dh_key: String,
    mode: Option<Mode>,
}

impl Queue {
    pub(super) fn take(scan: &mut Scan<'_>) -> Option<Self> {
        scan.take(b"smp://")?;
        let key_hash = URL_SAFE.encode(scan.take_base64()?);
        scan.take(b"@")?;
        let mut hosts = scan.separated(b',', take_host)?;
        let port = scan.optional(|s| s.take(b":").and_then(|()| s.take_number())).map(u64::cast_signed);
        scan.take(b"/")?;
        let sender = URL_SAFE.encode(scan.take_base64()?);
        let _ = scan.take(b"/");
        scan.take(b"#")?;
        let tail = scan.optional(take_versioned).or_else(|| take_unversioned(scan))?;
        hosts.extend(tail.hosts);
        if tail.versions.max < HOSTS_VERSION {
            let onion = if let [host] = hosts.as_slice() { legacy_onion(host) } else { None };
            hosts.extend(onion.map(String::from));
        }
        Some(Self {
            versions: tail.versions,
            key_hash,
            hosts,
            port,
            sender,
            dh_key: tail.dh_key,
            mode: tail.mode,
        })
    }

    /// The address as the core writes it.
    pub(super) fn encode(&self) -> String {
        let listed =
            if self.versions.min >= HOSTS_VERSION { self.hosts.len() } else { self.hosts.len().min(1) };
        let (listed, others) = self.hosts.split_at(listed);
        let mut parameters = Vec::from([("v", self.versions.to_string()), ("dh", self.dh_key.clone())]);
        parameters.extend(self.mode.map(|mode| ("q", if mode == Mode::Contact { "c" } else { "m" }.into())));
        if self.mode == Some(Mode::Messaging) && self.versions.min < SHORT_LINKS_VERSION {
            parameters.push(("k", "s".into()));
        }
        if !others.is_empty() {
            parameters.push(("srv", others.join(",")));
        }
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        let query = query::encode(&parameters);
        format!("smp://{}@{}{port}/{}#/?{query}", self.key_hash, listed.join(","), self.sender)
    }
}

fn take_versioned(scan: &mut Scan<'_>) -> Option<Tail> {
    let key = scan.optional(|s| take_key(s, X25519));
    let _ = scan.take(b"/");
    scan.take(b"?")?;
    let query = Query::parse(scan.take_query());
    let versions = query.required("v", Versions::take)?;
    let dh_key = match key {
        Some(key) => key,
        None => query.required("dh", |s| take_key(s, X25519))?,
    };
    let take_hosts =
        |s: &mut Scan<'_>| Some(s.optional(|s| s.separated(b',', take_host)).unwrap_or_default());
    let hosts = query.optional("srv", take_hosts)?.unwrap_or_default();
    let mode = match query.value("q") {
        Some(b"m") => Some(Mode::Messaging),
        Some(b"c") => Some(Mode::Contact),
        _ if query.value("k") == Some(b"s") => Some(Mode::Messaging),
        _ => None,
    };
    Some(Tail { versions, hosts, dh_key, mode })
}

fn take_unversioned(scan: &mut Scan<'_>) -> Option<Tail> {
    let dh_key = take_key(scan, X25519)?;
    scan.is_at_end().then_some(Tail { versions: INITIAL, hosts: Vec::new(), dh_key, mode: None })
}
