//! `doctor`: a line for each look, the command that mends what is wrong, and nothing changed.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use common::server::{Running, free_port, serve};
use common::{Ended, Home};
use rustix::process::Signal;

/// The lines of `doctor`, each with the folder as DIR, and its exit code.
fn doctor(home: &Home) -> (Option<i32>, Vec<String>) {
    let mut command = home.command(&["doctor", "my-agent"]);
    let bin = home.path().join("bin");
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).env_remove("XDG_CACHE_HOME");
    let ended = Ended::of(&command.output().unwrap());
    assert_eq!(ended.stderr, "");
    let dir = home.data("my-agent").display().to_string();
    (ended.code, ended.stdout.lines().map(|line| line.replace(&dir, "DIR")).collect())
}

fn wrong(home: &Home) -> Vec<String> {
    let (code, lines) = doctor(home);
    let wrong: Vec<String> =
        lines.into_iter().filter_map(|line| line.strip_prefix("wrong ").map(str::to_owned)).collect();
    assert_eq!(code, Some(i32::from(!wrong.is_empty())));
    wrong
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// DOC-01, DOC-02, DOC-03, DOC-04: a running agent that is registered is well; each thing that is wrong is named, with
/// what mends it, and nothing is touched.
#[test]
fn an_agent_and_its_troubles() {
    let home = Home::new();
    let data = home.data("my-agent");
    fs::create_dir(home.path().join("bin")).unwrap();
    assert_eq!(
        doctor(&home),
        (
            Some(1),
            vec!["wrong data folder: DIR is not there. Mend it: simplex-mcp serve my-agent".to_owned()]
        )
    );
    let port = free_port();
    let mut server = Running::start(&mut serve(&home, port, false, &[]));
    server.until("Add the agent");
    assert_eq!(
        wrong(&home),
        [
            "hosts: none has the agent. Mend it: simplex-mcp register my-agent, or simplex-mcp register my-agent --print HOST"
        ]
    );
    fs::create_dir(home.path().join(".codex")).unwrap();
    fs::write(home.path().join(".codex/config.toml"), "[mcp_servers.simplex-my-agent]\n").unwrap();
    symlink(env!("CARGO_BIN_EXE_simplex-mcp"), home.path().join("bin/simplex-mcp")).unwrap();
    let pid = server.child.id();
    let before = home.files();
    let (code, mut lines) = doctor(&home);
    let mcp = lines.remove(4);
    assert!(
        mcp.starts_with(&format!("ok    MCP: answers at http://127.0.0.1:{port}/mcp, control chat of 2")),
        "{mcp}"
    );
    assert_eq!(
        (code, lines),
        (
            Some(0),
            vec![
                "ok    data folder: DIR".to_owned(),
                "ok    token: there, and in headers.json".to_owned(),
                format!("ok    server: runs (PID {pid})"),
                format!("ok    port: {port} listens, and refuses who has no token"),
                "ok    SimpleX core: sim, which needs no library".to_owned(),
                format!("ok    Codex: registered in {}/.codex/config.toml", home.path().display()),
                "ok    clock: not behind the agent's own files".to_owned(),
            ]
        )
    );
    assert_eq!(home.files(), before);

    let claude = home.path().join("bin/claude");
    fs::write(&claude, "#!/bin/sh\necho 'simplex-my-agent:'; echo '  URL: http://127.0.0.1:1/mcp'\n")
        .unwrap();
    set_mode(&claude, 0o755);
    set_mode(&data, 0o755);
    set_mode(&data.join("token"), 0o644);
    fs::write(data.join("headers.json"), "{\"Authorization\": \"Bearer x\"}").unwrap();
    let state = File::options().append(true).open(data.join("state.json")).unwrap();
    state.set_modified(SystemTime::now() + Duration::from_secs(86_400)).unwrap();
    let lines = wrong(&home);
    for (line, expected) in lines.iter().zip([
        "data folder: DIR has mode 0755, others may read it. Mend it: chmod 700 DIR",
        "token: DIR/token has mode 0644, others may read it. Mend it: chmod 600 DIR/token",
        "token: headers.json has another one. Mend it: stop the server, then simplex-mcp serve my-agent",
        "Claude Code: registered for another port. Mend it: simplex-mcp register my-agent",
        "clock: 86",
    ]) {
        assert!(line.starts_with(expected), "{line}");
    }
    assert_eq!(lines.len(), 5, "{lines:?}");
    // Looking mends nothing by itself.
    assert_eq!(fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o755);

    assert_eq!(server.stop(Signal::TERM).code, Some(0));
    set_mode(&data, 0o700);
    fs::remove_file(claude).unwrap();
    let stranger = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let seen = std::thread::spawn(move || {
        let (mut stream, _) = stranger.accept().unwrap();
        let mut request = vec![0; 4096];
        let length = std::io::Read::read(&mut stream, &mut request).unwrap();
        std::io::Write::write_all(&mut stream, b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        String::from_utf8_lossy(&request[..length]).to_ascii_lowercase()
    });
    fs::write(data.join("options.json"), "{\"options\":[]}").unwrap();
    let lines = wrong(&home);
    assert!(
        lines.contains(&"server: does not run. Mend it: simplex-mcp serve my-agent".to_owned()),
        "{lines:?}"
    );
    let taken = format!(
        "port: {port} is another program's. Mend it: simplex-mcp serve my-agent --port {} --new-token",
        port.wrapping_add(1).max(1024)
    );
    assert!(lines.contains(&taken), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("library: ") && line.contains(".cache")), "{lines:?}");
    assert!(!seen.join().unwrap().contains("authorization"), "the token is shown to no stranger");
    for (file, text, expected) in [
        ("token", "x", "token: DIR/token is damaged"),
        ("server.json", "{", "last start: DIR/server.json is damaged"),
    ] {
        fs::write(data.join(file), text).unwrap();
        let lines = wrong(&home);
        assert!(lines.iter().any(|line| line.starts_with(expected)), "{lines:?}");
    }
}
