//! Full links: `simplex:/contact#/?v=2-7&smp=QUEUES&data=…`, `https://HOST/invitation#/?v=…&smp=…&e2e=…`.

mod queue;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use serde_json::Value;

use self::queue::{Queue, Versions};
use super::host::take_host;
use super::query::{self, Query};
use super::scan::Scan;
use super::{Link, LinkForm, LinkKind};

/// Lowest version of the agent protocol that the core still speaks: contact links are raised to it.
const MIN_AGENT_VERSION: u16 = 2;

/// First version of the end-to-end encryption with keys that resist quantum computers.
const PQ_E2E_VERSION: u16 = 3;

/// What the DER of an X25519 and of an X448 public key begins with, and how long the key after it is.
const X25519: (&[u8], usize) = (&[0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 3, 0x21, 0], 32);
const X448: (&[u8], usize) = (&[0x30, 0x42, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6f, 3, 0x39, 0], 56);

/// Bytes of a public key and of a ciphertext of SNTRUP761.
const KEM_KEY: usize = 1158;
const KEM_CIPHERTEXT: usize = 1039;

/// Reads a full link.
pub(super) fn parse(text: &str) -> Option<Link> {
    let mut scan = Scan::new(text.as_bytes());
    let is_invitation = take_mode(&mut scan)?;
    let query = Query::parse(scan.take_query());
    if !scan.is_at_end() {
        return None;
    }
    let versions = query.required("v", Versions::take)?;
    let queues = query.required("smp", take_queues)?;
    let data = query.value("data").map(decode_lossy);
    let e2e = if is_invitation { Some(query.required("e2e", take_e2e)?) } else { None };
    let kind = match (is_invitation, &data) {
        (true, _) => LinkKind::Invitation,
        (false, Some(data)) if is_group_data(data) => LinkKind::Group,
        (false, _) => LinkKind::Contact,
    };
    let hosts = queues.iter().flat_map(|queue| queue.hosts.iter().cloned()).collect();
    let (mode, versions) = if is_invitation {
        ("invitation", versions)
    } else {
        ("contact", versions.raised_to(MIN_AGENT_VERSION))
    };
    let queues: Vec<String> = queues.iter().map(Queue::encode).collect();
    let mut parameters = Vec::from([("v", versions.to_string()), ("smp", queues.join(";"))]);
    parameters.extend(e2e.map(|e2e| ("e2e", e2e)));
    parameters.extend(data.map(|data| ("data", data)));
    let uri = format!("simplex:/{mode}#/?{}", query::encode(&parameters));
    Some(Link { kind, form: LinkForm::Full, hosts, uri, text: text.into() })
}

/// Moves to the query; answers whether the link is an invitation.
fn take_mode(scan: &mut Scan<'_>) -> Option<bool> {
    if scan.take(b"simplex:").is_none() {
        scan.take(b"https://")?;
        take_host(scan)?;
        let _ = scan.optional(|s| s.take(b":").and_then(|()| s.take_number()));
    }
    scan.take(b"/")?;
    let is_invitation = scan.take(b"invitation").is_some();
    if !is_invitation {
        scan.take(b"contact")?;
    }
    let _ = scan.take(b"/");
    scan.take(b"#/?")?;
    Some(is_invitation)
}

/// Queue addresses with semicolons between them.
fn take_queues(scan: &mut Scan<'_>) -> Option<Vec<Queue>> {
    scan.separated(b';', |s| Scan::new(s.take_while(|b| b != b';')).all(Queue::take))
}

/// The keys of the double ratchet, as the core writes them.
fn take_e2e(scan: &mut Scan<'_>) -> Option<String> {
    let query = Query::parse(scan.take_query());
    let versions = query.required("v", Versions::take)?;
    let keys = query.required("x3dh", |s| s.separated(b',', |s| take_key(s, X448)))?;
    let [first, second] = keys.as_slice() else {
        return None;
    };
    let mut e2e = format!("v={versions}&x3dh={first},{second}");
    if versions.max >= PQ_E2E_VERSION {
        let key = query.optional("kem_key", |s| take_bytes(s, KEM_KEY))?;
        let has_key = key.is_some();
        let ciphertext =
            if has_key { query.optional("kem_ct", |s| take_bytes(s, KEM_CIPHERTEXT))? } else { None };
        for (name, value) in [("kem_ct", ciphertext), ("kem_key", key)] {
            if let Some(value) = value {
                e2e.push_str(&format!("&{name}={value}"));
            }
        }
    }
    Some(e2e)
}

/// A public key of one algorithm, in base64url.
fn take_key(scan: &mut Scan<'_>, (prefix, len): (&[u8], usize)) -> Option<String> {
    let der = scan.take_base64()?;
    let key = der.strip_prefix(prefix)?;
    (key.len() == len).then(|| URL_SAFE.encode(&der))
}

fn take_bytes(scan: &mut Scan<'_>, len: usize) -> Option<String> {
    scan.take_base64().filter(|bytes| bytes.len() == len).map(|bytes| URL_SAFE.encode(bytes))
}

/// Whether the client data of a contact link says that it is a group's.
fn is_group_data(data: &str) -> bool {
    let Ok(data) = serde_json::from_str::<Value>(data) else {
        return false;
    };
    let id = data.get("groupLinkId").and_then(Value::as_str);
    id.is_some_and(|id| Scan::new(id.as_bytes()).all(Scan::take_base64).is_some())
}

/// UTF-8 with `?` for what is none.
fn decode_lossy(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}
