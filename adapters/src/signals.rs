//! The person's wish to stop: SIGINT and SIGTERM.

use std::io;

use async_signal::{Signal, Signals};
use simplex_agent_core::Input;
use smol::channel::Receiver;
use smol::stream::StreamExt;

use crate::driver::Inbox;

/// Whether the person asked to stop.
#[derive(Debug)]
pub struct Stop(Receiver<()>);

impl Stop {
    /// Waits for the first signal.
    pub async fn asked(&self) {
        // Nothing is ever sent: the other end is dropped.
        let _ = self.0.recv().await;
    }
}

/// From this call on, SIGINT and SIGTERM no longer end the process: the first one puts [`Input::Stop`] into the
/// inbox, later ones join the stop that is in progress (the plan, "Start and shutdown"). Where files may only grow to
/// a limit, SIGXFSZ does not end it either: the write fails, which is told.
///
/// # Errors
///
/// The system's error when the signals cannot be watched.
pub fn watch(inbox: Inbox) -> io::Result<Stop> {
    let mut signals = Signals::new([Signal::Int, Signal::Term])?;
    let mut limits = Signals::new([Signal::Xfsz])?;
    let (asking, asked) = smol::channel::bounded(1);
    smol::spawn(async move {
        if signals.next().await.is_some() {
            inbox.put(Input::Stop);
            drop(asking);
        }
        // The stream is kept and drained: dropping it would give a second signal its default action, which kills.
        while signals.next().await.is_some() {}
    })
    .detach();
    smol::spawn(async move { while limits.next().await.is_some() {} }).detach();
    Ok(Stop(asked))
}
