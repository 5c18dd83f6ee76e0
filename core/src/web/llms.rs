//! The `## Communications` section of `llms.txt`: read and written.
//!
//! An entry is an item of a list: `- [TITLE](ADDRESS): NETWORK TYPE for AUDIENCE[, …]. INFO`. What is wrong is noted
//! with its place; an entry that can be used is given all the same, and no bad one takes another away. A text of any
//! bytes is read in time that grows with its length and not faster.

mod blocks;
mod entry;
mod head;
mod html;
mod line;
mod link;
mod note;
mod plain;
pub(in crate::web) mod work;
mod write;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use serde::Serialize;

pub use entry::{Address, Entry, Kind, Network};
pub use note::{MAX_NOTES, Note, Notice, Position};
pub use write::write;

use note::Noted;
use plain::Plain;

/// Most bytes of a text that are read: 1 MB (decisions 9a).
pub const MAX_BYTES: usize = 1_000_000;

/// Most entries of a text that are read (decisions 9a).
pub const MAX_ENTRIES: usize = 1_000;

/// What the section says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Communications {
    /// Whether there is a section.
    pub found: bool,
    /// The entries, in their order; of several sections all.
    pub entries: Vec<Entry>,
    /// What is wrong, in the order of the places.
    pub notes: Vec<Note>,
}

/// Reads the section of a file of any bytes. Places are those of [`decode`]'s text.
pub fn read(bytes: &[u8]) -> Communications {
    let mut noted = Noted::default();
    let (text, bad) = decode(bytes);
    if let Some(at) = bad {
        noted.add(at, Notice::NotUtf8);
    }
    read_text(&text, bytes.len() > MAX_BYTES, noted)
}

/// Reads the section of a text. Places are those of the text, a byte order mark at its start left out.
pub fn parse(text: &str) -> Communications {
    read(text.as_bytes())
}

/// The text of a file as it is read: whole lines of its first [`MAX_BYTES`] bytes, without a byte order mark, U+FFFD for
/// what is no UTF-8; and where the first such place is.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, Option<usize>) {
    let mut read = bytes.get(..MAX_BYTES).unwrap_or(bytes);
    if read.len() < bytes.len() {
        let end = read.iter().rposition(|b| matches!(b, b'\n' | b'\r')).map_or(0, |last| last + 1);
        read = read.get(..end).unwrap_or_default();
    }
    let read = read.strip_prefix("\u{feff}".as_bytes()).unwrap_or(read);
    match core::str::from_utf8(read) {
        Ok(text) => (Cow::Borrowed(text), None),
        Err(error) => (String::from_utf8_lossy(read), Some(error.valid_up_to())),
    }
}

fn read_text(text: &str, is_cut: bool, mut noted: Noted) -> Communications {
    let (items, found) = blocks::items(text, &mut noted);
    let mut entries = Vec::new();
    for item in items {
        if entries.len() == MAX_ENTRIES {
            noted.add(item.start, Notice::TooManyEntries);
            break;
        }
        entries.extend(read_item(text, item, &mut noted));
    }
    if !found {
        noted.add(0, Notice::NoSection);
    }
    if is_cut {
        noted.add(text.len(), Notice::TooLong);
    }
    Communications { found, entries, notes: noted.into_notes(text) }
}

/// The entry of an item; none when it is none, which is noted.
fn read_item(text: &str, item: Range<usize>, noted: &mut Noted) -> Option<Entry> {
    let start = item.start;
    let source = text.get(item)?;
    let Some(link) = link::link(source) else {
        noted.add(start, Notice::NoLink);
        return None;
    };
    let after = source.get(link.end..)?;
    let notes = after.trim_start_matches([' ', '\t', '\n', '\r']);
    let Some(notes) = notes.strip_prefix(':') else {
        noted.add(start + link.end, Notice::NoColon);
        return None;
    };
    let notes = Plain::of(notes, start + source.len() - notes.len());
    let title = Plain::of(source.get(link.title.clone())?, 0).text;
    let address = plain::address(source.get(link.address.clone())?);
    let entry = head::entry(&title, (&address, start + link.address.start), &notes, noted)?;
    if title.is_empty() {
        noted.add(start + link.title.start, Notice::NoTitle);
    }
    Some(entry)
}
