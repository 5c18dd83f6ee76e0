//! What others wrote, made safe to show in the agent control chat: nothing of it can be tapped, and nothing of it is
//! hidden (decisions 2; P4).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::simplex::size::{cut_encoded, encoded_len};
use crate::simplex::{fold, markdown, name as display_name};

/// Most characters of the first line of a quoted message, the final `…` included (decisions 2).
pub const QUOTE_CHARS: usize = 100;

/// A name, folded to one line and cut at 50 characters: a code span when it is no valid display name, or when the
/// markdown parser formats any part of it or is led astray by it (the plan, "What the owner sees"; decisions 2).
pub fn name(name: &str) -> String {
    let folded = fold::name(name);
    match display_name::is_valid(&fold::one_line(name)) && is_plain(&folded) {
        true => folded,
        false => span(&folded),
    }
}

/// A verified or asked SimpleX name (`@directory.simplex`) as it follows a display name: in parentheses, with a space
/// before. A text that would not stay plain there is a code span instead.
pub fn simplex_name(name: &str) -> String {
    let folded = fold::name(name);
    let bracketed = format!("({folded})");
    match is_plain(&bracketed) {
        true => format!(" {bracketed}"),
        false => format!(" {}", span(&folded)),
    }
}

/// Text of others: one code span per line, hidden characters shown as escapes (decisions 2).
pub fn lines(text: &str) -> Vec<String> {
    text.split('\n').map(|line| span(&fold::reveal(line))).collect()
}

/// The first line of a quoted message, at most 100 characters, as a code span (decisions 2).
pub fn quote(text: &str) -> String {
    let first = text.split('\n').next().unwrap_or_default();
    let shown = match first.char_indices().nth(QUOTE_CHARS) {
        // The last of the characters makes room for the `…`.
        Some(_) => first.chars().take(QUOTE_CHARS - 1).chain(['…']).collect(),
        None => first.to_string(),
    };
    span(&fold::reveal(&shown))
}

/// An error on one line, folded like names, as a code span of at most `max` encoded bytes (the plan, "Outcomes").
pub fn error(error: &str, max: usize) -> String {
    let whole = span(&fold::one_line(error));
    if encoded_len(&whole) <= max {
        return whole;
    }
    span(&cut_encoded(&fold::one_line(error), max.saturating_sub(TICKS)))
}

/// A number in a sentence: a code span when the parser would make a phone number of it (7 digits and more).
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    match is_plain(&digits) {
        true => digits,
        false => span(&digits),
    }
}

/// One line as a code span: backticks become `'`, an edge space becomes U+00A0, an empty line is one U+00A0, so that
/// the parser takes it for code and for nothing else. A line break in it would end it: callers fold or split first.
pub fn span(line: &str) -> String {
    const NO_BREAK_SPACE: &str = "\u{a0}";
    let mut span = String::with_capacity(line.len().saturating_add(4));
    span.push('`');
    let (content, first) = match line.strip_prefix(' ') {
        Some(rest) => (rest, NO_BREAK_SPACE),
        None => (line, if line.is_empty() { NO_BREAK_SPACE } else { "" }),
    };
    let (content, last) = match content.strip_suffix(' ') {
        Some(rest) => (rest, NO_BREAK_SPACE),
        None => (content, ""),
    };
    span.push_str(first);
    for (index, part) in content.split('`').enumerate() {
        if index > 0 {
            span.push('\'');
        }
        span.push_str(part);
    }
    span.push_str(last);
    span.push('`');
    span
}

/// Encoded bytes of the two backticks of a span.
pub(crate) const TICKS: usize = 2;

/// Whether `text` stays plain in every sentence of ours, and leaves the rest of the line as we mean it: a lone `*` in
/// it would close at a later one, or take the buttons after it for plain text.
fn is_plain(text: &str) -> bool {
    // Most names. The parser finds nothing in letters and single spaces; a test asks it.
    if text.split(' ').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic())) {
        return true;
    }
    is_plain_to_the_parser(text)
}

fn is_plain_to_the_parser(text: &str) -> bool {
    const AFTER: [&str; 4] = [
        " *b* _b_ ~b~ `b` #b# !1 b! /'c 1'",
        " (#9) `b` by *b* /'c 1'",
        ", text: `b` _b_ #b# 1 /'c 1'",
        ". ~b~ `b` #b# /'c 1'",
    ];
    AFTER.iter().all(|after| {
        let mut expected = markdown::parse(&format!("to q{after}")).unwrap_or_default();
        if let Some(first) = expected.first_mut() {
            first.text = first.text.replacen('q', text, 1);
        }
        markdown::parse(&format!("to {text}{after}")).unwrap_or_default() == expected
            && markdown::parse(&format!("{text}{after}")).unwrap_or_default() == without_to(expected)
    })
}

/// The same fragments for a line that starts with the text itself.
fn without_to(mut fragments: Vec<markdown::FormattedText>) -> Vec<markdown::FormattedText> {
    if let Some(first) = fragments.first_mut() {
        first.text = first.text.replacen("to ", "", 1);
    }
    fragments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::text::judge;

    /// CARD-34: backticks, edge spaces, the empty line.
    #[test]
    fn spans() {
        let table = [
            ("plain", "`plain`"),
            ("", "`\u{a0}`"),
            (" ", "`\u{a0}`"),
            ("  ", "`\u{a0}\u{a0}`"),
            (" a ", "`\u{a0}a\u{a0}`"),
            ("a b", "`a b`"),
            ("`", "`'`"),
            ("``/list``", "`''/list''`"),
            ("\ta\t", "`\ta\t`"),
        ];
        for (line, expected) in table {
            assert_eq!(span(line), expected);
        }
    }

    /// CARD-34, CARD-35, P4: each line of others is one code span and nothing follows it, for whatever they write.
    #[test]
    fn lines_are_single_spans() {
        let mut wild = judge::Peer::new(5);
        for _ in 0..3_000 {
            let text = wild.text(12);
            let shown = lines(&text);
            assert_eq!(shown.len(), text.split('\n').count());
            for line in &shown {
                assert!(line.len() > 2 && line.starts_with('`') && line.ends_with('`'), "{line}");
                assert_eq!(line.matches('`').count(), 2, "{line}");
                // The span, seen by the parser: all of the line, and code.
                let parts = markdown::parse(&format!("to\n{line}")).unwrap_or_default();
                let code = parts.get(1).and_then(|part| part.format.as_ref());
                assert_eq!((parts.len(), code), (2, Some(&markdown::Format::Snippet)), "{line}");
            }
        }
    }

    /// CARD-39, CARD-43: numbers and names that the parser would make something of.
    #[test]
    fn what_the_parser_would_format_is_code() {
        let numbers =
            [(1, "1"), (999_999, "999999"), (1_234_567, "`1234567`"), (u64::MAX, "`18446744073709551615`")];
        for (value, shown) in numbers {
            assert_eq!(number(value), shown);
        }
        let names = [
            ("@directory.simplex", " (@directory.simplex)"),
            ("#news.simplex", " (#news.simplex)"),
            ("@a) /'list' (", " `@a) /'list' (`"),
            ("x *y", " `x *y`"),
        ];
        for (value, shown) in names {
            assert_eq!(simplex_name(value), shown);
        }
    }

    /// CARD-39: what is taken for plain without asking the parser is plain to it.
    #[test]
    fn letters_and_single_spaces_are_plain() {
        let mut wild = judge::Peer::new(9);
        for _ in 0..300 {
            let letters = |c: char| c.is_ascii_alphabetic() || c == ' ';
            let text: String = wild.text(12).chars().filter(|&c| letters(c)).collect();
            let text = text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
            assert!(text.is_empty() || is_plain_to_the_parser(&text), "{text}");
        }
        for text in ["http", "https", "simplex", "mailto", "everyone", "all", "a", "A b", "I to reject"] {
            assert!(is_plain(text) && is_plain_to_the_parser(text), "{text}");
        }
    }

    /// CARD-29: an error has at most its room, and says when it was cut.
    #[test]
    fn errors_are_cut() {
        assert_eq!(error("no\r\nnetwork", 100), "`no network`");
        assert_eq!(error("no network", 12), "`no network`");
        assert_eq!(error("no network!", 12), "`no netw…`");
        for max in 0..40 {
            let shown = error("\"ж`\"ж`\"ж`\"ж`\"ж`", max);
            assert!(encoded_len(&shown) <= max.max(4), "{shown} in {max}");
            assert_eq!(shown.matches('`').count(), 2);
        }
    }
}
