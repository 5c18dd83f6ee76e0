//! What the looks need to know, and the commands that mend.

use std::path::PathBuf;

use simplex_agent_adapters::files::{FolderView, Holder, KeptOptions, ServerInfo, Unusable};
use simplex_agent_adapters::simplex::libsimplex::LIBS_DIR;
use simplex_agent_core::agent::text::entry;

use crate::args;
use crate::failure::Failure;
use crate::place;

/// The port and the expiry of a start that is told none (CLI-02).
const DEFAULT_PORT: u16 = 5226;
const DEFAULT_HOURS: u8 = 23;

/// An agent, as its folder shows it.
pub(super) struct Patient {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) view: FolderView,
    /// NAME and, when it was given, ` --data DIR`.
    pub(super) agent: String,
    pub(super) info: Option<ServerInfo>,
    pub(super) kept: Result<KeptOptions, Unusable>,
    pub(super) holder: Result<Holder, Unusable>,
}

impl Patient {
    /// The agent of the options.
    ///
    /// # Errors
    ///
    /// There is no data folder to look at.
    pub(super) fn of(options: &args::Doctor) -> Result<Self, Failure> {
        let path = place::data_folder(&options.name, options.data.as_deref())?;
        let view = FolderView::at(&path);
        // The lock first: a first start may write the other files while this looks.
        let holder = view.holder();
        Ok(Self {
            agent: format!("{}{}", options.name, place::data_option(&path, options.data.as_deref())),
            name: options.name.clone(),
            info: view.server_info().ok().flatten(),
            kept: view.options(),
            holder,
            path,
            view,
        })
    }

    /// The process that holds the folder, when it is known.
    pub(super) fn pid(&self) -> Option<u32> {
        match self.holder {
            Ok(Holder::Process { pid, .. }) => pid,
            Ok(Holder::Nobody) | Err(_) => None,
        }
    }

    /// Whether no process holds the folder.
    pub(super) fn is_free(&self) -> bool {
        matches!(self.holder, Ok(Holder::Nobody))
    }

    /// The command that starts it as its last start was told, with an option more.
    pub(super) fn serve(&self, more: &str) -> String {
        let port = self.info.as_ref().map_or(DEFAULT_PORT, |info| info.port);
        self.serve_at(port, more)
    }

    /// The same on another port.
    pub(super) fn serve_at(&self, port: u16, more: &str) -> String {
        let (mut options, mut before) = (String::new(), String::new());
        if port != DEFAULT_PORT {
            options += &format!(" --port {port}");
        }
        match self.info.as_ref().map(|info| info.expire_hours) {
            None | Some(DEFAULT_HOURS) => {}
            Some(hours) => options += &format!(" --expire {hours}"),
        }
        if let Ok(kept) = &self.kept {
            options.extend(kept.options.iter().map(|option| format!(" {}", entry::word(option))));
            let folder = kept.libs_dir.as_deref().filter(|_| std::env::var_os(LIBS_DIR).is_none());
            before.extend(folder.map(|folder| format!("{LIBS_DIR}={} ", entry::word(folder))));
        }
        let more = if more.is_empty() { String::new() } else { format!(" {more}") };
        format!("{before}simplex-mcp serve {}{options}{more}", self.agent)
    }

    /// A command for a folder that nobody holds: the server is stopped first, and waited for.
    pub(super) fn stopped(&self, command: &str) -> String {
        match self.pid() {
            Some(pid) if cfg!(unix) => {
                format!("kill {pid} && while kill -0 {pid} 2>/dev/null; do sleep 1; done; {command}")
            }
            _ if self.is_free() => command.to_owned(),
            _ => format!("stop the server, then {command}"),
        }
    }

    /// Where the lines of the server are.
    pub(super) fn wait(&self) -> String {
        let log = self.path.join("serve.log");
        if log.is_file() && cfg!(unix) {
            return format!("tail {}", entry::path(&log.to_string_lossy()));
        }
        "wait, and look at the server's lines".to_owned()
    }
}
