//! Room for a reply: a quote carries the whole quoted text (digest 7), so a long command leaves little.

use crate::simplex::ChatRef;
use crate::simplex::size::{DIRECT_REPLY, GROUP_REPLY, encoded_len};

/// The least room, in encoded bytes, that a command has to leave for its reply (decisions 7).
pub const LEAST: usize = 1_024;

/// Encoded bytes that a reply to a message of this text may have; 0 when nothing fits.
///
/// As measured for quotes of own items; nine bytes more fit in a group when the item is another member's (FINDINGS 6).
pub fn for_reply(chat: ChatRef, quoted: &str) -> usize {
    let both = if chat.is_group() { GROUP_REPLY } else { DIRECT_REPLY };
    both.saturating_sub(encoded_len(quoted))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CHAT-13
    #[test]
    fn reply_and_quote_share_what_was_measured() {
        let quoted = "\"".repeat(5_000);
        assert_eq!(for_reply(ChatRef::Group(9), &quoted), 5_304);
        assert_eq!(for_reply(ChatRef::Contact(4), &quoted), 5_351);
        assert_eq!(for_reply(ChatRef::Contact(4), &"x".repeat(16_000)), 0);
    }
}
