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
    // The last that a first start writes.
    let state = || fs::read_to_string(data.join("state.json")).unwrap_or_default();
    while !state().contains("greeted") || data.join(".state.json.tmp").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    // No host is no fault.
    let (code, lines) = doctor(&home);
    let note = "note  hosts: none has the agent. Add it: simplex-mcp register my-agent --print generic";
    assert!(code == Some(0) && lines.contains(&note.to_owned()), "{lines:?}");
    fs::create_dir(home.path().join(".codex")).unwrap();
    fs::write(home.path().join(".codex/config.toml"), "[mcp_servers.simplex-my-agent]\n").unwrap();
    symlink(env!("CARGO_BIN_EXE_simplex-mcp"), home.path().join("bin/simplex-mcp")).unwrap();
    let pid = server.child.id();
    let before = home.files();
    let (code, mut lines) = doctor(&home);
    let mcp = lines.remove(4);
    assert!(
        mcp.starts_with(&format!(
            "ok    MCP: answers at http://127.0.0.1:{port}/mcp, simplex-mcp {}, control chat of 2",
            env!("CARGO_PKG_VERSION")
        )),
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
                "ok    owners: who joined by the link approves (1 so far)".to_owned(),
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
        &*format!(
            "token: headers.json has another one. Mend it: kill {pid} && while kill -0 {pid} 2>/dev/null; do sleep 1; \
             done; simplex-mcp serve my-agent --port {port} --core=sim"
        ),
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
        lines.contains(&format!("server: does not run. Mend it: simplex-mcp serve my-agent --port {port}")),
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

/// DOC-05, DOC-06, DOC-07: what stands in the place of a file, what is no text of this program, and owners and core of
/// the last start; each remedy that is a command does what it says.
#[test]
fn damaged_files() {
    let home = Home::new();
    let data = home.data("my-agent");
    let port = free_port();
    let mut server = Running::start(&mut serve(&home, port, false, &[]));
    server.until("Add the agent");
    assert_eq!(server.stop(Signal::TERM).code, Some(0));
    let serve = format!("simplex-mcp serve my-agent --port {port} --core=sim");
    let stopped = format!("server: does not run. Mend it: {serve}");
    assert_eq!(wrong(&home), std::slice::from_ref(&stopped));

    for (name, text, expected) in [
        ("state.json", "[]", format!("state.json: DIR/state.json is damaged (ERROR). Mend it: mv DIR/state.json DIR/state.json.old && {serve}")),
        ("state.json", r#"{"nextAction":900000000000001}"#, format!("state.json: DIR/state.json is damaged (ERROR). Mend it: mv DIR/state.json DIR/state.json.old && {serve}")),
        ("server.json", "{}", "last start: DIR/server.json is damaged. Mend it: rm DIR/server.json && simplex-mcp serve my-agent --core=sim".to_owned()),
        ("options.json", "[]", "options: DIR/options.json is damaged. Mend it: simplex-mcp serve my-agent, with the options you want".to_owned()),
        ("token", "\u{1}", format!("token: DIR/token is damaged: 43 base64url characters expected. Mend it: {serve} --new-token")),
    ] {
        let good = fs::read(data.join(name)).unwrap();
        fs::write(data.join(name), text).unwrap();
        let lines = wrong(&home);
        let without_reason = |line: &String| match (line.find(" ("), line.find("). ")) {
            (Some(from), Some(to)) => format!("{} (ERROR{}", &line[..from], &line[to..]),
            _ => line.clone(),
        };
        assert!(lines.iter().map(without_reason).any(|line| line == expected), "{name}: {lines:?}");
        fs::write(data.join(name), good).unwrap();
    }

    for name in ["token", "headers.json", "state.json", "server.json", "options.json", "lock"] {
        let (path, moved) = (data.join(name), data.join("moved"));
        fs::rename(&path, &moved).unwrap();
        symlink(&moved, &path).unwrap();
        let lines = wrong(&home);
        let expected = format!(
            "{name}: DIR/{name} is a symbolic link, not a file. Mend it: mv DIR/{name} DIR/{name}.old"
        );
        assert!(lines.contains(&expected), "{lines:?}");
        assert!(!lines.iter().any(|line| line.contains("Run this as the user")), "{lines:?}");
        let (_, command) = expected.split_once(". Mend it: ").unwrap();
        let command = command.replace("DIR", data.to_str().unwrap());
        assert!(std::process::Command::new("sh").args(["-c", &command]).status().unwrap().success());
        assert!(!path.exists());
        fs::remove_file(data.join(format!("{name}.old"))).unwrap();
        fs::create_dir(&path).unwrap();
        let lines = wrong(&home);
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with(&format!("{name}: DIR/{name} is a folder, not a file.")))
        );
        fs::remove_dir(&path).unwrap();
        fs::rename(&moved, &path).unwrap();
    }
    assert_eq!(wrong(&home), [stopped]);

    for (options, expected) in [
        (r#"{"options":["--owners=3:Alice","--core=sim"]}"#, "ok    owners: only 3:Alice approve"),
        (
            r#"{"options":["--owners","--core=sim"]}"#,
            "ok    owners: nobody approves yet; whoever joins is named in the server's lines",
        ),
        (
            r#"{"options":["--approve=host","--core=sim"]}"#,
            "ok    owners: nobody is asked, the MCP host asks its user (mode host)",
        ),
        (
            r#"{"options":["--core=ws://127.0.0.1:5225"],"coreVersion":"7.0.2.1"}"#,
            "ok    SimpleX core: ws://127.0.0.1:5225, which needs no library, version 7.0.2.1 at the last start",
        ),
    ] {
        fs::write(data.join("options.json"), options).unwrap();
        let (_, lines) = doctor(&home);
        assert!(lines.contains(&expected.to_owned()), "{lines:?}");
    }
}

/// DOC-08: a start that is under way is no start that never was, and a lock that says nothing is named.
#[test]
fn a_folder_that_is_held() {
    let home = Home::new();
    let data = home.data("my-agent");
    fs::create_dir_all(&data).unwrap();
    set_mode(&data, 0o700);
    let lock = File::create(data.join("lock")).unwrap();
    lock.try_lock().unwrap();
    fs::write(data.join("lock"), "77\n").unwrap();
    let starting = "server: starts, and does not listen yet. Mend it: wait, and look at the server's lines";
    assert_eq!(wrong(&home), [starting]);
    fs::write(data.join("serve.log"), "").unwrap();
    assert_eq!(wrong(&home), ["server: starts, and does not listen yet. Mend it: tail DIR/serve.log"]);
    fs::write(data.join("server.json"), r#"{"name":"my-agent","port":5226,"expireHours":23}"#).unwrap();
    assert!(
        wrong(&home)
            .contains(&"server: starts, and does not listen yet. Mend it: tail DIR/serve.log".to_owned())
    );
    fs::write(data.join("lock"), "?").unwrap();
    let damaged = "lock: DIR/lock is damaged: a server holds it, and it does not say which. Mend it: stop the server, then \
                   simplex-mcp serve my-agent";
    assert!(wrong(&home).contains(&damaged.to_owned()), "{:?}", wrong(&home));
    drop(lock);
    // What nobody holds is written anew by the next start.
    assert!(!wrong(&home).iter().any(|line| line.starts_with("lock")));
}
