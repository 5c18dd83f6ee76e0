//! The bearer token.

use core::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// What is kept of the token: its SHA-256, so that no debug text, record or memory dump of this type gives it away.
#[derive(Clone)]
pub struct Token {
    digest: [u8; 32],
}

impl Token {
    /// The token with this text.
    pub fn new(text: &str) -> Self {
        Self { digest: digest(text) }
    }

    /// Whether `text` is the token. Takes the same time for every text of one length: digests of equal length are
    /// compared without a branch on their bytes.
    pub fn is(&self, text: &str) -> bool {
        self.digest.ct_eq(&digest(text)).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Whether an `Authorization` header carries the token: `Bearer TOKEN`, the scheme in any case, one or more spaces.
/// `None`, for a missing or a repeated header, does not.
pub fn authorized(header: Option<&str>, token: &Token) -> bool {
    let Some((scheme, text)) = header.and_then(|value| value.split_once(' ')) else {
        return false;
    };
    // The digest is compared for a wrong scheme too, so that both ways take as long.
    let right = token.is(text.trim_matches([' ', '\t']));
    scheme.eq_ignore_ascii_case("Bearer") && right
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::{Token, authorized};

    /// HTTP-05.
    #[test]
    fn only_the_token_passes() {
        let token = Token::new("s3cret-Token_1");
        for (header, right) in [
            (Some("Bearer s3cret-Token_1"), true),
            (Some("bearer s3cret-Token_1"), true),
            (Some("BEARER   s3cret-Token_1"), true),
            (None, false),
            (Some(""), false),
            (Some("Bearer"), false),
            (Some("Bearer "), false),
            (Some("s3cret-Token_1"), false),
            (Some("Basic s3cret-Token_1"), false),
            (Some("Bearers3cret-Token_1"), false),
            (Some("Bearer s3cret-token_1"), false),
            (Some("Bearer s3cret-Token_"), false),
            (Some("Bearer s3cret-Token_1x"), false),
            (Some("Bearer s3cret-Token_1 x"), false),
            (Some("Bearer \u{e9}"), false),
        ] {
            assert_eq!(authorized(header, &token), right, "{header:?}");
        }
    }

    #[test]
    fn debug_text_has_no_secret() {
        assert_eq!(format!("{:?}", Token::new("s3cret")), "Token(..)");
    }
}
