//! The one escape for text that others wrote, before it is printed.

use simplex_agent_core::simplex::fold;

/// `text` as one line without any character that a terminal acts on, that reorders what is shown or that is not seen:
/// what a card shows as an escape such as `\u001b` is one here too, and so is a tab (decisions 11, "Terminals").
pub fn escape(text: &str) -> String {
    fold::reveal(text).replace('\t', "\\u0009")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLI-29: no control or escape sequence reaches a terminal, and nothing that is not seen.
    #[test]
    fn nothing_active_or_hidden_is_left() {
        for (text, shown) in [
            ("Alice joined (member 3).", "Alice joined (member 3)."),
            ("caf\u{e9} \u{1f469}\u{200d}\u{1f680}", "caf\u{e9} \u{1f469}\u{200d}\u{1f680}"),
            ("\x1b[31mred\x1b[0m", "\\u001b[31mred\\u001b[0m"),
            ("\x1b]52;c;aGk=\x07", "\\u001b]52;c;aGk=\\u0007"),
            ("two\r\nlines\ttab", "two\\u000d\\u000alines\\u0009tab"),
            ("\u{9b}31m \u{7f}", "\\u009b31m \\u007f"),
            ("a\u{202e}b\u{2066}c\u{2028}d", "a\\u202eb\\u2066c\\u2028d"),
            ("a\u{200b}b\u{2060}\u{ad}\u{feff}c", "a\\u200bb\\u2060\\u00ad\\ufeffc"),
            ("x\u{e0041}\u{3164}\u{2800}", "x\\u{e0041}\\u3164\\u2800"),
            ("a\u{200d}b", "a\\u200db"),
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
