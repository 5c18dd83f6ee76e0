//! References: the names after `@` and the commands after `/`.

use super::super::unicode::{is_letter, is_punctuation, is_space};

/// What follows `@` or `/`: a name, in quotes or up to a space of any kind.
pub(super) struct Reference<'a> {
    /// Without quotes.
    pub(super) name: &'a str,
    /// Bytes of the sign, the name and its quotes.
    pub(super) len: usize,
    /// Bytes of the punctuation after a name without quotes.
    pub(super) punctuation: usize,
}

impl<'a> Reference<'a> {
    /// Reads one at the start of `text`, whose first character is the sign.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let inner = text.get(1..)?;
        if let Some(inner) = inner.strip_prefix('\'') {
            let (name, _) = inner.split_once('\'').filter(|_| starts_name(inner))?;
            return Some(Self { name, len: name.len() + 3, punctuation: 0 });
        }
        if !starts_name(inner) {
            return None;
        }
        let word = inner.split(is_space).next().unwrap_or_default();
        let name = word.trim_end_matches(is_punctuation);
        Some(Self { name, len: name.len() + 1, punctuation: word.len() - name.len() })
    }

    /// Whether its first word is a keyword: letters, ASCII digits and `_`.
    pub(super) fn is_command(&self) -> bool {
        let mut words = self.name.split(is_space).filter(|word| !word.is_empty());
        words.next().is_some_and(|word| word.chars().all(|c| is_letter(c) || c.is_ascii_digit() || c == '_'))
    }
}

fn starts_name(text: &str) -> bool {
    text.starts_with(|c| c > ' ' && !matches!(c, '#' | '@' | '\''))
}
