//! What an address offers, put together from a website and from the address itself.
//!
//! What the link data declares wins over what a website says (agent-protocols, Contact address peers); what neither says
//! is the default. An absent key declares nothing: with core 7.0, which drops the keys, the website's word stands.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::{Audience, ChangeFrequency, Declared, Entry, Kind, Protocol};
use crate::simplex::target::Target;

/// What is at the end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A contact address.
    Contact,
    /// A business address: connecting makes a group.
    Business,
    /// A group.
    Group,
    /// A channel.
    Channel,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contact => "contact",
            Self::Business => "business contact",
            Self::Group => "group",
            Self::Channel => "channel",
        })
    }
}

impl From<&Kind> for Place {
    fn from(kind: &Kind) -> Self {
        match kind {
            Kind::Updates { .. } => Self::Channel,
            Kind::Group => Self::Group,
            Kind::Contact { business: true, .. } => Self::Business,
            Kind::Contact { business: false, .. } => Self::Contact,
        }
    }
}

/// A protocol at an address, as an entry of a website names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint<'a> {
    /// The protocol.
    pub protocol: &'a Protocol,
    /// Where it is served.
    pub target: &'a Target,
    /// What is there.
    pub place: Place,
}

impl fmt::Display for Endpoint<'_> {
    /// `mcp, business contact https://…`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { protocol, target, place } = self;
        match target {
            Target::Link(link) => write!(f, "{protocol}, {place} {}", link.text),
            Target::Name(name) => write!(f, "{protocol}, {place} {name}"),
        }
    }
}

impl Entry {
    /// The protocols that can be called at this entry's SimpleX address; nothing for an address of another network.
    pub fn endpoints(&self) -> impl Iterator<Item = Endpoint<'_>> {
        let place = Place::from(self.kind());
        self.address().target().into_iter().flat_map(move |target| {
            self.protocols().iter().map(move |protocol| Endpoint { protocol, target, place })
        })
    }
}

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The address itself, in its link data or profile.
    Declared,
    /// The website.
    Website,
    /// Nobody.
    Default,
}

impl Source {
    /// A name of its own for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Website => "website",
            Self::Default => "default",
        }
    }
}

/// A value, and who said it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// Who said it.
    pub source: Source,
}

/// Whether something was said, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Said {
    /// It is so.
    Yes,
    /// It is not so.
    No,
    /// Nobody said.
    Nothing,
}

impl From<bool> for Said {
    fn from(is_so: bool) -> Self {
        if is_so { Self::Yes } else { Self::No }
    }
}

impl Said {
    /// A name of its own for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Nothing => "nothing",
        }
    }
}

/// A protocol that is served, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// The protocol.
    pub protocol: Protocol,
    /// Who says that it is served.
    pub source: Source,
    /// The versions, the preferred one first; none when nobody said.
    pub versions: Vec<String>,
    /// Whether `/_call` is answered in a conversation.
    pub chat: Said,
    /// Whether Service RPC requests are answered.
    pub rpc: Said,
}

/// What an address offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What is there, when somebody said.
    pub place: Option<Place>,
    /// Whom it is made for.
    pub audience: Found<Audience>,
    /// How often it is updated, when it is a channel and somebody said.
    pub frequency: Option<Found<ChangeFrequency>>,
    /// The protocols that are served.
    pub services: Vec<Service>,
}

impl Offer {
    /// Of the entry of a website, of what the address declares, or of both.
    pub fn new(entry: Option<&Entry>, declared: Option<&Declared>) -> Self {
        let place = declared.and_then(|d| d.place).or_else(|| entry.map(|e| e.kind().into()));
        let audience = found(
            declared.and_then(|d| d.audience.clone()),
            entry.and_then(|e| e.audience().map(Audience::from)),
        );
        let frequency = found(declared.and_then(|d| d.frequency), entry.and_then(Entry::frequency))
            .filter(|_| place == Some(Place::Channel));
        let services = match declared.and_then(|d| d.protocols.as_ref()) {
            Some(protocols) => {
                protocols.served.iter().map(|served| Service::declared(served, place)).collect()
            }
            None => {
                let named = entry.map(Entry::protocols).unwrap_or_default();
                named.iter().cloned().map(Service::named).collect()
            }
        };
        let default = || Found { value: Audience::default(), source: Source::Default };
        Self { place, audience: audience.unwrap_or_else(default), frequency, services }
    }

    /// How a protocol is served; none when it is not.
    pub fn service(&self, protocol: &Protocol) -> Option<&Service> {
        self.services.iter().find(|service| service.protocol == *protocol)
    }
}

impl Service {
    fn declared((protocol, declaration): &(Protocol, super::Declaration), place: Option<Place>) -> Self {
        let is_group = matches!(place, Some(Place::Group | Place::Channel));
        Self {
            protocol: protocol.clone(),
            source: Source::Declared,
            versions: declaration.versions.clone(),
            chat: declaration.transports.chat.into(),
            rpc: (declaration.transports.rpc && !is_group).into(),
        }
    }

    const fn named(protocol: Protocol) -> Self {
        Self {
            protocol,
            source: Source::Website,
            versions: Vec::new(),
            chat: Said::Nothing,
            rpc: Said::Nothing,
        }
    }
}

fn found<T>(declared: Option<T>, website: Option<T>) -> Option<Found<T>> {
    let declared = declared.map(|value| Found { value, source: Source::Declared });
    declared.or_else(|| website.map(|value| Found { value, source: Source::Website }))
}
