//! People and bots: controllers with a behaviour.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use simplex_agent_core::Millis;

use crate::json::put;
use crate::wire::ServiceReply;
use crate::world::{DbId, Task};
use crate::{AddressPlan, ChannelPlan, GroupPlan, Network, PeerPlan};

mod answers;
mod owner;
mod service;

/// A person or bot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) db: DbId,
    pub(crate) plan: PeerPlan,
}

/// Something a person does after a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Errand {
    /// Sends a command line; errors are theirs alone.
    Run(String),
    /// Joins by a link.
    Join(String),
    /// Answers a call of its service.
    Serve { request: String, reply: ServiceReply },
}

impl Network {
    /// Makes a person and what it has.
    pub(crate) fn move_in(&mut self, plan: &PeerPlan) {
        let db = self.add_db(&format!("peer:{}", plan.name));
        let person = self.people.len();
        if let Some(row) = self.dbs.get_mut(&db) {
            row.person = Some(person);
            row.captcha = plan.groups.iter().any(|g| g.captcha);
            row.rejects = plan.groups.iter().any(|g| g.rejects);
        }
        self.people.push(Person { name: plan.name.clone(), db, plan: plan.clone() });
        let profile = with_more(json!({"displayName": plan.name, "fullName": ""}), &plan.profile);
        self.quietly(
            person,
            &format!("/_create user {}", json!({"profile": profile, "pastTimestamp": false})),
        );
        let serves = plan.service.is_some();
        self.quietly(person, if serves { "/_start main=on service_requests=on" } else { "/_start" });
        if let Some(address) = &plan.address {
            self.set_up_address(person, address, serves);
        }
        if let Some(name) = &plan.one_time {
            let made = self.quietly(person, "/_connect 1");
            self.publish(name, made.pointer("/connLinkInvitation/connShortLink"));
        }
        for group in &plan.groups {
            self.set_up_group(person, group);
        }
        for channel in &plan.channels {
            self.set_up_channel(person, channel);
        }
    }

    /// Runs a command line; an error is a null.
    pub(crate) fn quietly(&mut self, person: usize, line: &str) -> Value {
        self.person_run(person, line).unwrap_or(Value::Null)
    }

    fn set_up_address(&mut self, person: usize, plan: &AddressPlan, serves: bool) {
        let made = self.quietly(person, if serves { "/_address 1 pq_ratchet=on" } else { "/_address 1" });
        self.publish(&plan.publish, made.pointer("/connLinkContact/connShortLink"));
        if plan.preset {
            let full = made.pointer("/connLinkContact/connFullLink").and_then(Value::as_str);
            self.world.team = full.map(String::from);
        }
        let mut settings = json!({"businessAddress": plan.business});
        put(&mut settings, "autoAccept", plan.auto_accept.then(|| json!({"acceptIncognito": false})));
        put(
            &mut settings,
            "autoReply",
            plan.auto_reply.as_ref().map(|text| json!({"type": "text", "text": text})),
        );
        self.quietly(person, &format!("/_address_settings 1 {settings}"));
    }

    fn set_up_group(&mut self, person: usize, plan: &GroupPlan) {
        let profile = with_more(json!({"displayName": plan.name, "fullName": ""}), &plan.profile);
        let made = self.quietly(person, &format!("/_group 1 {profile}"));
        let Some(group) = made.pointer("/groupInfo/groupId").and_then(Value::as_i64) else { return };
        let role = plan.role.as_deref().unwrap_or("member");
        let made = self.quietly(person, &format!("/_create link #{group} {role}"));
        self.publish(&plan.publish, made.pointer("/groupLink/connLinkContact/connShortLink"));
        self.post(person, &format!("#{group}"), &plan.posts);
    }

    fn set_up_channel(&mut self, person: usize, plan: &ChannelPlan) {
        let relay_name = format!("relay{}", self.people.len());
        self.move_in_relay(&relay_name);
        let address = self.published.get(&relay_name).cloned().unwrap_or_default();
        self.quietly(person, &format!("/relays name={relay_name} {address}"));
        let id = self
            .people
            .get(person)
            .and_then(|p| self.dbs.get(&p.db))
            .and_then(|d| d.relays.last())
            .map(|r| r.id);
        let profile = with_more(json!({"displayName": plan.name, "fullName": ""}), &plan.profile);
        let made = self.quietly(person, &format!("/_public group 1 {} {profile}", id.unwrap_or(0)));
        let Some(group) = made.pointer("/groupInfo/groupId").and_then(Value::as_i64) else { return };
        self.publish(&plan.publish, made.pointer("/groupLink/connLinkContact/connShortLink"));
        for text in &plan.posts {
            let line = format!("/_send #{group}(as_group=on) json {}", json!([composed(text)]));
            self.world.after(Millis(10_000), Task::Person { person, errand: Errand::Run(line) });
        }
    }

    /// A relay for channels.
    fn move_in_relay(&mut self, name: &str) {
        let db = self.add_db(&format!("peer:{name}"));
        let person = self.people.len();
        if let Some(row) = self.dbs.get_mut(&db) {
            row.person = Some(person);
        }
        self.people.push(Person { name: name.to_string(), db, plan: PeerPlan::named(name) });
        let user = json!({"profile": {"displayName": name, "fullName": ""}, "pastTimestamp": false, "userChatRelay": true});
        self.quietly(person, &format!("/_create user {user}"));
        self.quietly(person, "/_start");
        let made = self.quietly(person, "/_address 1");
        self.publish(name, made.pointer("/connLinkContact/connShortLink"));
        self.quietly(
            person,
            r#"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#,
        );
    }

    fn post(&mut self, person: usize, chat: &str, posts: &[String]) {
        for text in posts {
            self.quietly(person, &format!("/_send {chat} json {}", json!([composed(text)])));
        }
    }

    /// Does what was put off.
    pub(crate) fn errand(&mut self, person: usize, errand: Errand) {
        match errand {
            Errand::Run(line) => {
                self.quietly(person, &line);
            }
            Errand::Join(link) => {
                self.quietly(person, &format!("/connect {link}"));
            }
            Errand::Serve { request, reply } => self.serve(person, &request, reply),
        }
    }

    /// A command line of a person, after a while.
    pub(crate) fn run_later(&mut self, person: usize, delay: Millis, line: String) {
        self.world.after(delay, Task::Person { person, errand: Errand::Run(line) });
    }

    /// Reacts to an event.
    pub(crate) fn person_event(&mut self, person: usize, event: &Value) {
        let Some(plan) = self.people.get(person).map(|p| p.plan.clone()) else { return };
        let Some(result) = event.get("result") else { return };
        match result.get("type").and_then(Value::as_str) {
            Some("newChatItems") => {
                let items: Vec<Value> =
                    result.get("chatItems").and_then(Value::as_array).cloned().unwrap_or_default();
                for item in items.iter().filter(|i| is_received(i)) {
                    self.person_message(person, &plan, item);
                }
            }
            Some("contactConnected") => self.greet(person, &plan, result),
            Some("joinedGroupMember") => self.ask_captcha(person, &plan, result),
            Some("serviceRequest") => self.take_call(person, &plan, result),
            _ => {}
        }
    }

    fn person_message(&mut self, person: usize, plan: &PeerPlan, item: &Value) {
        if plan.groups.iter().any(|g| g.captcha) && self.check_captcha(person, item) {
            return;
        }
        if let Some(owner) = &plan.owner {
            self.decide(person, owner, item);
        }
        if let Some(directory) = &plan.directory {
            self.search(person, directory, item);
        }
        if let Some(replies) = &plan.replies {
            self.reply(person, replies, item);
        }
    }
}

/// A message of somebody else.
fn is_received(item: &Value) -> bool {
    item.pointer("/chatItem/content/type") == Some(&json!("rcvMsgContent"))
}

/// The text of an item.
pub(crate) fn text_of(item: &Value) -> &str {
    item.pointer("/chatItem/meta/itemText").and_then(Value::as_str).unwrap_or_default()
}

/// `@4` or `#1` of an item's chat, with its scope.
pub(crate) fn chat_of(item: &Value) -> Option<String> {
    if let Some(id) = item.pointer("/chatInfo/contact/contactId") {
        return Some(format!("@{id}"));
    }
    let id = item.pointer("/chatInfo/groupInfo/groupId")?;
    let Some(scope) = item.pointer("/chatInfo/groupChatScope") else { return Some(format!("#{id}")) };
    match scope.pointer("/groupMember_/groupMemberId") {
        Some(member) => Some(format!("#{id}(_support:{member})")),
        None => Some(format!("#{id}(_support)")),
    }
}

/// A composed text.
pub(crate) fn composed(text: &str) -> Value {
    json!({"msgContent": {"type": "text", "text": text}, "mentions": {}})
}

/// A profile with more fields.
fn with_more(mut profile: Value, more: &Value) -> Value {
    for (key, value) in crate::json::entries(more) {
        put(&mut profile, key, Some(value.clone()));
    }
    profile
}
