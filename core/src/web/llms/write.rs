//! The text of the section. Whatever is written is read back equal, by other readers of Markdown too.

use alloc::string::{String, ToString};
use core::fmt::Write as _;

use super::entry::{Entry, Kind};

/// The section of these entries, its heading included, in the form of the document's example.
pub fn write(entries: &[Entry]) -> String {
    let mut text = String::from("## Communications\n");
    for (index, entry) in entries.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { "" });
        line(entry, &mut text);
    }
    text
}

fn line(entry: &Entry, text: &mut String) {
    text.push_str("- [");
    escape(entry.title(), text);
    text.push_str("](");
    address(&entry.address().to_string(), text);
    text.push_str("): ");
    escape(entry.address().network(), text);
    let _ = write!(text, " {}", entry.kind().as_str());
    if let Some(readers) = entry.audience() {
        let _ = write!(text, " for {readers}");
    }
    match entry.kind() {
        Kind::Updates { frequency: Some(frequency) } => {
            let _ = write!(text, ", {frequency}");
        }
        Kind::Contact { protocols, .. } => {
            for protocol in protocols {
                // As the document's example has them.
                let _ = write!(text, ", {}", protocol.as_str().to_ascii_uppercase());
            }
        }
        Kind::Updates { frequency: None } | Kind::Group => {}
    }
    text.push('.');
    if !entry.info().is_empty() {
        text.push(' ');
        escape(entry.info(), text);
    }
    text.push('\n');
}

/// Plain text, so that nothing in it is markup.
fn escape(plain: &str, text: &mut String) {
    for (at, c) in plain.char_indices() {
        let rest = plain.get(at..).unwrap_or_default();
        let is_markup = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '~' => true,
            '_' => !is_within_word(plain, at),
            '&' => is_reference(rest),
            '!' => rest.starts_with("!["),
            _ => false,
        };
        text.extend(is_markup.then_some('\\'));
        text.push(c);
    }
}

/// The address of a link: bare where nothing in it could be taken for an end of it, else in `<` and `>`.
fn address(url: &str, text: &mut String) {
    let is_bare = !url.is_empty() && !url.chars().any(|c| matches!(c, ' ' | '(' | ')' | '<' | '>' | '\\'));
    text.push_str(if is_bare { "" } else { "<" });
    for (at, c) in url.char_indices() {
        let is_markup = match c {
            '<' | '>' | '\\' => true,
            '&' => is_reference(url.get(at..).unwrap_or_default()),
            _ => false,
        };
        text.extend(is_markup.then_some('\\'));
        text.push(c);
    }
    text.push_str(if is_bare { "" } else { ">" });
}

/// Whether some reader could take this `&` for the start of a character reference.
fn is_reference(text: &str) -> bool {
    // The longest name has 31 letters.
    let end = text.bytes().skip(1).take(40).position(|b| !(b.is_ascii_alphanumeric() || b == b'#'));
    end.and_then(|end| text.as_bytes().get(end + 1)) == Some(&b';')
}

/// An underscore between letters or digits is no emphasis.
fn is_within_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    let after = text.get(at + 1..).and_then(|after| after.chars().next());
    before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
}
