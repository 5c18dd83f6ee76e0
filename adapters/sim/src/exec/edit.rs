//! Edits, deletions and reactions (digest 2.6).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::send::{mention_ids, message_content};
use crate::controller::{Answer, Controller};
use crate::db::{Author, Chat};
use crate::errors;
use crate::json::EDIT_WINDOW;
use crate::scan::{Scan, Target};
use crate::size::{self, Shape};
use crate::text;
use crate::wire::{Body, Edit};

impl Controller<'_> {
    pub(crate) fn update_item(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        scan.space()?;
        let id = scan.id()?;
        let live = scan.flag("live")?.unwrap_or(false);
        let (content, mentions) = edited(&mut scan)?;
        let chat = target.chat().ok_or_else(errors::parse)?;
        self.check_editable_chat(chat)?;
        let missing = || errors::store_with("chatItemNotFound", json!({"itemId": id}));
        let item = self.db.items.get(&id).filter(|i| i.chat == chat).ok_or_else(missing)?.clone();
        let old = self.now().0.saturating_sub(item.ts.0) >= EDIT_WINDOW;
        if !item.is_own() || !item.is_message() || item.deleted.is_some() || item.forwarded || old {
            return Err(errors::chat("invalidChatItemUpdate"));
        }
        let words = content.get("text").and_then(Value::as_str).unwrap_or_default().to_string();
        if item.content.get("msgContent") == Some(&content) && item.live != Some(true) && !live {
            let unchanged = self.db.chat_item(id, self.now());
            return Ok(self.result("chatItemNotChanged", json!({"chatItem": unchanged})));
        }
        let mentions = self.edit_mentions(chat, &words, &mentions)?;
        let shape = Shape {
            direct: matches!(chat, Chat::Contact(_)),
            mentions: mentions.iter().map(|(name, _)| text::encoded(name)).collect(),
            ..Shape::default()
        };
        size::check_edit(&words, &shape)?;
        let now = self.now();
        let edit = Edit {
            id: item.shared_id.clone().unwrap_or_default(),
            content: content.clone(),
            mentions: mentions.clone(),
            live,
            support: item.support.and_then(|m| self.db.members.get(&m)).map(|m| m.member_id.clone()),
            author: None,
        };
        self.with_item(id, |i| {
            i.edited = !live && item.live != Some(true) || i.edited;
            i.live = item.live.map(|_| live).or_else(|| live.then_some(true));
            i.text = words;
            i.content = json!({"type": "sndMsgContent", "msgContent": content});
            i.mentions = mentions;
            i.updated = now;
        });
        for (_, conn) in self.item_receivers(chat, item.support) {
            self.send(conn, Body::Edit(edit.clone()));
            self.expect_sent(conn, None);
        }
        let after = self.db.chat_item(id, now);
        Ok(self.result("chatItemUpdated", json!({"chatItem": after})))
    }

    fn check_editable_chat(&self, chat: Chat) -> Result<(), Value> {
        match chat {
            Chat::Contact(id) if self.db.contacts.contains_key(&id) => Ok(()),
            Chat::Contact(id) => Err(errors::store_with("contactNotFound", json!({"contactId": id}))),
            Chat::Group(id) => {
                self.find_group(id)?;
                match self.own_member(id) {
                    Some(own) if own.is_removed() => Err(errors::chat("groupMemberUserRemoved")),
                    _ => self.need_role(id, "author"),
                }
            }
            Chat::Local(_) => Ok(()),
        }
    }

    fn edit_mentions(
        &self,
        chat: Chat,
        words: &str,
        ids: &[(String, i64)],
    ) -> Result<Vec<(String, String)>, Value> {
        let Chat::Group(group) = chat else {
            let none = ids.is_empty();
            return if none {
                Ok(Vec::new())
            } else {
                Err(errors::command("mentions are not supported in this chat"))
            };
        };
        if ids.is_empty() || text::formatted(words).is_none() {
            return Ok(Vec::new());
        }
        let parsed = text::mentioned(words);
        if ids.len() > 3 || ids.iter().any(|(name, _)| !parsed.contains(name)) {
            return Err(errors::store("invalidMention"));
        }
        ids.iter()
            .map(|(name, id)| {
                let member = self.db.members.get(id).filter(|m| m.group == group);
                let missing = || errors::store_with("groupMemberNotFound", json!({"groupMemberId": id}));
                Ok((name.clone(), member.ok_or_else(missing)?.member_id.clone()))
            })
            .collect()
    }

    /// Who has an own item.
    pub(crate) fn item_receivers(&self, chat: Chat, support: Option<i64>) -> Vec<(i64, i64)> {
        match (chat, support) {
            (Chat::Contact(id), _) => {
                self.db.contacts.get(&id).and_then(|c| c.conn).map(|c| (0, c)).into_iter().collect()
            }
            (Chat::Group(id), None) => self.receivers(id, &[]),
            (Chat::Group(id), Some(member)) => self.scope_receivers(id, member),
            (Chat::Local(_), _) => Vec::new(),
        }
    }

    pub(crate) fn delete_items(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        scan.space()?;
        let ids = scan.ids()?;
        scan.space()?;
        let mode = scan.word().to_string();
        if !matches!(mode.as_str(), "broadcast" | "internal" | "internalMark" | "history") {
            return Err(errors::parse());
        }
        let chat = target.chat().ok_or_else(errors::parse)?;
        self.check_chat(target)?;
        let (found, missing): (Vec<i64>, Vec<i64>) =
            ids.into_iter().partition(|id| self.db.items.get(id).is_some_and(|i| i.chat == chat));
        if !missing.is_empty() {
            let errors: Vec<Value> = missing
                .iter()
                .map(|id| errors::store_with("chatItemNotFound", json!({"itemId": id})))
                .collect();
            self.event("chatErrors", json!({"chatErrors": errors}));
        }
        if mode == "broadcast"
            && found.iter().any(|id| self.db.items.get(id).is_some_and(|i| !i.is_own() || !i.is_message()))
        {
            return Err(errors::chat("invalidChatItemDelete"));
        }
        let deletions: Vec<Value> = found.iter().map(|id| self.delete_item(*id, &mode)).collect();
        Ok(self.result(
            "chatItemsDeleted",
            json!({"chatItemDeletions": deletions, "byUser": true, "timed": false}),
        ))
    }

    fn delete_item(&mut self, id: i64, mode: &str) -> Value {
        let now = self.now();
        let before = self.db.chat_item(id, now);
        if mode == "internal" {
            self.db.items.remove(&id);
            return json!({"deletedChatItem": before});
        }
        let Some(item) = self.db.items.get(&id).cloned() else { return json!({"deletedChatItem": before}) };
        self.with_item(id, |i| i.deleted = Some(now));
        if mode == "broadcast" {
            for (_, conn) in self.item_receivers(item.chat, item.support) {
                self.send(conn, Body::Delete { id: item.shared_id.clone().unwrap_or_default() });
            }
        }
        json!({"deletedChatItem": before, "toChatItem": self.db.chat_item(id, now)})
    }

    /// Deletes items of others, as a moderator.
    pub(crate) fn moderate_items(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let group = scan.group()?;
        scan.space()?;
        let ids = scan.ids()?;
        self.find_group(group)?;
        self.need_role(group, "moderator")?;
        let now = self.now();
        let mut deletions = Vec::new();
        for id in ids {
            let Some(item) = self.db.items.get(&id).filter(|i| i.chat == Chat::Group(group)).cloned() else {
                continue;
            };
            let before = self.db.chat_item(id, now);
            let own = self.own_member(group).map(|m| m.id);
            self.with_item(id, |i| {
                i.deleted = Some(now);
                i.moderated_by = own;
            });
            for (_, conn) in self.receivers(group, &[]) {
                self.send(conn, Body::Delete { id: item.shared_id.clone().unwrap_or_default() });
            }
            deletions.push(json!({"deletedChatItem": before, "toChatItem": self.db.chat_item(id, now)}));
        }
        Ok(self.result(
            "chatItemsDeleted",
            json!({"chatItemDeletions": deletions, "byUser": true, "timed": false}),
        ))
    }

    pub(crate) fn react(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        scan.space()?;
        let id = scan.id()?;
        scan.space()?;
        let added = match scan.word() {
            "on" => true,
            "off" => false,
            _ => return Err(errors::parse()),
        };
        let emoji = scan.object()?;
        let chat = target.chat().ok_or_else(errors::parse)?;
        self.check_chat(target)?;
        let missing = || errors::store_with("chatItemNotFound", json!({"itemId": id}));
        let item = self.db.items.get(&id).filter(|i| i.chat == chat).ok_or_else(missing)?;
        let (shared, support) = (item.shared_id.clone().unwrap_or_default(), item.support);
        self.set_reaction(id, true, added, &emoji);
        for (_, conn) in self.item_receivers(chat, support) {
            self.send(conn, Body::Reaction { id: shared.clone(), added, emoji: emoji.clone() });
        }
        let reaction = self.reaction_json(id, Author::Own, &emoji);
        Ok(self.result("chatItemReaction", json!({"added": added, "reaction": reaction})))
    }

    pub(crate) fn set_reaction(&mut self, id: i64, own: bool, added: bool, emoji: &Value) {
        self.with_item(id, |i| {
            i.reactions.retain(|(o, e)| *o != own || e != emoji);
            if added {
                i.reactions.push((own, emoji.clone()));
            }
        });
    }

    /// `reaction` of responses and events.
    pub(crate) fn reaction_json(&self, id: i64, author: Author, emoji: &Value) -> Value {
        let now = self.now();
        let Some(item) = self.db.items.get(&id) else { return Value::Null };
        let dir = self.db.item_json(&crate::db::Item { author, ..item.clone() }, now);
        json!({
            "chatInfo": self.db.chat_info(item.chat, item.support),
            "chatReaction": {
                "chatDir": dir.get("chatDir"), "chatItem": self.db.item_json(item, now),
                "sentAt": crate::json::time(now), "reaction": emoji,
            },
        })
    }

    /// The chat exists.
    pub(crate) fn check_chat(&self, target: Target) -> Result<(), Value> {
        match target {
            Target::Contact(id) if self.db.contacts.contains_key(&id) => Ok(()),
            Target::Contact(id) => Err(errors::store_with("contactNotFound", json!({"contactId": id}))),
            Target::Group(id, scope) => self.scope(id, scope).map(|_| ()),
            Target::Local(1) => Ok(()),
            Target::Local(_) | Target::Connection(_) => Err(errors::parse()),
        }
    }
}

/// ` json {"msgContent":…,"mentions":{…}}`, where `mentions` is a must, or ` text TEXT`.
fn edited(scan: &mut Scan<'_>) -> Result<(Value, Vec<(String, i64)>), Value> {
    if scan.take(" text ") {
        return Ok((json!({"type": "text", "text": scan.0}), Vec::new()));
    }
    if !scan.take(" json ") {
        return Err(errors::parse());
    }
    let message = scan.json()?;
    let content = message_content(message.get("msgContent").ok_or_else(errors::parse)?)?;
    let mentions = mention_ids(message.get("mentions").ok_or_else(errors::parse)?)?;
    Ok((content, mentions))
}
