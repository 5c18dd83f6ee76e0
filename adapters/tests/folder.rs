//! The data folder: its modes, its token, its lock, and what is said when something is wrong with them.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use common::TempDir;
use simplex_agent_adapters::driver::Inbox;
use simplex_agent_adapters::files::{DataFolder, FolderView, Writer};
use simplex_agent_core::Input;
use simplex_agent_core::effect::{DataFile, Outcome};
use simplex_agent_core::id::OpId;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn refusal(path: &Path) -> String {
    DataFolder::open(path).unwrap_err().to_string()
}

fn no_file(path: &Path) -> String {
    format!("{}: not a regular file. Move it away, then start again.", path.display())
}

/// DATA-01, DATA-02, DATA-03: modes, the token, the headers; nothing else is left behind.
#[test]
fn a_new_folder_and_its_files_are_private() {
    let temp = TempDir::new();
    let dir = temp.path().join("a/b/agent");
    let folder = DataFolder::open(&dir).unwrap();
    let token = folder.token(false).unwrap();
    folder.write_headers(&token).unwrap();
    assert_eq!(mode(&dir), 0o700);
    assert_eq!(mode(&temp.path().join("a")), 0o700);
    for name in ["lock", "token", "headers.json"] {
        assert_eq!(mode(&dir.join(name)), 0o600, "{name}");
    }
    assert_eq!(fs::read_to_string(dir.join("token")).unwrap(), token.reveal());
    assert_eq!(
        fs::read_to_string(dir.join("headers.json")).unwrap().trim_end(),
        format!("{{\"Authorization\": \"Bearer {}\"}}", token.reveal())
    );
    assert_eq!(fs::read_to_string(dir.join("lock")).unwrap().trim(), std::process::id().to_string());
    assert_eq!(folder.state().unwrap(), None);
    assert_eq!(folder.server_info().unwrap(), None);
    let left: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

/// DATA-01, CLI-36: modes are set again, the token stays unless it is to be replaced.
#[test]
fn modes_are_set_again_at_every_start() {
    let temp = TempDir::new();
    let dir = temp.path().join("agent");
    let token = DataFolder::open(&dir).unwrap().token(false).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(dir.join("token"), fs::Permissions::from_mode(0o644)).unwrap();
    let folder = DataFolder::open(&dir).unwrap();
    assert_eq!(folder.token(false).unwrap(), token, "the token stays");
    assert_eq!((mode(&dir), mode(&dir.join("token"))), (0o700, 0o600));
    let replaced = folder.token(true).unwrap();
    assert_ne!(replaced, token);
    assert_eq!(folder.token(false).unwrap(), replaced);
}

/// DATA-05, DATA-06
#[test]
fn the_lock_is_held_for_life_and_never_removed() {
    let temp = TempDir::new();
    let dir = temp.path().join("agent");
    let first = DataFolder::open(&dir).unwrap();
    let pid = std::process::id();
    let dir_text = dir.display();
    assert_eq!(
        refusal(&dir),
        format!("Another server uses {dir_text} (PID {pid}). If no server runs, remove {dir_text}/lock.")
    );
    drop(first);
    assert!(dir.join("lock").exists());
    // A PID left by a process that died says nothing: only the lock counts.
    fs::write(dir.join("lock"), "1\n").unwrap();
    DataFolder::open(&dir).unwrap();
}

/// DATA-08
#[test]
fn what_is_no_folder_of_ours_is_left_alone() {
    let temp = TempDir::new();
    let real = temp.path().join("real");
    fs::create_dir(&real).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o755)).unwrap();
    let link = temp.path().join("link");
    symlink(&real, &link).unwrap();
    for path in [link.clone(), link.join("")] {
        let message = refusal(&path);
        assert_eq!(
            message,
            format!(
                "{}: a symbolic link, not a folder. Start with --data and a folder of your own.",
                link.display()
            )
        );
    }
    assert_eq!(mode(&real), 0o755);
    assert_eq!(fs::read_dir(&real).unwrap().count(), 0);

    let file = temp.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert!(refusal(&file).contains("not a folder"), "{}", refusal(&file));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");

    let dangling = temp.path().join("dangling");
    symlink(temp.path().join("nowhere"), &dangling).unwrap();
    assert!(refusal(&dangling).contains("a symbolic link"), "{}", refusal(&dangling));
    assert!(!temp.path().join("nowhere").exists());
}

/// DATA-08
#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_cannot_be_made_is_named() {
    let message = refusal(Path::new("/proc/agent"));
    assert!(message.starts_with("/proc/agent can't be created: "), "{message}");
    assert!(message.ends_with(". Start with --data and a folder of your own."), "{message}");
}

/// DATA-08
#[test]
#[cfg(target_os = "linux")]
fn a_folder_of_another_user_is_refused() {
    use std::os::unix::fs::MetadataExt;
    let temp = TempDir::new();
    let other = temp.path().join("other");
    fs::create_dir(&other).unwrap();
    if std::os::unix::fs::chown(&other, Some(65_534), None).is_err() {
        // Only root gives folders away; whoever else runs this test looks at one of root's.
        assert_eq!(fs::metadata("/etc").unwrap().uid(), 0);
        assert!(refusal(Path::new("/etc")).contains("a folder of another user"));
        return;
    }
    assert!(refusal(&other).contains("a folder of another user"), "{}", refusal(&other));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
}

/// DATA-09
#[test]
fn damaged_files_are_named_and_kept() {
    let temp = TempDir::new();
    let dir = temp.path().join("agent");
    let folder = DataFolder::open(&dir).unwrap();
    let damage: [&[u8]; 5] = [b"", b"short", b"\xff\xfe", b"null", b"{\"name\":1}"];
    for text in damage {
        for name in ["token", "server.json", "state.json"] {
            if name == "state.json" && text.starts_with(b"{") {
                // What a state may hold is the machine's to judge.
                continue;
            }
            fs::write(dir.join(name), text).unwrap();
            let error = match name {
                "token" => folder.token(false).unwrap_err(),
                "server.json" => folder.server_info().unwrap_err(),
                _ => folder.state().unwrap_err(),
            };
            let message = error.to_string();
            assert!(message.starts_with(&format!("{} is damaged: ", dir.join(name).display())), "{message}");
            assert_eq!(message.lines().count(), 1);
            assert_eq!(fs::read(dir.join(name)).unwrap(), text, "{name} was overwritten");
        }
    }
    let token = folder.token(true).unwrap();
    assert_eq!(folder.token(false).unwrap(), token);
}

/// DATA-09: what no start has written is damage, before anyone takes it for an option that was given.
#[test]
fn values_that_no_start_wrote_are_damage() {
    let temp = TempDir::new();
    let folder = DataFolder::open(&temp.path().join("agent")).unwrap();
    let path = folder.path().join("server.json");
    let view = FolderView::at(folder.path());
    let key = "0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=";
    for (port, hours, servers, fits) in [
        (5226, 23, format!(r#"["smp://{key}@a.example"]"#), true),
        (5226, 23, "[]".to_owned(), true),
        (0, 23, "[]".to_owned(), false),
        (65_536, 23, "[]".to_owned(), false),
        (5226, 0, "[]".to_owned(), false),
        (5226, 24, "[]".to_owned(), false),
        (5226, 23, r#"[""]"#.to_owned(), false),
        (5226, 23, format!(r#"["smp://{key}@a.example", "garbage"]"#), false),
        (5226, 23, format!(r#"["smp://{}@a.example"]"#, &key[1..]), false),
        (5226, 23, "null".to_owned(), false),
    ] {
        let text = format!(r#"{{"name":"a","port":{port},"expireHours":{hours},"smpServers":{servers}}}"#);
        fs::write(&path, &text).unwrap();
        assert_eq!(folder.server_info().is_ok(), fits, "{text}");
        assert_eq!(view.server_info().is_ok(), fits, "{text}");
    }
}

/// DATA-20: what stands in the place of a temporary file is named, not the file.
#[test]
fn a_folder_in_the_place_of_a_temporary_file_is_named() {
    let temp = TempDir::new();
    let folder = DataFolder::open(&temp.path().join("agent")).unwrap();
    for name in ["token", "server.json"] {
        fs::create_dir(folder.path().join(format!(".{name}.tmp"))).unwrap();
    }
    let message = folder.token(true).unwrap_err().to_string();
    assert_eq!(message, no_file(&folder.path().join(".token.tmp")));
    let (inbox, inputs) = Inbox::new();
    let writer = Writer::start(folder.path(), inbox, None);
    writer.write(OpId::new(1), DataFile::Server, "{}".to_owned());
    writer.finish();
    let result = Outcome::Failed(no_file(&folder.path().join(".server.json.tmp")));
    assert_eq!(inputs.try_recv().unwrap(), Input::Done { op: OpId::new(1), result });
    // With the file itself it is the other way round.
    fs::remove_dir(folder.path().join(".token.tmp")).unwrap();
    fs::create_dir(folder.path().join("token")).unwrap();
    let message = folder.token(true).unwrap_err().to_string();
    assert_eq!(message, no_file(&folder.path().join("token")));
}

/// DATA-07, DATA-08: neither reading nor writing follows a link.
#[test]
fn links_and_folders_in_the_place_of_files_are_not_followed() {
    let temp = TempDir::new();
    let dir = temp.path().join("agent");
    let folder = DataFolder::open(&dir).unwrap();
    let target = temp.path().join("target");
    fs::write(&target, "precious").unwrap();
    symlink(&target, dir.join("token")).unwrap();
    let message = folder.token(false).unwrap_err().to_string();
    assert_eq!(message, no_file(&dir.join("token")));
    symlink(&target, dir.join(".headers.json.tmp")).unwrap();
    let token = folder.token(true).unwrap();
    folder.write_headers(&token).unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    assert!(!fs::symlink_metadata(dir.join("token")).unwrap().is_symlink());

    fs::create_dir(dir.join("server.json")).unwrap();
    let message = folder.server_info().unwrap_err().to_string();
    assert_eq!(message, no_file(&dir.join("server.json")));

    drop(folder);
    fs::remove_file(dir.join("lock")).unwrap();
    symlink(&target, dir.join("lock")).unwrap();
    assert_eq!(refusal(&dir), no_file(&dir.join("lock")));
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
}

#[test]
fn what_the_last_start_said_reads_back() {
    let temp = TempDir::new();
    let folder = DataFolder::open(&temp.path().join("agent")).unwrap();
    let path = folder.path().join("server.json");
    fs::write(&path, r#"{"name": "my-agent", "port": 5226, "expireHours": 23, "later": true}"#).unwrap();
    let info = folder.server_info().unwrap().unwrap();
    assert_eq!((info.name.as_str(), info.port, info.expire_hours), ("my-agent", 5226, 23));
    assert!(info.smp_servers.is_empty());
    let state = r#"{"counter": 7}"#;
    fs::write(folder.path().join("state.json"), state).unwrap();
    assert_eq!(folder.state().unwrap().as_deref(), Some(state));
}

/// DATA-04, DATA-07: whoever reads a file while it is replaced sees the old text or the new one, whole; its mode is
/// 0600 from its first moment.
#[test]
fn files_are_replaced_whole() {
    let temp = TempDir::new();
    let folder = DataFolder::open(&temp.path().join("agent")).unwrap();
    let (inbox, inputs) = Inbox::new();
    let writer = Writer::start(folder.path(), inbox, None);
    let texts = ["a".repeat(100_000), "b".repeat(100_000)];
    let last = OpId::new(60);
    for number in 0..=last.number() {
        let text = texts.iter().cycle().nth(usize::try_from(number).unwrap()).unwrap();
        writer.write(OpId::new(number), DataFile::State, text.clone());
    }
    let path = folder.path().join("state.json");
    let mut next = 0;
    while next <= last.number() {
        if let Ok(input) = inputs.try_recv() {
            assert_eq!(input, Input::Done { op: OpId::new(next), result: Outcome::Ok });
            next += 1;
        }
        if let Ok(text) = fs::read_to_string(&path) {
            assert!(texts.contains(&text), "{} bytes", text.len());
            assert_eq!(mode(&path), 0o600);
        }
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
