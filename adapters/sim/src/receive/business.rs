//! Business addresses: each customer gets a group (FINDINGS.md 4).

use serde_json::{Value, json};

use crate::controller::Controller;
use crate::db::{Author, Business, Chat, Entity};
use crate::exec::business_preferences;
use crate::json::put;
use crate::wire::{Body, Request, Text};

impl Controller<'_> {
    pub(crate) fn receive_business_request(&mut self, from: u64, request: Request) {
        let known = self.db.groups.values().find(|g| {
            g.business.as_ref().is_some_and(|b| b.x_contact_id.as_ref() == Some(&request.x_contact_id))
        });
        if let Some(group) = known.map(|g| g.id) {
            let shown = self.db.group_json(group);
            self.event("businessRequestAlreadyAccepted", json!({"groupInfo": shown}));
            return;
        }
        let (group, customer) = self.add_business_group(from, &request);
        self.say_own_e2ee(group);
        self.say_group_features(group);
        if let Some(text) = &request.message {
            let item = self.add_received(Chat::Group(group), Author::Member(customer), text);
            self.say_items(&[item]);
        }
        let shown = self.db.group_json(group);
        self.event("acceptingBusinessRequest", json!({"groupInfo": shown}));
        let Some(conn) = self.db.members.get(&customer).and_then(|m| m.conn) else { return };
        let mut card = self.invitation(group, customer, "accepted");
        let own = self.db.own_profile();
        put(&mut card.group, "displayName", own.get("displayName").cloned());
        put(&mut card.group, "shortDescr", own.get("shortDescr").cloned());
        let reply = self.db.address.as_ref().and_then(|a| a.auto_reply.clone());
        card.welcome = reply.map(|content| Text { content, ..self.first_text(Value::Null) });
        card.prepared = request.prepared;
        self.send(conn, Body::GroupAccept(card.clone()));
        if let Some(text) = card.welcome {
            let item = self.add_sent(Chat::Group(group), &text);
            if !request.prepared {
                self.say_items(&[item]);
            }
        }
        if let Some(row) = self.db.members.get_mut(&customer) {
            row.prepared = request.prepared;
        }
    }

    /// The group of a customer, and the customer's row.
    fn add_business_group(&mut self, from: u64, request: &Request) -> (i64, i64) {
        let mut profile = json!({"displayName": request.profile.get("displayName"), "fullName": ""});
        put(&mut profile, "groupPreferences", Some(business_preferences(&self.db.own_profile(), false)));
        let group = self.add_own_group(profile, false);
        let shown = self.db.add_profile(request.profile.clone());
        let customer = self.add_member(group, "member", "invitee", "accepted", shown);
        let conn = self.add_conn(Entity::Member(customer), "new");
        let via = self.db.address.as_ref().map(|a| a.id);
        if let Some(row) = self.db.conns.get_mut(&conn) {
            row.peer = Some(from);
            row.pq = false;
            row.via_user_link = via;
        }
        let own = self.own_member(group).map(|m| (m.id, m.member_id.clone()));
        if let Some(row) = self.db.members.get_mut(&customer) {
            row.conn = Some(conn);
            row.invited_by = "user".into();
            row.invited_by_member = own.as_ref().map(|(id, _)| *id);
        }
        let customer_id = self.db.members.get(&customer).map(|m| m.member_id.clone()).unwrap_or_default();
        if let Some(row) = self.db.groups.get_mut(&group) {
            row.business = Some(Business {
                kind: "customer".into(),
                business: own.map(|(_, id)| id).unwrap_or_default(),
                customer: customer_id,
                x_contact_id: Some(request.x_contact_id.clone()),
            });
        }
        (group, customer)
    }
}
