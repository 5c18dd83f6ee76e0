//! A start that cannot be: one line that names the file and the remedy, exit code 1, nothing overwritten.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use common::{Home, library_folder};
use simplex_agent_adapters::files::DataFolder;

const SIM: [&str; 4] = ["serve", "my-agent", "--core", "sim"];

/// CLI-35: without a library the ways on are named; a folder without one, or with something else, is named.
#[test]
fn no_library() {
    let home = Home::new();
    let line = home.run(&["serve", "my-agent"]).line(1).to_owned();
    assert!(line.starts_with("SIMPLEX_LIBS_DIR is not set. ") && line.contains("--core sim"), "{line}");
    let libs = home.path().join("libs");
    fs::create_dir(&libs).unwrap();
    let run = || {
        let output = home.command(&["serve", "my-agent"]).env("SIMPLEX_LIBS_DIR", &libs).output().unwrap();
        common::Ended::of(&output).line(1).to_owned()
    };
    let line = run();
    assert!(
        line.starts_with(&format!("SIMPLEX_LIBS_DIR: no libsimplex.so in {}. ", libs.display())),
        "{line}"
    );
    fs::write(libs.join("libsimplex.so"), "no library").unwrap();
    assert!(run().contains("libsimplex.so can't be loaded: "), "{}", run());
    if let Some(other) = loaded_library("libgcc_s.so") {
        fs::copy(other, libs.join("libsimplex.so")).unwrap();
        let line = run();
        let expected = format!("{}/libsimplex.so has no function hs_init_with_rtsopts. ", libs.display());
        assert!(line.starts_with(&expected) && line.contains("SIMPLEX_LIBS_DIR"), "{line}");
    }
    assert_eq!(home.files(), ["libs", "libs/libsimplex.so"]);
}

/// Some library that this process has loaded, where the system tells.
fn loaded_library(name: &str) -> Option<String> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines()
        .filter_map(|line| line.split_whitespace().last())
        .find(|path| path.contains(name))
        .map(str::to_owned)
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
        ("server.json", "{\"name\":\"my-agent\",\"port\":\"5226\",\"expireHours\":23}", "Remove it"),
        ("state.json", "[]", "--reset-owners"),
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
