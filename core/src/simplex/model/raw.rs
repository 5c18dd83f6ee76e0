//! JSON that is passed back as it came: link data, group profiles, custom data, profiles.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// One JSON value, byte for byte as it was read.
#[derive(Clone, PartialEq, Eq)]
pub struct Raw(Box<str>);

impl Raw {
    /// The value in this text. Errors: the text is not one JSON value.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<&RawValue>(text).map(|raw| Self(raw.get().into()))
    }

    /// The object of these members, in this order. Each value must be JSON.
    pub(crate) fn from_members<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let members: Vec<String> =
            members.into_iter().map(|(name, json)| format!("{}:{json}", Value::from(name))).collect();
        Self(format!("{{{}}}", members.join(",")).into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value read as this type; none when it is not one.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(&self.0).ok()
    }

    /// The members of an object, read; none when the value is no object, or nests deeper than 128.
    pub fn object(&self) -> Option<Map<String, Value>> {
        self.read()
    }

    /// The members of an object in order, each as it came; none when the value is no object.
    pub fn members(&self) -> Option<Vec<(String, Self)>> {
        self.read().map(|Members(members)| members)
    }

    /// The same object with this member set, the others as they came; an object of this member alone when the value is
    /// no object.
    pub fn with(&self, key: &str, value: impl Into<Value>) -> Self {
        let mut members = self.members().unwrap_or_default();
        members.retain(|(name, _)| name != key);
        members.push((key.to_owned(), value.into().into()));
        Self::from_members(members.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

impl From<&RawValue> for Raw {
    fn from(value: &RawValue) -> Self {
        Self(value.get().into())
    }
}

impl From<Value> for Raw {
    fn from(value: Value) -> Self {
        Self(value.to_string().into())
    }
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self(raw.get().into()))
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// The members of an object, in order.
struct Members(Vec<(String, Raw)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

/// A value that is both read and passed back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept<T> {
    /// What was read.
    pub value: T,
    /// All of it, as it came.
    pub raw: Raw,
}

impl<T> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Kept<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        let value = serde_json::from_str(raw.as_str()).map_err(D::Error::custom)?;
        Ok(Self { value, raw })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::Raw;

    /// What is passed back is what came, byte for byte, white space and number forms included.
    #[test]
    fn the_text_is_kept() {
        for text in ["{\"b\":1.50,\"a\":[1,\t2e3]}", "null", "\"\\u0041\"", "{}"] {
            let raw = Raw::parse(text).expect(text);
            assert_eq!(raw.as_str(), text);
            assert_eq!(serde_json::to_string(&raw).expect(text), text);
        }
        assert!(Raw::parse("{} {}").is_err());
        assert!(Raw::parse("{bad").is_err());
    }

    /// A member is replaced or added; the others stay.
    #[test]
    fn members_are_merged() {
        for (text, expected) in [
            (r#"{"n":1,"z":{"x":[1.50]},"a\"":1}"#, r#"{"z":{"x":[1.50]},"a\"":1,"n":2}"#),
            (r#"{}"#, r#"{"n":2}"#),
            (r#"[1]"#, r#"{"n":2}"#),
        ] {
            assert_eq!(Raw::parse(text).expect(text).with("n", 2).to_string(), expected, "{text}");
        }
    }
}
