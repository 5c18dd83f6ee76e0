//! Numbers of the SimpleX core's tables. Contacts, groups, members and connections get the numbers of deleted ones
//! again (FINDINGS, "Most important" 1): such a number names a row at one moment, not a chat for ever.

use core::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// Declares one row number: a newtype over `u64`, printed as the bare number, read from a number or a decimal string.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// The row with this number.
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// The number.
            pub const fn number(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Number).map(Self)
            }
        }
    };
}

id!(
    /// A user of the core; this program has one.
    UserId
);
id!(
    /// A contact (`@4`). Given again after a delete.
    ContactId
);
id!(
    /// A group, business chat or channel (`#12`). Given again after a delete.
    GroupId
);
id!(
    /// A row of a group's member list, local to this database. Given again after a delete; the identifier that stays
    /// is [`Member::member_id`](super::Member::member_id).
    GroupMemberId
);
id!(
    /// A message or other chat item, over all chats. Grows and is never given twice.
    ItemId
);
id!(
    /// A connection (`:3` while pending). Given again after a delete.
    ConnId
);
id!(
    /// A profile row; tells the own profile from a random one.
    ProfileId
);

/// Reads a number that may come as a decimal string (`reference/simplex-api.md` section 1.4).
struct Number;

impl Visitor<'_> for Number {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a decimal string")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<u64, E> {
        Ok(number)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<u64, E> {
        text.parse().map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::ItemId;

    /// LANG-07: numbers come as numbers or as decimal strings; nothing else is one.
    #[test]
    fn numbers_and_decimal_strings() {
        for (json, expected) in [
            ("340", Some(340)),
            ("\"340\"", Some(340)),
            ("0", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("-1", None),
            ("\"x\"", None),
            ("1.5", None),
            ("null", None),
            ("\"18446744073709551616\"", None),
        ] {
            assert_eq!(serde_json::from_str::<ItemId>(json).ok(), expected.map(ItemId::new), "{json}");
        }
    }
}
