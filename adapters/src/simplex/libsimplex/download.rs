//! The download of an archive: streamed to a file, within limits of time and size, and hashed on the way.

mod address;
pub(super) mod archive;
pub(super) mod progress;
mod proxy;
mod request;
mod trust;

pub use address::{ADDRESS, Address};
pub use archive::Limits;
pub use progress::Show;
pub use proxy::Proxies;
pub use request::Patience;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::sums::{Hashing, Sum};
use progress::Meter;

/// How hosts are reached, and which are trusted.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The proxy.
    pub proxies: Proxies,
    /// A file of certificates to trust (PEM) instead of the built-in ones: those of Mozilla's list.
    pub roots: Option<PathBuf>,
}

/// Why a file did not come whole, in words for a person.
#[derive(Debug)]
pub(super) enum FetchError {
    /// Something on the way, or at the other end.
    Remote(String),
    /// It could not be written.
    Write(io::Error),
}

impl From<String> for FetchError {
    fn from(reason: String) -> Self {
        Self::Remote(reason)
    }
}

impl From<io::Error> for FetchError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// Downloads a file to a new one, and tells how far it is.
pub(super) fn fetch(
    address: &Address,
    network: &Network,
    patience: Patience,
    limits: Limits,
    to: &Path,
    show: &mut dyn Show,
) -> Result<Sum, FetchError> {
    let mut incoming = request::get(address, network, patience)?;
    let too_large = || FetchError::Remote(format!("the file has more than {} bytes", limits.archive));
    let length = incoming.length;
    if length.is_some_and(|length| length > limits.archive) {
        return Err(too_large());
    }
    let mut file = Hashing::over(File::create_new(to)?);
    let mut meter = Meter::new(show, length);
    let (mut received, mut piece) = (0_u64, vec![0; 1 << 16]);
    loop {
        let count = incoming.read(&mut piece)?;
        if count == 0 {
            break;
        }
        received = received.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        if received > limits.archive {
            return Err(too_large());
        }
        file.write_all(piece.get(..count).unwrap_or_default())?;
        meter.at(received);
    }
    match length {
        Some(length) if length != received => {
            Err(FetchError::Remote(format!("only {received} of {length} bytes came")))
        }
        _ => Ok(file.sum()),
    }
}
