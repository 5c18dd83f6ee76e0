//! One-time links (FINDINGS.md 3).

use serde_json::{Value, json};

use crate::controller::{Answer, Controller};
use crate::db::Entity;
use crate::errors;
use crate::json::{put, received_profile};
use crate::wire::{Body, Text, To};
use crate::world::Link;

impl Controller<'_> {
    pub(super) fn connect_once(&mut self, id: u64, link: &Link, incognito: bool) -> Answer {
        if let Some(conn) = self.pending_once(id) {
            let status = self.db.conns.get(&conn).map(|c| c.status.clone()).unwrap_or_default();
            let status = if status == "sndReady" { "ConnSndReady" } else { "ConnJoined" };
            return Err(errors::command(&alloc::format!(
                "connection is not RcvDirectMsgConnection: \"connection, status: {status}\""
            )));
        }
        if let Err(error) = self.reach_once(id, link) {
            self.leave_prepared(id);
            return Err(error);
        }
        let conn = self.open_once(id, link, Entity::Pending, incognito, None);
        let mut fields = json!({"connection": self.db.pending_json(conn)});
        put(&mut fields, "customUserProfile", self.custom_profile(conn));
        Ok(self.result("sentConfirmation", fields))
    }

    /// A one-time link that cannot be used leaves a row that no list shows (agent-connect-onetime, the numbers).
    pub(super) fn leave_prepared(&mut self, id: u64) {
        let left = self.db.conns.values().any(|c| c.link == Some(id) && c.status == "prepared");
        if !left {
            let conn = self.add_conn(Entity::Pending, "prepared");
            if let Some(row) = self.db.conns.get_mut(&conn) {
                row.link = Some(id);
            }
        }
    }

    pub(super) fn pending_once(&self, id: u64) -> Option<i64> {
        let mut conns = self.db.conns.values();
        let pending = |c: &&crate::db::Conn| c.entity == Entity::Pending && c.status != "prepared";
        conns.find(|c| c.link == Some(id) && pending(c) && !c.own_link).map(|c| c.id)
    }

    /// Fails when a one-time link is used, claimed or gone; its own contact then cannot send any more (FINDINGS.md, 3).
    pub(super) fn reach_once(&mut self, id: u64, link: &Link) -> Result<(), Value> {
        self.reach(link, 10)?;
        let taken = link.claimed.is_some_and(|db| db != self.db.id);
        if !link.used && !taken {
            return Ok(());
        }
        for conn in self.db.conns.values_mut().filter(|c| c.link == Some(id) && !c.own_link) {
            conn.broken = true;
        }
        Err(errors::auth(&link.server.address()))
    }

    pub(super) fn open_once(
        &mut self,
        id: u64,
        link: &Link,
        entity: Entity,
        incognito: bool,
        message: Option<Text>,
    ) -> i64 {
        let conn = self.add_conn(entity, "sndReady");
        let custom = incognito.then(|| self.random_profile());
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.link = Some(id);
            row.link_full.clone_from(&link.full);
            row.link_short = Some(link.short.clone());
            row.custom_profile = custom;
        }
        if let Some(made) = self.world.links.get_mut(&id) {
            made.used = true;
            made.claimed = Some(self.db.id);
        }
        let profile =
            custom.and_then(|c| self.db.profiles.get(&c)).cloned().unwrap_or_else(|| self.db.own_profile());
        let wire = self.db.conns.get(&conn).map_or(0, |c| c.wire);
        self.send_to(To::Link(id), wire, Body::InvConfirm { profile: received_profile(&profile), message });
        conn
    }
}
