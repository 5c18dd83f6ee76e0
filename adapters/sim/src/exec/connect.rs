//! Connecting (digest 2.8, FINDINGS.md 2 to 5).

use alloc::string::{String, ToString};

use serde_json::{Value, json};
use simplex_agent_core::Millis;

use super::plan::{Planned, Wanted};
use crate::controller::{Answer, Controller};
use crate::db::{Author, Chat, Entity, Member};
use crate::errors;
use crate::json::{link_json, put, received_profile};
use crate::scan::Scan;
use crate::size;
use crate::wire::{Body, Request, Text, To};
use crate::world::{Link, LinkKind, LinkOwner, Router};

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

    fn random_profile(&mut self) -> i64 {
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
    fn reach(&mut self, link: &Link, wait: u64) -> Result<(), Value> {
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
    fn open_request(
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

    fn connect_once(&mut self, id: u64, link: &Link, incognito: bool) -> Answer {
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
    fn leave_prepared(&mut self, id: u64) {
        let left = self.db.conns.values().any(|c| c.link == Some(id) && c.status == "prepared");
        if !left {
            let conn = self.add_conn(Entity::Pending, "prepared");
            if let Some(row) = self.db.conns.get_mut(&conn) {
                row.link = Some(id);
            }
        }
    }

    fn pending_once(&self, id: u64) -> Option<i64> {
        let mut conns = self.db.conns.values();
        let pending = |c: &&crate::db::Conn| c.entity == Entity::Pending && c.status != "prepared";
        conns.find(|c| c.link == Some(id) && pending(c) && !c.own_link).map(|c| c.id)
    }

    /// Fails when a one-time link is used, claimed or gone; its own contact then cannot send any more (FINDINGS.md, 3).
    fn reach_once(&mut self, id: u64, link: &Link) -> Result<(), Value> {
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

    fn open_once(
        &mut self,
        id: u64,
        link: &Link,
        entity: Entity,
        incognito: bool,
        message: Option<Text>,
    ) -> i64 {
        let conn = self.add_conn(entity, "sndReady");
        let custom = incognito.then(|| self.random_profile());
        let LinkOwner::Connection(owner) = link.owner else { return conn };
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
        let _ = owner;
        self.send_to(To::Link(id), wire, Body::InvConfirm { profile: received_profile(&profile), message });
        conn
    }

    /// `/_connect contact @ID[ incognito=on][ text T| json M]`, or `/_connect contact UID[ incognito=on] ID`.
    pub(crate) fn connect_contact(&mut self, mut scan: Scan<'_>) -> Answer {
        let mut at = scan;
        if !at.take(" @") {
            return self.connect_card(scan);
        }
        scan = at;
        let id = scan.id()?;
        let incognito = scan.flag("incognito")?.unwrap_or(false);
        let message = first_message(&mut scan)?;
        let Some(contact) = self.db.contacts.get(&id) else {
            // A group's number here is a mistake that the core answers so (agent-connect-business).
            let known = self.db.groups.contains_key(&id) || id == 1;
            let missing = errors::store_with("contactNotFound", json!({"contactId": id}));
            return Err(if known {
                errors::command("contact doesn't have link to connect")
            } else {
                missing
            });
        };
        let started =
            contact.conn.is_some_and(|c| self.db.conns.get(&c).is_none_or(|c| c.status != "prepared"));
        let Some(prepared) = contact.prepared.clone() else {
            return Err(errors::command("contact doesn't have link to connect"));
        };
        if started && !prepared.one_time {
            return Ok(self.result("contactAlreadyExists", json!({"contact": self.db.contact_json(id)})));
        }
        match self.start_prepared(id, &prepared, incognito, message) {
            Ok(conn) => {
                let mut fields = json!({"contact": self.db.contact_json(id)});
                put(&mut fields, "customUserProfile", self.custom_profile(conn));
                Ok(self.result("startedConnectionToContact", fields))
            }
            Err(error) => {
                self.note_prepared(id);
                self.say_failed(Chat::Contact(id));
                Err(error)
            }
        }
    }

    /// A failed try leaves the contact with a prepared connection (FINDINGS.md 2).
    fn note_prepared(&mut self, id: i64) {
        if self.db.contacts.get(&id).is_some_and(|c| c.conn.is_none()) {
            let conn = self.add_conn(Entity::Contact(id), "prepared");
            if let Some(contact) = self.db.contacts.get_mut(&id) {
                contact.conn = Some(conn);
            }
        }
    }

    fn start_prepared(
        &mut self,
        id: i64,
        prepared: &crate::db::Prepared,
        incognito: bool,
        message: Option<Value>,
    ) -> Result<i64, Value> {
        let shown = self.random_or_own(incognito);
        let words = message.as_ref().and_then(|m| m.get("text")).and_then(Value::as_str).unwrap_or_default();
        self.check_setting(prepared.incognito, incognito)?;
        if let Some(p) = self.db.contacts.get_mut(&id).and_then(|c| c.prepared.as_mut()) {
            p.incognito = Some(incognito);
        }
        size::check_info(words, &shown)?;
        self.start_contact(id, &prepared.full, incognito, message)
    }

    fn random_or_own(&self, incognito: bool) -> Value {
        if incognito {
            json!({"displayName": "IncognitoProfile", "fullName": ""})
        } else {
            self.db.own_profile()
        }
    }

    fn check_setting(&self, before: Option<bool>, now: bool) -> Result<(), Value> {
        if before.is_some_and(|b| b != now) {
            return Err(errors::command("incognito mode is different from prepared connection"));
        }
        Ok(())
    }

    /// `chatInfoUpdated`, before the error of a failed prepared connection.
    fn say_failed(&mut self, chat: Chat) {
        let info = self.db.chat_info(chat, None);
        self.event("chatInfoUpdated", json!({"chatInfo": info}));
    }

    fn start_contact(
        &mut self,
        id: i64,
        full: &str,
        incognito: bool,
        message: Option<Value>,
    ) -> Result<i64, Value> {
        let Ok(Wanted::Link { id: link_id, .. }) = self.wanted(full) else {
            return Err(errors::auth(&self.db.server));
        };
        let Some(link) = self.world.links.get(&link_id).cloned() else {
            return Err(errors::auth(&self.db.server));
        };
        if link.kind == LinkKind::OneTime {
            self.reach_once(link_id, &link)?;
        } else {
            self.reach(&link, 30)?;
        }
        let message = message.map(|m| self.first_text(m));
        if let Some(old) = self.db.contacts.get_mut(&id).and_then(|c| c.conn.take()) {
            self.drop_conn(old);
        }
        let conn = if link.kind == LinkKind::OneTime {
            self.open_once(link_id, &link, Entity::Contact(id), incognito, message.clone())
        } else {
            self.open_request(link_id, &link, Entity::Contact(id), incognito, message.clone())
        };
        if let Some(contact) = self.db.contacts.get_mut(&id) {
            contact.conn = Some(conn);
            if let Some(prepared) = &mut contact.prepared {
                prepared.request = message.as_ref().map(|m| m.id.clone());
                prepared.started = true;
            }
        }
        if incognito {
            // Preferences of a random profile differ from the own ones: the core looks for items about it.
            self.event("newChatItems", json!({"chatItems": []}));
        }
        if let Some(text) = message {
            self.say_first(Chat::Contact(id), &text, conn, link.kind == LinkKind::OneTime);
        }
        Ok(conn)
    }

    pub(crate) fn first_text(&mut self, content: Value) -> Text {
        Text {
            id: self.world.chance.id(),
            content,
            quote: None,
            mentions: alloc::vec::Vec::new(),
            live: false,
            ttl: None,
            support: None,
            as_group: false,
            forwarded: false,
            author: None,
            handed_on: false,
            sent: self.now(),
            welcome: false,
        }
    }

    /// The own first message of a prepared chat, as an event.
    fn say_first(&mut self, chat: Chat, text: &Text, conn: i64, delivered: bool) {
        let words = text.content.get("text").and_then(Value::as_str).unwrap_or_default().to_string();
        let content = json!({"type": "sndMsgContent", "msgContent": text.content});
        let item = self.add_item(chat, Author::Own, content, &words);
        let id = text.id.clone();
        self.with_item(item, |i| {
            i.shared_id = Some(id);
            i.sent = (1, 0, 0);
        });
        self.say_items(&[item]);
        if delivered {
            self.expect_sent(conn, Some(item));
        }
    }

    /// A contact card that was never connected.
    fn connect_card(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let incognito = scan.flag("incognito")?.unwrap_or(false);
        scan.space()?;
        let id = scan.id()?;
        scan.end()?;
        let Some(contact) = self.db.contacts.get(&id) else {
            return Err(errors::store_with("contactNotFound", json!({"contactId": id})));
        };
        if contact.conn.is_some() {
            return Err(errors::command("no address in contact profile"));
        }
        let address =
            self.db.profiles.get(&contact.profile).and_then(|p| p.get("contactLink")).and_then(Value::as_str);
        let Some(address) = address.map(ToString::to_string) else {
            return Err(errors::command("no address in contact profile"));
        };
        let Wanted::Link { id: link_id, .. } = self.wanted(&address)? else {
            self.ask_router();
            return Err(errors::refused(&alloc::format!("smp://{address}")));
        };
        let Some(link) = self.world.links.get(&link_id).cloned() else {
            return Err(errors::auth(&self.db.server));
        };
        self.reach(&link, 30)?;
        let conn = self.open_request(link_id, &link, Entity::Contact(id), incognito, None);
        if let Some(contact) = self.db.contacts.get_mut(&id) {
            contact.conn = Some(conn);
        }
        let mut fields = json!({"contact": self.db.contact_json(id)});
        put(&mut fields, "customUserProfile", self.custom_profile(conn));
        Ok(self.result("sentInvitationToContact", fields))
    }

    /// `/_connect group #ID[ incognito=on][ text T| json M]`.
    pub(crate) fn connect_group(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let id = scan.group()?;
        let incognito = scan.flag("incognito")?.unwrap_or(false);
        if scan.take(" contact=") {
            scan.word();
            if scan.take(" owner=") {
                scan.word();
            }
        }
        let message = first_message(&mut scan)?;
        self.find_group(id)?;
        let Some(prepared) = self.db.groups.get(&id).and_then(|g| g.prepared.clone()) else {
            return Err(errors::command("group is not prepared"));
        };
        let result = self.start_group(id, &prepared, incognito, message);
        match result {
            Ok((conn, relays)) => {
                let mut fields = json!({"groupInfo": self.db.group_json(id), "relayResults": relays});
                put(&mut fields, "customUserProfile", conn.and_then(|c| self.custom_profile(c)));
                Ok(self.result("startedConnectionToGroup", fields))
            }
            Err(error) => {
                self.say_failed(Chat::Group(id));
                Err(error)
            }
        }
    }

    fn start_group(
        &mut self,
        id: i64,
        prepared: &crate::db::Prepared,
        incognito: bool,
        message: Option<Value>,
    ) -> Result<(Option<i64>, Value), Value> {
        if prepared.started {
            return Err(errors::constraint("UNIQUE constraint failed: connections.group_member_id"));
        }
        if message.is_some() && !prepared.business {
            return Err(errors::chat("connReqMessageProhibited"));
        }
        self.check_setting(prepared.incognito, incognito)?;
        if let Some(p) = self.db.groups.get_mut(&id).and_then(|g| g.prepared.as_mut()) {
            p.incognito = Some(incognito);
        }
        let Ok(Wanted::Link { id: link_id, .. }) = self.wanted(&prepared.full) else {
            return Err(errors::auth(&self.db.server));
        };
        let Some(link) = self.world.links.get(&link_id).cloned() else {
            return Err(errors::auth(&self.db.server));
        };
        self.reach(&link, 30)?;
        if let Some(group) = self.db.groups.get_mut(&id) {
            group.joined_by = Some(link_id);
            group.via_uri = Some(link.full.clone());
            if let Some(p) = &mut group.prepared {
                p.started = true;
            }
        }
        if !prepared.direct {
            return self.start_channel(id, &link, incognito);
        }
        let message = message.map(|m| self.first_text(m));
        let host = self.db.members.values().find(|m| m.group == id && m.category == "host").map(|m| m.id);
        let entity = host.map_or(Entity::Pending, Entity::Member);
        let conn = self.open_request(link_id, &link, entity, incognito, message.clone());
        let custom = self.db.conns.get(&conn).and_then(|c| c.custom_profile);
        self.set_shown_profile(id, custom);
        if let Some(host) = host.and_then(|h| self.db.members.get_mut(&h)) {
            host.conn = Some(conn);
        }
        if let Some(text) = message {
            if let Some(p) = self.db.groups.get_mut(&id).and_then(|g| g.prepared.as_mut()) {
                p.request = Some(text.id.clone());
            }
            self.say_first(Chat::Group(id), &text, conn, false);
        }
        Ok((Some(conn), json!([])))
    }

    /// The own membership shows the random profile.
    pub(crate) fn set_shown_profile(&mut self, group: i64, custom: Option<i64>) {
        let own = self.own_member(group).map(|m: &Member| m.id);
        if let (Some(custom), Some(own)) = (custom, own.and_then(|o| self.db.members.get_mut(&o))) {
            own.profile = custom;
        }
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

/// ` text T` or ` json M`, or nothing.
fn first_message(scan: &mut Scan<'_>) -> Result<Option<Value>, Value> {
    if scan.take(" text ") {
        return Ok(Some(json!({"type": "text", "text": core::mem::take(&mut scan.0)})));
    }
    if scan.take(" json ") {
        return super::send::message_content(&scan.json()?).map(Some);
    }
    scan.end()?;
    Ok(None)
}
