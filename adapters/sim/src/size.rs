//! How large a message may be (digest 7, FINDINGS.md 6).

use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::errors;
use crate::text;

/// The largest encoded message.
const MAX: usize = 15_602;
/// The largest message of a contact, whose encryption takes more room; larger ones are compressed first.
const MAX_COMPRESSED: usize = 13_380;
/// The largest first message with the profile, and the same compressed.
const MAX_INFO: usize = 14_694;
const MAX_INFO_COMPRESSED: usize = 10_968;

/// What a message has beside its text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) direct: bool,
    /// Bytes of the quoted text, and whether it is an own message.
    pub(crate) quote: Option<(usize, bool)>,
    /// Bytes of each name.
    pub(crate) mentions: Vec<usize>,
    pub(crate) live: bool,
}

/// A new message.
pub(crate) fn check_new(words: &str, shape: &Shape) -> Result<(), Value> {
    let quote = match shape.quote {
        None => 114,
        Some((bytes, _)) if shape.direct => bytes.saturating_add(251),
        Some((bytes, own)) => bytes.saturating_add(if own { 298 } else { 289 }),
    };
    let mentions = if shape.mentions.is_empty() { 0 } else { 14 + mention_bytes(&shape.mentions) };
    let live = if shape.live { 12 } else { 0 };
    let total = text::encoded(words).saturating_add(quote).saturating_add(mentions).saturating_add(live);
    check(words, total, shape.direct)
}

/// An edit. In a group the core fails with another error (FINDINGS.md, 7).
pub(crate) fn check_edit(words: &str, shape: &Shape) -> Result<(), Value> {
    let fixed = if shape.direct { 152 } else { 168 };
    let total = text::encoded(words).saturating_add(fixed).saturating_add(mention_bytes(&shape.mentions));
    match check(words, total, shape.direct) {
        Err(_) if !shape.direct => Err(errors::chat_with(
            "internalError",
            json!({"message": "sendGroupMessage: expected 1 message"}),
        )),
        result => result,
    }
}

/// The first message of a request, with the own profile.
pub(crate) fn check_info(words: &str, profile: &Value) -> Result<(), Value> {
    let exception = |message: &str| Err(errors::chat_with("exception", json!({"message": message})));
    let profile = profile.to_string().len().saturating_add(360);
    let total = text::encoded(words).saturating_add(profile);
    if total > MAX_INFO {
        return exception("large info");
    }
    if total > MAX_INFO_COMPRESSED && compressed(words, total) > MAX_INFO_COMPRESSED {
        return exception("large compressed info");
    }
    Ok(())
}

fn check(words: &str, total: usize, direct: bool) -> Result<(), Value> {
    if total > MAX {
        return Err(errors::store("largeMsg"));
    }
    if direct && total > MAX_COMPRESSED && compressed(words, total) > MAX_COMPRESSED {
        return Err(errors::chat_with("exception", json!({"message": "large compressed message"})));
    }
    Ok(())
}

fn mention_bytes(names: &[usize]) -> usize {
    names.iter().map(|n| n.saturating_add(42)).sum::<usize>().saturating_add(names.len().saturating_sub(1))
}

/// About how many bytes remain after compression: the entropy of the bytes, which is what a compressor comes near
/// to for texts without repetitions. Texts with repetitions compress far better, and are small enough either way.
fn compressed(words: &str, total: usize) -> usize {
    let mut counts = [0u64; 256];
    for byte in words.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count = count.saturating_add(1);
        }
    }
    let length = u64::try_from(words.len()).unwrap_or(u64::MAX).max(1);
    let bits: u64 = counts.iter().filter(|c| **c > 0).map(|c| c * log2_ratio(length, *c)).sum();
    let bytes = usize::try_from(bits / 1024 / 8).unwrap_or(usize::MAX);
    // Tables and block headers cost about a fiftieth.
    bytes.saturating_add(bytes / 50).saturating_add(total.saturating_sub(words.len()))
}

/// log2(a / b) in 1024ths, for a >= b > 0.
fn log2_ratio(a: u64, b: u64) -> u64 {
    log2(a).saturating_sub(log2(b))
}

/// log2(n) in 1024ths: whole part from the leading bit, fraction by squaring the mantissa.
fn log2(n: u64) -> u64 {
    let whole = u64::from(63 - n.max(1).leading_zeros());
    let mut mantissa = (u128::from(n.max(1)) << 32) >> whole;
    let mut fraction = 0u64;
    for _ in 0..10 {
        mantissa = (mantissa * mantissa) >> 32;
        fraction <<= 1;
        if mantissa >= 2u128 << 32 {
            mantissa >>= 1;
            fraction |= 1;
        }
    }
    (whole << 10) | fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FINDINGS.md 6, the table of sizes: the largest accepted, and one byte more.
    #[test]
    fn sizes_of_the_records() {
        let group = |quote, mentions: &[usize], live| Shape {
            direct: false,
            quote,
            mentions: mentions.to_vec(),
            live,
        };
        let direct = |quote| Shape { direct: true, quote, ..Shape::default() };
        let cases = [
            (15_488, group(None, &[], false)),
            (15_428, group(None, &[4], false)),
            (15_476, group(None, &[], true)),
            (5_313, group(Some((10_000, false)), &[], false)),
            (5_304, group(Some((10_000, true)), &[], false)),
            (15_488, direct(None)),
            (5_351, direct(Some((10_000, false)))),
        ];
        for (largest, shape) in cases {
            assert!(check_new(&"a".repeat(largest), &shape).is_ok(), "{largest} {shape:?}");
            assert!(check_new(&"a".repeat(largest + 1), &shape).is_err(), "{} {shape:?}", largest + 1);
        }
        assert!(check_edit(&"a".repeat(15_434), &group(None, &[], false)).is_ok());
        assert!(check_edit(&"a".repeat(15_435), &group(None, &[], false)).is_err());
        assert!(check_edit(&"a".repeat(15_450), &direct(None)).is_ok());
        assert!(check_edit(&"a".repeat(15_451), &direct(None)).is_err());
    }
}
