//! Seeded chance: identifiers, keys, random names.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

/// A splitmix64 generator: equal seeds give equal networks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        core::array::from_fn(|_| self.next().to_le_bytes()[0])
    }

    /// A key as links have it: 43 characters of base64url.
    pub(crate) fn key(&mut self) -> String {
        URL_SAFE_NO_PAD.encode(self.bytes::<32>())
    }

    /// A key of the double ratchet as one-time links have it, without its padding: base64url of the DER of an X448 public
    /// key (agent-connect-onetime, `connFullLink`). Only the form is like a key's.
    pub(crate) fn ratchet_key(&mut self) -> String {
        const HEAD: [u8; 12] = [0x30, 0x42, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6f, 3, 0x39, 0];
        let bytes = self.bytes::<32>();
        let body = bytes.iter().cycle().take(56);
        let der: Vec<u8> = HEAD.iter().chain(body).copied().collect();
        URL_SAFE_NO_PAD.encode(der)
    }

    /// A queue identifier: 32 characters of base64url.
    pub(crate) fn queue(&mut self) -> String {
        URL_SAFE_NO_PAD.encode(self.bytes::<24>())
    }

    /// A connection, member or message identifier as JSON has it: base64 of 16 characters, 24 characters long.
    pub(crate) fn id(&mut self) -> String {
        STANDARD.encode(URL_SAFE_NO_PAD.encode(self.bytes::<12>()))
    }

    /// A request or group link identifier: 16 bytes of base64url with padding.
    pub(crate) fn short_id(&mut self) -> String {
        URL_SAFE.encode(self.bytes::<16>())
    }

    /// A random profile name of two words, for incognito.
    pub(crate) fn name(&mut self) -> String {
        let one = word(self.next(), &FIRST);
        let two = word(self.next(), &SECOND);
        format!("{one}{two}")
    }
}

const FIRST: [&str; 12] = [
    "Quiet", "Amber", "Brisk", "Cobalt", "Dapper", "Eager", "Fabled", "Gentle", "Humble", "Ivory", "Jolly",
    "Keen",
];
const SECOND: [&str; 12] = [
    "Harbor", "Lantern", "Meadow", "Nimbus", "Orchard", "Pebble", "Quarry", "Ripple", "Saddle", "Thicket",
    "Upland", "Willow",
];

fn word(n: u64, words: &'static [&'static str; 12]) -> &'static str {
    let index = usize::try_from(n % 12).unwrap_or_default();
    words.get(index).copied().unwrap_or("Quiet")
}
