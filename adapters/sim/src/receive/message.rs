//! Messages, edits, deletions, reactions, receipts (FINDINGS.md 6).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};
use simplex_agent_core::UnixMillis;

use crate::controller::Controller;
use crate::db::{Author, Chat, Quoted};
use crate::json::member_profile;
use crate::wire::{Body, Edit, MemberCard, Quote, Text};

impl Controller<'_> {
    /// A message arrived.
    pub(crate) fn receive_text(&mut self, chat: Chat, member: Option<i64>, conn: i64, text: Text) {
        let author = match (member, &text.author) {
            (None, _) => Author::Peer,
            (Some(_), None) if text.as_group => Author::Channel,
            (Some(host), Some(card)) if text.handed_on => Author::Member(self.author_row(chat, host, card)),
            (Some(id), _) => Author::Member(id),
        };
        if member.and_then(|m| self.db.members.get(&m)).is_some_and(|m| m.blocked) {
            return;
        }
        let item = self.add_received(chat, author, &text);
        let handed_on = member.filter(|_| text.handed_on);
        let support = self.scope_of(chat, &text);
        self.with_item(item, |i| {
            i.handed_on_by = handed_on;
            i.support = support;
        });
        self.count_support(support, member, item);
        self.say_items(&[item]);
        if !text.welcome && !text.handed_on && self.sends_receipts(chat) {
            self.send(conn, Body::Receipt { ids: alloc::vec![text.id] });
        }
    }

    /// Groups above 20 members have no receipts (digest 7).
    fn sends_receipts(&self, chat: Chat) -> bool {
        match chat {
            Chat::Group(group) => {
                self.db.members.values().filter(|m| m.group == group && m.is_current()).count() <= 20
            }
            _ => true,
        }
    }

    fn scope_of(&self, chat: Chat, text: &Text) -> Option<i64> {
        let Chat::Group(group) = chat else { return None };
        let id = text.support.as_ref()?;
        self.db.members.values().find(|m| m.group == group && m.member_id == *id).map(|m| m.id)
    }

    /// Counts an unread message of a support scope, at those who read others' scopes.
    fn count_support(&mut self, support: Option<i64>, author: Option<i64>, item: i64) {
        let Some(scope) = support else { return };
        self.open_support(scope);
        let at = self.db.items.get(&item).map(|i| i.ts);
        let mention = self.db.items.get(&item).is_some_and(|i| i.user_mention);
        if let Some(support) =
            self.db.members.get_mut(&scope).filter(|m| m.category != "user").and_then(|m| m.support.as_mut())
        {
            support.unread = support.unread.saturating_add(1);
            support.mentions = support.mentions.saturating_add(i64::from(mention));
            if author == Some(scope) {
                support.attention = support.attention.saturating_add(1);
                support.last = at;
            }
        }
    }

    /// The author of a message that a host hands on; a new unknown member when nobody here has that identifier.
    fn author_row(&mut self, chat: Chat, host: i64, card: &MemberCard) -> i64 {
        let Chat::Group(group) = chat else { return host };
        let known = self.db.members.values().find(|m| m.group == group && m.member_id == card.id);
        if let Some(member) = known.filter(|m| m.category != "user") {
            return member.id;
        }
        let profile = self.db.add_profile(member_profile(&card.profile));
        let id = self.add_member(group, "author", "pre", "unknown", profile);
        if let Some(row) = self.db.members.get_mut(&id) {
            row.member_id.clone_from(&card.id);
        }
        let fields = json!({
            "groupInfo": self.db.group_json(group), "forwardedByMember": self.db.member_json(host),
            "member": self.db.member_json(id),
        });
        self.event("unknownMemberCreated", fields);
        id
    }

    /// The item of a received message.
    pub(crate) fn add_received(&mut self, chat: Chat, author: Author, text: &Text) -> i64 {
        let words = text.content.get("text").and_then(Value::as_str).unwrap_or_default();
        let content = json!({"type": "rcvMsgContent", "msgContent": text.content});
        let item = self.add_item(chat, author, content, words);
        let quote = text.quote.as_ref().map(|q| self.quoted(chat, q));
        let own = match chat {
            Chat::Group(group) => self.own_member(group).map(|m| m.member_id.clone()),
            _ => None,
        };
        let mentioned = own.as_ref().is_some_and(|own| text.mentions.iter().any(|(_, id)| id == own));
        let quotes_own = own.is_some() && quote.as_ref().is_some_and(|q| q.author == Some(Author::Own));
        // The time a router gives a message is in whole seconds (FINDINGS.md 5).
        let ts = UnixMillis(text.sent.0.div_euclid(1000).saturating_mul(1000));
        let text = text.clone();
        self.with_item(item, |i| {
            i.ts = ts;
            i.shared_id = Some(text.id);
            i.quote = quote;
            i.mentions = text.mentions;
            i.user_mention = mentioned || quotes_own;
            i.live = text.live.then_some(true);
            i.forwarded = text.forwarded;
            i.ttl = text.ttl;
        })
    }

    /// A quote in local terms.
    fn quoted(&self, chat: Chat, quote: &Quote) -> Quoted {
        let local =
            self.db.items.values().find(|i| i.chat == chat && quote.id.is_some() && i.shared_id == quote.id);
        let author = match (chat, &quote.member) {
            (Chat::Contact(_), _) => Some(if quote.own { Author::Peer } else { Author::Own }),
            (Chat::Group(group), Some(id)) => {
                let member = self.db.members.values().find(|m| m.group == group && m.member_id == *id);
                member.map(|m| if m.category == "user" { Author::Own } else { Author::Member(m.id) })
            }
            _ => local.map(|i| i.author),
        };
        Quoted {
            author,
            item: local.map(|i| i.id),
            shared_id: quote.id.clone(),
            sent: quote.sent,
            content: quote.content.clone(),
        }
    }

    fn find_shared(&self, chat: Chat, shared: &str) -> Option<i64> {
        let mut items = self.db.items.values().rev();
        items.find(|i| i.chat == chat && !i.is_own() && i.shared_id.as_deref() == Some(shared)).map(|i| i.id)
    }

    /// A message was edited.
    pub(crate) fn receive_edit(&mut self, chat: Chat, edit: Edit) {
        let Some(id) = self.find_shared(chat, &edit.id) else { return };
        let now = self.now();
        let Some(item) = self.db.items.get(&id).cloned() else { return };
        let same =
            item.content.get("msgContent") == Some(&edit.content) && item.live != Some(true) && !edit.live;
        let words = edit.content.get("text").and_then(Value::as_str).unwrap_or_default().to_string();
        self.with_item(id, |i| {
            i.edited |= !edit.live && item.live != Some(true) && !same;
            i.live = edit.live.then_some(true);
            i.text = words;
            i.content = json!({"type": "rcvMsgContent", "msgContent": edit.content});
            i.mentions = edit.mentions;
            i.updated = now;
        });
        let shown = self.db.chat_item(id, now);
        self.event(if same { "chatItemNotChanged" } else { "chatItemUpdated" }, json!({"chatItem": shown}));
    }

    /// The auto-reply of a chat that was prepared with it.
    pub(crate) fn receive_welcome(&mut self, chat: Chat, text: &Text) {
        let now = self.now();
        let item = self
            .db
            .items
            .values()
            .find(|i| i.chat == chat && i.content_type() == "rcvMsgContent")
            .map(|i| i.id);
        if let Some(id) = item {
            let shared = text.id.clone();
            self.with_item(id, |i| i.shared_id = Some(shared));
            let shown = self.db.chat_item(id, now);
            self.event("chatItemNotChanged", json!({"chatItem": shown}));
        }
    }

    /// A message was deleted by its author: it stays, marked, with its text.
    pub(crate) fn receive_delete(&mut self, chat: Chat, member: Option<i64>, shared: &str) {
        let now = self.now();
        let own = self.db.items.values().find(|i| i.chat == chat && i.shared_id.as_deref() == Some(shared));
        let Some(id) = self.find_shared(chat, shared).or_else(|| own.map(|i| i.id)) else { return };
        let before = self.db.chat_item(id, now);
        let at = UnixMillis(now.0.div_euclid(1000).saturating_mul(1000));
        self.with_item(id, |i| {
            i.deleted = Some(at);
            i.moderated_by = member.filter(|m| i.author != Author::Member(*m) && i.author != Author::Channel);
        });
        let after = self.db.chat_item(id, now);
        let deletion = json!({"deletedChatItem": before, "toChatItem": after});
        self.event(
            "chatItemsDeleted",
            json!({"chatItemDeletions": [deletion], "byUser": false, "timed": false}),
        );
    }

    pub(crate) fn receive_reaction(
        &mut self,
        chat: Chat,
        member: Option<i64>,
        shared: &str,
        added: bool,
        emoji: &Value,
    ) {
        let item = self.db.items.values().find(|i| i.chat == chat && i.shared_id.as_deref() == Some(shared));
        let Some(id) = item.map(|i| i.id) else { return };
        self.set_reaction(id, false, added, emoji);
        let author = member.map_or(Author::Peer, Author::Member);
        let reaction = self.reaction_json(id, author, emoji);
        self.event("chatItemReaction", json!({"added": added, "reaction": reaction}));
    }

    /// A receiver has own messages.
    pub(crate) fn receive_receipt(&mut self, ids: &[String]) {
        let items: Vec<i64> = self
            .db
            .items
            .values()
            .filter(|i| i.is_own() && i.shared_id.as_ref().is_some_and(|s| ids.contains(s)))
            .map(|i| i.id)
            .collect();
        for id in items {
            self.with_item(id, |i| {
                i.sent.2 = i.sent.2.saturating_add(1);
                let progress = if i.sent.2 >= i.sent.0 { "complete" } else { "partial" };
                i.status = json!({"type": "sndRcvd", "msgRcptStatus": "ok", "sndProgress": progress});
            });
            self.say_status(id);
        }
    }

    /// A router has an own message for one receiver. Edits say nothing (digest 2.6).
    pub(crate) fn mark_sent(&mut self, id: i64) {
        let Some(item) = self.db.items.get_mut(&id) else { return };
        item.sent.1 = item.sent.1.saturating_add(1);
        item.via_proxy = Some(false);
        let kind = item.status.get("type").and_then(Value::as_str);
        if matches!(kind, Some("sndNew" | "sndSent")) {
            let progress = if item.sent.1 >= item.sent.0 { "complete" } else { "partial" };
            item.status = json!({"type": "sndSent", "sndProgress": progress});
        }
        self.say_status(id);
    }

    fn say_status(&mut self, id: i64) {
        let shown = self.db.chat_item(id, self.now());
        self.event("chatItemsStatusesUpdated", json!({"chatItems": [shown]}));
    }
}
