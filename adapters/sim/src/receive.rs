//! What a controller does with what others sent.

use serde_json::json;

use crate::controller::Controller;
use crate::db::{Chat, Entity};
use crate::wire::{Body, Packet, To};
use crate::world::Later;

mod address;
mod business;
mod channel;
mod contact;
mod group;
mod join;
mod message;
mod once;
mod service;
mod welcome;

impl Controller<'_> {
    /// Takes a packet.
    pub(crate) fn receive(&mut self, packet: Packet) {
        match packet.to {
            To::Link(link) => self.receive_at_link(link, packet),
            To::Wire(wire) => {
                if let Body::ServiceReply(reply) = packet.body {
                    self.receive_service_reply(wire, reply);
                    return;
                }
                let Some(conn) = self.db.conn_at(wire) else { return };
                self.receive_at(conn, packet);
            }
        }
    }

    fn receive_at_link(&mut self, link: u64, packet: Packet) {
        let Some(from) = packet.from else { return };
        match packet.body {
            Body::Request(request) => self.receive_request(link, from, request),
            Body::InvConfirm { profile, message } => self.receive_confirmation(link, from, profile, message),
            Body::RelayInvite(card) => self.receive_relay_invite(from, card),
            Body::ServiceRequest(call) => self.receive_service_request(link, from, call),
            _ => {}
        }
    }

    fn receive_at(&mut self, conn: i64, packet: Packet) {
        let Some(entity) = self.db.conns.get(&conn).map(|c| c.entity) else { return };
        if let (Some(from), Some(row)) = (packet.from, self.db.conns.get_mut(&conn)) {
            row.peer = row.peer.or(Some(from));
        }
        match (entity, packet.body) {
            (_, Body::Accept { profile }) => self.receive_accept(conn, profile),
            (Entity::Contact(_), Body::Ready) => self.receive_ready(conn),
            (Entity::Contact(id), Body::ReadyBack) => self.receive_ready_back(id, conn),
            (Entity::Contact(id), Body::Done { profile }) => self.receive_done(id, conn, profile),
            (Entity::Contact(id), Body::Profile(profile)) => self.receive_profile(id, &profile),
            (Entity::Contact(id), Body::ContactDeleted { id: shared }) => {
                self.receive_contact_deleted(id, conn, shared)
            }
            (Entity::Contact(id), Body::GroupInvite(card)) => self.receive_invitation(id, card, packet.at),
            (Entity::Contact(id), Body::GroupJoin) => self.receive_group_join(id, packet.from),
            (Entity::Contact(id), Body::Text(text)) => self.receive_text(Chat::Contact(id), None, conn, text),
            (Entity::Contact(id), Body::Welcome(text)) => self.receive_welcome(Chat::Contact(id), &text),
            (Entity::Contact(id), Body::Edit(edit)) => self.receive_edit(Chat::Contact(id), edit),
            (Entity::Contact(id), Body::Delete { id: shared }) => {
                self.receive_delete(Chat::Contact(id), None, &shared)
            }
            (Entity::Contact(id), Body::Reaction { id: shared, added, emoji }) => {
                self.receive_reaction(Chat::Contact(id), None, &shared, added, &emoji);
            }
            (_, Body::GroupAccept(card)) => self.receive_group_accept(conn, card),
            (Entity::Member(_), Body::GroupConfirm) => self.send(conn, Body::GroupReady),
            (Entity::Member(id), Body::GroupReady) => self.receive_group_ready(id, conn),
            (Entity::Member(id), Body::GroupReadyBack) => self.receive_group_ready_back(id, conn),
            (Entity::Member(id), Body::RelayReady { link, member }) => {
                self.receive_relay_ready(id, link, &member)
            }
            (Entity::Member(id), Body::Group(message)) => self.receive_group_message(id, conn, message),
            (Entity::Member(id), Body::Relayed { author, message }) => {
                self.receive_relayed(id, conn, &author, message)
            }
            (Entity::Member(id), body) => self.receive_from_member(id, conn, body),
            (_, Body::Receipt { ids }) => self.receive_receipt(&ids),
            _ => {}
        }
    }

    fn receive_from_member(&mut self, id: i64, conn: i64, body: Body) {
        let Some(group) = self.db.members.get(&id).map(|m| m.group) else { return };
        let chat = Chat::Group(group);
        match body {
            Body::Text(text) => {
                self.hand_on(group, id, &Body::Text(text.clone()));
                self.receive_text(chat, Some(id), conn, text);
            }
            Body::Edit(edit) => {
                self.hand_on(group, id, &Body::Edit(edit.clone()));
                self.receive_edit(chat, edit);
            }
            Body::Delete { id: shared } => {
                self.hand_on(group, id, &Body::Delete { id: shared.clone() });
                self.receive_delete(chat, Some(id), &shared);
            }
            Body::Welcome(text) => self.receive_welcome(chat, &text),
            Body::Reaction { id: shared, added, emoji } => {
                self.receive_reaction(chat, Some(id), &shared, added, &emoji);
            }
            Body::Receipt { ids } => self.receive_receipt(&ids),
            _ => {}
        }
    }

    /// What was planned for a little later.
    pub(crate) fn later(&mut self, later: Later) {
        match later {
            Later::Sent { wire, item } => {
                if let Some(at) = self.db.unsent.iter().position(|w| *w == wire) {
                    self.db.unsent.remove(at);
                }
                let peer = self.db.conns.values().find(|c| c.wire == wire).and_then(|c| c.peer);
                let waits = peer
                    .and_then(|p| self.world.wires.get(&p))
                    .is_some_and(|db| self.world.router_of(*db).is_some());
                if let (Some(item), false) = (item, waits) {
                    self.mark_sent(item);
                }
            }
            Later::SentShared { shared, .. } => {
                let item =
                    self.db.items.values().find(|i| i.is_own() && i.shared_id.as_ref() == Some(&shared));
                if let Some(item) = item.map(|i| i.id) {
                    self.mark_sent(item);
                }
            }
            Later::Subscribed => self.say_subscribed(),
            Later::ServiceOver { wire } => {
                self.world.end_wait(wire);
            }
            Later::ServiceReplySent { connection } => {
                self.event("serviceReplySent", json!({"connectionId": connection}));
            }
        }
    }

    fn say_subscribed(&mut self) {
        let conns: alloc::vec::Vec<&str> =
            self.db.conns.values().filter(|c| c.status != "prepared").map(|c| c.agent_id.as_str()).collect();
        if conns.is_empty() {
            return;
        }
        let place = crate::world::Server::parse(&self.db.server).map(|s| s.host).unwrap_or_default();
        let status = json!({
            "type": "subscriptionStatus", "server": self.db.server, "subscriptionStatus": {"type": "active"},
            "connections": conns,
        });
        self.bare_event(json!({"type": "hostConnected", "protocol": "smp", "transportHost": place}));
        self.bare_event(status);
    }
}
