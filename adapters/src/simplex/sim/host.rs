//! A simulated network with what it lacks by itself: a clock, a thread that wakes it, and files.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use simplex_agent_core::Now;
use simplex_sim::{Handle, Network, Output, Scenario};

use super::store::{self, LoadError};
use crate::clock::Clock;
use crate::files::trouble;
use crate::simplex::Blocking;

/// How long the waking thread sleeps at most: so late it sees that its host is gone.
const NAP: Duration = Duration::from_millis(500);
/// What a call on a closed store gets.
const CLOSED: &str = "the store is closed";

/// A simulated network in this process. Clones are the same network.
#[derive(Clone)]
pub struct SimHost {
    shared: Arc<Shared>,
}

impl fmt::Debug for SimHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimHost")
    }
}

struct Shared {
    state: Mutex<State>,
    /// Signalled when outputs were released, when a store was closed, and when the next wakeup may have changed.
    changed: Condvar,
}

struct State {
    seed: u64,
    scenario: Scenario,
    /// `None` until it is needed: a saved one may take its place, and the people of a scenario take long to move in.
    network: Option<Network>,
    clock: Clock,
    open: BTreeMap<Handle, Store>,
    responses: BTreeMap<u64, String>,
    next_ticket: u64,
    /// The network as it was last saved: what changed nothing is not written again.
    saved: String,
    /// Why nothing wakes the network.
    stuck: Option<String>,
}

struct Store {
    prefix: String,
    key: String,
    events: VecDeque<String>,
    /// Why its file cannot be written any more: it is told nothing then, because a restart would not know of it.
    broken: Option<String>,
}

/// Why a simulated store does not open, with the file.
#[derive(Debug)]
pub enum SimOpenError {
    /// The file is damaged, or has another passphrase.
    NotADatabase(PathBuf),
    /// The file is of a later simulator.
    Later(PathBuf),
    /// Something else stands in the place of the file: a link, a folder, a pipe.
    NotAFile(PathBuf),
    /// The file cannot be read or written: the line that names it and says what to do.
    Io(PathBuf, String),
}

impl fmt::Display for SimOpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotADatabase(path) => {
                write!(
                    f,
                    "{} is damaged. Restore it, or remove it to start a new simulation.",
                    path.display()
                )
            }
            Self::Later(path) => {
                let path = path.display();
                write!(
                    f,
                    "{path} was used by a later version. Use that one, or remove the file to start anew."
                )
            }
            Self::NotAFile(path) => f.write_str(&trouble::not_a_file(path)),
            Self::Io(_, line) => f.write_str(line),
        }
    }
}

impl std::error::Error for SimOpenError {}

impl SimHost {
    /// A network with the people of a scenario. Equal seeds give equal identifiers.
    pub fn new(seed: u64, scenario: &Scenario) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                seed,
                scenario: scenario.clone(),
                network: None,
                clock: Clock::new(),
                open: BTreeMap::new(),
                responses: BTreeMap::new(),
                next_ticket: 1,
                saved: String::new(),
                stuck: None,
            }),
            changed: Condvar::new(),
        });
        let weak = Arc::downgrade(&shared);
        let waking = thread::Builder::new().name("simulator".to_owned()).spawn(move || {
            while let Some(shared) = weak.upgrade() {
                shared.wake_once();
            }
        });
        if let Err(error) = waking {
            shared.lock().stuck = Some(format!("no thread for the simulator: {error}"));
        }
        Self { shared }
    }

    /// Opens the store of a file prefix, or creates it. When it is the first one open and was used before, the
    /// whole network, its people included, is the one that was saved with it.
    ///
    /// # Errors
    ///
    /// [`SimOpenError`]; the file is left as it is.
    pub fn open(&self, prefix: &str, key: &str) -> Result<SimCore, SimOpenError> {
        let handle = self.shared.lock().open(prefix, key)?;
        self.shared.changed.notify_all();
        let slot = Slot { handle: Some(handle) };
        Ok(SimCore {
            host: self.clone(),
            prefix: prefix.to_owned(),
            key: key.to_owned(),
            slot: Mutex::new(slot),
        })
    }

    /// Looks at the network, or lets its people do something.
    pub fn with<R>(&self, action: impl FnOnce(&mut Network, Now) -> R) -> R {
        let mut state = self.shared.lock();
        let now = state.clock.now();
        let result = action(state.network(), now);
        state.release();
        drop(state);
        self.shared.changed.notify_all();
        result
    }
}

impl Shared {
    /// The state, also after a thread that held it panicked: the network's own calls do not unwind half-way.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the network do what is due, then sleeps until the next thing is due, something changes, or a nap ends.
    fn wake_once(&self) {
        let mut state = self.lock();
        let now = state.clock.now();
        if let Some(network) = &mut state.network {
            network.advance(now);
        }
        if state.release() {
            self.changed.notify_all();
        }
        let nap = match state.network.as_ref().and_then(Network::next_wakeup) {
            Some(at) => state.clock.remaining(at).min(NAP),
            None => NAP,
        };
        if !nap.is_zero() {
            drop(self.changed.wait_timeout(state, nap));
        }
    }
}

impl State {
    /// The network; that of the scenario when there is none yet.
    fn network(&mut self) -> &mut Network {
        self.network.get_or_insert_with(|| Network::from_scenario(self.seed, &self.scenario))
    }

    fn open(&mut self, prefix: &str, key: &str) -> Result<Handle, SimOpenError> {
        let path = store::path(prefix);
        let saved = store::load(&path, key).map_err(|error| match error {
            LoadError::NotADatabase => SimOpenError::NotADatabase(path.clone()),
            LoadError::Later => SimOpenError::Later(path.clone()),
            LoadError::NotAFile => SimOpenError::NotAFile(path.clone()),
            LoadError::Io(error) => {
                let file = path.display();
                let line = format!("{file} can't be read: {error}. {}", trouble::remedy(&error));
                SimOpenError::Io(path.clone(), line)
            }
        })?;
        // Beside another open store the network is already there, and knows this prefix when it was used in it.
        if self.open.is_empty()
            && let Some((saved, network)) = saved
        {
            let network = self.network.insert(network);
            self.clock = Clock::starting_at(saved.mono);
            for handle in saved.open {
                network.close(handle);
            }
            network.moved(&saved.prefix, prefix);
        }
        let now = self.clock.now();
        let handle = self.network().open(now, prefix);
        let (key, events) = (key.to_owned(), VecDeque::new());
        self.open
            .insert(handle, Store { prefix: prefix.to_owned(), key, events, broken: self.stuck.clone() });
        self.save();
        match self.open.get(&handle).and_then(|store| store.broken.clone()) {
            None => Ok(handle),
            Some(reason) => {
                self.network().close(handle);
                self.open.remove(&handle);
                Err(SimOpenError::Io(path, reason))
            }
        }
    }

    /// Saves, then hands out what the network has given; true when there was something. Nothing is handed out that
    /// a restart would not remember.
    fn release(&mut self) -> bool {
        let Some(network) = &mut self.network else { return false };
        let outputs: Vec<Output> = std::iter::from_fn(|| network.poll()).collect();
        if outputs.is_empty() {
            return false;
        }
        self.save_changes();
        for output in outputs {
            let (Output::Response { handle, .. } | Output::Event { handle, .. }) = &output;
            let Some(store) = self.open.get_mut(handle).filter(|store| store.broken.is_none()) else {
                continue;
            };
            match output {
                Output::Response { ticket, text, .. } => {
                    self.responses.insert(ticket, text);
                }
                Output::Event { text, .. } => store.events.push_back(text),
            }
        }
        true
    }

    /// Saves the network for each open store, when it changed.
    fn save_changes(&mut self) {
        let network = self.network().snapshot();
        if network != self.saved {
            self.write(network);
        }
    }

    /// Saves the network for each open store, when one was opened or is being closed.
    fn save(&mut self) {
        let network = self.network().snapshot();
        self.write(network);
    }

    fn write(&mut self, network: String) {
        let mono = self.clock.now().mono;
        let open: Vec<Handle> = self.open.keys().copied().collect();
        for store in self.open.values_mut().filter(|store| store.broken.is_none()) {
            store.broken = store::save(&store.prefix, &store.key, mono, &open, &network).err();
        }
        self.saved = network;
    }

    fn close(&mut self, handle: Handle) -> Result<(), String> {
        self.network().close(handle);
        self.save();
        match self.open.remove(&handle).and_then(|store| store.broken) {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }
}

/// An open store of a simulated network.
#[derive(Debug)]
pub struct SimCore {
    host: SimHost,
    prefix: String,
    key: String,
    slot: Mutex<Slot>,
}

/// The process that the store is open for, `None` when it is closed.
#[derive(Debug)]
struct Slot {
    handle: Option<Handle>,
}

impl SimCore {
    /// Opens a closed store again; does nothing to an open one.
    ///
    /// # Errors
    ///
    /// As [`SimHost::open`].
    pub fn reopen(&self) -> Result<(), SimOpenError> {
        let mut slot = self.slot();
        if slot.handle.is_none() {
            slot.handle = Some(self.host.shared.lock().open(&self.prefix, &self.key)?);
            self.host.shared.changed.notify_all();
        }
        Ok(())
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self) -> Result<Handle, String> {
        self.slot().handle.ok_or_else(|| CLOSED.to_owned())
    }

    /// Waits until `found` gives something, the store is closed, or `until` is past.
    fn wait<R>(
        &self,
        mut state: MutexGuard<'_, State>,
        handle: Handle,
        until: Option<Instant>,
        mut found: impl FnMut(&mut State) -> Option<R>,
    ) -> Result<Option<R>, String> {
        loop {
            if let Some(result) = found(&mut state) {
                return Ok(Some(result));
            }
            match state.open.get(&handle).map(|store| &store.broken) {
                Some(None) => {}
                Some(Some(reason)) => return Err(reason.clone()),
                None => return Err(CLOSED.to_owned()),
            }
            let changed = &self.host.shared.changed;
            state = match until.map(|until| until.checked_duration_since(Instant::now())) {
                None => changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(Some(left)) => {
                    changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
                Some(None) => return Ok(None),
            };
        }
    }
}

impl Blocking for SimCore {
    fn command(&self, line: &str) -> Result<String, String> {
        let handle = self.handle()?;
        let mut state = self.host.shared.lock();
        let (now, ticket) = (state.clock.now(), state.next_ticket);
        state.next_ticket = state.next_ticket.saturating_add(1);
        state.network().command(now, handle, ticket, line);
        state.release();
        self.host.shared.changed.notify_all();
        let response = self.wait(state, handle, None, |state| state.responses.remove(&ticket))?;
        response.ok_or_else(|| CLOSED.to_owned())
    }

    /// An event may also be waited for without end: `Duration::MAX`.
    fn receive(&self, wait: Duration) -> Result<Option<String>, String> {
        let handle = self.handle()?;
        let until = Instant::now().checked_add(wait);
        let state = self.host.shared.lock();
        self.wait(state, handle, until, |state| state.open.get_mut(&handle)?.events.pop_front())
    }

    fn close(&self) -> Result<(), String> {
        let Some(handle) = self.slot().handle.take() else { return Ok(()) };
        let closed = self.host.shared.lock().close(handle);
        self.host.shared.changed.notify_all();
        closed
    }
}
