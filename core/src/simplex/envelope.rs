//! The envelope of answers and events: `{"result":…}` or `{"error":…}` (`reference/simplex-api.md` section 1.4).

use alloc::borrow::{Cow, ToOwned};
use alloc::string::{String, ToString};

use core::fmt;
use core::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::ChatError;
use super::model::Raw;
use super::model::wire::Borrowed;

/// What was in an envelope.
pub(super) enum Opened<'a> {
    /// A result, not read yet.
    Result {
        /// Its tag.
        tag: Cow<'a, str>,
        /// All of it.
        body: &'a str,
    },
    /// An error.
    Error(ChatError),
    /// No envelope: why.
    Unreadable(String),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Tag<'a> {
    #[serde(borrow, rename = "type")]
    tag: Cow<'a, str>,
}

/// Reads the envelope and the tag, and nothing else.
pub(super) fn open(text: &str) -> Opened<'_> {
    let envelope: Envelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) => envelope,
        Err(error) => return Opened::Unreadable(error.to_string()),
    };
    match envelope {
        Envelope { error: Some(error), .. } => match Raw::parse(error.get()) {
            Ok(raw) => Opened::Error(ChatError::new(raw)),
            Err(error) => Opened::Unreadable(error.to_string()),
        },
        Envelope { result: Some(result), .. } => match serde_json::from_str(result.get()) {
            Ok(Tag { tag }) => Opened::Result { tag, body: result.get() },
            Err(error) => Opened::Unreadable(error.to_string()),
        },
        Envelope { result: None, error: None } => Opened::Unreadable("neither result nor error".to_owned()),
    }
}

/// What is read by a tag.
pub(super) trait Tagged: Sized {
    /// Reads the members beside the tag, which are all that is left of the object; unknown tags have a value too.
    ///
    /// # Errors
    ///
    /// A member that is missing or of another kind.
    fn read<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Self, D::Error>;
}

/// Reads a result in one pass over the text, when its tag stands first, as every core writes it. None for whatever
/// else it is: [`open`] then tells.
///
/// Reading an envelope, its tag and its body one after the other costs three passes; events are most of what a core
/// says.
pub(super) fn read_once<T: Tagged>(text: &str) -> Option<T> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = deserializer.deserialize_map(ResultFirst(PhantomData)).ok()?;
    deserializer.end().ok()?;
    value
}

/// The envelope: `result` first, and no `error`.
struct ResultFirst<T>(PhantomData<T>);

impl<'de, T: Tagged> Visitor<'de> for ResultFirst<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an envelope")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<T>, A::Error> {
        if map.next_key::<Borrowed<'de>>()?.is_none_or(|Borrowed(key)| key != "result") {
            return Err(A::Error::custom("no result"));
        }
        let value = map.next_value_seed(TagFirst(PhantomData))?;
        let mut is_error = false;
        while let Some((Borrowed(key), _)) = map.next_entry::<_, IgnoredAny>()? {
            is_error |= key == "error";
        }
        Ok(value.filter(|_| !is_error))
    }
}

/// The result: `type` first.
struct TagFirst<T>(PhantomData<T>);

impl<'de, T: Tagged> DeserializeSeed<'de> for TagFirst<T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Tagged> Visitor<'de> for TagFirst<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a result")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<T>, A::Error> {
        if map.next_key::<Borrowed<'de>>()?.is_none_or(|Borrowed(key)| key != "type") {
            return Err(A::Error::custom("no tag"));
        }
        let Borrowed(tag) = map.next_value()?;
        T::read(&tag, MapAccessDeserializer::new(map)).map(Some)
    }
}

/// A value that its tag alone tells; the members are passed over.
pub(super) fn only<'de, T, D: Deserializer<'de>>(members: D, value: T) -> Result<T, D::Error> {
    IgnoredAny::deserialize(members).map(|_| value)
}
