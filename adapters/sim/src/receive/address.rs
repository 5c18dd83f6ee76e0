//! Requests to an address or group link, at the side that made it (FINDINGS.md 2, 5).

use serde_json::{Value, json};

use crate::controller::Controller;
use crate::db::{Author, Chat, Entity, next_row};
use crate::wire::{Body, Request, Text};
use crate::world::{LinkKind, LinkOwner};

impl Controller<'_> {
    /// Somebody asks to connect.
    pub(crate) fn receive_request(&mut self, link: u64, from: u64, request: Request) {
        let Some(made) = self.world.links.get(&link).cloned() else { return };
        match made.owner {
            LinkOwner::Group(group) if made.kind == LinkKind::Channel => self.refuse_direct(group),
            LinkOwner::Group(group) => self.receive_member_request(group, from, request),
            LinkOwner::Address => self.receive_contact_request(from, request),
            LinkOwner::Connection(_) => {}
        }
    }

    fn receive_contact_request(&mut self, from: u64, request: Request) {
        let Some(address) = self.db.address.clone() else { return };
        if address.business {
            self.receive_business_request(from, request);
            return;
        }
        let again = self.db.requests.values().find(|r| r.x_contact_id == request.x_contact_id);
        if let Some((id, contact)) = again.map(|r| (r.id, r.contact)) {
            self.repeat_request(id, contact, from);
            return;
        }
        let id = self.add_request(from, &request);
        if address.auto_accept.is_some() {
            self.accept_at_once(id, request, address.auto_reply);
        } else {
            self.say_request(id);
        }
    }

    /// A request that came before: it waits on with the newer connection, or was answered.
    fn repeat_request(&mut self, id: i64, contact: i64, from: u64) {
        if self.db.contacts.get(&contact).is_some_and(|c| c.conn.is_some()) {
            let shown = self.db.contact_json(contact);
            self.event("contactRequestAlreadyAccepted", json!({"contact": shown}));
            return;
        }
        let now = self.now();
        if let Some(row) = self.db.requests.get_mut(&id) {
            row.wire = from;
            row.updated = now;
        }
        self.say_request(id);
    }

    /// Records of a request: a contact that is not used yet, with its first items.
    fn add_request(&mut self, from: u64, request: &Request) -> i64 {
        let contact = self.add_contact(request.profile.clone(), None);
        let id = next_row(&self.db.requests);
        let (profile, local_name) =
            self.db.contacts.get(&contact).map(|c| (c.profile, c.local_name.clone())).unwrap_or_default();
        let now = self.now();
        let row = crate::db::Request {
            id,
            contact,
            agent_invitation: self.world.chance.id(),
            x_contact_id: request.x_contact_id.clone(),
            profile,
            local_name,
            wire: from,
            more_profile: request.more_profile.clone(),
            message: request.message.as_ref().map(|m| m.id.clone()),
            created: now,
            updated: now,
        };
        self.db.requests.insert(id, row);
        if let Some(row) = self.db.contacts.get_mut(&contact) {
            row.request = Some(id);
        }
        let banner =
            self.add_item(Chat::Contact(contact), Author::Own, json!({"type": "chatBanner"}), "chat banner");
        self.with_item(banner, |i| i.ts.0 = 0);
        self.add_contact_e2ee(contact);
        self.add_contact_features(contact);
        if let Some(text) = &request.message {
            let item = self.add_received(Chat::Contact(contact), Author::Peer, text);
            self.say_items(&[item]);
        }
        id
    }

    fn say_request(&mut self, id: i64) {
        let Some(request) = self.db.requests.get(&id).cloned() else { return };
        let mut fields = json!({"contactRequest": self.db.request_json(&request)});
        let now = self.now();
        let chat = Chat::Contact(request.contact);
        let item = self.db.items.values().rfind(|i| i.chat == chat && i.is_message());
        let items: alloc::vec::Vec<Value> = item.map(|i| self.db.item_json(i, now)).into_iter().collect();
        let stats = json!({
            "unreadCount": items.len(), "unreadMentions": 0, "reportsCount": 0,
            "minUnreadItemId": item.map_or(0, |i| i.id), "unreadChat": false,
        });
        let chat = json!({"chatInfo": self.db.chat_info(chat, None), "chatItems": items, "chatStats": stats});
        crate::json::put(&mut fields, "chat_", Some(chat));
        self.event("receivedContactRequest", fields);
    }

    fn accept_at_once(&mut self, id: i64, request: Request, reply: Option<Value>) {
        let Some(row) = self.db.requests.get(&id).cloned() else { return };
        let conn = self.open_accepted(&row);
        let shown = self.db.contact_json(row.contact);
        self.event("acceptingContactRequest", json!({"contact": shown}));
        self.set_conn(conn, "sndReady");
        let shown = self.db.contact_json(row.contact);
        self.event("contactSndReady", json!({"contact": shown}));
        let Some(reply) = reply else { return };
        let text = Text { content: reply, ..self.first_text(Value::Null) };
        if request.prepared {
            self.add_sent(Chat::Contact(row.contact), &text);
            self.send(conn, Body::Welcome(text));
            return;
        }
        let item = self.add_sent(Chat::Contact(row.contact), &text);
        self.say_items(&[item]);
        self.send(conn, Body::Text(text));
        self.expect_sent(conn, Some(item));
    }

    /// An own item of a message that the controller writes by itself.
    pub(crate) fn add_sent(&mut self, chat: Chat, text: &Text) -> i64 {
        let words = text.content.get("text").and_then(Value::as_str).unwrap_or_default();
        let content = json!({"type": "sndMsgContent", "msgContent": text.content});
        let item = self.add_item(chat, Author::Own, content, words);
        let shared = text.id.clone();
        self.with_item(item, |i| {
            i.shared_id = Some(shared);
            i.sent = (1, 0, 0);
        })
    }

    /// Members' request to a group link.
    fn receive_member_request(&mut self, group: i64, from: u64, request: Request) {
        if self.db.rejects {
            self.reject_member_request(group, from, &request);
            return;
        }
        let Some(row) = self.db.groups.get(&group) else { return };
        let role = row.link.as_ref().map_or_else(|| "observer".into(), |l| l.role.clone());
        let via = row.link.as_ref().map(|l| l.id);
        let status = self.admission(group);
        let profile = self.db.add_profile(crate::json::member_profile(&request.profile));
        let own = self.own_member(group).map(|m| m.id);
        let row_status = if status == "accepted" { "accepted" } else { status };
        let member = self.add_member(group, &role, "invitee", row_status, profile);
        let conn = self.add_conn(Entity::Member(member), "new");
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.peer = Some(from);
            row.via_user_link = via;
            row.via_group_link = true;
            row.pq = false;
        }
        if let Some(row) = self.db.members.get_mut(&member) {
            row.conn = Some(conn);
            row.invited_by = "user".into();
            row.invited_by_member = own;
        }
        let content = json!({"type": "rcvGroupEvent", "rcvGroupEvent": {"type": "invitedViaGroupLink"}});
        let item =
            self.add_item(Chat::Group(group), Author::Member(member), content, "invited via your group link");
        let pending = status != "accepted";
        self.with_item(item, |i| i.support = pending.then_some(member));
        if pending {
            self.open_support(member);
        }
        self.say_items(&[item]);
        let fields = json!({"groupInfo": self.db.group_json(group), "member": self.db.member_json(member)});
        self.event("acceptingGroupJoinRequestMember", fields);
        let card = self.invitation(group, member, status);
        self.send(conn, Body::GroupAccept(card));
    }

    /// The request is rejected: the joining side is told so, and no event says it here (digest 4.3).
    fn reject_member_request(&mut self, group: i64, from: u64, request: &Request) {
        let profile = self.db.add_profile(crate::json::member_profile(&request.profile));
        let member = self.add_member(group, "member", "invitee", "rejected", profile);
        let conn = self.add_conn(Entity::Member(member), "new");
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.peer = Some(from);
        }
        let card = self.invitation(group, member, "rejected");
        self.send(conn, Body::GroupAccept(card));
    }

    /// How a new member is let in: at once, after a review, after a captcha.
    fn admission(&self, group: i64) -> &'static str {
        let profile = self.db.groups.get(&group).map(|g| &g.profile);
        if profile.and_then(|p| p.pointer("/memberAdmission/review")).and_then(Value::as_str) == Some("all") {
            return "pending_review";
        }
        if self.db.captcha { "pending_approval" } else { "accepted" }
    }
}
