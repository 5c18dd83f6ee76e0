//! The data folder, its last start and its lock.

use std::io;

use simplex_agent_adapters::files::Holder;

use super::files::{self, quoted};
use super::{Finding, Patient};
use crate::place;

pub(super) fn look(patient: &Patient) -> Vec<Finding> {
    let path = &patient.path;
    let shown = path.display();
    let about = match path.symlink_metadata() {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return vec![files::denied("data folder", path, &error)];
        }
        Err(_) => {
            return vec![Finding::Bad(format!("data folder: {shown} is not there"), patient.serve(""))];
        }
    };
    if !about.is_dir() {
        let moved = format!("mv {0} {0}.old", quoted(path));
        return vec![Finding::Bad(format!("data folder: {shown} is no folder"), moved)];
    }
    let mut findings = vec![files::private(patient, path, &about, 0o700, "data folder")];
    // Each other remedy is for who runs the server.
    if patient.is_foreign() {
        return findings;
    }
    if let Err(error) = path.read_dir() {
        return vec![files::denied("data folder", path, &error)];
    }
    if let Some(other) = patient.other() {
        findings.push(Finding::Bad(
            format!("agent: {shown} is the folder of \"{other}\""),
            format!("simplex-mcp doctor {other}{}", place::data_option(path, Some(path))),
        ));
        return findings;
    }
    findings.extend(files::look(patient));
    if is_first_start(patient) {
        // The files are still being made.
        findings.push(starting(patient));
        return findings;
    }
    findings.extend(last_start(patient));
    findings.extend(files::token(patient));
    findings.extend(server(patient));
    findings
}

/// What is wrong with the record of the last start.
fn last_start(patient: &Patient) -> Option<Finding> {
    let path = &patient.path;
    match (&patient.info, patient.view.server_info()) {
        (Some(_), _) => None,
        _ if files::is_told(patient, "server.json") => None,
        (None, Err(error)) => Some(Finding::Bad(
            format!("last start: {}", error.what()),
            patient.stopped(&format!("rm {} && {}", quoted(&path.join("server.json")), patient.serve(""))),
        )),
        // The port is told, with the same remedy.
        (None, Ok(_)) if patient.is_taken => None,
        (None, Ok(_)) => {
            let mend = patient.stopped(&patient.serve(""));
            Some(Finding::Bad("last start: there was none that came to listen".to_owned(), mend))
        }
    }
}

/// Whether a first start is under way: the folder is held, and nobody has written yet where it listens.
fn is_first_start(patient: &Patient) -> bool {
    let is_starting = matches!(patient.holder, Ok(Holder::Process { port: None, .. }));
    is_starting && matches!(patient.view.server_info(), Ok(None))
}

/// A server that holds the folder and does not listen.
pub(super) fn starting(patient: &Patient) -> Finding {
    Finding::Bad("server: starts, and does not listen yet".to_owned(), patient.wait())
}

fn server(patient: &Patient) -> Option<Finding> {
    Some(match &patient.holder {
        // What is no file, or can't be read, was told.
        Err(_) if files::is_told(patient, "lock") => return None,
        Err(error) => Finding::Bad(format!("lock: {}", error.what()), patient.stopped(&patient.serve(""))),
        Ok(Holder::Process { pid: Some(pid), .. }) => Finding::Good(format!("server: runs (PID {pid})")),
        Ok(Holder::Process { pid: None, .. }) => Finding::Bad(
            format!(
                "lock: {} is damaged: a server holds it, and it does not say which",
                patient.path.join("lock").display()
            ),
            patient.stopped(&patient.serve("")),
        ),
        // One remedy for both: a start on this port fails.
        Ok(Holder::Nobody) if patient.is_taken => Finding::Bad(
            format!("port: {} is another program's, and the server does not run", patient.port()),
            patient.serve(""),
        ),
        // The last start was told, with the same remedy.
        Ok(Holder::Nobody) if patient.info.is_none() => return None,
        Ok(Holder::Nobody) => Finding::Bad("server: does not run".to_owned(), patient.serve("")),
    })
}
