//! `DIR/lock`: one server at a time for a data folder.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use super::private;

/// How often the PID of the other server is looked for: it writes it just after it has taken the lock.
const PID_TRIES: u32 = 10;

/// How often, and how long apart, a lock that is held is tried again.
const LOOKS: u32 = 5;
const LOOK: Duration = Duration::from_millis(10);

/// Why the lock is not ours.
pub(super) enum LockError {
    /// Another process holds it; its PID, when it could be read.
    Held(Option<u32>),
    /// The file cannot be used.
    Io(io::Error),
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Takes the lock. It is held as long as the file is open, is freed by the system when the process ends in
/// whatever way, and the file is never removed: a removed lock could be held twice. The PID inside is for the
/// message alone.
pub(super) fn take(path: &Path) -> Result<File, LockError> {
    let mut file = private::options().read(true).write(true).create(true).truncate(false).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file").into());
    }
    take_open(&mut file)?;
    private::restrict(&file, 0o600)?;
    mark(&file, None)?;
    Ok(file)
}

/// Writes into the lock who holds it and, once the server listens, on which port: who has only read the port in
/// `server.json` can't tell the server from another program that took the port first.
pub(super) fn mark(mut lock: &File, port: Option<u16>) -> io::Result<()> {
    let port = port.map(|port| format!(" {port}")).unwrap_or_default();
    lock.set_len(0)?;
    lock.rewind()?;
    lock.write_all(format!("{}{port}\n", std::process::id()).as_bytes())
}

/// The PID and the port in the text of a lock.
pub(super) fn read_mark(text: &str) -> (Option<u32>, Option<u16>) {
    let mut words = text.split_whitespace();
    let pid = words.next().and_then(|word| word.parse().ok());
    (pid, words.next().and_then(|word| word.parse().ok()))
}

/// Locks the open file. Who only looks whether it is locked holds a shared lock for a moment: that is waited for.
fn take_open(file: &mut File) -> Result<(), LockError> {
    for _ in 0..LOOKS {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
    Err(LockError::Held(read_pid(file)))
}

fn read_pid(file: &mut File) -> Option<u32> {
    look(file).0
}

/// The PID and the port in a lock that another process holds. It may be writing them at this moment.
pub(super) fn look(file: &mut File) -> (Option<u32>, Option<u16>) {
    for _ in 0..PID_TRIES {
        let mut text = String::new();
        let read = file.rewind().and_then(|()| (&mut *file).take(32).read_to_string(&mut text));
        if read.is_ok()
            && let (Some(pid), port) = read_mark(&text)
        {
            return (Some(pid), port);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    (None, None)
}
