//! Queries of links: names and values, percent-encoded.

use alloc::string::String;
use alloc::vec::Vec;

use super::scan::Scan;

/// The parameters of a query in their order, decoded to bytes.
pub(super) struct Query(Vec<(Vec<u8>, Vec<u8>)>);

impl Query {
    /// Reads `a=b&c=d`; `;` separates too. Anything is a query: what has no `=` has an empty value.
    pub(super) fn parse(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"?").unwrap_or(text);
        let pairs = text.split(|b| matches!(b, b'&' | b';')).map(|pair| {
            let mut halves = pair.splitn(2, |b| *b == b'=');
            (decode(halves.next().unwrap_or_default()), decode(halves.next().unwrap_or_default()))
        });
        Self(pairs.collect())
    }

    /// The value of the first parameter of this name.
    pub(super) fn value(&self, name: &str) -> Option<&[u8]> {
        let (_, value) = self.0.iter().find(|(key, _)| key == name.as_bytes())?;
        Some(value)
    }

    /// A required parameter: what `read` reads of its whole value.
    pub(super) fn required<T>(&self, name: &str, read: impl FnOnce(&mut Scan<'_>) -> Option<T>) -> Option<T> {
        Scan::new(self.value(name)?).all(read)
    }

    /// A parameter that may be absent, but when it is there must be readable: the outer None means it was not.
    pub(super) fn optional<T>(
        &self,
        name: &str,
        read: impl FnOnce(&mut Scan<'_>) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.value(name) {
            None => Some(None),
            Some(value) => Scan::new(value).all(read).map(Some),
        }
    }
}

/// Writes `name=value` pairs with everything but ASCII letters, digits and `-_.~` percent-encoded.
pub(super) fn encode(pairs: &[(&str, String)]) -> String {
    let mut query = String::new();
    for (name, value) in pairs {
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(name);
        query.push('=');
        for byte in value.bytes() {
            push_encoded(&mut query, byte);
        }
    }
    query
}

fn push_encoded(query: &mut String, byte: u8) {
    if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        query.push(char::from(byte));
        return;
    }
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0').to_ascii_uppercase();
    query.extend(['%', digit(byte >> 4), digit(byte & 15)]);
}

/// `+` is a space; a `%` without two hexadecimal digits stands for itself.
fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                bytes.push((hex_value(*high) << 4) | hex_value(*low));
                rest = after;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(*first),
        }
    }
    bytes
}

fn hex_value(digit: u8) -> u8 {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok()).unwrap_or_default()
}
