//! Sending messages (digest 2.6).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::controller::{Answer, Controller};
use crate::db::{Author, Chat, Item, Quoted};
use crate::errors;
use crate::scan::{Scan, Target};
use crate::size::{self, Shape};
use crate::text;
use crate::wire::{Body, Quote, Text};

/// How a message goes out.
#[derive(Clone, Copy, Debug, Default)]
struct Manner {
    support: Option<i64>,
    as_group: bool,
    live: bool,
    ttl: Option<i64>,
}

/// A message before it is sent.
#[derive(Clone, Debug)]
struct Draft {
    content: Value,
    text: String,
    quote: Option<i64>,
    mentions: Vec<(String, i64)>,
    forwarded: bool,
}

impl Controller<'_> {
    pub(crate) fn send_messages(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        let as_group = scan.take("(as_group=on)");
        let live = scan.flag("live")?.unwrap_or(false);
        let ttl = self.ttl(&mut scan)?;
        let _sign = scan.flag("sign")?;
        let drafts = drafts(&mut scan)?;
        if drafts.is_empty() {
            return Err(errors::command("no messages to send"));
        }
        let quotes = drafts.iter().filter(|d| d.quote.is_some()).count();
        if drafts.len() > 1 && (live || quotes > 1) {
            return Err(errors::command("invalid multi send: live and more than one quote not supported"));
        }
        match target {
            Target::Contact(id) => {
                self.send_to_contact(id, drafts, Manner { live, ttl, ..Manner::default() })
            }
            Target::Group(id, scope) => {
                let support = self.scope(id, scope)?;
                self.send_to_group(id, drafts, Manner { support, as_group, live, ttl })
            }
            Target::Local(_) | Target::Connection(_) => Err(errors::parse()),
        }
    }

    /// ` ttl=SECONDS` or ` ttl=default`.
    fn ttl(&self, scan: &mut Scan<'_>) -> Result<Option<i64>, Value> {
        if scan.take(" ttl=default") {
            return Ok(None);
        }
        if scan.take(" ttl=") {
            return scan.id().map(Some);
        }
        Ok(None)
    }

    /// The member of a support scope: the own one, or another.
    pub(crate) fn scope(&self, group: i64, scope: Option<Option<i64>>) -> Result<Option<i64>, Value> {
        self.find_group(group)?;
        let own = self.db.groups.get(&group).map(|g| g.own);
        match scope {
            None => Ok(None),
            Some(None) => Ok(own),
            Some(Some(id)) if self.db.members.get(&id).is_some_and(|m| m.group == group) => Ok(Some(id)),
            Some(Some(id)) => Err(errors::store_with("groupMemberNotFound", json!({"groupMemberId": id}))),
        }
    }

    fn send_to_contact(&mut self, id: i64, drafts: Vec<Draft>, manner: Manner) -> Answer {
        let Some(contact) = self.db.contacts.get(&id) else {
            return Err(errors::store_with("contactNotFound", json!({"contactId": id})));
        };
        let ready = contact.status == "active";
        let conn = contact.conn.filter(|c| {
            self.db.conns.get(c).is_some_and(|c| matches!(c.status.as_str(), "ready" | "sndReady"))
        });
        let Some(conn) = conn.filter(|_| ready) else {
            return Err(errors::chat_with("contactNotReady", json!({"contact": self.db.contact_json(id)})));
        };
        if self.db.conns.get(&conn).is_some_and(|c| c.broken) {
            let context = "sendMessagesB_ CRcv";
            return Err(errors::agent(
                json!({"type": "CONN", "connErr": {"type": "SIMPLEX"}, "errContext": context}),
            ));
        }
        if drafts.iter().any(|d| !d.mentions.is_empty()) {
            return Err(errors::command("mentions are not supported in this chat"));
        }
        self.send_all(Chat::Contact(id), drafts, manner, &[(0, conn)])
    }

    fn send_to_group(&mut self, id: i64, drafts: Vec<Draft>, manner: Manner) -> Answer {
        let own = self.own_member(id).cloned();
        let in_scope = manner.support.is_some() && own.as_ref().is_some_and(|m| m.is_pending());
        if !own.as_ref().is_some_and(|m| m.is_current() && m.status != "accepted") && !in_scope {
            return Err(errors::command("not current member"));
        }
        if manner.support.is_none() {
            self.need_role(id, "author")?;
        }
        let receivers = match manner.support {
            None => self.receivers(id, &[]),
            Some(member) => self.scope_receivers(id, member),
        };
        if let Some(member) = manner.support {
            self.open_support(member);
        }
        self.send_all(Chat::Group(id), drafts, manner, &receivers)
    }

    /// Who reads a support scope: moderators and above, and its member.
    pub(crate) fn scope_receivers(&self, group: i64, member: i64) -> Vec<(i64, i64)> {
        let members = self.db.members.values().filter(|m| m.group == group && m.category != "user");
        let reads = members.filter(|m| !m.is_removed() && (m.rank() >= 4 || m.id == member));
        reads.filter_map(|m| Some((m.id, m.conn?))).collect()
    }

    fn send_all(&mut self, chat: Chat, drafts: Vec<Draft>, manner: Manner, to: &[(i64, i64)]) -> Answer {
        let (mut sent, mut failed) = (Vec::new(), Vec::new());
        for draft in drafts {
            match self.prepare(chat, &draft, manner) {
                Ok(message) => sent.push((draft, message)),
                Err(error) => failed.push(error),
            }
        }
        if let (Some(error), true) = (failed.first().cloned(), sent.is_empty()) {
            if failed.len() > 1 && is_large(&error) {
                self.event("chatErrors", json!({"chatErrors": failed}));
            }
            return Err(error);
        }
        let mut items = Vec::new();
        for (draft, (quoted, mentions, message)) in sent {
            items.push(self.send_one(chat, &draft, manner, to, (quoted, mentions, message)));
        }
        if !failed.is_empty() {
            self.event("chatErrors", json!({"chatErrors": failed}));
        }
        let now = self.now();
        let items: Vec<Value> = items.iter().map(|id| self.db.chat_item(*id, now)).collect();
        Ok(self.result("newChatItems", json!({"chatItems": items})))
    }

    /// Checks a draft, and makes what is sent of it.
    fn prepare(&mut self, chat: Chat, draft: &Draft, manner: Manner) -> Result<Prepared, Value> {
        let mentions = self.check_mentions(chat, draft)?;
        let quoted = draft.quote.map(|id| self.quote(chat, id)).transpose()?;
        let shape = Shape {
            direct: matches!(chat, Chat::Contact(_)),
            quote: quoted.as_ref().map(|(item, _)| {
                let text = item.content.get("text").and_then(Value::as_str).unwrap_or_default();
                (text::encoded(text), item.author == Some(Author::Own))
            }),
            mentions: draft.mentions.iter().map(|(name, _)| text::encoded(name)).collect(),
            live: manner.live,
        };
        size::check_new(&draft.text, &shape)?;
        let (quoted, quote) = quoted.unzip();
        let support = manner.support.and_then(|m| self.db.members.get(&m)).map(|m| m.member_id.clone());
        let message = Text {
            id: self.world.chance.id(),
            content: draft.content.clone(),
            quote,
            mentions: mentions.clone(),
            live: manner.live,
            ttl: manner.ttl.filter(|_| matches!(chat, Chat::Contact(_))),
            support,
            as_group: manner.as_group,
            forwarded: draft.forwarded,
            author: None,
            handed_on: false,
            sent: self.now(),
            welcome: false,
        };
        Ok((quoted, mentions, message))
    }

    fn send_one(
        &mut self,
        chat: Chat,
        draft: &Draft,
        manner: Manner,
        to: &[(i64, i64)],
        prepared: Prepared,
    ) -> i64 {
        let (quoted, mentions, message) = prepared;
        let content = json!({"type": "sndMsgContent", "msgContent": draft.content});
        let item = self.add_item(chat, Author::Own, content, &draft.text);
        let (shared, receivers) = (message.id.clone(), to.len());
        self.with_item(item, |i| {
            i.shared_id = Some(shared);
            i.quote = quoted;
            i.mentions = mentions;
            i.live = manner.live.then_some(true);
            i.support = manner.support;
            i.as_group = manner.as_group;
            i.ttl = message.ttl;
            i.forwarded = draft.forwarded;
            i.sent = (receivers, 0, 0);
        });
        for (_, conn) in to {
            self.send(*conn, Body::Text(message.clone()));
            self.expect_sent(*conn, Some(item));
        }
        item
    }

    /// Mentions by member identifier (digest 2.6, FINDINGS.md 6).
    fn check_mentions(&self, chat: Chat, draft: &Draft) -> Result<Vec<(String, String)>, Value> {
        let invalid = || errors::store("invalidMention");
        let Chat::Group(group) = chat else { return Ok(Vec::new()) };
        if draft.mentions.is_empty() || text::formatted(&draft.text).is_none() {
            return Ok(Vec::new());
        }
        if draft.mentions.len() > 3 {
            return Err(invalid());
        }
        let parsed = text::mentioned(&draft.text);
        let mut found: Vec<(String, String)> = Vec::new();
        for (name, id) in &draft.mentions {
            if !parsed.contains(name) {
                return Err(invalid());
            }
            let member = self.db.members.get(id).filter(|m| m.group == group);
            let member = member
                .ok_or_else(|| errors::store_with("groupMemberNotFound", json!({"groupMemberId": id})))?;
            if found.iter().any(|(_, m)| *m == member.member_id) {
                return Err(invalid());
            }
            found.push((name.clone(), member.member_id.clone()));
        }
        Ok(found)
    }

    /// The quoted item, as kept here and as sent.
    fn quote(&self, chat: Chat, id: i64) -> Result<(Quoted, Quote), Value> {
        let missing = || errors::store_with("chatItemNotFound", json!({"itemId": id}));
        let item = self.db.items.get(&id).filter(|i| i.chat == chat).ok_or_else(missing)?;
        if !item.is_message() || item.deleted.is_some() {
            return Err(errors::store("invalidQuote"));
        }
        let content = quote_content(item);
        let quoted = Quoted {
            author: Some(item.author),
            item: Some(id),
            shared_id: item.shared_id.clone(),
            sent: item.ts,
            content: content.clone(),
        };
        let member = match (chat, item.author) {
            (Chat::Group(_), Author::Member(m)) => self.db.members.get(&m).map(|m| m.member_id.clone()),
            (Chat::Group(g), Author::Own) => self.own_member(g).map(|m| m.member_id.clone()),
            _ => None,
        };
        let quote = Quote { id: item.shared_id.clone(), sent: item.ts, content, member, own: item.is_own() };
        Ok((quoted, quote))
    }

    /// `/_forward SENDREF REF IDS`: texts of other chats.
    pub(crate) fn forward(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let to = scan.target()?;
        scan.space()?;
        let from = scan.target()?;
        scan.space()?;
        let ids = scan.ids()?;
        let mut drafts = Vec::new();
        for id in ids {
            let item = self.db.items.get(&id).filter(|i| Some(i.chat) == from.chat() && i.is_message());
            let item = item.ok_or_else(|| errors::store_with("chatItemNotFound", json!({"itemId": id})))?;
            let content = item.content.get("msgContent").cloned().unwrap_or(Value::Null);
            drafts.push(Draft {
                content,
                text: item.text.clone(),
                quote: None,
                mentions: Vec::new(),
                forwarded: true,
            });
        }
        match to {
            Target::Contact(id) => self.send_to_contact(id, drafts, Manner::default()),
            Target::Group(id, scope) => {
                let support = self.scope(id, scope)?;
                self.send_to_group(id, drafts, Manner { support, ..Manner::default() })
            }
            Target::Local(_) | Target::Connection(_) => Err(errors::parse()),
        }
    }
}

type Prepared = (Option<Quoted>, Vec<(String, String)>, Text);

fn is_large(error: &Value) -> bool {
    error.pointer("/storeError/type") == Some(&json!("largeMsg"))
}

/// What a reply says of a message: its content.
pub(crate) fn quote_content(item: &Item) -> Value {
    let content = item.content.get("msgContent").cloned().unwrap_or(Value::Null);
    if content.get("type") == Some(&json!("text")) {
        json!({"type": "text", "text": item.text})
    } else {
        content
    }
}

/// ` json [COMPOSED,…]` or ` text TEXT`.
fn drafts(scan: &mut Scan<'_>) -> Result<Vec<Draft>, Value> {
    if scan.take(" text ") {
        let text = scan.0.to_string();
        let content = json!({"type": "text", "text": text});
        return Ok(alloc::vec![Draft { content, text, quote: None, mentions: Vec::new(), forwarded: false }]);
    }
    if scan.0 == " text" {
        return Err(errors::parse());
    }
    if !scan.take(" json ") {
        return Err(errors::parse());
    }
    let list = scan.json()?;
    list.as_array().ok_or_else(errors::parse)?.iter().map(draft).collect()
}

fn draft(composed: &Value) -> Result<Draft, Value> {
    let content = message_content(composed.get("msgContent").ok_or_else(errors::parse)?)?;
    let text = content.get("text").and_then(Value::as_str).unwrap_or_default().to_string();
    let quote = match composed.get("quotedItemId") {
        None | Some(Value::Null) => None,
        Some(id) => Some(id.as_i64().ok_or_else(errors::parse)?),
    };
    let mentions = match composed.get("mentions") {
        None | Some(Value::Null) => Vec::new(),
        Some(map) => mention_ids(map)?,
    };
    Ok(Draft { content, text, quote, mentions, forwarded: false })
}

/// `msgContent`: an object with a type, and a text for the known types.
pub(crate) fn message_content(content: &Value) -> Answer {
    let kind = content.get("type").and_then(Value::as_str).ok_or_else(errors::parse)?;
    let text = content.get("text").and_then(Value::as_str);
    match (kind, text) {
        ("text", Some(text)) => Ok(json!({"type": "text", "text": text})),
        ("text", None) => Err(errors::parse()),
        ("link" | "image" | "video" | "voice" | "file" | "report" | "chat", Some(_)) => Ok(content.clone()),
        // A core keeps what it does not know as it came.
        (_, text) => {
            let mut content = content.clone();
            crate::json::put(&mut content, "text", Some(json!(text.unwrap_or_default())));
            Ok(content)
        }
    }
}

/// `mentions`: name to member number.
pub(crate) fn mention_ids(map: &Value) -> Result<Vec<(String, i64)>, Value> {
    let map = map.as_object().ok_or_else(errors::parse)?;
    map.iter().map(|(name, id)| Ok((name.clone(), id.as_i64().ok_or_else(errors::parse)?))).collect()
}
