//! Reading: chats, items, read marks (digest 2.6).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};
use simplex_agent_core::UnixMillis;

use crate::controller::{Answer, Controller};
use crate::db::{Chat, Entity, Item, display_name};
use crate::errors;
use crate::json::{put, time_text};
use crate::scan::{Scan, Target};

/// Which items of a chat.
#[derive(Clone, Copy, Debug)]
enum Page {
    Last(usize),
    After(i64, usize),
    Before(i64, usize),
    Around(i64, usize),
    Initial(usize),
}

impl Controller<'_> {
    pub(crate) fn show_chat(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        let kind = if scan.take(" content=") { Some(scan.word().to_string()) } else { None };
        let page = page(&mut scan)?;
        let search =
            if scan.take(" search=") { core::mem::take(&mut scan.0).to_lowercase() } else { String::new() };
        scan.end()?;
        let chat = target.chat().ok_or_else(errors::parse)?;
        self.check_chat(target)?;
        let support = match target {
            Target::Group(id, scope) => self.scope(id, scope)?,
            _ => None,
        };
        let mut items = self.ordered(chat, support);
        // A page of a long chat is asked for often, and mostly with neither.
        if kind.is_some() || !search.is_empty() {
            items.retain(|i| self.matches(*i, kind.as_deref(), &search));
        }
        let (from, to, real) = self.range(&items, page)?;
        let shown = items.get(from..to).unwrap_or_default();
        let now = self.now();
        let list: Vec<Value> =
            shown.iter().filter_map(|id| self.db.items.get(id)).map(|i| self.db.item_json(i, now)).collect();
        let stats = if real { self.stats(chat, support) } else { zero_stats() };
        let mut fields = json!({"chat": {
            "chatInfo": self.db.chat_info(chat, support), "chatItems": list, "chatStats": stats,
        }});
        if real {
            let after = items.get(to..).unwrap_or_default();
            let unread = after.iter().filter(|id| self.db.items.get(id).is_some_and(Item::is_unread)).count();
            put(&mut fields, "navInfo", Some(json!({"afterUnread": unread, "afterTotal": after.len()})));
        }
        Ok(self.result("apiChat", fields))
    }

    /// Numbers of a chat's items: groups by time, the others as they came (FINDINGS.md 5).
    fn ordered(&self, chat: Chat, support: Option<i64>) -> Vec<i64> {
        let items = self.db.items.values().filter(|i| i.chat == chat && i.support == support);
        let mut items: Vec<(UnixMillis, i64)> = match chat {
            Chat::Group(_) => items.map(|i| (i.ts, i.id)).collect(),
            _ => items.map(|i| (i.created, i.id)).collect(),
        };
        items.sort_unstable();
        items.into_iter().map(|(_, id)| id).collect()
    }

    fn matches(&self, id: i64, kind: Option<&str>, search: &str) -> bool {
        let Some(item) = self.db.items.get(&id) else { return false };
        let content = item.content.pointer("/msgContent/type").and_then(Value::as_str);
        kind.is_none_or(|k| content == Some(k)) && item.text.to_lowercase().contains(search)
    }

    /// From and to of a page, and whether it comes with real counts.
    fn range(&self, items: &[i64], page: Page) -> Result<(usize, usize, bool), Value> {
        let end = items.len();
        let place = |id: i64| {
            let missing = || errors::store_with("chatItemNotFound", json!({"itemId": id}));
            items.iter().position(|i| *i == id).ok_or_else(missing)
        };
        Ok(match page {
            Page::Last(n) => (end.saturating_sub(n), end, false),
            Page::After(id, n) => {
                let from = place(id)?.saturating_add(1);
                (from, from.saturating_add(n).min(end), false)
            }
            Page::Before(id, n) => {
                let to = place(id)?;
                (to.saturating_sub(n), to, false)
            }
            Page::Around(id, n) => {
                let at = place(id)?;
                (at.saturating_sub(n), at.saturating_add(n).saturating_add(1).min(end), true)
            }
            Page::Initial(n) => {
                let unread = items.iter().position(|i| self.db.items.get(i).is_some_and(Item::is_unread));
                match unread {
                    Some(at) => (at.saturating_sub(n), at.saturating_add(n).saturating_add(1).min(end), true),
                    None => (end.saturating_sub(n), end, true),
                }
            }
        })
    }

    /// `chatStats`: every unread item counts (FINDINGS.md 6).
    fn stats(&self, chat: Chat, support: Option<i64>) -> Value {
        let unread =
            self.db.items.values().filter(|i| i.chat == chat && i.support == support && i.is_unread());
        let (mut count, mut mentions, mut first) = (0u64, 0u64, 0i64);
        for item in unread {
            count = count.saturating_add(1);
            mentions = mentions.saturating_add(u64::from(item.user_mention));
            first = if first == 0 { item.id } else { first.min(item.id) };
        }
        let marked = match chat {
            Chat::Contact(id) => self.db.contacts.get(&id).is_some_and(|c| c.unread),
            Chat::Group(id) => self.db.groups.get(&id).is_some_and(|g| g.unread),
            Chat::Local(_) => false,
        };
        json!({
            "unreadCount": count, "unreadMentions": mentions, "reportsCount": 0, "minUnreadItemId": first,
            "unreadChat": marked,
        })
    }

    pub(crate) fn list_chats(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let pending = scan.flag("pcc")?.unwrap_or(false);
        let page = chats_page(&mut scan)?;
        let query = if scan.0.trim().is_empty() { Value::Null } else { scan.object()? };
        let mut chats: Vec<(UnixMillis, Value)> = Vec::new();
        for contact in
            self.db.contacts.values().filter(|c| c.used && (c.conn.is_some() || self.asked(c.request)))
        {
            chats.push((contact.chat_ts, self.chat_json(Chat::Contact(contact.id))));
        }
        for group in self.db.groups.values() {
            chats.push((group.chat_ts, self.chat_json(Chat::Group(group.id))));
        }
        if let Some(user) = &self.db.user {
            chats.push((UnixMillis(user.created.0 / 1000 * 1000), self.chat_json(Chat::Local(1))));
        }
        if pending {
            let waiting =
                self.db.conns.values().filter(|c| c.entity == Entity::Pending && c.status != "prepared");
            chats.extend(waiting.map(|c| (c.updated, self.pending_chat(c.id))));
        }
        chats.retain(|(_, chat)| keeps(chat, &query));
        chats.sort_by_key(|(at, _)| core::cmp::Reverse(*at));
        let chats = page.cut(chats);
        Ok(self.result("apiChats", json!({"chats": chats})))
    }

    /// Requests that were not accepted have no chat, unless they came with a message.
    fn asked(&self, request: Option<i64>) -> bool {
        request.and_then(|r| self.db.requests.get(&r)).is_none_or(|r| r.message.is_some())
    }

    fn chat_json(&self, chat: Chat) -> Value {
        let now = self.now();
        let last = self.ordered(chat, None).last().copied();
        let items: Vec<Value> = last
            .and_then(|id| self.db.items.get(&id))
            .map(|i| self.db.item_json(i, now))
            .into_iter()
            .collect();
        json!({"chatInfo": self.db.chat_info(chat, None), "chatItems": items, "chatStats": self.stats(chat, None)})
    }

    fn pending_chat(&self, conn: i64) -> Value {
        json!({
            "chatInfo": {"type": "contactConnection", "contactConnection": self.db.pending_json(conn)},
            "chatItems": [], "chatStats": zero_stats(),
        })
    }

    pub(crate) fn read_chat(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        scan.end()?;
        self.check_read(target)?;
        let chat = target.chat().ok_or_else(errors::parse)?;
        let support = match target {
            Target::Group(id, scope) => self.scope(id, scope)?,
            _ => None,
        };
        let now = self.now();
        for item in
            self.db.items.values_mut().filter(|i| i.chat == chat && i.support == support && i.is_unread())
        {
            item.status = json!({"type": "rcvRead"});
            item.updated = now;
        }
        Ok(self.cmd_ok())
    }

    fn check_read(&self, target: Target) -> Result<(), Value> {
        match target {
            Target::Contact(id) if !self.db.contacts.contains_key(&id) => {
                Err(errors::store_with("userNotFoundByContactId", json!({"contactId": id})))
            }
            Target::Group(id, _) if !self.db.groups.contains_key(&id) => {
                Err(errors::store_with("userNotFoundByGroupId", json!({"groupId": id})))
            }
            Target::Connection(_) => Err(errors::parse()),
            _ => Ok(()),
        }
    }

    pub(crate) fn read_items(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        scan.space()?;
        let ids = scan.ids()?;
        scan.end()?;
        self.check_read(target)?;
        let chat = target.chat().ok_or_else(errors::parse)?;
        let now = self.now();
        for id in ids {
            if let Some(item) = self.db.items.get_mut(&id).filter(|i| i.chat == chat && i.is_unread()) {
                item.status = json!({"type": "rcvRead"});
                item.updated = now;
            }
        }
        Ok(self.result("itemsReadForChat", json!({"chatInfo": self.db.chat_info(chat, None)})))
    }

    pub(crate) fn unread_chat(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        scan.space()?;
        let on = match scan.word() {
            "on" => true,
            "off" => false,
            _ => return Err(errors::parse()),
        };
        self.check_chat(target)?;
        match target.chat() {
            Some(Chat::Contact(id)) => {
                if let Some(contact) = self.db.contacts.get_mut(&id) {
                    contact.unread = on;
                }
            }
            Some(Chat::Group(id)) => {
                if let Some(group) = self.db.groups.get_mut(&id) {
                    group.unread = on;
                }
            }
            _ => {}
        }
        Ok(self.cmd_ok())
    }

    pub(crate) fn item_info(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        scan.space()?;
        let id = scan.id()?;
        self.check_chat(target)?;
        let missing = || errors::store_with("chatItemNotFound", json!({"itemId": id}));
        let item = self.db.items.get(&id).filter(|i| Some(i.chat) == target.chat()).ok_or_else(missing)?;
        let version = json!([{
            "chatItemVersionId": id, "msgContent": item.content.get("msgContent"),
            "itemVersionTs": time_text(item.ts), "createdAt": time_text(item.created),
        }]);
        let mut version = version;
        if let Some(first) = version.get_mut(0) {
            put(first, "formattedText", crate::text::formatted(&item.text));
        }
        let mut info = json!({"itemVersions": version});
        if let (Chat::Group(group), true) = (item.chat, item.is_own()) {
            let status = json!({"type": "rcvd", "msgRcptStatus": "ok"});
            let statuses = self.receivers(group, &[]).into_iter().map(
                |(m, _)| json!({"groupMemberId": m, "memberDeliveryStatus": status, "sentViaProxy": false}),
            );
            put(&mut info, "memberDeliveryStatuses", Some(statuses.collect()));
        }
        let shown = self.db.chat_item(id, self.now());
        Ok(self.result("chatItemInfo", json!({"chatItem": shown, "chatItemInfo": info})))
    }
}

fn zero_stats() -> Value {
    json!({"unreadCount": 0, "unreadMentions": 0, "reportsCount": 0, "minUnreadItemId": 0, "unreadChat": false})
}

fn page(scan: &mut Scan<'_>) -> Result<Page, Value> {
    scan.space()?;
    if scan.take("initial=") {
        return Ok(Page::Initial(count(scan)?));
    }
    if scan.take("count=") {
        return Ok(Page::Last(count(scan)?));
    }
    let make = if scan.take("after=") {
        Page::After
    } else if scan.take("before=") {
        Page::Before
    } else if scan.take("around=") {
        Page::Around
    } else {
        return Err(errors::parse());
    };
    let id = scan.id()?;
    if scan.take(" count=") { Ok(make(id, count(scan)?)) } else { Err(errors::parse()) }
}

fn count(scan: &mut Scan<'_>) -> Result<usize, Value> {
    usize::try_from(scan.id()?).map_err(|_| errors::parse())
}

/// A page of `/_get chats`.
struct Chats {
    count: usize,
    after: Option<String>,
    before: Option<String>,
}

impl Chats {
    fn cut(&self, chats: Vec<(UnixMillis, Value)>) -> Vec<Value> {
        let chats = chats.into_iter().filter(|(at, _)| {
            let text = time_text(*at);
            self.after.as_ref().is_none_or(|a| text > *a) && self.before.as_ref().is_none_or(|b| text < *b)
        });
        chats.take(self.count).map(|(_, chat)| chat).collect()
    }
}

fn chats_page(scan: &mut Scan<'_>) -> Result<Chats, Value> {
    let mut page = Chats { count: 5000, after: None, before: None };
    let mut rest = *scan;
    if rest.take(" after=") {
        page.after = Some(rest.word().to_string());
    } else if rest.take(" before=") {
        page.before = Some(rest.word().to_string());
    }
    if rest.take(" count=") {
        page.count = count(&mut rest)?;
        *scan = rest;
    }
    Ok(page)
}

/// Filters and searches of `/_get chats`.
fn keeps(chat: &Value, query: &Value) -> bool {
    let flag = |key: &str| query.get(key).and_then(Value::as_bool).unwrap_or(false);
    let stats = |key: &str| chat.pointer(&alloc::format!("/chatStats/{key}"));
    match query.get("type").and_then(Value::as_str) {
        Some("filters") => {
            let unread = stats("unreadCount") != Some(&json!(0)) || stats("unreadChat") == Some(&json!(true));
            !flag("favorite") && (!flag("unread") || unread) || flag("favorite") && flag("unread") && unread
        }
        Some("search") => {
            let words = query.get("search").and_then(Value::as_str).unwrap_or_default().to_lowercase();
            let contact = chat.pointer("/chatInfo/contact/profile").map(display_name);
            let group = chat.pointer("/chatInfo/groupInfo/groupProfile").map(display_name);
            contact.or(group).is_some_and(|name| name.to_lowercase().contains(&words))
        }
        _ => true,
    }
}
