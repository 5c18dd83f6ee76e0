//! Channels: owners, relays and subscribers (FINDINGS.md 5).

use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::controller::Controller;
use crate::db::{Entity, GroupLink, Member, Prepared, Relay};
use crate::errors;
use crate::exec::relay_json;
use crate::json::{put, received_profile};
use crate::wire::{Body, Invitation, MemberCard, Request, To};
use crate::world::{Link, LinkKind, LinkOwner};

impl Controller<'_> {
    /// At the owner: asks a relay to serve a channel.
    pub(crate) fn invite_relay(&mut self, group: i64, relay: &Relay) {
        let link = self.world.links.iter().find(|(_, l)| l.is(&relay.address)).map(|(id, _)| *id);
        let Some(link) = link else { return };
        let profile = self.db.add_profile(json!({"displayName": relay.name, "fullName": ""}));
        let member = self.add_member(group, "relay", "invitee", "accepted", profile);
        let conn = self.add_conn(Entity::Member(member), "joined");
        let own = self.own_member(group).map(|m| m.id);
        if let Some(row) = self.db.members.get_mut(&member) {
            row.conn = Some(conn);
            row.invited_by = "user".into();
            row.invited_by_member = own;
            row.public_key = Some("MCowBQYDK2VwAyEAeAxzF4xioYNj".into());
        }
        let card = self.invitation(group, member, "accepted");
        let wire = self.db.conns.get(&conn).map_or(0, |c| c.wire);
        self.send_to(To::Link(link), wire, Body::RelayInvite(card));
    }

    /// At the relay: serves the channel, by a link of its own.
    pub(crate) fn receive_relay_invite(&mut self, from: u64, card: Invitation) {
        let group = self.add_group(card.group.clone(), card.key.clone());
        let profile = self.db.add_profile(card.host.profile.clone());
        let host = self.add_member(group, &card.host.role, "host", "connected", profile);
        let own = self.add_own_member(group, "relay", "connected", 1);
        let conn = self.add_conn(Entity::Member(host), "ready");
        let Ok(link) = self.new_link(LinkKind::Group, LinkOwner::Group(group)) else { return };
        let row_id = self.db.next_user_link();
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.peer = Some(from);
            row.pq = false;
        }
        if let Some(row) = self.db.members.get_mut(&host) {
            row.conn = Some(conn);
            row.member_id.clone_from(&card.host.id);
        }
        if let Some(row) = self.db.members.get_mut(&own) {
            row.member_id.clone_from(&card.you);
        }
        let public = card.group.pointer("/publicGroup/publicGroupId").and_then(Value::as_str).map(Into::into);
        if let Some(row) = self.db.groups.get_mut(&group) {
            row.own = own;
            row.channel = true;
            row.public_id = public;
            row.link = Some(GroupLink { id: row_id, link, role: "observer".into() });
        }
        let fields = json!({"groupInfo": self.db.group_json(group), "hostMember": self.db.member_json(host)});
        self.event("userJoinedGroup", fields);
        self.say_member_event(group, host, None, json!({"type": "memberConnected"}), "connected");
        let member = self.own_card(group);
        self.send(conn, Body::RelayReady { link, member });
    }

    /// At the owner: the relay serves.
    pub(crate) fn receive_relay_ready(&mut self, member: i64, link: u64, _card: &MemberCard) {
        let Some(row) = self.db.members.get(&member).cloned() else { return };
        let short = self.world.links.get(&link).map(|l| l.short.clone());
        if let Some(conn) = row.conn {
            self.set_conn(conn, "ready");
        }
        if let Some(row) = self.db.members.get_mut(&member) {
            row.status = "connected".into();
            row.relay_link = short;
        }
        for status in ["accepted", "acknowledgedRoster"] {
            let relay = self.relay_of(member, status);
            let fields = json!({
                "groupInfo": self.db.group_json(row.group), "member": self.db.member_json(member),
                "groupRelay": relay,
            });
            self.event("groupRelayUpdated", fields);
        }
        self.say_link_data(row.group);
    }

    pub(crate) fn say_link_data(&mut self, group: i64) {
        self.refresh_group_data(group);
        let owns = self.own_member(group).is_some_and(|m| m.role == "owner");
        if !owns {
            return;
        }
        let fields = json!({
            "groupInfo": self.db.group_json(group), "groupLink": self.db.group_link_json(group, self.world),
            "groupRelays": self.relay_rows(group), "relaysChanged": false,
        });
        self.event("groupLinkDataUpdated", fields);
    }

    fn relay_members(&self, group: i64) -> impl Iterator<Item = &Member> {
        self.db
            .members
            .values()
            .filter(move |m| m.group == group && m.role == "relay" && m.category != "user")
    }

    /// Short links of a channel's relays, which its link data has.
    pub(crate) fn relay_links(&self, group: i64) -> Value {
        self.relay_members(group).filter_map(|m| m.relay_link.clone()).map(Value::from).collect()
    }

    pub(crate) fn relay_rows(&self, group: i64) -> Vec<Value> {
        self.relay_members(group).map(|m| self.relay_of(m.id, "active")).collect()
    }

    fn relay_of(&self, member: i64, status: &str) -> Value {
        let row = self.db.members.get(&member);
        let name = row.map(|m| self.db.profile_name(m.profile)).unwrap_or_default();
        let relay = self.db.relays.iter().find(|r| r.name == name).cloned();
        let relay = relay.unwrap_or(Relay { id: 4, name, address: alloc::string::String::new() });
        self.relay_row(&relay, member, status, row.and_then(|m| m.relay_link.clone()))
    }

    pub(crate) fn relay_row(
        &self,
        relay: &Relay,
        member: i64,
        status: &str,
        link: Option<alloc::string::String>,
    ) -> Value {
        let mut value = json!({
            "groupRelayId": 1, "groupMemberId": member, "userChatRelay": relay_json(relay),
            "relayStatus": status, "relayCap": {},
        });
        put(&mut value, "relayLink", link.map(Value::from));
        value
    }

    /// At the owner: somebody tried to join without a relay (FINDINGS.md 5, "Prepared without `direct=off`").
    pub(crate) fn refuse_direct(&mut self, group: i64) {
        let name =
            self.db.groups.get(&group).map(|g| crate::db::display_name(&g.profile)).unwrap_or_default();
        let message = alloc::format!(
            "processContactConnMessage (group {name}): ignored direct join request via link (group uses relays)"
        );
        self.event("messageError", json!({"severity": "warning", "errorMessage": message}));
    }

    /// At the subscriber: asks every relay.
    pub(crate) fn start_channel(
        &mut self,
        id: i64,
        link: &Link,
        incognito: bool,
    ) -> Result<(Option<i64>, Value), Value> {
        let relays = link.data.pointer("/groupSLinkInfo_/groupRelays").and_then(Value::as_array).cloned();
        let (mut first, mut results) = (None, Vec::new());
        let custom = incognito.then(|| {
            let name = self.world.chance.name();
            self.db.add_profile(json!({"displayName": name, "fullName": ""}))
        });
        for short in relays.unwrap_or_default() {
            let short = short.as_str().unwrap_or_default();
            let Some(relay_link) = self.world.links.iter().find(|(_, l)| l.is(short)).map(|(id, _)| *id)
            else {
                continue;
            };
            let (member, conn) = self.ask_relay(id, relay_link, short, custom);
            first = first.or(Some(conn));
            results.push(json!({"relayMember": self.db.member_json(member)}));
        }
        if results.is_empty() {
            return Err(errors::auth(&link.server.address()));
        }
        self.set_shown_profile(id, custom);
        if let Some(p) = self.db.groups.get_mut(&id).and_then(|g| g.prepared.as_mut()) {
            *p = Prepared { started: true, ..p.clone() };
        }
        Ok((first, Value::Array(results)))
    }

    fn ask_relay(&mut self, group: i64, link: u64, short: &str, custom: Option<i64>) -> (i64, i64) {
        let profile = self.db.add_profile(json!({"displayName": self.world.chance.name(), "fullName": ""}));
        let member = self.add_member(group, "relay", "host", "accepted", profile);
        let conn = self.add_conn(Entity::Member(member), "joined");
        let x_contact_id = self.world.chance.short_id();
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.link = Some(link);
            row.via_contact_uri = true;
            row.x_contact_id = Some(x_contact_id.clone());
            row.custom_profile = custom;
            row.initiated = true;
        }
        if let Some(row) = self.db.members.get_mut(&member) {
            row.conn = Some(conn);
            row.relay_link = Some(short.into());
            row.public_key = Some("MCowBQYDK2VwAyEAeAxzF4xioYNj".into());
        }
        let profile =
            custom.and_then(|c| self.db.profiles.get(&c)).cloned().unwrap_or_else(|| self.db.own_profile());
        let wire = self.db.conns.get(&conn).map_or(0, |c| c.wire);
        let request = Request {
            profile: received_profile(&profile),
            x_contact_id,
            incognito: custom.is_some(),
            message: None,
            prepared: true,
            more_profile: None,
            direct: false,
        };
        self.send_to(To::Link(link), wire, Body::Request(request));
        (member, conn)
    }
}
