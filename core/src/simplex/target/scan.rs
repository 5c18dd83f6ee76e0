//! A reader over the bytes of a link.

use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};

/// What is left to read. Each `take_…` moves past what it read; one that answers None may have moved too, so that
/// alternatives are tried on a copy.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    rest: &'a [u8],
}

impl<'a> Scan<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) const fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Moves past `expected` when it is next.
    pub(super) fn take(&mut self, expected: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(expected)?;
        Some(())
    }

    pub(super) fn take_byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// The bytes, possibly none, up to the first that `is_part` refuses.
    pub(super) fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|b| !is_part(*b)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// A query: everything up to a space or line break.
    pub(super) fn take_query(&mut self) -> &'a [u8] {
        self.take_while(|b| !matches!(b, b' ' | b'\n'))
    }

    /// A decimal number, wrapping as the core's numbers do.
    pub(super) fn take_number(&mut self) -> Option<u64> {
        let digits = self.take_while(|b| b.is_ascii_digit());
        let add =
            |sum: u64, digit: &u8| sum.wrapping_mul(10).wrapping_add(u64::from(digit.wrapping_sub(b'0')));
        (!digits.is_empty()).then(|| digits.iter().fold(0, add))
    }

    /// Non-empty base64url text as the core decodes it: with all of its padding or none, and with unused bits zero.
    pub(super) fn take_base64(&mut self) -> Option<Vec<u8>> {
        let text = self.take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        let padding = self.take_while(|b| b == b'=');
        if text.is_empty() {
            return None;
        }
        if padding.is_empty() {
            return URL_SAFE_NO_PAD.decode(text).ok();
        }
        URL_SAFE.decode([text, padding].concat()).ok()
    }

    /// What `read` reads, when it reads all that is left.
    pub(super) fn all<T>(mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        read(&mut self).filter(|_| self.is_at_end())
    }

    /// What `read` reads, or None without moving.
    pub(super) fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut ahead = *self;
        let value = read(&mut ahead)?;
        *self = ahead;
        Some(value)
    }

    /// Items with `separator` between them; the first is required, and a separator without an item is not taken.
    pub(super) fn separated<T>(
        &mut self,
        separator: u8,
        read: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut items = Vec::from([read(self)?]);
        while let Some(item) = self.optional(|s| s.take(&[separator]).and_then(|()| read(s))) {
            items.push(item);
        }
        Some(items)
    }
}
