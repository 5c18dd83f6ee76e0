//! Whose a request is.

use alloc::string::String;

use crate::rpc::key::PublicKey;

/// Whose a request is. Contexts, tasks, records and rates belong to an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// Whoever holds the secret key of this one, which the core verified.
    Signer(PublicKey),
    /// Nobody who is known: a request without a signature. Two of them may be of two people, so nothing that belongs
    /// to somebody belongs to them; they share their rate.
    Anonymous,
}

impl Owner {
    /// The owner as a key of tables that are kept: none for who is not known.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Signer(key) => Some(alloc::format!("key:{key}")),
            Self::Anonymous => None,
        }
    }
}
