//! Words of the core that may grow: an enum with the words of today, and `Other` for any other.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::wire::Borrowed;

/// Declares an open enum of words. It is read from a string or from an object with a `type`, because the core of 6.4
/// writes `"ready"` where 7.0 writes `{"type":"ready"}`; it never fails on a word it does not know.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
            /// A word this program does not know.
            Other(alloc::string::String),
        }

        impl $name {
            /// The word as the core writes it.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Other(word) => word,
                }
            }
        }

        impl From<alloc::string::String> for $name {
            fn from(word: alloc::string::String) -> Self {
                match word.as_str() {
                    $($word => Self::$variant,)*
                    _ => Self::Other(word),
                }
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::simplex::model::word::word(deserializer, |word| match word {
                    $($word => Self::$variant,)*
                    _ => Self::Other(alloc::borrow::ToOwned::to_owned(word)),
                })
            }
        }
    };
}
pub(crate) use words;

/// Reads a word that comes bare or as the `type` of an object, and gives what it stands for.
pub(crate) fn word<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    read: impl Fn(&str) -> T,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(WordVisitor(read))
}

/// A word that is kept as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Word(pub(crate) String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        word(deserializer, |word| Self(word.to_owned()))
    }
}

struct WordVisitor<F>(F);

impl<'de, T, F: Fn(&str) -> T> Visitor<'de> for WordVisitor<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word or an object with a type")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<T, E> {
        Ok((self.0)(word))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut word = Borrowed::default();
        while let Some(Borrowed(key)) = map.next_key()? {
            if key == "type" {
                word = map.next_value()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok((self.0)(&word.0))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use crate::simplex::model::ConnStatus;

    /// LANG-06, LANG-07: both shapes of `connStatus`, and a word of a later core.
    #[test]
    fn words_come_bare_or_in_an_object() {
        for (json, expected) in [
            (r#""ready""#, ConnStatus::Ready),
            (r#"{"type":"ready"}"#, ConnStatus::Ready),
            (r#"{"connError":{"type":"x"},"type":"failed"}"#, ConnStatus::Failed),
            (r#"{"type":"resting"}"#, ConnStatus::Other("resting".to_string())),
            (r#"{}"#, ConnStatus::Other("".to_string())),
        ] {
            assert_eq!(serde_json::from_str::<ConnStatus>(json).expect(json), expected, "{json}");
        }
    }
}
