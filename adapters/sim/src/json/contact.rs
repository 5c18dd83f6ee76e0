//! Contacts, connections and requests as JSON.

use serde_json::{Value, json};

use super::preferences::merged;
use super::{put, tag, time};
use crate::db::{Conn, Db, Entity, Prepared, Request};

impl Db {
    /// A contact.
    pub(crate) fn contact_json(&self, id: i64) -> Value {
        let Some(contact) = self.contacts.get(&id) else { return Value::Null };
        let profile = self.profiles.get(&contact.profile).cloned().unwrap_or(Value::Null);
        let conn = contact.conn.and_then(|c| self.conns.get(&c));
        let incognito = conn.is_some_and(|c| c.custom_profile.is_some());
        let mut value = json!({
            "contactId": id, "localDisplayName": contact.local_name, "profile": self.local_profile(contact.profile),
        });
        put(&mut value, "activeConn", conn.map(conn_json));
        let rest = json!({
            "contactUsed": contact.used, "contactStatus": contact.status,
            "chatSettings": {"enableNtfs": "all", "favorite": false},
            "userPreferences": {}, "mergedPreferences": merged(&self.own_profile(), &profile, incognito),
            "createdAt": time(contact.created), "updatedAt": time(contact.updated), "chatTs": time(contact.chat_ts),
            "contactGrpInvSent": contact.group_invitation_sent, "chatTags": [], "chatDeleted": false,
        });
        for (key, part) in super::entries(&rest) {
            put(&mut value, key, Some(part.clone()));
        }
        put(&mut value, "preparedContact", contact.prepared.as_ref().map(prepared_contact));
        put(&mut value, "contactRequestId", contact.request.map(Value::from));
        put(&mut value, "customData", contact.custom.clone());
        value
    }

    /// A pending connection, as responses and `contactConnection` chats have it.
    pub(crate) fn pending_json(&self, id: i64) -> Value {
        let Some(conn) = self.conns.get(&id) else { return Value::Null };
        let mut value = json!({
            "pccConnId": id, "pccAgentConnId": conn.agent_id, "pccConnStatus": tag(&conn.status),
            "viaContactUri": conn.via_contact_uri, "localAlias": "",
            "createdAt": time(conn.created), "updatedAt": time(conn.updated),
        });
        put(&mut value, "groupLinkId", conn.group_link.clone().map(Value::from));
        put(&mut value, "customUserProfileId", conn.custom_profile.map(Value::from));
        if !conn.via_contact_uri && !conn.link_full.is_empty() {
            put(&mut value, "connLinkInv", Some(link_json(&conn.link_full, conn.link_short.as_deref())));
        }
        value
    }

    /// A contact request.
    pub(crate) fn request_json(&self, request: &Request) -> Value {
        let mut value = json!({
            "contactRequestId": request.id, "agentInvitationId": request.agent_invitation,
            "contactId_": request.contact, "userContactLinkId_": self.address.as_ref().map_or(1, |a| a.id),
            "cReqChatVRange": {"minVersion": 1, "maxVersion": 19},
            "localDisplayName": request.local_name, "profileId": request.profile,
            "profile": self.local_profile(request.profile),
            "createdAt": time(request.created), "updatedAt": time(request.updated),
            "xContactId": request.x_contact_id, "pqSupport": true,
        });
        put(&mut value, "requestSharedMsgId", request.message.clone().map(Value::from));
        value
    }
}

/// `connFullLink` and `connShortLink`.
pub(crate) fn link_json(full: &str, short: Option<&str>) -> Value {
    let mut value = json!({"connFullLink": full});
    put(&mut value, "connShortLink", short.map(Value::from));
    value
}

fn prepared_contact(prepared: &Prepared) -> Value {
    let mut value = json!({
        "connLinkToConnect": link_json(&prepared.full, prepared.short.as_deref()),
        "uiConnLinkType": if prepared.one_time { "inv" } else { "con" },
    });
    put(&mut value, "welcomeSharedMsgId", prepared.welcome.clone().map(Value::from));
    put(&mut value, "requestSharedMsgId", prepared.request.clone().map(Value::from));
    value
}

/// A connection as `activeConn`.
pub(crate) fn conn_json(conn: &Conn) -> Value {
    let (kind, entity) = match conn.entity {
        Entity::Pending => ("contact", None),
        Entity::Contact(id) => ("contact", Some(id)),
        Entity::Member(id) => ("member", Some(id)),
    };
    let (version, max) = if conn.peer_version { (19, 19) } else { (8, 1) };
    let mut status = tag(&conn.status);
    put(&mut status, "connError", (conn.status == "failed").then(|| json!("SMP {smpErr = AUTH}")));
    let mut value = json!({
        "connId": conn.id, "agentConnId": conn.agent_id, "connChatVersion": version,
        "peerChatVRange": {"minVersion": 1, "maxVersion": max}, "connLevel": conn.level,
        "viaGroupLink": conn.group_link.is_some() || conn.via_group_link,
        "connType": kind, "connStatus": status, "contactConnInitiated": conn.initiated, "localAlias": "",
        "pqSupport": conn.pq, "pqEncryption": conn.pq, "authErrCounter": 0, "quotaErrCounter": 0,
        "createdAt": time(conn.created),
    });
    put(&mut value, "entityId", entity.map(Value::from));
    put(&mut value, "viaUserContactLink", conn.via_user_link.map(Value::from));
    put(&mut value, "customUserProfileId", conn.custom_profile.map(Value::from));
    put(&mut value, "groupLinkId", conn.group_link.clone().map(Value::from));
    put(&mut value, "xContactId", conn.x_contact_id.clone().map(Value::from));
    if conn.pq && conn.status == "ready" {
        put(&mut value, "pqSndEnabled", Some(json!(true)));
        put(&mut value, "pqRcvEnabled", Some(json!(true)));
    }
    value
}
