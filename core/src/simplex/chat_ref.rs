//! Chat references: how people, the agent and commands name a chat.

use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Most digits of a chat reference.
///
/// The SimpleX core reads the number into 64 bits and lets it wrap: `#18446744073709551626` names group 10.
/// Fifteen digits cannot wrap (plan, Chats; FINDINGS 7).
pub const MAX_DIGITS: usize = 15;

/// A chat, by the number the SimpleX core gave it: 0 to 999,999,999,999,999.
///
/// The number alone is no identity: after a chat is deleted the next one gets its number (decisions 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChatRef {
    /// A contact, `@4`.
    Contact(u64),
    /// A group, a channel or a business chat, `#9`.
    Group(u64),
}

impl ChatRef {
    /// The number after the sign.
    pub const fn number(self) -> u64 {
        match self {
            Self::Contact(number) | Self::Group(number) => number,
        }
    }

    /// Whether this names a group (or a channel, or a business chat).
    pub const fn is_group(self) -> bool {
        matches!(self, Self::Group(_))
    }
}

impl fmt::Display for ChatRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contact(number) => write!(f, "@{number}"),
            Self::Group(number) => write!(f, "#{number}"),
        }
    }
}

impl Serialize for ChatRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ChatRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).ok_or_else(|| de::Error::custom("chat reference expected, such as @4 or #9"))
    }
}

/// Reads `@N` or `#N` with 1 to 15 ASCII digits and nothing else.
///
/// The rule is about the number of digits alone, as the plan says: leading zeros are accepted and name the same
/// chat (`#09` is `#9`), as they do for the SimpleX core. Whatever is shown or sent is the form without them.
pub fn parse(text: &str) -> Option<ChatRef> {
    let (make, digits): (fn(u64) -> ChatRef, &str) = if let Some(digits) = text.strip_prefix('@') {
        (ChatRef::Contact, digits)
    } else {
        (ChatRef::Group, text.strip_prefix('#')?)
    };
    let fits = (1..=MAX_DIGITS).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if !fits {
        return None;
    }
    digits.parse().ok().map(make)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    /// LANG-03, TOOL-12
    #[test]
    fn one_to_fifteen_digits_are_read() {
        let cases = [
            ("@4", Some(ChatRef::Contact(4))),
            ("#9", Some(ChatRef::Group(9))),
            ("#09", Some(ChatRef::Group(9))),
            ("@0", Some(ChatRef::Contact(0))),
            ("#999999999999999", Some(ChatRef::Group(999_999_999_999_999))),
            ("#1000000000000000", None),
            ("#18446744073709551626", None),
            ("#0000000000000009", None),
            ("", None),
            ("@", None),
            ("#", None),
            ("9", None),
            ("@-4", None),
            ("@+4", None),
            (" @4", None),
            ("@4 ", None),
            ("@4\n", None),
            ("@٤", None),
            ("@4x", None),
            ("@@4", None),
            ("&4", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn printed_form_is_read_back_and_is_the_json_form() {
        for chat in [ChatRef::Contact(4), ChatRef::Group(0), ChatRef::Group(999_999_999_999_999)] {
            assert_eq!(parse(&chat.to_string()), Some(chat));
            let json = serde_json::to_string(&chat).unwrap();
            assert_eq!(json, std::format!("\"{chat}\""));
            assert_eq!(serde_json::from_str::<ChatRef>(&json).unwrap(), chat);
        }
        assert!(serde_json::from_str::<ChatRef>("\"@x\"").is_err());
        assert!(serde_json::from_str::<ChatRef>("4").is_err());
    }
}
