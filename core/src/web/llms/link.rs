//! The link that an entry begins with: `[TITLE](ADDRESS)`, `[TITLE](<ADDRESS>)`, either with a quoted title after the
//! address, which is left out.
//!
//! One attempt is made, at the start of an item, in one pass. A link or image inside the text of a link is none here.

use core::ops::Range;

use super::plain::{Runs, run};
use super::work::spend;

/// Parentheses in a bare address nest this deep, as in other readers of Markdown.
const MAX_NESTING: usize = 32;

/// Where the parts of a link are.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The text between the brackets.
    pub(super) title: Range<usize>,
    /// The address, without `<` and `>`.
    pub(super) address: Range<usize>,
    /// Where the link ends.
    pub(super) end: usize,
}

/// The link at the start of an item's text, spaces and line breaks before it aside.
pub(super) fn link(text: &str) -> Option<Link> {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0 };
    scan.skip_space();
    scan.take(b'[')?;
    let title = scan.brackets(&Runs::of(text))?;
    scan.take(b'(')?;
    scan.skip_space();
    let address = if scan.peek() == Some(b'<') { scan.angles()? } else { scan.bare()? };
    if scan.skip_space() > 0 && matches!(scan.peek(), Some(b'"' | b'\'' | b'(')) {
        scan.quoted()?;
        scan.skip_space();
    }
    scan.take(b')')?;
    Some(Link { title, address, end: scan.at })
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        spend(1);
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, expected: u8) -> Option<()> {
        self.next().filter(|byte| *byte == expected).map(|_| ())
    }

    /// Over spaces, tabs and line breaks; how many.
    fn skip_space(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            let _ = self.next();
        }
        self.at - start
    }

    /// Over the punctuation that a backslash escapes.
    fn skip_escaped(&mut self) {
        if self.peek().is_some_and(|byte| byte.is_ascii_punctuation()) {
            let _ = self.next();
        }
    }

    /// The text up to the bracket that closes it; code spans hide brackets.
    fn brackets(&mut self, runs: &Runs) -> Option<Range<usize>> {
        let start = self.at;
        let mut depth = 1_usize;
        loop {
            let end = self.at;
            match self.next()? {
                b'\\' => self.skip_escaped(),
                b'`' => {
                    let len = run(self.bytes.get(end..)?);
                    self.at = end + len;
                    if let Some(close) = runs.close(self.at, len) {
                        self.at = close + len;
                    }
                }
                b'[' => depth += 1,
                b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(start..end);
                    }
                    if self.peek() == Some(b'(') {
                        return None;
                    }
                }
                _ => {}
            }
        }
    }

    /// An address between `<` and `>`, on one line.
    fn angles(&mut self) -> Option<Range<usize>> {
        self.take(b'<')?;
        let start = self.at;
        loop {
            let end = self.at;
            match self.next()? {
                b'\\' => self.skip_escaped(),
                b'>' => return Some(start..end),
                b'<' | b'\n' | b'\r' => return None,
                _ => {}
            }
        }
    }

    /// An address without spaces and controls, its parentheses in pairs.
    fn bare(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => {
                    let _ = self.next();
                    self.skip_escaped();
                    continue;
                }
                b'(' if depth == MAX_NESTING => return None,
                b'(' => depth += 1,
                b')' if depth == 0 => break,
                b')' => depth -= 1,
                b' ' | b'\t' | b'\n' | b'\r' => break,
                0..=0x1f | 0x7f => return None,
                _ => {}
            }
            let _ = self.next();
        }
        (depth == 0).then_some(start..self.at)
    }

    /// Over a title in quotes or parentheses.
    fn quoted(&mut self) -> Option<()> {
        let open = self.next()?;
        let close = if open == b'(' { b')' } else { open };
        loop {
            match self.next()? {
                b'\\' => self.skip_escaped(),
                byte if byte == close => return Some(()),
                b'(' if open == b'(' => return None,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::link;

    /// WEB-06: what is a link, and its parts.
    #[test]
    fn links() {
        for (text, expected) in [
            ("[a](b)", Some(("a", "b", ""))),
            ("[a](b): c", Some(("a", "b", ": c"))),
            (" \n [a](b)", Some(("a", "b", ""))),
            ("[](b)", Some(("", "b", ""))),
            ("[a]()", Some(("a", "", ""))),
            ("[a](<>)", Some(("a", "", ""))),
            ("[a](<b c>)", Some(("a", "b c", ""))),
            ("[a](<b)c>)", Some(("a", "b)c", ""))),
            ("[a](b(c)d)e", Some(("a", "b(c)d", "e"))),
            (r"[a](b\)c)", Some(("a", r"b\)c", ""))),
            (r"[a\]b](c)", Some((r"a\]b", "c", ""))),
            ("[a[b]c](d)", Some(("a[b]c", "d", ""))),
            ("[a `]` b](c)", Some(("a `]` b", "c", ""))),
            ("[a ` b](c)", Some(("a ` b", "c", ""))),
            ("[a ``]` b](c)", None),
            ("[a](b \"c\")", Some(("a", "b", ""))),
            ("[a](b 'c)')", Some(("a", "b", ""))),
            ("[a](b (c))", Some(("a", "b", ""))),
            ("[a](b\n\"c\nd\" )", Some(("a", "b", ""))),
            ("[a](b \"c)", None),
            ("[a](b c)", None),
            ("[a](b(c)", None),
            ("[a](<b\nc>)", None),
            ("[a] (b)", None),
            ("[a][b]", None),
            ("[a [b](c) d](e)", None),
            ("a [b](c)", None),
        ] {
            let found = link(text).map(|link| (&text[link.title], &text[link.address], &text[link.end..]));
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
