//! The command `claude`, which may hang: what it starts itself, a login, a prompt.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::place;

/// How long a call may take; `mcp get` also connects to the server.
const LIMIT: Duration = Duration::from_secs(30);
/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(10);
/// How long the rest of what it said may take when it has ended: something that it started may hold its output.
const REST: Duration = Duration::from_secs(1);
/// The longest reason of a failure that is shown, in characters.
const REASON: usize = 300;

/// `claude` on the PATH.
#[derive(Debug)]
pub(crate) struct Claude {
    path: PathBuf,
    limit: Duration,
}

/// Why a call gave nothing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It did not end in time, and was ended.
    Late(Duration),
    /// It failed, as it says itself.
    Failed(String),
}

impl Trouble {
    /// A part of a sentence.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Late(limit) => format!("claude did not end within {} s", limit.as_secs()),
            Self::Failed(reason) => reason.clone(),
        }
    }
}

impl Claude {
    /// The command, when it is there.
    pub(crate) fn find() -> Option<Self> {
        place::on_path("claude").map(|path| Self { path, limit: LIMIT })
    }

    /// Runs it; what it writes on stdout.
    ///
    /// # Errors
    ///
    /// It failed, or took too long.
    pub(crate) fn run(&self, args: &[&str]) -> Result<String, Trouble> {
        let failed = |error: std::io::Error| Trouble::Failed(format!("{}: {error}", self.path.display()));
        let mut child = spawn(&self.path, args).map_err(failed)?;
        let said = [read(child.stderr.take()), read(child.stdout.take())];
        let Some(status) = wait(&mut child, self.limit).map_err(failed)? else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Trouble::Late(self.limit));
        };
        let [stderr, stdout] = said.map(|text| text.recv_timeout(REST).unwrap_or_default());
        if status.success() {
            return Ok(stdout);
        }
        let said = [&stderr, &stdout].into_iter().map(|text| text.trim()).find(|text| !text.is_empty());
        let said = said.map_or_else(|| status.to_string(), str::to_owned);
        Err(Trouble::Failed(said.trim_end_matches('.').chars().take(REASON).collect()))
    }

    /// What `claude mcp get` says of a server.
    ///
    /// # Errors
    ///
    /// It does not know the server, or took too long.
    pub(crate) fn get(&self, server: &str) -> Result<String, Trouble> {
        let said = self.run(&["mcp", "get", server])?;
        if said.contains(server) {
            Ok(said)
        } else {
            Err(Trouble::Failed(format!("it says nothing of {server}")))
        }
    }
}

fn spawn(path: &Path, args: &[&str]) -> std::io::Result<Child> {
    Command::new(path).args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

/// Reads to the end, on a thread: a full pipe would keep the process from ending.
fn read(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, text) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    text
}

/// How the process ended; `None` when it did not in this time.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(Some(status)),
            None if start.elapsed() >= limit => return Ok(None),
            None => thread::sleep(LOOK),
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<String, Trouble> {
        Claude { path: "/bin/sh".into(), limit }.run(&["-c", script])
    }

    /// REG-13: a command that hangs is ended, and one that ends is not held up by what it started.
    #[test]
    fn a_command_that_hangs() {
        let late = shell("exec sleep 600", Duration::from_millis(50));
        assert_eq!(late, Err(Trouble::Late(Duration::from_millis(50))));
        let limit = Duration::from_secs(60);
        assert_eq!(shell("echo a; (sleep 600 >/dev/null 2>&1 &)", limit), Ok("a\n".to_owned()));
        let much = shell("yes | head -c 1000000", limit).unwrap_or_default();
        assert_eq!(much.len(), 1_000_000);
        assert_eq!(shell("echo a; echo b. >&2; exit 3", limit), Err(Trouble::Failed("b".to_owned())));
        assert_eq!(Trouble::Late(limit).text(), "claude did not end within 60 s");
    }
}
