//! Text of others made safe to read: folded to one line, cut, and with hidden characters shown.
//!
//! Names and errors are folded ([`one_line`], [`name`]); message texts keep every character, and what would hide
//! from the reader is shown as an escape ([`reveal`]).

mod hidden;

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt::Write as _;
use core::iter::once;

use unicode_properties::{GeneralCategory as Category, UnicodeEmoji as _};

use super::unicode::category;

/// Most characters of a name as shown (decisions 2), the `…` of a cut one included.
pub const NAME_CHARS: usize = 50;

const JOINER: char = '\u{200d}';
const EMOJI_STYLE: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

/// `text` on one line: each run of control, format, line and paragraph separator characters (`\p{Cc}`, `\p{Cf}`,
/// `\p{Zl}`, `\p{Zp}`) becomes one space, and spaces at the ends go (plan, In the agent control chat).
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut in_run = false;
    for c in text.chars() {
        let breaks = breaks_line(c);
        if !breaks {
            line.push(c);
        } else if !in_run {
            line.push(' ');
        }
        in_run = breaks;
    }
    line.trim().into()
}

/// A name as it is shown: on one line, and at most [`NAME_CHARS`] characters, the last being `…` when it was cut.
pub fn name(text: &str) -> String {
    let line = one_line(text);
    if line.chars().count() <= NAME_CHARS {
        return line;
    }
    line.chars().take(NAME_CHARS - 1).chain(once('…')).collect()
}

/// One line of text with everything that would make the shown text differ from the sent text as visible escapes:
/// `\u202e`, above U+FFFF `\u{e0041}` (decisions 2).
///
/// Shown so are default-ignorable characters, controls but tab, format characters, private use, unassigned, line
/// and paragraph separators, and letters that look blank. A zero-width joiner between two emoji, and one variation
/// selector 16 after an emoji (or in a keycap), stay. A line break is a control: split the text into lines first.
pub fn reveal(line: &str) -> Cow<'_, str> {
    let is_plain = |piece: &[u8]| piece.iter().fold(true, |all, b| all & matches!(b, b'\t' | b' '..=b'~'));
    if line.as_bytes().chunks(64).all(is_plain) || line.chars().all(hidden::is_seen) {
        return Cow::Borrowed(line);
    }
    let mut shown = String::with_capacity(line.len());
    let mut before = Before::default();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if !hidden::is_seen(c) && hidden::is_hidden(c) && !before.continues_emoji(c, chars.peek().copied()) {
            push_escape(&mut shown, c);
            before = Before::default();
        } else {
            shown.push(c);
            before = before.then(c);
        }
    }
    if shown.len() == line.len() { Cow::Borrowed(line) } else { Cow::Owned(shown) }
}

/// The two characters before the one looked at, as far as they were not escaped.
#[derive(Clone, Copy, Default)]
struct Before {
    last: Option<char>,
    last_but_one: Option<char>,
}

impl Before {
    fn then(self, c: char) -> Self {
        Self { last: Some(c), last_but_one: self.last }
    }

    /// Whether the hidden character `c` is one that an emoji sequence has in this place.
    fn continues_emoji(self, c: char, next: Option<char>) -> bool {
        let Some(last) = self.last else {
            return false;
        };
        match c {
            EMOJI_STYLE => is_emoji(last) || (is_keycap_base(last) && next == Some(KEYCAP)),
            JOINER => {
                let base = if last == EMOJI_STYLE { self.last_but_one } else { Some(last) };
                base.is_some_and(is_emoji) && next.is_some_and(is_emoji)
            }
            _ => false,
        }
    }
}

fn breaks_line(c: char) -> bool {
    matches!(
        category(c),
        Category::Control | Category::Format | Category::LineSeparator | Category::ParagraphSeparator
    )
}

/// An emoji of its own: digits, `#` and `*` are emoji only as part of a keycap.
fn is_emoji(c: char) -> bool {
    !c.is_ascii() && c.is_emoji_char()
}

fn is_keycap_base(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*')
}

fn push_escape(shown: &mut String, c: char) {
    let code = u32::from(c);
    // Writing to a string cannot fail.
    let _ = if code > 0xffff { write!(shown, "\\u{{{code:x}}}") } else { write!(shown, "\\u{code:04x}") };
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// CARD-29, CARD-38, CLI-28
    #[test]
    fn names_and_errors_fold_to_one_line() {
        let cases = [
            ("Alice", "Alice"),
            ("a\nb", "a b"),
            ("a\r\n\t\u{202e}\u{2028}b", "a b"),
            ("\na \n b\u{200b}", "a   b"),
            ("a  b", "a  b"),
            ("\u{202e}", ""),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(one_line(text), expected, "{text:?}");
        }
    }

    /// CARD-38
    #[test]
    fn long_names_end_in_an_ellipsis() {
        let fifty = "é".repeat(50);
        assert_eq!(name(&fifty), fifty);
        let cut = name(&"é".repeat(51));
        assert_eq!(cut, "é".repeat(49) + "…");
        assert_eq!(name("a\n\nb"), "a b");
    }

    /// CARD-36
    #[test]
    fn hidden_characters_are_shown() {
        let cases = [
            ("plain text\twith tab", "plain text\twith tab"),
            ("Grüße, 日本 »x«", "Grüße, 日本 »x«"),
            ("a\u{202e}b", "a\\u202eb"),
            ("a\u{0}\u{1b}[1m", "a\\u0000\\u001b[1m"),
            ("a\r", "a\\u000d"),
            ("a\u{200b}b\u{2060}\u{feff}\u{ad}", "a\\u200bb\\u2060\\ufeff\\u00ad"),
            ("a\u{2028}b\u{2029}", "a\\u2028b\\u2029"),
            ("\u{e000}\u{378}\u{ffff}", "\\ue000\\u0378\\uffff"),
            ("\u{2800}\u{3164}\u{ffa0}\u{115f}", "\\u2800\\u3164\\uffa0\\u115f"),
            ("x\u{e0041}", "x\\u{e0041}"),
            ("❤\u{fe0f}", "❤\u{fe0f}"),
            ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\\ufe0f"),
            ("a\u{fe0f}", "a\\ufe0f"),
            ("1\u{fe0f}\u{20e3}", "1\u{fe0f}\u{20e3}"),
            ("1\u{fe0f}", "1\\ufe0f"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("🏳\u{fe0f}\u{200d}🌈", "🏳\u{fe0f}\u{200d}🌈"),
            ("👩🏽\u{200d}🚀", "👩🏽\u{200d}🚀"),
            ("👩\u{200d}", "👩\\u200d"),
            ("👩\u{200d}a", "👩\\u200da"),
            ("a\u{200d}💻", "a\\u200d💻"),
            ("👩\u{200d}\u{200d}💻", "👩\\u200d\\u200d💻"),
            ("👩\u{fe0e}", "👩\\ufe0e"),
            ("", ""),
        ];
        for (line, expected) in cases {
            assert_eq!(reveal(line), expected, "{line:?}");
            assert_eq!(reveal(expected), expected, "once is enough: {line:?}");
        }
    }

    /// CARD-36
    #[test]
    fn no_hidden_character_stays_outside_an_emoji() {
        for c in (0..0x2_0000).chain(0xe_0000..0xe_1100).filter_map(char::from_u32) {
            let line = ["a", &c.to_string(), "b"].concat();
            let shown = reveal(&line);
            assert!(!shown.chars().any(hidden::is_hidden), "{c:?}");
            assert_eq!(shown == line, !hidden::is_hidden(c), "{c:?}");
        }
    }
}
