//! Searches that are asked again from growing places of one line, and remember what they found.

use core::ops::Range;

use super::super::unicode::is_punctuation;

/// Finds the next `byte`, an ASCII character, at or after a place. Places asked for must not shrink.
pub(super) struct Finder {
    byte: u8,
    /// The last answer: where the byte is, or past the end of any line.
    found: Option<usize>,
}

impl Finder {
    pub(super) const fn new(byte: u8) -> Self {
        Self { byte, found: None }
    }

    /// Where the last one asked for is.
    pub(super) const fn last(&self) -> Option<usize> {
        self.found
    }

    /// Where the next one is; None when there is none.
    pub(super) fn at_or_after(&mut self, line: &str, from: usize) -> Option<usize> {
        let known = self.found.filter(|found| *found >= from);
        let found = known.unwrap_or_else(|| {
            let rest = line.as_bytes().get(from..).unwrap_or_default();
            rest.iter().position(|b| *b == self.byte).map_or(usize::MAX, |offset| from.saturating_add(offset))
        });
        self.found = Some(found);
        (found != usize::MAX).then_some(found)
    }
}

/// Finds the end of the word (up to U+0020) at a place, and where the punctuation at its end begins.
pub(super) struct WordEnds {
    space: Finder,
    /// The punctuation that ends the last word looked at, as bytes of the line.
    punctuation: Range<usize>,
}

impl WordEnds {
    pub(super) const fn new() -> Self {
        Self { space: Finder::new(b' '), punctuation: 0..0 }
    }

    /// The word from `from` on: where its trailing punctuation begins (at `from` when it is nothing else), and where
    /// it ends.
    pub(super) fn of(&mut self, line: &str, from: usize) -> (usize, usize) {
        let end = self.space.at_or_after(line, from).unwrap_or(line.len());
        if self.punctuation.end != end {
            let word = line.get(from..end).unwrap_or_default();
            let kept = word.trim_end_matches(is_punctuation).len();
            self.punctuation = from.saturating_add(kept)..end;
        }
        (self.punctuation.start.max(from), end)
    }
}
