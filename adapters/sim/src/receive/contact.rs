//! Contacts: the handshake, profiles, deletion (FINDINGS.md 2).

use alloc::string::String;

use serde_json::{Value, json};

use crate::controller::Controller;
use crate::db::{Author, Chat, Entity, display_name};
use crate::errors;
use crate::wire::Body;

impl Controller<'_> {
    /// The address owner or the maker of a one-time link accepted.
    pub(crate) fn receive_accept(&mut self, conn: i64, profile: Value) {
        let Some(row) = self.db.conns.get(&conn).cloned() else { return };
        if !matches!(row.status.as_str(), "joined" | "sndReady") {
            return;
        }
        let once = row.status == "sndReady";
        let contact = match row.entity {
            Entity::Contact(id) => self.known_contact_profile(id, profile),
            Entity::Pending => self.new_contact_of(conn, profile, once),
            Entity::Member(_) => return,
        };
        if once {
            self.set_conn(conn, "ready");
            self.connected(contact, conn, row.entity == Entity::Pending);
        } else {
            self.send(conn, Body::Ready);
        }
    }

    /// A prepared contact or a card gets the profile that the other side has.
    fn known_contact_profile(&mut self, id: i64, profile: Value) -> i64 {
        let Some(contact) = self.db.contacts.get(&id).cloned() else { return id };
        let before = self.db.contact_json(id);
        let old = self.db.profiles.insert(contact.profile, profile.clone()).unwrap_or(Value::Null);
        if contact.prepared.is_none() && display_name(&old) != display_name(&profile) {
            let name = self.db.free_name(&display_name(&profile));
            if let Some(row) = self.db.contacts.get_mut(&id) {
                row.local_name = name;
            }
            let after = self.db.contact_json(id);
            self.event("contactUpdated", json!({"fromContact": before, "toContact": after}));
        }
        id
    }

    fn new_contact_of(&mut self, conn: i64, profile: Value, once: bool) -> i64 {
        let contact = self.add_contact(profile, None);
        self.set_conn(conn, if once { "sndReady" } else { "requested" });
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.entity = Entity::Contact(contact);
        }
        if let Some(row) = self.db.contacts.get_mut(&contact) {
            row.conn = Some(conn);
        }
        let shown = self.db.contact_json(contact);
        self.event("contactConnecting", json!({"contact": shown}));
        if !once {
            self.set_conn(conn, "accepted");
        }
        contact
    }

    /// `contactConnected` and the first items of the chat.
    fn connected(&mut self, contact: i64, conn: i64, new: bool) {
        self.say_contact_connected(contact, conn);
        let chat = Chat::Contact(contact);
        if new && !self.db.items.values().any(|i| i.chat == chat) {
            self.say_contact_banner(contact);
        }
        let prepared = self.db.contacts.get(&contact).is_some_and(|c| c.prepared.is_some());
        let item = self.add_contact_e2ee(contact);
        self.say_items(&[item]);
        if !prepared {
            let items = self.add_contact_features(contact);
            self.say_items(&items);
        }
        self.associate_contact(contact);
    }

    /// At the address owner: the requester has its records.
    pub(crate) fn receive_ready(&mut self, conn: i64) {
        if self.db.conns.get(&conn).is_some_and(|c| c.status == "new") {
            self.set_conn(conn, "sndReady");
        }
        self.send(conn, Body::ReadyBack);
    }

    /// At the requester: the connection works.
    pub(crate) fn receive_ready_back(&mut self, contact: i64, conn: i64) {
        let own = self.db.own_profile();
        let incognito = self.db.conns.get(&conn).is_some_and(|c| c.custom_profile.is_some());
        self.set_conn(conn, "ready");
        let plain = self.db.contacts.get(&contact).is_some_and(|c| c.prepared.is_none());
        self.connected(contact, conn, plain);
        let profile =
            (!incognito && own.get("peerType").is_some()).then(|| crate::json::received_profile(&own));
        self.send(conn, Body::Done { profile });
    }

    /// At the address owner: the same, with what the request left out.
    pub(crate) fn receive_done(&mut self, contact: i64, conn: i64, profile: Option<Value>) {
        if let Some(profile) = profile {
            let before = self.db.contact_json(contact);
            let row = self.db.contacts.get(&contact).map(|c| c.profile);
            if let Some(row) = row {
                self.db.profiles.insert(row, profile);
            }
            let after = self.db.contact_json(contact);
            self.event("newChatItems", json!({"chatItems": []}));
            self.event("contactUpdated", json!({"fromContact": before, "toContact": after}));
        }
        self.set_conn(conn, "ready");
        self.say_contact_connected(contact, conn);
        self.associate_contact(contact);
    }

    /// The contact changed its profile.
    pub(crate) fn receive_profile(&mut self, contact: i64, profile: &Value) {
        let Some(row) = self.db.contacts.get(&contact).map(|c| c.profile) else { return };
        let before = self.db.contact_json(contact);
        let old = self.db.profiles.insert(row, profile.clone()).unwrap_or(Value::Null);
        if display_name(&old) != display_name(profile) {
            let name = self.db.free_name(&display_name(profile));
            if let Some(contact) = self.db.contacts.get_mut(&contact) {
                contact.local_name = name;
            }
        }
        let now = self.now();
        if let Some(contact) = self.db.contacts.get_mut(&contact) {
            contact.updated = now;
        }
        let event = json!({"type": "profileUpdated", "fromProfile": old, "toProfile": profile});
        let content = json!({"type": "rcvDirectEvent", "rcvDirectEvent": event});
        let item = self.add_item(Chat::Contact(contact), Author::Peer, content, "updated profile");
        self.say_items(&[item]);
        let after = self.db.contact_json(contact);
        self.event("newChatItems", json!({"chatItems": []}));
        self.event("contactUpdated", json!({"fromContact": before, "toContact": after}));
    }

    /// The contact deleted this profile.
    pub(crate) fn receive_contact_deleted(&mut self, contact: i64, conn: i64, shared: String) {
        let content = json!({"type": "rcvDirectEvent", "rcvDirectEvent": {"type": "contactDeleted"}});
        let item = self.add_item(Chat::Contact(contact), Author::Peer, content, "contact deleted");
        self.with_item(item, |i| i.shared_id = Some(shared));
        self.say_items(&[item]);
        self.set_conn(conn, "deleted");
        if let Some(row) = self.db.contacts.get_mut(&contact) {
            row.status = "deleted".into();
        }
        let shown = self.db.contact_json(contact);
        self.event("contactDeletedByContact", json!({"contact": shown}));
        self.error_event(errors::not_found());
    }

    /// A contact that is also a member of a group: the two become one (FINDINGS.md 6).
    pub(crate) fn associate_contact(&mut self, contact: i64) {
        let Some(peer) = self.peer_of(self.db.contacts.get(&contact).and_then(|c| c.conn)) else { return };
        let same = self.db.members.values().filter(|m| m.contact.is_none() && m.status == "connected");
        let same: alloc::vec::Vec<i64> =
            same.filter(|m| self.peer_of(m.conn) == Some(peer)).map(|m| m.id).collect();
        for member in same {
            self.associate(contact, member);
        }
    }

    pub(crate) fn associate_member(&mut self, member: i64) {
        let alone = self.db.members.get(&member).filter(|m| m.contact.is_none());
        let Some(peer) = self.peer_of(alone.and_then(|m| m.conn)) else { return };
        let same = self.db.contacts.values().filter(|c| c.status == "active" && c.id != 1);
        let contact = same.filter(|c| self.peer_of(c.conn) == Some(peer)).map(|c| c.id).next();
        if let Some(contact) = contact {
            self.associate(contact, member);
        }
    }

    /// The database at the other end of a working connection, with whom no random profile is in play.
    fn peer_of(&self, conn: Option<i64>) -> Option<crate::world::DbId> {
        let conn = self.db.conns.get(&conn?).filter(|c| c.status == "ready" && c.custom_profile.is_none())?;
        self.world.wires.get(&conn.peer?).copied().filter(|db| *db != self.db.id)
    }

    fn associate(&mut self, contact: i64, member: i64) {
        let names = |db: &crate::db::Db| {
            let c = db.contacts.get(&contact)?;
            let m = db.members.get(&member)?;
            (db.profile_name(c.profile) == db.profile_name(m.profile)).then(|| (c.clone(), m.clone()))
        };
        let Some((row, other)) = names(self.db) else { return };
        let before = self.db.contact_json(contact);
        let local_name =
            if other.local_name.len() < row.local_name.len() { other.local_name } else { row.local_name };
        let old = other.profile;
        if let Some(m) = self.db.members.get_mut(&member) {
            m.contact = Some(contact);
            m.profile = row.profile;
            m.contact_profile = row.profile;
            m.local_name.clone_from(&local_name);
        }
        if let Some(c) = self.db.contacts.get_mut(&contact) {
            c.local_name = local_name;
        }
        self.db.profiles.remove(&old);
        let fields = json!({
            "contact": before, "groupInfo": self.db.group_json(other.group),
            "member": self.db.member_json(member), "updatedContact": self.db.contact_json(contact),
        });
        self.event("contactAndMemberAssociated", fields);
    }
}
