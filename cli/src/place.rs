//! Where the data folder of an agent is.

use std::path::{Path, PathBuf};

use simplex_agent_core::agent::text::entry;

use crate::failure::Failure;

/// `--data`, or `~/.simplex-mcp/NAME`, as an absolute path.
///
/// # Errors
///
/// No home folder is known, or there is no current folder that `--data` could be relative to.
pub(crate) fn data_folder(name: &str, data: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = match data {
        Some(path) => path.to_owned(),
        None => home_folder()?.join(name),
    };
    let absolute = std::path::absolute(&path);
    let absolute = absolute.map_err(|error| Failure::outside(format!("{}: {error}", path.display())))?;
    // Without a trailing slash, as the messages name it.
    Ok(absolute.components().collect())
}

/// `~/.simplex-mcp`, which holds the data folders of this user's agents.
///
/// # Errors
///
/// No home folder is known.
pub(crate) fn home_folder() -> Result<PathBuf, Failure> {
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let home = home.ok_or_else(|| Failure::outside("No home folder is known. Start with --data FOLDER."))?;
    Ok(home.join(".simplex-mcp"))
}

/// ` --data DIR` for a command that a message names, when DIR was given; otherwise empty.
pub(crate) fn data_option(path: &Path, data: Option<&Path>) -> String {
    data.map(|_| entry::data_option(&path.to_string_lossy())).unwrap_or_default()
}

/// The first file of this name in a folder of the PATH that can be run.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names: Vec<String> = if cfg!(windows) {
        ["exe", "cmd", "bat"].iter().map(|end| format!("{program}.{end}")).collect()
    } else {
        vec![program.to_owned()]
    };
    let folders = std::env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty());
    let files = folders.flat_map(|folder| names.iter().map(|name| folder.join(name)).collect::<Vec<_>>());
    files.into_iter().find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
