//! Requests to the own service (`reference/simplex-api.md` sections 2.10 and 4.1).

use alloc::string::String;
use core::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use super::Raw;

/// A request that arrived: the fields of the event `serviceRequest`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceRequest {
    /// Names it in the response.
    #[serde(rename = "requestId")]
    pub id: ServiceRequestId,
    /// The key that signed it, verified by the core; none for an unsigned request.
    pub signer_key: Option<String>,
    /// Its envelope, as it came.
    #[serde(rename = "requestData")]
    pub data: Raw,
}

/// The identifier of a request to the own service, opaque: letters that are a word of a command line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServiceRequestId(String);

impl ServiceRequestId {
    /// The identifier in this text; none when it is empty, or would end a word of a command line.
    pub fn parse(text: String) -> Option<Self> {
        let fits = |c: char| !c.is_whitespace() && !c.is_control();
        (!text.is_empty() && text.chars().all(fits)).then_some(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServiceRequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ServiceRequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(String::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("not a word"))
    }
}
