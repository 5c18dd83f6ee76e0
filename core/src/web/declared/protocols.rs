//! The `protocols` declaration of the preferences.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde_json::Value;

use super::{Faults, Path, Problem};
use crate::simplex::model::Raw;
use crate::web::Protocol;

/// The protocols that a profile or a group declares, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protocols {
    /// The protocols, each once.
    pub served: Vec<(Protocol, Declaration)>,
    /// Members that declare nothing this program understands, as they came.
    pub more: Vec<(String, Raw)>,
}

/// What is declared of one protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The versions, the preferred one first; possibly none.
    pub versions: Vec<String>,
    /// The transports.
    pub transports: Transports,
    /// Unknown members, as they came.
    pub more: Vec<(String, Raw)>,
}

/// The transports on which a protocol is served; an absent one is false.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transports {
    /// `/_call` is answered in a conversation.
    pub chat: bool,
    /// Service RPC requests to the contact address are answered.
    pub rpc: bool,
    /// Unknown members, as they came.
    pub more: Vec<(String, Raw)>,
}

impl Protocols {
    /// What is declared of this protocol.
    pub fn of(&self, protocol: &Protocol) -> Option<&Declaration> {
        self.served.iter().find(|(name, _)| name == protocol).map(|(_, declaration)| declaration)
    }

    /// The JSON text. Unknown members are in it as they came, letter by letter: what they mean is not known here.
    pub fn to_json(&self) -> String {
        let mut members = kept(&self.more);
        members.extend(self.served.iter().map(|(name, declaration)| (name.as_str(), declaration.to_json())));
        object(&members)
    }

    /// Reads the value at `path`; none when it is no object. `in_group`: `rpc` says nothing there.
    pub(super) fn read(raw: &Raw, path: Path<'_>, in_group: bool, faults: &mut Faults) -> Option<Self> {
        let Some(members) = super::members(raw) else {
            faults.add(path, Problem::NotObject);
            return None;
        };
        let mut protocols = Self::default();
        for (name, value) in members {
            let path = path.then(&name);
            let read = match Protocol::exact(&name) {
                Some(protocol) => {
                    Declaration::read(&value, path, in_group, faults).map(|read| (protocol, read))
                }
                None => {
                    faults.add(path, Problem::ProtocolName);
                    None
                }
            };
            match read {
                Some(served) => protocols.served.push(served),
                None => protocols.more.push((name, value)),
            }
        }
        Some(protocols)
    }
}

impl Declaration {
    fn to_json(&self) -> String {
        let mut members = kept(&self.more);
        let mut transports = kept(&self.transports.more);
        let all = [("chat", self.transports.chat), ("rpc", self.transports.rpc)];
        transports.extend(
            all.into_iter().filter(|(_, is_served)| *is_served).map(|(name, _)| (name, "true".into())),
        );
        members.push(("versions", Value::from(self.versions.clone()).to_string()));
        members.push(("transports", object(&transports)));
        object(&members)
    }

    fn read(raw: &Raw, path: Path<'_>, in_group: bool, faults: &mut Faults) -> Option<Self> {
        let Some(members) = super::members(raw) else {
            faults.add(path, Problem::NotObject);
            return None;
        };
        let (mut versions, mut transports, mut more) = (None, None, Vec::new());
        for (name, value) in members {
            match name.as_str() {
                "versions" => versions = value.read::<Vec<String>>(),
                "transports" => {
                    transports = Transports::read(&value, path.then("transports"), in_group, faults)
                }
                _ => more.push((name, value)),
            }
        }
        if versions.is_none() {
            faults.add(path.then("versions"), Problem::Versions);
        }
        if transports.is_none() {
            faults.add(path.then("transports"), Problem::NotObject);
        }
        Some(Self { versions: versions?, transports: transports?, more })
    }
}

impl Transports {
    fn read(raw: &Raw, path: Path<'_>, in_group: bool, faults: &mut Faults) -> Option<Self> {
        let mut transports = Self::default();
        for (name, value) in super::members(raw)? {
            let place = path.then(&name);
            match (name.as_str(), value.read::<bool>()) {
                ("rpc", Some(true)) if in_group => faults.add(place, Problem::RpcInGroup),
                ("chat", Some(flag)) => transports.chat = flag,
                ("rpc", Some(flag)) => transports.rpc = flag,
                ("chat" | "rpc", None) => faults.add(place, Problem::NotBoolean),
                _ => transports.more.push((name, value)),
            }
        }
        Some(transports)
    }
}

fn kept(more: &[(String, Raw)]) -> Vec<(&str, String)> {
    more.iter().map(|(name, raw)| (name.as_str(), raw.to_string())).collect()
}

/// The text of an object with these members, whose values are JSON texts.
fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("{}:{value}", Value::from(*name))).collect();
    format!("{{{}}}", members.join(","))
}
