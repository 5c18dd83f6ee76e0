//! Where the agent is registered. Files of hosts are only read; Claude Code is asked by its own command.

use std::fs;
use std::path::{Path, PathBuf};

use simplex_agent_core::agent::text::host::Host;

use super::{Finding, Patient};
use crate::claude::{Claude, Trouble};
use crate::place;

pub(super) fn look(patient: &Patient) -> Vec<Finding> {
    let server = format!("simplex-{}", patient.name);
    let mut findings: Vec<Finding> = claude(patient, &server).into_iter().collect();
    let home = std::env::home_dir().unwrap_or_default();
    let mut starts = false;
    for (host, file) in files(&home) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        // As a key of JSON, or as a table of TOML.
        if text.contains(&format!("\"{server}\"")) || text.contains(&format!("[mcp_servers.{server}]")) {
            starts = true;
            findings.push(Finding::Good(format!("{}: registered in {}", host.title(), file.display())));
        }
    }
    if starts && place::on_path("simplex-mcp").is_none() {
        let exe = std::env::current_exe().map(|exe| exe.display().to_string()).unwrap_or_default();
        let mend = format!("write {exe} as the command of these entries");
        findings.push(Finding::Bad("hosts: simplex-mcp is not on the PATH".to_owned(), mend));
    }
    if findings.is_empty() {
        // A client of one's own needs no entry.
        let print = if place::on_path("claude").is_some() { "" } else { " --print generic" };
        findings.push(Finding::Note(format!(
            "hosts: none has the agent. Add it: simplex-mcp register {}{print}",
            patient.agent
        )));
    }
    findings
}

/// What Claude Code says of the entry; none when it has none, or is not there.
fn claude(patient: &Patient, server: &str) -> Option<Finding> {
    let said = match Claude::find()?.get(server) {
        Ok(said) => said,
        Err(late @ Trouble::Late(_)) => {
            return Some(Finding::Bad(
                format!("Claude Code: {}", late.text()),
                format!("claude mcp get {server}"),
            ));
        }
        Err(Trouble::Failed(_)) => return None,
    };
    let url = format!("http://127.0.0.1:{}/mcp", patient.info.as_ref()?.port);
    let register = format!("simplex-mcp register {}", patient.agent);
    Some(if said.split_whitespace().any(|word| word == url) {
        Finding::Good(format!("Claude Code: registered for {url}"))
    } else {
        Finding::Bad("Claude Code: registered for another port".to_owned(), register)
    })
}

/// The files of the other hosts, of the person and of the current folder.
fn files(home: &Path) -> Vec<(Host, PathBuf)> {
    let code =
        if cfg!(target_vendor = "apple") { "Library/Application Support/Code" } else { ".config/Code" };
    let here = std::env::current_dir().unwrap_or_default();
    let mut files = vec![
        (Host::Cursor, home.join(".cursor/mcp.json")),
        (Host::VsCode, home.join(code).join("User/mcp.json")),
        (Host::Codex, home.join(".codex/config.toml")),
        (Host::Gemini, home.join(".gemini/settings.json")),
    ];
    if here != home {
        files.extend([
            (Host::Cursor, here.join(".cursor/mcp.json")),
            (Host::VsCode, here.join(".vscode/mcp.json")),
            (Host::Gemini, here.join(".gemini/settings.json")),
        ]);
    }
    files
}
