//! Inline Markdown as plain text, each character with its place in the source.
//!
//! Escapes, character references and code spans are resolved; a line break is a space. Emphasis and other markup stay
//! as they are written: a title with stars is one with stars.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::work::spend;

/// `text` as Markdown would keep it on one line: each run of spaces and control characters is one space, none at the
/// ends.
pub(super) fn fold(text: &str) -> String {
    let mut plain = Plain::default();
    text.char_indices().for_each(|(at, c)| plain.push(c, at));
    plain.text
}

/// Plain text with its places.
#[derive(Default)]
pub(super) struct Plain {
    /// The text, folded.
    pub(super) text: String,
    /// Where the distance between text and source changes: a place in the text, and its place in the source.
    marks: Vec<(usize, usize)>,
    /// The place of a space that is written when something follows it.
    space: Option<usize>,
}

impl Plain {
    /// The plain text of inline Markdown that begins at byte `base` of the whole text.
    pub(super) fn of(source: &str, base: usize) -> Self {
        let mut plain = Self::default();
        let runs = Runs::of(source);
        let mut at = 0;
        while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
            spend(1);
            at += plain.take(rest, at, base, &runs, source);
        }
        if plain.marks.is_empty() {
            plain.marks.push((0, base));
        }
        plain
    }

    /// The place in the whole text of a byte of this one.
    pub(super) fn source(&self, at: usize) -> usize {
        let index = self.marks.partition_point(|(text, _)| *text <= at);
        let mark = index.checked_sub(1).and_then(|index| self.marks.get(index));
        mark.map_or(at, |(text, source)| source + (at - text))
    }

    /// Takes one character, escape, reference or code span; how many bytes it has.
    fn take(&mut self, rest: &str, at: usize, base: usize, runs: &Runs, source: &str) -> usize {
        let mut chars = rest.chars();
        let Some(c) = chars.next() else { return 1 };
        match c {
            '\\' => {
                // Before a line break it is the break alone.
                let escaped =
                    chars.next().filter(|next| next.is_ascii_punctuation() || matches!(next, '\n' | '\r'));
                self.push(escaped.unwrap_or(c), base + at);
                1 + escaped.map_or(0, char::len_utf8)
            }
            '&' => {
                let (c, len) = reference(rest).unwrap_or((c, 1));
                self.push(c, base + at);
                len
            }
            '`' => {
                let len = run(rest.as_bytes());
                let close = runs.close(at + len, len);
                let content = close.and_then(|close| source.get(at + len..close));
                let (content, start, taken) = match (content, close) {
                    (Some(content), Some(close)) => {
                        let (content, start) = stripped(content, at + len);
                        (content, start, close + len - at)
                    }
                    _ => (rest.get(..len).unwrap_or_default(), at, len),
                };
                spend(content.len());
                content.char_indices().for_each(|(index, c)| self.push(c, base + start + index));
                taken
            }
            _ => {
                self.push(c, base + at);
                c.len_utf8()
            }
        }
    }

    fn push(&mut self, c: char, source: usize) {
        if c == ' ' || c.is_control() {
            self.space.get_or_insert(source);
            return;
        }
        if let Some(space) = self.space.take()
            && !self.text.is_empty()
        {
            self.write(' ', space);
        }
        self.write(c, source);
    }

    fn write(&mut self, c: char, source: usize) {
        let at = self.text.len();
        if self.marks.last().is_none_or(|(text, mark)| mark + (at - text) != source) {
            self.marks.push((at, source));
        }
        self.text.push(c);
    }
}

/// Plain text of a link's address: escapes and references resolved, nothing else.
pub(super) fn address(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut at = 0;
    while let Some(rest) = source.get(at..) {
        spend(1);
        let mut chars = rest.chars();
        let Some(c) = chars.next() else { break };
        let (c, len) = match c {
            '\\' => match chars.next().filter(char::is_ascii_punctuation) {
                Some(escaped) => (escaped, 2),
                None => (c, 1),
            },
            '&' => reference(rest).unwrap_or((c, 1)),
            _ => (c, c.len_utf8()),
        };
        text.push(c);
        at += len;
    }
    text
}

/// How many backticks the text begins with.
pub(super) fn run(text: &[u8]) -> usize {
    let len = text.iter().take_while(|b| **b == b'`').count();
    spend(len);
    len
}

/// The runs of backticks of a text, by their length, so that looking for the end of a code span costs no second look
/// at the text.
pub(super) struct Runs(BTreeMap<usize, Vec<usize>>);

impl Runs {
    pub(super) fn of(source: &str) -> Self {
        let mut runs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let bytes = source.as_bytes();
        spend(bytes.len());
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let len = if rest.first() == Some(&b'`') { run(rest) } else { 0 };
            if len > 0 {
                runs.entry(len).or_default().push(at);
            }
            at += len.max(1);
        }
        Self(runs)
    }

    /// Where the first run of this length begins, from a place on.
    pub(super) fn close(&self, from: usize, len: usize) -> Option<usize> {
        let places = self.0.get(&len)?;
        places.get(places.partition_point(|place| *place < from)).copied()
    }
}

/// The content of a code span without the one space at each end that Markdown takes away, and where it begins.
fn stripped(content: &str, start: usize) -> (&str, usize) {
    let is_space = |c: char| matches!(c, ' ' | '\n' | '\r');
    let inner = content.strip_prefix(is_space).and_then(|inner| inner.strip_suffix(is_space));
    match inner {
        Some(inner) if !content.trim_matches(is_space).is_empty() => (inner, start + 1),
        _ => (content, start),
    }
}

/// The character of a reference such as `&amp;` or `&#233;` at the start of a text, and how many bytes it has. Of the
/// named ones only those that XML has, and `&nbsp;`: the others stay as they are.
fn reference(text: &str) -> Option<(char, usize)> {
    // The longest is `&#1234567;`.
    let end = text.bytes().take(10).position(|b| b == b';')?;
    spend(end);
    let name = text.get(1..end)?;
    let c = match name {
        "amp" => '&',
        "apos" => '\'',
        "gt" => '>',
        "lt" => '<',
        "nbsp" => '\u{a0}',
        "quot" => '"',
        _ => character(name.strip_prefix('#')?)?,
    };
    Some((c, end + 1))
}

/// The character of a number, `x` before a hexadecimal one; U+FFFD for a number that is none.
fn character(number: &str) -> Option<char> {
    let (digits, radix, most) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 6),
        None => (number, 10, 7),
    };
    let is_number = (1..=most).contains(&digits.len()) && digits.chars().all(|c| c.is_digit(radix));
    let code = u32::from_str_radix(digits, radix).ok().filter(|_| is_number)?;
    Some(char::from_u32(code).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER))
}
