//! A data folder looked at from outside, while a server may hold it: nothing in it is created, changed or locked for
//! longer than a look.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::folder::{KeptOptions, ServerInfo};
use super::token::Token;
use super::{lock, private};

/// The longest file of ours that is read here, in bytes.
const MAX_READ: u64 = 1 << 20;

/// A data folder that belongs to another process, or to none.
#[derive(Clone, Debug)]
pub struct FolderView {
    path: PathBuf,
}

/// Whether a server holds a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Nobody does.
    Nobody,
    /// A process does.
    Process {
        /// Its PID, when it could be read.
        pid: Option<u32>,
        /// The port on which it listens, once it does.
        port: Option<u16>,
    },
}

/// A file that is there and cannot be used. Its text names the file and the remedy.
#[derive(Debug)]
pub struct Unusable {
    path: PathBuf,
    reason: String,
    remedy: &'static str,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}. {}", self.path.display(), self.reason, self.remedy)
    }
}

impl Unusable {
    /// The file and what is wrong with it, without the remedy.
    pub fn what(&self) -> String {
        format!("{} {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for Unusable {}

/// Opens a log to add to it: made with mode 0600, no link is followed.
///
/// # Errors
///
/// The system's.
pub fn log_file(path: &Path) -> io::Result<File> {
    let file = private::options().append(true).create(true).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    private::restrict(&file, 0o600)?;
    Ok(file)
}

impl FolderView {
    /// The folder at `path`, which need not exist.
    pub fn at(path: &Path) -> Self {
        Self { path: path.components().collect() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What `DIR/server.json` says; `None` before the first start.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or is damaged.
    pub fn server_info(&self) -> Result<Option<ServerInfo>, Unusable> {
        let Some(text) = self.read("server.json")? else { return Ok(None) };
        ServerInfo::parse(&text).map(Some).ok_or_else(|| self.damaged("server.json"))
    }

    /// The token in `DIR/token`; `None` before the first start.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or is damaged.
    pub fn token(&self) -> Result<Option<Token>, Unusable> {
        let Some(text) = self.read("token")? else { return Ok(None) };
        Token::parse(&text).map(Some).ok_or_else(|| self.damaged("token"))
    }

    /// The options in `DIR/options.json`, that a start without a person repeats; none before the first start.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or is damaged: without its options more people might command the agent.
    pub fn options(&self) -> Result<KeptOptions, Unusable> {
        let Some(text) = self.read("options.json")? else { return Ok(KeptOptions::default()) };
        serde_json::from_str(&text).map_err(|_| self.damaged("options.json"))
    }

    /// Whether a server holds the folder.
    ///
    /// # Errors
    ///
    /// The lock cannot be looked at.
    pub fn holder(&self) -> Result<Holder, Unusable> {
        let unusable = |error: io::Error| self.unreadable("lock", &error);
        let Some(mut file) = self.open("lock").map_err(unusable)? else { return Ok(Holder::Nobody) };
        // A shared lock, so that two that look do not take each other for a server; freed when the file is closed.
        match file.try_lock_shared() {
            Ok(()) => Ok(Holder::Nobody),
            Err(TryLockError::WouldBlock) => {
                let (pid, port) = lock::look(&mut file);
                Ok(Holder::Process { pid, port })
            }
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// The text of a file of the folder; `None` when there is none.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn read(&self, name: &str) -> Result<Option<String>, Unusable> {
        let unusable = |error: io::Error| self.unreadable(name, &error);
        let Some(file) = self.open(name).map_err(unusable)? else { return Ok(None) };
        let mut text = String::new();
        match file.take(MAX_READ).read_to_string(&mut text) {
            Ok(_) => Ok(Some(text)),
            // It is no text.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(self.damaged(name)),
            Err(error) => Err(unusable(error)),
        }
    }

    fn open(&self, name: &str) -> io::Result<Option<File>> {
        let file = match private::options().read(true).open(self.path.join(name)) {
            Ok(file) => file,
            // Without the folder there is no file either.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if file.metadata()?.is_file() { Ok(Some(file)) } else { Err(io::Error::other("not a regular file")) }
    }

    fn unreadable(&self, name: &str, error: &io::Error) -> Unusable {
        let path = self.path.join(name);
        if private::is_no_file(&path) {
            let (reason, remedy) =
                ("is not a regular file".to_owned(), "Move it away, then start the server again.");
            return Unusable { path, reason, remedy };
        }
        let reason = format!("can't be read: {error}");
        Unusable { path, reason, remedy: "Run this as the user who runs the server." }
    }

    /// A file that is not what the program wrote.
    fn damaged(&self, name: &str) -> Unusable {
        let (reason, remedy) = match name {
            "token" => (
                "is damaged: 43 base64url characters expected",
                "Start the server with --new-token to replace it.",
            ),
            // Without its options more people might command the agent.
            "options.json" => ("is damaged", "Start the server by hand, with its options."),
            _ => ("is damaged", "Remove it and start the server again."),
        };
        Unusable { path: self.path.join(name), reason: reason.to_owned(), remedy }
    }
}
