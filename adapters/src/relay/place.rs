//! Where the server is, found anew for each request: it may be started again, on another port and with another token.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use simplex_agent_core::mcp::relay::End;
use smol::lock::Mutex;

use crate::files::{FolderView, Holder};

/// How often, and after what, it is looked whether a process ends whose connection broke off.
const LOOKS: u32 = 10;
const LOOK: Duration = Duration::from_millis(50);

/// Starts the server of a data folder and waits until it listens. Its error is a part of a sentence.
pub type Starter = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// The server of a data folder.
#[derive(Clone)]
pub struct Place {
    folder: FolderView,
    start: Option<Arc<Mutex<Starter>>>,
}

/// Where a request goes.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) port: u16,
    /// The process that listens there, when it is known.
    pub(super) pid: Option<u32>,
    /// `Bearer TOKEN`.
    pub(super) authorization: String,
}

impl Place {
    /// The server of a folder, started when it does not run and there is a starter.
    pub fn new(folder: FolderView, start: Option<Starter>) -> Self {
        Self { folder, start: start.map(|start| Arc::new(Mutex::new(start))) }
    }

    /// Port and token. The token is given to nobody but the server that holds the folder and listens: the port may be
    /// another program's while no server runs, and while one starts.
    ///
    /// # Errors
    ///
    /// How the exchange ends instead.
    pub(super) async fn find(&self) -> Result<Found, End> {
        if self.holder()? == Holder::Nobody {
            let Some(start) = &self.start else { return Err(End::NotRunning) };
            let start = start.clone().lock_arc().await;
            // Another request may have started it meanwhile.
            if self.holder()? == Holder::Nobody {
                smol::unblock(move || (**start)()).await.map_err(End::Failed)?;
            }
        }
        let unusable =
            |error: crate::files::Unusable| End::Failed(error.to_string().trim_end_matches('.').to_owned());
        let token = self.folder.token().map_err(unusable)?;
        match (self.holder()?, token) {
            (Holder::Process { port: Some(port), pid }, Some(token)) => {
                Ok(Found { port, pid, authorization: format!("Bearer {}", token.reveal()) })
            }
            // Its start has not come so far.
            _ => Err(End::NotListening),
        }
    }

    /// Whether the process that was found has ended, or ends in a moment: its connections close before its lock does.
    pub(super) async fn has_ended(&self, found: Option<u32>) -> bool {
        for _ in 0..LOOKS {
            let is_other = match self.holder() {
                Ok(Holder::Nobody) => true,
                Ok(Holder::Process { pid, .. }) => pid.is_some() && pid != found,
                Err(_) => false,
            };
            if is_other {
                return true;
            }
            smol::Timer::after(LOOK).await;
        }
        false
    }

    fn holder(&self) -> Result<Holder, End> {
        self.folder.holder().map_err(|error| End::Failed(error.to_string().trim_end_matches('.').to_owned()))
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place").field("folder", &self.folder).finish_non_exhaustive()
    }
}
