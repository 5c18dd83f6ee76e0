//! The files of the data folder: that each is one, that nobody else reads it, and what is in it.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use serde_json::Value;
use simplex_agent_adapters::files::Unusable;
use simplex_agent_core::agent;
use simplex_agent_core::agent::text::entry;
use simplex_sim::Network;

use super::{Finding, Patient};

/// The store of the simulator.
pub(super) const SIMULATION: &str = "simplex_sim.json";

/// Those of the program, and whether they hold a secret.
const FILES: [(&str, bool); 8] = [
    ("token", true),
    ("headers.json", true),
    ("state.json", true),
    (SIMULATION, true),
    ("server.json", false),
    ("options.json", false),
    ("serve.log", false),
    ("lock", false),
];

/// What mends what only another user may read; the words of `register` and `stdio`.
const RUN_AS: &str = "Run this as the user who runs the server.";

/// What is wrong with them.
pub(super) fn look(patient: &Patient) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, is_secret) in FILES {
        let path = patient.path.join(name);
        let about = match path.symlink_metadata() {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                findings.push(denied(name, &path, &error));
                continue;
            }
            Err(_) => continue,
        };
        if !about.is_file() {
            let what = format!("{name}: {} is {}, not a file", path.display(), kind(&about));
            findings.push(Finding::Bad(what, aside(&path)));
        } else if let Err(error) = File::open(&path) {
            findings.push(denied(name, &path, &error));
        } else if is_secret && let bad @ Finding::Bad(..) = private(patient, &path, &about, 0o600, name) {
            findings.push(bad);
        }
    }
    findings.extend(state(patient));
    findings.extend(simulation(patient));
    findings
}

/// Whether something that is no file stands in its place, which [`look`] tells.
fn is_none(patient: &Patient, name: &str) -> bool {
    patient.path.join(name).symlink_metadata().is_ok_and(|about| !about.is_file())
}

/// Whether [`look`] tells that a file is none or can't be read, so that what is in it is no further fault.
pub(super) fn is_told(patient: &Patient, name: &str) -> bool {
    let path = patient.path.join(name);
    is_none(patient, name) || File::open(path).is_err_and(|error| error.kind() != io::ErrorKind::NotFound)
}

/// What can't be read by who looks. It may be as it should be: nothing is to be moved or made anew.
pub(super) fn denied(what: &str, path: &Path, error: &io::Error) -> Finding {
    Finding::Bad(format!("{what}: {} can't be read: {error}", path.display()), RUN_AS.to_owned())
}

/// The token, and its copy for the hosts.
pub(super) fn token(patient: &Patient) -> Option<Finding> {
    if is_told(patient, "token") {
        return None;
    }
    let again = patient.stopped(&patient.serve("--new-token"));
    Some(match patient.view.token() {
        Err(error) => Finding::Bad(format!("token: {}", error.what()), again),
        Ok(None) => Finding::Bad("token: there is none".to_owned(), again),
        Ok(Some(token)) => {
            let headers = patient.view.read("headers.json").ok().flatten().unwrap_or_default();
            if is_told(patient, "headers.json") {
                Finding::Good("token: there".to_owned())
            } else if headers.contains(&format!("\"Bearer {}\"", token.reveal())) {
                Finding::Good("token: there, and in headers.json".to_owned())
            } else {
                let mend = patient.stopped(&patient.serve(""));
                Finding::Bad("token: headers.json has another one".to_owned(), mend)
            }
        }
    })
}

/// The command that moves something out of the way.
fn aside(path: &Path) -> String {
    let path = quoted(path);
    format!("mv {path} {path}.old")
}

/// What is wrong with `state.json`. Without it the server finds its control chat all the same.
fn state(patient: &Patient) -> Option<Finding> {
    if is_told(patient, "state.json") {
        return None;
    }
    let reason = match patient.view.read("state.json") {
        Ok(text) => agent::damage(&text?)
            .map(|reason| format!("{} is damaged ({reason})", patient.path.join("state.json").display())),
        Err(error) => Some(Unusable::what(&error)),
    };
    let mend = format!("{} && {}", aside(&patient.path.join("state.json")), patient.serve(""));
    reason.map(|reason| Finding::Bad(format!("state.json: {reason}"), patient.stopped(&mend)))
}

/// What is wrong with the store of the simulator, when the agent is on it.
fn simulation(patient: &Patient) -> Option<Finding> {
    let path = patient.path.join(SIMULATION);
    if !patient.is_simulated() || is_told(patient, SIMULATION) {
        return None;
    }
    let is_good = match fs::read_to_string(&path) {
        Ok(text) => is_network(&text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => false,
        // It is gone, or another trouble than damage.
        Err(_) => true,
    };
    let mend = format!("{} && {}", aside(&path), patient.serve(""));
    let what = format!("{SIMULATION}: {} is damaged", path.display());
    (!is_good).then(|| Finding::Bad(what, patient.stopped(&mend)))
}

/// Whether a start takes it, as far as its network tells: the member of that name is what the simulator saved.
fn is_network(text: &str) -> bool {
    let saved: Option<Value> = serde_json::from_str(text).ok();
    let network = saved.as_ref().and_then(|saved| saved.get("network")?.as_str());
    network.is_some_and(|network| Network::restore(network).is_ok())
}

fn kind(about: &fs::Metadata) -> &'static str {
    if about.is_symlink() {
        "a symbolic link"
    } else if about.is_dir() {
        "a folder"
    } else {
        "a pipe or a device"
    }
}

/// Whether others may read it.
#[cfg(unix)]
pub(super) fn private(
    patient: &Patient,
    path: &Path,
    about: &fs::Metadata,
    mode: u32,
    what: &str,
) -> Finding {
    use std::os::unix::fs::MetadataExt;
    let shown = path.display();
    let is = about.mode() & 0o7777;
    if is_foreign(about) {
        return Finding::Bad(format!("{what}: {shown} belongs to another user"), RUN_AS.to_owned());
    }
    // What the owner may do, and what a folder hands down, gives others nothing.
    if is & 0o077 != 0 {
        let mend = if is_read_only(patient) {
            "mount it for writing: it is mounted read-only, and no mode can be changed".to_owned()
        } else {
            format!("chmod {mode:o} {}", quoted(path))
        };
        return Finding::Bad(format!("{what}: {shown} has mode {is:04o}, others may read it"), mend);
    }
    Finding::Good(format!("{what}: {shown}"))
}

/// Whether it is not of the user whose home folder this is.
#[cfg(unix)]
pub(super) fn is_foreign(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = std::env::home_dir().and_then(|home| home.metadata().ok());
    own.is_some_and(|own| own.uid() != about.uid())
}

#[cfg(not(unix))]
pub(super) fn is_foreign(_: &fs::Metadata) -> bool {
    false
}

/// Whether the data folder is mounted read-only, as far as its files show: one that is opened to write, and not
/// written, does not change.
#[cfg(unix)]
fn is_read_only(patient: &Patient) -> bool {
    FILES.iter().map(|(name, _)| patient.path.join(name)).any(|path| {
        path.symlink_metadata().is_ok_and(|about| about.is_file())
            && File::options()
                .write(true)
                .open(path)
                .is_err_and(|error| error.kind() == io::ErrorKind::ReadOnlyFilesystem)
    })
}

#[cfg(not(unix))]
pub(super) fn private(_: &Patient, path: &Path, _: &fs::Metadata, _: u32, what: &str) -> Finding {
    Finding::Good(format!("{what}: {}", path.display()))
}

/// A path for the shell.
pub(super) fn quoted(path: &Path) -> String {
    entry::path(&path.to_string_lossy())
}
