//! One server at a time for a SimpleX core that another program runs: its clients would take each other's events.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use super::private;

/// How often the holder is looked for: it writes its name just after it has taken the lock.
const TRIES: u32 = 10;

/// Held as long as this value lives; freed by the system when the process ends in whatever way.
#[derive(Debug)]
pub struct AddressLock {
    _file: File,
}

/// Why the lock is not ours. The text is one line with the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressLockError(String);

impl fmt::Display for AddressLockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AddressLockError {}

impl AddressLock {
    /// Takes the lock of an address (`ws://127.0.0.1:5225`) in a folder of this user, for the agent `name`.
    ///
    /// The file is never removed: a removed lock could be held twice. What is inside is for the message alone.
    ///
    /// # Errors
    ///
    /// Another server holds it, or the file can't be used.
    pub fn take(folder: &Path, address: &str, name: &str) -> Result<Self, AddressLockError> {
        let path = folder.join(format!("{}.lock", address.replace("://", "-").replace([':', '/'], "-")));
        let failed = |error: io::Error| AddressLockError(format!("{}: {error}", path.display()));
        fs::create_dir_all(folder).map_err(failed)?;
        let mut options = private::options();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = holder(&mut file).unwrap_or_else(|| "another process".to_owned());
                return Err(AddressLockError(format!(
                    "Another server uses {address} ({holder}). Stop it, or start another simplex-chat on another port: \
                     two clients of one would take each other's messages."
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let text = format!("agent \"{name}\", PID {}\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(failed)?;
        Ok(Self { _file: file })
    }
}

fn holder(file: &mut File) -> Option<String> {
    for _ in 0..TRIES {
        let mut text = String::new();
        file.rewind().ok()?;
        file.take(128).read_to_string(&mut text).ok()?;
        if let Some(line) = text.strip_suffix('\n') {
            return Some(line.to_owned());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}
