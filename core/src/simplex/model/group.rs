//! Groups, business chats and channels.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Deserialize;

use super::bot_command::Preferences;
use super::plan::PublicName;
use super::profile::DomainClaim;
use super::wire::{detail, or_default, soft};
use super::word::words;
use super::{BotCommand, ConnLink, GroupId, Kept, Member, Raw, Timestamp};

/// A group, a business chat or a channel.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupInfo {
    /// Its number. Given again after a delete; with [`GroupInfo::created_at`] it names one group for ever.
    pub group_id: GroupId,
    /// The name as it is unique in this database.
    #[serde(default)]
    pub local_display_name: String,
    /// The profile, read and as it came: `/_group_profile` replaces all of it.
    pub group_profile: Kept<GroupProfile>,
    /// The user's membership.
    pub membership: Member,
    /// Set for a business chat.
    #[serde(default, deserialize_with = "soft")]
    pub business_chat: Option<BusinessChat>,
    /// True for groups and channels whose messages relays pass on.
    #[serde(default, deserialize_with = "or_default")]
    pub use_relays: bool,
    /// The link it was prepared with.
    #[serde(default, deserialize_with = "soft")]
    pub prepared_group: Option<PreparedGroup>,
    /// The custom data, when there is some.
    pub custom_data: Option<Raw>,
    /// True when the claim of its SimpleX name was verified.
    #[serde(default, deserialize_with = "detail")]
    pub group_domain_verified: bool,
    /// When it was made. Stays through joining and renaming (decisions 10).
    pub created_at: Timestamp,
}

impl GroupInfo {
    /// The name its owners chose.
    pub fn name(&self) -> &str {
        &self.group_profile.value.display_name
    }

    /// True for a chat with a business, in which the user is the customer.
    pub fn is_business(&self) -> bool {
        self.business_chat.as_ref().is_some_and(|chat| chat.chat_type == BusinessSide::Business)
    }

    /// True for a channel.
    pub fn is_channel(&self) -> bool {
        match &self.group_profile.value.public_group {
            Some(public) => public.group_type == GroupType::Channel,
            None => self.use_relays,
        }
    }

    /// True when the group knows a random profile of the user (FINDINGS 5).
    pub fn is_incognito(&self) -> bool {
        let member = &self.membership;
        matches!((member.member_profile.profile_id, member.member_contact_profile_id), (Some(shown), Some(own)) if shown != own)
    }

    /// True when the user is in and may post.
    pub const fn can_post(&self) -> bool {
        self.membership.member_status.is_joined() && self.membership.member_role.may_post()
    }

    /// The SimpleX name, when it was verified.
    pub fn verified_name(&self) -> Option<&PublicName> {
        let public = self.group_profile.value.public_group.as_ref()?;
        public.domain.as_ref().filter(|_| self.group_domain_verified)
    }
}

/// The profile of a group.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "WireProfile")]
pub struct GroupProfile {
    /// The name.
    pub display_name: String,
    /// A longer name, mostly empty.
    pub full_name: String,
    /// The short description, when there is one.
    pub short_descr: Option<String>,
    /// The description: the welcome message, when there is one.
    pub description: Option<String>,
    /// The commands the group offers.
    pub commands: Vec<BotCommand>,
    /// Set for a public group or a channel.
    pub public_group: Option<PublicGroup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireProfile {
    display_name: String,
    #[serde(default, deserialize_with = "detail")]
    full_name: String,
    #[serde(default, deserialize_with = "detail")]
    short_descr: Option<String>,
    #[serde(default, deserialize_with = "detail")]
    description: Option<String>,
    #[serde(default, deserialize_with = "detail")]
    group_preferences: Preferences,
    #[serde(default, deserialize_with = "soft")]
    public_group: Option<PublicGroup>,
}

impl From<WireProfile> for GroupProfile {
    fn from(wire: WireProfile) -> Self {
        Self {
            display_name: wire.display_name,
            full_name: wire.full_name,
            short_descr: wire.short_descr.filter(|text| !text.is_empty()),
            description: wire.description.filter(|text| !text.is_empty()),
            commands: wire.group_preferences.commands,
            public_group: wire.public_group,
        }
    }
}

words! {
    /// The kind of a public group.
    GroupType {
        /// Owners post, subscribers read.
        Channel = "channel",
        /// Everyone posts.
        Group = "group",
    }
}

/// What makes a group public.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "WirePublicGroup")]
pub struct PublicGroup {
    /// Its kind.
    pub group_type: GroupType,
    /// The SimpleX name it claims, when it claims one.
    pub domain: Option<PublicName>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WirePublicGroup {
    group_type: GroupType,
    #[serde(default, deserialize_with = "soft")]
    public_group_access: Option<PublicGroupAccess>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PublicGroupAccess {
    group_domain_claim: Option<DomainClaim>,
}

impl From<WirePublicGroup> for PublicGroup {
    fn from(wire: WirePublicGroup) -> Self {
        let claim = wire.public_group_access.and_then(|access| access.group_domain_claim);
        Self { group_type: wire.group_type, domain: claim.map(|claim| claim.domain) }
    }
}

words! {
    /// Which side of a business chat the other is.
    BusinessSide {
        /// The other is the business, the user its customer.
        Business = "business",
        /// The other is the customer.
        Customer = "customer",
    }
}

/// What makes a group a business chat.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BusinessChat {
    /// Which side the other is.
    pub chat_type: BusinessSide,
}

/// How a group was prepared.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreparedGroup {
    /// The link.
    pub conn_link_to_connect: ConnLink,
    /// True when joining was begun.
    #[serde(default, deserialize_with = "or_default")]
    pub conn_link_started_connection: bool,
}
