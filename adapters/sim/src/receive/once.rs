//! One-time links, the side that made them (FINDINGS.md 3).

use alloc::borrow::ToOwned;

use serde_json::{Value, json};

use crate::controller::Controller;
use crate::db::{Author, Chat, Entity};
use crate::errors;
use crate::json::{conn_json, put};
use crate::wire::{Body, Text};
use crate::world::LinkOwner;

impl Controller<'_> {
    /// Somebody connected to the own one-time link.
    pub(crate) fn receive_confirmation(
        &mut self,
        link: u64,
        from: u64,
        profile: Value,
        message: Option<Text>,
    ) {
        let owner = self.world.links.get(&link).map(|l| l.owner);
        let Some(LinkOwner::Connection(conn)) = owner else { return };
        if !self.db.conns.get(&conn).is_some_and(|c| c.own_link && c.link == Some(link)) {
            return;
        }
        let contact = self.add_contact(profile, None);
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.entity = Entity::Contact(contact);
            row.peer = Some(from);
            row.status = "requested".into();
        }
        if let Some(row) = self.db.contacts.get_mut(&contact) {
            row.conn = Some(conn);
        }
        let shown = self.db.contact_json(contact);
        self.event("contactConnecting", json!({"contact": shown}));
        if !self.world.wires.contains_key(&from) {
            self.say_gone(contact, conn);
            return;
        }
        let with_message = message.is_some();
        if let Some(text) = message {
            self.receive_text(Chat::Contact(contact), None, conn, text);
        }
        self.set_conn(conn, "ready");
        self.say_contact_connected(contact, conn);
        if !with_message {
            self.say_contact_banner(contact);
        }
        let item = self.add_contact_e2ee(contact);
        self.say_items(&[item]);
        let items = self.add_contact_features(contact);
        self.say_items(&items);
        let custom = self.custom_profile(conn).unwrap_or_else(|| self.db.own_profile());
        self.send(conn, Body::Accept { profile: crate::json::received_profile(&custom) });
        self.associate_contact(contact);
    }

    /// The other side deleted its end.
    fn say_gone(&mut self, contact: i64, conn: i64) {
        let mut error = errors::auth(&self.db.server.clone());
        self.set_conn(conn, "failed");
        let Some(row) = self.db.conns.get(&conn) else { return };
        put(&mut error, "agentConnId", Some(json!(row.agent_id)));
        let entity = json!({
            "type": "rcvDirectMsgConnection", "entityConnection": conn_json(row),
            "contact": self.db.contact_json(contact),
        });
        put(&mut error, "connectionEntity_", Some(entity));
        self.error_event(error);
    }

    pub(crate) fn set_conn(&mut self, conn: i64, status: &str) {
        let now = self.now();
        if let Some(row) = self.db.conns.get_mut(&conn) {
            status.clone_into(&mut row.status);
            row.updated = now;
            row.peer_version = true;
            if status == "ready" {
                row.initiated &= matches!(row.entity, Entity::Member(_));
            }
        }
    }

    /// `contactConnected`, with the random profile of the connection.
    pub(crate) fn say_contact_connected(&mut self, contact: i64, conn: i64) {
        let mut fields = json!({"contact": self.db.contact_json(contact)});
        put(&mut fields, "userCustomProfile", self.custom_profile(conn));
        self.event("contactConnected", fields);
    }

    pub(crate) fn say_contact_banner(&mut self, contact: i64) {
        let item =
            self.add_item(Chat::Contact(contact), Author::Own, json!({"type": "chatBanner"}), "chat banner");
        self.with_item(item, |i| i.ts.0 = 0);
        self.say_items(&[item]);
    }
}
