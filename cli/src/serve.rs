//! `serve NAME`: opens the data folder and the SimpleX core, and drives the agent until it ends.

mod returning;
mod store;

use std::cell::Cell;
use std::io::{ErrorKind, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use simplex_agent_adapters::clock::Clock;
use simplex_agent_adapters::driver::{self, Console, Inbox, Io};
use simplex_agent_adapters::files::{DataFolder, KeptOptions, ServerInfo, Writer};
use simplex_agent_adapters::record::Recorder;
use simplex_agent_adapters::signals::Stop;
use simplex_agent_adapters::simplex::libsimplex::LIBS_DIR;
use simplex_agent_adapters::trace::Traced;
use simplex_agent_adapters::{descriptors, http, signals};
use simplex_agent_core::agent::text::{entry, person};
use simplex_agent_core::config::Owners;
use simplex_agent_core::mcp::http::Token;
use simplex_agent_core::{Agent, Config, Input, Machine};
use smol::channel::{Receiver, Sender};
use smol::future::FutureExt;

use crate::args::{Core, Level, Options};
use crate::console::{Errors, Progress, Terminal};
use crate::failure::{Failure, SUCCESS};
use crate::place;
use returning::{Next, Returning};
use store::Store;

/// How long a stop waits for a start that waits for something itself: a database that is being brought up to date, a
/// disk, a pipe in the place of a file.
const PATIENCE: Duration = Duration::from_secs(5);

/// A step of the start that may block.
enum Step {
    /// It is waited for, for a while; its name.
    Waiting(String),
    /// The library comes over the network, and nothing is open yet: a stop ends the process at once.
    Downloading,
}

/// What a stop comes to that the start did not heed.
enum Overdue {
    /// The name of a step that takes too long.
    Waiting(String),
    /// Nothing was lost with it.
    Downloading,
}

/// Runs a server to its end: the exit code that the agent chose.
///
/// Signals are watched from the first step on, and whatever may block runs on a thread of its own, so that a stop ends
/// each start: as any other stop when the store opens meanwhile, with exit code 1 when it does not.
///
/// # Errors
///
/// What keeps it from starting. Whatever is wrong with an option or with the library is found before the data
/// folder is made; whatever is wrong with the folder, before anything in it is written.
pub(crate) fn run(options: Options) -> Result<u8, Failure> {
    descriptors::raise();
    let (inbox, inputs) = Inbox::new();
    let stop =
        signals::watch(inbox.clone()).map_err(|error| Failure::outside(format!("signals: {error}")))?;
    let stop = Arc::new(stop);
    let of_thread = Arc::clone(&stop);
    let (steps, begun) = smol::channel::unbounded();
    let (ending, ended) = smol::channel::bounded(1);
    let serving = thread::Builder::new().name("serve".to_owned()).spawn(move || {
        let _ = ending.try_send(serve(&options, inbox, inputs, steps, &of_thread));
    });
    serving.map_err(|error| Failure::outside(format!("no thread to serve: {error}")))?;
    smol::block_on(async {
        let end = async {
            let panicked = |_| Err(Failure::outside("The server ended by a fault of its own."));
            ended.recv().await.unwrap_or_else(panicked)
        };
        end.or(async {
            stop.asked().await;
            match overdue(&begun).await {
                Some(Overdue::Waiting(step)) => Err(Failure::outside(format!(
                    "Stopped before the start was done: {step} takes too long."
                ))),
                Some(Overdue::Downloading) => {
                    Progress::leave();
                    Terminal.log(person::STOPPED);
                    Ok(SUCCESS)
                }
                None => smol::future::pending().await,
            }
        })
        .await
    })
}

/// The step of the start that has not ended in [`PATIENCE`], or the download; `None` when the start is done.
async fn overdue(begun: &Receiver<Step>) -> Option<Overdue> {
    let last = Cell::new(String::new());
    let done = async {
        while let Ok(mut step) = begun.recv().await {
            while let Ok(next) = begun.try_recv() {
                step = next;
            }
            match step {
                Step::Waiting(name) => last.set(name),
                Step::Downloading => return Some(Overdue::Downloading),
            }
        }
        None
    };
    let late = async {
        smol::Timer::after(PATIENCE).await;
        Some(Overdue::Waiting(last.take()))
    };
    done.or(late).await
}

/// Opens everything and drives the agent. Each step that may block is named before it begins.
///
/// There is one round, unless another program owns the SimpleX core, goes away and comes back: then a new agent starts
/// as after any restart, with nothing of the one before but the data folder and the token.
fn serve(
    options: &Options,
    inbox: Inbox,
    inputs: Receiver<Input>,
    steps: Sender<Step>,
    stop: &Arc<Stop>,
) -> Result<u8, Failure> {
    let step = |name: String| drop(steps.try_send(Step::Waiting(name)));
    step("finding the SimpleX core".to_owned());
    let _lock = store::lock(&options.core, &options.name)?;
    let mut store = Store::find(&options.core, || drop(steps.try_send(Step::Downloading)))?;
    let path = place::data_folder(&options.name, options.data.as_deref())?;
    step(format!("opening {}", path.display()));
    refuse_early_owners(options, &path)?;
    let folder = DataFolder::open(&path).map_err(Failure::outside)?;
    let last = folder.server_info().map_err(Failure::outside)?;
    refuse_other_agent(options, &path, last.as_ref())?;
    let mut state = folder.state().map_err(Failure::outside)?;
    let token = folder.token(options.new_token).map_err(Failure::outside)?;
    folder.write_headers(&token).map_err(Failure::outside)?;

    let kept_servers = last.map(|info| info.smp_servers).unwrap_or_default();
    let mut config = config(options, &path, kept_servers)?;
    let prefix = folder.path().join("simplex");
    let (mut inbox, mut inputs, mut steps) = (inbox, inputs, Some(steps));
    let mut returning = Returning::new(&options.core, stop);
    loop {
        let mut agent = machine(config.clone(), returning.record(options.record.as_deref()).as_deref())?;
        if options.level == Level::Debug {
            agent = Box::new(Traced::new(agent, crate::console::warn));
        }
        if let Some(steps) = &steps {
            drop(steps.try_send(Step::Waiting(format!("opening {}", prefix.display()))));
        }
        let opened = store.open(&prefix, inbox.clone())?;
        let listening = folder.once_listening(options.port, Some(&kept(options, opened.version)));
        let listening =
            listening.map_err(|error| Failure::outside(format!("{}: {error}", path.display())))?;
        let io = Io {
            simplex: opened.core,
            front: http::front(options.port, Arc::new(Token::new(token.reveal())), inbox.clone()),
            writer: Writer::start(folder.path(), inbox, Some(listening)),
            console: console(options.level),
        };
        drop(steps.take());
        let (code, io) = driver::run_beside_front(agent, Clock::new(), state, inputs, io);
        store = match returning.after(code, opened.link)? {
            Next::End(code) => return Ok(code.number()),
            Next::Round(connection) => Store::WebSocket(connection),
        };
        io.writer.finish();
        folder.not_listening().map_err(|error| Failure::outside(format!("{}: {error}", path.display())))?;
        // What the options ask for once was done.
        config.reset_owners = false;
        state = folder.state().map_err(Failure::outside)?;
        (inbox, inputs) = returning.inbox();
    }
}

/// Where lines go.
fn console(level: Level) -> Box<dyn Console> {
    match level {
        Level::Error => Box::new(Errors),
        Level::Info | Level::Debug => Box::new(Terminal),
    }
}

/// What `stdio --start` repeats of this run.
fn kept(options: &Options, core_version: Option<String>) -> KeptOptions {
    let is_lib = matches!(options.core, Core::Lib(_));
    let libs_dir = std::env::var(LIBS_DIR).ok().filter(|folder| is_lib && !folder.is_empty());
    KeptOptions { options: options.again(), libs_dir, core_version }
}

/// The agent, recorded when `--record` asks for it.
fn machine(config: Config, record: Option<&Path>) -> Result<Box<dyn Machine + Send>, Failure> {
    let agent = Agent::new(config.clone());
    let Some(path) = record else { return Ok(Box::new(agent)) };
    let recorder = Recorder::create(path, &config, agent).map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::AlreadyExists => " A record is never overwritten: name a new file.",
            _ => " Name a new file in a folder that you can write to.",
        };
        Failure::outside(format!("--record: {}: {error}.{remedy}", path.display()))
    })?;
    Terminal.log(&format!("Recording to {}: it holds every message of this run.", path.display()));
    Ok(Box::new(recorder))
}

/// Before the first start there is no control chat, so that `--owners LIST` names nobody: the refusal that the agent
/// would come to after it had made profile and control chat.
fn refuse_early_owners(options: &Options, path: &Path) -> Result<(), Failure> {
    let Owners::Listed(entries) = &options.owners else { return Ok(()) };
    let is_new = match path.read_dir() {
        Ok(mut files) => !files.any(|file| {
            file.is_ok_and(|file| {
                let name = file.file_name();
                name == "state.json" || name.to_string_lossy().starts_with("simplex_")
            })
        }),
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    match entries.first() {
        Some(first) if is_new => Err(Failure::usage(person::unknown_owner(first, &[]))),
        _ => Ok(()),
    }
}

/// A folder belongs to the agent that it was made for: another name would serve that agent's chats as its own.
fn refuse_other_agent(options: &Options, path: &Path, last: Option<&ServerInfo>) -> Result<(), Failure> {
    let (path, name) = (path.display(), &options.name);
    match last {
        Some(info) if info.name != *name => Err(Failure::outside(format!(
            "{path} is the data folder of agent \"{}\", not of \"{name}\". Start with serve {}, or with --data and \
             another folder.",
            info.name, info.name
        ))),
        _ => Ok(()),
    }
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
        shared_core: matches!(options.core, Core::WebSocket(_)),
        data_option: if is_given { entry::data_option(data_dir) } else { String::new() },
    })
}
