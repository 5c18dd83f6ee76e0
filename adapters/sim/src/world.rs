//! What lies between the controllers: time, chance, routers, links and packets on their way.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use simplex_agent_core::{Millis, Now};

use crate::people::Errand;
use crate::wire::{Body, Packet, SignedCall, To};
use crate::{Handle, Options};
pub(crate) use chance::Chance;
pub(crate) use link::{Link, LinkKind, LinkOwner, Server, server_of};

mod chance;
mod link;

/// One controller's database in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct DbId(pub(crate) u32);

/// What lies between the controllers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct World {
    pub(crate) options: Options,
    /// Left out of snapshots: each call says it anew.
    #[serde(skip)]
    pub(crate) now: Now,
    pub(crate) chance: Chance,
    queue: Vec<Scheduled>,
    sequence: u64,
    /// By number; the text forms are searched, a network has few.
    pub(crate) links: BTreeMap<u64, Link>,
    /// Which database receives at an end of a connection.
    pub(crate) wires: BTreeMap<u64, DbId>,
    last_wire: u64,
    pub(crate) routers: BTreeMap<String, Router>,
    /// Packets for databases whose router is away.
    stuck: Vec<(DbId, Packet)>,
    /// The router of each database.
    pub(crate) homes: BTreeMap<DbId, String>,
    /// The address of each database's router.
    pub(crate) servers: BTreeMap<DbId, String>,
    /// Names that a name service would resolve, with the link they name.
    pub(crate) names: BTreeMap<String, String>,
    /// Hosts that a peer behind a proxy still takes for dead, until this moment.
    pub(crate) remembered_failures: BTreeMap<String, Millis>,
    /// Links of channels that need a newer app.
    pub(crate) outdated: BTreeSet<u64>,
    /// Who deleted the contact that a one-time link made.
    pub(crate) dropped: BTreeSet<(DbId, u64)>,
    /// The address of the preset contact "Ask SimpleX Team", when somebody here is it.
    #[serde(default)]
    pub(crate) team: Option<String>,
    /// Commands whose answer comes from a peer, by the end where it arrives.
    #[serde(default)]
    waiting: BTreeMap<u64, (Handle, u64)>,
    /// The newest signed call, for a thief.
    #[serde(default)]
    pub(crate) overheard: Option<SignedCall>,
}

/// A router that does not do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Router {
    Down,
    Silent,
}

/// Something that becomes due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "few wait at a time, and most are deliveries")]
pub(crate) enum Task {
    Deliver { db: DbId, packet: Packet },
    Response { handle: Handle, ticket: u64, text: String },
    Event { handle: Handle, text: String },
    Later { db: DbId, later: Later },
    Person { person: usize, errand: Errand },
}

/// What a controller does a little later by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Later {
    /// A router accepted a message for one receiver.
    Sent { wire: u64, item: Option<i64> },
    /// The same, for a message that waited for its router.
    SentShared { wire: u64, shared: String },
    /// Router connections come up after a start.
    Subscribed,
    /// Nobody waits at this end for a service any more.
    ServiceOver { wire: u64 },
    /// A router has the answer of a service.
    ServiceReplySent { connection: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Scheduled {
    at: Millis,
    sequence: u64,
    task: Task,
}

impl World {
    pub(crate) fn new(seed: u64, options: Options) -> Self {
        Self {
            options,
            now: Now::default(),
            chance: Chance::new(seed),
            queue: Vec::new(),
            sequence: 0,
            links: BTreeMap::new(),
            wires: BTreeMap::new(),
            last_wire: 0,
            routers: BTreeMap::new(),
            stuck: Vec::new(),
            homes: BTreeMap::new(),
            servers: BTreeMap::new(),
            names: BTreeMap::new(),
            remembered_failures: BTreeMap::new(),
            outdated: BTreeSet::new(),
            dropped: BTreeSet::new(),
            team: None,
            waiting: BTreeMap::new(),
            overheard: None,
        }
    }

    /// A new end of a connection that `db` receives at.
    pub(crate) fn new_wire(&mut self, db: DbId) -> u64 {
        self.last_wire = self.last_wire.saturating_add(1);
        self.wires.insert(self.last_wire, db);
        self.last_wire
    }

    /// The host of a database's router.
    pub(crate) fn home(&self, db: DbId) -> String {
        self.homes.get(&db).cloned().unwrap_or_else(|| crate::db::DEFAULT_HOST.into())
    }

    pub(crate) fn router_of(&self, db: DbId) -> Option<Router> {
        self.routers.get(&self.home(db)).copied()
    }

    /// Does something after `delay`; equal moments keep their order.
    pub(crate) fn after(&mut self, delay: Millis, task: Task) {
        self.sequence = self.sequence.saturating_add(1);
        let at = self.now.mono + delay;
        let place = self.queue.partition_point(|s| (s.at, s.sequence) <= (at, self.sequence));
        self.queue.insert(place, Scheduled { at, sequence: self.sequence, task });
    }

    /// Sends a packet; it waits when the receiver's router is away.
    pub(crate) fn send(&mut self, packet: Packet) {
        let Some(db) = self.receiver(packet.to) else { return };
        if self.router_of(db).is_some() {
            self.stuck.push((db, packet));
        } else {
            let delay = self.options.delays.delivery;
            self.after(delay, Task::Deliver { db, packet });
        }
    }

    fn receiver(&self, to: To) -> Option<DbId> {
        match to {
            To::Wire(wire) => self.wires.get(&wire).copied(),
            To::Link(link) => self.links.get(&link).filter(|l| !l.deleted).map(|l| l.db),
        }
    }

    /// A router works again: what waited for it comes after two seconds (FINDINGS.md 7).
    pub(crate) fn router_up(&mut self, host: &str) {
        self.routers.remove(host);
        let stuck = core::mem::take(&mut self.stuck);
        for (db, packet) in stuck {
            if self.home(db) == host {
                self.sent_at_last(&packet);
                self.after(Millis::secs(2), Task::Deliver { db, packet });
            } else {
                self.stuck.push((db, packet));
            }
        }
    }

    /// Tells the sender of a message that a router has it.
    fn sent_at_last(&mut self, packet: &Packet) {
        let Some(wire) = packet.from else { return };
        if let (Some(db), Body::Text(text)) = (self.wires.get(&wire).copied(), &packet.body) {
            let later = Later::SentShared { wire, shared: text.id.clone() };
            self.after(Millis::secs(2), Task::Later { db, later });
        }
    }

    /// Forgets a waiting task about a handle that is gone.
    pub(crate) fn forget(&mut self, handle: Handle) {
        self.queue.retain(|s| match &s.task {
            Task::Response { handle: h, .. } | Task::Event { handle: h, .. } => *h != handle,
            _ => true,
        });
    }

    /// A command waits for what arrives at this end; its answer for the case that nothing does is scheduled.
    pub(crate) fn wait_at(&mut self, wire: u64, handle: Handle, ticket: u64) {
        self.waiting.insert(wire, (handle, ticket));
    }

    /// Ends the wait at an end.
    pub(crate) fn end_wait(&mut self, wire: u64) -> Option<(Handle, u64)> {
        self.wires.remove(&wire);
        self.waiting.remove(&wire)
    }

    /// Answers the command that waits at this end, in place of the answer that is scheduled for it.
    pub(crate) fn answer_waiting(&mut self, wire: u64, text: String) {
        let Some((handle, ticket)) = self.end_wait(wire) else { return };
        let scheduled = self.queue.iter().position(|s| {
            matches!(&s.task, Task::Response { handle: h, ticket: t, .. } if (*h, *t) == (handle, ticket))
        });
        if let Some(at) = scheduled {
            self.queue.remove(at);
            self.after(Millis(0), Task::Response { handle, ticket, text });
        }
    }

    /// How many packets from this end have not reached a router.
    pub(crate) fn stuck_from(&self, wire: u64) -> usize {
        self.stuck.iter().filter(|(_, p)| p.from == Some(wire)).count()
    }

    /// The next task that is due, earliest first.
    pub(crate) fn due(&mut self, until: Millis) -> Option<(Millis, Task)> {
        let first = self.queue.first()?;
        (first.at <= until).then(|| {
            let next = self.queue.remove(0);
            (next.at, next.task)
        })
    }

    pub(crate) fn next_wakeup(&self) -> Option<Millis> {
        self.queue.first().map(|s| s.at)
    }
}
