//! The person's wish to stop: SIGINT and SIGTERM.

use std::io;

use async_signal::{Signal, Signals};
use simplex_agent_core::Input;
use smol::stream::StreamExt;

use crate::driver::Inbox;

/// From this call on, SIGINT and SIGTERM no longer end the process: the first one puts [`Input::Stop`] into the
/// inbox, later ones join the stop that is in progress (the plan, "Start and shutdown").
///
/// # Errors
///
/// The system's error when the signals cannot be watched.
pub fn watch(inbox: Inbox) -> io::Result<()> {
    let mut signals = Signals::new([Signal::Int, Signal::Term])?;
    smol::spawn(async move {
        if signals.next().await.is_some() {
            inbox.put(Input::Stop);
        }
        // The stream is kept and drained: dropping it would give a second signal its default action, which kills.
        while signals.next().await.is_some() {}
    })
    .detach();
    Ok(())
}
