//! Characters a reader does not see, or that move what the reader sees.

use unicode_properties::GeneralCategory as Category;

use crate::simplex::unicode::category;

/// The property `Default_Ignorable_Code_Point`, which `unicode-properties` does not have: ranges of the file
/// `DerivedCoreProperties.txt` of the Unicode Character Database, ends included, neighbours joined.
/// The last range is reserved as a whole, so that it holds for code points assigned later.
const IGNORABLE: [(char, char); 17] = [
    ('\u{ad}', '\u{ad}'),       // soft hyphen
    ('\u{34f}', '\u{34f}'),     // combining grapheme joiner
    ('\u{61c}', '\u{61c}'),     // Arabic letter mark
    ('\u{115f}', '\u{1160}'),   // Hangul fillers
    ('\u{17b4}', '\u{17b5}'),   // Khmer inherent vowels
    ('\u{180b}', '\u{180f}'),   // Mongolian variation selectors, vowel separator
    ('\u{200b}', '\u{200f}'),   // zero-width space, joiners, marks of direction
    ('\u{202a}', '\u{202e}'),   // embeddings and overrides of direction
    ('\u{2060}', '\u{206f}'),   // word joiner, invisible operators, isolates, deprecated format characters
    ('\u{3164}', '\u{3164}'),   // Hangul filler
    ('\u{fe00}', '\u{fe0f}'),   // variation selectors
    ('\u{feff}', '\u{feff}'),   // zero-width no-break space
    ('\u{ffa0}', '\u{ffa0}'),   // half-width Hangul filler
    ('\u{fff0}', '\u{fff8}'),   // reserved
    ('\u{1bca0}', '\u{1bca3}'), // shorthand format controls
    ('\u{1d173}', '\u{1d17a}'), // musical format characters
    ('\u{e0000}', '\u{e0fff}'), // tags, further variation selectors, reserved
];

/// Assigned, not ignorable, and drawn as nothing: Braille blank, musical null note head, Khitan filler.
const BLANK: [char; 3] = ['\u{2800}', '\u{1d159}', '\u{16fe4}'];

/// Whether `c` is seen as it is, and no emoji, without a look into the tables; false says nothing. These are the
/// letters of the scripts that most long texts are written in, and what stands among them; a test compares.
pub(super) const fn is_seen(c: char) -> bool {
    matches!(c,
        ' '..='~'
        | '\u{c0}'..='\u{24f}'     // Latin
        | '\u{388}'..='\u{38a}'    // Greek
        | '\u{3a3}'..='\u{52f}'    // Greek, Cyrillic
        | '\u{5d0}'..='\u{5ea}'    // Hebrew
        | '\u{620}'..='\u{64a}'    // Arabic
        | '\u{905}'..='\u{939}'    // Devanagari
        | '\u{e01}'..='\u{e3a}'    // Thai
        | '\u{2010}'..='\u{2027}'  // dashes, quotation marks, ellipsis
        | '\u{3001}'..='\u{3029}'  // punctuation of Chinese and Japanese
        | '\u{3041}'..='\u{3096}'  // Hiragana
        | '\u{30a0}'..='\u{30ff}'  // Katakana
        | '\u{4e00}'..='\u{9fff}'  // Chinese
        | '\u{ac00}'..='\u{d7a3}'  // Hangul
        | '\u{ff01}'..='\u{ff5e}') // full-width forms
}

/// Whether a text that contains `c` can look other than it is (decisions 2). Tab and the ordinary spaces are not
/// hidden.
pub(super) fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && c != '\t';
    }
    has_hidden_category(c)
        || BLANK.contains(&c)
        || IGNORABLE.iter().any(|&(first, last)| (first..=last).contains(&c))
}

fn has_hidden_category(c: char) -> bool {
    matches!(
        category(c),
        Category::Control
            | Category::Format
            | Category::PrivateUse
            | Category::Unassigned
            | Category::Surrogate
            | Category::LineSeparator
            | Category::ParagraphSeparator
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_has_no_overlap() {
        for pair in IGNORABLE.windows(2) {
            assert!(pair[0].0 <= pair[0].1 && pair[0].1 < pair[1].0, "{pair:?}");
        }
    }

    /// CARD-36: the short cut says what the tables say, for every character.
    #[test]
    fn what_is_taken_for_seen_is_seen() {
        use unicode_properties::UnicodeEmoji as _;
        for c in ('\0'..=char::MAX).filter(|&c| is_seen(c)) {
            assert!(!is_hidden(c), "{c:?}");
            assert!(c.is_ascii() || !c.is_emoji_char(), "{c:?}");
        }
    }

    #[test]
    fn what_is_seen_is_not_hidden() {
        for c in
            ['a', ' ', '\t', 'é', '\u{301}', '\u{a0}', '\u{2003}', '日', '😀', '…', '\u{20e3}', '🏽', '؟']
        {
            assert!(!is_hidden(c), "{c:?}");
        }
    }
}
