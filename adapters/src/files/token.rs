//! The bearer token of the MCP endpoint.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// 32 random bytes as base64url, 43 characters. Its debug text does not show it (decisions 11).
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new token from the system's random numbers.
    ///
    /// # Errors
    ///
    /// The system has no random numbers.
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The token in the text of `DIR/token`; a final line break is allowed, anything else is damage.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end_matches(['\r', '\n']);
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == 32).then(|| Self(text.to_owned()))
    }

    /// The token itself: for the front end that compares it, and for the files that hold it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DATA-02, DATA-09, DATA-10
    #[test]
    fn a_token_reads_back_and_anything_else_is_damage() {
        let token = Token::random().unwrap();
        assert_eq!(token.reveal().len(), 43);
        assert_ne!(token, Token::random().unwrap());
        assert_eq!(Token::parse(token.reveal()), Some(token.clone()));
        assert_eq!(Token::parse(&format!("{}\n", token.reveal())), Some(token.clone()));
        assert_eq!(format!("{token:?}"), "Token(…)");
        for damaged in
            ["", "\n", "short", &token.reveal()[1..], &format!("{}A", token.reveal()), " ", &"!".repeat(43)]
        {
            assert_eq!(Token::parse(damaged), None, "{damaged:?}");
        }
    }
}
