//! `serve --record FILE` and `replay FILE`.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use common::Home;
use common::server::{Running, call, free_port, serve};
use rustix::process::Signal;
use serde_json::json;

/// Runs a server that records a call and a stop; gives the home and the record's text.
fn recorded() -> (Home, String) {
    let home = Home::new();
    let port = free_port();
    let mut server = Running::start(&mut serve(&home, port, false, &["--record", "run.jsonl"]));
    server.until(&format!("Listening on http://127.0.0.1:{port}/mcp"));
    assert!(server.seen.contains(&"Recording to run.jsonl: it holds every message of this run.".to_owned()));
    let token = fs::read_to_string(home.data("my-agent").join("token")).unwrap();
    assert_eq!(call(port, &token, "list", &json!({}))["actions"], json!([]));
    assert_eq!(server.stop(Signal::TERM).code, Some(0));
    let text = fs::read_to_string(home.path().join("run.jsonl")).unwrap();
    assert!(!text.contains(&token), "the token is in the record");
    (home, text)
}

/// REC-01, REC-02, REC-05, REC-06: a run is recorded, printed and replayed byte for byte.
#[test]
fn a_recorded_run_replays() {
    let (home, text) = recorded();
    let mode = fs::metadata(home.path().join("run.jsonl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let readable = home.run(&["replay", "run.jsonl"]);
    assert_eq!((readable.code, readable.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = readable.stdout.lines().collect();
    assert!(lines[0].starts_with("# recorded by simplex-mcp "), "{lines:#?}");
    assert!(lines.contains(&"> legacy list {}"), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("call 1 result ")), "{lines:#?}");
    assert_eq!(lines[lines.len() - 3..], ["> stop", "log Stopped.", "exit 0"]);

    let effects = home.run(&["replay", "--effects", "run.jsonl"]);
    let recorded: String =
        text.lines().filter(|line| line.starts_with("{\"out\"")).map(|line| format!("{line}\n")).collect();
    assert_eq!((effects.code, effects.stdout), (Some(0), recorded));

    let commands = home.run(&["replay", "--commands", "run.jsonl"]);
    assert!(commands.stdout.lines().any(|line| line.starts_with("command /_start")), "{}", commands.stdout);
}

/// REC-02, REC-03: a record that was changed, cut off, or is none.
#[test]
fn damaged_records_are_named() {
    let (home, text) = recorded();
    let count = text.lines().count();
    for (name, text, code, said) in [
        (
            "changed",
            text.replace("{\"log\":\"Stopped.\"}", "{\"log\":\"Started.\"}"),
            1,
            ": the effects differ: recorded {\"out\":{\"log\":\"Started.\"}}, replayed {\"out\":{\"log\":\"Stopped.\"}}",
        ),
        (
            "cut",
            text[..text.len() - 5].to_owned(),
            0,
            &*format!("line {count} was cut off while it was written."),
        ),
        ("empty", String::new(), 1, "the file is empty; it is no record."),
        ("other", "hello\n".to_owned(), 1, "it is no line of a record"),
    ] {
        fs::write(home.path().join(name), text).unwrap();
        let ended = home.run(&["replay", name]);
        assert_eq!(ended.code, Some(code), "{name}: {}", ended.stderr);
        assert!(ended.stderr.starts_with(name) && ended.stderr.contains(said), "{}", ended.stderr);
        assert_eq!(ended.stderr.lines().count(), 1);
    }
    fs::write(home.path().join("bytes"), b"\x7fELF\xff\n").unwrap();
    assert_eq!(home.run(&["replay", "bytes"]).line(1), "bytes: it is no UTF-8 text; the file is no record");
    let missing = home.run(&["replay", "nowhere"]);
    assert!(missing.line(1).starts_with("nowhere: "), "{}", missing.stderr);
}

/// REC-07: nothing is waited for, and nothing without an end is read.
#[test]
fn what_is_no_file_is_refused() {
    let home = Home::new();
    let folder = home.path();
    let mkfifo = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
    assert!(mkfifo.success());
    fs::create_dir(folder.join("folder")).unwrap();
    std::os::unix::fs::symlink("pipe", folder.join("link")).unwrap();
    for name in ["pipe", "folder", "link", "/dev/zero"] {
        let said = format!("{name}: not a regular file. Name a file that serve --record wrote.");
        assert_eq!(home.run(&["replay", name]).line(1), said);
    }
    fs::write(folder.join("empty"), "").unwrap();
    std::os::unix::fs::symlink("empty", folder.join("linked")).unwrap();
    assert_eq!(home.run(&["replay", "linked"]).line(1), "linked: the file is empty; it is no record.");
}

/// REC-01: a record is never overwritten.
#[test]
fn a_record_is_never_overwritten() {
    let home = Home::new();
    fs::write(home.path().join("run.jsonl"), "kept").unwrap();
    let ended = home.run(&["serve", "my-agent", "--core", "sim", "--record", "run.jsonl"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.starts_with("--record: run.jsonl: ")
            && ended.stderr.ends_with(" A record is never overwritten: name a new file.\n"),
        "{}",
        ended.stderr
    );
    assert_eq!(fs::read_to_string(home.path().join("run.jsonl")).unwrap(), "kept");
}
