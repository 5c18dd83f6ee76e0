//! The one escape for text that others wrote, before it is printed.

use std::fmt::Write as _;

/// `text` as one line without any character that a terminal acts on or that reorders what is shown: controls
/// (escape, carriage return, line feed, tab, C1), line and paragraph separators and bidirectional controls become
/// visible escapes such as `\u001b` (decisions 11, "Terminals").
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_active(c) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a terminal may act on `c`, or show what follows in another order or place.
fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLI-29: no control or escape sequence reaches a terminal.
    #[test]
    fn nothing_active_is_left() {
        for (text, shown) in [
            ("Alice joined (member 3).", "Alice joined (member 3)."),
            ("caf\u{e9} \u{1f469}\u{200d}\u{1f680}", "caf\u{e9} \u{1f469}\u{200d}\u{1f680}"),
            ("\x1b[31mred\x1b[0m", "\\u001b[31mred\\u001b[0m"),
            ("\x1b]52;c;aGk=\x07", "\\u001b]52;c;aGk=\\u0007"),
            ("two\r\nlines\ttab", "two\\u000d\\u000alines\\u0009tab"),
            ("\u{9b}31m \u{7f}", "\\u009b31m \\u007f"),
            ("a\u{202e}b\u{2066}c\u{2028}d", "a\\u202eb\\u2066c\\u2028d"),
        ] {
            assert_eq!(escape(text), shown);
        }
    }

    #[test]
    fn every_control_is_escaped_whatever_stands_around_it() {
        for c in (0..0x11_0000).filter_map(char::from_u32).filter(|c| c.is_control()) {
            let shown = escape(&format!("a{c}b"));
            assert!(!shown.chars().any(char::is_control), "{c:?}");
            assert!(shown.starts_with('a') && shown.ends_with('b'));
        }
    }
}
