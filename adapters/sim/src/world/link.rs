//! Links and the data that routers keep beside them.

use alloc::format;
use alloc::string::{String, ToString};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Chance, DbId};

/// A link that somebody made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) kind: LinkKind,
    /// Who receives what is sent to it.
    pub(crate) db: DbId,
    pub(crate) owner: LinkOwner,
    pub(crate) server: Server,
    pub(crate) full: String,
    pub(crate) short: String,
    /// `groupLinkId` of group links, as in `data=` of the full link.
    pub(crate) group_link_id: Option<String>,
    /// What a plan by the short link reads: profile or group profile and what belongs to them.
    pub(crate) data: Value,
    pub(crate) deleted: bool,
    /// The only database that may go on with a one-time link, once one has read its data (FINDINGS.md, 2).
    pub(crate) claimed: Option<DbId>,
    /// True when its data was read by the short link.
    pub(crate) planned: bool,
    /// True when a one-time link was connected to.
    pub(crate) used: bool,
    /// True when an address has keys of a ratchet beside it.
    #[serde(default)]
    pub(crate) ratchet: bool,
}

/// What a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LinkKind {
    OneTime,
    Address,
    Group,
    Channel,
    Relay,
}

/// What the link belongs to, in its owner's database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LinkOwner {
    /// A pending connection.
    Connection(i64),
    /// The address of the profile.
    Address,
    /// A group.
    Group(i64),
}

impl Link {
    /// A new link of a database whose router is `host` (a server address without scheme and key).
    pub(crate) fn new(
        chance: &mut Chance,
        kind: LinkKind,
        db: DbId,
        owner: LinkOwner,
        server: &Server,
    ) -> Self {
        let (letter, group) = match kind {
            LinkKind::OneTime => ('i', false),
            LinkKind::Address => ('a', false),
            LinkKind::Group => ('g', true),
            LinkKind::Channel => ('c', true),
            LinkKind::Relay => ('r', false),
        };
        let key = chance.key();
        let id = if kind == LinkKind::OneTime { format!("{}/", chance.queue()) } else { String::new() };
        let query = server.query();
        let short = format!("https://{}/{letter}#{id}{key}{query}", server.host);
        let group_link_id = group.then(|| chance.short_id());
        let full = full_link(chance, kind, server, group_link_id.as_deref());
        Self {
            kind,
            db,
            owner,
            server: server.clone(),
            full,
            short,
            group_link_id,
            data: Value::Null,
            deleted: false,
            claimed: None,
            planned: false,
            used: false,
            ratchet: false,
        }
    }

    /// True for either form of this link, with or without `https`, query and group data.
    pub(crate) fn is(&self, text: &str) -> bool {
        text == self.full
            || text == self.short
            || same_short(&self.short, text)
            || same_full(&self.full, text)
    }
}

fn full_link(chance: &mut Chance, kind: LinkKind, server: &Server, group_link_id: Option<&str>) -> String {
    let (path, q) = if kind == LinkKind::OneTime { ("invitation", "m") } else { ("contact", "c") };
    let address =
        server.address().replace(':', "%3A").replace('/', "%2F").replace('@', "%40").replace('=', "%3D");
    let (queue, dh) = (chance.queue(), chance.key());
    let mut text = format!(
        "simplex:/{path}#/?v=2-7&smp={address}%2F{queue}%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEA{dh}%253D%26q%3D{q}"
    );
    if kind == LinkKind::OneTime {
        let (one, two) = (chance.ratchet_key(), chance.ratchet_key());
        text.push_str(&format!("%26k%3Ds&e2e=v%3D2-3%26x3dh%3D{one}%3D%2C{two}%3D"));
    }
    if let Some(id) = group_link_id {
        text.push_str(&format!("&data=%7B%22groupLinkId%22%3A%22{}%22%7D", id.replace('=', "%3D")));
    }
    text
}

/// The part after `#` up to the query, and the letter before it.
fn short_key(text: &str) -> Option<(&str, &str)> {
    let (head, rest) = text.split_once('#')?;
    let letter = head.rsplit('/').next()?;
    (letter.len() == 1).then(|| (letter, rest.split('?').next().unwrap_or(rest)))
}

fn same_short(a: &str, b: &str) -> bool {
    matches!((short_key(a), short_key(b)), (Some(a), Some(b)) if a == b)
}

fn same_full(a: &str, b: &str) -> bool {
    let queue =
        |text: &str| text.split_once("smp=").map(|(_, r)| r.split('&').next().unwrap_or(r).to_string());
    matches!((queue(a), queue(b)), (Some(a), Some(b)) if a == b)
}

/// The router that a full link names, as errors name it.
pub(crate) fn server_of(full: &str) -> String {
    let named = full.split_once("smp=smp%3A%2F%2F").map_or(full, |(_, rest)| rest);
    let named = named.split("%2F").next().unwrap_or(named);
    format!("smp://{}", named.replace("%3D", "=").replace("%40", "@").replace("%3A", ":"))
}

/// A router's address: `smp://KEY@HOST[:PORT]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Server {
    pub(crate) key: String,
    pub(crate) host: String,
    pub(crate) port: String,
}

impl Server {
    /// Reads `smp://KEY@HOST[:PORT]`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (key, host) = text.trim().strip_prefix("smp://")?.split_once('@')?;
        let (host, port) = host.split_once(':').unwrap_or((host, ""));
        (!key.is_empty() && !host.is_empty()).then(|| Self {
            key: key.to_string(),
            host: host.to_string(),
            port: port.to_string(),
        })
    }

    pub(crate) fn address(&self) -> String {
        let port = if self.port.is_empty() { String::new() } else { format!(":{}", self.port) };
        format!("smp://{}@{}{port}", self.key, self.host)
    }

    /// Host and port, by which routers are told apart.
    pub(crate) fn place(&self) -> String {
        if self.port.is_empty() { self.host.clone() } else { format!("{}:{}", self.host, self.port) }
    }

    fn query(&self) -> String {
        if self.port.is_empty() {
            String::new()
        } else {
            format!("?p={}&c={}", self.port, self.key.trim_end_matches('='))
        }
    }
}
