//! Encoded sizes: how many bytes a text takes inside a message, and how many it may take.
//!
//! A size is the number of bytes of the text's JSON string content as the SimpleX core writes it
//! (`chat_json_length`); every limit below is one of a text in that measure, unless it says otherwise.

use alloc::string::String;

/// A whole encoded message with its envelope (digest 7): above it the core answers `largeMsg`.
pub const MESSAGE: usize = 15_602;

/// A card in the agent control chat, in its largest form (decisions 2).
pub const CARD: usize = 15_000;

/// A new text in a group or direct chat, without mentions (FINDINGS 6). See [`mentions_len`].
pub const NEW_TEXT: usize = 15_488;

/// A live message, each of its updates included (FINDINGS 6).
pub const LIVE_TEXT: usize = 15_476;

/// An edit in a group, also of a reply; above it the core answers `internalError` (FINDINGS 6, decisions 10).
pub const GROUP_EDIT: usize = 15_434;

/// An edit in a direct chat (FINDINGS 6, decisions 10).
pub const DIRECT_EDIT: usize = 15_450;

/// A reply in a group: its text and the whole quoted text together, for a quoted item of one's own; 9 bytes more
/// fit when the item is another member's (FINDINGS 6).
pub const GROUP_REPLY: usize = 15_304;

/// A reply in a direct chat: its text and the whole quoted text together (FINDINGS 6).
pub const DIRECT_REPLY: usize = 15_351;

/// A text to a contact that cannot be compressed, new or edited (FINDINGS 6): above it the core answers the
/// `exception` "large compressed message", below it any text fits.
pub const DIRECT_TEXT_ANY: usize = 13_905;

/// The first message of a contact request when it cannot be compressed (FINDINGS 6). It shares its limit with the
/// profile sent along; this is for a short name and no image.
pub const REQUEST_TEXT: usize = 11_143;

/// A Service RPC request or response: bytes of its JSON, not of JSON string content (digest 7).
pub const SERVICE_RPC: usize = 10_000;

/// The end that [`cut_encoded`] puts on a text it has cut.
const ELLIPSIS: char = '…';

/// Bytes of `text` as JSON string content in a message of the SimpleX core.
///
/// `"`, `\`, newline, carriage return and tab take 2, other characters below U+0020 take 6, everything else takes
/// its UTF-8 length (decisions 2).
pub fn encoded_len(text: &str) -> usize {
    // By bytes, each of a character beyond ASCII counting as itself, and in pieces whose sums fit a byte: compilers make
    // vector code of that, and every card is measured.
    let escapes = |piece: &[u8]| usize::from(piece.iter().map(|&byte| escape_len(byte)).sum::<u8>());
    text.as_bytes().chunks(PIECE).map(escapes).fold(text.len(), usize::saturating_add)
}

/// Bytes that mentions of these names add to a new text: `NEW_TEXT - mentions_len(…)` is the limit that is left.
///
/// Computed for member ids of 24 characters; one mention of a four-letter name takes 60 (FINDINGS 6).
pub fn mentions_len<'a>(names: impl IntoIterator<Item = &'a str>) -> usize {
    /// `"mentions":{},`
    const MAP: usize = 14;
    /// `"":{"memberId":"…"}` with the 24 characters of the id.
    const ENTRY: usize = 42;
    let mut sum: usize = 0;
    for name in names {
        let separator = if sum == 0 { MAP } else { 1 };
        sum = sum.saturating_add(separator).saturating_add(ENTRY).saturating_add(encoded_len(name));
    }
    sum
}

/// `text` when it has at most `max` encoded bytes; otherwise its longest beginning that fits together with a final
/// `…`. The result, `…` included, has at most `max` encoded bytes; it is empty when not even `…` fits.
pub fn cut_encoded(text: &str, max: usize) -> String {
    let Some(room) = max.checked_sub(char_len(ELLIPSIS)) else {
        return if encoded_len(text) <= max { text.into() } else { String::new() };
    };
    let (mut size, mut kept) = (0_usize, 0);
    for (at, c) in text.char_indices() {
        if size <= room {
            kept = at;
        }
        size = size.saturating_add(char_len(c));
        if size > max {
            let mut cut = String::from(text.get(..kept).unwrap_or_default());
            cut.push(ELLIPSIS);
            return cut;
        }
    }
    text.into()
}

/// Encoded bytes of one character.
fn char_len(c: char) -> usize {
    match u8::try_from(c) {
        Ok(byte) if byte.is_ascii() => usize::from(escape_len(byte)).saturating_add(1),
        _ => c.len_utf8(),
    }
}

/// Bytes that are measured at once: their escapes take at most 255.
const PIECE: usize = 32;

/// What the escape of a byte adds to it, at most 5.
const fn escape_len(byte: u8) -> u8 {
    let short = matches!(byte, b'"' | b'\\' | b'\n' | b'\r' | b'\t') as u8;
    let long = (byte < 0x20) as u8 & (short ^ 1);
    short + long * 5
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LANG-21: the limits are what the envelope of a message leaves; in groups an edit carries 16 bytes more.
    #[test]
    fn measured_limits_are_what_the_envelope_leaves() {
        let envelope = |event: &str, more: &str| {
            let id = "x".repeat(24);
            let content = r#"{"content":{"type":"text","text":""}"#;
            std::format!(r#"{{"v":"1-16","msgId":"{id}","event":"{event}","params":{content}{more}}}}}"#)
                .len()
        };
        let original = std::format!(r#","msgId":"{}""#, "x".repeat(24));
        assert_eq!(NEW_TEXT, MESSAGE - envelope("x.msg.new", ""));
        assert_eq!(LIVE_TEXT, MESSAGE - envelope("x.msg.new", r#","live":true"#));
        assert_eq!(DIRECT_EDIT, MESSAGE - envelope("x.msg.update", &original));
        assert_eq!(GROUP_EDIT, DIRECT_EDIT - 16);
        assert_eq!((GROUP_REPLY, DIRECT_REPLY), (15_304, 15_351));
    }

    /// LANG-20
    #[test]
    fn each_kind_of_character_has_its_size() {
        let cases = [
            ("", 0),
            ("abc", 3),
            ("\"", 2),
            ("\\", 2),
            ("\n\r\t", 6),
            ("\0\u{1b}\u{1f}\u{8}\u{c}", 30),
            ("\u{7f}</", 3),
            ("é", 2),
            ("\u{2028}", 3),
            ("😀", 4),
        ];
        for (text, expected) in cases {
            assert_eq!(encoded_len(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_cut_text_fits_and_is_as_long_as_it_can_be() {
        let text = "ab\"\n\u{1}é😀z";
        for max in 0..=encoded_len(text) {
            let cut = cut_encoded(text, max);
            assert!(encoded_len(&cut) <= max, "{max}: {cut:?}");
            if max == encoded_len(text) {
                assert_eq!(cut, text);
            } else if max >= 3 {
                let kept = cut.strip_suffix('…').unwrap();
                let next = text.strip_prefix(kept).unwrap().chars().next().unwrap();
                assert!(encoded_len(kept) + char_len(next) + 3 > max, "{max}: {cut:?}");
            } else {
                assert_eq!(cut, "");
            }
        }
        assert_eq!(cut_encoded("ab", 2), "ab");
        assert_eq!(cut_encoded("", 0), "");
    }

    #[test]
    fn mentions_take_what_was_measured() {
        assert_eq!(mentions_len([]), 0);
        assert_eq!(NEW_TEXT - mentions_len(["Host"]), 15_428);
        assert_eq!(mentions_len(["Host", "Bob"]), 60 + 1 + 45);
    }
}
