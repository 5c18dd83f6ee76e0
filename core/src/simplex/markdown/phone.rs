//! Phone numbers, and everything else that has their form: dates, long numbers.

/// Fewest and most characters of a phone number.
const PHONE_CHARS: (usize, usize) = (7, 22);

/// Bytes of the phone number at the start: `+digits`, `(digits)`, then digits, each after at most one separator.
pub(super) fn phone_len(text: &str) -> Option<usize> {
    let (fewest, most) = PHONE_CHARS;
    let bytes = text.as_bytes();
    let mut len = match bytes.first() {
        Some(b'+') => digits_end(bytes, 1).unwrap_or_default(),
        _ => 0,
    };
    len = area_code_end(bytes, len).unwrap_or(len);
    while len <= most {
        match digits_end(bytes, separator_end(bytes, len)) {
            Some(end) => len = end,
            None => break,
        }
    }
    (fewest..=most).contains(&len).then_some(len)
}

fn area_code_end(bytes: &[u8], from: usize) -> Option<usize> {
    let open = separator_end(bytes, from);
    bytes.get(open).filter(|b| **b == b'(')?;
    let close = digits_end(bytes, open.saturating_add(1))?;
    bytes.get(close).filter(|b| **b == b')')?;
    Some(close.saturating_add(1))
}

/// The end of the digits from `from` on; None when there are none.
fn digits_end(bytes: &[u8], from: usize) -> Option<usize> {
    let count = bytes.get(from..)?.iter().take_while(|b| b.is_ascii_digit()).count();
    (count > 0).then(|| from.saturating_add(count))
}

fn separator_end(bytes: &[u8], from: usize) -> usize {
    match bytes.get(from) {
        Some(b' ' | b'-' | b'.') => from.saturating_add(1),
        _ => from,
    }
}
