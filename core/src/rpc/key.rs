//! Ed25519 keys in the encodings of the SimpleX core: `sign_key`, `requestKey` and `signerKey` (decisions 9, "Service
//! RPC").
//!
//! The encodings are in [`SecretKey::sign_key`] and [`PublicKey::to_text`], and nowhere else: when a core 7.1 shows
//! that one is different, it is one line and one vector (`spec/vectors/rpc-keys.json`).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

/// What stands before the 32 bytes in the PKCS#8 DER of an Ed25519 private key, version 1 (RFC 8410, section 7).
const SECRET_HEAD: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
/// What stands before the 32 bytes in the X.509 DER of an Ed25519 public key (RFC 8410, section 4).
const PUBLIC_HEAD: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// Written with padding, read with and without it; bits that no byte has are refused.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A private key. Its bytes come from the host: this crate draws none. No text shows them but [`SignKey::expose`], and
/// they are wiped when it is dropped.
#[derive(Clone)]
pub struct SecretKey(ed25519_dalek::SigningKey);

impl SecretKey {
    /// The key of these 32 bytes, drawn by the host from the randomness of its system.
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(bytes))
    }

    /// The key in the text that [`Self::sign_key`] makes, as the host keeps it in a file of its own (mode 0600), with
    /// or without padding and an end of line; None for everything else.
    pub fn parse(text: &str) -> Option<Self> {
        decode(text.trim_ascii_end(), &SECRET_HEAD).map(|bytes| Self::from_bytes(&bytes))
    }

    /// The `sign_key` of `/_service_request`: padded base64url of the 48 bytes of PKCS#8 DER, version 1.
    pub fn sign_key(&self) -> SignKey {
        SignKey(encode(&SECRET_HEAD, self.0.as_bytes()))
    }

    /// The key that others know.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// The bytes, for who signs.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(of {})", self.public())
    }
}

/// The text of a private key. Only [`Self::expose`] gives it.
#[derive(Clone, PartialEq, Eq)]
pub struct SignKey(String);

impl SignKey {
    /// The text, for the line to the SimpleX core and for the key's file.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SignKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignKey(…)")
    }
}

/// A public key: `requestKey` and `signerKey`. Two are equal when their bytes are, however they were written. Printed,
/// it is the text that is sent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// The key in this text: base64url of the 44 bytes of X.509 DER, padding optional; None for everything else. That
    /// the bytes are a point of the curve is for who verifies.
    pub fn parse(text: &str) -> Option<Self> {
        decode(text, &PUBLIC_HEAD).map(Self)
    }

    /// Padded base64url of the 44 bytes of X.509 DER.
    pub fn to_text(self) -> String {
        encode(&PUBLIC_HEAD, &self.0)
    }

    /// The bytes, for who verifies.
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("not a public key"))
    }
}

fn encode(head: &[u8], bytes: &[u8; 32]) -> String {
    let der: Vec<u8> = head.iter().chain(bytes).copied().collect();
    BASE64.encode(der)
}

fn decode(text: &str, head: &[u8]) -> Option<[u8; 32]> {
    let der = BASE64.decode(text).ok()?;
    der.strip_prefix(head)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use serde_json::Value;

    use super::{PublicKey, SecretKey};

    fn vectors() -> Value {
        serde_json::from_str(include_str!("../../../spec/vectors/rpc-keys.json")).expect("JSON")
    }

    fn bytes(hex: &str) -> [u8; 32] {
        let at = |i: usize| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hexadecimal");
        core::array::from_fn(at)
    }

    /// RPC-01, RPC-02: the texts of keys, as the vector has them; the public key is the one of the secret bytes.
    #[test]
    fn keys_have_the_texts_of_the_vector() {
        let all = vectors();
        let keys = all["keys"].as_array().expect("keys");
        assert!(keys.len() >= 3);
        for key in keys {
            let text = |name: &str| key[name].as_str().expect("a text");
            let secret = SecretKey::from_bytes(&bytes(text("secret")));
            assert_eq!(secret.sign_key().expose(), text("signKey"));
            assert_eq!(secret.public().to_bytes(), bytes(text("public")));
            assert_eq!(secret.public().to_text(), text("publicKey"));
            assert_eq!(PublicKey::parse(text("publicKey")), Some(secret.public()));
            let file = format!("{}\n", text("signKey"));
            assert_eq!(SecretKey::parse(&file).expect("a key").to_bytes(), secret.to_bytes());
        }
    }

    /// RPC-03: which texts name the key of the vector, and which none.
    #[test]
    fn keys_are_compared_as_bytes() {
        let all = vectors();
        let key = PublicKey::parse(all["keys"][0]["publicKey"].as_str().expect("a text"));
        assert!(key.is_some());
        for text in all["equal"].as_array().expect("texts") {
            assert_eq!(PublicKey::parse(text.as_str().expect("a text")), key, "{text}");
        }
        for text in all["refused"].as_array().expect("texts") {
            assert_eq!(PublicKey::parse(text.as_str().expect("a text")), None, "{text}");
        }
    }

    /// RPC-04: no debug text has a byte of a secret key, in any of its usual forms.
    #[test]
    fn secrets_are_not_shown() {
        let secret = SecretKey::from_bytes(&[0xAB; 32]);
        let sign_key = secret.sign_key();
        let shown = format!("{secret:?} {sign_key:?} {secret:#?} {sign_key:#?}").to_lowercase();
        let tail: String = sign_key.expose()[24..].to_lowercase();
        for secret in ["abab", "171", "ab, ab", tail.as_str(), &tail[..8]] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
    }
}
