//! Character classes as the SimpleX core sees them (the `Data.Char` functions it calls).

use unicode_properties::{GeneralCategory as Category, UnicodeGeneralCategory};

/// General category of a character, by the Unicode version of `unicode-properties`.
///
/// The core is built with an older Unicode; the two differ only for characters assigned since.
pub(crate) fn category(c: char) -> Category {
    // Most characters are ASCII, and the tables are searched; a test compares.
    match c {
        'a'..='z' => Category::LowercaseLetter,
        'A'..='Z' => Category::UppercaseLetter,
        '0'..='9' => Category::DecimalNumber,
        ' ' => Category::SpaceSeparator,
        '\0'..='\u{1f}' | '\u{7f}' => Category::Control,
        _ => c.general_category(),
    }
}

/// A space: ASCII white space, U+00A0 and every other space separator, but neither U+0085 nor U+2028.
pub(crate) fn is_space(c: char) -> bool {
    matches!(c, '\t'..='\r' | ' ' | '\u{a0}') || (!c.is_ascii() && category(c) == Category::SpaceSeparator)
}

/// A letter of any script: Lu, Ll, Lt, Lm or Lo.
pub(crate) fn is_letter(c: char) -> bool {
    matches!(
        category(c),
        Category::UppercaseLetter
            | Category::LowercaseLetter
            | Category::TitlecaseLetter
            | Category::ModifierLetter
            | Category::OtherLetter
    )
}

/// A combining mark: Mn, Mc or Me; variation selectors are among them.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(category(c), Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark)
}

/// Punctuation: Pc, Pd, Ps, Pe, Pi, Pf or Po. Symbols such as `+`, `$` and backtick are none.
pub(crate) fn is_punctuation(c: char) -> bool {
    matches!(
        category(c),
        Category::ConnectorPunctuation
            | Category::DashPunctuation
            | Category::OpenPunctuation
            | Category::ClosePunctuation
            | Category::InitialPunctuation
            | Category::FinalPunctuation
            | Category::OtherPunctuation
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The short cut says what the tables say.
    #[test]
    fn categories_are_those_of_the_tables() {
        for c in ('\0'..='\u{2ff}').chain(['д', '我', '😀', '\u{e0001}']) {
            assert_eq!(category(c), c.general_category(), "{c:?}");
        }
    }

    #[test]
    fn spaces_are_those_of_the_core() {
        for c in ['\t', '\n', '\u{b}', '\u{c}', '\r', ' ', '\u{a0}', '\u{1680}', '\u{2003}', '\u{3000}'] {
            assert!(is_space(c), "{c:?}");
        }
        for c in ['\0', '\u{85}', '\u{200b}', '\u{2028}', '\u{2029}', '\u{180e}', '\u{feff}', 'a'] {
            assert!(!is_space(c), "{c:?}");
        }
    }

    #[test]
    fn punctuation_is_no_symbol() {
        for c in ['.', ',', '!', '/', ')', '_', '-', '\'', '"', '#', '@', '*', '»', '、'] {
            assert!(is_punctuation(c), "{c:?}");
        }
        for c in ['+', '$', '`', '^', '~', '|', '=', '<', 'a', '1', ' ', '€'] {
            assert!(!is_punctuation(c), "{c:?}");
        }
    }
}
