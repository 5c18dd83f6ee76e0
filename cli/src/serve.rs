//! `serve NAME`: opens the data folder and the SimpleX core, and drives the agent until it ends.

mod store;

use std::io::{ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use simplex_agent_adapters::clock::Clock;
use simplex_agent_adapters::driver::{self, Console as _, Inbox, Io};
use simplex_agent_adapters::files::{DataFolder, Writer};
use simplex_agent_adapters::record::Recorder;
use simplex_agent_adapters::{http, signals};
use simplex_agent_core::agent::text::entry;
use simplex_agent_core::mcp::http::Token;
use simplex_agent_core::{Agent, Config, Machine};

use crate::args::Options;
use crate::console::Terminal;
use crate::failure::Failure;
use store::Store;

/// Runs a server to its end: the exit code that the agent chose.
///
/// # Errors
///
/// What keeps it from starting. Whatever is wrong with an option or with the library is found before the data
/// folder is made; whatever is wrong with the folder, before anything in it is written.
pub(crate) fn run(options: Options) -> Result<u8, Failure> {
    let store = Store::find(&options.core)?;
    let path = data_folder(&options)?;
    let folder = DataFolder::open(&path).map_err(Failure::outside)?;
    let last = folder.server_info().map_err(Failure::outside)?;
    let state = folder.state().map_err(Failure::outside)?;
    let token = folder.token(options.new_token).map_err(Failure::outside)?;
    folder.write_headers(&token).map_err(Failure::outside)?;

    let kept_servers = last.map(|info| info.smp_servers).unwrap_or_default();
    let config = config(&options, &path, kept_servers)?;
    let mut agent = machine(config, options.record.as_deref())?;
    let (inbox, inputs) = Inbox::new();
    signals::watch(inbox.clone()).map_err(|error| Failure::outside(format!("signals: {error}")))?;
    let mut io = Io {
        simplex: store.open(&folder.path().join("simplex"), inbox.clone())?,
        front: http::front(options.port, Arc::new(Token::new(token.reveal())), inbox.clone()),
        writer: Writer::start(folder.path(), inbox),
        console: Box::new(Terminal),
    };
    let code = smol::block_on(driver::run(&mut *agent, Clock::new(), state, inputs, &mut io));
    Ok(code.number())
}

/// The agent, recorded when `--record` asks for it.
fn machine(config: Config, record: Option<&Path>) -> Result<Box<dyn Machine>, Failure> {
    let agent = Agent::new(config.clone());
    let Some(path) = record else { return Ok(Box::new(agent)) };
    let recorder = Recorder::create(path, &config, agent).map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::AlreadyExists => " A record is never overwritten: name a new file.",
            _ => "",
        };
        Failure::outside(format!("--record: {}: {error}.{remedy}", path.display()))
    })?;
    Terminal.log(&format!("Recording to {}: it holds every message of this run.", path.display()));
    Ok(Box::new(recorder))
}

/// `--data`, or `~/.simplex-mcp/NAME`, as an absolute path.
fn data_folder(options: &Options) -> Result<PathBuf, Failure> {
    let path = match &options.data {
        Some(path) => path.clone(),
        None => {
            let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
            let home =
                home.ok_or_else(|| Failure::outside("No home folder is known. Start with --data FOLDER."))?;
            home.join(".simplex-mcp").join(&options.name)
        }
    };
    let absolute = std::path::absolute(&path);
    let absolute = absolute.map_err(|error| Failure::outside(format!("{}: {error}", path.display())))?;
    // Without a trailing slash, as the messages name it.
    Ok(absolute.components().collect())
}

/// What the agent is told of this run. Routers that an earlier run was given stay in use.
fn config(options: &Options, data: &Path, kept_servers: Vec<String>) -> Result<Config, Failure> {
    let Some(data_dir) = data.to_str() else {
        return Err(Failure::outside(format!(
            "{}: the SimpleX core takes only UTF-8 paths.",
            data.display()
        )));
    };
    let is_given = options.data.is_some();
    Ok(Config {
        name: options.name.clone(),
        display_name: options.display_name.clone(),
        mode: options.mode,
        owners: options.owners.clone(),
        expire_hours: options.expire_hours,
        reset_owners: options.reset_owners,
        port: options.port,
        qr: std::io::stdout().is_terminal().then_some(options.qr),
        smp_servers: if options.smp_servers.is_empty() { kept_servers } else { options.smp_servers.clone() },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        data_dir: data_dir.to_owned(),
        data_option: if is_given { entry::data_option(data_dir) } else { String::new() },
    })
}
