//! The folder of a release in the cache, in the layout of the official Python client (digest 1.5), so that one
//! download serves both: `CACHE/simplex-chat/v7.0.2/sqlite/libsimplex.so`.
//!
//! Beside the library's folder lie the sums of its files, a lock that is held while a library is put there, and
//! while it is put there, a folder in which it is made. That one gets the library's name by a rename at the very
//! end, so a process that is killed leaves a whole library or none.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::FILE;
use super::super::download::Show;
use super::super::sums::Sums;
use super::release::Release;
use crate::files::private;

/// The database that the library was built for; the other is `postgres`.
const BACKEND: &str = "sqlite";
/// The file that keeps the sums.
const SUMS: &str = "sqlite.sha256";
/// How often a lock that another process holds is tried.
const LOCK_TRIES: Duration = Duration::from_millis(100);

/// What is in the cache.
#[derive(Debug)]
pub(super) enum Cached {
    /// No library.
    Nothing,
    /// A library that another program put there.
    Unknown,
    /// A library that is as it was when its sums were taken.
    Known(Sums),
}

/// The folder of one release.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    release: PathBuf,
}

impl Cache {
    /// In `root`, the cache of the official clients.
    pub(super) fn new(root: &Path, release: &Release) -> Self {
        Self { release: root.join(release.tag()) }
    }

    /// The folder of the library.
    pub(super) fn folder(&self) -> PathBuf {
        self.release.join(BACKEND)
    }

    /// The file that keeps the sums.
    pub(super) fn sums_file(&self) -> PathBuf {
        self.release.join(SUMS)
    }

    /// What is there. A library with kept sums is read whole and compared.
    ///
    /// # Errors
    ///
    /// A library that is not as it was, a folder without one, sums that do not read.
    pub(super) fn look(&self) -> Result<Cached, String> {
        let folder = self.folder();
        let is_there = folder.join(FILE).exists();
        if !is_there && fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
            let folder = folder.display();
            return Err(format!("{folder} is there without {FILE}. Remove it, and start again."));
        }
        match self.sums()? {
            _ if !is_there => Ok(Cached::Nothing),
            None => Ok(Cached::Unknown),
            Some(sums) => match sums.differing(&folder) {
                None => Ok(Cached::Known(sums)),
                Some((file, reason)) => Err(format!(
                    "{} is not what was kept in {}: {reason}. Remove {}, and start again to download it.",
                    folder.join(file).display(),
                    self.sums_file().display(),
                    folder.display(),
                )),
            },
        }
    }

    /// The kept sums, those of a library that was removed too.
    ///
    /// # Errors
    ///
    /// They do not read.
    pub(super) fn sums(&self) -> Result<Option<Sums>, String> {
        let path = self.sums_file();
        match fs::read_to_string(&path) {
            Ok(text) => match Sums::parse(&text, BACKEND) {
                Some(sums) => Ok(Some(sums)),
                None => Err(format!("{} is damaged. Remove it, and start again.", path.display())),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{}: {error}.", path.display())),
        }
    }

    /// Keeps sums.
    ///
    /// # Errors
    ///
    /// What the system refuses, and about which file.
    pub(super) fn keep(&self, sums: &Sums) -> Result<(), String> {
        let kept = private::replace(&self.release, SUMS, &sums.text(BACKEND));
        kept.map_err(|refused| format!("{}: {}.", refused.path.display(), refused.error))
    }

    /// Makes the folder of the release, and waits until no other process puts a library there. The lock is freed by
    /// the system when the process ends in whatever way; its file is never removed.
    ///
    /// # Errors
    ///
    /// The folder or the file cannot be made.
    pub(super) fn lock(&self, show: &mut dyn Show) -> Result<File, String> {
        fs::create_dir_all(&self.release).map_err(|error| format!("{}: {error}.", self.release.display()))?;
        let path = self.release.join("sqlite.lock");
        let at_path = |error: io::Error| format!("{}: {error}.", path.display());
        let file = private::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(at_path)?;
        let mut is_told = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => {
                    if !std::mem::replace(&mut is_told, true) {
                        show.line("Another process is putting the library into the cache: waiting for it.");
                    }
                    std::thread::sleep(LOCK_TRIES);
                }
                Err(TryLockError::Error(error)) => return Err(at_path(error)),
            }
        }
    }

    /// A new folder to make a library in, for who holds the lock; what a killed process left there goes away.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub(super) fn workshop(&self) -> Result<Workshop, String> {
        let path = self.release.join(".sqlite.download");
        let made = match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir(&path),
        };
        made.map_err(|error| format!("{}: {error}.", path.display()))?;
        Ok(Workshop(path))
    }

    /// Puts a finished folder in the library's place, with its sums. The sums come first: no library of ours is
    /// without.
    ///
    /// # Errors
    ///
    /// The system's error, or another library that a program without our lock has put there meanwhile.
    pub(super) fn install(&self, finished: &Path, sums: &Sums) -> Result<(), String> {
        let folder = self.folder();
        self.keep(sums)?;
        match fs::rename(finished, &folder) {
            Ok(()) => {
                private::sync_folder(&self.release).map_err(|error| format!("{}: {error}.", folder.display()))
            }
            Err(error) => match self.look()? {
                Cached::Known(_) => Ok(()),
                Cached::Nothing | Cached::Unknown => Err(format!("{}: {error}.", folder.display())),
            },
        }
    }
}

/// A folder that is removed with all that is in it.
#[derive(Debug)]
pub(super) struct Workshop(PathBuf);

impl Workshop {
    /// A path in it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
