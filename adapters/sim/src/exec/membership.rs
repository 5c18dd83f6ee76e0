//! Members: roles, removal, leaving, invitations, admission (digest 2.4).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::controller::{Answer, Controller};
use crate::db::{Author, Chat, Entity, Support, rank};
use crate::errors;
use crate::json::{member_profile, title};
use crate::scan::Scan;
use crate::wire::{Body, GroupMessage, Invitation, MemberCard};

impl Controller<'_> {
    pub(crate) fn member_role(&mut self, mut scan: Scan<'_>) -> Answer {
        let (group, ids) = self.group_and_members(&mut scan)?;
        let role = scan.role()?;
        scan.end()?;
        self.find_group(group)?;
        let own = self.own_member(group).map(|m| m.id);
        if ids.iter().any(|id| Some(*id) == own) {
            return Err(errors::command("can't change role for self"));
        }
        let highest = self.highest_role(group, &ids)?;
        if ids.len() > 1 && rank(&role).max(highest) >= rank("admin") {
            return Err(errors::command(
                "can't change role of multiple members when admins selected, or new role is admin",
            ));
        }
        self.need_role(group, role_name(rank(&role).max(highest).max(rank("admin"))))?;
        let mut changed = Vec::new();
        for id in ids {
            if self.db.members.get(&id).is_some_and(|m| m.role != role) {
                self.change_role(group, id, &role);
                changed.push(self.db.member_json(id));
            }
        }
        let fields = json!({
            "groupInfo": self.db.group_json(group), "members": changed, "toRole": role, "msgSigned": false,
        });
        Ok(self.result("membersRoleUser", fields))
    }

    fn group_and_members(&self, scan: &mut Scan<'_>) -> Result<(i64, Vec<i64>), Value> {
        scan.space()?;
        let group = scan.group()?;
        scan.space()?;
        Ok((group, scan.ids()?))
    }

    /// The highest role of these members; an error for unknown ones.
    fn highest_role(&self, group: i64, ids: &[i64]) -> Result<u8, Value> {
        let mut highest = 0;
        for id in ids {
            let member = self
                .db
                .members
                .get(id)
                .filter(|m| m.group == group && Some(m.id) != self.own_member(group).map(|o| o.id));
            highest = highest.max(member.ok_or_else(|| errors::chat("groupMemberNotFound"))?.rank());
        }
        Ok(highest)
    }

    fn change_role(&mut self, group: i64, id: i64, role: &str) {
        let now = self.now();
        let Some(member) = self.db.members.get_mut(&id) else { return };
        role.clone_into(&mut member.role);
        member.updated = now;
        let (member_id, profile) = (member.member_id.clone(), member.profile);
        let profile = self.told_profile(profile);
        let text = format!("changed role of {} to {role}", crate::db::display_name(&profile));
        let event = json!({"type": "memberRole", "groupMemberId": id, "profile": profile, "role": role});
        let shared = self.say_own_event(group, None, event, &text);
        self.broadcast(group, &GroupMessage::Role { member: member_id, role: role.into(), id: shared });
    }

    /// Adds and says a `sndGroupEvent` item; its shared identifier.
    pub(crate) fn say_own_event(
        &mut self,
        group: i64,
        support: Option<i64>,
        event: Value,
        text: &str,
    ) -> alloc::string::String {
        let shared = self.world.chance.id();
        let content = json!({"type": "sndGroupEvent", "sndGroupEvent": event});
        let item = self.add_item(Chat::Group(group), Author::Own, content, text);
        let id = shared.clone();
        self.with_item(item, |i| {
            i.shared_id = Some(id);
            i.support = support;
        });
        self.say_items(&[item]);
        shared
    }

    /// A member's profile as items about it have it: members that are contacts show their preferences.
    fn told_profile(&self, profile: i64) -> Value {
        let stored = self.db.profiles.get(&profile).unwrap_or(&Value::Null);
        let mut told = member_profile(stored);
        crate::json::put(&mut told, "preferences", stored.get("preferences").cloned());
        told
    }

    pub(crate) fn remove_members(&mut self, mut scan: Scan<'_>) -> Answer {
        let (group, ids) = self.group_and_members(&mut scan)?;
        let messages = scan.flag("messages")?.unwrap_or(false);
        scan.end()?;
        self.find_group(group)?;
        let highest = self.highest_role(group, &ids)?;
        if ids.len() > 1 && highest >= rank("admin") {
            return Err(errors::command("can't remove multiple members when admins selected"));
        }
        self.need_role(group, role_name(highest.max(rank("moderator"))))?;
        for id in &ids {
            self.remove_member(group, *id);
        }
        let members: Vec<Value> = ids.iter().map(|id| self.db.member_json(*id)).collect();
        for id in ids {
            if let Some(conn) = self.db.members.get_mut(&id).and_then(|m| m.conn.take()) {
                self.drop_noisy(conn);
            }
        }
        let fields = json!({
            "groupInfo": self.db.group_json(group), "members": members, "withMessages": messages, "msgSigned": false,
        });
        Ok(self.result("userDeletedMembers", fields))
    }

    fn remove_member(&mut self, group: i64, id: i64) {
        let now = self.now();
        let Some(member) = self.db.members.get_mut(&id) else { return };
        let support = member.is_pending().then_some(id);
        "removed".clone_into(&mut member.status);
        member.updated = now;
        let (member_id, profile, conn) = (member.member_id.clone(), member.profile, member.conn);
        let profile = self.told_profile(profile);
        let text = format!("removed {}", crate::db::display_name(&profile));
        let event = json!({"type": "memberDeleted", "groupMemberId": id, "profile": profile});
        let shared = self.say_own_event(group, support, event, &text);
        let message = GroupMessage::Removed { member: member_id, id: shared };
        if let Some(conn) = conn {
            self.send(conn, Body::Group(message.clone()));
        }
        self.broadcast_except(group, &message, &[id]);
    }

    /// Deletes a connection with the noise that the core makes of it (FINDINGS.md 7).
    pub(crate) fn drop_noisy(&mut self, conn: i64) {
        let Some(agent_id) = self.db.conns.get(&conn).map(|c| c.agent_id.clone()) else { return };
        self.drop_conn(conn);
        self.say_queue_deleted(&agent_id);
        self.error_event(errors::chat_with("noConnectionUser", json!({"agentConnId": agent_id})));
    }

    pub(crate) fn block_members(&mut self, mut scan: Scan<'_>) -> Answer {
        let (group, ids) = self.group_and_members(&mut scan)?;
        let blocked = scan.flag("blocked")?.ok_or_else(errors::parse)?;
        self.find_group(group)?;
        let highest = self.highest_role(group, &ids)?;
        self.need_role(group, role_name(highest.max(rank("moderator"))))?;
        for id in &ids {
            let Some(member) = self.db.members.get_mut(id) else { continue };
            member.blocked = blocked;
            let profile = self.db.members.get(id).map_or(0, |m| m.profile);
            let profile = self.told_profile(profile);
            let word = if blocked { "blocked" } else { "unblocked" };
            let text = format!("{word} {}", crate::db::display_name(&profile));
            let event =
                json!({"type": "memberBlocked", "groupMemberId": id, "profile": profile, "blocked": blocked});
            self.say_own_event(group, None, event, &text);
        }
        let members: Vec<Value> = ids.iter().map(|id| self.db.member_json(*id)).collect();
        let fields = json!({
            "groupInfo": self.db.group_json(group), "members": members, "blocked": blocked, "msgSigned": false,
        });
        Ok(self.result("membersBlockedForAllUser", fields))
    }

    pub(crate) fn accept_member(&mut self, mut scan: Scan<'_>) -> Answer {
        let (group, ids) = self.group_and_members(&mut scan)?;
        let role = scan.role()?;
        self.find_group(group)?;
        self.highest_role(group, &ids)?;
        self.need_role(group, "moderator")?;
        let Some(id) = ids.first().copied() else { return Err(errors::parse()) };
        if !self.db.members.get(&id).is_some_and(crate::db::Member::is_pending) {
            return Err(errors::command("member is not pending approval"));
        }
        self.admit(group, id, &role);
        let fields = json!({"groupInfo": self.db.group_json(group), "member": self.db.member_json(id)});
        Ok(self.result("memberAccepted", fields))
    }

    /// Lets a waiting member in.
    pub(crate) fn admit(&mut self, group: i64, id: i64, role: &str) {
        let now = self.now();
        let Some(member) = self.db.members.get_mut(&id) else { return };
        "connected".clone_into(&mut member.status);
        role.clone_into(&mut member.role);
        member.updated = now;
        let (member_id, profile, conn) = (member.member_id.clone(), member.profile, member.conn);
        let content = json!({"type": "rcvGroupEvent", "rcvGroupEvent": {"type": "memberConnected"}});
        let item = self.add_item(Chat::Group(group), Author::Member(id), content, "connected");
        self.say_items(&[item]);
        let profile = self.told_profile(profile);
        let event = json!({"type": "memberAccepted", "groupMemberId": id, "profile": profile});
        self.say_own_event(group, Some(id), event, "you accepted this member");
        if let Some(conn) = conn {
            self.send(conn, Body::Group(GroupMessage::Accepted { member: member_id, role: role.into() }));
        }
        self.welcome_member(group, id);
    }

    pub(crate) fn leave(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let group = scan.group()?;
        scan.end()?;
        self.find_group(group)?;
        let was_in = self.own_member(group).is_some_and(|m| m.is_current() || m.is_pending());
        let shared = self.say_own_event(group, None, json!({"type": "userLeft"}), "left");
        if was_in {
            self.broadcast(group, &GroupMessage::Left { id: shared });
        }
        self.drop_group_link(group);
        self.close_members(group);
        self.set_own_status(group, "left");
        Ok(self.result("leftMemberUser", json!({"groupInfo": self.db.group_json(group)})))
    }

    pub(crate) fn set_own_status(&mut self, group: i64, status: &str) {
        let now = self.now();
        let own = self.db.groups.get(&group).map(|g| g.own);
        if let Some(member) = own.and_then(|id| self.db.members.get_mut(&id)) {
            status.clone_into(&mut member.status);
            member.updated = now;
        }
    }

    /// Ends the connections to the members of a group that the profile is out of.
    pub(crate) fn close_members(&mut self, group: i64) {
        let conns: Vec<i64> =
            self.db.members.values_mut().filter(|m| m.group == group).filter_map(|m| m.conn.take()).collect();
        for conn in conns {
            self.drop_noisy(conn);
        }
    }

    pub(crate) fn add_member_row_of(&mut self, group: i64, contact: i64, role: &str) -> Option<i64> {
        let profile = self.db.contacts.get(&contact)?.profile;
        let name = self.db.contacts.get(&contact)?.local_name.clone();
        let id = self.add_member(group, role, "invitee", "invited", profile);
        let own = self.own_member(group).map(|m| m.id);
        let member = self.db.members.get_mut(&id)?;
        member.local_name = name;
        member.contact = Some(contact);
        "user".clone_into(&mut member.invited_by);
        member.invited_by_member = own;
        Some(id)
    }

    pub(crate) fn add_member_command(&mut self, group: i64, contact: i64, role: &str) -> Answer {
        self.find_group(group)?;
        let Some(row) = self.db.contacts.get(&contact) else {
            return Err(errors::store_with("contactNotFound", json!({"contactId": contact})));
        };
        let conn = row.conn;
        self.need_role(group, role_name(rank(role).max(rank("admin"))))?;
        let Some(conn) = conn.filter(|c| self.db.conns.get(c).is_some_and(|c| c.status == "ready")) else {
            return Err(errors::chat_with(
                "contactNotReady",
                json!({"contact": self.db.contact_json(contact)}),
            ));
        };
        let listed = self
            .db
            .members
            .values()
            .find(|m| m.group == group && m.contact == Some(contact) && !m.is_removed());
        if let Some(member) = listed.filter(|m| m.category != "user") {
            return Err(errors::chat_with("groupDuplicateMember", json!({"contactName": member.local_name})));
        }
        let Some(member) = self.add_member_row_of(group, contact, role) else {
            return Err(self.no_group(group));
        };
        let profile = self.db.groups.get(&group).map(|g| g.profile.clone()).unwrap_or(Value::Null);
        let card = self.invitation(group, member, "invited");
        self.send(conn, Body::GroupInvite(card));
        let content = json!({
            "type": "sndGroupInvitation", "memberRole": role,
            "groupInvitation": {
                "groupId": group, "groupMemberId": member,
                "localDisplayName": self.db.groups.get(&group).map(|g| g.local_name.clone()),
                "groupProfile": profile, "status": "pending",
            },
        });
        let text = format!("sent invitation to join group {} as {role}", title(&profile));
        let item = self.add_item(Chat::Contact(contact), Author::Own, content, &text);
        let shared = self.world.chance.id();
        self.with_item(item, |i| i.shared_id = Some(shared));
        self.say_items(&[item]);
        let fields = json!({
            "groupInfo": self.db.group_json(group), "contact": self.db.contact_json(contact),
            "member": self.db.member_json(member),
        });
        Ok(self.result("sentGroupInvitation", fields))
    }

    pub(crate) fn add_member_by_line(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let group = scan.group()?;
        scan.space()?;
        let contact = scan.id()?;
        let role = scan.role()?;
        self.add_member_command(group, contact, &role)
    }

    /// The group as a new member gets it.
    pub(crate) fn invitation(&self, group: i64, member: i64, status: &str) -> Invitation {
        let row = self.db.groups.get(&group);
        let member = self.db.members.get(&member);
        let members = self.db.members.values().filter(|m| m.group == group && m.is_current()).count();
        Invitation {
            group: row.map(|g| g.profile.clone()).unwrap_or(Value::Null),
            key: row.map(|g| g.key.clone()).unwrap_or_default(),
            host: self.own_card(group),
            you: member.map(|m| m.member_id.clone()).unwrap_or_default(),
            role: member.map(|m| m.role.clone()).unwrap_or_default(),
            status: status.into(),
            business: row.is_some_and(|g| g.business.is_some()),
            channel: row.is_some_and(|g| g.channel),
            members: u32::try_from(members).unwrap_or(u32::MAX),
            welcome: None,
            prepared: false,
        }
    }

    /// The own membership as others are told of it.
    pub(crate) fn own_card(&self, group: i64) -> MemberCard {
        self.own_member(group).map(|m| m.id).map_or_else(
            || MemberCard { id: alloc::string::String::new(), role: "member".into(), profile: Value::Null },
            |id| self.card(id),
        )
    }

    pub(crate) fn card(&self, member: i64) -> MemberCard {
        let member = self.db.members.get(&member);
        let profile = member.and_then(|m| self.db.profiles.get(&m.profile)).unwrap_or(&Value::Null);
        MemberCard {
            id: member.map(|m| m.member_id.clone()).unwrap_or_default(),
            role: member.map(|m| m.role.clone()).unwrap_or_default(),
            profile: member_profile(profile),
        }
    }

    pub(crate) fn join(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let group = scan.group()?;
        self.find_group(group)?;
        let contact = self.db.groups.get_mut(&group).and_then(|g| g.invited_by.take());
        let Some(conn) = contact.and_then(|c| self.db.contacts.get(&c)).and_then(|c| c.conn) else {
            return Err(errors::store("groupInvitationNotFound"));
        };
        self.set_own_status(group, "accepted");
        // The member's connection: its own end is new, the host's end comes with the answer.
        let host = self.db.members.values().find(|m| m.group == group && m.category == "host").map(|m| m.id);
        if let Some(host) = host {
            let member_conn = self.add_conn(Entity::Member(host), "requested");
            if let Some(row) = self.db.conns.get_mut(&member_conn) {
                row.pq = false;
            }
            if let Some(row) = self.db.members.get_mut(&host) {
                row.conn = Some(member_conn);
            }
            let wire = self.db.conns.get(&member_conn).map(|c| c.wire);
            let peer = self.db.conns.get(&conn).and_then(|c| c.peer);
            if let (Some(wire), Some(peer)) = (wire, peer) {
                self.send_to(crate::wire::To::Wire(peer), wire, Body::GroupJoin);
            }
        }
        self.mark_invitation_accepted(group);
        Ok(self.result("userAcceptedGroupSent", json!({"groupInfo": self.db.group_json(group)})))
    }

    /// The invitation item of a joined group says so, as an event.
    fn mark_invitation_accepted(&mut self, group: i64) {
        let now = self.now();
        let item = self.db.items.values_mut().find(|i| {
            i.content_type() == "rcvGroupInvitation"
                && i.content.pointer("/groupInvitation/groupId") == Some(&json!(group))
        });
        let Some(item) = item else { return };
        if let Some(status) = item.content.pointer_mut("/groupInvitation/status") {
            *status = json!("accepted");
        }
        let id = item.id;
        let item = self.db.chat_item(id, now);
        self.event("chatItemUpdated", json!({"chatItem": item}));
    }

    pub(crate) fn member_info(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let group = scan.group()?;
        scan.space()?;
        let id = scan.id()?;
        self.find_group(group)?;
        self.highest_role(group, &[id])?;
        let fields = json!({
            "groupInfo": self.db.group_json(group), "member": self.db.member_json(id),
            "connectionStats_": self.connection_stats(),
        });
        Ok(self.result("groupMemberInfo", fields))
    }

    fn connection_stats(&self) -> Value {
        let active = json!({"type": "active"});
        json!({
            "connAgentVersion": 7,
            "rcvQueuesInfo": [{
                "rcvServer": self.db.server, "status": "active", "canAbortSwitch": false, "subStatus": active,
            }],
            "sndQueuesInfo": [{"sndServer": self.db.server, "status": "confirmed"}],
            "ratchetSyncState": "ok", "ratchetSyncSupported": true, "subStatus": active,
        })
    }

    /// Opens the support scope of a member, when it is not open.
    pub(crate) fn open_support(&mut self, member: i64) {
        let now = self.now();
        if let Some(row) = self.db.members.get_mut(&member) {
            let support = row.support.get_or_insert(Support {
                ts: now,
                unread: 0,
                attention: 0,
                mentions: 0,
                last: None,
            });
            support.ts = now;
        }
    }

    /// To every member of the group that is reached directly.
    pub(crate) fn broadcast(&mut self, group: i64, message: &GroupMessage) {
        self.broadcast_except(group, message, &[]);
    }

    pub(crate) fn broadcast_except(&mut self, group: i64, message: &GroupMessage, except: &[i64]) {
        for (_, conn) in self.receivers(group, except) {
            self.send(conn, Body::Group(message.clone()));
        }
    }

    /// Members and connections that a message to the main chat goes to.
    pub(crate) fn receivers(&self, group: i64, except: &[i64]) -> Vec<(i64, i64)> {
        let members = self.db.members.values().filter(|m| m.group == group && m.category != "user");
        let members = members.filter(|m| m.is_current() && !except.contains(&m.id));
        members.filter_map(|m| Some((m.id, m.conn?))).collect()
    }
}

fn role_name(rank: u8) -> &'static str {
    match rank {
        0 => "relay",
        1 => "observer",
        2 => "author",
        3 => "member",
        4 => "moderator",
        5 => "admin",
        _ => "owner",
    }
}
