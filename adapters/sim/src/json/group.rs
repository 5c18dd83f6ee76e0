//! Groups and members as JSON.

use alloc::format;
use alloc::string::ToString;

use serde_json::{Value, json};

use super::contact::{conn_json, link_json};
use super::{group_preferences, put, time};
use crate::db::{Db, Group, Prepared};
use crate::world::World;

impl Db {
    /// A group. Nothing of the members but the own membership.
    pub(crate) fn group_json(&self, id: i64) -> Value {
        let Some(group) = self.groups.get(&id) else { return Value::Null };
        let mut value = json!({
            "groupId": id, "useRelays": group.channel, "localDisplayName": group.local_name,
            "groupProfile": group.profile, "localAlias": "",
            "fullGroupPreferences": group_preferences(&group.profile),
            "membership": self.member_json(group.own),
            "chatSettings": {"enableNtfs": "all", "favorite": false},
            "createdAt": time(group.created), "updatedAt": time(group.updated), "chatTs": time(group.chat_ts),
            "userMemberProfileSentAt": time(group.created), "chatTags": [],
            "groupSummary": self.summary(group), "membersRequireAttention": self.attention(group),
        });
        if let Some(business) = &group.business {
            let chat = json!({
                "chatType": business.kind, "businessId": business.business, "customerId": business.customer,
            });
            put(&mut value, "businessChat", Some(chat));
        }
        put(&mut value, "preparedGroup", group.prepared.as_ref().map(prepared_group));
        put(&mut value, "viaGroupLinkUri", group.via_uri.clone().map(Value::from));
        put(&mut value, "customData", group.custom.clone());
        let relay = self.members.get(&group.own).is_some_and(|m| m.role == "relay");
        put(&mut value, "relayOwnStatus", relay.then(|| json!("acknowledgedRoster")));
        self.put_channel(&mut value, group);
        value
    }

    fn put_channel(&self, value: &mut Value, group: &Group) {
        let own = self.members.get(&group.own);
        let Some(public) = group.public_id.clone().filter(|_| own.is_some_and(|m| m.status != "unknown"))
        else {
            return;
        };
        let root = if own.is_some_and(|m| m.category == "user" && m.status == "creator") {
            json!({"type": "private", "rootPrivKey": "MC4CAQAwBQYDK2VwBCIEIA=="})
        } else {
            json!({"type": "public", "rootPubKey": "MCowBQYDK2VwAyEAeAxzF4xioYNj"})
        };
        let keys = json!({"publicGroupId": public, "groupRootKey": root, "memberPrivKey": "TUM0Q0FRQXdCUVlESzJWd0JDSUVJQQ=="});
        put(value, "groupKeys", Some(keys));
        put(value, "rosterVersion", Some(json!(0)));
    }

    fn summary(&self, group: &Group) -> Value {
        let current = self.members.values().filter(|m| m.group == group.id && m.is_current()).count();
        let mut value = json!({"currentMembers": current});
        if group.channel {
            let public =
                self.members.values().filter(|m| m.group == group.id && m.is_current() && m.role != "relay");
            put(&mut value, "publicMemberCount", Some(json!(public.count())));
        }
        value
    }

    fn attention(&self, group: &Group) -> i64 {
        let members = self.members.values().filter(|m| m.group == group.id && m.id != group.own);
        let waiting = members.filter(|m| m.support.as_ref().is_some_and(|s| s.attention > 0)).count();
        i64::try_from(waiting).unwrap_or(i64::MAX)
    }

    /// A member, the own membership too.
    pub(crate) fn member_json(&self, id: i64) -> Value {
        let Some(member) = self.members.get(&id) else { return Value::Null };
        let max = if member.peer_version { 19 } else { 1 };
        let mut value = json!({
            "groupMemberId": id, "groupId": member.group, "indexInGroup": member.index, "memberId": member.member_id,
            "memberRole": member.role, "memberCategory": member.category, "memberStatus": member.status,
            "memberSettings": {"showMessages": true}, "blockedByAdmin": member.blocked,
            "invitedBy": if member.invited_by == "contact" {
                json!({"type": "contact", "byContactId": 4})
            } else {
                json!({"type": member.invited_by})
            },
            "localDisplayName": member.local_name, "memberProfile": self.local_profile(member.profile),
            "memberContactProfileId": member.contact_profile,
            "memberChatVRange": {"minVersion": 1, "maxVersion": max},
            "createdAt": time(member.created), "updatedAt": time(member.updated),
        });
        put(&mut value, "invitedByGroupMemberId", member.invited_by_member.map(Value::from));
        put(&mut value, "memberContactId", member.contact.map(Value::from));
        put(&mut value, "activeConn", member.conn.and_then(|c| self.conns.get(&c)).map(conn_json));
        if let Some(support) = &member.support {
            let mut chat = json!({
                "chatTs": time(support.ts), "unread": support.unread,
                "memberAttention": support.attention, "mentions": support.mentions,
            });
            put(&mut chat, "lastMsgFromMemberTs", support.last.map(time));
            put(&mut value, "supportChat", Some(chat));
        }
        put(&mut value, "memberPubKey", member.public_key.clone().map(Value::from));
        put(&mut value, "relayLink", member.relay_link.clone().map(Value::from));
        value
    }

    /// A member as `memberRef` of a mention.
    pub(crate) fn member_ref(&self, id: i64) -> Option<Value> {
        let member = self.members.get(&id)?;
        Some(json!({
            "groupMemberId": id, "displayName": self.profile_name(member.profile), "localAlias": "",
            "memberRole": member.role,
        }))
    }

    /// `groupLink` of responses.
    pub(crate) fn group_link_json(&self, group: i64, world: &World) -> Value {
        let Some(link) = self.groups.get(&group).and_then(|g| g.link.as_ref()) else { return Value::Null };
        let Some(made) = world.links.get(&link.link) else { return Value::Null };
        json!({
            "userContactLinkId": link.id, "connLinkContact": link_json(&made.full, Some(&made.short)),
            "shortLinkDataSet": true, "shortLinkLargeDataSet": true,
            "groupLinkId": made.group_link_id, "acceptMemberRole": link.role,
        })
    }
}

fn prepared_group(prepared: &Prepared) -> Value {
    let mut value = json!({
        "connLinkToConnect": link_json(&prepared.full, prepared.short.as_deref()),
        "connLinkPreparedConnection": prepared.incognito.is_some(),
        "connLinkStartedConnection": prepared.started,
    });
    put(&mut value, "welcomeSharedMsgId", prepared.welcome.clone().map(Value::from));
    put(&mut value, "requestSharedMsgId", prepared.request.clone().map(Value::from));
    value
}

/// The name of a group member as items tell it: display and full name.
pub(crate) fn member_profile(profile: &Value) -> Value {
    json!({"displayName": profile.get("displayName"), "fullName": profile.get("fullName").cloned().unwrap_or_else(|| json!(""))})
}

/// `Name (Full name)` of a group, as invitation items have it.
pub(crate) fn full_title(profile: &Value) -> alloc::string::String {
    let text = |key: &str| profile.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let (name, full) = (text("displayName"), text("fullName"));
    if full.is_empty() || full == name { name } else { format!("{name} ({full})") }
}
