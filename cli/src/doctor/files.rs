//! The files of the data folder: that each is one, that nobody else reads it, and what is in it.

use std::path::Path;

use simplex_agent_adapters::files::Unusable;
use simplex_agent_core::agent;
use simplex_agent_core::agent::text::entry;

use super::{Finding, Patient};

/// Those of the program, and whether they hold a secret.
const FILES: [(&str, bool); 7] = [
    ("token", true),
    ("headers.json", true),
    ("state.json", true),
    ("server.json", false),
    ("options.json", false),
    ("serve.log", false),
    ("lock", false),
];

/// What is wrong with them.
pub(super) fn look(patient: &Patient) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, is_secret) in FILES {
        let path = patient.path.join(name);
        let Ok(about) = path.symlink_metadata() else { continue };
        if !about.is_file() {
            let what = format!("{name}: {} is {}, not a file", path.display(), kind(&about));
            findings.push(Finding::Bad(what, aside(&path)));
        } else if is_secret && let bad @ Finding::Bad(..) = private(&path, &about, 0o600, name) {
            findings.push(bad);
        }
    }
    findings.extend(state(patient));
    findings
}

/// Whether something that is no file stands in its place, which [`look`] tells.
pub(super) fn is_none(patient: &Patient, name: &str) -> bool {
    patient.path.join(name).symlink_metadata().is_ok_and(|about| !about.is_file())
}

/// The token, and its copy for the hosts.
pub(super) fn token(patient: &Patient) -> Option<Finding> {
    if is_none(patient, "token") {
        return None;
    }
    let again = patient.stopped(&patient.serve("--new-token"));
    Some(match patient.view.token() {
        Err(error) => Finding::Bad(format!("token: {}", error.what()), again),
        Ok(None) => Finding::Bad("token: there is none".to_owned(), again),
        Ok(Some(token)) => {
            let headers = patient.view.read("headers.json").ok().flatten().unwrap_or_default();
            if headers.contains(&format!("\"Bearer {}\"", token.reveal())) {
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
    if is_none(patient, "state.json") {
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

fn kind(about: &std::fs::Metadata) -> &'static str {
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
pub(super) fn private(path: &Path, about: &std::fs::Metadata, mode: u32, what: &str) -> Finding {
    use std::os::unix::fs::MetadataExt;
    let shown = path.display();
    let (is, own) = (about.mode() & 0o7777, std::env::home_dir().and_then(|home| home.metadata().ok()));
    if own.is_some_and(|own| own.uid() != about.uid()) {
        let mend = format!("chown \"$(id -u)\" {}", quoted(path));
        return Finding::Bad(format!("{what}: {shown} belongs to another user"), mend);
    }
    if is != mode {
        let mend = format!("chmod {mode:o} {}", quoted(path));
        return Finding::Bad(format!("{what}: {shown} has mode {is:04o}, others may read it"), mend);
    }
    Finding::Good(format!("{what}: {shown}"))
}

#[cfg(not(unix))]
pub(super) fn private(path: &Path, _: &std::fs::Metadata, _: u32, what: &str) -> Finding {
    Finding::Good(format!("{what}: {}", path.display()))
}

/// A path for the shell.
pub(super) fn quoted(path: &Path) -> String {
    entry::path(&path.to_string_lossy())
}
