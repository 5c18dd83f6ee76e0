//! Joining a group: both sides of the handshake (FINDINGS.md 1, 5).

use serde_json::{Value, json};

use crate::controller::Controller;
use crate::db::{Author, Business, Chat, Entity, display_name};
use crate::exec::GROUP_E2EE;
use crate::json::{group_feature_items, title};
use crate::wire::{Body, GroupMessage, Invitation, To};

impl Controller<'_> {
    /// The host answered: the group's records.
    pub(crate) fn receive_group_accept(&mut self, conn: i64, card: Invitation) {
        let Some(row) = self.db.conns.get(&conn).cloned() else { return };
        if row.status != "joined" {
            return;
        }
        let prepared = match row.entity {
            Entity::Member(host) => self.db.members.get(&host).map(|m| m.group),
            _ => None,
        };
        let group = match prepared {
            Some(group) => self.fill_prepared(group, conn, &card),
            None => self.add_joined(conn, &card),
        };
        if card.business {
            self.note_business(group, &card, row.x_contact_id.clone());
        }
        self.set_conn(conn, "requested");
        let Some(Entity::Member(host)) = self.db.conns.get(&conn).map(|c| c.entity) else { return };
        let fields = json!({"groupInfo": self.db.group_json(group), "hostMember": self.db.member_json(host)});
        self.event("groupLinkConnecting", fields);
        if card.status == "rejected" {
            return;
        }
        if let Some(text) = card.welcome {
            if prepared.is_some() {
                self.receive_welcome(Chat::Group(group), &text);
            } else {
                self.receive_text(Chat::Group(group), Some(host), conn, text);
            }
        }
        self.send(conn, Body::GroupConfirm);
    }

    /// New records of a group joined without preparing.
    fn add_joined(&mut self, conn: i64, card: &Invitation) -> i64 {
        let row = self.db.conns.get(&conn).cloned();
        let group = self.add_group(card.group.clone(), card.key.clone());
        let profile = self.db.add_profile(card.host.profile.clone());
        let host = self.add_member(group, &card.host.role, "host", "accepted", profile);
        let custom = row.as_ref().and_then(|c| c.custom_profile);
        let own = self.add_own_member(group, &card.role, &card.status, custom.unwrap_or(1));
        let random = custom.map(|c| self.db.profile_name(c));
        if let Some(member) = self.db.members.get_mut(&own) {
            member.member_id.clone_from(&card.you);
            member.invited_by = "unknown".into();
            member.invited_by_member = Some(host);
            if let Some(name) = random {
                member.local_name = name;
            }
        }
        if let Some(member) = self.db.members.get_mut(&host) {
            member.member_id.clone_from(&card.host.id);
            member.conn = Some(conn);
        }
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.entity = Entity::Member(host);
        }
        if let Some(new) = self.db.groups.get_mut(&group) {
            new.own = own;
            new.joined_by = row.as_ref().and_then(|c| c.link);
            new.via_uri = row.map(|c| c.link_full);
        }
        if card.status.starts_with("pending") {
            self.open_support(own);
        }
        group
    }

    /// A prepared group gets what the host says.
    fn fill_prepared(&mut self, group: i64, conn: i64, card: &Invitation) -> i64 {
        let Some(Entity::Member(host)) = self.db.conns.get(&conn).map(|c| c.entity) else { return group };
        let profile = self.db.members.get(&host).map(|m| m.profile);
        if let Some(profile) = profile {
            self.db.profiles.insert(profile, card.host.profile.clone());
        }
        if let Some(member) = self.db.members.get_mut(&host) {
            // The row's own stand-in name must not count when a free name is looked for.
            member.local_name.clear();
        }
        let name = self.db.free_name(&display_name(&card.host.profile));
        let now = self.now();
        if let Some(member) = self.db.members.get_mut(&host) {
            member.member_id.clone_from(&card.host.id);
            member.role.clone_from(&card.host.role);
            member.local_name = name;
            member.updated = now;
        }
        let own = self.own_member(group).map(|m| m.id);
        if let Some(member) = own.and_then(|o| self.db.members.get_mut(&o)) {
            member.member_id.clone_from(&card.you);
            member.role.clone_from(&card.role);
            member.status.clone_from(&card.status);
            member.updated = now;
        }
        if let (Some(own), true) = (own, card.status.starts_with("pending")) {
            self.open_support(own);
        }
        if let Some(row) = self.db.groups.get_mut(&group) {
            row.key.clone_from(&card.key);
            row.profile = card.group.clone();
        }
        group
    }

    fn note_business(&mut self, group: i64, card: &Invitation, x_contact_id: Option<alloc::string::String>) {
        if let Some(row) = self.db.groups.get_mut(&group) {
            let (business, customer) = (card.host.id.clone(), card.you.clone());
            row.business = Some(Business { kind: "business".into(), business, customer, x_contact_id });
        }
    }

    /// At the joining side: the connection to the host works.
    pub(crate) fn receive_group_ready(&mut self, host: i64, conn: i64) {
        let Some(group) = self.db.members.get(&host).map(|m| m.group) else { return };
        self.set_conn(conn, "ready");
        let now = self.now();
        if let Some(member) = self.db.members.get_mut(&host) {
            member.status = "connected".into();
            member.peer_version = true;
            member.updated = now;
        }
        let own = self.own_member(group).cloned();
        let pending = own.as_ref().is_some_and(|m| m.is_pending());
        if !pending {
            self.set_own_status(group, "connected");
        }
        let fields = json!({"groupInfo": self.db.group_json(group), "hostMember": self.db.member_json(host)});
        self.event("userJoinedGroup", fields);
        let support = own.filter(|_| pending).map(|m| m.id);
        self.say_joined_items(group, host, support);
        self.send(conn, Body::GroupReadyBack);
        self.associate_member(host);
    }

    /// E2EE, features and `connected` of a group just joined; in the own support scope while admission waits.
    fn say_joined_items(&mut self, group: i64, host: i64, support: Option<i64>) {
        self.say_group_e2ee(group, host, support);
        if !self.db.groups.get(&group).is_some_and(|g| g.features) {
            self.say_joined_features(group, host, support);
        }
        self.say_member_event(group, host, support, json!({"type": "memberConnected"}), "connected");
    }

    pub(crate) fn say_group_e2ee(&mut self, group: i64, host: i64, support: Option<i64>) {
        let mut info = json!({"pqEnabled": false});
        let public = self.db.groups.get(&group).is_some_and(|g| g.channel);
        crate::json::put(&mut info, "public", public.then_some(json!(true)));
        let content = json!({"type": "rcvGroupE2EEInfo", "e2eeInfo": info});
        let item = self.add_item(Chat::Group(group), Author::Member(host), content, GROUP_E2EE);
        self.with_item(item, |i| i.support = support);
        self.say_items(&[item]);
    }

    pub(crate) fn say_joined_features(&mut self, group: i64, host: i64, support: Option<i64>) {
        let profile = self.db.groups.get(&group).map(|g| g.profile.clone()).unwrap_or(Value::Null);
        let mut items = alloc::vec::Vec::new();
        for (content, text) in group_feature_items(&profile, "rcvGroupFeature") {
            let item = self.add_item(Chat::Group(group), Author::Member(host), content, &text);
            items.push(self.with_item(item, |i| i.support = support));
        }
        self.say_items(&items);
    }

    /// Adds and says a `rcvGroupEvent` item of a member.
    pub(crate) fn say_member_event(
        &mut self,
        group: i64,
        member: i64,
        support: Option<i64>,
        event: Value,
        text: &str,
    ) -> i64 {
        let content = json!({"type": "rcvGroupEvent", "rcvGroupEvent": event});
        let item = self.add_item(Chat::Group(group), Author::Member(member), content, text);
        self.with_item(item, |i| i.support = support);
        self.say_items(&[item]);
        item
    }

    /// At the host: the new member is connected.
    pub(crate) fn receive_group_ready_back(&mut self, id: i64, conn: i64) {
        let Some(member) = self.db.members.get(&id).cloned().filter(|m| m.status != "connected") else {
            return;
        };
        self.set_conn(conn, "ready");
        let pending = member.is_pending();
        let now = self.now();
        if let Some(row) = self.db.members.get_mut(&id) {
            if !pending {
                row.status = "connected".into();
            }
            row.updated = now;
        }
        let support = pending.then_some(id);
        self.say_member_event(member.group, id, support, json!({"type": "memberConnected"}), "connected");
        if member.status == "pending_review" {
            let event = json!({"type": "newMemberPendingReview"});
            self.say_member_event(member.group, id, support, event, "new member wants to join the group");
            if let Some(chat) = self.db.members.get_mut(&id).and_then(|m| m.support.as_mut()) {
                chat.unread = 1;
                chat.attention = 1;
            }
        }
        let fields =
            json!({"groupInfo": self.db.group_json(member.group), "member": self.db.member_json(id)});
        self.event("joinedGroupMember", fields);
        if member.status == "pending_review" {
            self.send(conn, Body::Group(GroupMessage::PendingReview));
        }
        if !pending {
            self.welcome_member(member.group, id);
        }
        self.associate_member(id);
    }

    /// A contact invites into a group.
    pub(crate) fn receive_invitation(
        &mut self,
        contact: i64,
        card: Invitation,
        at: simplex_agent_core::UnixMillis,
    ) {
        let group = self.add_group(card.group.clone(), card.key.clone());
        let Some(row) = self.db.contacts.get(&contact).cloned() else { return };
        let host = self.add_member(group, &card.host.role, "host", "invited", row.profile);
        if let Some(member) = self.db.members.get_mut(&host) {
            member.member_id.clone_from(&card.host.id);
            member.local_name.clone_from(&row.local_name);
            member.contact = Some(contact);
        }
        let own = self.add_own_member(group, &card.role, "invited", 1);
        if let Some(member) = self.db.members.get_mut(&own) {
            member.member_id.clone_from(&card.you);
            member.invited_by = "contact".into();
            member.invited_by_member = Some(host);
        }
        if let Some(new) = self.db.groups.get_mut(&group) {
            new.own = own;
            new.invited_by = Some(contact);
        }
        let text =
            alloc::format!("received invitation to join group {} as {}", title(&card.group), card.role);
        let name = self.db.groups.get(&group).map(|g| g.local_name.clone());
        let content = json!({
            "type": "rcvGroupInvitation", "memberRole": card.role,
            "groupInvitation": {
                "groupId": group, "groupMemberId": own, "localDisplayName": name, "groupProfile": card.group,
                "status": "pending",
            },
        });
        let item = self.add_item(Chat::Contact(contact), Author::Peer, content, &text);
        let shared = self.world.chance.id();
        self.with_item(item, |i| {
            i.shared_id = Some(shared);
            i.ts.0 = at.0.div_euclid(1000).saturating_mul(1000);
        });
        self.say_items(&[item]);
        let fields = json!({
            "groupInfo": self.db.group_json(group), "contact": self.db.contact_json(contact),
            "fromMemberRole": card.host.role, "memberRole": card.role,
        });
        self.event("receivedGroupInvitation", fields);
    }

    /// At the inviting side: the invitation was accepted.
    pub(crate) fn receive_group_join(&mut self, contact: i64, from: Option<u64>) {
        let invited = self.db.members.values().find(|m| m.contact == Some(contact) && m.status == "invited");
        let (Some(member), Some(from)) = (invited.map(|m| (m.id, m.group)), from) else { return };
        let conn = self.add_conn(Entity::Member(member.0), "ready");
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.peer = Some(from);
            row.pq = false;
        }
        let now = self.now();
        if let Some(row) = self.db.members.get_mut(&member.0) {
            row.conn = Some(conn);
            row.status = "connected".into();
            row.updated = now;
        }
        self.say_member_event(member.1, member.0, None, json!({"type": "memberConnected"}), "connected");
        let fields =
            json!({"groupInfo": self.db.group_json(member.1), "member": self.db.member_json(member.0)});
        self.event("joinedGroupMember", fields);
        let wire = self.db.conns.get(&conn).map_or(0, |c| c.wire);
        self.send_to(To::Wire(from), wire, Body::GroupReady);
        self.welcome_member(member.1, member.0);
    }
}
