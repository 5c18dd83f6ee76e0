//! What the looks need to know, and the commands that mend.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use simplex_agent_adapters::files::{FolderView, Holder, KeptOptions, ServerInfo, Unusable};
use simplex_agent_adapters::simplex::libsimplex::LIBS_DIR;
use simplex_agent_core::agent::text::entry;

use super::files;
use crate::args;
use crate::failure::Failure;
use crate::place;

/// The port and the expiry of a start that is told none (CLI-02).
const DEFAULT_PORT: u16 = 5226;
const DEFAULT_HOURS: u8 = 23;
/// How long it may take to hear whether somebody has a port.
const PATIENCE: Duration = Duration::from_secs(5);
/// The option that makes the token anew.
const NEW_TOKEN: &str = "--new-token";

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
    /// Whether another program has the port while no server runs.
    pub(super) is_taken: bool,
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
        let info = view.server_info().ok().flatten();
        let port = info.as_ref().map_or(DEFAULT_PORT, |info| info.port);
        Ok(Self {
            is_taken: matches!(holder, Ok(Holder::Nobody)) && is_taken(port),
            agent: format!("{}{}", options.name, place::data_option(&path, options.data.as_deref())),
            name: options.name.clone(),
            info,
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

    /// The agent whose folder it is, when that is another one.
    pub(super) fn other(&self) -> Option<&str> {
        let info = self.info.as_ref()?;
        (info.name != self.name).then_some(&*info.name)
    }

    /// Whether the folder is another user's.
    pub(super) fn is_foreign(&self) -> bool {
        self.path.symlink_metadata().is_ok_and(|about| files::is_foreign(&about))
    }

    /// The port of the last start, or that of a start that is told none.
    pub(super) fn port(&self) -> u16 {
        self.info.as_ref().map_or(DEFAULT_PORT, |info| info.port)
    }

    /// The command that starts it as its last start was told, with an option more; on another port when that one is
    /// another program's. Hosts that have the old port show their token to that program, so it gets a new one.
    pub(super) fn serve(&self, more: &str) -> String {
        if !self.is_taken {
            return self.serve_at(self.port(), more);
        }
        let renewed = if self.info.is_some() && !more.contains(NEW_TOKEN) { NEW_TOKEN } else { "" };
        self.serve_at(free_after(self.port()), format!("{more} {renewed}").trim())
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
        if self.kept_nothing() && self.path.join(files::SIMULATION).is_file() {
            options += " --core sim";
        }
        let more = if more.is_empty() { String::new() } else { format!(" {more}") };
        format!("{before}simplex-mcp serve {}{options}{more}", self.agent)
    }

    /// Whether it is on the simulator, or was at a first start that failed.
    pub(super) fn is_simulated(&self) -> bool {
        let kept =
            self.kept.as_ref().is_ok_and(|kept| kept.options.iter().any(|option| option == "--core=sim"));
        kept || self.kept_nothing() && self.path.join(files::SIMULATION).is_file()
    }

    /// Whether no start came so far that its options were kept.
    fn kept_nothing(&self) -> bool {
        !self.path.join("options.json").exists()
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

/// Whether somebody listens there. Nothing is shown to whoever does, and a start at this moment is not disturbed.
fn is_taken(port: u16) -> bool {
    TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)), PATIENCE).is_ok()
}

/// The next port that nobody has.
fn free_after(port: u16) -> u16 {
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let next = port.wrapping_add(1).max(1024);
    (next..=u16::MAX).chain(1024..next).find(is_free).unwrap_or(next)
}
