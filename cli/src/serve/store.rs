//! Which SimpleX core a server runs on.

use std::fs;
use std::path::Path;

use simplex_agent_adapters::driver::Inbox;
use simplex_agent_adapters::files::AddressLock;
use simplex_agent_adapters::simplex::libsimplex::{self, Environment, LIBS_DIR, Library};
use simplex_agent_adapters::simplex::sim::{SimHost, unattended};
use simplex_agent_adapters::simplex::websocket::{Connection, Link, WebSocket};
use simplex_agent_adapters::simplex::{Pooled, SimplexCore};
use simplex_sim::Scenario;

use crate::args::Core;
use crate::console::Progress;
use crate::failure::Failure;
use crate::place;

/// Any number will do: it makes the identifiers of a new simulated network.
const SEED: u64 = 1;

/// A SimpleX core that is there, without a store yet.
pub(super) enum Store {
    /// A loaded library.
    Lib(Library),
    /// A simulated network.
    Sim(SimHost),
    /// A running `simplex-chat`, whose store is open.
    WebSocket(Box<Connection>),
}

/// An open store.
pub(super) struct Opened {
    /// The core.
    pub(super) core: Box<dyn SimplexCore>,
    /// How its connection ended, when it has one.
    pub(super) link: Option<Link>,
    /// The version that the core told.
    pub(super) version: Option<String>,
}

impl Store {
    /// Loads the library, makes the simulated network, or connects to the program. `downloading` is called before the
    /// library is downloaded because it is not there; a process that ends from then on leaves no library, and nothing
    /// else.
    ///
    /// # Errors
    ///
    /// No library, one that does not load, a scenario that does not read, or no program that can be used.
    pub(super) fn find(core: &Core, downloading: impl Fn()) -> Result<Self, Failure> {
        match core {
            Core::Lib(wanted) => {
                let environment = Environment::read();
                if environment.libs_dir.is_some() && wanted.archive_sum.is_some() {
                    return Err(Failure::usage(format!(
                        "--libs-sha256: {LIBS_DIR} is set, so there is no archive to compare. Leave one of the two out."
                    )));
                }
                let found = libsimplex::find(wanted, &environment, &mut Progress::new(&downloading));
                found.and_then(|found| found.load()).map(Self::Lib).map_err(Failure::outside)
            }
            Core::Sim(file) => {
                let scenario = file.as_deref().map_or_else(|| Ok(unattended()), read_scenario)?;
                Ok(Self::Sim(SimHost::new(SEED, &scenario)))
            }
            Core::WebSocket(address) => {
                let connection = smol::block_on(Connection::open(*address)).map_err(Failure::outside)?;
                Ok(Self::WebSocket(Box::new(connection)))
            }
        }
    }

    /// Opens the store of a file prefix; its events go to the inbox from then on.
    ///
    /// # Errors
    ///
    /// The store does not open.
    pub(super) fn open(self, prefix: &Path, inbox: Inbox) -> Result<Opened, Failure> {
        Ok(match self {
            Self::Lib(library) => {
                let core = library.open(prefix).map_err(Failure::outside)?;
                let version = core.version().map(str::to_owned);
                Opened { core: Box::new(Pooled::start(core, inbox)), link: None, version }
            }
            Self::Sim(host) => {
                let core = host.open(&prefix.to_string_lossy(), "").map_err(Failure::outside)?;
                Opened { core: Box::new(Pooled::start(core, inbox)), link: None, version: None }
            }
            Self::WebSocket(connection) => {
                let version = Some(connection.version().to_owned());
                let core = WebSocket::start(*connection, inbox);
                let link = Some(core.link());
                Opened { core: Box::new(core), link, version }
            }
        })
    }
}

/// Keeps other servers of this user away from the address of a running `simplex-chat`, as long as the lock lives.
///
/// # Errors
///
/// Another server is there; the line names it.
pub(super) fn lock(core: &Core, name: &str) -> Result<Option<AddressLock>, Failure> {
    let Core::WebSocket(address) = core else { return Ok(None) };
    let folder = place::home_folder()?;
    AddressLock::take(&folder, &address.to_string(), name).map(Some).map_err(Failure::outside)
}

fn read_scenario(path: &Path) -> Result<Scenario, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("--scenario: {} can't be read: {error}", path.display())))?;
    Scenario::parse(&text).map_err(|error| {
        let path = path.display();
        Failure::usage(format!(
            "--scenario: {path} is no scenario ({error}). It takes a JSON file as adapters/sim/SCENARIOS.md describes it."
        ))
    })
}
