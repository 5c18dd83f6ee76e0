//! The SHA-256 sums that are kept beside a cached library: of its archive, and of each of its files.
//!
//! The text has the form that `sha256sum --check` reads, one line a file: the sum, two spaces, the path from the
//! folder of the release. The archive's line comes first; it is missing for a library that another program put there.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

/// How much of a file is hashed at a time, in bytes.
const PIECE: usize = 1 << 16;

/// A SHA-256 sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum([u8; 32]);

impl Sum {
    /// 64 hexadecimal digits, in either case.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut sum = [0; 32];
        for (byte, pair) in sum.iter_mut().zip(digits.chunks_exact(2)) {
            let value =
                pair.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?));
            *byte = u8::try_from(value?).ok()?;
        }
        Some(Self(sum))
    }

    /// The sum of a file.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut hasher = Hashing::over(io::sink());
        let mut piece = vec![0; PIECE];
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(hasher.sum()),
                length => hasher.write_all(piece.get(..length).unwrap_or_default())?,
            }
        }
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A writer that hashes what passes.
pub(super) struct Hashing<W> {
    writer: W,
    hasher: Sha256,
}

impl<W: Write> Hashing<W> {
    pub(super) fn over(writer: W) -> Self {
        Self { writer, hasher: Sha256::new() }
    }

    /// The sum of what was written.
    pub(super) fn sum(self) -> Sum {
        Sum(self.hasher.finalize().into())
    }

    /// What is written to.
    pub(super) fn writer(&mut self) -> &mut W {
        &mut self.writer
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.writer.write(bytes)?;
        self.hasher.update(bytes.get(..length).unwrap_or_default());
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// The kept sums of one library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    /// The archive's file name and sum, when this program downloaded it.
    pub(super) archive: Option<(String, Sum)>,
    /// The files, by their paths inside the library's folder with `/` between folders.
    pub(super) files: Vec<(String, Sum)>,
}

impl Sums {
    /// The text of the file that keeps them. `folder` is the name of the library's folder.
    pub(super) fn text(&self, folder: &str) -> String {
        let archive = self.archive.iter().map(|(name, sum)| format!("{sum}  {name}\n"));
        archive.chain(self.files.iter().map(|(name, sum)| format!("{sum}  {folder}/{name}\n"))).collect()
    }

    /// Reads such a text; none when it is not one.
    pub(super) fn parse(text: &str, folder: &str) -> Option<Self> {
        let mut sums = Self::default();
        for line in text.lines() {
            let (sum, path) = line.split_once("  ")?;
            let sum = Sum::parse(sum)?;
            match path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) {
                Some(name) => sums.files.push((name.to_owned(), sum)),
                None if sums.archive.is_none() => sums.archive = Some((path.to_owned(), sum)),
                None => return None,
            }
        }
        (!sums.files.is_empty()).then_some(sums)
    }

    /// The sums of the files that lie in a folder.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub(super) fn of_folder(folder: &Path) -> io::Result<Self> {
        let mut sums = Self::default();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if let (true, Ok(name)) = (entry.metadata()?.is_file(), entry.file_name().into_string()) {
                sums.files.push((name, Sum::of(&entry.path())?));
            }
        }
        sums.files.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(sums)
    }

    /// The first file of a folder that is not as it was, with what is wrong.
    pub(super) fn differing(&self, folder: &Path) -> Option<(&str, String)> {
        self.files.iter().find_map(|(name, kept)| match Sum::of(&folder.join(name)) {
            Ok(sum) if sum == *kept => None,
            Ok(sum) => Some((name.as_str(), format!("its SHA-256 is {sum}, not {kept}"))),
            Err(error) => Some((name.as_str(), error.to_string())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn hash(bytes: &[u8]) -> Sum {
        let mut hasher = Hashing::over(io::sink());
        hasher.write_all(bytes).unwrap();
        hasher.sum()
    }

    /// LIB-06: a sum is 64 hexadecimal digits, and the known sum of `abc` is that.
    #[test]
    fn sums_are_read_and_written() {
        assert_eq!(hash(b"abc").to_string(), ABC);
        assert_eq!(Sum::parse(ABC), Some(hash(b"abc")));
        assert_eq!(Sum::parse(&ABC.to_uppercase()), Some(hash(b"abc")));
        for text in ["", &ABC[1..], &format!("{ABC}0"), &ABC.replace('b', "g"), &ABC.replace("ba", "+a")] {
            assert_eq!(Sum::parse(text), None, "{text}");
        }
    }

    /// LIB-06: what is kept reads back, and a text that is none is not taken for one.
    #[test]
    fn kept_sums_read_back() {
        let sums = Sums {
            archive: Some(("simplex-chat-libs-linux-x86_64.zip".to_owned(), hash(b"zip"))),
            files: vec![("libHSa.so".to_owned(), hash(b"a")), ("libsimplex.so".to_owned(), hash(b"b"))],
        };
        let text = sums.text("sqlite");
        assert!(text.ends_with("  sqlite/libsimplex.so\n") && text.lines().count() == 3, "{text}");
        assert_eq!(Sums::parse(&text, "sqlite"), Some(sums.clone()));
        let unknown = Sums { archive: None, ..sums };
        assert_eq!(Sums::parse(&unknown.text("sqlite"), "sqlite"), Some(unknown));
        for text in [
            "",
            "x",
            &format!("{ABC}  a.zip"),
            &format!("{ABC} sqlite/a"),
            &format!("{ABC}  a\n{ABC}  b\n{ABC}  sqlite/c"),
        ] {
            assert_eq!(Sums::parse(text, "sqlite"), None, "{text}");
        }
    }
}
