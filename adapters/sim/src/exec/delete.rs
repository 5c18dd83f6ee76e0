//! Deleting chats (digest 2.5).

use serde_json::json;

use crate::controller::{Answer, Controller};
use crate::db::{Chat, Entity};
use crate::errors;
use crate::scan::{Scan, Target};
use crate::wire::{Body, GroupMessage};

impl Controller<'_> {
    pub(crate) fn delete_chat(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        let mode = ["full", "entity", "messages"].into_iter().find(|m| scan.take(&alloc::format!(" {m}")));
        let notify = scan.flag("notify")?.unwrap_or(true);
        scan.end()?;
        match target {
            Target::Contact(id) => self.delete_contact(id, mode.unwrap_or("full"), notify),
            Target::Group(id, None) => self.delete_group(id),
            Target::Connection(id) => self.delete_pending(id),
            Target::Group(..) | Target::Local(_) => Err(errors::parse()),
        }
    }

    fn delete_contact(&mut self, id: i64, mode: &str, notify: bool) -> Answer {
        let Some(contact) = self.db.contacts.get(&id).filter(|c| c.id != 1) else {
            return Err(errors::store_with("contactNotFound", json!({"contactId": id})));
        };
        let (conn, request, profile) = (contact.conn, contact.request, contact.profile);
        if mode == "messages" {
            self.db.items.retain(|_, i| i.chat != Chat::Contact(id));
            return Ok(self.result("contactDeleted", json!({"contact": self.db.contact_json(id)})));
        }
        let shown = self.db.contact_json(id);
        if let Some(conn) = conn {
            let ready = self.db.conns.get(&conn).is_some_and(|c| c.status == "ready" && !c.broken);
            if ready && notify {
                let shared = self.world.chance.id();
                self.send(conn, Body::ContactDeleted { id: shared });
            }
            let link = self.db.conns.get(&conn).and_then(|c| c.link);
            if let Some(link) = link {
                self.world.dropped.insert((self.db.id, link));
            }
            self.drop_deleted(conn, ready);
        }
        self.db.contacts.remove(&id);
        self.db.requests.retain(|r, _| Some(*r) != request);
        self.db.items.retain(|_, i| i.chat != Chat::Contact(id));
        let shared = self.db.members.values().any(|m| m.profile == profile);
        for member in self.db.members.values_mut().filter(|m| m.contact == Some(id)) {
            member.contact = None;
        }
        if !shared {
            self.db.profiles.remove(&profile);
        }
        Ok(self.result("contactDeleted", json!({"contact": shown})))
    }

    /// The noise after a deletion: the connection is not found (FINDINGS.md 2).
    fn drop_deleted(&mut self, conn: i64, noisy: bool) {
        let Some(agent_id) = self.db.conns.get(&conn).map(|c| c.agent_id.clone()) else { return };
        self.drop_conn(conn);
        self.say_queue_deleted(&agent_id);
        if noisy {
            self.error_event(errors::chat_with("noConnectionUser", json!({"agentConnId": agent_id})));
        }
    }

    fn delete_pending(&mut self, id: i64) -> Answer {
        let pending = self.db.conns.get(&id).filter(|c| c.entity == Entity::Pending);
        if pending.is_none() {
            return Err(errors::store_with("pendingConnectionNotFound", json!({"connId": id})));
        }
        let shown = self.db.pending_json(id);
        self.drop_deleted(id, false);
        Ok(self.result("contactConnectionDeleted", json!({"connection": shown})))
    }

    fn delete_group(&mut self, id: i64) -> Answer {
        self.find_group(id)?;
        let own = self.own_member(id).cloned();
        let current = own.as_ref().is_some_and(|m| m.is_current() || m.is_pending());
        let owner = own.as_ref().is_some_and(|m| m.role == "owner");
        if current && !owner {
            let fields = json!({"groupInfo": self.db.group_json(id), "requiredRole": "owner"});
            return Err(errors::chat_with("groupUserRole", fields));
        }
        if current {
            let shared = self.world.chance.id();
            self.broadcast(id, &GroupMessage::Deleted { id: shared });
            self.drop_group_link(id);
            self.set_own_status(id, "deleted");
        }
        let shown = self.db.group_json(id);
        self.close_members(id);
        self.forget_group(id);
        Ok(self.result("groupDeletedUser", json!({"groupInfo": shown, "msgSigned": false})))
    }

    /// Removes a group's rows; their numbers come again.
    fn forget_group(&mut self, id: i64) {
        self.db.groups.remove(&id);
        let profiles: alloc::vec::Vec<i64> = self
            .db
            .members
            .values()
            .filter(|m| m.group == id && m.category != "user" && m.contact.is_none())
            .map(|m| m.profile)
            .collect();
        self.db.members.retain(|_, m| m.group != id);
        self.db.items.retain(|_, i| i.chat != Chat::Group(id));
        for profile in profiles {
            self.db.profiles.remove(&profile);
        }
    }
}
