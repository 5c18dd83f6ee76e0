//! The envelope of answers and events: `{"result":…}` or `{"error":…}` (`reference/simplex-api.md` section 1.4).

use alloc::borrow::{Cow, ToOwned};
use alloc::string::{String, ToString};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::error::ChatError;
use super::model::Raw;

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

/// Reads the body of a result, or says why it does not read.
pub(super) fn body<T: DeserializeOwned>(body: &str) -> Result<T, String> {
    serde_json::from_str(body).map_err(|error| error.to_string())
}
