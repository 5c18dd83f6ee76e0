//! What a link or name leads to, and what can be done with it (`reference/simplex-api.md` section 2.7).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::Deserialize;
use serde::de::Deserializer;

use super::wire::{MissingField, or_default, promised, soft};
use super::{ConnLink, Contact, GroupInfo, GroupProfile, Kept, MsgContent, Profile};
use crate::simplex::error::ChatError;

/// The answer of `/_connect plan`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The link, in both forms where they are known.
    pub link: Option<ConnLink>,
    /// The SimpleX name that was resolved, when the target was one.
    pub name: Option<PublicName>,
    /// What can be done.
    pub plan: Plan,
}

/// What a link or name leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "lives on the stack of its handler, one at a time")]
pub enum Plan {
    /// A one-time link.
    Invitation(InvitationPlan),
    /// The address of a contact or a business.
    Address(AddressPlan),
    /// A group, a channel, or a business chat that exists.
    Group(GroupPlan),
    /// The link's data could not be read.
    Error(ChatError),
    /// A kind this program does not know: it cannot be joined. Its tag.
    Unknown(String),
}

/// A one-time link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvitationPlan {
    /// Usable.
    Ok(Option<Kept<ContactLinkData>>),
    /// The user's own.
    OwnLink,
    /// In progress.
    Connecting(Option<Contact>),
    /// A contact prepared or connected by it; not always connected.
    Known(Contact),
    /// A state this program does not know. Its tag.
    Unknown(String),
}

/// The address of a contact or a business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressPlan {
    /// Usable.
    Ok(Option<Kept<ContactLinkData>>),
    /// The user's own.
    OwnLink,
    /// Requested before, not answered.
    ConnectingConfirmReconnect,
    /// Requested before, a contact exists.
    ConnectingProhibit(Contact),
    /// A contact prepared or connected by it; not always connected.
    Known(Contact),
    /// A contact without a connection, as the presets are.
    ContactViaAddress(Contact),
    /// A state this program does not know. Its tag.
    Unknown(String),
}

/// A group or channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupPlan {
    /// Usable.
    Ok {
        /// How it is joined.
        info: Option<GroupLinkInfo>,
        /// What it says of itself.
        data: Option<Kept<GroupLinkData>>,
    },
    /// The user's own group.
    OwnLink(GroupInfo),
    /// Requested before, not answered.
    ConnectingConfirmReconnect,
    /// Requested before, a group exists.
    ConnectingProhibit(Option<GroupInfo>),
    /// A member, prepared, or refused.
    Known(GroupInfo),
    /// A channel without relays.
    NoRelays,
    /// Needs a newer core.
    UpdateRequired,
    /// A state this program does not know. Its tag.
    Unknown(String),
}

/// What an address or one-time link says of its owner.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ContactLinkData {
    /// The profile.
    pub profile: Profile,
    /// The welcome message, when there is one.
    #[serde(default, deserialize_with = "soft")]
    pub message: Option<MsgContent>,
    /// True for a business: connecting makes a group.
    #[serde(default, deserialize_with = "or_default")]
    pub business: bool,
}

/// How a group is joined.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct GroupLinkInfo {
    /// False for a channel: it must be prepared, with `direct=off`.
    pub direct: bool,
}

/// What a group link says of the group.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupLinkData {
    /// The profile; its description is the welcome message.
    pub group_profile: GroupProfile,
}

/// A SimpleX name without its first sign, for example `news.acme.simplex`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicName(String);

impl PublicName {
    /// The name with this text, which is not checked.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The name, as `domain=` takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PublicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for PublicName {
    /// From its text or from its parts. Sub-domains come innermost first; the top `web` is part of `domain`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Wire {
            Text(String),
            Parts {
                #[serde(rename = "nameTLD")]
                top: String,
                domain: String,
                #[serde(default, rename = "subDomain")]
                sub: Vec<String>,
            },
        }

        Ok(match Wire::deserialize(deserializer)? {
            Wire::Text(text) => Self(text),
            Wire::Parts { top, domain, mut sub } => {
                sub.reverse();
                sub.push(domain);
                if top != "web" {
                    sub.push(top);
                }
                Self(sub.join("."))
            }
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WirePlanned {
    #[serde(default, deserialize_with = "soft")]
    conn_link: Option<ConnLink>,
    #[serde(default, deserialize_with = "soft")]
    plan_simplex_name: Option<WireName>,
    connection_plan: Plan,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireName {
    name_domain: PublicName,
}

impl<'de> Deserialize<'de> for Planned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = WirePlanned::deserialize(deserializer)?;
        Ok(Self {
            link: wire.conn_link,
            name: wire.plan_simplex_name.map(|name| name.name_domain),
            plan: wire.connection_plan,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WirePlan {
    #[serde(rename = "type")]
    tag: String,
    invitation_link_plan: Option<WireState>,
    contact_address_plan: Option<WireState>,
    group_link_plan: Option<WireState>,
    chat_error: Option<ChatError>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireState {
    #[serde(rename = "type")]
    tag: String,
    #[serde(default, rename = "contactSLinkData_", deserialize_with = "soft")]
    contact_data: Option<Kept<ContactLinkData>>,
    #[serde(rename = "contact_")]
    maybe_contact: Option<Contact>,
    contact: Option<Contact>,
    #[serde(default, rename = "groupSLinkInfo_", deserialize_with = "soft")]
    group_link_info: Option<GroupLinkInfo>,
    #[serde(default, rename = "groupSLinkData_", deserialize_with = "soft")]
    group_data: Option<Kept<GroupLinkData>>,
    #[serde(rename = "groupInfo_")]
    maybe_group: Option<GroupInfo>,
    group_info: Option<GroupInfo>,
}

impl<'de> Deserialize<'de> for Plan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = WirePlan::deserialize(deserializer)?;
        plan(wire).map_err(MissingField::into_error)
    }
}

fn plan(wire: WirePlan) -> Result<Plan, MissingField> {
    Ok(match wire.tag.as_str() {
        "invitationLink" => {
            Plan::Invitation(invitation(promised(wire.invitation_link_plan, "invitationLinkPlan")?)?)
        }
        "contactAddress" => {
            Plan::Address(address(promised(wire.contact_address_plan, "contactAddressPlan")?)?)
        }
        "groupLink" => Plan::Group(group(promised(wire.group_link_plan, "groupLinkPlan")?)?),
        "error" => Plan::Error(promised(wire.chat_error, "chatError")?),
        _ => Plan::Unknown(wire.tag),
    })
}

fn invitation(state: WireState) -> Result<InvitationPlan, MissingField> {
    Ok(match state.tag.as_str() {
        "ok" => InvitationPlan::Ok(state.contact_data),
        "ownLink" => InvitationPlan::OwnLink,
        "connecting" => InvitationPlan::Connecting(state.maybe_contact),
        "known" => InvitationPlan::Known(promised(state.contact, "contact")?),
        _ => InvitationPlan::Unknown(state.tag),
    })
}

fn address(state: WireState) -> Result<AddressPlan, MissingField> {
    let contact = promised(state.contact, "contact");
    Ok(match state.tag.as_str() {
        "ok" => AddressPlan::Ok(state.contact_data),
        "ownLink" => AddressPlan::OwnLink,
        "connectingConfirmReconnect" => AddressPlan::ConnectingConfirmReconnect,
        "connectingProhibit" => AddressPlan::ConnectingProhibit(contact?),
        "known" => AddressPlan::Known(contact?),
        "contactViaAddress" => AddressPlan::ContactViaAddress(contact?),
        _ => AddressPlan::Unknown(state.tag),
    })
}

fn group(state: WireState) -> Result<GroupPlan, MissingField> {
    let group = promised(state.group_info, "groupInfo");
    Ok(match state.tag.as_str() {
        "ok" => GroupPlan::Ok { info: state.group_link_info, data: state.group_data },
        "ownLink" => GroupPlan::OwnLink(group?),
        "connectingConfirmReconnect" => GroupPlan::ConnectingConfirmReconnect,
        "connectingProhibit" => GroupPlan::ConnectingProhibit(state.maybe_group),
        "known" => GroupPlan::Known(group?),
        "noRelays" => GroupPlan::NoRelays,
        "updateRequired" => GroupPlan::UpdateRequired,
        _ => GroupPlan::Unknown(state.tag),
    })
}
