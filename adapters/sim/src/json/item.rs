//! Chats and items as JSON.

use alloc::vec::Vec;

use serde_json::{Map, Value, json};
use simplex_agent_core::UnixMillis;

use super::{put, time};
use crate::db::{Author, Chat, Db, Item, Quoted};
use crate::text;

/// How long an item can be edited and deleted for everyone: a day (digest 7).
pub(crate) const EDIT_WINDOW: i64 = 86_400_000;

impl Db {
    /// `chatInfo`.
    pub(crate) fn chat_info(&self, chat: Chat, support: Option<i64>) -> Value {
        match chat {
            Chat::Contact(id) => json!({"type": "direct", "contact": self.contact_json(id)}),
            Chat::Local(_) => {
                let created =
                    self.user.as_ref().map_or(UnixMillis(0), |u| UnixMillis(u.created.0 / 1000 * 1000));
                json!({"type": "local", "noteFolder": {
                    "noteFolderId": 1, "userId": 1, "createdAt": time(created), "updatedAt": time(created),
                    "chatTs": time(created), "favorite": false, "unread": false,
                }})
            }
            Chat::Group(id) => {
                let mut value = json!({"type": "group", "groupInfo": self.group_json(id)});
                if let Some(member) = support {
                    let mut scope = json!({"type": "memberSupport"});
                    if self.groups.get(&id).is_some_and(|g| g.own != member) {
                        put(&mut scope, "groupMember_", Some(self.member_json(member)));
                    }
                    put(&mut value, "groupChatScope", Some(scope));
                }
                value
            }
        }
    }

    /// An item with its chat.
    pub(crate) fn chat_item(&self, id: i64, now: UnixMillis) -> Value {
        let Some(item) = self.items.get(&id) else { return Value::Null };
        json!({"chatInfo": self.chat_info(item.chat, item.support), "chatItem": self.item_json(item, now)})
    }

    /// An item.
    pub(crate) fn item_json(&self, item: &Item, now: UnixMillis) -> Value {
        let mut value = json!({
            "chatDir": self.direction(item), "meta": self.meta(item, now), "content": item.content,
            "mentions": self.mentions(item), "reactions": reactions(item),
        });
        if item.is_message() {
            put(&mut value, "formattedText", text::formatted(&item.text));
        }
        put(&mut value, "quotedItem", item.quote.as_ref().map(|q| self.quoted(item, q)));
        value
    }

    fn direction(&self, item: &Item) -> Value {
        match (item.chat, item.author) {
            (Chat::Contact(_), Author::Own) => json!({"type": "directSnd"}),
            (Chat::Contact(_), _) => json!({"type": "directRcv"}),
            (Chat::Local(_), Author::Own) => json!({"type": "localSnd"}),
            (Chat::Local(_), _) => json!({"type": "localRcv"}),
            (Chat::Group(_), Author::Own) => json!({"type": "groupSnd"}),
            (Chat::Group(_), Author::Channel) => json!({"type": "channelRcv"}),
            (Chat::Group(_), Author::Member(id)) => {
                json!({"type": "groupRcv", "groupMember": self.member_json(id)})
            }
            (Chat::Group(_), Author::Peer) => json!({"type": "channelRcv"}),
        }
    }

    fn meta(&self, item: &Item, now: UnixMillis) -> Value {
        let mine = item.is_own() && item.is_message() && item.deleted.is_none();
        let fresh = mine && now.0.saturating_sub(item.ts.0) < EDIT_WINDOW;
        let mut meta = json!({
            "itemId": item.id, "itemTs": time(item.ts), "itemText": item.text, "itemStatus": item.status,
            "itemEdited": item.edited, "userMention": item.user_mention, "hasLink": text::has_link(&item.text),
            "deletable": fresh, "editable": fresh, "showGroupAsSender": item.as_group,
            "createdAt": time(item.created), "updatedAt": time(item.updated),
        });
        put(&mut meta, "sentViaProxy", item.via_proxy.map(Value::from));
        put(&mut meta, "itemSharedMsgId", item.shared_id.clone().map(Value::from));
        put(&mut meta, "itemLive", item.live.map(Value::from));
        put(&mut meta, "forwardedByMember", item.handed_on_by.map(Value::from));
        if item.signed {
            put(&mut meta, "msgSigned", Some(json!("verified")));
        }
        if item.forwarded {
            put(&mut meta, "itemForwarded", Some(json!({"type": "unknown"})));
        }
        if let Some(ttl) = item.ttl {
            put(&mut meta, "itemTimed", Some(json!({"ttl": ttl})));
        }
        if let Some(at) = item.deleted {
            let kind = if matches!(item.chat, Chat::Group(_)) { "group" } else { "direct" };
            let deleted = match item.moderated_by {
                Some(by) => {
                    json!({"type": "moderated", "deletedTs": time(at), "byGroupMember": self.member_json(by)})
                }
                None => json!({"type": "deleted", "deletedTs": time(at), "chatType": kind}),
            };
            put(&mut meta, "itemDeleted", Some(deleted));
        }
        meta
    }

    fn mentions(&self, item: &Item) -> Value {
        let mut map = Map::new();
        for (name, member_id) in &item.mentions {
            let mut mention = json!({"memberId": member_id});
            let member = self
                .members
                .values()
                .find(|m| item.chat == Chat::Group(m.group) && m.member_id == *member_id);
            put(&mut mention, "memberRef", member.and_then(|m| self.member_ref(m.id)));
            map.insert(name.clone(), mention);
        }
        Value::Object(map)
    }

    fn quoted(&self, item: &Item, quote: &Quoted) -> Value {
        let mut value = json!({"sentAt": time(quote.sent), "content": quote.content});
        if let Some(author) = quote.author {
            let like = Item { author, ..item.clone() };
            put(&mut value, "chatDir", Some(self.direction(&like)));
        }
        put(&mut value, "itemId", quote.item.map(Value::from));
        put(&mut value, "sharedMsgId", quote.shared_id.clone().map(Value::from));
        let words = quote.content.get("text").and_then(Value::as_str).unwrap_or_default();
        put(&mut value, "formattedText", text::formatted(words));
        value
    }
}

fn reactions(item: &Item) -> Value {
    let mut counted: Vec<(Value, u32, bool)> = Vec::new();
    for (own, reaction) in &item.reactions {
        match counted.iter_mut().find(|(r, ..)| r == reaction) {
            Some((_, total, mine)) => {
                *total = total.saturating_add(1);
                *mine |= own;
            }
            None => counted.push((reaction.clone(), 1, *own)),
        }
    }
    let list = counted.into_iter();
    list.map(|(r, total, mine)| json!({"reaction": r, "userReacted": mine, "totalReacted": total})).collect()
}
