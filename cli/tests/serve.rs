//! `serve` from its first line to its last, over the simulator in process and over its library.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::server::{Answer, Running, call, free_port, post, serve};
use common::{Ended, Home};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use simplex_agent_adapters::simplex::sim::unattended;
use simplex_sim::Network;

/// START-02, START-14, STOP-08, STOP-11, CLI-12, CLI-14, CLI-19, CLI-30, DATA-03, DATA-04, DATA-06, DATA-10: the
/// first start, a stop, and a second start that finds the control chat again.
fn first_and_second_start(library: bool) {
    let home = Home::new();
    // Nobody lives here: whoever joined would do so at any moment of this test.
    let scenario = home.path().join("nobody.json");
    fs::write(&scenario, "{}").unwrap();
    let start = |port, more: &[&str]| {
        let mut command = serve(&home, port, library, more);
        command.env("SIMPLEX_SIM_SCENARIO", &scenario);
        if !library {
            command.arg("--scenario").arg(&scenario);
        }
        command
    };
    let dir = home.data("my-agent");
    let port = free_port();
    let mut server = Running::start(&mut start(port, &["--display-name", "My Agent"]));
    server.until(&format!("Listening on http://127.0.0.1:{port}/mcp"));
    let lines: Vec<_> = server.seen.iter().map(String::as_str).collect();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        lines[..3],
        [
            format!("SimpleX MCP server {version}, agent \"my-agent\""),
            format!("Data folder: {}", dir.display()),
            "Approval mode: requests".to_owned(),
        ]
    );
    let at = lines.iter().position(|line| *line == "Agent control chat \"My Agent\" created.").unwrap();
    assert_eq!(lines[at + 1], "Join the agent control chat in the SimpleX app. The link works once:");
    assert!(lines[at + 2].starts_with("https://") || lines[at + 2].starts_with("simplex:/"), "{lines:#?}");
    assert_eq!(
        lines[at + 3],
        "Whoever joins by this link becomes an owner of \"My Agent\" and approves its actions. To approve owners yourself, start with --owners."
    );
    assert!(!lines.iter().any(|line| line.contains('\x1b') || line.contains("QR")), "{lines:#?}");

    let token = fs::read_to_string(dir.join("token")).unwrap();
    assert_eq!(token.len(), 43);
    assert_eq!(
        fs::read_to_string(dir.join("headers.json")).unwrap().trim_end(),
        format!("{{\"Authorization\": \"Bearer {token}\"}}")
    );
    let info: Value = serde_json::from_str(&fs::read_to_string(dir.join("server.json")).unwrap()).unwrap();
    assert_eq!(
        (&info["name"], &info["port"], &info["expireHours"]),
        (&"my-agent".into(), &port.into(), &23.into())
    );
    for entry in fs::read_dir(&dir).unwrap().map(Result::unwrap) {
        let mode = entry.metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, 0o600, "{:?}", entry.file_name());
    }
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(post(port, &token, &ping).status, "HTTP/1.1 200 OK");
    assert_eq!(post(port, "wrong", &ping).status, "HTTP/1.1 401 Unauthorized");

    // A second server on the folder, while the first one runs.
    let second = Ended::of(&start(free_port(), &[]).output().unwrap());
    let dir_text = dir.display();
    let pid = server.child.id();
    assert_eq!(
        second.line(1),
        format!("Another server uses {dir_text} (PID {pid}). If no server runs, remove {dir_text}/lock.")
    );

    let first = server.stop(Signal::TERM);
    assert_eq!((first.code, first.stderr.as_str()), (Some(0), ""), "{first:?}");
    assert!(first.stdout.ends_with("\nStopped.\n"), "{}", first.stdout);
    assert!(dir.join("lock").exists());

    let mut server = Running::start(&mut start(port, &[]));
    server.until("Listening on ");
    let again = server.stop(Signal::INT);
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""), "{again:?}");
    assert!(!again.stdout.contains("created"), "the control chat was not found: {}", again.stdout);
    assert!(again.stdout.contains("\"My Agent\""), "the profile was not found: {}", again.stdout);
    assert_eq!(fs::read_to_string(dir.join("token")).unwrap(), token);
    for text in [&first.stdout, &first.stderr, &again.stdout, &again.stderr] {
        assert!(!text.contains(&token), "the token is in the log");
    }
}

#[test]
fn first_and_second_start_in_process() {
    first_and_second_start(false);
}

/// CLI-35: the same over the library.
#[test]
fn first_and_second_start_over_the_library() {
    first_and_second_start(true);
}

/// START-13, CLI-30: a port in use is named with the remedy, before any link is printed, and the profile is kept for
/// the next start.
#[test]
fn a_port_in_use() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let ended = Running::start(&mut serve(&home, port, false, &[])).end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(
        ended.stderr,
        format!(
            "Port {port} is in use. Start with --port N. Someone may have seen the token: also pass --new-token\n"
        )
    );
    assert!(
        !ended.stdout.contains("https://") && !ended.stdout.contains("Join the agent"),
        "{}",
        ended.stdout
    );
    assert!(!home.data("my-agent").join("server.json").exists());
    let mut server = Running::start(&mut serve(&home, free_port(), false, &["--new-token"]));
    server.until("Listening on ");
    assert_eq!(server.stop(Signal::TERM).code, Some(0));
}

/// STOP-12: a second signal joins the stop; the end is as after one.
#[test]
fn two_signals() {
    let home = Home::new();
    let mut server = Running::start(&mut serve(&home, free_port(), false, &[]));
    server.until("Listening on ");
    server.signal(Signal::INT);
    // The first one may have ended it already.
    let _ = kill_process(Pid::from_child(&server.child), Signal::INT);
    let ended = server.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stdout.matches("Stopped.").count(), 1);
}

/// STOP-21: a closed terminal stops the server; under `nohup` it does not.
#[test]
fn a_closed_terminal() {
    let home = Home::new();
    // What this process ignores, its children ignore as well, and no shell can change that.
    if signals(std::process::id(), "SigIgn:") & 1 == 0 {
        let mut server = Running::start(&mut serve(&home, free_port(), false, &[]));
        server.until("Listening on ");
        let ended = server.stop(Signal::HUP);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stdout.ends_with("Stopped.\n"), "{ended:?}");
    }
    if cfg!(target_os = "linux") {
        let port = free_port();
        let mut server = Running::start(&mut in_shell("trap '' HUP", &serve(&home, port, false, &[])));
        server.until("Listening on ");
        server.signal(Signal::HUP);
        assert_eq!(ping(&home, port).status, "HTTP/1.1 200 OK");
        assert_eq!(server.stop(Signal::TERM).code, Some(0));
    }
}

/// HTTP-35: who has no token takes no descriptor that the server needs, however few there are.
#[test]
fn few_descriptors() {
    let home = Home::new();
    let port = free_port();
    let mut server = Running::start(&mut in_shell("ulimit -n 120", &serve(&home, port, false, &[])));
    server.until("Listening on ");
    let idle: Vec<_> = (0..150).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    for _ in 0..3 {
        assert_eq!(ping(&home, port).status, "HTTP/1.1 200 OK");
    }
    drop(idle);
    let ended = server.stop(Signal::TERM);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
}

/// The command, run by a shell after a command of the shell's own.
fn in_shell(before: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{before}; exec \"$0\" \"$@\"")).arg(command.get_program());
    shell.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.current_dir(command.get_current_dir().unwrap()).stdin(Stdio::null());
    shell
}

/// A ping with the agent's token.
fn ping(home: &Home, port: u16) -> Answer {
    let token = fs::read_to_string(home.data("my-agent").join("token")).unwrap();
    post(port, &token, &json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}))
}

/// STOP-15: a stop during the start ends it.
#[test]
fn a_signal_during_the_start() {
    let home = Home::new();
    let mut server = Running::start(&mut serve(&home, free_port(), false, &[]));
    server.until("SimpleX MCP server");
    let ended = server.stop(Signal::TERM);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let mut server = Running::start(&mut serve(&home, free_port(), false, &[]));
    server.until("Listening on ");
    assert_eq!(server.stop(Signal::TERM).code, Some(0));
}

/// STOP-20: from the moment that signals are watched, which the test waits for, a signal ends the process as a stop
/// does, never by the signal; and that moment comes before anything is opened.
#[test]
fn signals_from_the_first_moment() {
    let home = Home::new();
    for milliseconds in [0, 1, 2, 5, 10, 20, 50] {
        for signal in [Signal::TERM, Signal::INT] {
            let server = Running::start(&mut serve(&home, free_port(), false, &[]));
            until_watched(server.child.id());
            std::thread::sleep(Duration::from_millis(milliseconds));
            let ended = server.stop(signal);
            assert_eq!(ended.code, Some(0), "after {milliseconds} ms: {ended:?}");
            assert!(ended.stdout.ends_with("Stopped.\n"), "{ended:?}");
        }
    }
}

/// Waits until SIGTERM has a handler; between the fork and that moment nothing of the program runs that could have one.
fn until_watched(pid: u32) {
    const SIGTERM: u64 = 1 << 14;
    if cfg!(not(target_os = "linux")) {
        return std::thread::sleep(Duration::from_millis(100));
    }
    let begun = Instant::now();
    while signals(pid, "SigCgt:") & SIGTERM == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::yield_now();
    }
}

/// A set of signals of a process, as Linux tells it; signal N is bit N - 1. Empty elsewhere.
fn signals(pid: u32, set: &str) -> u64 {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return 0 };
    let mask = status.lines().find_map(|line| line.strip_prefix(set)).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap()
}

/// STOP-12, STOP-20: a start that waits for something is ended with exit code 1 and a line that names the step; a
/// second signal changes nothing.
#[test]
fn a_signal_while_the_start_waits() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let home = Home::new();
    let pipe = home.path().join("scenario");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let begun = Instant::now();
    let server =
        Running::start(&mut serve(&home, free_port(), false, &["--scenario", pipe.to_str().unwrap()]));
    std::thread::sleep(Duration::from_millis(200));
    server.signal(Signal::TERM);
    std::thread::sleep(Duration::from_millis(200));
    server.signal(Signal::TERM);
    let ended = server.end();
    let line = "Stopped before the start was done: finding the SimpleX core takes too long.";
    assert_eq!(ended.line(1), line);
    assert!((5..20).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    assert_eq!(home.files(), ["scenario"]);
}

/// START-29, DATA-06: a killed server leaves no lock that blocks a start, and its control chat is found again.
#[test]
fn a_killed_server() {
    let home = Home::new();
    let mut server = Running::start(&mut serve(&home, free_port(), false, &[]));
    server.until("Listening on ");
    assert_eq!(server.stop(Signal::KILL).code, None);
    let mut server = Running::start(&mut serve(&home, free_port(), false, &[]));
    server.until("Listening on ");
    let ended = server.stop(Signal::TERM);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.stdout.contains("created"), "{}", ended.stdout);
}

/// CLI-13, CLI-16, CLI-18: on a terminal the link comes with its code, small with the hint, large without.
#[test]
fn on_a_terminal_the_link_has_a_code() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    for (size, hint) in [("small", true), ("large", false)] {
        let home = Home::new();
        let pty = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&pty).unwrap();
        unlockpt(&pty).unwrap();
        let name = ptsname(&pty, Vec::new()).unwrap().into_string().unwrap();
        let terminal = fs::File::options().read(true).write(true).open(name).unwrap();
        let mut command = serve(&home, free_port(), false, &["--qr-code", size]);
        let mut child = command.stdout(terminal).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        let mut lines = BufReader::new(fs::File::from(pty)).lines().map_while(Result::ok);
        let mut seen = Vec::new();
        while !seen.last().is_some_and(|line: &String| line.starts_with("Listening on ")) {
            seen.push(lines.next().unwrap_or_else(|| panic!("ended after {seen:#?}")));
        }
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let code = seen.iter().filter(|line| line.starts_with("\x1b[47m")).count();
        assert!(code >= 15, "{code} lines of code: {seen:#?}");
        assert!(
            seen.iter().filter(|line| line.contains('\x1b')).all(|line| line.trim_end().ends_with("\x1b[0m"))
        );
        let scan =
            "If the QR code does not scan, restart with --qr-code large, or paste the link into the app.";
        assert_eq!(seen.iter().any(|line| line.trim_end() == scan), hint, "{seen:#?}");
    }
}

/// A whole session over real HTTP: the owner joins, approves a connect and a send, and the answer of the bot is the
/// result of the call; the log says so.
fn a_session(library: bool) {
    let home = Home::new();
    let port = free_port();
    let mut server = Running::start(&mut serve(&home, port, library, &[]));
    server.until("Alice joined (member ");
    let token = fs::read_to_string(home.data("my-agent").join("token")).unwrap();
    let directory = Network::from_scenario(1, &unattended()).link("directory").unwrap();
    let connected = call(port, &token, "connect", &json!({"target": directory, "wait": 30, "idle": 1}));
    assert_eq!(connected["connected"], true, "{connected}");
    let chat = connected["chat"].as_str().unwrap();
    server.until("Action 1 approved by Alice: connected.");
    let sent = call(port, &token, "send", &json!({"chat": chat, "text": "knitting", "wait": 30, "idle": 1}));
    server.until("Action 2 approved by Alice: sent.");
    let answers = sent["responses"].as_array().or_else(|| sent["messages"].as_array());
    assert!(answers.is_some_and(|answers| !answers.is_empty()), "{sent}");
    let ended = server.stop(Signal::TERM);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
}

/// CLI-23, CLI-24, CLI-32
#[test]
fn a_session_in_process() {
    a_session(false);
}

/// CLI-24, CLI-35: the same over the library.
#[test]
fn a_session_over_the_library() {
    a_session(true);
}

/// CLI-50: an error-only run says nothing on stdout; a debugged one tells keywords and tags on stderr, no texts.
#[test]
fn log_levels() {
    let home = Home::new();
    let mut debug = Running::start(&mut serve(&home, free_port(), false, &["--log-level", "debug"]));
    debug.until("Add the agent");
    let ended = debug.stop(Signal::TERM);
    assert_eq!(ended.code, Some(0));
    for line in ["command 1: ", "event newChatItems", "/_create user", "answer 1: "] {
        assert!(ended.stderr.contains(line), "{line}: {}", ended.stderr);
    }
    assert!(!ended.stderr.contains("Alice") && !ended.stderr.contains("https://"), "{}", ended.stderr);
    let port = free_port();
    let quiet = Running::start(&mut serve(&home, port, false, &["--log-level=error"]));
    let until = Instant::now() + common::server::PATIENCE;
    while TcpStream::connect(("127.0.0.1", port)).is_err() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    let ended = quiet.stop(Signal::TERM);
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (Some(0), "", ""));
}
