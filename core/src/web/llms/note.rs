//! What is wrong with a section, and where.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::work::spend;
use super::{Kind, MAX_BYTES, MAX_ENTRIES};
use crate::simplex::fold;

/// Most notes on one text; what a text of noise would get beyond them helps nobody.
pub const MAX_NOTES: usize = 1_000;

/// A place in a text, as editors count: lines and characters from 1. A place after the last character is one too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character of the line.
    pub column: usize,
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where it begins.
    pub at: Position,
    /// What it is.
    pub notice: Notice,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.at.line, self.at.column, self.notice)
    }
}

impl Serialize for Note {
    /// Position and code: the words of [`Notice`]'s text are no part of the format.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut note = serializer.serialize_struct("Note", 3)?;
        note.serialize_field("line", &self.at.line)?;
        note.serialize_field("column", &self.at.column)?;
        note.serialize_field("code", self.notice.code())?;
        note.end()
    }
}

/// What can be wrong with a text or an entry. Texts of the file are cut as names are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// There is no section.
    NoSection,
    /// What is beyond the limit of bytes is not read.
    TooLong,
    /// What is beyond the limit of entries is not read.
    TooManyEntries,
    /// What is beyond [`MAX_NOTES`] is not noted.
    TooManyNotes,
    /// Bytes that are no UTF-8; they are read as U+FFFD.
    NotUtf8,
    /// A heading of the section's name, of another level: no section.
    HeadingLevel(u8),
    /// The heading's letters have another case; the section is read.
    HeadingCase,
    /// A paragraph that looks like an entry, outside of a list: no entry.
    NotItem,
    /// An item that does not begin with a link: no entry.
    NoLink,
    /// A link without text; the entry is given.
    NoTitle,
    /// A link without address, or with control characters in it: no entry.
    NoAddress,
    /// A link without a colon after it: no entry.
    NoColon,
    /// Notes that do not begin with network and type: no entry.
    NoType,
    /// The network is SimpleX, and the address is no SimpleX link or name: no entry.
    NotSimplex,
    /// A one-time link, which the first reader would use up: no entry.
    OneTime,
    /// The type needs another kind of link, and what the link is: no entry.
    WrongLink(&'static str, &'static str),
    /// A SimpleX link under the name of another network; the entry is given as that network's.
    OtherNetwork(String),
    /// No `.` ends the head, so that all of the notes were read as the head.
    NoEnd,
    /// No audience, or an unknown one; the entry is given without.
    UnknownAudience(String),
    /// An unknown update frequency; the entry is given without.
    UnknownFrequency(String),
    /// A second update frequency; the first is taken.
    SecondFrequency(String),
    /// Something that is no protocol name; the entry is given without.
    NotProtocol(String),
    /// Something after the audience of a group; the entry is given without.
    AfterAudience(String),
}

impl Notice {
    /// A name of its own for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoSection => "no-section",
            Self::TooLong => "too-long",
            Self::TooManyEntries => "too-many-entries",
            Self::TooManyNotes => "too-many-notes",
            Self::NotUtf8 => "not-utf8",
            Self::HeadingLevel(_) => "heading-level",
            Self::HeadingCase => "heading-case",
            Self::NotItem => "not-item",
            Self::NoLink => "no-link",
            Self::NoTitle => "no-title",
            Self::NoAddress => "no-address",
            Self::NoColon => "no-colon",
            Self::NoType => "no-type",
            Self::NotSimplex => "not-simplex",
            Self::OneTime => "one-time",
            Self::WrongLink(..) => "wrong-link",
            Self::OtherNetwork(_) => "other-network",
            Self::NoEnd => "no-end",
            Self::UnknownAudience(_) => "unknown-audience",
            Self::UnknownFrequency(_) => "unknown-frequency",
            Self::SecondFrequency(_) => "second-frequency",
            Self::NotProtocol(_) => "not-protocol",
            Self::AfterAudience(_) => "after-audience",
        }
    }

    /// A type whose link is of the wrong kind.
    pub(super) const fn wrong_link(kind: &Kind, link: &'static str) -> Self {
        Self::WrongLink(kind.as_str(), link)
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSection => f.write_str("no section with the heading `## Communications`"),
            Self::TooLong => write!(f, "only whole lines of the first {MAX_BYTES} bytes are read"),
            Self::TooManyEntries => write!(f, "only the first {MAX_ENTRIES} entries are read"),
            Self::TooManyNotes => write!(f, "more than {MAX_NOTES} notes; the others are left out"),
            Self::NotUtf8 => f.write_str("not UTF-8; save the file as UTF-8"),
            Self::HeadingLevel(level) => {
                write!(f, "a heading of level {level} begins no section; write `## Communications`")
            }
            Self::HeadingCase => {
                f.write_str("other readers may look for the exact heading; write `## Communications`")
            }
            Self::NotItem => f.write_str("not an item of a list; begin the line with `- `"),
            Self::NoLink => f.write_str("the item does not begin with a link; write `- [TITLE](ADDRESS): NOTES`"),
            Self::NoTitle => f.write_str("the link has no text; write the title of the address there"),
            Self::NoAddress => f.write_str("the link has no address, or one with control characters"),
            Self::NoColon => f.write_str("no colon after the link; write `- [TITLE](ADDRESS): NOTES`"),
            Self::NoType => f.write_str(
                "the notes do not begin with a network and a type; write for example `SimpleX contact for people.`",
            ),
            Self::NotSimplex => f.write_str("the address is not a SimpleX link or name"),
            Self::OneTime => {
                f.write_str("a one-time link is for one reader only; publish a contact address instead")
            }
            Self::WrongLink(kind, link) => write!(f, "the type `{kind}` does not fit the address, {link}"),
            Self::OtherNetwork(network) => {
                write!(f, "a SimpleX link, but the network is `{network}`; write `SimpleX`")
            }
            Self::NoEnd => f.write_str("no `.` and space after the audience and what follows it; all was read as that"),
            Self::UnknownAudience(text) => {
                write!(f, "the audience is `{text}`; write `people`, `agents` or `people and agents`")
            }
            Self::UnknownFrequency(text) => write!(
                f,
                "`{text}` is no update frequency; write `always`, `hourly`, `daily`, `weekly`, `monthly`, `yearly` or `never`"
            ),
            Self::SecondFrequency(text) => write!(f, "`{text}` is a second update frequency; write one"),
            Self::NotProtocol(text) => {
                write!(f, "`{text}` is no protocol name; a name has letters, digits and hyphens")
            }
            Self::AfterAudience(text) => write!(f, "`{text}`: nothing follows the audience of a group"),
        }
    }
}

/// A text of the file as a note shows it.
pub(super) fn shown(text: &str) -> String {
    // Only what can be seen is folded: a text can be as long as the file.
    let mut end = text.len().min(8 * fold::NAME_CHARS);
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    fold::name(text.get(..end).unwrap_or_default())
}

/// Notes while a text is read, by the offset of their place.
#[derive(Default)]
pub(super) struct Noted(Vec<(usize, Notice)>);

impl Noted {
    /// Notes something at a byte of the text. Beyond the limit nothing is added.
    pub(super) fn add(&mut self, at: usize, notice: Notice) {
        match self.0.len() {
            len if len < MAX_NOTES => self.0.push((at, notice)),
            MAX_NOTES => self.0.push((at, Notice::TooManyNotes)),
            _ => {}
        }
    }

    /// Adds those of an entry.
    pub(super) fn append(&mut self, other: Self) {
        other.0.into_iter().for_each(|(at, notice)| self.add(at, notice));
    }

    /// The notes in the order of their places, which are found in one pass over the text.
    pub(super) fn into_notes(mut self, text: &str) -> Vec<Note> {
        self.0.sort_by_key(|(at, _)| *at);
        let mut chars = text.char_indices().peekable();
        let mut at = Position { line: 1, column: 1 };
        let mut notes = Vec::with_capacity(self.0.len());
        for (offset, notice) in self.0 {
            while let Some((index, c)) = chars.next_if(|(index, _)| *index < offset) {
                spend(1);
                let is_crlf = c == '\r' && text.as_bytes().get(index + 1) == Some(&b'\n');
                if matches!(c, '\n' | '\r') && !is_crlf {
                    at = Position { line: at.line + 1, column: 1 };
                } else {
                    at.column += 1;
                }
            }
            notes.push(Note { at, notice });
        }
        notes
    }
}
