//! The simulator as a SimpleX core: its clock, its file, its calls that block.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use common::TempDir;
use simplex_agent_adapters::driver::Inbox;
use simplex_agent_adapters::simplex::sim::{SimCore, SimHost};
use simplex_agent_adapters::simplex::{Blocking, Pooled, SimplexCore};
use simplex_agent_core::Input;
use simplex_agent_core::effect::Outcome;
use simplex_agent_core::id::OpId;
use simplex_sim::Scenario;

const CREATE: &str = r#"/_create user {"profile":{"displayName":"my-agent","fullName":"","peerType":"bot"},"pastTimestamp":false}"#;

fn open(temp: &TempDir) -> (SimHost, SimCore, String) {
    let prefix = temp.path().join("simplex").to_str().unwrap().to_owned();
    let host = SimHost::new(7, &Scenario::demo());
    let core = host.open(&prefix, "").unwrap();
    (host, core, prefix)
}

#[test]
fn the_driver_side_gets_responses_events_and_the_close() {
    let temp = TempDir::new();
    let (_host, core, _) = open(&temp);
    let (inbox, inputs) = Inbox::new();
    let mut core = Pooled::start(core, inbox);
    core.send(OpId::new(1), "/user".to_owned());
    let Input::Done { op, result: Outcome::Response(text) } = inputs.recv_blocking().unwrap() else {
        panic!()
    };
    assert_eq!(op, OpId::new(1));
    assert!(text.contains("noActiveUser"), "{text}");
    core.close(OpId::new(2));
    assert_eq!(inputs.recv_blocking().unwrap(), Input::Done { op: OpId::new(2), result: Outcome::Ok });
}

/// SIM-06: what was answered is on disk before the answer is seen, whatever happens to the process then.
#[test]
fn what_was_answered_survives_a_kill() {
    let temp = TempDir::new();
    let (host, core, prefix) = open(&temp);
    let created = core.command(CREATE).unwrap();
    let saved = fs::read(format!("{prefix}_sim.json")).unwrap();
    // No close: the process "dies" with its store open.
    std::mem::forget((host, core));
    fs::write(format!("{prefix}_sim.json"), saved).unwrap();
    let (_host, core, _) = open(&temp);
    assert_eq!(core.command("/user").unwrap(), created);
}

/// SIM-37: a copy of the folder is a backup.
#[test]
fn a_file_that_was_moved_is_found_where_it_is() {
    let (temp, other) = (TempDir::new(), TempDir::new());
    let (_host, core, prefix) = open(&temp);
    let created = core.command(CREATE).unwrap();
    core.close().unwrap();
    fs::copy(format!("{prefix}_sim.json"), other.path().join("simplex_sim.json")).unwrap();
    for folder in [&other, &temp] {
        let (_host, core, _) = open(folder);
        assert_eq!(core.command("/user").unwrap(), created);
        core.close().unwrap();
    }
}

#[test]
fn a_store_is_closed_and_opened_again_in_one_process() {
    let temp = TempDir::new();
    let (_host, core, _) = open(&temp);
    let created = core.command(CREATE).unwrap();
    core.close().unwrap();
    core.close().unwrap();
    assert_eq!(core.command("/user"), Err("the store is closed".to_owned()));
    assert!(core.receive(Duration::ZERO).is_err());
    core.reopen().unwrap();
    assert_eq!(core.command("/user").unwrap(), created);
}

#[test]
fn receiving_waits_as_long_as_it_is_told_and_ends_with_the_store() {
    let temp = TempDir::new();
    let (_host, core, _) = open(&temp);
    while core.receive(Duration::ZERO).unwrap().is_some() {}
    let began = Instant::now();
    assert_eq!(core.receive(Duration::from_millis(120)).unwrap(), None);
    assert!(began.elapsed() >= Duration::from_millis(120));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| core.receive(Duration::MAX));
        thread::sleep(Duration::from_millis(50));
        core.close().unwrap();
        assert_eq!(waiting.join().unwrap(), Err("the store is closed".to_owned()));
    });
}

#[test]
fn a_file_that_is_not_ours_is_named_and_kept() {
    let temp = TempDir::new();
    let prefix = temp.path().join("simplex").to_str().unwrap().to_owned();
    let path = format!("{prefix}_sim.json");
    for text in
        [&b"no json"[..], b"\xff", b"{}", b"", br#"{"version":9,"key":"","mono":0,"open":[],"network":""}"#]
    {
        fs::write(&path, text).unwrap();
        let error = SimHost::new(1, &Scenario::demo()).open(&prefix, "").unwrap_err().to_string();
        assert!(error.starts_with(&path), "{error}");
        assert_eq!(fs::read(&path).unwrap(), text);
    }
    fs::remove_file(&path).unwrap();
    let core = SimHost::new(1, &Scenario::demo()).open(&prefix, "secret").unwrap();
    core.close().unwrap();
    assert!(SimHost::new(1, &Scenario::demo()).open(&prefix, "").is_err(), "opened without its passphrase");
    SimHost::new(1, &Scenario::demo()).open(&prefix, "secret").unwrap();
}

#[test]
fn a_folder_that_is_not_there_is_an_error_at_once() {
    let error = SimHost::new(1, &Scenario::demo()).open("/nowhere/simplex", "").unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/simplex_sim.json can't be written: "), "{error}");
}

/// A store whose file cannot be written is told nothing more; another one of the network goes on.
#[test]
fn a_store_without_its_file_fails_alone() {
    let temp = TempDir::new();
    let (host, core, _) = open(&temp);
    let lost = temp.path().join("lost");
    fs::create_dir(&lost).unwrap();
    let other = host.open(lost.join("simplex").to_str().unwrap(), "").unwrap();
    fs::remove_dir_all(&lost).unwrap();
    // Opening a third one saves the network for each.
    host.open(temp.path().join("third").to_str().unwrap(), "").unwrap();
    let error = other.command("/user").unwrap_err();
    let file = lost.join("simplex_sim.json");
    assert!(error.starts_with(&format!("{} can't be written: ", file.display())), "{error}");
    assert!(other.receive(Duration::ZERO).is_err());
    core.command("/user").unwrap();
}
