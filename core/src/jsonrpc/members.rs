//! The outermost members of a JSON object, their values raw.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::string::String;
use core::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object. Each name is there once: readers that pick the first and readers that pick the last of
/// two would see different messages.
#[derive(Clone, Debug, Default)]
pub struct Members<'a>(BTreeMap<String, &'a RawValue>);

/// Why a piece of JSON gives no members.
#[derive(Clone, Debug)]
pub enum MembersFault<'a> {
    /// It is not an object.
    NotObject,
    /// A name is not Unicode text (a lone surrogate).
    Unreadable,
    /// A name is there twice.
    Twice {
        /// The first such name.
        name: String,
        /// The members; of each name given twice, the first.
        members: Box<Members<'a>>,
    },
}

impl<'a> Members<'a> {
    /// The members of `json`.
    ///
    /// # Errors
    /// See [`MembersFault`].
    pub fn read(json: &'a RawValue) -> Result<Self, MembersFault<'a>> {
        if !json.get().starts_with('{') {
            return Err(MembersFault::NotObject);
        }
        let all: All<'a> = serde_json::from_str(json.get()).map_err(|_| MembersFault::Unreadable)?;
        match all.twice {
            None => Ok(all.members),
            Some(name) => Err(MembersFault::Twice { name, members: Box::new(all.members) }),
        }
    }

    /// The value of a member.
    pub fn raw(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied()
    }

    /// The value of a member that is a string of Unicode text.
    pub fn text(&self, name: &str) -> Option<String> {
        self.raw(name).and_then(|json| serde_json::from_str(json.get()).ok())
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, json)| (name.as_str(), *json))
    }
}

/// Every member, and the first name that was there twice.
struct All<'a> {
    members: Members<'a>,
    twice: Option<String>,
}

impl<'de> Deserialize<'de> for All<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(AllVisitor)
    }
}

struct AllVisitor;

impl<'de> Visitor<'de> for AllVisitor {
    type Value = All<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = All { members: Members::default(), twice: None };
        while let Some((name, json)) = map.next_entry::<String, &RawValue>()? {
            match all.members.0.entry(name) {
                Entry::Vacant(place) => {
                    place.insert(json);
                }
                Entry::Occupied(first) => {
                    all.twice.get_or_insert_with(|| first.key().clone());
                }
            }
        }
        Ok(all)
    }
}
