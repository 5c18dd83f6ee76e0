//! The network: controllers, routers and people, and the calls that drive it.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use simplex_agent_core::{Millis, Now, UnixMillis};

use crate::controller::{Answer, Controller};
use crate::db::Db;
use crate::json::put;
use crate::people::Person;
use crate::wire::{Body, Packet, To};
use crate::world::{DbId, Later, Router, Task, World};
use crate::{Act, Fault, Handle, Noise, Options, Output, Scenario, ViewChat};

/// When the people of a scenario set up what they have, before the first call says what time it is: 2026-01-01.
const SETUP: UnixMillis = UnixMillis(1_767_225_600_000);

/// A simulated SimpleX network. The whole state serialises; nothing is kept elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Network {
    pub(crate) world: World,
    pub(crate) dbs: BTreeMap<DbId, Db>,
    pub(crate) people: Vec<Person>,
    pub(crate) published: BTreeMap<String, String>,
    outputs: VecDeque<Output>,
    /// Events that people have not reacted to.
    reactions: VecDeque<(usize, Value)>,
    faults: Vec<Fault>,
    next_handle: u64,
}

/// What came of a command line.
pub(crate) struct Ran {
    pub(crate) answer: Answer,
    pub(crate) events: Vec<Value>,
    /// How long it takes.
    pub(crate) took: Millis,
    /// The end of a connection at which another answer may arrive before that.
    waits_at: Option<u64>,
}

impl Network {
    /// An empty network: no people. Equal seeds give equal link, member and message identifiers.
    pub fn new(seed: u64, options: Options) -> Self {
        let mut world = World::new(seed, options);
        world.now.unix = SETUP;
        Self {
            world,
            dbs: BTreeMap::new(),
            people: Vec::new(),
            published: BTreeMap::new(),
            outputs: VecDeque::new(),
            reactions: VecDeque::new(),
            faults: Vec::new(),
            next_handle: 1,
        }
    }

    /// A network with the people of a scenario, who have set up their addresses, groups and links.
    pub fn from_scenario(seed: u64, scenario: &Scenario) -> Self {
        let mut network = Self::new(seed, scenario.options);
        for peer in &scenario.peers {
            network.move_in(peer);
        }
        network.settle();
        network
    }

    /// Lets everything happen that is on its way, in no time.
    fn settle(&mut self) {
        let start = self.world.now;
        while let Some((_, task)) = self.world.due(Millis(u64::MAX)) {
            self.perform(task);
            self.react();
        }
        self.react();
        self.world.now = start;
    }

    /// Opens the database under this file prefix, as `chat_migrate_init` does: a new one, or the one that was used
    /// before, with its user, chats, custom data, items and numbers. Chat is not started until `/_start`.
    /// A process that has it open loses it.
    pub fn open(&mut self, now: Now, prefix: &str) -> Handle {
        self.set_now(now);
        let known = self.dbs.values().find(|d| d.prefix == prefix).map(|d| d.id);
        let id = known.unwrap_or_else(|| self.add_db(prefix));
        let handle = Handle(self.next_handle);
        self.next_handle = self.next_handle.saturating_add(1);
        if let Some(old) = self.dbs.get(&id).and_then(|d| d.open) {
            self.close(old);
        }
        if let Some(db) = self.dbs.get_mut(&id) {
            db.open = Some(handle);
        }
        handle
    }

    /// The database of one file prefix is found under another one from here on, as files are that were moved. Nothing
    /// changes when there is no such database, or one under the other prefix.
    pub fn moved(&mut self, from: &str, to: &str) {
        if self.dbs.values().any(|db| db.prefix == to) {
            return;
        }
        for db in self.dbs.values_mut().filter(|db| db.prefix == from) {
            db.prefix = to.into();
        }
    }

    pub(crate) fn add_db(&mut self, prefix: &str) -> DbId {
        let id = DbId(self.dbs.last_key_value().map_or(0, |(id, _)| id.0.saturating_add(1)));
        self.dbs.insert(id, Db::new(id, prefix));
        self.world.homes.insert(id, crate::db::DEFAULT_HOST.to_string());
        self.world.servers.insert(id, crate::db::DEFAULT_SERVER.to_string());
        id
    }

    /// Ends a process, as `chat_close_store` and a kill do. What it answered is stored; what others send waits for
    /// the next `/_start` under the same prefix. Outputs that were not polled are gone.
    pub fn close(&mut self, handle: Handle) {
        self.world.forget(handle);
        self.outputs.retain(|o| match o {
            Output::Response { handle: h, .. } | Output::Event { handle: h, .. } => *h != handle,
        });
        for db in self.dbs.values_mut().filter(|d| d.open == Some(handle)) {
            db.open = None;
            db.running = false;
        }
    }

    /// Sends a command line. Exactly one [`Output::Response`] with this ticket follows, at once or after
    /// [`Network::advance`], unless the handle is closed or a fault hangs it.
    pub fn command(&mut self, now: Now, handle: Handle, ticket: u64, line: &str) {
        self.set_now(now);
        let Some(db) = self.dbs.values().find(|d| d.open == Some(handle)).map(|d| d.id) else { return };
        let fault = self.take_fault(line);
        if let Some(Fault::Fail { error, .. }) = &fault {
            self.answer(handle, ticket, &json!({"error": error}), Millis(0));
            return;
        }
        let Some(Ran { answer, events, took, waits_at }) = self.run(db, line) else { return };
        if let Some(wire) = waits_at {
            self.world.wait_at(wire, handle, ticket);
        }
        let first = matches!(fault, Some(Fault::EventsFirst { .. }));
        if first {
            self.emit(db, events.clone(), took);
        }
        let envelope = match answer {
            Ok(result) => json!({"result": result}),
            Err(error) => json!({"error": error}),
        };
        match fault {
            Some(Fault::FailAfter { error, .. }) => {
                self.answer(handle, ticket, &json!({"error": error}), took)
            }
            Some(Fault::Slow { delay, .. }) => self.answer(handle, ticket, &envelope, took + delay),
            Some(Fault::Hang { .. }) => {}
            Some(Fault::Answer { text, .. }) => {
                self.put_output(Output::Response { handle, ticket, text }, took);
            }
            _ => self.answer(handle, ticket, &envelope, took),
        }
        if !first {
            self.emit(db, events, took);
        }
        self.react();
    }

    /// Runs a command line on a database.
    pub(crate) fn run(&mut self, db: DbId, line: &str) -> Option<Ran> {
        let links = self.world.links.len();
        let db_row = self.dbs.get_mut(&db)?;
        let mut controller = Controller::new(db_row, &mut self.world);
        let answer = controller.run(line);
        let ran = Ran {
            answer,
            events: core::mem::take(&mut controller.events),
            took: controller.took,
            waits_at: controller.waits_at,
        };
        let person = db_row.person;
        if person.is_none() && self.world.links.len() > links && line.starts_with("/_create link") {
            self.notice_control_link();
        }
        Some(ran)
    }

    fn take_fault(&mut self, line: &str) -> Option<Fault> {
        let at = self.faults.iter().position(|f| f.command().is_some_and(|c| line.starts_with(c)))?;
        let fault = self.faults.get(at).cloned();
        if self.faults.get_mut(at).is_some_and(|f| f.use_up()) {
            self.faults.remove(at);
        }
        fault
    }

    fn answer(&mut self, handle: Handle, ticket: u64, envelope: &Value, delay: Millis) {
        self.put_output(Output::Response { handle, ticket, text: envelope.to_string() }, delay);
    }

    fn put_output(&mut self, output: Output, delay: Millis) {
        if delay == Millis(0) {
            self.outputs.push_back(output);
            return;
        }
        let task = match output {
            Output::Response { handle, ticket, text } => Task::Response { handle, ticket, text },
            Output::Event { handle, text } => Task::Event { handle, text },
        };
        self.world.after(delay, task);
    }

    /// Gives events to whoever uses the database.
    pub(crate) fn emit(&mut self, db: DbId, events: Vec<Value>, delay: Millis) {
        let Some((open, person)) = self.dbs.get(&db).map(|d| (d.open, d.person)) else { return };
        if let Some(person) = person {
            self.reactions.extend(events.into_iter().map(|e| (person, e)));
            return;
        }
        let Some(handle) = open else { return };
        for event in events {
            self.emit_one(handle, event, delay);
        }
    }

    fn emit_one(&mut self, handle: Handle, mut event: Value, delay: Millis) {
        let noise = self.world.options.noise;
        if noise >= Noise::Loud
            && let Some(result) = event.get_mut("result")
        {
            put(result, "simUnknownKey", Some(json!({"type": "simUnknown"})));
        }
        let (mut late, mut copies) = (Millis(0), 1);
        for fault in &mut self.faults {
            match fault {
                Fault::DelayEvents { delay, count } if *count > 0 => {
                    *count -= 1;
                    late = *delay;
                }
                Fault::DuplicateEvents { count } if *count > 0 => {
                    *count -= 1;
                    copies = 2;
                }
                _ => {}
            }
        }
        if noise >= Noise::Loud && self.world.chance.next().is_multiple_of(8) {
            copies = 2;
        }
        for _ in 0..copies {
            self.put_output(Output::Event { handle, text: event.to_string() }, delay + late);
        }
        if noise >= Noise::Some && self.world.chance.next().is_multiple_of(4) {
            let odd = match self.world.chance.next() % 3 {
                0 => json!({"result": {"type": "simUnknownEvent", "payload": [1, null, {"type": "deep"}]}}),
                1 => json!({"error": {"type": "error", "errorType": {"type": "simUnknownError"}}}),
                _ => json!({"result": {"type": "subscriptionStatus", "server": crate::db::DEFAULT_SERVER,
                    "subscriptionStatus": {"type": "simUnknownStatus"}, "connections": []}}),
            };
            self.put_output(Output::Event { handle, text: odd.to_string() }, delay + late);
        }
    }

    /// Delivers what is due at this moment, and lets people act.
    pub fn advance(&mut self, now: Now) {
        let now = Now { mono: now.mono.max(self.world.now.mono), unix: now.unix };
        while let Some((at, task)) = self.world.due(now.mono) {
            let ago = i64::try_from(now.mono.since(at).0).unwrap_or(i64::MAX);
            self.world.now = Now { mono: at, unix: UnixMillis(now.unix.0.saturating_sub(ago)) };
            self.perform(task);
            self.react();
        }
        self.world.now = now;
        self.react();
    }

    fn set_now(&mut self, now: Now) {
        self.advance(now);
    }

    fn perform(&mut self, task: Task) {
        match task {
            Task::Deliver { db, packet } => self.deliver(db, packet),
            Task::Response { handle, ticket, text } => {
                self.outputs.push_back(Output::Response { handle, ticket, text });
            }
            Task::Event { handle, text } => self.outputs.push_back(Output::Event { handle, text }),
            Task::Later { db, later } => self.later(db, later),
            Task::Person { person, errand } => self.errand(person, errand),
        }
    }

    fn deliver(&mut self, db: DbId, packet: Packet) {
        let Some(row) = self.dbs.get_mut(&db) else { return };
        if !row.running {
            row.inbox.push_back(packet);
            return;
        }
        if self.world.router_of(db).is_some() {
            self.world.send(packet);
            return;
        }
        let mut controller = Controller::new(row, &mut self.world);
        controller.receive(packet);
        let events = controller.events;
        self.emit(db, events, Millis(0));
    }

    fn later(&mut self, db: DbId, later: Later) {
        let Some(row) = self.dbs.get_mut(&db) else { return };
        let mut controller = Controller::new(row, &mut self.world);
        controller.later(later);
        let running = controller.db.running;
        let events = controller.events;
        if running {
            self.emit(db, events, Millis(0));
        }
    }

    /// Lets people react to what they were told, until nobody has anything to do.
    fn react(&mut self) {
        while let Some((person, event)) = self.reactions.pop_front() {
            self.person_event(person, &event);
        }
    }

    /// When something becomes due, on the monotonic clock.
    pub fn next_wakeup(&self) -> Option<Millis> {
        self.world.next_wakeup()
    }

    /// The next output, in order.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// The whole state but the time as text, for [`Network::restore`]: time alone changes nothing.
    pub fn snapshot(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The network of a snapshot, which goes on at the time that the next call says. Errors name what does not fit.
    pub fn restore(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }

    /// The names of the people and bots, in the order of the scenario.
    pub fn peers(&self) -> Vec<String> {
        self.people.iter().map(|p| p.name.clone()).collect()
    }

    /// Adds a person without behaviour, for tests that play it with [`Network::act`]. An error when the name is taken
    /// or is no display name.
    pub fn add_peer(&mut self, now: Now, name: &str) -> Result<(), String> {
        self.set_now(now);
        if self.people.iter().any(|p| p.name == name) {
            return Err(alloc::format!("{name} lives here already: choose another name"));
        }
        if crate::text::valid_name(name) != name || name.is_empty() {
            return Err(alloc::format!("{name} is no display name: use letters, digits and single spaces"));
        }
        self.move_in(&crate::PeerPlan::named(name));
        Ok(())
    }

    /// Lets a person do something. Errors name what is not possible and why.
    pub fn act(&mut self, now: Now, peer: &str, act: Act) -> Result<(), String> {
        self.set_now(now);
        let person = self.people.iter().position(|p| p.name == peer);
        let person = person.ok_or_else(|| alloc::format!("nobody is called {peer}: see Network::peers"))?;
        let done = self.do_act(person, act);
        self.react();
        done
    }

    /// What a person sees, in the order of the chat numbers, contacts first. Empty for an unknown name.
    pub fn view(&self, peer: &str) -> Vec<ViewChat> {
        let person = self.people.iter().find(|p| p.name == peer);
        person.and_then(|p| self.dbs.get(&p.db)).map(Db::view).unwrap_or_default()
    }

    /// The short link that was published under this name by the scenario or an act: `"directory"`, `"shop"`,
    /// `"business"`, `"channel"`, `"group"`, `"one-time"`, `"never"` in the demo scenario.
    pub fn link(&self, name: &str) -> Option<String> {
        self.published.get(name).cloned()
    }

    /// The names of all published links, in order.
    pub fn link_names(&self) -> Vec<String> {
        self.published.keys().cloned().collect()
    }

    /// The full form of a link, and `None` for a text that is no link of this network.
    pub fn full_link(&self, link: &str) -> Option<String> {
        self.world.links.values().find(|l| l.is(link)).map(|l| l.full.clone())
    }

    /// Lets a name such as `@acme.simplex` or `#news.simplex` stand for a link, as a name service does.
    pub fn name(&mut self, name: &str, link: &str) {
        self.world.names.insert(name.to_lowercase(), link.to_string());
    }

    /// Sends the newest signed call of this network, with payload, key and signature as they were, to an address, in a
    /// session of its own: what a service can do with a call that it got. False when there is no such call or address.
    pub fn copy_signed_call(&mut self, now: Now, thief: Handle, link: &str) -> bool {
        self.set_now(now);
        let db = self.dbs.values().find(|d| d.open == Some(thief)).map(|d| d.id);
        let to = self.world.links.iter().find(|(_, l)| l.is(link)).map(|(id, _)| To::Link(*id));
        let (Some(db), Some(to), Some(call)) = (db, to, self.world.overheard.clone()) else { return false };
        let wire = self.world.new_wire(db);
        let at = self.world.now.unix;
        self.world.send(Packet { to, from: Some(wire), at, body: Body::ServiceRequest(call) });
        true
    }

    /// Puts an event line of any text into the events of a process.
    pub fn inject(&mut self, now: Now, handle: Handle, raw: &str) {
        self.set_now(now);
        self.outputs.push_back(Output::Event { handle, text: raw.to_string() });
    }

    /// Lets something go wrong.
    pub fn fault(&mut self, fault: Fault) {
        match fault {
            Fault::RouterDown { host } => self.router(&host, Some(Router::Down)),
            Fault::RouterSilent { host } => self.router(&host, Some(Router::Silent)),
            Fault::RouterUp { host } => self.router(&host, None),
            Fault::Clear => {
                let hosts: Vec<String> = self.world.routers.keys().cloned().collect();
                for host in hosts {
                    self.router(&host, None);
                }
                self.faults.clear();
            }
            other => self.faults.push(other),
        }
    }

    /// A router goes or comes; controllers that receive there are told (FINDINGS.md 7).
    fn router(&mut self, host: &str, state: Option<Router>) {
        let was_up = !self.world.routers.contains_key(host);
        match state {
            Some(state) => {
                self.world.routers.insert(host.to_string(), state);
            }
            None => self.world.router_up(host),
        }
        let there: Vec<DbId> =
            self.world.homes.iter().filter(|(_, h)| *h == host).map(|(id, _)| *id).collect();
        for id in there {
            let Some(db) = self.dbs.get(&id).filter(|d| d.running) else { continue };
            let connections: Vec<&str> = db.conns.values().map(|c| c.agent_id.as_str()).collect();
            let kind = if state.is_some() { "pending" } else { "active" };
            let status = json!({"result": {
                "type": "subscriptionStatus", "server": db.server, "subscriptionStatus": {"type": kind},
                "connections": connections,
            }});
            let place = host.split(':').next().unwrap_or(host);
            let gone =
                json!({"result": {"type": "hostDisconnected", "protocol": "smp", "transportHost": place}});
            match (state, was_up) {
                (Some(Router::Down), true) => self.emit(id, alloc::vec![gone, status], Millis(0)),
                (None, false) => self.emit(id, alloc::vec![status], Millis(0)),
                _ => {}
            }
        }
    }
}
