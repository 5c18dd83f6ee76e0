//! One controller's database.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simplex_agent_core::{Millis, UnixMillis};

use crate::Handle;
use crate::wire::Packet;
use crate::world::DbId;
pub(crate) use contact::{Conn, Contact, Entity, Prepared, Request};
pub(crate) use group::{Business, Group, GroupLink, Member, Support, rank};
pub(crate) use item::{Author, Chat, Item, Quoted};

mod contact;
mod group;
mod item;
mod names;

/// The router of a database that was told none.
pub(crate) const DEFAULT_HOST: &str = "smp1.example";

/// The key part of that router's address.
pub(crate) const DEFAULT_SERVER: &str = "smp://Zm9yIHRoZSBzaW11bGF0aW9uIG9ubHksIG5vIGtleS4=@smp1.example";

/// One controller's database: everything a restart finds again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Db {
    pub(crate) id: DbId,
    pub(crate) prefix: String,
    /// The process that has it open.
    pub(crate) open: Option<Handle>,
    /// True between `/_start` and `/_stop` or the end of the process.
    pub(crate) running: bool,
    /// The person of the scenario that uses it.
    pub(crate) person: Option<usize>,
    pub(crate) user: Option<User>,
    pub(crate) profiles: BTreeMap<i64, Value>,
    pub(crate) contacts: BTreeMap<i64, Contact>,
    pub(crate) requests: BTreeMap<i64, Request>,
    pub(crate) conns: BTreeMap<i64, Conn>,
    pub(crate) groups: BTreeMap<i64, Group>,
    pub(crate) members: BTreeMap<i64, Member>,
    pub(crate) items: BTreeMap<i64, Item>,
    pub(crate) last_item: i64,
    pub(crate) address: Option<Address>,
    pub(crate) network: Value,
    pub(crate) server: String,
    pub(crate) relays: Vec<Relay>,
    /// New members of its groups answer a captcha first, as the directory service does.
    pub(crate) captcha: bool,
    /// Nobody is let into its groups, as a hosting bot may decide.
    #[serde(default)]
    pub(crate) rejects: bool,
    /// What came while it was not running.
    pub(crate) inbox: VecDeque<Packet>,
    /// Messages that no router has accepted, by the own end of the connection.
    pub(crate) unsent: Vec<u64>,
    /// True when the chat was started with `service_requests=on`.
    #[serde(default)]
    pub(crate) serves: bool,
    /// Calls of the own service that were not answered, by `requestId`.
    #[serde(default)]
    pub(crate) calls: BTreeMap<String, ServiceCall>,
}

/// A call of the own service.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct ServiceCall {
    /// Where the caller waits.
    pub(crate) wire: u64,
    /// When it came, on the monotonic clock.
    pub(crate) at: Millis,
}

/// The profile of a database.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct User {
    pub(crate) local_name: String,
    pub(crate) relay: bool,
    pub(crate) created: UnixMillis,
    pub(crate) profile_updated: Option<UnixMillis>,
}

/// The address of a profile.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Address {
    pub(crate) id: i64,
    pub(crate) link: u64,
    pub(crate) business: bool,
    /// `autoAccept.acceptIncognito`, when requests are accepted without asking.
    pub(crate) auto_accept: Option<bool>,
    pub(crate) auto_reply: Option<Value>,
    /// True when its link has keys of a ratchet, which calls of the service need.
    #[serde(default)]
    pub(crate) ratchet: bool,
}

/// A relay for channels that the profile was told of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Relay {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) address: String,
}

impl Db {
    pub(crate) fn new(id: DbId, prefix: &str) -> Self {
        Self {
            id,
            prefix: prefix.into(),
            open: None,
            running: false,
            person: None,
            user: None,
            profiles: BTreeMap::new(),
            contacts: BTreeMap::new(),
            requests: BTreeMap::new(),
            conns: BTreeMap::new(),
            groups: BTreeMap::new(),
            members: BTreeMap::new(),
            items: BTreeMap::new(),
            last_item: 0,
            address: None,
            network: crate::json::network_config(),
            server: DEFAULT_SERVER.into(),
            relays: Vec::new(),
            captcha: false,
            rejects: false,
            inbox: VecDeque::new(),
            unsent: Vec::new(),
            serves: false,
            calls: BTreeMap::new(),
        }
    }

    /// Stores a profile under a new number.
    pub(crate) fn add_profile(&mut self, profile: Value) -> i64 {
        let id = next_row(&self.profiles);
        self.profiles.insert(id, profile);
        id
    }

    /// The display name of a stored profile.
    pub(crate) fn profile_name(&self, id: i64) -> String {
        self.profiles.get(&id).map(display_name).unwrap_or_default()
    }

    /// The own profile.
    pub(crate) fn own_profile(&self) -> Value {
        self.profiles.get(&1).cloned().unwrap_or(Value::Null)
    }

    /// The connection that receives at this end.
    pub(crate) fn conn_at(&self, wire: u64) -> Option<i64> {
        self.conns.values().find(|c| c.wire == wire).map(|c| c.id)
    }

    /// The next number of an address or group link: one table has both.
    pub(crate) fn next_user_link(&self) -> i64 {
        let groups = self.groups.values().filter_map(|g| g.link.as_ref().map(|l| l.id));
        groups.chain(self.address.as_ref().map(|a| a.id)).max().unwrap_or(0).saturating_add(1)
    }
}

/// The number that SQLite gives the next row: numbers of the last rows come again after they are deleted.
pub(crate) fn next_row<T>(rows: &BTreeMap<i64, T>) -> i64 {
    rows.last_key_value().map_or(0, |(id, _)| *id).saturating_add(1)
}

/// `displayName` of a profile.
pub(crate) fn display_name(profile: &Value) -> String {
    profile.get("displayName").and_then(Value::as_str).unwrap_or_default().into()
}
