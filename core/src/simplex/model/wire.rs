//! How fields are read: nulls as absent, lists element by element, details of a peer without failing the whole.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;

/// A field whose null or unreadable value is its default: for details that a peer writes and nothing hangs on.
pub(super) fn soft<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Default,
    D: Deserializer<'de>,
{
    let raw = <&RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).unwrap_or_default())
}

/// A detail that a peer writes, as [`soft`] reads them, but in one pass over its text: whatever cannot be read is the
/// default.
pub(super) trait Detail: Default {
    /// From a text.
    fn text(_text: &str) -> Self {
        Self::default()
    }

    /// From a truth value.
    fn flag(_flag: bool) -> Self {
        Self::default()
    }

    /// From an object.
    fn object<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

impl Detail for String {
    fn text(text: &str) -> Self {
        text.to_owned()
    }
}

impl Detail for Option<String> {
    fn text(text: &str) -> Self {
        Some(text.to_owned())
    }
}

impl Detail for bool {
    fn flag(flag: bool) -> Self {
        flag
    }
}

/// Reads a detail.
pub(super) fn detail<'de, T: Detail, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(DetailVisitor(PhantomData))
}

struct DetailVisitor<T>(PhantomData<T>);

impl<'de, T: Detail> Visitor<'de> for DetailVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        Ok(T::text(text))
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<T, E> {
        Ok(T::flag(flag))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::object(map)
    }

    fn visit_unit<E: de::Error>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(T::default())
    }
}

/// A text, borrowed where it has no escapes: the key of an object, for the most part.
#[derive(Default, Deserialize)]
pub(crate) struct Borrowed<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// A field whose null is its default.
pub(super) fn or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A list whose unreadable elements are left out, so that one of them loses no other.
pub(crate) fn list<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let raws = Option::<Vec<&RawValue>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(raws.iter().filter_map(|raw| serde_json::from_str(raw.get()).ok()).collect())
}

/// The field that a tag promises, or the error that names it.
pub(crate) fn promised<T>(field: Option<T>, name: &'static str) -> Result<T, MissingField> {
    field.ok_or(MissingField(name))
}

/// A tag came without the field it promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MissingField(&'static str);

impl fmt::Display for MissingField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "missing field `{}`", self.0)
    }
}

impl MissingField {
    /// As an error of a deserializer.
    pub(crate) fn into_error<E: de::Error>(self) -> E {
        E::missing_field(self.0)
    }
}
