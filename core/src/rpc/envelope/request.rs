//! The envelope of a request.

use alloc::string::String;

use super::{Fault, open, quoted, text};
use crate::rpc::key::PublicKey;
use crate::simplex::model::Raw;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The protocol's name, exact.
    pub protocol: String,
    /// The protocol's version, for one whose messages do not say it, as it came.
    pub version: Option<Raw>,
    /// The key that the request says it is signed with.
    pub request_key: Option<PublicKey>,
    /// The protocol's message, as it came.
    pub request: Raw,
}

impl Request {
    /// The request in this text.
    ///
    /// # Errors
    /// Answered `bad_request`.
    pub fn read(json: &str) -> Result<Self, Fault> {
        let members = open(json)?;
        let protocol = text(&members, "protocol")?.ok_or(Fault::Missing("protocol"))?;
        let key = text(&members, "requestKey")?;
        let request_key = key.map(|key| PublicKey::parse(&key).ok_or(Fault::Key)).transpose()?;
        let request = members.raw("request").map(Raw::from).ok_or(Fault::Missing("request"))?;
        Ok(Self { protocol, version: members.raw("version").map(Raw::from), request_key, request })
    }

    /// The text: no member but those that are there, and the protocol's message as it is.
    pub fn to_json(&self) -> Raw {
        let mut members = alloc::vec![("protocol", quoted(&self.protocol))];
        members.extend(self.version.as_ref().map(|version| ("version", version.as_str().into())));
        members.extend(self.request_key.map(|key| ("requestKey", quoted(&key.to_text()))));
        members.push(("request", self.request.as_str().into()));
        Raw::from_members(members.iter().map(|(name, json)| (*name, json.as_str())))
    }
}
