//! Profiles, and the user this program acts for.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Deserialize;

use super::bot_command::Preferences;
use super::plan::PublicName;
use super::wire::{detail, soft};
use super::word::words;
use super::{BotCommand, ContactId, Kept, ProfileId, UserId};

words! {
    /// What kind of peer a profile says it is.
    PeerType {
        /// A person.
        Human = "human",
        /// A bot.
        Bot = "bot",
        /// A business (7.1).
        Business = "business",
        /// An AI agent (the plan).
        Agent = "agent",
    }
}

/// A profile of the user, a contact or a member.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "WireProfile")]
pub struct Profile {
    /// Its row, when it is stored here. Tells a random profile from the own one.
    pub profile_id: Option<ProfileId>,
    /// The name its owner chose; not checked by anyone, not unique.
    pub display_name: String,
    /// A longer name; empty in profiles made here.
    pub full_name: String,
    /// The short description, when there is one.
    pub short_descr: Option<String>,
    /// The peer type, when the profile has one.
    pub peer_type: Option<PeerType>,
    /// The commands it offers.
    pub commands: Vec<BotCommand>,
    /// The address link in the profile, when there is one.
    pub contact_link: Option<String>,
    /// The SimpleX name it claims, when it claims one.
    pub contact_domain: Option<PublicName>,
    /// True when the claim of that name was verified.
    pub contact_domain_verified: bool,
}

impl Profile {
    /// The SimpleX name, when it was verified.
    pub fn verified_name(&self) -> Option<&PublicName> {
        self.contact_domain.as_ref().filter(|_| self.contact_domain_verified)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireProfile {
    profile_id: Option<ProfileId>,
    display_name: String,
    #[serde(default, deserialize_with = "detail")]
    full_name: String,
    #[serde(default, deserialize_with = "detail")]
    short_descr: Option<String>,
    #[serde(default, deserialize_with = "soft")]
    peer_type: Option<PeerType>,
    #[serde(default, deserialize_with = "detail")]
    preferences: Preferences,
    #[serde(default, deserialize_with = "detail")]
    contact_link: Option<String>,
    #[serde(default, deserialize_with = "soft")]
    contact_domain: Option<DomainClaim>,
    #[serde(default, deserialize_with = "detail")]
    contact_domain_verified: bool,
}

/// A claim of a SimpleX name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct DomainClaim {
    pub(super) domain: PublicName,
}

impl From<WireProfile> for Profile {
    fn from(wire: WireProfile) -> Self {
        Self {
            profile_id: wire.profile_id,
            display_name: wire.display_name,
            full_name: wire.full_name,
            short_descr: wire.short_descr.filter(|text| !text.is_empty()),
            peer_type: wire.peer_type,
            commands: wire.preferences.commands,
            contact_link: wire.contact_link,
            contact_domain: wire.contact_domain.map(|claim| claim.domain),
            contact_domain_verified: wire.contact_domain_verified,
        }
    }
}

/// The user: the profile this program acts for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Its number, which most commands name.
    pub user_id: UserId,
    /// The contact that the core keeps for the profile itself; it is no chat (FINDINGS 1).
    #[serde(default)]
    pub user_contact_id: Option<ContactId>,
    /// The name as it is unique in this database.
    #[serde(default)]
    pub local_display_name: String,
    /// The profile, read and as it came: `/_profile` replaces all of it.
    pub profile: Kept<Profile>,
}
