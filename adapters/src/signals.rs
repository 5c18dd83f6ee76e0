//! The person's wish to stop: SIGINT, SIGTERM, and SIGHUP, which a terminal sends when it is closed.

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

/// From this call on, SIGINT, SIGTERM and SIGHUP no longer end the process: the first one puts [`Input::Stop`] into the
/// inbox, later ones join the stop that is in progress (the plan, "Start and shutdown"). A SIGHUP that is ignored, as
/// `nohup` has it, stays ignored where the system tells. Where files may only grow to a limit, SIGXFSZ does not end it
/// either: the write fails, which is told.
///
/// # Errors
///
/// The system's error when the signals cannot be watched.
pub fn watch(inbox: Inbox) -> io::Result<Stop> {
    let mut signals = Signals::new([Signal::Int, Signal::Term])?;
    if !is_hangup_ignored() {
        signals.add_signals([Signal::Hup])?;
    }
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

/// Whether the process was started with SIGHUP ignored. Linux tells; elsewhere it counts as not ignored.
fn is_hangup_ignored() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores_hangup(&status))
}

fn ignores_hangup(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // SIGHUP is signal 1, the lowest bit.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::ignores_hangup;

    /// STOP-21.
    #[test]
    fn what_linux_tells_of_ignored_signals() {
        for (status, ignored) in [
            ("Name:\tx\nSigIgn:\t0000000000000001\nSigCgt:\t0\n", true),
            ("SigIgn:\t0000000000001001\n", true),
            ("SigIgn:\t0000000000001000\n", false),
            ("SigIgn:\t\n", false),
            ("", false),
        ] {
            assert_eq!(ignores_hangup(status), ignored, "{status}");
        }
    }
}
