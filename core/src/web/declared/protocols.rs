//! The `protocols` declaration of the preferences.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

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

    /// The JSON value, unknown members included.
    pub fn to_value(&self) -> Value {
        let mut all = object(&self.more);
        for (protocol, declaration) in &self.served {
            all.insert(protocol.as_str().to_owned(), declaration.to_value());
        }
        Value::Object(all)
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
    fn to_value(&self) -> Value {
        let mut all = object(&self.more);
        all.insert("versions".into(), self.versions.clone().into());
        let mut transports = object(&self.transports.more);
        for (name, is_served) in [("chat", self.transports.chat), ("rpc", self.transports.rpc)] {
            if is_served {
                transports.insert(name.into(), true.into());
            }
        }
        all.insert("transports".into(), Value::Object(transports));
        Value::Object(all)
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

fn object(more: &[(String, Raw)]) -> Map<String, Value> {
    more.iter().filter_map(|(name, raw)| Some((name.clone(), raw.read()?))).collect()
}
