//! Connecting (digest 2.8, FINDINGS.md 2 to 5).

use alloc::string::{String, ToString};

use serde_json::{Value, json};
use simplex_agent_core::Millis;

use super::plan::{Planned, Wanted};
use crate::controller::{Answer, Controller};
use crate::db::Entity;
use crate::errors;
use crate::json::{link_json, put, received_profile};
use crate::scan::Scan;
use crate::wire::{Body, Request, Text, To};
use crate::world::{Link, LinkKind, LinkOwner, Router};

mod once;
mod prepared;

impl Controller<'_> {
    /// `/_connect UID[ incognito=on][ LINK[ SHORT]]`.
    pub(crate) fn connect(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let incognito = scan.flag("incognito")?.unwrap_or(false);
        if scan.0.trim().is_empty() {
            return self.invite(incognito);
        }
        scan.space()?;
        let word = scan.word().to_string();
        match self.wanted(&word)? {
            Wanted::Name(_) => Err(errors::chat("invalidConnReq")),
            Wanted::Foreign { short: true, .. } => self.planned(&word).map(|p| self.plan_result(&p)),
            Wanted::Foreign { .. } => Err(errors::auth(&self.db.server)),
            Wanted::Link { id, .. } => self.connect_link(id, incognito),
        }
    }

    /// A new one-time link.
    fn invite(&mut self, incognito: bool) -> Answer {
        self.ask_router();
        self.check_router(&self.db.server.clone())?;
        let conn = self.add_conn(Entity::Pending, "new");
        let link = self.new_link(LinkKind::OneTime, LinkOwner::Connection(conn))?;
        let custom = incognito.then(|| self.random_profile());
        let profile =
            custom.and_then(|c| self.db.profiles.get(&c)).cloned().unwrap_or_else(|| self.db.own_profile());
        let (full, short) =
            self.world.links.get(&link).map(|l| (l.full.clone(), l.short.clone())).unwrap_or_default();
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.link = Some(link);
            row.own_link = true;
            row.link_full.clone_from(&full);
            row.link_short = Some(short.clone());
            row.custom_profile = custom;
        }
        if let Some(made) = self.world.links.get_mut(&link) {
            made.data =
                json!({"contactSLinkData_": {"profile": received_profile(&profile), "business": false}});
        }
        let fields = json!({
            "connLinkInvitation": link_json(&full, Some(&short)), "connection": self.db.pending_json(conn),
        });
        Ok(self.result("invitation", fields))
    }

    pub(super) fn random_profile(&mut self) -> i64 {
        let name = self.world.chance.name();
        self.db.add_profile(json!({"displayName": name, "fullName": ""}))
    }

    pub(crate) fn set_incognito(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let crate::scan::Target::Connection(id) = scan.target()? else { return Err(errors::parse()) };
        scan.space()?;
        let on = scan.word() == "on";
        if !self.db.conns.contains_key(&id) {
            return Err(errors::store_with("pendingConnectionNotFound", json!({"connId": id})));
        }
        let custom = on.then(|| self.random_profile());
        if let Some(conn) = self.db.conns.get_mut(&id) {
            conn.custom_profile = custom;
        }
        Ok(self.result("connectionIncognitoUpdated", json!({"toConnection": self.db.pending_json(id)})))
    }

    pub(crate) fn connect_link(&mut self, id: u64, incognito: bool) -> Answer {
        let Some(link) = self.world.links.get(&id).cloned() else {
            return Err(errors::chat("invalidConnReq"));
        };
        match link.kind {
            LinkKind::OneTime => self.connect_once(id, &link, incognito),
            LinkKind::Address | LinkKind::Relay => self.connect_address(id, &link, incognito),
            LinkKind::Group => self.request(id, &link, incognito),
            LinkKind::Channel => {
                Err(errors::command("channel links must be connected via APIConnectPreparedGroup"))
            }
        }
    }

    fn connect_address(&mut self, id: u64, link: &Link, incognito: bool) -> Answer {
        let contact = self.db.contacts.values().find(|c| {
            let conn = c.conn.and_then(|c| self.db.conns.get(&c));
            c.status == "active" && conn.is_some_and(|c| c.link == Some(id) && !c.own_link)
        });
        if let Some(contact) = contact.map(|c| c.id) {
            return Ok(self.result("contactAlreadyExists", json!({"contact": self.db.contact_json(contact)})));
        }
        self.request(id, link, incognito)
    }

    /// A request to an address or group link, without a chat yet.
    fn request(&mut self, id: u64, link: &Link, incognito: bool) -> Answer {
        self.reach(link, 30)?;
        let conn = self.open_request(id, link, Entity::Pending, incognito, None);
        let mut fields = json!({"connection": self.db.pending_json(conn)});
        put(&mut fields, "customUserProfile", self.custom_profile(conn));
        Ok(self.result("sentInvitation", fields))
    }

    /// Fails when the link or its router is gone. `wait` is the time-out in seconds of a silent router.
    pub(super) fn reach(&mut self, link: &Link, wait: u64) -> Result<(), Value> {
        self.ask_router();
        let silent = self.world.routers.get(&link.server.place()) == Some(&Router::Silent);
        self.check_router(&link.server.address()).inspect_err(|_| {
            if silent && self.took == Millis::secs(10) {
                self.took = Millis::secs(wait);
            }
        })?;
        if link.deleted { Err(errors::auth(&link.server.address())) } else { Ok(()) }
    }

    /// The connection of a request, and the request.
    pub(super) fn open_request(
        &mut self,
        id: u64,
        link: &Link,
        entity: Entity,
        incognito: bool,
        message: Option<Text>,
    ) -> i64 {
        let conn = self.add_conn(entity, "joined");
        let custom = incognito.then(|| self.random_profile());
        // The same address is asked with the same identifier again, so that its owner knows the request.
        let earlier = self.db.conns.values().find(|c| c.link == Some(id) && c.id != conn && !c.own_link);
        let x_contact_id = earlier.and_then(|c| c.x_contact_id.clone()).or_else(|| self.business_request(id));
        let x_contact_id = x_contact_id.unwrap_or_else(|| self.world.chance.short_id());
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.link = Some(id);
            row.link_full.clone_from(&link.full);
            row.via_contact_uri = true;
            row.group_link.clone_from(&link.group_link_id);
            row.x_contact_id = Some(x_contact_id.clone());
            row.custom_profile = custom;
            row.initiated = true;
            row.peer_version = false;
        }
        let (profile, more_profile) = self.request_profile(custom);
        let wire = self.db.conns.get(&conn).map_or(0, |c| c.wire);
        let body = Request {
            profile,
            x_contact_id,
            incognito,
            message,
            prepared: self.is_prepared(entity),
            more_profile,
            direct: true,
        };
        self.send_to(To::Link(id), wire, Body::Request(body));
        conn
    }

    /// True when the chat was made before the request.
    fn is_prepared(&self, entity: Entity) -> bool {
        match entity {
            Entity::Pending => false,
            Entity::Contact(id) => self.db.contacts.get(&id).is_some_and(|c| c.prepared.is_some()),
            Entity::Member(_) => true,
        }
    }

    /// The identifier that a business knows this profile by, while it is in the business chat.
    fn business_request(&self, link: u64) -> Option<String> {
        let groups = self.db.groups.values().filter(|g| g.joined_by == Some(link));
        groups.filter_map(|g| g.business.as_ref()?.x_contact_id.clone()).next_back()
    }

    /// The profile of a request: without the peer type, which is told after the connection works.
    fn request_profile(&self, custom: Option<i64>) -> (Value, Option<Value>) {
        let full = match custom.and_then(|c| self.db.profiles.get(&c)) {
            Some(random) => return (received_profile(random), None),
            None => received_profile(&self.db.own_profile()),
        };
        let mut shown = full.clone();
        let peer_type = shown.as_object_mut().and_then(|map| map.remove("peerType"));
        (shown, peer_type.map(|_| full))
    }

    /// `customUserProfile`: the random profile of a connection.
    pub(crate) fn custom_profile(&self, conn: i64) -> Option<Value> {
        let custom = self.db.conns.get(&conn)?.custom_profile?;
        self.db.profiles.get(&custom).cloned()
    }

    /// `/connect[ incognito] TARGET`: plans, and connects when the plan allows it.
    pub(crate) fn connect_text(&mut self, mut scan: Scan<'_>) -> Answer {
        if scan.0.trim().is_empty() {
            return self.invite(false);
        }
        let incognito = scan.take(" incognito ") || scan.take(" i ") || {
            scan.space()?;
            false
        };
        let word = scan.word().to_string();
        scan.end()?;
        let planned = self.planned(&word)?;
        let kind = planned.plan.get("type").and_then(Value::as_str).unwrap_or_default().to_string();
        if !matches!(kind.as_str(), "ok" | "ownLink" | "connectingConfirmReconnect") {
            if kind == "contactViaAddress" {
                let id = planned.plan.pointer("/contact/contactId").and_then(Value::as_i64).unwrap_or(0);
                let setting = if incognito { " incognito=on" } else { "" };
                return self.connect_card(Scan(&alloc::format!(" 1{setting} {id}")));
            }
            return Ok(self.plan_result(&planned));
        }
        self.connect_planned(&word, &planned, incognito)
    }

    fn connect_planned(&mut self, word: &str, planned: &Planned, incognito: bool) -> Answer {
        let target = match self.wanted(word)? {
            Wanted::Name(name) => self.world.names.get(&name).cloned().unwrap_or_default(),
            _ => word.to_string(),
        };
        let Wanted::Link { id, .. } = self.wanted(&target)? else {
            return Err(errors::auth(&self.db.server));
        };
        let channel = self.world.links.get(&id).is_some_and(|l| l.kind == LinkKind::Channel);
        let named = target != word;
        if !channel && !named {
            return self.connect_link(id, incognito);
        }
        let (full, short) =
            self.world.links.get(&id).map(|l| (l.full.clone(), l.short.clone())).unwrap_or_default();
        let setting = if incognito { " incognito=on" } else { "" };
        if planned.kind == "contactAddress" {
            let data = planned.plan.get("contactSLinkData_").cloned().unwrap_or(Value::Null);
            let chat = self.prepare_contact(Scan(&alloc::format!(" 1 {full} {short} {data}")))?;
            if let Some(group) = chat.pointer("/chat/chatInfo/groupInfo/groupId") {
                return self.connect_group(Scan(&alloc::format!(" #{group}{setting}")));
            }
            let contact = chat.pointer("/chat/chatInfo/contact/contactId").cloned().unwrap_or(Value::Null);
            return self.connect_contact(Scan(&alloc::format!(" @{contact}{setting}")));
        }
        let data = planned.plan.get("groupSLinkData_").cloned().unwrap_or(Value::Null);
        let direct = if channel { "off" } else { "on" };
        let chat = self.prepare_group(Scan(&alloc::format!(" 1 {full} {short} direct={direct} {data}")))?;
        let group = chat.pointer("/chat/chatInfo/groupInfo/groupId").cloned().unwrap_or(Value::Null);
        self.connect_group(Scan(&alloc::format!(" #{group}{setting}")))
    }
}
