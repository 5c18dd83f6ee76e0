//! A start that cannot be: one line that names the file and the remedy, exit code 1, nothing overwritten.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use common::{Home, library_folder, loaded_library};
use simplex_agent_adapters::files::DataFolder;

const SIM: [&str; 4] = ["serve", "my-agent", "--core", "sim"];

/// CLI-35, LIB-12: a folder without a library, or with something else, is named, with the ways on.
#[test]
fn no_library() {
    let home = Home::new();
    let libs = home.path().join("libs");
    fs::create_dir(&libs).unwrap();
    let run = || {
        let output = home.command(&["serve", "my-agent"]).env("SIMPLEX_LIBS_DIR", &libs).output().unwrap();
        common::Ended::of(&output).line(1).to_owned()
    };
    let line = run();
    assert!(
        line.starts_with(&format!("SIMPLEX_LIBS_DIR: there is no libsimplex.so in {}. ", libs.display())),
        "{line}"
    );
    fs::write(libs.join("libsimplex.so"), "no library").unwrap();
    assert!(run().contains("libsimplex.so can't be loaded: "), "{}", run());
    if let Some(other) = loaded_library("libgcc_s.so") {
        fs::copy(other, libs.join("libsimplex.so")).unwrap();
        let line = run();
        let expected = format!("{}/libsimplex.so has no function hs_init_with_rtsopts, ", libs.display());
        assert!(line.starts_with(&expected) && line.contains("SIMPLEX_LIBS_DIR"), "{line}");
    }
    assert_eq!(home.files(), ["libs", "libs/libsimplex.so"]);
}

/// DATA-05: a second server on the same folder names the first one's PID, and changes nothing.
#[test]
fn a_folder_in_use() {
    let home = Home::new();
    let dir = home.data("my-agent");
    let held = DataFolder::open(&dir).unwrap();
    let before = home.files();
    let dir = dir.display();
    let expected = format!(
        "Another server uses {dir} (PID {}). If no server runs, remove {dir}/lock.",
        std::process::id()
    );
    assert_eq!(home.run(&SIM).line(1), expected);
    assert_eq!(home.run(&["serve", "my-agent", "--core=sim", "--new-token"]).line(1), expected);
    assert_eq!(home.files(), before);
    drop(held);
}

/// DATA-08: what is no folder of this user's is named and left alone.
#[test]
fn a_folder_that_cannot_be_used() {
    let home = Home::new();
    let real = home.path().join("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, home.path().join("link")).unwrap();
    fs::write(home.path().join("file"), "mine").unwrap();
    let before = home.files();
    for (data, reason) in [
        ("link", "a symbolic link, not a folder"),
        ("link/", "a symbolic link, not a folder"),
        ("file", "not a folder"),
        ("file/below", "can't be created"),
    ] {
        let ended = home.run(&["serve", "my-agent", "--core", "sim", "--data", data]);
        let line = ended.line(1);
        let named = home.path().join(data.trim_end_matches('/'));
        assert!(line.starts_with(named.to_str().unwrap()) && line.contains(reason), "{line}");
        assert!(line.contains("--data"), "{line}");
    }
    assert_eq!(home.files(), before);
    if cfg!(target_os = "linux") {
        // /proc takes no new folders from anyone, root included.
        let ended = home.run(&["serve", "my-agent", "--core", "sim", "--data", "/proc/agent"]);
        assert!(ended.line(1).starts_with("/proc/agent can't be created: "), "{ended:?}");
    }
}

/// DATA-09, CLI-36: a damaged file is named with the remedy, and nothing is overwritten.
#[test]
fn damaged_files() {
    for (name, text, remedy) in [
        ("token", "short\n", "--new-token"),
        ("token", "", "--new-token"),
        ("server.json", "{", "Remove it"),
        (
            "server.json",
            "{\"name\":\"my-agent\",\"port\":5226,\"expireHours\":23,\"smpServers\":[\"smp://x\"]}",
            "Remove it",
        ),
        ("server.json", "{\"name\":\"my-agent\",\"port\":\"5226\",\"expireHours\":23}", "Remove it"),
        ("state.json", "[]", "move it away to start without it"),
        ("simplex_sim.json", "{}", "Restore it"),
    ] {
        let home = Home::new();
        let dir = home.data("my-agent");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join(name), text).unwrap();
        let ended = home.run(&SIM);
        let line = ended.line(1);
        let path = dir.join(name);
        assert!(
            line.starts_with(&format!("{} is damaged", path.display())) && line.contains(remedy),
            "{line}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{name} was overwritten");
        if name != "simplex_sim.json" {
            let files: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(files.len(), 2, "only the lock was made: {files:?}");
        }
    }
}

/// START-28, CLI-35: a store that the library does not open is named.
#[test]
fn a_store_that_the_library_does_not_open() {
    let home = Home::new();
    let dir = home.data("my-agent");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("simplex_sim.json"), "no store").unwrap();
    let mut command = home.command(&["serve", "my-agent"]);
    let output = command.env("SIMPLEX_LIBS_DIR", library_folder()).output().unwrap();
    let ended = common::Ended::of(&output);
    let expected = format!("{}/simplex_sim.json is no database without a passphrase", dir.display());
    assert!(ended.line(1).starts_with(&expected), "{ended:?}");
    assert_eq!(fs::read_to_string(dir.join("simplex_sim.json")).unwrap(), "no store");
    assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o7777, 0o700);
}

/// DATA-20: what stands in the place of a file is named, never waited for, and left alone.
#[test]
fn no_files_in_the_place_of_files() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    for name in ["lock", "token", "headers.json", "server.json", "state.json", "simplex_sim.json"] {
        for kind in ["pipe", "folder", "link"] {
            if kind == "link" && name == "headers.json" {
                // Replaced without being followed.
                continue;
            }
            let home = Home::new();
            let dir = home.data("my-agent");
            fs::create_dir_all(&dir).unwrap();
            let path = dir.join(name);
            match kind {
                "pipe" if name == "headers.json" => continue,
                "pipe" => mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap(),
                "folder" => fs::create_dir(&path).unwrap(),
                _ => symlink("nowhere", &path).unwrap(),
            }
            let before = fs::symlink_metadata(&path).unwrap().file_type();
            let ended = home.run(&SIM);
            let expected = format!("{}: not a regular file. Move it away, then start again.", path.display());
            assert_eq!(ended.line(1), expected, "{kind}");
            assert_eq!(fs::symlink_metadata(&path).unwrap().file_type(), before);
        }
    }
}

/// DATA-21: the folder of another agent is not served under this one's name.
#[test]
fn the_folder_of_another_agent() {
    let home = Home::new();
    let dir = home.path().join("shared");
    fs::create_dir(&dir).unwrap();
    let info = "{\"name\":\"other\",\"port\":5226,\"expireHours\":23}";
    fs::write(dir.join("server.json"), info).unwrap();
    let ended = home.run(&["serve", "my-agent", "--core", "sim", "--data", "shared"]);
    assert_eq!(
        ended.line(1),
        format!(
            "{} is the data folder of agent \"other\", not of \"my-agent\". Start with serve other, or with --data \
             and another folder.",
            dir.display()
        )
    );
    assert_eq!(fs::read_to_string(dir.join("server.json")).unwrap(), info);
    assert_eq!(home.files(), ["shared", "shared/lock", "shared/server.json"]);
}

/// DATA-08: a file-size limit, which stands for every disk that takes no more, is named with its remedy.
#[test]
fn a_file_that_cannot_grow() {
    let home = Home::new();
    let program = env!("CARGO_BIN_EXE_simplex-mcp");
    let mut command = home.command(&[]);
    let mut limited = std::process::Command::new("sh");
    limited.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.args(["-c", "ulimit -f 0; exec \"$0\" \"$@\"", program]).args(SIM).current_dir(home.path());
    command = limited;
    let ended = common::Ended::of(&command.output().unwrap());
    let line = ended.line(1);
    let lock = home.data("my-agent").join("lock");
    assert!(line.starts_with(lock.to_str().unwrap()) && line.contains("ulimit -f"), "{line}");
    assert_eq!(home.files(), [".simplex-mcp", ".simplex-mcp/my-agent", ".simplex-mcp/my-agent/lock"]);
}

/// DATA-08: a folder that this user may not write is named with its remedy. Only root can become another user.
#[test]
#[cfg(target_os = "linux")]
fn a_folder_without_access() {
    let home = Home::new();
    let made = fs::create_dir(home.path().join("closed")).is_ok();
    fs::set_permissions(home.path().join("closed"), fs::Permissions::from_mode(0o500)).unwrap();
    let args = ["serve", "my-agent", "--core", "sim", "--data", "closed/agent"];
    let mut command = home.command(&args);
    if rustix::process::geteuid().is_root() {
        use std::os::unix::process::CommandExt;
        command.uid(65_534).gid(65_534);
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(home.path().join("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    }
    // Where the program itself stands in a folder that the other user can't reach, nothing can be tried.
    let Ok(output) = command.output() else { return };
    let ended = common::Ended::of(&output);
    let line = ended.line(1);
    let named = format!("{} can't be created: ", home.path().join("closed/agent").display());
    assert!(made && line.starts_with(&named), "{line}");
    assert!(line.ends_with("Give this user access to it, or start with --data FOLDER."), "{line}");
}

/// REC-01: a record that can't be made is named with its remedy, and nothing else is made.
#[test]
fn a_record_in_no_folder() {
    let home = Home::new();
    let ended = home.run(&["serve", "my-agent", "--core", "sim", "--record", "nowhere/r.jsonl"]);
    assert_eq!(
        ended.line(1),
        "--record: nowhere/r.jsonl: No such file or directory (os error 2). Name a new file in a folder that you can \
         write to."
    );
}
