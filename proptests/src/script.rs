//! Text scripts of the whole system: what is done, and everything that can be seen of it.
//!
//! A script is a text file. Lines that begin with `> ` do something; the lines below are what is then seen, in order,
//! and [`run`] gives the same text with what was really seen. Lines that begin with `#` are comments and name the
//! requirements that the script proves. `UPDATE_SCRIPTS=1 cargo test -p simplex-proptests --test scripts` writes what
//! was seen into the files; read the difference before you keep it.
//!
//! | line | does |
//! |---|---|
//! | `> scenario NAME` | the scenario file `tests/scenarios/NAME.json`, or the built-in `demo`; first line |
//! | `> config {"owners":…}` | members of the agent's configuration, merged; before `start`, or between two starts |
//! | `> seed N` | the network's seed; default 1 |
//! | `> start` | starts the process and lets everything settle |
//! | `> start now` | starts it and lets nothing happen |
//! | `> settle` / `> run 5s` | lets time pass: until nothing is due within a second, or this long (`ms`, `s`, `m`, `h`) |
//! | `> call TOOL {JSON}` | a tool call of a client of 2026-07-28 with a progress token, then settles |
//! | `> calls N TOOL {JSON}` | the same N times at one moment |
//! | `> legacy TOOL {JSON}` | a tool call of a legacy client |
//! | `> http {HEADERS} BODY` | posts a body as it stands, with these headers beside the usual ones; then settles |
//! | `> hang up N` | the client of call N leaves |
//! | `> Alice: TEXT` | Alice writes TEXT in the agent's control chat (`\n` is a line break), then settles |
//! | `> Alice now: TEXT` | the same, and lets nothing happen |
//! | `> act Alice {ACT}` | any act of `simplex_sim::Act`, then settles; `$last` is the number of Alice's last own message |
//! | `> act now Alice {ACT}` | the same, and lets nothing happen |
//! | `> fault {FAULT}` | any fault of `simplex_sim::Fault`, or `{"disk":"REASON"}`, `{"disk":null}`, `{"port":true}`, `{"clientsStall":true}`, `{"eventsTaken":N}` (another client of the core takes the next N events) |
//! | `> inject RAW` | an event of the SimpleX core as raw JSON |
//! | `> name @shop.simplex LINK` | the name stands for the link from here on |
//! | `> stop` / `> stop now` / `> kill` | SIGTERM and what follows, SIGTERM alone, or the process dies |
//! | `> wall clock +2h` | the wall clock jumps |
//! | `> show commands PREFIX…` | from here on commands that begin so are seen; `all`, `none` |
//! | `> show NAME` | what the person NAME sees in each chat |
//! | `> disk` | the files of the data folder |
//! | `> disk {JSON}` | `state.json` is this from now on |
//! | `> lose disk` | these files are gone; the SimpleX store stays |
//! | `> lose core REASON` | the SimpleX core ends by itself |
//! | `> quietly LINE` | does any of these and passes over what is seen of it |
//!
//! Seen are: `log LINE` (stdout), `err LINE` (stderr), `post N` and `edit N` (messages of the agent in the control chat,
//! and of its other members, as the first person in it sees them), `gone N` (deleted), `call N progress TEXT`, `call N result {JSON}`, `call N error TEXT`,
//! `call N refused {JSON}` (a JSON-RPC error with HTTP 200), `call N status S BODY` (other answers), `command LINE`, `exit CODE`. Links of the scenario read `$name`,
//! their full forms `$name.full`.
//!
//! `SCRIPTS=connect` checks only the files whose path contains that word.

mod act;
mod seen;

use std::fs;
use std::path::Path;

use simplex_agent_core::record::{Fault, Replay};
use simplex_sim::Scenario;

use crate::oracle::judge;
use crate::trace::{Property, Trace, Violation};
use crate::world::{World, config};

/// A script being run.
pub struct Script {
    world: World,
    scenario: Scenario,
    seed: u64,
    config: serde_json::Value,
    started: bool,
    shown: seen::Shown,
}

impl Script {
    fn new() -> Self {
        let scenario = Scenario::demo();
        Self {
            world: World::new(1, config(), &scenario),
            scenario,
            seed: 1,
            config: serde_json::to_value(config()).expect("the configuration serialises"),
            started: false,
            shown: seen::Shown::default(),
        }
    }

    /// Does a line; gives what is then seen.
    fn line(&mut self, command: &str, folder: &Path) -> Vec<String> {
        let (command, quiet) = match command.strip_prefix("quietly ") {
            Some(command) => (command, true),
            None => (command, false),
        };
        let refused = self.act(command, folder).err().map(|reason| format!("refused {reason}"));
        let seen = self.see();
        refused.into_iter().chain(seen.into_iter().filter(|_| !quiet)).collect()
    }

    /// What the agent posted in any of its processes and must not have: what can be tapped and was not meant (P4), and
    /// what is too large (P5).
    fn misposted(&self) -> Vec<Violation> {
        let seam = self.world.seam.clone();
        let config = self.world.config().clone();
        let found = judge(&Trace { config, seam, deeds: Vec::new(), received: Vec::new(), left: Vec::new() });
        let posts = |violation: &Violation| matches!(violation.property, Property::P4 | Property::P5);
        found.into_iter().filter(posts).collect()
    }

    /// The record of the last process gives the same effects byte for byte; as a person reads it.
    fn replays(&self, every_command: bool) -> Vec<String> {
        let mut replay = Replay::new(every_command);
        let mut lines = Vec::new();
        for line in self.world.record() {
            match replay.take(&line.text()) {
                Ok(step) => lines.extend(step.lines),
                Err(Fault { line, reason }) => panic!("line {line} of the record does not replay: {reason}"),
            }
        }
        lines
    }
}

/// Runs a script; gives its text with what was seen.
///
/// # Panics
///
/// When the record of its last process does not replay (REC-02), or when something was posted in which more can be
/// tapped than was meant, as the markdown parser has it (P4), or that is too large (P5).
pub fn run(script: &str, folder: &Path) -> String {
    let mut running = Script::new();
    let mut text = String::new();
    for line in script.lines() {
        if let Some(command) = line.strip_prefix("> ") {
            text.push_str(line);
            text.push('\n');
            for seen in running.line(command, folder) {
                text.push_str(&seen);
                text.push('\n');
            }
        } else if line.starts_with('#') || line.is_empty() {
            text.push_str(line);
            text.push('\n');
        }
    }
    running.replays(true);
    let found = running.misposted();
    assert!(found.is_empty(), "{text}{found:?}");
    text
}

/// Runs a script; gives what `replay` prints of the record of its last process.
///
/// # Panics
///
/// As [`run`].
pub fn record(script: &str, folder: &Path) -> String {
    let mut running = Script::new();
    for command in script.lines().filter_map(|line| line.strip_prefix("> ")) {
        running.line(command, folder);
    }
    running.replays(false).iter().map(|line| format!("{line}\n")).collect()
}

/// Checks every `*.txt` below a folder; writes what was seen instead when `UPDATE_SCRIPTS` is set. With `SCRIPTS=PART`
/// only the files whose path contains PART.
///
/// # Panics
///
/// When a script does not give what it says; the message shows the first difference.
pub fn check_all(folder: &Path) -> usize {
    let update = std::env::var_os("UPDATE_SCRIPTS").is_some();
    let part = std::env::var("SCRIPTS").unwrap_or_default();
    let mut checked = 0;
    let mut wrong = Vec::new();
    for path in scripts(folder).into_iter().filter(|path| path.to_string_lossy().contains(&part)) {
        let script = fs::read_to_string(&path).expect("a script is readable");
        let seen = run(&script, folder);
        checked += 1;
        if seen == script {
            continue;
        }
        if update {
            fs::write(&path, seen).expect("a script is writable");
        } else {
            wrong.push(difference(&path, &script, &seen));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    checked
}

fn scripts(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(scripts(&path));
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The first line that differs, with what comes before it.
fn difference(path: &Path, script: &str, seen: &str) -> String {
    let at = script.lines().zip(seen.lines()).take_while(|(a, b)| a == b).count();
    let line = |text: &str| text.lines().nth(at).unwrap_or("(the end)").to_owned();
    let before = script.lines().take(at).filter(|line| line.starts_with("> ")).last().unwrap_or_default();
    format!(
        "{}:{}: after `{before}`\n  expected {}\n  seen     {}",
        path.display(),
        at + 1,
        line(script),
        line(seen)
    )
}
