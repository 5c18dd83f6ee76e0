//! The data folder, its files and its lock.

use std::path::Path;

use simplex_agent_adapters::files::Holder;
use simplex_agent_core::agent::text::entry;

use super::{Finding, Patient};

/// The files that hold secrets.
const PRIVATE: [&str; 3] = ["token", "headers.json", "state.json"];

pub(super) fn look(patient: &Patient) -> Vec<Finding> {
    let path = &patient.path;
    let shown = path.display();
    let serve = patient.serve.clone();
    let Ok(about) = path.symlink_metadata() else {
        return vec![Finding::Bad(format!("data folder: {shown} is not there"), serve)];
    };
    if !about.is_dir() {
        let moved = format!("mv {0} {0}.old", quoted(path));
        return vec![Finding::Bad(format!("data folder: {shown} is no folder"), moved)];
    }
    let mut findings = vec![private(path, &about, 0o700, "data folder")];
    match (&patient.info, patient.view.server_info()) {
        (Some(info), _) if info.name != patient.name => findings.push(Finding::Bad(
            format!("agent: {shown} is the folder of \"{}\"", info.name),
            format!("simplex-mcp doctor {}", info.name),
        )),
        (Some(_), _) => {}
        (None, Err(error)) => findings.push(Finding::Bad(
            format!("last start: {}", error.to_string().trim_end_matches('.')),
            format!("rm {} && {serve}", quoted(&path.join("server.json"))),
        )),
        (None, Ok(_)) => findings.push(Finding::Bad("last start: there was none".to_owned(), serve.clone())),
    }
    for name in PRIVATE {
        if let Ok(about) = path.join(name).symlink_metadata()
            && let bad @ Finding::Bad(..) = private(&path.join(name), &about, 0o600, name)
        {
            findings.push(bad);
        }
    }
    findings.push(token(patient));
    findings.push(match patient.holder {
        Holder::Process { pid: Some(pid), .. } => Finding::Good(format!("server: runs (PID {pid})")),
        Holder::Process { pid: None, .. } => Finding::Good("server: runs".to_owned()),
        Holder::Nobody => Finding::Bad("server: does not run".to_owned(), serve),
    });
    findings
}

fn token(patient: &Patient) -> Finding {
    let again = format!("{} --new-token", patient.serve);
    match patient.view.token() {
        Err(error) => Finding::Bad(format!("token: {}", error.to_string().trim_end_matches('.')), again),
        Ok(None) => Finding::Bad("token: there is none".to_owned(), again),
        Ok(Some(token)) => {
            let headers = patient.view.read("headers.json").ok().flatten().unwrap_or_default();
            if headers.contains(&format!("\"Bearer {}\"", token.reveal())) {
                Finding::Good("token: there, and in headers.json".to_owned())
            } else {
                let serve = format!("stop the server, then {}", patient.serve);
                Finding::Bad("token: headers.json has another one".to_owned(), serve)
            }
        }
    }
}

#[cfg(unix)]
fn private(path: &Path, about: &std::fs::Metadata, mode: u32, what: &str) -> Finding {
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
fn private(path: &Path, _: &std::fs::Metadata, _: u32, what: &str) -> Finding {
    Finding::Good(format!("{what}: {}", path.display()))
}

/// A path for the shell.
fn quoted(path: &Path) -> String {
    entry::path(&path.to_string_lossy())
}
