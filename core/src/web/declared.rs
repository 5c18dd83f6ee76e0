//! What profiles, groups and addresses declare of themselves, read from the SimpleX core's JSON: `protocols`,
//! `audience`, `changeFrequency` and `serves` (agent-protocols, Profile declarations).
//!
//! A peer writes all of it: whatever is not as it should be is ignored and named, and takes nothing else away. Unknown
//! members and values are kept, so that what is written again is what was read. Core 7.0 knows none of these keys and
//! drops them from what it stores and sends (digest 9, row 8); then nothing is declared.

mod protocols;

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use super::{Audience, ChangeFrequency, Place, audience};
use crate::simplex::fold;
use crate::simplex::model::{GroupType, PeerType, Raw};

pub use protocols::{Declaration, Protocols, Transports};

/// What is declared. What is none was not declared, or not in a way that can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// What the data is of, where it says so.
    pub place: Option<Place>,
    /// `audience` of a channel or public group, `serves` of a contact address.
    pub audience: Option<Audience>,
    /// `changeFrequency` of a channel.
    pub frequency: Option<ChangeFrequency>,
    /// `protocols`.
    pub protocols: Option<Protocols>,
    /// What was ignored, and why.
    pub faults: Vec<Fault>,
}

impl Declared {
    /// Of the data of a contact address or one-time link: `contactSLinkData_` of a connection plan.
    pub fn of_address(data: &Raw) -> Self {
        let (mut declared, mut faults) = (Self::default(), Faults::default());
        let is_business = member(data, "business").and_then(|flag| flag.read()).unwrap_or(false);
        declared.place = Some(if is_business { Place::Business } else { Place::Contact });
        if let Some(serves) = member(data, "serves") {
            declared.audience = peers(&serves, Path::root("serves"), &mut faults);
        }
        if let Some(profile) = member(data, "profile") {
            declared.protocols =
                of_preferences(&profile, Some(Path::root("profile")), "preferences", &mut faults);
        }
        Self { faults: faults.0, ..declared }
    }

    /// Of the data of a group or channel link: `groupSLinkData_` of a connection plan.
    pub fn of_group(data: &Raw) -> Self {
        member(data, "groupProfile")
            .map(|profile| Self::group_profile(&profile, Some(Path::root("groupProfile"))))
            .unwrap_or_default()
    }

    /// Of the profile of a contact or the user: its preferences apply to conversations and to Service RPC.
    pub fn of_profile(profile: &Raw) -> Self {
        let mut faults = Faults::default();
        let protocols = of_preferences(profile, None, "preferences", &mut faults);
        Self { protocols, faults: faults.0, ..Self::default() }
    }

    /// Of the profile of a group, a business chat or a channel.
    pub fn of_group_profile(profile: &Raw) -> Self {
        Self::group_profile(profile, None)
    }

    fn group_profile(profile: &Raw, outer: Option<Path<'_>>) -> Self {
        let (mut declared, mut faults) = (Self::default(), Faults::default());
        declared.protocols = of_preferences(profile, outer, "groupPreferences", &mut faults);
        declared.place = Some(Place::Group);
        if let Some(public) = member(profile, "publicGroup") {
            let is_channel =
                member(&public, "groupType").and_then(|word| word.read()) == Some(GroupType::Channel);
            let path = Path { outer: outer.as_ref(), name: "publicGroup" };
            if let Some(value) = member(&public, "audience") {
                declared.audience = peers(&value, path.then("audience"), &mut faults);
            }
            if let Some(value) = member(&public, "changeFrequency") {
                declared.frequency = frequency(&value, path.then("changeFrequency"), is_channel, &mut faults);
            }
            declared.place = Some(if is_channel { Place::Channel } else { Place::Group });
        }
        Self { faults: faults.0, ..declared }
    }
}

/// One thing that was ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, from the data's root: `serves/1`, `profile/preferences/protocols/mcp/versions`; names of a peer are cut.
    pub path: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What can be wrong with a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A list was expected.
    NotList,
    /// An object was expected.
    NotObject,
    /// A text was expected.
    NotText,
    /// A truth value was expected.
    NotBoolean,
    /// A list of texts was expected.
    Versions,
    /// A peer type that is unknown here; it is kept.
    UnknownPeer,
    /// An update frequency that is none.
    UnknownFrequency,
    /// The name of a protocol has other characters than lowercase letters, digits and hyphens.
    ProtocolName,
    /// Service RPC in a group, where there is none.
    RpcInGroup,
    /// An update frequency of a group that is no channel.
    NoChannel,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

impl Problem {
    /// A name of its own for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotList => "not-list",
            Self::NotObject => "not-object",
            Self::NotText => "not-text",
            Self::NotBoolean => "not-boolean",
            Self::Versions => "versions",
            Self::UnknownPeer => "unknown-peer",
            Self::UnknownFrequency => "unknown-frequency",
            Self::ProtocolName => "protocol-name",
            Self::RpcInGroup => "rpc-in-group",
            Self::NoChannel => "no-channel",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotList => "ignored: not a list",
            Self::NotObject => "ignored: not an object",
            Self::NotText => "ignored: not a text",
            Self::NotBoolean => "ignored: not true or false",
            Self::Versions => "the protocol is ignored: versions is not a list of texts",
            Self::UnknownPeer => "ignored: not a peer type that is known here",
            Self::UnknownFrequency => "ignored: not an update frequency",
            Self::ProtocolName => "ignored: a protocol name has lowercase letters, digits and hyphens",
            Self::RpcInGroup => "ignored: Service RPC is declared in a profile, not in a group",
            Self::NoChannel => "ignored: only a channel has an update frequency",
        })
    }
}

/// Where something is: the member or element of an outer place. It is written out for a fault alone, because a peer
/// can make names long and faults many.
#[derive(Clone, Copy)]
struct Path<'a> {
    outer: Option<&'a Self>,
    name: &'a str,
}

impl<'a> Path<'a> {
    const fn root(name: &'a str) -> Self {
        Self { outer: None, name }
    }

    const fn then(&'a self, name: &'a str) -> Self {
        Self { outer: Some(self), name }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = self.outer {
            write!(f, "{outer}/")?;
        }
        f.write_str(&fold::name(self.name))
    }
}

/// What was ignored, so far.
#[derive(Default)]
struct Faults(Vec<Fault>);

impl Faults {
    /// Most that are named.
    const MOST: usize = 100;

    fn add(&mut self, path: Path<'_>, problem: Problem) {
        if self.0.len() < Self::MOST {
            self.0.push(Fault { path: path.to_string(), problem });
        }
    }
}

/// The members of an object, of those with one name the last, at its place; none when it is no object.
fn members(raw: &Raw) -> Option<Vec<(String, Raw)>> {
    let all = raw.members()?;
    let mut seen = alloc::collections::BTreeSet::new();
    let mut last: Vec<_> = all.into_iter().rev().filter(|(name, _)| seen.insert(name.clone())).collect();
    last.reverse();
    Some(last)
}

/// A member of an object; null is none.
fn member(raw: &Raw, name: &str) -> Option<Raw> {
    let all = raw.members()?;
    let (_, value) = all.into_iter().rev().find(|(key, _)| key == name)?;
    (value.as_str() != "null").then_some(value)
}

fn of_preferences(
    profile: &Raw,
    outer: Option<Path<'_>>,
    key: &str,
    faults: &mut Faults,
) -> Option<Protocols> {
    let protocols = member(&member(profile, key)?, "protocols")?;
    let path = Path { outer: outer.as_ref(), name: key };
    Protocols::read(&protocols, path.then("protocols"), key == "groupPreferences", faults)
}

fn peers(value: &Raw, path: Path<'_>, faults: &mut Faults) -> Option<Audience> {
    let Some(list) = value.read::<Vec<Raw>>() else {
        faults.add(path, Problem::NotList);
        return None;
    };
    let mut words = Vec::new();
    for (index, raw) in list.iter().enumerate() {
        let index = index.to_string();
        let word: Option<String> = raw.read();
        match word.as_ref().map(|word| PeerType::from(word.to_owned())) {
            None => faults.add(path.then(&index), Problem::NotText),
            Some(PeerType::Other(_)) => faults.add(path.then(&index), Problem::UnknownPeer),
            Some(_) => {}
        }
        words.extend(word);
    }
    Some(audience::peers(words))
}

fn frequency(value: &Raw, path: Path<'_>, is_channel: bool, faults: &mut Faults) -> Option<ChangeFrequency> {
    let read = value.read::<String>().and_then(|word| ChangeFrequency::parse(&word));
    if read.is_none() {
        faults.add(path, Problem::UnknownFrequency);
    } else if !is_channel {
        faults.add(path, Problem::NoChannel);
    }
    read.filter(|_| is_channel)
}
