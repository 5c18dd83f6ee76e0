//! How acts become commands of the text API.

use alloc::format;
use alloc::string::{String, ToString};

use serde_json::{Value, json};
use simplex_agent_core::Millis;

use crate::db::Db;
use crate::world::DbId;
use crate::{Act, Network};

impl Network {
    /// Runs a command line as a person: the result, or the error as text.
    pub(crate) fn person_run(&mut self, person: usize, line: &str) -> Result<Value, String> {
        let db = self.people.get(person).map(|p| p.db).ok_or("no such person")?;
        let ran = self.run(db, line).ok_or("no database")?;
        self.emit(db, ran.events, Millis(0));
        ran.answer.map_err(|error| format!("{line}: {error}"))
    }

    fn db_of(&self, person: usize) -> Result<(DbId, &Db), String> {
        let id = self.people.get(person).map(|p| p.db).ok_or("no such person")?;
        self.dbs.get(&id).map(|db| (id, db)).ok_or_else(|| "no database".to_string())
    }

    /// `@4` or `#1` of a chat's local name.
    fn chat(&self, person: usize, name: &str) -> Result<String, String> {
        let (_, db) = self.db_of(person)?;
        if name.starts_with(['@', '#']) {
            return Ok(name.to_string());
        }
        let group = db.groups.values().find(|g| g.local_name == name).map(|g| format!("#{}", g.id));
        let contact =
            db.contacts.values().find(|c| c.local_name == name && c.id != 1).map(|c| format!("@{}", c.id));
        group.or(contact).ok_or_else(|| format!("{name} is no chat of this person: see Network::view"))
    }

    fn member(&self, person: usize, chat: &str, name: &str) -> Result<i64, String> {
        let (_, db) = self.db_of(person)?;
        let group = chat.strip_prefix('#').and_then(|id| id.parse::<i64>().ok()).ok_or("not a group")?;
        let members =
            || db.members.values().filter(|m| m.group == group && m.category != "user" && !m.is_removed());
        let local = members().filter(|m| m.local_name == name).map(|m| m.id).next_back();
        let found = local
            .or_else(|| members().filter(|m| db.profile_name(m.profile) == name).map(|m| m.id).next_back());
        found.ok_or_else(|| format!("{name} is no member of {chat}: see Network::view"))
    }

    fn send_json(&mut self, person: usize, to: &str, options: &str, message: Value) -> Result<(), String> {
        self.person_run(person, &format!("/_send {to}{options} json {}", json!([message]))).map(|_| ())
    }

    pub(crate) fn do_act(&mut self, person: usize, act: Act) -> Result<(), String> {
        match act {
            Act::Command(line) => self.person_run(person, &line).map(|_| ()),
            Act::Join { link } => self.join(person, &link),
            Act::Say { chat, text } => {
                let chat = self.chat(person, &chat)?;
                self.send_json(person, &chat, "", message(&text))
            }
            Act::SayInSupport { chat, text } => {
                let chat = self.chat(person, &chat)?;
                self.send_json(person, &format!("{chat}(_support)"), "", message(&text))
            }
            Act::Reply { chat, item, text } => {
                let chat = self.chat(person, &chat)?;
                let mut message = message(&text);
                crate::json::put(&mut message, "quotedItemId", Some(json!(item)));
                self.send_json(person, &chat, "", message)
            }
            Act::Forward { chat, item, to } => {
                let (chat, to) = (self.chat(person, &chat)?, self.chat(person, &to)?);
                self.person_run(person, &format!("/_forward {to} {chat} {item}")).map(|_| ())
            }
            Act::Edit { chat, item, text } | Act::LiveEnd { chat, item, text } => {
                self.edit(person, &chat, item, "", &text)
            }
            Act::LiveUpdate { chat, item, text } => self.edit(person, &chat, item, " live=on", &text),
            Act::Delete { chat, item } => {
                let chat = self.chat(person, &chat)?;
                self.person_run(person, &format!("/_delete item {chat} {item} broadcast")).map(|_| ())
            }
            Act::LiveStart { chat, text } => {
                let chat = self.chat(person, &chat)?;
                self.send_json(person, &chat, " live=on", message(&text))
            }
            other => self.do_more(person, other),
        }
    }

    fn edit(
        &mut self,
        person: usize,
        chat: &str,
        item: i64,
        options: &str,
        text: &str,
    ) -> Result<(), String> {
        let chat = self.chat(person, chat)?;
        let message = message(text);
        self.person_run(person, &format!("/_update item {chat} {item}{options} json {message}")).map(|_| ())
    }

    fn join(&mut self, person: usize, link: &str) -> Result<(), String> {
        self.person_run(person, &format!("/connect {link}")).and_then(|answer| {
            if answer.get("type") == Some(&json!("connectionPlan")) {
                Err(format!("cannot join {link}: {}", answer.get("connectionPlan").unwrap_or(&Value::Null)))
            } else {
                Ok(())
            }
        })
    }

    fn do_more(&mut self, person: usize, act: Act) -> Result<(), String> {
        let line = match act {
            Act::Read { chat } => format!("/_read chat {}", self.chat(person, &chat)?),
            Act::Leave { chat } => format!("/_leave {}", self.chat(person, &chat)?),
            Act::SetRole { chat, member, role } => {
                let chat = self.chat(person, &chat)?;
                format!("/_member role {chat} {} {role}", self.member(person, &chat, &member)?)
            }
            Act::Add { chat, contact, role } => {
                let (chat, contact) = (self.chat(person, &chat)?, self.chat(person, &contact)?);
                format!("/_add {chat} {} {role}", contact.trim_start_matches('@'))
            }
            Act::Remove { chat, member } => {
                let chat = self.chat(person, &chat)?;
                format!("/_remove {chat} {}", self.member(person, &chat, &member)?)
            }
            Act::AcceptMember { chat, member, role } => {
                let chat = self.chat(person, &chat)?;
                format!("/_accept member {chat} {} {role}", self.member(person, &chat, &member)?)
            }
            Act::DeleteGroup { chat } | Act::DeleteContact { chat } => {
                format!("/_delete {} full notify=on", self.chat(person, &chat)?)
            }
            Act::Accept { name } => format!("/_accept {}", self.request_of(person, &name)?),
            Act::Reject { name } => format!("/_reject {}", self.request_of(person, &name)?),
            Act::Rename { name } => {
                let mut profile = self.db_of(person)?.1.own_profile();
                crate::json::put(&mut profile, "displayName", Some(json!(name)));
                format!("/_profile 1 {profile}")
            }
            Act::DeleteAddress => "/_delete_address 1".to_string(),
            other => return self.do_rest(person, other),
        };
        self.person_run(person, &line).map(|_| ())
    }

    fn request_of(&self, person: usize, name: &str) -> Result<i64, String> {
        let (_, db) = self.db_of(person)?;
        let mut open =
            db.requests.values().filter(|r| db.contacts.get(&r.contact).is_some_and(|c| c.conn.is_none()));
        let open = open.find(|r| r.local_name == name || db.profile_name(r.profile) == name);
        open.map(|r| r.id).ok_or_else(|| format!("{name} has not asked to connect"))
    }

    fn do_rest(&mut self, person: usize, act: Act) -> Result<(), String> {
        match act {
            Act::GoOffline => self.person_run(person, "/_stop").map(|_| ()),
            Act::GoOnline => self.person_run(person, "/_start").map(|_| ()),
            Act::CreateAddress { name } => {
                let made = self.person_run(person, "/_address 1")?;
                self.publish(&name, made.pointer("/connLinkContact/connShortLink"));
                Ok(())
            }
            Act::CreateOneTimeLink { name } => {
                let made = self.person_run(person, "/_connect 1")?;
                self.publish(&name, made.pointer("/connLinkInvitation/connShortLink"));
                Ok(())
            }
            Act::CreateGroup { chat, name } => {
                let profile = json!({"displayName": chat, "fullName": ""});
                let made = self.person_run(person, &format!("/_group 1 {profile}"))?;
                let group = made.pointer("/groupInfo/groupId").cloned().unwrap_or(Value::Null);
                let made = self.person_run(person, &format!("/_create link #{group} member"))?;
                self.publish(&name, made.pointer("/groupLink/connLinkContact/connShortLink"));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn publish(&mut self, name: &str, link: Option<&Value>) {
        if let Some(link) = link.and_then(Value::as_str) {
            self.published.insert(name.to_string(), link.to_string());
        }
    }
}

/// A composed text, as an app sends it.
fn message(text: &str) -> Value {
    json!({"msgContent": {"type": "text", "text": text}, "mentions": {}})
}
