//! One line: fragment after fragment, each told by its first character.

use super::super::target::{LinkForm, parse_link, parse_name};
use super::super::unicode::{is_punctuation, is_space};
use super::finder::{Finder, WordEnds};
use super::phone::phone_len;
use super::reference::Reference;
use super::word::{self, link_format};
use super::{Color, Format, Parts, uri};

/// Adds the parts of `line`, which has no `\n`.
pub(super) fn parse(line: &str, parts: &mut Parts) {
    let mut rest = Line {
        text: line,
        at: 0,
        parts,
        words: WordEnds::new(),
        bracket: Finder::new(b']'),
        paren: Finder::new(b')'),
        doomed: (None, uri::UNKNOWN),
    };
    while let Some(first) = rest.ahead().chars().next() {
        rest.take_fragment(first);
    }
}

/// A line, and how far it is parsed.
struct Line<'a, 'p> {
    text: &'a str,
    at: usize,
    parts: &'p mut Parts,
    words: WordEnds,
    bracket: Finder,
    paren: Finder,
    /// An end of hyperlinks, and what [`uri::check`] told of it.
    doomed: (Option<usize>, usize),
}

impl<'a> Line<'a, '_> {
    fn ahead(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Takes one fragment, of at least one character.
    fn take_fragment(&mut self, first: char) {
        let taken = match first {
            ' ' => {
                let spaces = self.ahead().len() - self.ahead().trim_start_matches(' ').len();
                self.plain(spaces);
                true
            }
            '*' => self.take_delimited('*', Format::Bold),
            '_' => self.take_delimited('_', Format::Italic),
            '~' => self.take_delimited('~', Format::StrikeThrough),
            '`' => self.take_delimited('`', Format::Snippet),
            '#' => self.take_secret() || self.take_name() || self.take_hash_word(),
            '!' => self.take_styled(),
            '@' => self.take_name() || self.take_mention(),
            '/' => self.take_command(),
            '[' => self.take_hyperlink(),
            '+' | '0'..='9' => self.take_phone(),
            _ => false,
        };
        if !taken {
            self.take_word();
        }
    }

    /// Adds the next `len` bytes with a format.
    fn formatted(&mut self, format: Format, len: usize) {
        let text = self.ahead().get(..len).unwrap_or_default();
        self.push(Some(format), text, len);
    }

    /// Adds the next `len` bytes as plain text.
    fn plain(&mut self, len: usize) {
        let text = self.ahead().get(..len).unwrap_or_default();
        self.push(None, text, len);
    }

    /// Adds a part, and moves past `len` bytes of the line.
    fn push(&mut self, format: Option<Format>, text: &str, len: usize) {
        self.parts.push(format, text);
        self.at = self.at.saturating_add(len.max(1));
    }

    /// `*text*`; without an end the rest of the line is plain, and so is what has no text or a space at its edge.
    fn take_delimited(&mut self, mark: char, format: Format) -> bool {
        let ahead = self.ahead();
        let inner = ahead.get(1..).unwrap_or_default();
        match inner.split_once(mark) {
            None => self.plain(ahead.len()),
            Some((text, _)) if has_edges(text) => self.push(Some(format), text, text.len() + 2),
            Some((text, _)) => self.plain(text.len() + 2),
        }
        true
    }

    /// `#text#`, where more `#` on both sides belong to the text.
    fn take_secret(&mut self) -> bool {
        let inner = self.ahead().get(1..).unwrap_or_default();
        let start = inner.len() - inner.trim_start_matches('#').len();
        let body = inner.get(start..).unwrap_or_default();
        let Some((text, _)) = body.split_once('#').filter(|(text, _)| has_edges(text)) else {
            return false;
        };
        let after = body.get(text.len()..).unwrap_or_default();
        let end = after.len() - after.trim_start_matches('#').len();
        let len = start + text.len() + end;
        // The outermost marks are taken off, one at each end.
        self.push(Some(Format::Secret), inner.get(..len.saturating_sub(1)).unwrap_or_default(), len + 1);
        true
    }

    /// `#name` or `@name.tld` up to the space, but for trailing punctuation.
    fn take_name(&mut self) -> bool {
        let (name_end, end) = self.words.of(self.text, self.at.saturating_add(1));
        let name = self.text.get(self.at..name_end).unwrap_or_default();
        let Some(name_info) = parse_name(name) else {
            return false;
        };
        self.formatted(Format::SimplexName { name_info }, name.len());
        self.plain_up_to(end);
        true
    }

    fn take_hash_word(&mut self) -> bool {
        let (_, end) = self.words.of(self.text, self.at);
        self.plain_up_to(end);
        true
    }

    fn plain_up_to(&mut self, end: usize) {
        if end > self.at {
            self.plain(end - self.at);
        }
    }

    /// `!- small!`, `!1 red!`, `!red text!`.
    fn take_styled(&mut self) -> bool {
        let ahead = self.ahead();
        let Some((format, styled)) = ahead.get(1..).and_then(take_style) else {
            return false;
        };
        let Some((text, _)) = styled.split_once('!').filter(|(text, _)| has_edges(text)) else {
            return false;
        };
        self.push(Some(format), text, ahead.len() - styled.len() + text.len() + 1);
        true
    }

    fn take_mention(&mut self) -> bool {
        let Some(reference) = Reference::read(self.ahead()) else {
            return false;
        };
        self.formatted(Format::Mention { member_name: reference.name.into() }, reference.len);
        self.plain_up_to(self.at.saturating_add(reference.punctuation));
        true
    }

    fn take_command(&mut self) -> bool {
        let Some(reference) = Reference::read(self.ahead()).filter(Reference::is_command) else {
            return false;
        };
        self.formatted(Format::Command { command_str: reference.name.into() }, reference.len);
        self.plain_up_to(self.at.saturating_add(reference.punctuation));
        true
    }

    /// `[text](link)`.
    fn take_hyperlink(&mut self) -> bool {
        let Some((text, link)) = self.find_hyperlink() else {
            return false;
        };
        let misleads = text.chars().any(|c| is_punctuation(c) && c != '-' && c != '_');
        if misleads && text != link && link.strip_prefix("https://") != Some(text) {
            return false;
        }
        let format = match parse_link(link) {
            Some(link) if link.form == LinkForm::Full => return false,
            Some(link) => link_format(link, Some(text.into())),
            None if self.is_web_address(link) => {
                Format::HyperLink { show_text: Some(text.into()), link_uri: link.into() }
            }
            None => return false,
        };
        self.formatted(format, text.len() + link.len() + 4);
        true
    }

    /// Whether the address in parentheses is one of the web; what makes it none is remembered with its end, because
    /// the next `[` may lead to the same end.
    fn is_web_address(&mut self, link: &str) -> bool {
        let end = self.paren.last();
        let doomed = if self.doomed.0 == end { self.doomed.1 } else { uri::UNKNOWN };
        match uri::check(link, doomed) {
            Ok(()) => true,
            Err(doomed) => {
                self.doomed = (end, doomed);
                false
            }
        }
    }

    fn find_hyperlink(&mut self) -> Option<(&'a str, &'a str)> {
        let start = self.at.saturating_add(1);
        let middle = self.bracket.at_or_after(self.text, start)?;
        let text = self.text.get(start..middle).filter(|text| !text.is_empty())?;
        let inside = middle.saturating_add(2);
        if self.text.get(middle..inside)? != "](" {
            return None;
        }
        let end = self.paren.at_or_after(self.text, inside)?;
        let link = self.text.get(inside..end).filter(|link| !link.is_empty())?;
        Some((text, link))
    }

    fn take_phone(&mut self) -> bool {
        let Some(len) = phone_len(self.ahead()) else {
            return false;
        };
        self.formatted(Format::Phone, len);
        true
    }

    fn take_word(&mut self) {
        let (_, end) = self.words.of(self.text, self.at);
        let text = self.text.get(self.at..end).unwrap_or_default();
        match word::format(text) {
            Some((format, len)) => {
                self.formatted(format, len);
                self.plain_up_to(end);
            }
            None => self.plain(text.len()),
        }
    }
}

/// Whether the text is there, and neither starts nor ends with a space.
fn has_edges(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(' ') && !text.ends_with(' ')
}

/// The style after `!`, and what follows the one space (of any kind) after it.
fn take_style(text: &str) -> Option<(Format, &str)> {
    let (format, rest) = match text.strip_prefix('-') {
        Some(rest) => (Format::Small, rest),
        None => take_color(text).map(|(color, rest)| (Format::Colored { color }, rest))?,
    };
    let mut rest = rest.chars();
    rest.next().filter(|c| is_space(*c))?;
    Some((format, rest.as_str()))
}

fn take_color(text: &str) -> Option<(Color, &str)> {
    const COLORS: [(char, char, &str, Color); 6] = [
        ('1', 'r', "ed", Color::Red),
        ('2', 'g', "reen", Color::Green),
        ('3', 'b', "lue", Color::Blue),
        ('4', 'y', "ellow", Color::Yellow),
        ('5', 'c', "yan", Color::Cyan),
        ('6', 'm', "agenta", Color::Magenta),
    ];
    COLORS.into_iter().find_map(|(digit, letter, ending, color)| {
        let rest = match text.strip_prefix(digit) {
            Some(rest) => rest,
            None => {
                let rest = text.strip_prefix(letter)?;
                rest.strip_prefix(ending).unwrap_or(rest)
            }
        };
        Some((color, rest))
    })
}
