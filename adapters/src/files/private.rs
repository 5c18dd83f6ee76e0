//! Files that only their owner may read, replaced whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The longest file of ours that is read, in bytes. `state.json` holds a hash of 64 characters a one-time link.
const MAX_READ: u64 = 16 << 20;

/// Options that follow no symbolic link in the last part of a path and create with mode 0600.
pub(crate) fn options() -> OpenOptions {
    let mut options = File::options();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(no_follow());
    }
    options
}

/// What the system refuses when a file is to be replaced.
#[derive(Debug)]
pub(crate) struct NotReplaced {
    /// The file, or what stands in the place of its temporary one.
    pub(crate) path: PathBuf,
    pub(crate) error: io::Error,
}

/// Replaces `folder`/`name`: a temporary file with mode 0600, synced, renamed, and the folder synced. A reader, and
/// a process that is killed at any point, finds the old text or the new one, also after a loss of power.
pub(crate) fn replace(folder: &Path, name: &str, text: &str) -> Result<(), NotReplaced> {
    put(folder, name, text, true)?;
    sync_folder(folder).map_err(|error| NotReplaced { path: folder.join(name), error })
}

/// As [`replace`], without a promise about a loss of power: for text that is written with each event.
pub(crate) fn replace_quickly(folder: &Path, name: &str, text: &str) -> Result<(), NotReplaced> {
    put(folder, name, text, false)
}

fn put(folder: &Path, name: &str, text: &str, synced: bool) -> Result<(), NotReplaced> {
    let (path, temporary) = (folder.join(name), folder.join(format!(".{name}.tmp")));
    if let Err(error) = remove_if_there(&temporary) {
        return Err(NotReplaced { path: temporary, error });
    }
    let written = options().write(true).create_new(true).open(&temporary).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        if synced { file.sync_all() } else { Ok(()) }
    });
    let renamed = written.and_then(|()| fs::rename(&temporary, &path));
    if renamed.is_err() {
        // On a full disk the beginning of a text would only keep what little there is.
        let _ = fs::remove_file(&temporary);
    }
    renamed.map_err(|error| NotReplaced { path, error })
}

/// The text of `folder`/`name`; `None` when there is no such file. Its mode is set to 0600 again.
///
/// # Errors
///
/// The system's error, a file that is not a regular one included, and [`io::ErrorKind::InvalidData`] for text that
/// is not UTF-8.
pub(super) fn read(folder: &Path, name: &str) -> io::Result<Option<String>> {
    let Some(file) = open(&folder.join(name))? else { return Ok(None) };
    restrict(&file, 0o600)?;
    let mut text = String::new();
    file.take(MAX_READ).read_to_string(&mut text)?;
    Ok(Some(text))
}

/// Opens a regular file to read it, without waiting for anything; `None` when there is nothing of that name.
///
/// # Errors
///
/// The system's error. That something else stands in its place is told by [`is_no_file`].
pub(crate) fn open(path: &Path) -> io::Result<Option<File>> {
    let file = match options().read(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if file.metadata()?.is_file() { Ok(Some(file)) } else { Err(io::Error::other("not a regular file")) }
}

/// Whether something stands in the place of a file that is none: a link, a folder, a pipe.
pub(crate) fn is_no_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| !about.is_file())
}

/// Sets the mode of an open file or folder, where modes exist.
pub(super) fn restrict(file: &File, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if file.metadata()?.permissions().mode() & 0o7777 != mode {
            file.set_permissions(fs::Permissions::from_mode(mode))?;
        }
    }
    #[cfg(not(unix))]
    let _ = (file, mode);
    Ok(())
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes a rename in `folder` last over a loss of power; only possible where a folder opens as a file.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// `O_NOFOLLOW`, and `O_NONBLOCK` so that a pipe in the place of a file is an error and not a wait.
#[cfg(unix)]
fn no_follow() -> i32 {
    use rustix::fs::OFlags;
    (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed()
}
