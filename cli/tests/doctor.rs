//! `doctor`: a line for each look, the command that mends what is wrong, and nothing changed.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use common::server::{Running, free_port, serve};
use common::{Ended, Home};
use rustix::process::Signal;

/// The lines of `doctor`, each with the folder as DIR, and its exit code.
fn doctor(home: &Home) -> (Option<i32>, Vec<String>) {
    run(home, home.command(&["doctor", "my-agent"]))
}

fn run(home: &Home, mut command: Command) -> (Option<i32>, Vec<String>) {
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
        Write::write_all(&mut stream, b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        String::from_utf8_lossy(&request[..length]).to_ascii_lowercase()
    });
    fs::write(data.join("options.json"), "{\"options\":[]}").unwrap();
    let lines = wrong(&home);
    // One remedy, and no start on the port that is taken.
    let taken = format!("port: {port} is another program's, and the server does not run. Mend it: ");
    let mend = lines.iter().find_map(|line| line.strip_prefix(&taken)).unwrap_or_else(|| panic!("{lines:?}"));
    let mend = mend.strip_prefix("simplex-mcp serve my-agent --port ").unwrap();
    let next: u16 = mend.strip_suffix(" --new-token").unwrap().parse().unwrap();
    assert!(TcpListener::bind(("127.0.0.1", next)).is_ok());
    assert!(!lines.iter().any(|line| line.starts_with("server: ")), "{lines:?}");
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

/// DOC-05, DOC-06, DOC-07, DOC-14: what stands in the place of a file, what is no text of this program, and owners and core of
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
        ("simplex_sim.json", "{}", format!("simplex_sim.json: DIR/simplex_sim.json is damaged. Mend it: mv DIR/simplex_sim.json DIR/simplex_sim.json.old && {serve}")),
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
        assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
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

/// DOC-06, DOC-09: the folder of another agent is told with the command that looks at it there, and nothing is advised
/// for the agent that was named.
#[test]
fn the_folder_of_another_agent() {
    let home = Home::new();
    let data = home.data("my-agent");
    fs::create_dir_all(&data).unwrap();
    set_mode(&data, 0o700);
    fs::write(data.join("server.json"), r#"{"name":"my-agent","port":5226,"expireHours":23}"#).unwrap();
    let (code, lines) = run(&home, home.command(&["doctor", "other", "--data", data.to_str().unwrap()]));
    let expected = [
        "ok    data folder: DIR",
        "wrong agent: DIR is the folder of \"my-agent\". Mend it: simplex-mcp doctor my-agent --data DIR",
    ];
    assert_eq!((code, lines), (Some(1), expected.map(str::to_owned).to_vec()));
}

/// DOC-10: only what group and others may do counts.
#[test]
fn modes_that_give_others_nothing() {
    let home = Home::new();
    let data = home.data("my-agent");
    fs::create_dir_all(&data).unwrap();
    for mode in [0o700, 0o2700, 0o1700, 0o500] {
        set_mode(&data, mode);
        assert!(doctor(&home).1.contains(&"ok    data folder: DIR".to_owned()), "{mode:o}");
    }
    set_mode(&data, 0o2750);
    let expected = "data folder: DIR has mode 2750, others may read it. Mend it: chmod 700 DIR";
    assert!(wrong(&home).contains(&expected.to_owned()));
}

/// DOC-11: who is not the user of the server is told so, and nothing is to be moved, removed or made anew.
#[test]
fn another_user() {
    const NOBODY: u32 = 65_534;
    const REMEDY: &str = "Mend it: Run this as the user who runs the server.";
    let home = Home::new();
    let data = home.data("my-agent");
    fs::create_dir_all(&data).unwrap();
    set_mode(&data, 0o700);
    let is_root = rustix::process::geteuid().is_root();
    // Root may read everything, so somebody else looks.
    let own = home.path().join("own");
    fs::create_dir(&own).unwrap();
    let program = home.path().join("program");
    fs::copy(env!("CARGO_BIN_EXE_simplex-mcp"), &program).unwrap();
    let look = || {
        let mut command = Command::new(&program);
        command.args(["doctor", "my-agent", "--data"]).arg(&data).env("HOME", &own).current_dir(&own);
        if is_root {
            command.uid(NOBODY);
        }
        run(&home, command)
    };
    if is_root {
        chown(&own, Some(NOBODY), None).unwrap();
        for mode in [0o700, 0o755] {
            set_mode(&data, mode);
            let expected = format!("wrong data folder: DIR belongs to another user. {REMEDY}");
            assert_eq!(look(), (Some(1), vec![expected]));
        }
        set_mode(&data, 0o700);
        chown(&data, Some(NOBODY), None).unwrap();
    }
    for name in ["token", "headers.json", "state.json", "server.json", "options.json", "lock"] {
        fs::write(data.join(name), "x").unwrap();
        set_mode(&data.join(name), if is_root { 0o600 } else { 0 });
    }
    let (code, lines) = look();
    assert_eq!((code, lines[0].as_str()), (Some(1), "ok    data folder: DIR"));
    for line in lines.iter().skip(1) {
        assert!(line.contains(" can't be read: Permission denied") && line.ends_with(REMEDY), "{line}");
    }
    assert_eq!(lines.len(), 7, "{lines:?}");
    let above = home.path().join(".simplex-mcp");
    set_mode(&above, 0);
    let (_, lines) = look();
    set_mode(&above, 0o700);
    assert!(lines.len() == 1 && lines[0].starts_with("wrong data folder: DIR can't be read: "), "{lines:?}");
}

/// DOC-12: a first start that found its port taken: one remedy, on a port that is free and over the core that it had.
#[test]
fn a_first_start_that_failed() {
    let home = Home::new();
    let data = home.data("my-agent");
    // The port of a start that is told none; whoever else has it is as good.
    let _stranger = TcpListener::bind("127.0.0.1:5226");
    assert_eq!(Running::start(&mut serve(&home, 5226, false, &[])).end().code, Some(1));
    assert!(!data.join("server.json").exists() && data.join("simplex_sim.json").exists());
    let lines = wrong(&home);
    let port = lines.iter().find(|line| line.starts_with("port: 5226 is another program's")).unwrap();
    let mend = port.split_once("Mend it: simplex-mcp serve my-agent --port ").unwrap().1;
    let next: u16 = mend.strip_suffix(" --core sim").unwrap_or_else(|| panic!("{mend}")).parse().unwrap();
    assert!(TcpListener::bind(("127.0.0.1", next)).is_ok());
    assert_eq!(lines.len(), 1, "{lines:?}");
}

/// DOC-13: a server that has no answer left is started again with more files.
#[test]
fn a_server_that_does_not_answer() {
    let home = Home::new();
    let data = home.data("my-agent");
    fs::create_dir_all(&data).unwrap();
    set_mode(&data, 0o700);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut lock = File::create(data.join("lock")).unwrap();
    lock.try_lock().unwrap();
    writeln!(lock, "77 {port}").unwrap();
    let info = format!(r#"{{"name":"my-agent","port":{port},"expireHours":23}}"#);
    fs::write(data.join("server.json"), info).unwrap();
    let expected = format!(
        "port: {port} does not answer in time; it may be out of files or connections. Mend it: kill 77 && while kill -0 77 \
         2>/dev/null; do sleep 1; done; ulimit -n 4096; simplex-mcp serve my-agent --port {port}"
    );
    let lines = wrong(&home);
    assert!(lines.contains(&expected), "{lines:?}");
}
