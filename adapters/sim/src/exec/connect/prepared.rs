//! Chats that exist before they are connected: prepared ones, contact cards (FINDINGS.md 2, 4, 5).

use alloc::string::ToString;

use serde_json::{Value, json};

use crate::controller::{Answer, Controller};
use crate::db::{Author, Chat, Entity, Member};
use crate::errors;
use crate::exec::plan::Wanted;
use crate::json::put;
use crate::scan::Scan;
use crate::size;
use crate::wire::Text;
use crate::world::LinkKind;

impl Controller<'_> {
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
    pub(super) fn connect_card(&mut self, mut scan: Scan<'_>) -> Answer {
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
            return Err(errors::refused(&crate::world::server_of(&address)));
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
}

/// ` text T` or ` json M`, or nothing.
fn first_message(scan: &mut Scan<'_>) -> Result<Option<Value>, Value> {
    if scan.take(" text ") {
        return Ok(Some(json!({"type": "text", "text": core::mem::take(&mut scan.0)})));
    }
    if scan.take(" json ") {
        return crate::exec::message_content(&scan.json()?).map(Some);
    }
    scan.end()?;
    Ok(None)
}
