//! Changes of a group that others made (FINDINGS.md 1).

use alloc::borrow::ToOwned;
use alloc::string::String;

use serde_json::{Value, json};

use crate::controller::Controller;
use crate::db::{Author, Chat, Member, display_name, rank};
use crate::errors;
use crate::json::{member_profile, put};
use crate::wire::{Body, GroupMessage};

impl Controller<'_> {
    pub(crate) fn receive_group_message(&mut self, from: i64, conn: i64, message: GroupMessage) {
        let Some(group) = self.db.members.get(&from).map(|m| m.group) else { return };
        let relayed = !matches!(
            message,
            GroupMessage::New { .. } | GroupMessage::Intro { .. } | GroupMessage::Met | GroupMessage::MetBack
        );
        if relayed {
            self.hand_on(group, from, &Body::Group(message.clone()));
        }
        match message {
            GroupMessage::New { member, wire, peer, id } => {
                self.member_added(group, from, (member, wire, peer), id)
            }
            GroupMessage::Intro { member, wire, peer } => {
                let id = self.add_introduced(group, &member, "pre", wire, peer);
                if let Some(conn) = self.db.members.get(&id).and_then(|m| m.conn) {
                    self.send(conn, Body::Group(GroupMessage::Met));
                }
            }
            GroupMessage::Met => {
                self.say_met(group, from, conn);
                self.send(conn, Body::Group(GroupMessage::MetBack));
            }
            GroupMessage::MetBack => self.say_met(group, from, conn),
            GroupMessage::Role { member, role, id } => self.role_changed(group, from, &member, &role, id),
            GroupMessage::Removed { member, id } => self.member_removed(group, from, &member, id),
            GroupMessage::Left { id } => self.member_left(group, from, id),
            GroupMessage::Deleted { id } => self.group_deleted(group, from, id),
            GroupMessage::Updated { profile, id } => self.group_updated(group, from, profile, Some(id)),
            GroupMessage::Preferences(preferences) => {
                self.group_preferences_updated(group, from, preferences)
            }
            GroupMessage::HostProfile(profile) => self.host_profile(group, from, &profile),
            GroupMessage::PendingReview => self.pending_review(group, from),
            GroupMessage::Accepted { member, role } => self.accepted(group, from, &member, &role),
        }
    }

    /// A change that a relay hands on for a member.
    pub(crate) fn receive_relayed(&mut self, relay: i64, conn: i64, author: &str, message: GroupMessage) {
        let Some(group) = self.db.members.get(&relay).map(|m| m.group) else { return };
        let author = self.by_member_id(group, author).filter(|m| m.category != "user").map(|m| m.id);
        if let Some(author) = author {
            self.receive_group_message(author, conn, message);
        }
    }

    fn member_added(
        &mut self,
        group: i64,
        from: i64,
        new: (crate::wire::MemberCard, u64, u64),
        shared: String,
    ) {
        let (card, wire, peer) = new;
        let id = self.add_introduced(group, &card, "post", wire, peer);
        if let Some(row) = self.db.members.get_mut(&id) {
            row.invited_by_member = Some(from);
        }
        let channel = self.db.groups.get(&group).is_some_and(|g| g.channel);
        if !channel {
            let text = alloc::format!("added {}", display_name(&card.profile));
            let event =
                json!({"type": "memberAdded", "groupMemberId": id, "profile": member_profile(&card.profile)});
            self.say_shared_event(group, from, event, &text, shared);
        }
        let conn = self.db.members.get_mut(&id).and_then(|m| m.conn.take());
        let shown = self.db.member_json(id);
        if let Some(row) = self.db.members.get_mut(&id) {
            row.conn = conn;
        }
        let fields = json!({
            "groupInfo": self.db.group_json(group), "hostMember": self.db.member_json(from), "member": shown,
        });
        self.event("joinedGroupMemberConnecting", fields);
        if channel {
            if let Some(row) = self.db.members.get_mut(&id) {
                row.status = "connected".into();
            }
            self.say_link_data(group);
        }
    }

    /// A `rcvGroupEvent` item that came as a message.
    fn say_shared_event(&mut self, group: i64, member: i64, event: Value, text: &str, shared: String) -> i64 {
        let now = self.now();
        let signed = self.db.groups.get(&group).is_some_and(|g| g.channel);
        let content = json!({"type": "rcvGroupEvent", "rcvGroupEvent": event});
        let item = self.add_item(Chat::Group(group), Author::Member(member), content, text);
        self.with_item(item, |i| {
            i.shared_id = Some(shared);
            i.ts.0 = now.0.div_euclid(1000).saturating_mul(1000);
            i.signed = signed;
        });
        self.say_items(&[item]);
        item
    }

    /// The connection between two members works.
    fn say_met(&mut self, group: i64, member: i64, conn: i64) {
        self.set_conn(conn, "ready");
        if self.db.groups.get(&group).is_some_and(|g| g.channel) {
            if let Some(row) = self.db.members.get_mut(&member) {
                row.status = "connected".into();
            }
            return;
        }
        self.say_member_event(group, member, None, json!({"type": "memberConnected"}), "connected");
        let now = self.now();
        if let Some(row) = self.db.members.get_mut(&member) {
            row.status = "intro-inv".into();
            row.updated = now;
        }
        let fields = json!({"groupInfo": self.db.group_json(group), "member": self.db.member_json(member)});
        self.event("connectedToGroupMember", fields);
        if let Some(row) = self.db.members.get_mut(&member) {
            row.status = "connected".into();
        }
        self.associate_member(member);
    }

    fn by_member_id(&self, group: i64, id: &str) -> Option<&Member> {
        self.db.members.values().find(|m| m.group == group && m.member_id == id)
    }

    fn role_changed(&mut self, group: i64, from: i64, member: &str, role: &str, shared: String) {
        let may = self.db.members.get(&from).is_some_and(|m| m.rank() >= rank("admin"));
        let Some(target) = self.by_member_id(group, member).cloned().filter(|_| may) else { return };
        let own = target.category == "user";
        let now = self.now();
        if let Some(row) = self.db.members.get_mut(&target.id) {
            role.clone_into(&mut row.role);
            row.updated = now;
        }
        if own {
            let text = alloc::format!("changed your role to {role}");
            self.say_shared_event(group, from, json!({"type": "userRole", "role": role}), &text, shared);
        } else {
            let profile = member_profile(self.db.profiles.get(&target.profile).unwrap_or(&Value::Null));
            let text = alloc::format!("changed role of {} to {role}", display_name(&profile));
            let event =
                json!({"type": "memberRole", "groupMemberId": target.id, "profile": profile, "role": role});
            self.say_shared_event(group, from, event, &text, shared);
        }
        let fields = json!({
            "groupInfo": self.db.group_json(group), "byMember": self.db.member_json(from),
            "member": self.db.member_json(target.id), "fromRole": target.role, "toRole": role,
        });
        self.event("memberRole", fields);
    }

    fn member_removed(&mut self, group: i64, from: i64, member: &str, shared: String) {
        let Some(target) = self.by_member_id(group, member).cloned() else { return };
        if target.category == "user" {
            let support = target.is_pending().then_some(target.id);
            self.set_own_status(group, "removed");
            self.say_removed_user(group, from, support, shared);
            let fields = json!({
                "groupInfo": self.db.group_json(group), "member": self.db.member_json(from), "withMessages": false,
            });
            self.event("deletedMemberUser", fields);
            self.close_quietly(group);
            return;
        }
        let now = self.now();
        if let Some(row) = self.db.members.get_mut(&target.id) {
            row.status = "removed".into();
            row.updated = now;
        }
        let profile = member_profile(self.db.profiles.get(&target.profile).unwrap_or(&Value::Null));
        let text = alloc::format!("removed {}", display_name(&profile));
        let event = json!({"type": "memberDeleted", "groupMemberId": target.id, "profile": profile});
        self.say_shared_event(group, from, event, &text, shared);
        let fields = json!({
            "groupInfo": self.db.group_json(group), "byMember": self.db.member_json(from),
            "deletedMember": self.db.member_json(target.id), "withMessages": false,
        });
        self.event("deletedMember", fields);
        if let Some(conn) = self.db.members.get_mut(&target.id).and_then(|m| m.conn.take()) {
            let agent_id = self.db.conns.get(&conn).map(|c| c.agent_id.clone()).unwrap_or_default();
            self.drop_conn(conn);
            self.error_event(errors::store_with("connectionNotFound", json!({"agentConnId": agent_id})));
        }
    }

    fn say_removed_user(&mut self, group: i64, from: i64, support: Option<i64>, shared: String) {
        let content = json!({"type": "rcvGroupEvent", "rcvGroupEvent": {"type": "userDeleted"}});
        let item = self.add_item(Chat::Group(group), Author::Member(from), content, "removed you");
        self.with_item(item, |i| {
            i.support = support;
            i.shared_id = Some(shared);
        });
        self.say_items(&[item]);
    }

    /// The group is over for this profile: its connections go, with one noise event (FINDINGS.md 7).
    fn close_quietly(&mut self, group: i64) {
        let conns: alloc::vec::Vec<i64> =
            self.db.members.values_mut().filter(|m| m.group == group).filter_map(|m| m.conn.take()).collect();
        for conn in conns {
            self.drop_conn(conn);
        }
        self.error_event(errors::not_found());
    }

    fn member_left(&mut self, group: i64, from: i64, shared: String) {
        let support = self.db.members.get(&from).filter(|m| m.is_pending()).map(|m| m.id);
        let item = self.say_shared_event(group, from, json!({"type": "memberLeft"}), "left", shared);
        self.with_item(item, |i| i.support = support);
        let now = self.now();
        let conn = self.db.members.get_mut(&from).and_then(|m| {
            m.status = "left".into();
            m.updated = now;
            m.conn
        });
        let fields = json!({"groupInfo": self.db.group_json(group), "member": self.db.member_json(from)});
        self.event("leftMember", self.signed(group, fields));
        if self.db.groups.get(&group).is_some_and(|g| g.channel) {
            self.say_link_data(group);
        }
        if let Some(row) = self.db.members.get_mut(&from) {
            row.conn = None;
        }
        if let Some(conn) = conn {
            self.drop_conn(conn);
        }
        self.error_event(errors::not_found());
    }

    /// Channels sign what their owners say.
    fn signed(&self, group: i64, mut fields: Value) -> Value {
        let channel = self.db.groups.get(&group).is_some_and(|g| g.channel);
        put(&mut fields, "msgSigned", channel.then(|| json!("verified")));
        fields
    }

    fn group_deleted(&mut self, group: i64, from: i64, shared: String) {
        self.say_shared_event(group, from, json!({"type": "groupDeleted"}), "deleted group", shared);
        self.set_own_status(group, "deleted");
        let fields = json!({"groupInfo": self.db.group_json(group), "member": self.db.member_json(from)});
        self.event("groupDeleted", self.signed(group, fields));
        self.close_quietly(group);
    }

    fn group_updated(&mut self, group: i64, from: i64, profile: Value, shared: Option<String>) {
        let before = self.db.group_json(group);
        let Some(old) = self.db.groups.get(&group).map(|g| g.profile.clone()) else { return };
        self.rename_group(group, &display_name(&old), &display_name(&profile));
        let now = self.now();
        if let Some(row) = self.db.groups.get_mut(&group) {
            row.profile = profile.clone();
            row.updated = now;
        }
        if let Some(shared) = shared {
            let event = json!({"type": "groupUpdated", "groupProfile": profile});
            self.say_shared_event(group, from, event, "group profile updated", shared);
        }
        let after = self.db.group_json(group);
        let fields = json!({"fromGroup": before, "toGroup": after, "member_": self.db.member_json(from)});
        self.event("groupUpdated", fields);
    }

    /// New preferences leave the name as it is: business and customer each call the chat by the other's name
    /// (agent-connect-business, `groupUpdated`).
    fn group_preferences_updated(&mut self, group: i64, from: i64, preferences: Value) {
        let Some(mut profile) = self.db.groups.get(&group).map(|g| g.profile.clone()) else { return };
        put(&mut profile, "groupPreferences", Some(preferences));
        self.group_updated(group, from, profile, None);
    }

    fn host_profile(&mut self, group: i64, host: i64, profile: &Value) {
        let before = self.db.member_json(host);
        let Some(row) = self.db.members.get(&host).map(|m| m.profile) else { return };
        let mut shown = member_profile(profile);
        put(&mut shown, "peerType", profile.get("peerType").cloned());
        put(&mut shown, "shortDescr", profile.get("shortDescr").cloned());
        self.db.profiles.insert(row, shown);
        let after = self.db.member_json(host);
        let fields = json!({"groupInfo": self.db.group_json(group), "fromMember": before, "toMember": after});
        self.event("groupMemberUpdated", fields);
    }

    fn pending_review(&mut self, group: i64, host: i64) {
        self.set_own_status(group, "pending_review");
        let own = self.own_member(group).map(|m| m.id);
        let text = "please wait for group moderators to review your request to join the group";
        let content = json!({"type": "sndGroupEvent", "sndGroupEvent": {"type": "userPendingReview"}});
        let item = self.add_item(Chat::Group(group), Author::Own, content, text);
        self.with_item(item, |i| i.support = own);
        self.say_items(&[item]);
        let fields = json!({
            "groupInfo": self.db.group_json(group), "acceptingMember": self.db.member_json(host),
            "member": own.map(|o| self.db.member_json(o)),
        });
        self.event("memberAcceptedByOther", fields);
    }

    /// Admission is over: the profile is in.
    fn accepted(&mut self, group: i64, host: i64, member: &str, role: &str) {
        let Some(target) = self.by_member_id(group, member).cloned() else { return };
        if target.category != "user" {
            return;
        }
        let now = self.now();
        if let Some(row) = self.db.members.get_mut(&target.id) {
            role.clone_into(&mut row.role);
            row.status = "connected".into();
            row.updated = now;
        }
        self.say_group_e2ee(group, host, None);
        self.say_joined_features(group, host, None);
        self.say_member_event(group, host, None, json!({"type": "userAccepted"}), "accepted you");
        self.say_member_event(group, host, Some(target.id), json!({"type": "userAccepted"}), "accepted you");
        let fields = json!({"groupInfo": self.db.group_json(group), "hostMember": self.db.member_json(host)});
        self.event("userJoinedGroup", fields);
    }
}
