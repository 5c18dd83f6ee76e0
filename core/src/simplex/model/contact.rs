//! Contacts and connections.

use alloc::string::String;

use serde::Deserialize;

use super::wire::{or_default, soft};
use super::word::words;
use super::{ConnId, ConnLink, ConnStatus, ContactId, Profile, ProfileId, Raw, Timestamp};

/// Failed deliveries by which the core gives a connection up (`reference/simplex-api.md` section 8).
const AUTH_ERRORS_DISABLED: u64 = 10;

words! {
    /// Whether a contact is there.
    ContactStatus {
        /// It is.
        Active = "active",
        /// The peer deleted it.
        Deleted = "deleted",
        /// The user deleted it and kept the conversation.
        DeletedByUser = "deletedByUser",
        /// The peer refused the request (7.1).
        Rejected = "rejected",
    }
}

/// A contact.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// Its number. Given again after a delete; with [`Contact::created_at`] it names one contact for ever.
    pub contact_id: ContactId,
    /// The name as it is unique in this database.
    #[serde(default)]
    pub local_display_name: String,
    /// The peer's profile.
    pub profile: Profile,
    /// The connection, when there is one.
    pub active_conn: Option<Connection>,
    /// Whether the contact is there.
    pub contact_status: ContactStatus,
    /// True when it is a conversation, not only a row of some group member.
    #[serde(default, deserialize_with = "or_default")]
    pub contact_used: bool,
    /// The link it was prepared with, when it was not connected plainly.
    #[serde(default, deserialize_with = "soft")]
    pub prepared_contact: Option<PreparedContact>,
    /// The custom data, when there is some.
    pub custom_data: Option<Raw>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Contact {
    /// The name the peer chose.
    pub fn name(&self) -> &str {
        &self.profile.display_name
    }

    /// True when messages can be sent to it.
    pub fn is_connected(&self) -> bool {
        self.contact_status == ContactStatus::Active
            && self
                .active_conn
                .as_ref()
                .is_some_and(|conn| conn.conn_status.can_send() && !conn.is_disabled())
    }

    /// True when the peer knows a random profile.
    pub fn is_incognito(&self) -> bool {
        self.active_conn.as_ref().is_some_and(|conn| conn.custom_user_profile_id.is_some())
    }
}

/// A connection of a contact or a member.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// Its number: that of the pending connection it came from. Given again after a delete.
    pub conn_id: ConnId,
    /// What the transport knows it by; never given again.
    pub agent_conn_id: String,
    /// Where it stands.
    pub conn_status: ConnStatus,
    /// The random profile, for an incognito connection.
    pub custom_user_profile_id: Option<ProfileId>,
    /// Refused deliveries in a row.
    #[serde(default, deserialize_with = "or_default")]
    pub auth_err_counter: u64,
}

impl Connection {
    /// True when the core gave it up after too many refused deliveries.
    pub const fn is_disabled(&self) -> bool {
        self.auth_err_counter >= AUTH_ERRORS_DISABLED
    }
}

/// How a contact was prepared.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreparedContact {
    /// The link.
    pub conn_link_to_connect: ConnLink,
}

/// A connection that is no chat yet.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingConnection {
    /// Its number, `:N` in commands; the chat's connection keeps it.
    pub pcc_conn_id: ConnId,
    /// What the transport knows it by; never given again.
    pub pcc_agent_conn_id: String,
    /// Where it stands.
    pub pcc_conn_status: ConnStatus,
    /// The random profile, for an incognito connection.
    pub custom_user_profile_id: Option<ProfileId>,
    /// The one-time link, for a connection by one.
    #[serde(default, deserialize_with = "soft")]
    pub conn_link_inv: Option<ConnLink>,
    /// When it was made.
    pub created_at: Timestamp,
}
