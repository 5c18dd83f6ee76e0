//! One address of the section, as values that can be written and read back.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::note::shown;
use super::{Notice, plain};
use crate::simplex::target::{self, LinkForm, LinkKind, NameKind, Target};
use crate::web::{ChangeFrequency, Protocol, Readers};

/// The name of the network of SimpleX addresses.
pub(super) const SIMPLEX: &str = "SimpleX";

/// One address of the section. Whatever is one can be written, and is read back equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    title: String,
    address: Address,
    kind: Kind,
    audience: Option<Readers>,
    info: String,
}

impl Entry {
    /// An entry of these values. Title and info lose line breaks, control characters and spaces that Markdown would
    /// not keep; a protocol that is there twice is kept once.
    ///
    /// # Errors
    ///
    /// [`Notice::OneTime`] and [`Notice::WrongLink`] when a SimpleX address is not of the kind that the type needs.
    pub fn new(
        title: &str,
        address: Address,
        kind: Kind,
        audience: Option<Readers>,
        info: &str,
    ) -> Result<Self, Notice> {
        if let Address::Simplex(target) = &address {
            check_kind(&kind, target)?;
        }
        let kind = kind.without_repetition();
        Ok(Self { title: plain::fold(title), address, kind, audience, info: plain::fold(info) })
    }

    /// The link text: what the address is called. One line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Where it is.
    pub const fn address(&self) -> &Address {
        &self.address
    }

    /// What it is.
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Whom it is for; none when the notes name nobody that is known.
    pub const fn audience(&self) -> Option<Readers> {
        self.audience
    }

    /// What it is about. One line, possibly empty.
    pub fn info(&self) -> &str {
        &self.info
    }

    /// The update frequency, when it is an entry of updates that names one.
    pub const fn frequency(&self) -> Option<ChangeFrequency> {
        match &self.kind {
            Kind::Updates { frequency } => *frequency,
            Kind::Group | Kind::Contact { .. } => None,
        }
    }

    /// The protocols, when it is a contact.
    pub fn protocols(&self) -> &[Protocol] {
        match &self.kind {
            Kind::Contact { protocols, .. } => protocols,
            Kind::Updates { .. } | Kind::Group => &[],
        }
    }
}

impl Serialize for Entry {
    /// The form of the test vectors (`spec/schemas/communications.jtd.json`); what is absent is left out.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entry = serializer.serialize_struct("Entry", 9)?;
        entry.serialize_field("title", &self.title)?;
        entry.serialize_field("network", self.address.network())?;
        entry.serialize_field("address", &self.address.to_string())?;
        if let Address::Simplex(target) = &self.address {
            entry.serialize_field("link", word(target))?;
        }
        entry.serialize_field("type", self.kind.as_str())?;
        if let Some(readers) = self.audience {
            entry.serialize_field("audience", &readers)?;
        }
        if let Some(frequency) = self.frequency() {
            entry.serialize_field("frequency", &frequency)?;
        }
        if !self.protocols().is_empty() {
            entry.serialize_field("protocols", self.protocols())?;
        }
        entry.serialize_field("info", &self.info)?;
        entry.end()
    }
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `updates`: it publishes, and can be subscribed to.
    Updates {
        /// How often.
        frequency: Option<ChangeFrequency>,
    },
    /// `group`: its members converse.
    Group,
    /// `contact`, `business contact`: it accepts conversations and requests.
    Contact {
        /// Whether it is a business address.
        business: bool,
        /// The protocols it serves, in the order given, each once.
        protocols: Vec<Protocol>,
    },
}

impl Kind {
    /// The words of the type.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Updates { .. } => "updates",
            Self::Group => "group",
            Self::Contact { business: false, .. } => "contact",
            Self::Contact { business: true, .. } => "business contact",
        }
    }

    fn without_repetition(mut self) -> Self {
        if let Self::Contact { protocols, .. } = &mut self {
            // The list is as long as the file lets it be, so each name is looked for in an ordered set.
            let mut seen = alloc::collections::BTreeSet::new();
            protocols.retain(|protocol| seen.insert(protocol.clone()));
        }
        self
    }
}

/// Where an entry leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A SimpleX link or name, as this program connects to it.
    Simplex(Target),
    /// An address of another network, not looked into.
    Other {
        /// The network.
        network: Network,
        /// The address.
        url: String,
    },
}

impl Address {
    /// An address of a network, as an entry names both.
    ///
    /// # Errors
    ///
    /// [`Notice::NoAddress`] when it is empty or has control characters or spaces at its ends,
    /// [`Notice::NotSimplex`] when the network is SimpleX and the address is not, [`Notice::NoType`] when the network
    /// can have no such name.
    pub fn new(network: &str, url: &str) -> Result<Self, Notice> {
        if url.is_empty() || url.chars().any(char::is_control) || url.trim() != url {
            return Err(Notice::NoAddress);
        }
        if network.eq_ignore_ascii_case(SIMPLEX) {
            return target::parse(url).map(Self::Simplex).ok_or(Notice::NotSimplex);
        }
        let network = Network::new(network).ok_or(Notice::NoType)?;
        Ok(Self::Other { network, url: url.into() })
    }

    /// The network's name.
    pub fn network(&self) -> &str {
        match self {
            Self::Simplex(_) => SIMPLEX,
            Self::Other { network, .. } => network.as_str(),
        }
    }

    /// What to connect to, when it is SimpleX.
    pub const fn target(&self) -> Option<&Target> {
        match self {
            Self::Simplex(target) => Some(target),
            Self::Other { .. } => None,
        }
    }
}

impl fmt::Display for Address {
    /// The address as it was written; a name in its shortest form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simplex(Target::Link(link)) => f.write_str(&link.text),
            Self::Simplex(Target::Name(name)) => write!(f, "{name}"),
            Self::Other { url, .. } => f.write_str(url),
        }
    }
}

/// The name of another network than SimpleX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network(String);

impl Network {
    /// The network of this name; none when it is SimpleX, or when an entry could not name it: empty, with a comma or
    /// ` for `, ending in `business`, or with the `.` and space that end the head.
    pub fn new(name: &str) -> Option<Self> {
        let lower = alloc::format!(" {} ", name.to_ascii_lowercase());
        let is_name = !name.is_empty()
            && plain::fold(name) == name
            && name.trim() == name
            && !name.contains(',')
            && !name.contains(". ")
            && !name.ends_with('.')
            && !lower.contains(" for ")
            && !lower.ends_with(" business ")
            && lower != " simplex ";
        is_name.then(|| Self(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The type must fit the link (agent-protocols, Addresses in llms.txt). A full link says less than a short one: of a
/// channel or a business it reads as a group's or a contact's, so it is taken where it could be what the type says.
fn check_kind(kind: &Kind, target: &Target) -> Result<(), Notice> {
    let fits = match target {
        Target::Name(name) => match name.kind {
            NameKind::Contact => matches!(kind, Kind::Contact { .. }),
            NameKind::Channel => matches!(kind, Kind::Updates { .. } | Kind::Group),
        },
        Target::Link(link) => match (link.kind, link.form) {
            (LinkKind::Invitation, _) => return Err(Notice::OneTime),
            (LinkKind::Relay, _) => false,
            (LinkKind::Channel, _) => matches!(kind, Kind::Updates { .. }),
            (LinkKind::Group, LinkForm::Short) => matches!(kind, Kind::Group),
            (LinkKind::Group, LinkForm::Full) => matches!(kind, Kind::Group | Kind::Updates { .. }),
            (LinkKind::Contact, LinkForm::Short) => matches!(kind, Kind::Contact { .. }),
            (LinkKind::Contact, LinkForm::Full) => {
                matches!(kind, Kind::Contact { .. } | Kind::Updates { .. })
            }
        },
    };
    fits.then_some(()).ok_or_else(|| Notice::wrong_link(kind, described(target)))
}

/// What a target is, for notes.
const fn described(target: &Target) -> &'static str {
    match target {
        Target::Name(name) => match name.kind {
            NameKind::Contact => "the name of a contact",
            NameKind::Channel => "the name of a channel or group",
        },
        Target::Link(link) => match link.kind {
            LinkKind::Invitation => "a one-time link",
            LinkKind::Contact => "a contact address link",
            LinkKind::Group => "a group link",
            LinkKind::Channel => "a channel link",
            LinkKind::Relay => "the link of a relay",
        },
    }
}

/// What a target is, for programs.
const fn word(target: &Target) -> &'static str {
    match target {
        Target::Name(_) => "name",
        Target::Link(link) => match link.kind {
            LinkKind::Invitation => "invitation",
            LinkKind::Contact => "contact",
            LinkKind::Group => "group",
            LinkKind::Channel => "channel",
            LinkKind::Relay => "relay",
        },
    }
}

/// The note on an address whose network is not SimpleX, though its scheme is.
pub(super) fn odd_network(address: &Address) -> Option<Notice> {
    match address {
        Address::Other { network, url } if url.starts_with("simplex:") && target::parse(url).is_some() => {
            Some(Notice::OtherNetwork(shown(network.as_str())))
        }
        Address::Other { .. } | Address::Simplex(_) => None,
    }
}
