//! Opening the data folder, and the files that are read and written at start.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use simplex_agent_core::simplex::router;

use super::lock::{self, LockError};
use super::private::{self, NotReplaced};
use super::token::Token;
use super::trouble;

/// What is written once the server listens ([`DataFolder::once_listening`]).
#[derive(Debug)]
pub struct Listening {
    lock: File,
    port: u16,
    options: Option<String>,
}

impl Listening {
    /// Writes it into the folder.
    pub(super) fn tell(&self, folder: &Path) -> Result<(), NotReplaced> {
        if let Some(options) = &self.options {
            private::replace(folder, "options.json", options)?;
        }
        let at_lock = |error| NotReplaced { path: folder.join("lock"), error };
        lock::mark(&self.lock, Some(self.port)).map_err(at_lock)
    }
}

/// A data folder that this process holds: created, restricted to its owner, locked. The lock is held as long as
/// this value lives.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    lock: File,
}

/// Why a data folder cannot be used. Its text is one line that names the file and the remedy.
#[derive(Debug)]
pub enum FolderError {
    /// The path is not a folder of this user.
    Unfit {
        /// The path.
        path: PathBuf,
        /// What it is instead.
        reason: &'static str,
    },
    /// Another process holds it.
    Held {
        /// The folder.
        path: PathBuf,
        /// The other process, when known.
        pid: Option<u32>,
    },
    /// A file of it is not what the program wrote.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was expected in it.
        expected: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Something else stands in the place of a file: a link, a folder, a pipe.
    NotAFile {
        /// Its path.
        path: PathBuf,
    },
    /// The system refuses a file or the folder.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried, as in "can't be created".
        what: &'static str,
        /// The system's reason.
        error: io::Error,
    },
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfit { path, reason } => {
                write!(f, "{}: {reason}. Start with --data and a folder of your own.", path.display())
            }
            Self::Held { path, pid } => {
                let path = path.display();
                write!(f, "Another server uses {path} (PID ")?;
                match pid {
                    Some(pid) => write!(f, "{pid}")?,
                    None => f.write_str("unknown")?,
                }
                write!(f, "). If no server runs, remove {path}/lock.")
            }
            Self::Damaged { path, expected, remedy } => {
                write!(f, "{} is damaged: {expected} expected. {remedy}", path.display())
            }
            Self::NotAFile { path } => f.write_str(&trouble::not_a_file(path)),
            Self::Io { path, what, error } => {
                write!(f, "{} {what}: {error}. {}", path.display(), trouble::remedy(error))
            }
        }
    }
}

impl std::error::Error for FolderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// What `DIR/server.json` says of the last start (the plan, "Data folder and state").
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// The agent's name.
    pub name: String,
    /// Where MCP listened.
    pub port: u16,
    /// `--expire` of that run.
    pub expire_hours: u8,
    /// The routers given with `--smp-server` (decisions 6).
    #[serde(default)]
    pub smp_servers: Vec<String>,
}

impl ServerInfo {
    /// What the text of a `server.json` says; `None` for what no start has written: a later one would take it for
    /// options that somebody gave.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let info: Self = serde_json::from_str(text).ok()?;
        let fits = info.port > 0
            && (1..=23).contains(&info.expire_hours)
            && info.smp_servers.iter().all(|address| router::is_valid(address));
        fits.then_some(info)
    }
}

/// What a start without a person repeats of the last start, besides what [`ServerInfo`] says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptOptions {
    /// Options of `serve`, as they are written on a command line.
    pub options: Vec<String>,
    /// `SIMPLEX_LIBS_DIR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub libs_dir: Option<String>,
    /// The version of the SimpleX core, as far as it told one; not repeated, only shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_version: Option<String>,
}

impl DataFolder {
    /// Creates the folder when it is missing, gives it mode 0700, and takes its lock. `path` is absolute.
    ///
    /// # Errors
    ///
    /// [`FolderError`]; a folder that another process holds, or that is not this user's, stays as it is.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        // A trailing slash would make the system follow a symbolic link in the last place.
        let path = &path.components().collect::<PathBuf>();
        create(path).map_err(|error| io_error(path, "can't be created", error))?;
        let folder = open_own(path)?;
        private::restrict(&folder, 0o700).map_err(|error| io_error(path, "can't be made private", error))?;
        let lock_path = path.join("lock");
        let lock = lock::take(&lock_path).map_err(|error| match error {
            LockError::Held(pid) => FolderError::Held { path: path.to_owned(), pid },
            LockError::Io(error) => file_error(&lock_path, "can't be locked", error),
        })?;
        Ok(Self { path: path.to_owned(), lock })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The token in `DIR/token`; a new one when there is none, or when `replace` is set.
    ///
    /// # Errors
    ///
    /// A damaged token, which is left as it is, and what the system refuses.
    pub fn token(&self, replace: bool) -> Result<Token, FolderError> {
        let path = self.path.join("token");
        let damaged = || FolderError::Damaged {
            path: path.clone(),
            expected: "43 base64url characters",
            remedy: "Start with --new-token to replace it.",
        };
        if !replace && let Some(text) = self.read("token", damaged)? {
            return Token::parse(&text).ok_or_else(damaged);
        }
        let token = Token::random()
            .map_err(|error| io_error(&path, "can't be made", io::Error::other(error.to_string())))?;
        self.write("token", token.reveal())?;
        Ok(token)
    }

    /// Writes `DIR/headers.json`, which the MCP host's headers helper prints.
    ///
    /// # Errors
    ///
    /// What the system refuses.
    pub fn write_headers(&self, token: &Token) -> Result<(), FolderError> {
        self.write("headers.json", &format!("{{\"Authorization\": \"Bearer {}\"}}\n", token.reveal()))
    }

    /// What is written when the server listens on `port`: the options of this run, for one that starts without a
    /// person, and the port, for who must not take another program for this server. Not before: a start that failed
    /// leaves what the last good one was told.
    ///
    /// # Errors
    ///
    /// What the system refuses.
    pub fn once_listening(&self, port: u16, kept: Option<&KeptOptions>) -> io::Result<Listening> {
        let options = kept.map(|kept| format!("{}\n", serde_json::to_string(kept).unwrap_or_default()));
        Ok(Listening { lock: self.lock.try_clone()?, port, options })
    }

    /// The server listens no longer, though the folder stays held.
    ///
    /// # Errors
    ///
    /// What the system refuses.
    pub fn not_listening(&self) -> io::Result<()> {
        lock::mark(&self.lock, None)
    }

    /// What `DIR/server.json` says; `None` before the first start.
    ///
    /// # Errors
    ///
    /// A damaged file, which is left as it is, and what the system refuses.
    pub fn server_info(&self) -> Result<Option<ServerInfo>, FolderError> {
        let damaged = || FolderError::Damaged {
            path: self.path.join("server.json"),
            expected: "{\"name\": …, \"port\": …, \"expireHours\": …}",
            remedy: "Remove it and start again.",
        };
        let Some(text) = self.read("server.json", damaged)? else { return Ok(None) };
        ServerInfo::parse(&text).map(Some).ok_or_else(damaged)
    }

    /// The text of `DIR/state.json`; `None` before the first start.
    ///
    /// # Errors
    ///
    /// A file that is no JSON object, which is left as it is, and what the system refuses.
    pub fn state(&self) -> Result<Option<String>, FolderError> {
        let damaged = || FolderError::Damaged {
            path: self.path.join("state.json"),
            expected: "a JSON object",
            remedy: "Restore it, or move it away to start without it.",
        };
        let Some(text) = self.read("state.json", damaged)? else { return Ok(None) };
        let object: Result<serde_json::Map<_, _>, _> = serde_json::from_str(&text);
        object.map(|_| Some(text)).map_err(|_| damaged())
    }

    fn read(&self, name: &str, damaged: impl Fn() -> FolderError) -> Result<Option<String>, FolderError> {
        private::read(&self.path, name).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => damaged(),
            _ => file_error(&self.path.join(name), "can't be read", error),
        })
    }

    fn write(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let written = private::replace(&self.path, name, text);
        written.map_err(|refused| file_error(&refused.path, "can't be written", refused.error))
    }
}

fn create(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        // What is there instead of a folder is told apart below.
        Err(_) if path.symlink_metadata().is_ok() => Ok(()),
        result => result,
    }
}

/// Opens the folder when it is a real one and this user's.
fn open_own(path: &Path) -> Result<File, FolderError> {
    let unfit = |reason| FolderError::Unfit { path: path.to_owned(), reason };
    let about = path.symlink_metadata().map_err(|error| io_error(path, "can't be read", error))?;
    if about.is_symlink() {
        return Err(unfit("a symbolic link, not a folder"));
    }
    if !about.is_dir() {
        return Err(unfit("not a folder"));
    }
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
        let flags = OFlags::NOFOLLOW | OFlags::DIRECTORY;
        let folder = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path);
        let folder = folder.map_err(|error| io_error(path, "can't be opened", error))?;
        let about = folder.metadata().map_err(|error| io_error(path, "can't be read", error))?;
        if about.uid() != rustix::process::geteuid().as_raw() {
            return Err(unfit("a folder of another user"));
        }
        Ok(folder)
    }
    #[cfg(not(unix))]
    {
        // Folders do not open as files here; the handle only has to exist, as modes do not.
        File::options()
            .create(true)
            .append(true)
            .open(path.join("lock"))
            .map_err(|error| io_error(path, "can't be written", error))
    }
}

fn io_error(path: &Path, what: &'static str, error: io::Error) -> FolderError {
    FolderError::Io { path: path.to_owned(), what, error }
}

/// As [`io_error`], for what should be a regular file.
fn file_error(path: &Path, what: &'static str, error: io::Error) -> FolderError {
    if private::is_no_file(path) {
        return FolderError::NotAFile { path: path.to_owned() };
    }
    io_error(path, what, error)
}
