//! What a line of Markdown begins, looked at alone (CommonMark, Leaf blocks and Container blocks).

use super::work::spend;

/// A line without its end, and how far its first character is indented; a tab goes on to the next multiple of 4.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// What follows the indentation.
    pub(super) rest: &'a [u8],
    /// Where that begins in the text.
    pub(super) at: usize,
    /// Its column, from 0.
    pub(super) indent: usize,
}

/// The marker of an item of a list.
pub(super) struct Marker<'a> {
    /// What follows it.
    pub(super) line: Line<'a>,
    /// The column from which on later lines belong to the item.
    pub(super) offset: usize,
    /// Whether a paragraph ends before it: a bullet or the number 1, with something after it.
    pub(super) interrupts: bool,
}

/// The fence of a block of code.
#[derive(Clone, Copy)]
pub(super) struct Fence {
    byte: u8,
    len: usize,
}

impl<'a> Line<'a> {
    /// The line that begins at this place of the text.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { rest: bytes, at, indent: 0 }.indented()
    }

    /// Over spaces and tabs.
    fn indented(mut self) -> Self {
        while let Some((first, rest)) = self.rest.split_first() {
            self.indent = match first {
                b' ' => self.indent + 1,
                b'\t' => (self.indent / 4 + 1) * 4,
                _ => break,
            };
            spend(1);
            (self.rest, self.at) = (rest, self.at + 1);
        }
        self
    }

    pub(super) const fn is_blank(&self) -> bool {
        self.rest.is_empty()
    }

    /// The level of a heading with `#`, and its text.
    pub(super) fn heading(&self) -> Option<(u8, &'a [u8])> {
        let level = self.rest.iter().take(7).take_while(|b| **b == b'#').count();
        let text = self.rest.get(level..)?;
        let is_heading = (1..=6).contains(&level) && matches!(text, [] | [b' ' | b'\t', ..]);
        spend(if is_heading { self.rest.len() } else { level });
        is_heading.then(|| (u8::try_from(level).unwrap_or(6), without_closing(trim(text))))
    }

    /// Whether it is `===` (1) or `---` (2) under a paragraph.
    pub(super) fn underline(&self) -> Option<u8> {
        let text = trim(self.rest);
        spend(text.len());
        match text.first()? {
            b'=' if text.iter().all(|b| *b == b'=') => Some(1),
            b'-' if text.iter().all(|b| *b == b'-') => Some(2),
            _ => None,
        }
    }

    /// Whether it is a break between subjects: three or more `*`, `-` or `_`. `other` keeps where a character came that
    /// is no part of one, so that a line of many markers is looked at once.
    pub(super) fn is_break(&self, other: &mut Option<(u8, usize)>) -> bool {
        let Some(first @ (b'*' | b'-' | b'_')) = self.rest.first() else { return false };
        if other.is_some_and(|(byte, at)| byte == *first && at >= self.at) {
            return false;
        }
        let is_part = |b: &u8| b == first || matches!(b, b' ' | b'\t');
        let len = self.rest.iter().take_while(|b| is_part(b)).count();
        spend(len);
        if len < self.rest.len() {
            *other = Some((*first, self.at + len));
            return false;
        }
        self.rest.iter().filter(|b| *b == first).take(3).count() == 3
    }

    /// The fence that begins a block of code.
    pub(super) fn fence(&self) -> Option<Fence> {
        let byte = *self.rest.first().filter(|b| matches!(b, b'`' | b'~'))?;
        let len = self.rest.iter().take_while(|b| **b == byte).count();
        spend(self.rest.len());
        let info = self.rest.get(len..)?;
        (len >= 3 && (byte == b'~' || !info.contains(&b'`'))).then_some(Fence { byte, len })
    }

    /// The marker of an item, and what follows it.
    pub(super) fn marker(&self) -> Option<Marker<'a>> {
        let digits = self.rest.iter().take(10).take_while(|b| b.is_ascii_digit()).count();
        let (len, is_first) = match (digits, self.rest.get(digits)?) {
            (0, b'-' | b'*' | b'+') => (1, true),
            (1..=9, b'.' | b')') => (digits + 1, self.rest.get(..digits) == Some(b"1")),
            _ => return None,
        };
        let rest = self.rest.get(len..)?;
        if !matches!(rest, [] | [b' ' | b'\t', ..]) {
            return None;
        }
        let after = self.indent + len;
        let line = Line { rest, at: self.at + len, indent: after }.indented();
        // Five columns of space and more are one, and code.
        let is_code = line.indent - after > 4;
        let offset = if line.is_blank() || is_code { after + 1 } else { line.indent };
        Some(Marker { line, offset, interrupts: is_first && !line.is_blank() })
    }
}

impl Fence {
    /// Whether this line closes the block that the fence began.
    pub(super) fn is_closed_by(self, line: &Line<'_>) -> bool {
        let len = line.rest.iter().take_while(|b| **b == self.byte).count();
        spend(line.rest.len());
        len >= self.len && line.rest.get(len..).is_some_and(|rest| trim(rest).is_empty())
    }
}

/// Without spaces and tabs at the ends.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    let is_text = |b: &u8| !matches!(b, b' ' | b'\t');
    let start = text.iter().position(is_text).unwrap_or(text.len());
    let end = text.iter().rposition(is_text).map_or(start, |last| last + 1);
    text.get(start..end).unwrap_or_default()
}

/// Without the `#`s that may close a heading, and the space before them.
fn without_closing(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| *b != b'#').map_or(0, |last| last + 1);
    match text.get(..end) {
        Some([]) => b"",
        Some(before @ [.., b' ' | b'\t']) => trim(before),
        _ => text,
    }
}
