//! Whom a channel, a group or an address is made for.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Serialize, Serializer};

use crate::simplex::model::PeerType;

/// The peer types that a channel, a group or an address is made for, in the order given.
///
/// Unknown values are kept, so that what is written again is what was read, and are for nobody (agent-protocols,
/// Contact address peers: clients ignore them).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audience(pub Vec<PeerType>);

impl Audience {
    /// Whether it names this peer type. An unknown one is never named.
    pub fn includes(&self, peer: &PeerType) -> bool {
        !matches!(peer, PeerType::Other(_)) && self.0.contains(peer)
    }

    /// The peer types that this program knows.
    pub fn known(&self) -> impl Iterator<Item = &PeerType> {
        self.0.iter().filter(|peer| !matches!(peer, PeerType::Other(_)))
    }
}

impl Default for Audience {
    /// `["human"]`, as an absent `audience` or `serves` means.
    fn default() -> Self {
        Self(Vec::from([PeerType::Human]))
    }
}

impl From<Readers> for Audience {
    fn from(readers: Readers) -> Self {
        Self(match readers {
            Readers::People => Vec::from([PeerType::Human]),
            Readers::Agents => Vec::from([PeerType::Agent]),
            Readers::PeopleAndAgents => Vec::from([PeerType::Human, PeerType::Agent]),
        })
    }
}

impl fmt::Display for Audience {
    /// The peer types with commas between them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, peer) in self.0.iter().enumerate() {
            write!(f, "{}{peer}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Serialize for Audience {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(PeerType::as_str))
    }
}

/// The audience as `llms.txt` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Readers {
    /// `people`.
    People,
    /// `agents`.
    Agents,
    /// `people and agents`.
    PeopleAndAgents,
}

impl Readers {
    /// The audience of these words, in any ASCII letter case; none for any others.
    pub fn parse(words: &str) -> Option<Self> {
        let all = [Self::People, Self::Agents, Self::PeopleAndAgents];
        all.into_iter().find(|readers| readers.as_str().eq_ignore_ascii_case(words))
    }

    /// The words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::People => "people",
            Self::Agents => "agents",
            Self::PeopleAndAgents => "people and agents",
        }
    }
}

impl fmt::Display for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Readers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The JSON list of peer types.
pub(super) fn peers(words: impl IntoIterator<Item = String>) -> Audience {
    Audience(words.into_iter().map(PeerType::from).collect())
}
