//! The archive of a library: its folder `libs`, unpacked within limits and hashed on the way.
//!
//! Names come from outside: one that could lead out of the folder refuses the whole archive, and links are not made.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::super::FILE;
use super::super::sums::{Hashing, Sum};

/// The folder of the archive that holds the library (digest 1.5).
const FOLDER: &str = "libs/";

/// How large an archive and what is in it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the archive.
    pub archive: u64,
    /// Bytes of all files together, unpacked.
    pub unpacked: u64,
    /// Entries of the archive.
    pub entries: usize,
}

impl Default for Limits {
    /// 1 GiB, 4 GiB and 10,000: several times what a release has, and no full disk.
    fn default() -> Self {
        Self { archive: 1 << 30, unpacked: 4 << 30, entries: 10_000 }
    }
}

/// Why an archive is not used.
#[derive(Debug)]
pub(in super::super) enum ArchiveError {
    /// It is none, or is damaged.
    Broken(ZipError),
    /// A name leads elsewhere.
    Name(String),
    /// It is larger than is allowed.
    Large,
    /// The library is not in it.
    NoLibrary,
    /// A file could not be written.
    Write(io::Error),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(error) => write!(f, "it is no zip archive, or a damaged one: {error}"),
            Self::Name(name) => write!(f, "it has a file named {name:?}, which is not a plain path"),
            Self::Large => f.write_str("unpacked, it is too large for a SimpleX library"),
            Self::NoLibrary => write!(f, "there is no {FOLDER}{FILE} in it"),
            Self::Write(error) => write!(f, "it can't be unpacked: {error}"),
        }
    }
}

impl From<ZipError> for ArchiveError {
    fn from(error: ZipError) -> Self {
        Self::Broken(error)
    }
}

/// Unpacks the library into a new folder; the files with their sums, in the order of their names.
pub(in super::super) fn unpack(
    archive: File,
    folder: &Path,
    limits: Limits,
) -> Result<Vec<(String, Sum)>, ArchiveError> {
    let mut archive = ZipArchive::new(io::BufReader::new(archive))?;
    if archive.len() > limits.entries {
        return Err(ArchiveError::Large);
    }
    fs::create_dir(folder).map_err(ArchiveError::Write)?;
    let (mut files, mut left) = (Vec::new(), limits.unpacked);
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let name = entry.name()?.into_owned();
        if !is_plain(&name) {
            return Err(ArchiveError::Name(name));
        }
        let Some(inside) = name.strip_prefix(FOLDER).filter(|_| entry.is_file()) else { continue };
        let sum = write(&mut entry, &folder.join(inside), &mut left)?;
        files.push((inside.to_owned(), sum));
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    if files.iter().any(|(name, _)| name == FILE) { Ok(files) } else { Err(ArchiveError::NoLibrary) }
}

/// A relative path of ordinary names, on every system; a final `/` names a folder.
fn is_plain(name: &str) -> bool {
    let is_ordinary = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && !part.chars().any(|c| c.is_control() || matches!(c, '\\' | ':'))
    };
    name.strip_suffix('/').unwrap_or(name).split('/').all(is_ordinary)
}

/// Writes one file, which must not be there, and counts its bytes down from what is left.
fn write(entry: &mut impl Read, path: &Path, left: &mut u64) -> Result<Sum, ArchiveError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(ArchiveError::Write)?;
    }
    let file = File::create_new(path).map_err(ArchiveError::Write)?;
    let mut file = Hashing::over(file);
    let mut piece = vec![0; 1 << 16];
    loop {
        let length = match entry.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) => return Err(ArchiveError::Broken(error.into())),
        };
        let count = u64::try_from(length).unwrap_or(u64::MAX);
        *left = left.checked_sub(count).ok_or(ArchiveError::Large)?;
        file.write_all(piece.get(..length).unwrap_or_default()).map_err(ArchiveError::Write)?;
    }
    // On the disk before its folder gets its name: a loss of power leaves no empty library.
    file.writer().sync_all().map_err(ArchiveError::Write)?;
    Ok(file.sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LIB-07: names that could lead out of a folder, on any system.
    #[test]
    fn plain_names() {
        for name in
            ["libs/libsimplex.so", "libs/", "libs/a/b.so", "README", "libs/..a", "libs/a..", "libs/é.so"]
        {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "",
            "/",
            "/etc/passwd",
            "libs/../../x",
            "..",
            "libs/./a",
            "libs//a",
            "libs\\..\\x",
            "C:/x",
            "a\0b",
            "a\nb",
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
    }
}
