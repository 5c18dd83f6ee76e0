//! `serve NAME --core ws://…` from its first line to its last, over a server like `simplex-chat -p`.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

#[path = "../../adapters/tests/common/chat_server.rs"]
mod chat_server;
mod common;

use std::net::TcpListener;

use chat_server::ChatServer;
use common::server::{Running, call, free_port, post};
use common::{Ended, Home};
use rustix::process::Signal;
use serde_json::{Value, json};
use simplex_agent_adapters::simplex::sim::{SimHost, unattended};
use simplex_sim::Network;

/// A server whose user is called so, with the people of `demo`, whose owner approves everything.
fn chat_server(home: &Home) -> ChatServer {
    let prefix = home.path().join("other-program");
    let core = SimHost::new(1, &unattended()).open(prefix.to_str().unwrap(), "").unwrap();
    ChatServer::start(core, "My Bot")
}

fn serve(home: &Home, name: &str, port: u16, core: &str) -> std::process::Command {
    home.command(&["serve", name, "--port", &port.to_string(), "--core", core])
}

fn token(home: &Home) -> String {
    std::fs::read_to_string(home.data("my-agent").join("token")).unwrap()
}

/// WS-01, WS-09, WS-12, WS-13, WS-14: a whole session; a second server on the address; no command ends the other
/// program's chat; the profile is the one that it has.
#[test]
fn a_session() {
    let home = Home::new();
    let chat = chat_server(&home);
    let port = free_port();
    let mut server = Running::start(&mut serve(&home, "my-agent", port, &chat.address()));
    server.until("Agent control chat \"My Bot\" created.");
    server.until("Alice joined (member ");
    let token = token(&home);
    let directory = Network::from_scenario(1, &unattended()).link("directory").unwrap();
    let connected = call(port, &token, "connect", &json!({"target": directory, "wait": 30, "idle": 1}));
    assert_eq!(connected["connected"], true, "{connected}");
    let place = connected["chat"].as_str().unwrap();
    server.until("Action 1 approved by Alice: connected.");
    let sent = call(port, &token, "send", &json!({"chat": place, "text": "knitting", "wait": 30, "idle": 1}));
    server.until("Action 2 approved by Alice: sent.");
    assert!(sent["responses"].as_array().is_some_and(|answers| !answers.is_empty()), "{sent}");

    let second = Ended::of(&serve(&home, "other", free_port(), &chat.address()).output().unwrap());
    let (address, pid) = (chat.address(), server.child.id());
    assert_eq!(
        second.line(1),
        format!(
            "Another server uses {address} (agent \"my-agent\", PID {pid}). Stop it, or start another simplex-chat on \
             another port: two clients of one would take each other's messages."
        )
    );
    assert!(!home.data("other").exists());

    let ended = server.stop(Signal::TERM);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let mut files: Vec<_> =
        std::fs::read_dir(home.data("my-agent")).unwrap().map(|f| f.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["headers.json", "lock", "options.json", "server.json", "state.json", "token"]);
    let seen = chat.seen();
    assert!(seen.iter().any(|line| line.starts_with("/_start")), "{seen:?}");
    assert!(!seen.iter().any(|line| line.starts_with("/_stop")), "{seen:?}");
}

/// WS-10, WS-11, WS-17: the other program dies and comes back: the same process serves again with the same token, the
/// control chat is found again and not made again, each round has its record, and a stop ends it well.
#[test]
fn the_other_program_restarts() {
    let home = Home::new();
    let mut chat = chat_server(&home);
    let port = free_port();
    let record = home.path().join("record");
    let mut command = serve(&home, "my-agent", port, &chat.address());
    let mut server = Running::start(command.arg("--record").arg(&record).arg("--reset-owners"));
    server.until("Alice joined (member ");
    let token = token(&home);
    chat.die();
    server.until("Waiting for simplex-chat, at most 30 s.");
    chat.listen();
    server.until("Listening on ");
    assert_eq!(server.seen.iter().filter(|line| line.contains(" created.")).count(), 1, "{:#?}", server.seen);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list", "arguments": {}}});
    let answer = post(port, &token, &list);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["result"]["isError"], false, "{body}");
    let directory = Network::from_scenario(1, &unattended()).link("directory").unwrap();
    let connected = call(port, &token, "connect", &json!({"target": directory, "wait": 30, "idle": 1}));
    assert_eq!(connected["connected"], true, "{connected}");
    let ended = server.stop(Signal::TERM);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lost = format!("simplex-chat at {}: it closed the connection.\n", chat.address());
    assert!(
        ended.stderr.ends_with(&format!("The connection to the SimpleX core broke: {lost}")),
        "{ended:?}"
    );
    for file in ["record", "record.2"] {
        let path = home.path().join(file);
        let replayed = home.run(&["replay", path.to_str().unwrap()]);
        assert_eq!(replayed.code, Some(0), "{file}: {replayed:?}");
    }
}

/// WS-11: a stop while the other program is away ends the process well, at once.
#[test]
fn a_stop_while_the_other_program_is_away() {
    let home = Home::new();
    let mut chat = chat_server(&home);
    let mut server = Running::start(&mut serve(&home, "my-agent", free_port(), &chat.address()));
    server.until("Listening on ");
    chat.die();
    server.until("Waiting for simplex-chat");
    let ended = server.stop(Signal::TERM);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.ends_with("\nStopped.\n"), "{}", ended.stdout);
}

/// WS-06: a start without the other program ends with one line, before anything is made.
#[test]
fn nobody_there() {
    let home = Home::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let ended = Ended::of(
        &serve(&home, "my-agent", free_port(), &format!("ws://localhost:{free}")).output().unwrap(),
    );
    let line = ended.line(1);
    assert!(line.starts_with(&format!("No simplex-chat at ws://127.0.0.1:{free}: ")), "{line}");
    assert!(!home.data("my-agent").exists());
}
