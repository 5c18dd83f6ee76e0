//! How fields are read: nulls as absent, lists element by element, details of a peer without failing the whole.

use alloc::vec::Vec;

use serde::de::{DeserializeOwned, Deserializer};
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

impl core::fmt::Display for MissingField {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "missing field `{}`", self.0)
    }
}

impl MissingField {
    /// As an error of a deserializer.
    pub(crate) fn into_error<E: de::Error>(self) -> E {
        E::missing_field(self.0)
    }
}
