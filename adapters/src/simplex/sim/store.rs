//! What of a simulated network is kept on disk: `PREFIX_sim.json`.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use simplex_agent_core::Millis;
use simplex_sim::{Handle, Network};

use crate::files::{private, trouble};

/// The version of the file's form. A file of a later one is refused, as a core refuses a later database.
const VERSION: u32 = 1;

/// Where the state of a file prefix is kept: beside where a real core keeps `PREFIX_chat.db`.
pub(super) fn path(prefix: &str) -> PathBuf {
    PathBuf::from(format!("{prefix}_sim.json"))
}

/// A saved network.
#[derive(Debug, Deserialize)]
pub(super) struct Saved {
    version: u32,
    /// The passphrase of the store; empty when it has none.
    pub(super) key: String,
    /// The monotonic clock when it was saved: the next run goes on from there, so that nothing in the network
    /// becomes due late.
    pub(super) mono: Millis,
    /// The processes that were open.
    pub(super) open: Vec<Handle>,
    /// The file prefix it was saved for: the file may have been moved, or be a copy of another folder's.
    #[serde(default)]
    pub(super) prefix: String,
    network: String,
}

/// Why there is no saved network.
#[derive(Debug)]
pub(super) enum LoadError {
    /// The file is not one of ours, or has another key.
    NotADatabase,
    /// The file is of a later version.
    Later,
    /// Something else stands in its place.
    NotAFile,
    /// The file cannot be read.
    Io(io::Error),
}

/// The saved network of a file, `None` when there is no file.
pub(super) fn load(path: &Path, key: &str) -> Result<Option<(Saved, Network)>, LoadError> {
    let mut text = String::new();
    let read = match private::open(path) {
        Ok(None) => return Ok(None),
        Ok(Some(mut file)) => file.read_to_string(&mut text),
        Err(error) => Err(error),
    };
    read.map_err(|error| match error.kind() {
        _ if private::is_no_file(path) => LoadError::NotAFile,
        io::ErrorKind::InvalidData => LoadError::NotADatabase,
        _ => LoadError::Io(error),
    })?;
    let saved: Saved = serde_json::from_str(&text).map_err(|_| LoadError::NotADatabase)?;
    if saved.version > VERSION {
        return Err(LoadError::Later);
    }
    if saved.key != key {
        return Err(LoadError::NotADatabase);
    }
    let network = Network::restore(&saved.network).map_err(|_| LoadError::NotADatabase)?;
    Ok(Some((saved, network)))
}

/// A network to save.
#[derive(Serialize)]
struct Saving<'a> {
    version: u32,
    key: &'a str,
    mono: Millis,
    open: &'a [Handle],
    prefix: &'a str,
    network: &'a str,
}

/// Saves a network for a file prefix.
pub(super) fn save(
    prefix: &str,
    key: &str,
    mono: Millis,
    open: &[Handle],
    network: &str,
) -> Result<(), String> {
    let saving = Saving { version: VERSION, key, mono, open, prefix, network };
    let path = path(prefix);
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = serde_json::to_string(&saving)
        .map_err(|error| format!("{} can't be written: {error}.", path.display()))?;
    private::replace_quickly(folder, &name, &text).map_err(|refused| trouble::not_replaced(&refused))
}
