//! `demo`, without a terminal and on one.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::server::post;
use common::{Ended, Home};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::json;

/// The demo, with the home folder as the place of its temporary one.
fn demo(home: &Home) -> Command {
    let mut command = home.command(&["demo"]);
    command.env("TMPDIR", home.path());
    command
}

/// CLI-33: the session is played to its end, both sides are shown, and nothing is left.
#[test]
fn without_a_terminal() {
    let home = Home::new();
    let start = Instant::now();
    let ended = Ended::of(&demo(&home).output().unwrap());
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{}", ended.stdout);
    let mut rest = ended.stdout.as_str();
    for line in [
        " server  Listening on http://127.0.0.1:",
        "  alice  sees from My Agent:",
        "  agent  gets connect, send, receive, list, leave",
        "  agent  calls connect {",
        "           I want to connect to bot SimpleX Directory, as myself.",
        "           [/approve 1] or [/reject 1]",
        "  alice  taps /approve 1",
        "           Approved by Alice.",
        "status done",
        "  agent  calls send {\"chat\":\"@4\"",
        "           [/approve @4 2], [/approve @4 all] or [/reject @4 2]",
        "           Approved by Alice.",
        "SimpleX Directory: Found 2 group(s).",
        "  alice  taps /reject @4 3",
        " server  Stopped.",
    ] {
        let at = rest.find(line).unwrap_or_else(|| panic!("{line:?} is not in {rest}"));
        rest = &rest[at + line.len()..];
    }
    assert!(ended.stdout.contains("\n           Rejected by Alice.\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("action 3, status rejected"), "{}", ended.stdout);
    assert_eq!(home.files(), Vec::<String>::new());
}

/// CLI-33: what keeps it from playing is one line, and the exit code 1.
#[test]
fn without_a_folder() {
    let home = Home::new();
    let ended = Ended::of(&demo(&home).env("TMPDIR", home.path().join("missing")).output().unwrap());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("missing") && ended.stderr.ends_with("Set TMPDIR.\n"), "{ended:?}");
    assert_eq!(ended.stderr.lines().count(), 1);
}

/// The demo on a terminal: its process, the keyboard, and what waits for a line with a text.
fn terminal(home: &Home) -> (Child, fs::File, impl FnMut(&str) -> String) {
    let pty = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&pty).unwrap();
    unlockpt(&pty).unwrap();
    let name = ptsname(&pty, Vec::new()).unwrap().into_string().unwrap();
    let terminal = fs::File::options().read(true).write(true).open(name).unwrap();
    let keyboard = fs::File::from(pty.as_fd().try_clone_to_owned().unwrap());
    let mut command = demo(home);
    command.stdin(terminal.try_clone().unwrap()).stdout(terminal).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    drop(command);
    let mut lines = BufReader::new(fs::File::from(pty)).split(b'\n').map_while(Result::ok);
    let until = move |text: &str| {
        let mut seen = Vec::new();
        while !seen.last().is_some_and(|line: &String| line.contains(text)) {
            let line = lines.next().unwrap_or_else(|| panic!("{text:?} is not in {seen:#?}"));
            seen.push(String::from_utf8_lossy(&line).trim_end().to_owned());
        }
        seen.pop().unwrap()
    };
    (child, keyboard, until)
}

/// CLI-34: on a terminal it stays. The person's lines are the owner's messages, or calls of the agent, and another
/// client gets in with the printed address and token.
#[test]
fn on_a_terminal() {
    let home = Home::new();
    let (mut child, mut keyboard, mut until) = terminal(&home);
    let address = until("  address  ");
    let port = address.strip_prefix("  address  http://127.0.0.1:").unwrap().strip_suffix("/mcp").unwrap();
    let header = until("  header   ");
    let token = header.strip_prefix("  header   Authorization: Bearer ").unwrap();
    let answer = post(port.parse().unwrap(), token, &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    assert_eq!(answer.status, "HTTP/1.1 200 OK");

    until("I want to connect to bot Shop Bot");
    keyboard.write_all(b"/approve 4\n").unwrap();
    until("alice  says /approve 4");
    until("Action 4 approved by Alice: connected.");
    until("Shop Bot: Welcome to the shop.");
    keyboard.write_all(b"/list\n").unwrap();
    until("`@5` bot Shop Bot");
    keyboard.write_all(b"send {\"chat\": \"@5\", \"text\": \"/search shoes\", \"idle\": 1}\n").unwrap();
    until("I want to send a message to bot Shop Bot");
    keyboard.write_all(b"send not json\n").unwrap();
    until("agent  send: ");
    keyboard.write_all(b"sned {\"chat\": \"@5\"}\n").unwrap();
    until("agent  sned: no such tool; there are connect, ");
    keyboard.write_all(b"approve 5\n").unwrap();
    until("alice  says approve 5");
    until("(The agent acts on commands alone, which begin with /.");
    keyboard.write_all(b"/reject 5\n").unwrap();
    until("action 5, status rejected");
    keyboard.write_all(b"quit\n").unwrap();
    until(" server  Stopped.");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(home.files(), Vec::<String>::new());
}

/// CLI-34: bytes that are no UTF-8 end nothing, and a signal is told before the lines of the stop.
#[test]
fn a_signal_on_a_terminal() {
    let home = Home::new();
    let (mut child, mut keyboard, mut until) = terminal(&home);
    until("I want to connect to bot Shop Bot");
    keyboard.write_all(b"caf\xe9 please\n").unwrap();
    until("alice  says caf\u{fffd} please");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    until("== The server stops");
    until(" server  Stopped.");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(home.files(), Vec::<String>::new());
}
