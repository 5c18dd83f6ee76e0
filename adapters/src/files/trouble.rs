//! What a person can do about a file that the system refuses: each kind of trouble has its own remedy.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::private::{self, NotReplaced};

/// The sentence that follows the system's error.
pub(crate) fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied => "Give this user access to it, or start with --data FOLDER.",
        ErrorKind::ReadOnlyFilesystem => "Make its disk writable, or start with --data FOLDER.",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "Free some space on its disk, or start with --data FOLDER."
        }
        ErrorKind::FileTooLarge => {
            "Raise the limit of this user's file sizes (ulimit -f), or start with --data FOLDER."
        }
        _ => "Start with --data and a folder of your own.",
    }
}

/// Why a file can't be written, and what to do.
pub(crate) fn not_replaced(refused: &NotReplaced) -> String {
    let NotReplaced { path, error } = refused;
    if private::is_no_file(path) {
        return not_a_file(path);
    }
    format!("{} can't be written: {error}. {}", path.display(), remedy(error))
}

/// The line about something that stands in the place of a file.
pub(crate) fn not_a_file(path: &Path) -> String {
    format!("{}: not a regular file. Move it away, then start again.", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DATA-08, DATA-20: a remedy that helps.
    #[test]
    fn remedies() {
        for (kind, word) in [
            (ErrorKind::PermissionDenied, "access"),
            (ErrorKind::ReadOnlyFilesystem, "writable"),
            (ErrorKind::StorageFull, "space"),
            (ErrorKind::QuotaExceeded, "space"),
            (ErrorKind::FileTooLarge, "ulimit"),
            (ErrorKind::NotFound, "folder of your own"),
            (ErrorKind::NotADirectory, "folder of your own"),
        ] {
            let remedy = remedy(&kind.into());
            assert!(remedy.contains(word) && remedy.contains("--data"), "{kind}: {remedy}");
        }
    }
}
