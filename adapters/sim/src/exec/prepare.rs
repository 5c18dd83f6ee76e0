//! Prepared chats (digest 2.8, FINDINGS.md 2, 4, 5).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::controller::{Answer, Controller};
use crate::db::{Author, Business, Chat, Contact, Item, Prepared, display_name, next_row};
use crate::errors;
use crate::json::{feature_items, full_preferences, group_feature_items, put};
use crate::scan::Scan;

/// What the E2EE item of contacts says.
pub(crate) const CONTACT_E2EE: &str = "This conversation is protected by quantum resistant end-to-end encryption. \
     It has perfect forward secrecy, repudiation and quantum resistant break-in recovery.";

impl Controller<'_> {
    pub(crate) fn prepare_contact(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let (full, short) = links(&mut scan)?;
        if scan.take(" domain=") {
            scan.word();
        }
        let data = scan.object()?;
        let profile = data
            .get("profile")
            .filter(|p| p.get("displayName").is_some())
            .cloned()
            .ok_or_else(errors::parse)?;
        let business = data.get("business").and_then(Value::as_bool).ok_or_else(errors::parse)?;
        let welcome = data.get("message").filter(|m| !m.is_null()).cloned();
        let prepared = Prepared {
            one_time: full.contains("/invitation#"),
            full,
            short,
            welcome: welcome.as_ref().map(|_| self.world.chance.id()),
            request: None,
            incognito: None,
            started: false,
            business,
            direct: true,
        };
        if business {
            return Ok(self.prepare_business(&profile, welcome, prepared));
        }
        let contact = self.add_contact(profile, Some(prepared));
        let chat = Chat::Contact(contact);
        let banner = self.add_item(chat, Author::Own, json!({"type": "chatBanner"}), "chat banner");
        self.with_item(banner, |i| i.ts.0 = 0);
        self.add_contact_e2ee(contact);
        self.add_contact_features(contact);
        let items = welcome.map(|w| self.add_welcome(chat, Author::Peer, w));
        Ok(self.prepared_result(chat, items))
    }

    /// A contact's records.
    pub(crate) fn add_contact(&mut self, profile: Value, prepared: Option<Prepared>) -> i64 {
        let local_name = self.db.free_name(&display_name(&profile));
        let profile = self.db.add_profile(profile);
        let id = next_row(&self.db.contacts);
        let now = self.now();
        let contact = Contact {
            id,
            local_name,
            profile,
            conn: None,
            used: true,
            status: "active".to_string(),
            created: now,
            updated: now,
            chat_ts: now,
            prepared,
            request: None,
            custom: None,
            unread: false,
            group_invitation_sent: false,
        };
        self.db.contacts.insert(id, contact);
        id
    }

    pub(crate) fn add_contact_e2ee(&mut self, contact: i64) -> i64 {
        let content = json!({"type": "rcvDirectE2EEInfo", "e2eeInfo": {"pqEnabled": true}});
        self.add_item(Chat::Contact(contact), Author::Peer, content, CONTACT_E2EE)
    }

    pub(crate) fn add_contact_features(&mut self, contact: i64) -> Vec<i64> {
        let profile = self.db.contacts.get(&contact).map(|c| c.profile);
        let profile = profile.and_then(|p| self.db.profiles.get(&p)).cloned().unwrap_or(Value::Null);
        feature_items(&self.db.own_profile(), &profile)
            .into_iter()
            .map(|(content, text)| self.add_item(Chat::Contact(contact), Author::Peer, content, &text))
            .collect()
    }

    fn add_welcome(&mut self, chat: Chat, author: Author, message: Value) -> i64 {
        let text = message.get("text").and_then(Value::as_str).unwrap_or_default().to_string();
        let content = json!({"type": "rcvMsgContent", "msgContent": message});
        let group = matches!(chat, Chat::Group(_));
        let item = self.add_item(chat, author, content, &text);
        self.with_item(item, |i| i.as_group = group)
    }

    fn prepared_result(&self, chat: Chat, welcome: Option<i64>) -> Value {
        let now = self.now();
        let item = welcome.and_then(|id| self.db.items.get(&id));
        let items: Vec<Value> = item.map(|i: &Item| self.db.item_json(i, now)).into_iter().collect();
        let stats = json!({
            "unreadCount": items.len(), "unreadMentions": 0, "reportsCount": 0,
            "minUnreadItemId": welcome.unwrap_or(0), "unreadChat": false,
        });
        let chat = json!({"chatInfo": self.db.chat_info(chat, None), "chatItems": items, "chatStats": stats});
        self.result("newPreparedChat", json!({"chat": chat}))
    }

    fn prepare_business(&mut self, profile: &Value, welcome: Option<Value>, prepared: Prepared) -> Value {
        let mut group_profile = json!({"displayName": profile.get("displayName"), "fullName": ""});
        put(&mut group_profile, "shortDescr", profile.get("shortDescr").cloned());
        put(&mut group_profile, "groupPreferences", Some(business_preferences(profile, true)));
        let group = self.new_prepared_group(group_profile, prepared);
        let (business, customer) = (self.world.chance.id(), self.world.chance.id());
        let host = self.db.members.values().find(|m| m.group == group && m.category == "host").map(|m| m.id);
        if let Some(row) = self.db.groups.get_mut(&group) {
            let kind = "business".to_string();
            row.business = Some(Business { kind, business, customer, x_contact_id: None });
        }
        let welcome = welcome
            .map(|w| self.add_welcome(Chat::Group(group), host.map_or(Author::Channel, Author::Member), w));
        self.prepared_result(Chat::Group(group), welcome)
    }

    /// A group's records before it is joined: an unknown host, an unknown own membership, the first items.
    fn new_prepared_group(&mut self, profile: Value, prepared: Prepared) -> i64 {
        let key = self.world.chance.id();
        let channel = !prepared.direct;
        let group = self.add_group(profile.clone(), key);
        let name = self.world.chance.name();
        let host = if channel {
            None
        } else {
            let shown = self.db.add_profile(json!({"displayName": name, "fullName": ""}));
            let host = self.add_member(group, "admin", "host", "accepted", shown);
            if let Some(row) = self.db.members.get_mut(&host) {
                row.peer_version = false;
            }
            Some(host)
        };
        let role = if channel { "observer" } else { "member" };
        let own = self.add_own_member(group, role, "unknown", 1);
        if let Some(row) = self.db.members.get_mut(&own) {
            row.invited_by = "unknown".to_string();
            row.invited_by_member = host;
        }
        if let Some(row) = self.db.groups.get_mut(&group) {
            row.own = own;
            row.prepared = Some(prepared);
            row.channel = channel;
            row.public_id = profile
                .pointer("/publicGroup/publicGroupId")
                .and_then(Value::as_str)
                .map(ToString::to_string);
            row.features = true;
        }
        let chat = Chat::Group(group);
        let banner = self.add_item(chat, Author::Own, json!({"type": "chatBanner"}), "chat banner");
        self.with_item(banner, |i| i.ts.0 = 0);
        let author = host.map_or(Author::Channel, Author::Member);
        for (content, text) in group_feature_items(&profile, "rcvGroupFeature") {
            self.add_item(chat, author, content, &text);
        }
        group
    }

    pub(crate) fn prepare_group(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let (full, short) = links(&mut scan)?;
        let direct = scan.flag("direct")?.unwrap_or(true);
        if scan.take(" domain=") {
            scan.word();
        }
        let data = scan.object()?;
        let profile = data.get("groupProfile").filter(|p| p.get("displayName").is_some()).cloned();
        let profile = profile.ok_or_else(errors::parse)?;
        let welcome =
            profile.get("description").and_then(Value::as_str).filter(|_| !direct).map(ToString::to_string);
        let prepared = Prepared {
            one_time: false,
            full,
            short,
            welcome: welcome.as_ref().map(|_| self.world.chance.id()),
            request: None,
            incognito: None,
            started: false,
            business: false,
            direct,
        };
        let group = self.new_prepared_group(profile, prepared);
        let welcome = welcome.map(|text| {
            self.add_welcome(Chat::Group(group), Author::Channel, json!({"type": "text", "text": text}))
        });
        Ok(self.prepared_result(Chat::Group(group), welcome))
    }
}

/// Group preferences of a business chat, from the business's own: `voice` and `timedMessages` are on before the
/// business has said what it wants (agent-connect-business).
pub(crate) fn business_preferences(profile: &Value, prepared: bool) -> Value {
    let full = full_preferences(profile);
    let on = if prepared { "on" } else { "off" };
    if profile.get("preferences").is_none() && !prepared {
        return json!({
            "timedMessages": {"enable": "off"}, "directMessages": {"enable": "off"},
            "fullDelete": {"enable": "on", "role": "moderator"}, "reactions": {"enable": "on"},
            "voice": {"enable": "off"}, "files": {"enable": "on"}, "simplexLinks": {"enable": "on"},
            "reports": {"enable": "off"}, "history": {"enable": "on"}, "support": {"enable": "on"},
            "sessions": {"enable": "on"}, "comments": {"enable": "off"},
        });
    }
    let allows = |key: &str| full.get(key).and_then(|p| p.get("allow")).is_some_and(|a| a != "no");
    let mut preferences = json!({
        "timedMessages": {"enable": on}, "directMessages": {"enable": "off"}, "fullDelete": {"enable": "off"},
        "reactions": {"enable": "on"}, "voice": {"enable": on}, "files": {"enable": "on"},
        "simplexLinks": {"enable": "on"}, "reports": {"enable": "off"}, "history": {"enable": "on"},
        "support": {"enable": "on"}, "sessions": {"enable": "off"}, "comments": {"enable": "off"},
        "commands": full.get("commands"),
    });
    if allows("fullDelete") {
        put(&mut preferences, "fullDelete", Some(json!({"enable": "on", "role": "moderator"})));
    }
    if allows("sessions") {
        put(&mut preferences, "sessions", Some(json!({"enable": "on"})));
    }
    preferences
}

/// ` FULL[ SHORT]`.
fn links(scan: &mut Scan<'_>) -> Result<(String, Option<String>), Value> {
    scan.space()?;
    let full = scan.word().to_string();
    if !full.starts_with("simplex:/contact#") && !full.starts_with("simplex:/invitation#") {
        return Err(errors::parse());
    }
    let mut rest = *scan;
    if rest.take(" https://") || rest.take(" simplex:/") {
        scan.space()?;
        return Ok((full, Some(scan.word().to_string())));
    }
    Ok((full, None))
}
