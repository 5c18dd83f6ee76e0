//! Starting the server of a data folder without a person.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use simplex_agent_adapters::files::{FolderView, Holder, KeptOptions, ServerInfo, log_file};
use simplex_agent_adapters::simplex::libsimplex::LIBS_DIR;

use crate::place;

/// The log of a server that was started so.
const LOG: &str = "serve.log";
/// How long a start may take: a database may have to be brought up to date.
const PATIENCE: Duration = Duration::from_secs(120);
/// How often it is looked whether the server listens.
const LOOK: Duration = Duration::from_millis(100);

/// What has to be started.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) name: String,
    /// ` --data DIR`, when it was given.
    pub(super) data: String,
    pub(super) folder: FolderView,
}

impl Start {
    /// Starts the server as a process of its own, which goes on when this one ends, and waits until it listens.
    ///
    /// # Errors
    ///
    /// It was never started by a person, it ended, or it did not come to listen.
    pub(super) fn run(&self) -> Result<(), String> {
        let info = self.folder.server_info().map_err(|error| error.to_string())?;
        let Some(info) = info else {
            return Err(format!(
                "it was never started; the first start needs you: simplex-mcp serve {}{}",
                self.name, self.data
            ));
        };
        if info.name != self.name {
            let (name, path) = (&info.name, self.folder.path());
            let data = place::data_option(path, Some(path));
            return Err(format!(
                "{} is the data folder of agent \"{name}\"; use stdio {name}{data}",
                path.display()
            ));
        }
        let kept = self.folder.options().map_err(|error| error.to_string())?;
        let path = self.folder.path().join(LOG);
        let log = log_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut child =
            self.spawn(&info, &kept, log).map_err(|error| format!("it did not start: {error}"))?;
        self.wait(&mut child, &path)
    }

    fn spawn(&self, info: &ServerInfo, kept: &KeptOptions, log: File) -> std::io::Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["serve", &self.name]).arg("--data").arg(self.folder.path());
        command.arg(format!("--port={}", info.port)).arg(format!("--expire={}", info.expire_hours));
        command.args(&kept.options);
        if let Some(folder) = &kept.libs_dir {
            command.env(LIBS_DIR, folder);
        }
        command.stdin(Stdio::null()).stderr(log.try_clone()?).stdout(log).current_dir(self.folder.path());
        // What the terminal or the host sends to this process is not meant for the server.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(windows)]
        {
            const DETACHED_PROCESS: u32 = 8;
            const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
            std::os::windows::process::CommandExt::creation_flags(
                &mut command,
                DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP,
            );
        }
        command.spawn()
    }

    fn wait(&self, child: &mut Child, log: &Path) -> Result<(), String> {
        let until = Instant::now() + PATIENCE;
        let log = log.display();
        while Instant::now() < until {
            let holder = self.folder.holder().unwrap_or(Holder::Nobody);
            if matches!(holder, Holder::Process { port: Some(_), .. }) {
                return Ok(());
            }
            // Another process may have been faster: its server is as good.
            if let Ok(Some(status)) = child.try_wait()
                && holder == Holder::Nobody
            {
                return Err(format!("it ended at its start ({status}); {log} says why"));
            }
            thread::sleep(LOOK);
        }
        Err(format!("it does not listen yet; {log} says what it waits for"))
    }
}
