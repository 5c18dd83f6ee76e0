//! The own address, and contact requests (digest 2.9).

use serde_json::{Value, json};

use crate::controller::{Answer, Controller};
use crate::db::{Address, Entity, Request};
use crate::errors;
use crate::json::{link_json, put};
use crate::scan::Scan;
use crate::world::{LinkKind, LinkOwner};

impl Controller<'_> {
    pub(crate) fn create_address(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let ratchet = self.ratchet_option(&mut scan)?;
        scan.end()?;
        if self.db.address.is_some() {
            return Err(errors::store("duplicateContactLink"));
        }
        self.ask_router();
        let relay = self.db.user.as_ref().is_some_and(|u| u.relay);
        let kind = if relay { LinkKind::Relay } else { LinkKind::Address };
        let link = self.new_link(kind, LinkOwner::Address)?;
        let id = self.db.next_user_link();
        self.db.address =
            Some(Address { id, link, business: false, auto_accept: None, auto_reply: None, ratchet });
        self.refresh_address_data();
        let made = self.world.links.get(&link).map(|l| link_json(&l.full, Some(&l.short)));
        Ok(self.result("userContactLinkCreated", json!({"connLinkContact": made})))
    }

    /// ` pq_ratchet=on|off`, which only 7.1 knows: whether the link is to have keys of a ratchet.
    fn ratchet_option(&self, scan: &mut Scan<'_>) -> Result<bool, Value> {
        let given = if self.is_7_1() { scan.flag("pq_ratchet")? } else { None };
        Ok(given.unwrap_or(false))
    }

    fn address_json(&self) -> Answer {
        let missing = || errors::store("userContactLinkNotFound");
        let address = self.db.address.as_ref().ok_or_else(missing)?;
        let link = self.world.links.get(&address.link).ok_or_else(missing)?;
        let mut settings = json!({"businessAddress": address.business});
        let accept = address.auto_accept.map(|incognito| json!({"acceptIncognito": incognito}));
        put(&mut settings, "autoAccept", accept);
        put(&mut settings, "autoReply", address.auto_reply.clone());
        Ok(json!({
            "userContactLinkId": address.id, "connLinkContact": link_json(&link.full, Some(&link.short)),
            "shortLinkDataSet": true, "shortLinkLargeDataSet": true, "addressSettings": settings,
        }))
    }

    pub(crate) fn show_address(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        scan.end()?;
        let link = self.address_json()?;
        Ok(self.result("userContactLink", json!({"contactLink": link})))
    }

    pub(crate) fn short_link_address(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let ratchet = self.ratchet_option(&mut scan)?;
        scan.end()?;
        if let Some(address) = self.db.address.as_mut() {
            address.ratchet |= ratchet;
        }
        self.refresh_address_data();
        let link = self.address_json()?;
        Ok(self.result("userContactLink", json!({"contactLink": link})))
    }

    pub(crate) fn address_settings(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let ratchet = self.ratchet_option(&mut scan)?;
        let settings = scan.object()?;
        let business = settings.get("businessAddress").and_then(Value::as_bool).ok_or_else(errors::parse)?;
        let accept = settings.get("autoAccept").filter(|a| !a.is_null());
        let incognito = accept.map(|a| a.get("acceptIncognito").and_then(Value::as_bool).unwrap_or(false));
        let Some(address) = self.db.address.as_mut() else {
            return Err(errors::store("userContactLinkNotFound"));
        };
        if incognito == Some(true) {
            return Err(errors::command("incognito not allowed for address with short link data"));
        }
        let reply = settings.get("autoReply").filter(|r| !r.is_null()).cloned();
        let before = (address.business, address.auto_accept, &address.auto_reply);
        // Equal settings do nothing, so that the keys are not added either (digest 2.9).
        address.ratchet |= ratchet && before != (business, incognito, &reply);
        address.business = business;
        address.auto_accept = incognito;
        address.auto_reply = reply;
        self.refresh_address_data();
        self.ask_router();
        let link = self.address_json()?;
        Ok(self.result("userContactLinkUpdated", json!({"contactLink": link})))
    }

    pub(crate) fn delete_address(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        scan.end()?;
        let Some(address) = self.db.address.take() else {
            return Err(errors::store("userContactLinkNotFound"));
        };
        self.ask_router();
        if let Some(link) = self.world.links.get_mut(&address.link) {
            link.deleted = true;
        }
        let id = self.world.chance.id();
        self.say_queue_deleted(&id);
        Ok(self.result("userContactLinkDeleted", json!({})))
    }

    pub(crate) fn profile_address(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        scan.space()?;
        let on = scan.word() == "on";
        let short =
            self.db.address.as_ref().and_then(|a| self.world.links.get(&a.link)).map(|l| l.short.clone());
        let short = short.ok_or_else(|| errors::store("userContactLinkNotFound"))?;
        let old = self.db.own_profile();
        let mut profile = old.clone();
        if let Some(map) = profile.as_object_mut() {
            map.remove("contactLink");
        }
        put(&mut profile, "contactLink", on.then(|| json!(short)));
        self.db.profiles.insert(1, profile.clone());
        let summary = json!({"updateSuccesses": 0, "updateFailures": 0, "changedContacts": []});
        Ok(self.result(
            "userProfileUpdated",
            json!({"fromProfile": old, "toProfile": profile, "updateSummary": summary}),
        ))
    }

    pub(crate) fn accept_request(&mut self, mut scan: Scan<'_>) -> Answer {
        let _incognito = scan.flag("incognito")?;
        let request = self.find_request(&mut scan)?;
        if !self.world.wires.contains_key(&request.wire) {
            return Err(errors::auth(&self.db.server.clone()));
        }
        self.open_accepted(&request);
        Ok(self.result("acceptingContactRequest", json!({"contact": self.db.contact_json(request.contact)})))
    }

    fn find_request(&self, scan: &mut Scan<'_>) -> Result<Request, Value> {
        scan.space()?;
        let id = scan.id()?;
        let missing = || errors::store_with("contactRequestNotFound", json!({"contactRequestId": id}));
        let open = |r: &&Request| self.db.contacts.get(&r.contact).is_some_and(|c| c.conn.is_none());
        self.db.requests.get(&id).filter(open).cloned().ok_or_else(missing)
    }

    /// The connection of an accepted request, and the answer to the requester.
    pub(crate) fn open_accepted(&mut self, request: &Request) -> i64 {
        let conn = self.add_conn(Entity::Contact(request.contact), "new");
        let via = self.db.address.as_ref().map(|a| a.id);
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.peer = Some(request.wire);
            row.via_user_link = via;
            row.more_profile.clone_from(&request.more_profile);
        }
        let now = self.now();
        if let Some(contact) = self.db.contacts.get_mut(&request.contact) {
            contact.conn = Some(conn);
            contact.used = true;
            contact.updated = now;
            contact.chat_ts = now;
        }
        let profile = crate::json::received_profile(&self.db.own_profile());
        self.send(conn, crate::wire::Body::Accept { profile });
        conn
    }

    pub(crate) fn reject_request(&mut self, mut scan: Scan<'_>) -> Answer {
        let request = self.find_request(&mut scan)?;
        let contact = self.db.contact_json(request.contact);
        let shown = self.db.request_json(&request);
        self.db.requests.remove(&request.id);
        self.db.contacts.remove(&request.contact);
        self.db.profiles.remove(&request.profile);
        self.db.items.retain(|_, i| i.chat != crate::db::Chat::Contact(request.contact));
        let mut fields = json!({"contactRequest": shown});
        put(&mut fields, "contact_", request.message.is_some().then_some(contact));
        Ok(self.result("contactRequestRejected", fields))
    }
}
