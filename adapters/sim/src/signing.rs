//! Signatures of calls (agent protocols, "Signed requests"): `SHA3-256("SimpleXService" ‖ AD) ‖ payload`, signed with
//! Ed25519. What is signed holds the session, so a signature that is copied into another one fails there.
//!
//! The cryptography is real; the session is not: a ratchet's associated data are the keys of both sides, here they are
//! the address and the caller's end of the connection, which are as much its own.

use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha3::{Digest, Sha3_256};
use simplex_agent_core::rpc::key::{PublicKey, SecretKey};

/// What is hashed before the associated data.
const CONTEXT: &[u8] = b"SimpleXService";

/// A signature with the key that it is said to be of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Signature {
    key: PublicKey,
    signature: String,
}

/// The session of one call: each has its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    /// The address that is called.
    pub(crate) link: u64,
    /// The caller's end of the connection.
    pub(crate) wire: u64,
}

impl Session {
    fn associated_data(self) -> Vec<u8> {
        [self.link.to_be_bytes(), self.wire.to_be_bytes()].concat()
    }

    /// What is signed for this payload in this session.
    fn message(self, payload: &Value) -> Vec<u8> {
        let hash = Sha3_256::new().chain_update(CONTEXT).chain_update(self.associated_data()).finalize();
        let mut message = Vec::from(hash.as_slice());
        message.extend_from_slice(alloc::format!("{payload}").as_bytes());
        message
    }

    pub(crate) fn sign(self, key: &SecretKey, payload: &Value) -> Signature {
        let signature = SigningKey::from_bytes(&key.to_bytes()).sign(&self.message(payload));
        Signature { key: key.public(), signature: URL_SAFE.encode(signature.to_bytes()) }
    }

    /// The key that signed this payload in this session; none when it did not.
    pub(crate) fn verify(self, signature: &Signature, payload: &Value) -> Option<PublicKey> {
        let key = VerifyingKey::from_bytes(&signature.key.to_bytes()).ok()?;
        let bytes = URL_SAFE.decode(&signature.signature).ok()?;
        let parsed = ed25519_dalek::Signature::from_slice(&bytes).ok()?;
        key.verify_strict(&self.message(payload), &parsed).ok()?;
        Some(signature.key)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use serde_json::json;
    use sha3::{Digest, Sha3_256};
    use simplex_agent_core::rpc::key::SecretKey;

    use super::Session;

    fn hex(bytes: &[u8]) -> alloc::string::String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// SIM-36: the hash is SHA3-256 (of nothing: FIPS 202), and what is signed is the hash of the session, then the
    /// payload.
    #[test]
    fn what_is_signed() {
        assert_eq!(
            hex(&Sha3_256::digest(b"")),
            "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"
        );
        let message = Session { link: 1, wire: 2 }.message(&json!({"a": 1}));
        let mut hashed = alloc::vec::Vec::from(*b"SimpleXService");
        hashed.extend([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!(message, [Sha3_256::digest(&hashed).as_slice(), br#"{"a":1}"#].concat());
    }

    /// SIM-36: a signature is good for its key, its payload and its session, and for nothing else.
    #[test]
    fn signatures_are_of_one_session() {
        let (key, other) = (SecretKey::from_bytes(&[1; 32]), SecretKey::from_bytes(&[2; 32]));
        let (here, payload) = (Session { link: 1, wire: 2 }, json!({"a": 1}));
        let signature = here.sign(&key, &payload);
        assert_eq!(here.verify(&signature, &payload), Some(key.public()));
        assert_eq!(here.verify(&signature, &json!({"a": 2})), None);
        for session in
            [Session { link: 1, wire: 3 }, Session { link: 3, wire: 2 }, Session { link: 2, wire: 1 }]
        {
            assert_eq!(session.verify(&signature, &payload), None, "{session:?}");
        }
        let mut claimed = signature.clone();
        claimed.key = other.public();
        assert_eq!(here.verify(&claimed, &payload), None);
        for text in ["", "AAAA", "?"] {
            let mut broken = signature.clone();
            broken.signature = text.into();
            assert_eq!(here.verify(&broken, &payload), None, "{text}");
        }
    }
}
