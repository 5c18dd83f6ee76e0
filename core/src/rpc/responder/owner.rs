//! Whose a request is.

use alloc::string::String;

use crate::chat::floods::{Floods, Source, Verdict};
use crate::rpc::key::PublicKey;
use crate::time::Millis;

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

    /// What [`Host::may_run`](super::Host::may_run) is by the buckets that conversations are counted in too.
    ///
    /// # Errors
    /// It is over the rate: after how many seconds it may be repeated.
    pub fn take(&self, floods: &mut Floods, now: Millis) -> Result<(), u32> {
        match floods.take(now, &Source::Rpc(*self)) {
            Verdict::Go => Ok(()),
            Verdict::TooMany(wait) => Err(u32::try_from(wait.0.div_ceil(1000)).unwrap_or(u32::MAX)),
        }
    }
}
