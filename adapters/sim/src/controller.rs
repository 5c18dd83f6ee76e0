//! One controller at work: its database, the world, and what it says while it handles one command or packet.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};
use simplex_agent_core::{Millis, UnixMillis};

use crate::db::{Author, Chat, Conn, Db, Entity, Item, next_row};
use crate::json::put;
use crate::wire::{Body, Packet, To};
use crate::world::{Later, LinkOwner, Task, World};

/// The answer of a command: the fields of `result`, or the content of `error`.
pub(crate) type Answer = Result<Value, Value>;

/// One controller at work.
pub(crate) struct Controller<'a> {
    pub(crate) db: &'a mut Db,
    pub(crate) world: &'a mut World,
    /// What it says, in order: whole envelopes.
    pub(crate) events: Vec<Value>,
    /// How long the command takes.
    pub(crate) took: Millis,
    /// The end at which the command's answer may arrive before that.
    pub(crate) waits_at: Option<u64>,
}

impl<'a> Controller<'a> {
    pub(crate) fn new(db: &'a mut Db, world: &'a mut World) -> Self {
        Self { db, world, events: Vec::new(), took: Millis(0), waits_at: None }
    }

    pub(crate) fn now(&self) -> UnixMillis {
        self.world.now.unix
    }

    /// A result with `type` and `user`.
    pub(crate) fn result(&self, tag: &str, mut fields: Value) -> Value {
        put(&mut fields, "type", Some(json!(tag)));
        put(&mut fields, "user", Some(self.db.user_json()));
        fields
    }

    /// Says an event with `type` and `user`.
    pub(crate) fn event(&mut self, tag: &str, fields: Value) {
        let result = self.result(tag, fields);
        self.events.push(json!({"result": result}));
    }

    /// Says an event that has no user.
    pub(crate) fn bare_event(&mut self, fields: Value) {
        self.events.push(json!({"result": fields}));
    }

    pub(crate) fn error_event(&mut self, error: Value) {
        self.events.push(json!({"error": error}));
    }

    /// Says `newChatItems` of these items.
    pub(crate) fn say_items(&mut self, items: &[i64]) {
        let now = self.now();
        let items: Vec<Value> = items.iter().map(|i| self.db.chat_item(*i, now)).collect();
        self.event("newChatItems", json!({"chatItems": items}));
    }

    /// Adds an item; everything else than these has its usual value.
    pub(crate) fn add_item(&mut self, chat: Chat, author: Author, content: Value, text: &str) -> i64 {
        let now = self.now();
        self.db.last_item = self.db.last_item.saturating_add(1);
        let id = self.db.last_item;
        let status = match (author, content_is_unread(&content)) {
            (Author::Own, _) => "sndNew",
            (_, true) => "rcvNew",
            (_, false) => "rcvRead",
        };
        let item = Item {
            id,
            chat,
            support: None,
            author,
            ts: now,
            content,
            text: text.to_string(),
            status: json!({"type": status}),
            shared_id: None,
            quote: None,
            mentions: Vec::new(),
            user_mention: false,
            edited: false,
            live: None,
            deleted: None,
            moderated_by: None,
            forwarded: false,
            handed_on_by: None,
            as_group: author == Author::Channel,
            ttl: None,
            via_proxy: None,
            signed: false,
            created: now,
            updated: now,
            reactions: Vec::new(),
            sent: (0, 0, 0),
        };
        self.db.items.insert(id, item);
        self.touch(chat, now);
        id
    }

    /// Changes an item that was just added.
    pub(crate) fn with_item(&mut self, id: i64, change: impl FnOnce(&mut Item)) -> i64 {
        if let Some(item) = self.db.items.get_mut(&id) {
            change(item);
        }
        id
    }

    fn touch(&mut self, chat: Chat, now: UnixMillis) {
        match chat {
            Chat::Contact(id) => {
                if let Some(contact) = self.db.contacts.get_mut(&id) {
                    contact.chat_ts = now;
                }
            }
            Chat::Group(id) => {
                if let Some(group) = self.db.groups.get_mut(&id) {
                    group.chat_ts = now;
                }
            }
            Chat::Local(_) => {}
        }
    }

    /// Adds a connection with a new own end.
    pub(crate) fn add_conn(&mut self, entity: Entity, status: &str) -> i64 {
        let wire = self.world.new_wire(self.db.id);
        self.add_conn_at(entity, status, wire)
    }

    /// Adds a connection whose own end exists.
    pub(crate) fn add_conn_at(&mut self, entity: Entity, status: &str, wire: u64) -> i64 {
        let id = next_row(&self.db.conns);
        let now = self.now();
        let conn = Conn {
            id,
            agent_id: self.world.chance.id(),
            wire,
            peer: None,
            entity,
            status: status.to_string(),
            link: None,
            own_link: false,
            link_full: String::new(),
            link_short: None,
            via_group_link: false,
            via_contact_uri: false,
            group_link: None,
            x_contact_id: None,
            custom_profile: None,
            via_user_link: None,
            initiated: false,
            level: 0,
            pq: true,
            peer_version: true,
            broken: false,
            more_profile: None,
            created: now,
            updated: now,
        };
        self.db.conns.insert(id, conn);
        id
    }

    /// Deletes a connection; the other side learns nothing by that alone.
    pub(crate) fn drop_conn(&mut self, id: i64) {
        let Some(conn) = self.db.conns.remove(&id) else { return };
        self.world.wires.remove(&conn.wire);
        self.db.unsent.retain(|w| *w != conn.wire);
        if conn.own_link
            && let Some(link) = conn.link.and_then(|l| self.world.links.get_mut(&l))
        {
            link.deleted |= matches!(link.owner, LinkOwner::Connection(_)) && !link.used;
        }
    }

    /// Sends over a connection; nothing when it has no other end.
    pub(crate) fn send(&mut self, conn: i64, body: Body) {
        let Some((from, Some(to))) = self.db.conns.get(&conn).map(|c| (c.wire, c.peer)) else { return };
        self.send_to(To::Wire(to), from, body);
    }

    pub(crate) fn send_to(&mut self, to: To, from: u64, body: Body) {
        let at = self.now();
        self.world.send(Packet { to, from: Some(from), at, body });
    }

    /// Notes that a message waits for a router; it is `sndSent` a little later.
    pub(crate) fn expect_sent(&mut self, conn: i64, item: Option<i64>) {
        let Some(wire) = self.db.conns.get(&conn).map(|c| c.wire) else { return };
        self.db.unsent.push(wire);
        let delay = Millis(self.world.options.delays.delivery.0 / 2);
        let db = self.db.id;
        self.world.after(delay, Task::Later { db, later: Later::Sent { wire, item } });
    }

    /// The command takes as long as a router does.
    pub(crate) fn ask_router(&mut self) {
        self.took = self.world.options.delays.router;
    }
}

/// Statuses of received items: messages and what concerns the profile itself are unread (FINDINGS.md 6).
fn content_is_unread(content: &Value) -> bool {
    let kind = content.get("type").and_then(Value::as_str).unwrap_or_default();
    let event =
        content.get("rcvGroupEvent").and_then(|e| e.get("type")).and_then(Value::as_str).unwrap_or_default();
    matches!(kind, "rcvMsgContent" | "rcvGroupInvitation")
        || matches!(event, "userRole" | "userDeleted" | "groupDeleted" | "newMemberPendingReview")
}
