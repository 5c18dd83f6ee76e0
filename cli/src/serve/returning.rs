//! What follows the end of an agent whose SimpleX core belongs to another program: the program is waited for, and a new
//! agent starts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use simplex_agent_adapters::driver::{Console as _, Inbox};
use simplex_agent_adapters::signals::Stop;
use simplex_agent_adapters::simplex::websocket::{Broken, Connection, Link, Reconnect};
use simplex_agent_core::Input;
use simplex_agent_core::agent::text::person;
use simplex_agent_core::effect::ExitCode;
use smol::channel::Receiver;
use smol::future::FutureExt;

use crate::args::Core;
use crate::console::Terminal;
use crate::failure::Failure;

/// How long the other program may stay away: a restart of it takes some seconds, with a large database more.
const PATIENCE: Duration = Duration::from_secs(30);

/// The rounds of a server, one for each connection.
pub(super) struct Returning {
    reconnect: Option<Reconnect>,
    stop: Arc<Stop>,
    round: u32,
    /// Hands a stop to the agent of this round; dropped with it.
    relay: Option<smol::Task<()>>,
}

/// What follows a round.
pub(super) enum Next {
    /// The process ends.
    End(ExitCode),
    /// Another round.
    Round(Box<Connection>),
}

impl Returning {
    /// The first round of a server on this core.
    pub(super) fn new(core: &Core, stop: &Arc<Stop>) -> Self {
        let reconnect = match core {
            Core::WebSocket(address) => Some(Reconnect::new(*address, PATIENCE)),
            Core::Lib(_) | Core::Sim(_) => None,
        };
        Self { reconnect, stop: Arc::clone(stop), round: 1, relay: None }
    }

    /// Where this round is recorded: a record holds one agent, so that later ones get a number.
    pub(super) fn record(&self, path: Option<&Path>) -> Option<PathBuf> {
        let mut path = path?.as_os_str().to_owned();
        if self.round > 1 {
            path.push(format!(".{}", self.round));
        }
        Some(path.into())
    }

    /// An inbox for this round, which gets the stop that is asked for or was.
    pub(super) fn inbox(&mut self) -> (Inbox, Receiver<Input>) {
        let (inbox, inputs) = Inbox::new();
        let (stop, to) = (Arc::clone(&self.stop), inbox.clone());
        self.relay = Some(smol::spawn(async move {
            stop.asked().await;
            to.put(Input::Stop);
        }));
        (inbox, inputs)
    }

    /// A round ended: waits for the other program when it went away under a running agent.
    ///
    /// # Errors
    ///
    /// It stays away.
    pub(super) fn after(&mut self, code: ExitCode, link: Option<Link>) -> Result<Next, Failure> {
        let broken = link.and_then(|link| link.broken());
        let (ExitCode::CoreLost, Some(broken), Some(reconnect)) = (code, broken, &mut self.reconnect) else {
            return Ok(Next::End(code));
        };
        self.round += 1;
        match smol::block_on(wait(reconnect, &broken, &self.stop)) {
            Some(connection) => {
                connection.map(|found| Next::Round(Box::new(found))).map_err(Failure::outside)
            }
            None => {
                Terminal.log(person::STOPPED);
                Ok(Next::End(ExitCode::Success))
            }
        }
    }
}

/// A new connection; `None` when a stop was asked for.
async fn wait(reconnect: &mut Reconnect, broken: &Broken, stop: &Stop) -> Option<Result<Connection, String>> {
    if broken.again {
        let seconds = reconnect.patience().as_secs();
        Terminal.log(&format!("Waiting for simplex-chat, at most {seconds} s."));
    }
    let stopped = async {
        stop.asked().await;
        None
    };
    let found = async { Some(reconnect.connect(broken).await) };
    found.or(stopped).await
}
