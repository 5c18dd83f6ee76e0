//! What the agent knows of one chat at one moment, read from the core's chat object.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::text::peer::{Chat, ChatType, Peer};
use super::tools::result::{Admission, Command};
pub(super) use crate::chat::identity::Identity;
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::command::Conversation;
use crate::simplex::model::{
    BotCommand, ChatInfo, Contact, ContactStatus, GroupId, GroupInfo, MemberRole, MemberStatus, Raw,
    Timestamp,
};

/// A chat as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) identity: Identity,
    pub(super) created: Timestamp,
    pub(super) peer: Peer,
    /// Messages can be sent, as far as the connection goes.
    pub(super) connected: bool,
    /// The agent's role in a group.
    pub(super) role: Option<MemberRole>,
    /// The join waits for the group's admission.
    pub(super) admission: Option<Admission>,
    pub(super) incognito: bool,
    /// The random profile's name, as far as the chat tells it.
    pub(super) known_as: Option<String>,
    pub(super) description: Option<String>,
    pub(super) commands: Vec<Command>,
    pub(super) custom_data: Option<Raw>,
    /// A membership that has to be left before the chat can be deleted.
    pub(super) must_leave: bool,
    /// The chat can be joined again from its own record (prepared, or its connection was never begun).
    pub(super) resumable: bool,
}

impl Facts {
    /// The facts of a chat that is a contact or a group.
    pub(super) fn of(info: &ChatInfo) -> Option<Self> {
        match info {
            ChatInfo::Direct(contact) => Some(Self::contact(contact)),
            ChatInfo::Group { group, .. } => Some(Self::group(group)),
            ChatInfo::Local
            | ChatInfo::ContactRequest
            | ChatInfo::ContactConnection(_)
            | ChatInfo::Other(_) => None,
        }
    }

    /// The facts of a contact.
    pub(super) fn contact(contact: &Contact) -> Self {
        let profile = &contact.profile;
        Self {
            identity: Identity {
                chat: ChatRef::Contact(contact.contact_id.number()),
                created_at: contact.created_at.as_str().into(),
            },
            created: contact.created_at.clone(),
            peer: Peer {
                chat_type: ChatType::Contact,
                peer_type: profile.peer_type.as_ref().map(ToString::to_string),
                name: profile.display_name.clone(),
                simplex_name: profile.verified_name().map(|name| format!("@{name}")),
            },
            connected: contact.is_connected(),
            role: None,
            admission: None,
            incognito: contact.is_incognito(),
            known_as: None,
            description: profile.short_descr.clone(),
            commands: profile.commands.iter().map(command).collect(),
            custom_data: contact.custom_data.clone(),
            must_leave: false,
            resumable: contact.contact_status == ContactStatus::Active && unbegun(contact),
        }
    }

    /// The facts of a group, business chat or channel.
    pub(super) fn group(group: &GroupInfo) -> Self {
        let profile = &group.group_profile.value;
        let status = &group.membership.member_status;
        let incognito = group.is_incognito();
        Self {
            identity: Identity {
                chat: ChatRef::Group(group.group_id.number()),
                created_at: group.created_at.as_str().into(),
            },
            created: group.created_at.clone(),
            peer: Peer {
                chat_type: group_type(group),
                peer_type: None,
                name: profile.display_name.clone(),
                simplex_name: group.verified_name().map(|name| format!("#{name}")),
            },
            connected: status.is_joined(),
            role: Some(group.membership.member_role.clone()),
            admission: match status {
                MemberStatus::PendingApproval => Some(Admission::Approval),
                MemberStatus::PendingReview => Some(Admission::Review),
                _ => None,
            },
            incognito,
            known_as: incognito.then(|| group.membership.name().into()),
            description: profile.short_descr.clone(),
            commands: profile.commands.iter().map(command).collect(),
            custom_data: group.custom_data.clone(),
            must_leave: status.is_current_or_pending(),
            resumable: *status == MemberStatus::Unknown && group.prepared_group.is_some(),
        }
    }

    /// The chat's reference.
    pub(super) const fn chat(&self) -> ChatRef {
        self.identity.chat
    }

    /// The chat as texts name it.
    pub(super) fn named(&self) -> Chat {
        Chat { chat: self.chat(), peer: self.peer.clone() }
    }

    /// Where its messages are: its admission chat while the join waits for admission (decisions 10).
    pub(super) fn conversation(&self) -> Conversation {
        match self.chat() {
            ChatRef::Group(group) if self.admission.is_some() => {
                Conversation::Support(GroupId::new(group), None)
            }
            chat => chat.into(),
        }
    }
}

/// A contact whose connection was prepared and not begun.
fn unbegun(contact: &Contact) -> bool {
    use crate::simplex::model::ConnStatus;
    let fresh = contact.active_conn.as_ref().is_none_or(|conn| conn.conn_status == ConnStatus::Prepared);
    fresh && contact.prepared_contact.is_some()
}

/// Business chat, channel or group.
pub(super) fn group_type(group: &GroupInfo) -> ChatType {
    if group.is_business() {
        ChatType::Business
    } else if group.is_channel() {
        ChatType::Channel
    } else {
        ChatType::Group
    }
}

/// A bot's command as results show it.
pub(super) fn command(command: &BotCommand) -> Command {
    match command {
        BotCommand::Command { keyword, label, params } => {
            Command::Command { keyword: keyword.clone(), label: label.clone(), params: params.clone() }
        }
        BotCommand::Menu { label, commands } => {
            Command::Menu { label: label.clone(), commands: commands.iter().map(self::command).collect() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(verified: bool) -> Contact {
        let json = serde_json::json!({
            "contactId": 4,
            "profile": {
                "displayName": "Acme",
                "fullName": "",
                "contactDomain": {"domain": {"nameTLD": "simplex", "domain": "acme", "subDomain": ["shop"]}},
                "contactDomainVerified": verified,
            },
            "contactStatus": "active",
            "createdAt": "2026-10-18T09:15:00Z",
        });
        serde_json::from_str(&json.to_string()).expect("a contact")
    }

    /// CONN-36: a name that the core did not verify is not shown.
    #[test]
    fn only_a_verified_name_is_shown() {
        assert_eq!(Facts::contact(&contact(true)).peer.simplex_name.as_deref(), Some("@shop.acme.simplex"));
        assert_eq!(Facts::contact(&contact(false)).peer.simplex_name, None);
    }
}
