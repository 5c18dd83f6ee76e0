//! Display names: which are valid, and how a member is mentioned.

use alloc::format;
use alloc::string::String;

use unicode_properties::GeneralCategory as Category;

use super::markdown::{self, Format};
use super::unicode::{category, is_letter, is_mark, is_space};

/// Most characters (code points) of a display name (digest 6.5).
pub const MAX_CHARS: usize = 50;

/// Never part of a display name (plan, Options; digest 6.5).
const PROHIBITED: &str = ".,;/\\#@'\"`~";

/// The valid display name nearest to `name`, as the SimpleX core 7.0 makes it (digest 6.5); empty when nothing of it
/// can stay.
///
/// Characters that may not stand where they stand are left out; every space becomes U+0020; what remains is cut at
/// 50 characters and loses trailing spaces.
pub fn valid_form(name: &str) -> String {
    let mut place = Place::default();
    let mut valid = String::new();
    let mut count = 0;
    for c in name.chars().map(|c| if is_space(c) { ' ' } else { c }) {
        if count == MAX_CHARS {
            break;
        }
        if place.allows(c) {
            place.advance(c);
            valid.push(c);
            count += 1;
        }
    }
    valid.truncate(valid.trim_end_matches(' ').len());
    valid
}

/// Whether the SimpleX core accepts `name` as a display name: it is its own valid form, and not empty.
pub fn is_valid(name: &str) -> bool {
    !name.is_empty() && valid_form(name) == name
}

/// How a member of this name is mentioned in a text: `@name` or, where that is not read back as a mention of
/// exactly this name, `@'two words'` (digest 6.5).
///
/// None when no form is: the name contains `'`, is empty, has a line break, or starts with a space, `#` or `@`.
pub fn mention(name: &str) -> Option<String> {
    if name.contains('\'') {
        return None;
    }
    [format!("@{name}"), format!("@'{name}'")].into_iter().find(|text| is_mention_of(text, name))
}

/// What precedes the next character of a name.
#[derive(Default)]
struct Place {
    previous: Option<char>,
    /// Punctuation since the last character that is neither punctuation nor a space.
    punctuation: usize,
}

impl Place {
    fn allows(&self, c: char) -> bool {
        if PROHIBITED.contains(c) {
            return false;
        }
        let Some(previous) = self.previous else {
            return starts_name(c);
        };
        if starts_word(c) {
            return true;
        }
        match (previous, self.punctuation) {
            (' ', 0) => is_inner_punctuation(c),
            (' ', _) => false,
            (_, 0) => c == ' ' || is_mark(c) || is_inner_punctuation(c),
            _ => c == ' ',
        }
    }

    fn advance(&mut self, c: char) {
        self.previous = Some(c);
        if is_inner_punctuation(c) {
            self.punctuation += 1;
        } else if c != ' ' {
            self.punctuation = 0;
        }
    }
}

fn starts_name(c: char) -> bool {
    is_letter(c) || matches!(category(c), Category::DecimalNumber | Category::OtherSymbol)
}

fn starts_word(c: char) -> bool {
    starts_name(c) || matches!(category(c), Category::CurrencySymbol | Category::MathSymbol)
}

fn is_inner_punctuation(c: char) -> bool {
    matches!(
        category(c),
        Category::ConnectorPunctuation | Category::DashPunctuation | Category::OtherPunctuation
    )
}

fn is_mention_of(text: &str, name: &str) -> bool {
    let Some(parts) = markdown::parse(text) else {
        return false;
    };
    match parts.as_slice() {
        [part] => matches!(&part.format, Some(Format::Mention { member_name }) if member_name == name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// LANG-14
    #[test]
    fn valid_forms() {
        let long = "x".repeat(60);
        let cut_at_space = ["x".repeat(49), "y".to_string()].join(" ");
        let cases = [
            ("Alice", "Alice"),
            ("My Agent.", "My Agent"),
            (" Alice ", "Alice"),
            ("Alice\u{a0}Smith", "Alice Smith"),
            ("a  b", "a b"),
            ("#@'\"`~.,;/\\", ""),
            ("-x", "x"),
            ("a-b_c", "a-b_c"),
            ("a--b", "a-b"),
            ("a - b", "a - b"),
            ("a -- b", "a - b"),
            ("a- -b", "a- b"),
            ("1€ =2", "1€ =2"),
            ("€1", "1"),
            ("(a)", "a"),
            ("a!", "a!"),
            ("😀 x", "😀 x"),
            ("\u{202e}abc\u{200b}", "abc"),
            ("e\u{301}", "e\u{301}"),
            ("\u{301}e", "e"),
            (long.as_str(), &long[..50]),
            (cut_at_space.as_str(), &cut_at_space[..49]),
            ("", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(valid_form(name), expected, "{name:?}");
            assert_eq!(is_valid(name), !name.is_empty() && name == expected, "{name:?}");
            assert_eq!(valid_form(expected), expected, "a valid form is valid: {name:?}");
        }
    }

    /// LANG-15, SEND-13, SEND-14
    #[test]
    fn mentions_are_quoted_where_they_must_be() {
        let cases = [
            ("alice", Some("@alice")),
            ("two words", Some("@'two words'")),
            ("dot.", Some("@'dot.'")),
            ("a.b", Some("@'a.b'")),
            ("a..b", Some("@a..b")),
            ("a\tb", Some("@'a\tb'")),
            ("Bob_1", Some("@Bob_1")),
            ("4", Some("@4")),
            ("d'Arc", None),
            ("#x", None),
            ("@x", None),
            (" x", None),
            ("a\nb", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(mention(name).as_deref(), expected, "{name:?}");
        }
    }
}
