//! The whole server on a thread of this process: the agent, its HTTP front end, a simulated SimpleX network, and a
//! data folder that is removed at the end.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use simplex_agent_adapters::clock::Clock;
use simplex_agent_adapters::driver::{self, Console, Inbox, Io};
use simplex_agent_adapters::files::{DataFolder, Writer};
use simplex_agent_adapters::simplex::Pooled;
use simplex_agent_adapters::simplex::sim::SimHost;
use simplex_agent_adapters::{http, signals};
use simplex_agent_core::config::QrSize;
use simplex_agent_core::mcp::http::Token;
use simplex_agent_core::{Agent, Config, Input};
use simplex_sim::Scenario;

use super::stage::Happening;
use crate::failure::Failure;

/// The agent's name in SimpleX, and so the name of its control chat.
pub(super) const DISPLAY_NAME: &str = "My Agent";
/// Makes the identifiers of the simulated network.
const SEED: u64 = 1;

/// A running server. Its folder is removed when it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    inbox: Inbox,
    network: SimHost,
    token: String,
    port: u16,
    _temporary: Temporary,
}

impl Server {
    /// Starts it; what it logs, and its end, are told through `happenings`. SIGINT and SIGTERM stop it.
    ///
    /// # Errors
    ///
    /// No temporary folder, no port, no signals.
    pub(super) fn start(happenings: Sender<Happening>) -> Result<Self, Failure> {
        let temporary = Temporary::new().map_err(|error| {
            Failure::outside(format!("{}: {error}. Set TMPDIR.", std::env::temp_dir().display()))
        })?;
        let folder = DataFolder::open(&temporary.0).map_err(Failure::outside)?;
        let token = folder.token(true).map_err(Failure::outside)?.reveal().to_owned();
        let port = free_port().map_err(|error| Failure::outside(format!("no free port: {error}")))?;
        let (inbox, inputs) = Inbox::new();
        watch_signals(inbox.clone(), happenings.clone())?;
        let network = SimHost::new(SEED, &Scenario::demo());
        let prefix = folder.path().join("simplex");
        let core = network.open(&prefix.to_string_lossy(), "").map_err(Failure::outside)?;
        let (commands, access) = (inbox.clone(), Arc::new(Token::new(&token)));
        let drive = move || {
            let mut io = Io {
                simplex: Box::new(Pooled::start(core, commands.clone())),
                front: http::front(port, access, commands.clone()),
                writer: Writer::start(folder.path(), commands, None),
                console: Box::new(Lines(happenings.clone())),
            };
            let mut agent = Agent::new(config(port, folder.path()));
            let code = smol::block_on(driver::run(&mut agent, Clock::new(), None, inputs, &mut io));
            let _ = happenings.send(Happening::Ended(code));
        };
        let driving = thread::Builder::new().name("server".to_owned()).spawn(drive);
        driving.map_err(|error| Failure::outside(format!("no thread for the server: {error}")))?;
        Ok(Self { inbox, network, token, port, _temporary: temporary })
    }

    /// The network it is in.
    pub(super) fn network(&self) -> SimHost {
        self.network.clone()
    }

    /// The token of its endpoint.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// The port of its endpoint.
    pub(super) const fn port(&self) -> u16 {
        self.port
    }

    /// Asks it to stop; its end is told.
    pub(super) fn stop(&self) {
        self.inbox.put(Input::Stop);
    }
}

/// Tells the stage of a signal before the server: the lines of the stop come after that.
fn watch_signals(server: Inbox, happenings: Sender<Happening>) -> Result<(), Failure> {
    let failed = |error| Failure::outside(format!("signals: {error}"));
    let (asked, signals) = Inbox::new();
    signals::watch(asked).map_err(failed)?;
    let pass_on = move || {
        while let Ok(input) = smol::block_on(signals.recv()) {
            let _ = happenings.send(Happening::Stopping);
            server.put(input);
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(pass_on).map(drop).map_err(failed)
}

/// What `serve demo` with default options is told.
fn config(port: u16, data: &Path) -> Config {
    Config {
        display_name: Some(DISPLAY_NAME.to_owned()),
        port,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Config::named("demo", &data.to_string_lossy())
    }
}

/// A port of 127.0.0.1 that nothing uses. The system gives ports in turn, so that nobody else is given it soon.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// The server's terminal: every line is told.
struct Lines(Sender<Happening>);

impl Console for Lines {
    fn log(&mut self, line: &str) {
        let _ = self.0.send(Happening::Log(line.to_owned()));
    }

    fn warn(&mut self, line: &str) {
        self.log(line);
    }

    fn qr(&mut self, _link: &str, _size: QrSize) {}
}

/// A folder that is removed with all that is in it.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Temporary {
    /// A new folder; one that a killed demo left is not used again.
    fn new() -> std::io::Result<Self> {
        let mut number = 0;
        loop {
            let name = format!("simplex-mcp-demo-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && number < 100 => {
                    number += 1
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
