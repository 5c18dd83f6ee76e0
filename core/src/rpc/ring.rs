//! Which key signs for which responder: one each, so that responders cannot link their callers (agent protocols,
//! "Signed requests").
//!
//! The ring is a file of the data folder that names keys; each secret is in a file of its own, which only the host
//! reads. A label is made from the responder, so that a ring that was lost or damaged finds every key again.

use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry as Place;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::key::PublicKey;
use crate::simplex::command::KeyLabel;
use crate::simplex::model::Raw;
use crate::simplex::target::Target;

/// Who answers: the address that is called. A name and the link it leads to are two, because a name can lead elsewhere
/// tomorrow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ResponderId(String);

impl ResponderId {
    /// The responder at this address, however its link was written.
    pub fn of(target: &Target) -> Self {
        Self(match target {
            Target::Link(link) => link.uri.clone(),
            Target::Name(name) => name.to_string(),
        })
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The label of its key, unless the ring says another: 80 bits of the SHA-256 of the address.
    fn label(&self) -> Option<KeyLabel> {
        let digest = Sha256::digest(self.0.as_bytes());
        let hex: String = digest.iter().take(10).map(|byte| format!("{byte:02x}")).collect();
        KeyLabel::parse(&hex)
    }
}

/// A key of the ring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// Names its file.
    pub label: KeyLabel,
    /// What its requests carry as `requestKey`.
    pub public_key: PublicKey,
}

/// The keys, by responder. Its text is JSON:
///
/// ```json
/// {"version":1,"keys":[{"responder":"simplex:/a#…","label":"0123456789abcdef0123","publicKey":"MCow…="}]}
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRing(BTreeMap<ResponderId, Key>);

/// What of a ring's text was not read. Printed, it is a line for the person at the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The text is no ring.
    Text,
    /// The entry at this place, from 1, is none.
    Entry(usize),
    /// The entry at this place, from 1, says something else than one before it: of its responder, or of its label.
    Contradiction(usize),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("the list of keys cannot be read and is made again"),
            Self::Entry(at) => write!(f, "entry {at} of the list of keys cannot be read and is left out"),
            Self::Contradiction(at) => {
                write!(f, "entry {at} of the list of keys contradicts an earlier one and is left out")
            }
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Text<T> {
    #[serde(default)]
    version: u32,
    keys: Vec<T>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    responder: ResponderId,
    #[serde(flatten)]
    key: Key,
}

impl KeyRing {
    /// The ring in this text, and what of it could not be read. Nothing stops it: an entry that is damaged is left out,
    /// and its key is found again by its label.
    pub fn read(text: &str) -> (Self, Vec<Damage>) {
        let mut ring = Self::default();
        let Ok(list) = serde_json::from_str::<Text<Raw>>(text) else {
            return (ring, Vec::from([Damage::Text]));
        };
        let mut damage = Vec::new();
        for (at, raw) in (1..).zip(&list.keys) {
            let entry = raw.read::<Entry>().ok_or(Damage::Entry(at));
            let set = |entry: Entry| {
                ring.set(entry.responder, entry.key).then_some(()).ok_or(Damage::Contradiction(at))
            };
            damage.extend(entry.and_then(set).err());
        }
        (ring, damage)
    }

    /// The text.
    pub fn to_text(&self) -> String {
        let entry =
            |(responder, key): (&ResponderId, &Key)| Entry { responder: responder.clone(), key: key.clone() };
        let list = Text { version: 1, keys: self.0.iter().map(entry).collect() };
        serde_json::to_string(&list).unwrap_or_default()
    }

    /// The key for a responder, when there is one.
    pub fn key(&self, responder: &ResponderId) -> Option<&Key> {
        self.0.get(responder)
    }

    /// The label of the key for a responder, also of one that is to be made.
    pub fn label(&self, responder: &ResponderId) -> Option<KeyLabel> {
        self.key(responder).map(|key| key.label.clone()).or_else(|| responder.label())
    }

    /// Notes the key for a responder that has none; false, and nothing is noted, when it has another, or when the label
    /// names another key. Two responders with one key are the person's choice: they can link the caller.
    pub fn set(&mut self, responder: ResponderId, key: Key) -> bool {
        let is_other = |known: &Key| known.label == key.label && known.public_key != key.public_key;
        if self.0.values().any(is_other) {
            return false;
        }
        match self.0.entry(responder) {
            Place::Vacant(place) => {
                place.insert(key);
                true
            }
            Place::Occupied(known) => *known.get() == key,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::{Damage, Key, KeyRing, ResponderId};
    use crate::rpc::key::{PublicKey, SecretKey};
    use crate::simplex::target;

    const SHORT: &str = "https://smp1.example/a#xuxolk2p9CTQQKvPWqcl80W1-Zy2T-bbW2Pa_FttqVY";

    fn responder(text: &str) -> ResponderId {
        ResponderId::of(&target::parse(text).expect(text))
    }

    fn public(byte: u8) -> PublicKey {
        SecretKey::from_bytes(&[byte; 32]).public()
    }

    /// RPC-05: one key for each responder, found by its address in any form; another key for it is not taken.
    #[test]
    fn each_responder_has_one_key() {
        let mut ring = KeyRing::default();
        let (a, b) = (responder(SHORT), responder("@acme.simplex"));
        let (for_a, for_b) = (ring.label(&a).expect("a label"), ring.label(&b).expect("a label"));
        assert_ne!(for_a, for_b);
        assert_eq!(for_a.file_name(), format!("rpc-{}.key", for_a.as_str()));
        assert!(ring.set(a.clone(), Key { label: for_a.clone(), public_key: public(1) }));
        assert!(ring.set(a.clone(), Key { label: for_a.clone(), public_key: public(1) }), "the same again");
        assert!(!ring.set(a.clone(), Key { label: for_a.clone(), public_key: public(2) }));
        assert!(
            !ring.set(b.clone(), Key { label: for_a.clone(), public_key: public(2) }),
            "a label is one key"
        );
        assert!(ring.set(b, Key { label: for_b, public_key: public(2) }));
        let uri = responder(a.as_str());
        assert_eq!(uri, a);
        assert_eq!(ring.key(&uri).map(|key| key.public_key), Some(public(1)));
    }

    /// RPC-06: a ring is read back; of a damaged one what is whole, with a word for each entry that is not; the label of
    /// a key does not depend on it.
    #[test]
    fn damage_costs_no_key() {
        let mut ring = KeyRing::default();
        let (a, b) = (responder(SHORT), responder("@acme.simplex"));
        for (responder, byte) in [(&a, 1), (&b, 2)] {
            let label = ring.label(responder).expect("a label");
            assert!(ring.set(responder.clone(), Key { label, public_key: public(byte) }));
        }
        let text = ring.to_text();
        assert_eq!(KeyRing::read(&text), (ring.clone(), [].into()));
        for end in 0..text.len() {
            let (cut, damage) = KeyRing::read(&text[..end]);
            assert_eq!((cut.0.len(), damage.as_slice()), (0, [Damage::Text].as_slice()));
            assert_eq!(cut.label(&a), ring.label(&a));
        }
        let key = |n: u8| public(n).to_text();
        let entries = format!(
            r#"{{"keys":[5,{{}},{{"responder":"x","label":"../a","publicKey":"{0}"}},
            {{"responder":"x","label":"a","publicKey":"{0}","later":[1]}},{{"responder":"x","label":"b","publicKey":"{1}"}},
            {{"responder":"y","label":"a","publicKey":"{1}"}},{{"responder":"z","label":"a","publicKey":"{0}"}},
            {{"responder":"w","label":"c","publicKey":"MCow"}}],"version":9,"later":0}}"#,
            key(1),
            key(2)
        );
        let (read, damage) = KeyRing::read(&entries);
        assert_eq!(read.0.len(), 2, "x and z, which share a key");
        let expected = [
            Damage::Entry(1),
            Damage::Entry(2),
            Damage::Entry(3),
            Damage::Contradiction(5),
            Damage::Contradiction(6),
            Damage::Entry(8),
        ];
        assert_eq!(damage, expected);
    }
}
