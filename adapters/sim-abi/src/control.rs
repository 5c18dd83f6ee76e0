//! The controllers of this process, by number.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use simplex_agent_adapters::simplex::Blocking;
use simplex_agent_adapters::simplex::sim::{SimCore, SimHost, SimOpenError, unattended};
use simplex_sim::Scenario;

use crate::answer;

/// What a call with a controller that was never given out gets.
const UNKNOWN: &str = "no such controller";
/// How long a call for events on a closed store waits before its empty answer, at most, so that a loop around it
/// does not spin.
const CLOSED_WAIT: Duration = Duration::from_millis(100);
/// The confirmations that a core knows (digest 1.3).
const CONFIRMATIONS: [&str; 4] = ["yesUp", "yesUpDown", "console", "error"];

static HOST: OnceLock<Result<SimHost, String>> = OnceLock::new();
/// Never emptied: a closed controller stays a controller, as in the real library.
static CONTROLLERS: Mutex<BTreeMap<usize, Arc<SimCore>>> = Mutex::new(BTreeMap::new());

/// Opens the store of a file prefix: the answer of `chat_migrate_init`, and the number of the controller for `ok`.
/// `wanted` says whether the caller takes a controller.
pub(crate) fn open(
    path: Option<&str>,
    key: Option<&str>,
    confirm: Option<&str>,
    wanted: bool,
) -> (String, Option<usize>) {
    let (Some(path), Some(key)) = (path, key) else {
        return (answer::error_sql("", "the path and the key must be UTF-8 texts"), None);
    };
    if !confirm.is_some_and(|confirm| CONFIRMATIONS.contains(&confirm)) {
        return (answer::invalid_confirmation(), None);
    }
    let host = match HOST.get_or_init(start) {
        Ok(host) => host,
        Err(reason) => return (answer::error_sql(path, reason), None),
    };
    if !wanted {
        return (answer::error_sql(path, "no place for the controller"), None);
    }
    match host.open(path, key) {
        Ok(core) => {
            let mut controllers = controllers();
            // Far from each other and from null, as addresses would be.
            let number = controllers.len().saturating_add(1).saturating_mul(16);
            controllers.insert(number, Arc::new(core));
            (answer::ok(), Some(number))
        }
        Err(error) => (not_opened(&error), None),
    }
}

/// Runs a command.
pub(crate) fn command(control: usize, line: Option<&str>) -> String {
    let Some(core) = find(control) else { return answer::store_error(UNKNOWN) };
    let Some(line) = line else { return answer::not_parsed() };
    core.command(line).unwrap_or_else(|reason| answer::store_error(&reason))
}

/// The next event, or an empty text.
pub(crate) fn receive(control: usize, wait: Duration) -> String {
    let received = find(control).ok_or_else(|| UNKNOWN.to_owned()).and_then(|core| core.receive(wait));
    match received {
        Ok(event) => event.unwrap_or_default(),
        Err(_) => {
            std::thread::sleep(wait.min(CLOSED_WAIT));
            String::new()
        }
    }
}

/// Closes a store: an empty text, or why not.
pub(crate) fn close(control: usize) -> String {
    match find(control) {
        Some(core) => core.close().err().unwrap_or_default(),
        None => UNKNOWN.to_owned(),
    }
}

/// Opens a closed store again: an empty text, or why not.
pub(crate) fn reopen(control: usize) -> String {
    match find(control) {
        Some(core) => core.reopen().err().map(|error| error.to_string()).unwrap_or_default(),
        None => UNKNOWN.to_owned(),
    }
}

fn controllers() -> MutexGuard<'static, BTreeMap<usize, Arc<SimCore>>> {
    CONTROLLERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(control: usize) -> Option<Arc<SimCore>> {
    controllers().get(&control).cloned()
}

/// The network of this process, as the environment describes it.
fn start() -> Result<SimHost, String> {
    let seed = match std::env::var("SIMPLEX_SIM_SEED") {
        Ok(text) => text.parse().map_err(|_| format!("SIMPLEX_SIM_SEED: a number expected, got {text}"))?,
        Err(_) => 1,
    };
    let scenario = match std::env::var_os("SIMPLEX_SIM_SCENARIO") {
        Some(path) => {
            let name =
                |error: &dyn std::fmt::Display| format!("SIMPLEX_SIM_SCENARIO: {}: {error}", path.display());
            let text = std::fs::read_to_string(&path).map_err(|error| name(&error))?;
            Scenario::parse(&text).map_err(|error| name(&error))?
        }
        None => unattended(),
    };
    Ok(SimHost::new(seed, &scenario))
}

fn not_opened(error: &SimOpenError) -> String {
    match error {
        SimOpenError::NotADatabase(path) => answer::not_a_database(&path.to_string_lossy()),
        SimOpenError::Later(path) => answer::later_database(&path.to_string_lossy()),
        SimOpenError::NotAFile(path) => answer::error_sql(&path.to_string_lossy(), "not a regular file"),
        SimOpenError::Io(path, reason) => answer::error_sql(&path.to_string_lossy(), reason),
    }
}
