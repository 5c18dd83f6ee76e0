//! What a host does for a member that is in: introductions, history, the description.

use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::controller::Controller;
use crate::db::{Author, Chat, Entity, Item};
use crate::json::group_preferences;
use crate::wire::{Body, GroupMessage, MemberCard, Quote, Text};

/// The core sends the last hundred messages.
const HISTORY: usize = 100;

impl Controller<'_> {
    pub(crate) fn welcome_member(&mut self, group: i64, id: i64) {
        let Some(conn) = self.db.members.get(&id).and_then(|m| m.conn) else { return };
        let row = self.db.groups.get(&group).cloned();
        let Some(row) = row else { return };
        if row.business.is_none() {
            self.introduce(group, id, conn, row.channel);
        }
        let own = self.db.own_profile();
        if own.get("peerType").is_some() && row.business.is_none() || row.channel {
            self.send(conn, Body::Group(GroupMessage::HostProfile(own)));
        }
        if row.business.is_some() && self.db.members.get(&id).is_some_and(|m| m.prepared) {
            let preferences = row.profile.get("groupPreferences").cloned().unwrap_or_else(|| json!({}));
            self.send(conn, Body::Group(GroupMessage::Preferences(preferences)));
            self.send(
                conn,
                Body::Group(GroupMessage::HostProfile(crate::json::received_profile(&self.db.own_profile()))),
            );
        }
        if group_preferences(&row.profile).pointer("/history/enable") == Some(&json!("on"))
            && row.business.is_none()
        {
            for text in self.history(group) {
                self.send(conn, Body::Text(text));
            }
        }
        let description = row.profile.get("description").and_then(Value::as_str).filter(|_| !row.channel);
        if let Some(words) = description.filter(|_| row.business.is_none()) {
            let content = json!({"type": "text", "text": words});
            let mut text = self.first_text(content);
            text.welcome = true;
            self.send(conn, Body::Text(text));
        }
    }

    /// Tells the members of each other, with the two ends of a connection between them.
    fn introduce(&mut self, group: i64, id: i64, conn: i64, channel: bool) {
        let Some(newcomer) = self.db.conns.get(&conn).and_then(|c| c.peer) else { return };
        let Some(newcomer) = self.world.wires.get(&newcomer).copied() else { return };
        let (card, shared) = (self.card(id), self.world.chance.id());
        for (other, other_conn) in self.receivers(group, &[id]) {
            if channel && self.db.members.get(&other).is_none_or(|m| m.role != "owner") {
                continue;
            }
            let Some(peer) = self.db.conns.get(&other_conn).and_then(|c| c.peer) else { continue };
            let Some(there) = self.world.wires.get(&peer).copied() else { continue };
            // Subscribers of a channel and its owner know of each other, and have no connection.
            let ends = (!channel).then(|| (self.world.new_wire(newcomer), self.world.new_wire(there)));
            let (wire_new, wire_old) = ends.unwrap_or_default();
            let member = self.card(other);
            self.send(conn, Body::Group(GroupMessage::Intro { member, wire: wire_new, peer: wire_old }));
            let message = GroupMessage::New {
                member: card.clone(),
                wire: wire_old,
                peer: wire_new,
                id: shared.clone(),
            };
            self.send(other_conn, Body::Group(message));
        }
    }

    /// Recent messages, in the words of their authors.
    fn history(&self, group: i64) -> Vec<Text> {
        let items = self.db.items.values().filter(|i| {
            i.chat == Chat::Group(group)
                && i.support.is_none()
                && i.is_message()
                && i.deleted.is_none()
                && i.live != Some(true)
        });
        let mut items: Vec<&Item> = items.collect();
        items.sort_by_key(|i| (i.ts, i.id));
        let skip = items.len().saturating_sub(HISTORY);
        items.into_iter().skip(skip).map(|i| self.handed_text(group, i)).collect()
    }

    fn handed_text(&self, group: i64, item: &Item) -> Text {
        let author: Option<MemberCard> = match item.author {
            Author::Own if item.as_group => None,
            Author::Own => Some(self.own_card(group)),
            Author::Member(id) => Some(self.card(id)),
            _ => None,
        };
        let quote = item.quote.as_ref().map(|q| Quote {
            id: q.shared_id.clone(),
            sent: q.sent,
            content: q.content.clone(),
            member: match q.author {
                Some(Author::Member(id)) => self.db.members.get(&id).map(|m| m.member_id.clone()),
                Some(Author::Own) => self.own_member(group).map(|m| m.member_id.clone()),
                _ => None,
            },
            own: false,
        });
        let own = item.is_own() && !item.as_group;
        Text {
            id: item.shared_id.clone().unwrap_or_default(),
            content: item.content.get("msgContent").cloned().unwrap_or(Value::Null),
            quote,
            mentions: item.mentions.clone(),
            live: false,
            ttl: None,
            support: None,
            as_group: author.is_none(),
            forwarded: item.forwarded,
            author: author.filter(|_| !own),
            handed_on: !own,
            sent: item.ts,
            welcome: true,
        }
    }

    /// A relay hands on what the owner sends to a channel.
    pub(crate) fn hand_on(&mut self, group: i64, from: i64, body: &Body) {
        let relay = self.own_member(group).is_some_and(|m| m.role == "relay");
        if !relay {
            return;
        }
        let card = self.card(from);
        for (_, conn) in self.receivers(group, &[from]) {
            let body = match body.clone() {
                Body::Text(text) => Body::Text(Text {
                    author: (!text.as_group).then(|| card.clone()),
                    handed_on: true,
                    ..text
                }),
                Body::Edit(edit) => Body::Edit(crate::wire::Edit { author: Some(card.id.clone()), ..edit }),
                Body::Group(message) => Body::Relayed { author: card.id.clone(), message },
                other => other,
            };
            self.send(conn, body);
        }
    }

    /// A member told to the others, and the others told to the member: the rows.
    pub(crate) fn add_introduced(
        &mut self,
        group: i64,
        member: &MemberCard,
        category: &str,
        wire: u64,
        peer: u64,
    ) -> i64 {
        let known =
            self.db.members.values().find(|m| m.group == group && m.member_id == member.id).map(|m| m.id);
        if let Some(id) = known {
            return id;
        }
        let profile = self.db.add_profile(member.profile.clone());
        let status = if category == "post" { "announced" } else { "intro-inv" };
        let id = self.add_member(group, &member.role, category, status, profile);
        let conn = (wire > 0).then(|| self.add_conn_at(Entity::Member(id), "new", wire));
        if let Some(row) = conn.and_then(|c| self.db.conns.get_mut(&c)) {
            row.peer = Some(peer);
            row.pq = false;
            row.level = 1;
        }
        if let Some(row) = self.db.members.get_mut(&id) {
            row.member_id.clone_from(&member.id);
            row.conn = conn;
        }
        id
    }
}
