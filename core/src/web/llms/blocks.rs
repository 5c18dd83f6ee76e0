//! Where the items of the section are: headings, lists and what hides them, by the rules of Markdown (CommonMark).
//!
//! One pass over the lines. The section begins after a heading of level 2 and ends at the next heading of level 1 or 2;
//! headings inside of lists, quotes, code and HTML are none of its bounds. An item is the first paragraph of an item of
//! a list, at any depth, over as many lines as it has.

use alloc::vec::Vec;
use core::ops::Range;

use super::html;
use super::line::{Fence, Line, trim};
use super::note::{Noted, Notice};
use super::work::spend;

/// The section's heading.
const HEADING: &str = "Communications";

/// The items of all sections of a text, and whether there is a section.
pub(super) fn items(text: &str, noted: &mut Noted) -> (Vec<Range<usize>>, bool) {
    let mut blocks = Blocks {
        text: text.as_bytes(),
        noted,
        items: Vec::new(),
        lists: Vec::new(),
        is_fresh: false,
        leaf: None,
        in_section: false,
        is_found: false,
    };
    for (start, end) in lines(blocks.text) {
        blocks.take(start, end);
    }
    blocks.close();
    (blocks.items, blocks.is_found)
}

/// Start and end of each line, its line break left out.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let len = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        spend(len + 1);
        let (start, end) = (at, at + len);
        at = end + if rest.get(len..).is_some_and(|rest| rest.starts_with(b"\r\n")) { 2 } else { 1 };
        Some((start, end))
    })
}

/// Whether a quoted line leaves a paragraph open, so that the next line may belong to it without a `>`.
fn ends_in_paragraph(quoted: &[u8]) -> bool {
    let mut line = Line::new(quoted, 0);
    let mut other = None;
    loop {
        if line.is_blank() || line.is_break(&mut other) || line.heading().is_some() || line.fence().is_some()
        {
            return false;
        }
        if let Some(marker) = line.marker() {
            line = marker.line;
        } else if let Some(quoted) = line.rest.strip_prefix(b">") {
            line = Line::new(quoted, line.at + 1);
        } else {
            return html::begin(line.rest).is_none();
        }
    }
}

/// A block that goes on over lines.
enum Leaf {
    /// A paragraph, the first of an item.
    Item(Range<usize>),
    /// Any other paragraph, and whether it is in no list.
    Paragraph(Range<usize>, bool),
    /// A paragraph in a quote: what follows it may belong to it.
    Quote,
    /// Code between fences, in a container of this column.
    Fence(Fence, usize),
    /// HTML, in a container of this column.
    Html(html::End, usize),
}

struct Blocks<'a> {
    text: &'a [u8],
    noted: &'a mut Noted,
    items: Vec<Range<usize>>,
    /// The columns at which the content of the open items begins, growing.
    lists: Vec<usize>,
    /// Whether the innermost item has nothing yet.
    is_fresh: bool,
    leaf: Option<Leaf>,
    in_section: bool,
    is_found: bool,
}

impl Blocks<'_> {
    fn take(&mut self, start: usize, end: usize) {
        let Some(bytes) = self.text.get(start..end) else { return };
        let line = Line::new(bytes, start);
        if line.is_blank() {
            return self.take_blank();
        }
        if self.is_inside(&line) {
            return;
        }
        // The columns grow, and a search costs little when one line opened as many lists as it has characters.
        let matched = self.lists.partition_point(|offset| *offset <= line.indent);
        self.begin(line, matched, end);
    }

    fn take_blank(&mut self) {
        match self.leaf {
            Some(Leaf::Fence(..) | Leaf::Html(html::End::After(_), _)) => {}
            _ => self.close(),
        }
        // An item that begins with a blank line has no second one.
        if core::mem::take(&mut self.is_fresh) {
            self.lists.pop();
        }
    }

    /// Whether the line belongs to a block of code or HTML that is open.
    fn is_inside(&mut self, line: &Line<'_>) -> bool {
        let (base, ends) = match &self.leaf {
            Some(Leaf::Fence(fence, base)) => {
                (*base, line.indent.saturating_sub(*base) < 4 && fence.is_closed_by(line))
            }
            Some(Leaf::Html(end, base)) => (*base, end.is_on(line.rest)),
            _ => return false,
        };
        let is_inside = line.indent >= base;
        if ends || !is_inside {
            self.leaf = None;
        }
        is_inside
    }

    /// What a line begins or goes on with, inside of the first `matched` items.
    fn begin(&mut self, mut line: Line<'_>, mut matched: usize, end: usize) {
        let mut other = None;
        loop {
            let base = matched.checked_sub(1).and_then(|last| self.lists.get(last)).copied().unwrap_or(0);
            let is_matched = matched == self.lists.len();
            if line.indent.saturating_sub(base) >= 4 {
                if !self.goes_on(&line, end) {
                    self.enter(matched);
                    self.is_fresh = false;
                }
                return;
            }
            if is_matched && self.take_underline(&line) {
                return;
            }
            if line.is_break(&mut other) {
                return self.enter_other(matched, None);
            }
            if let Some((level, text)) = line.heading() {
                self.enter_other(matched, None);
                if matched == 0 {
                    self.on_heading(level, text, line.at);
                }
                return;
            }
            if let Some(fence) = line.fence() {
                return self.enter_other(matched, Some(Leaf::Fence(fence, base)));
            }
            if let Some(block) = html::begin(line.rest) {
                let leaf = (!block.is_on(line.rest)).then_some(Leaf::Html(block, base));
                return self.enter_other(matched, leaf);
            }
            if let Some(quoted) = line.rest.strip_prefix(b">") {
                let leaf = ends_in_paragraph(quoted).then_some(Leaf::Quote);
                return self.enter_other(matched, leaf);
            }
            match line.marker().filter(|marker| marker.interrupts || !(is_matched && self.has_paragraph())) {
                Some(marker) => {
                    self.enter(matched);
                    self.lists.push(marker.offset);
                    self.is_fresh = true;
                    line = marker.line;
                    matched = self.lists.len();
                    if line.is_blank() {
                        return;
                    }
                }
                None => return self.take_text(&line, matched, end),
            }
        }
    }

    const fn has_paragraph(&self) -> bool {
        matches!(self.leaf, Some(Leaf::Item(_) | Leaf::Paragraph(..)))
    }

    /// Goes on with the paragraph that is open, if one is, whatever the indentation.
    fn goes_on(&mut self, line: &Line<'_>, end: usize) -> bool {
        spend(line.rest.len());
        match &mut self.leaf {
            Some(Leaf::Item(range) | Leaf::Paragraph(range, _)) => {
                range.end = end;
                true
            }
            Some(Leaf::Quote) => true,
            _ => false,
        }
    }

    fn take_text(&mut self, line: &Line<'_>, matched: usize, end: usize) {
        if self.goes_on(line, end) {
            return;
        }
        self.enter(matched);
        let range = line.at..end;
        let is_item = core::mem::take(&mut self.is_fresh);
        self.leaf = Some(if is_item { Leaf::Item(range) } else { Leaf::Paragraph(range, matched == 0) });
    }

    /// Makes a paragraph a heading.
    fn take_underline(&mut self, line: &Line<'_>) -> bool {
        let Some(Leaf::Item(_) | Leaf::Paragraph(..)) = &self.leaf else { return false };
        let Some(level) = line.underline() else { return false };
        match self.leaf.take() {
            Some(Leaf::Paragraph(range, true)) => {
                let text = self.text.get(range.clone()).unwrap_or_default();
                self.on_heading(level, trim(text), range.start);
            }
            leaf => {
                self.leaf = leaf;
                self.close();
            }
        }
        true
    }

    fn on_heading(&mut self, level: u8, text: &[u8], at: usize) {
        if level <= 2 {
            self.in_section = false;
        }
        if !text.eq_ignore_ascii_case(HEADING.as_bytes()) {
            return;
        }
        if level != 2 {
            return self.noted.add(at, Notice::HeadingLevel(level));
        }
        if text != HEADING.as_bytes() {
            self.noted.add(at, Notice::HeadingCase);
        }
        (self.in_section, self.is_found) = (true, true);
    }

    /// Ends what is open, but for the first `matched` items.
    fn enter(&mut self, matched: usize) {
        self.close();
        if matched < self.lists.len() {
            self.lists.truncate(matched);
            self.is_fresh = false;
        }
    }

    fn enter_other(&mut self, matched: usize, leaf: Option<Leaf>) {
        self.enter(matched);
        self.is_fresh = false;
        self.leaf = leaf;
    }

    fn close(&mut self) {
        let leaf = self.leaf.take();
        if !self.in_section {
            return;
        }
        match leaf {
            Some(Leaf::Item(range)) => self.items.push(range),
            Some(Leaf::Paragraph(range, _)) => {
                let text = self.text.get(range.clone()).unwrap_or_default();
                spend(text.len());
                if text.first() == Some(&b'[') && text.windows(2).any(|pair| pair == b"](") {
                    self.noted.add(range.start, Notice::NotItem);
                }
            }
            Some(Leaf::Quote | Leaf::Fence(..) | Leaf::Html(..)) | None => {}
        }
    }
}
