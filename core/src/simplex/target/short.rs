//! Short links: `https://HOST/a#KEY?p=PORT&c=KEYHASH`, `simplex:/a#KEY?h=HOST,HOST`, `https://HOST/i#ID/KEY`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::host::take_host;
use super::query::{self, Query};
use super::scan::Scan;
use super::{Link, LinkForm, LinkKind};

/// Reads a short link.
pub(super) fn parse(text: &str) -> Option<Link> {
    let mut scan = Scan::new(text.as_bytes());
    let authority = take_authority(&mut scan)?;
    scan.take(b"/")?;
    let (kind, letter) = kind_of(scan.take_byte()?)?;
    let _ = scan.take(b"/");
    scan.take(b"#")?;
    let mut key = String::new();
    if kind == LinkKind::Invitation {
        key = URL_SAFE_NO_PAD.encode(scan.take_base64()?) + "/";
        scan.take(b"/")?;
    }
    URL_SAFE_NO_PAD.encode_string(scan.take_base64()?, &mut key);
    let server = take_server(&mut scan, authority)?;
    if !scan.is_at_end() {
        return None;
    }
    let uri = format!("simplex:/{letter}#{key}?{}", query::encode(&server.parameters()));
    Some(Link { kind, form: LinkForm::Short, hosts: server.hosts, uri, text: text.into() })
}

/// The server that keeps what a short link leads to.
struct Server {
    hosts: Vec<String>,
    port: Option<u64>,
    key_hash: Option<Vec<u8>>,
}

impl Server {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = Vec::from([("h", self.hosts.join(","))]);
        parameters.extend(self.port.map(|port| ("p", port.to_string())));
        parameters.extend(self.key_hash.as_ref().map(|hash| ("c", URL_SAFE_NO_PAD.encode(hash))));
        parameters
    }
}

/// The host before the path, None inside for the `simplex:` scheme.
fn take_authority(scan: &mut Scan<'_>) -> Option<Option<String>> {
    if scan.take(b"simplex:").is_some() {
        return Some(None);
    }
    scan.take(b"https://")?;
    take_host(scan).map(Some)
}

/// Kind and letter of a link type. All but the invitation's are read in both cases.
const fn kind_of(letter: u8) -> Option<(LinkKind, char)> {
    match letter {
        b'i' => Some((LinkKind::Invitation, 'i')),
        b'a' | b'A' => Some((LinkKind::Contact, 'a')),
        b'c' | b'C' => Some((LinkKind::Channel, 'c')),
        b'g' | b'G' => Some((LinkKind::Group, 'g')),
        b'r' | b'R' => Some((LinkKind::Relay, 'r')),
        _ => None,
    }
}

fn take_server(scan: &mut Scan<'_>, authority: Option<String>) -> Option<Server> {
    let mut hosts: Vec<String> = authority.into_iter().collect();
    let (mut port, mut key_hash) = (None, None);
    if scan.take(b"?").is_some() {
        let query = Query::parse(scan.take_query());
        hosts.extend(query.optional("h", take_hosts)?.unwrap_or_default());
        port = query.optional("p", |s| s.take_number())?.map(|port| port & 0xffff);
        key_hash = query.optional("c", |s| s.take_base64())?;
    }
    (!hosts.is_empty()).then_some(Server { hosts, port, key_hash })
}

/// Hosts with commas between them, or nothing.
fn take_hosts(scan: &mut Scan<'_>) -> Option<Vec<String>> {
    Some(scan.optional(|s| s.separated(b',', take_host)).unwrap_or_default())
}
