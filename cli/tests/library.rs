//! `serve` on a machine without the library: it is downloaded, kept and used, or one line says why not.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/mirror.rs"]
mod mirror;

use std::fs;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::server::{PATIENCE, Running, free_port};
use common::{Ended, Home, library_folder};
use mirror::{Answer, Mirror, archive};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use simplex_agent_adapters::simplex::libsimplex::FILE;

/// An archive with the library that cargo built.
fn release() -> Vec<u8> {
    archive(&[(&format!("libs/{FILE}"), &fs::read(library_folder().join(FILE)).unwrap())])
}

/// `serve NAME` with what it would download.
fn serve(home: &Home, name: &str, mirror: &Mirror) -> Command {
    let port = free_port().to_string();
    // The owner of the simulated network is not needed.
    let scenario = home.path().join("nobody.json");
    fs::write(&scenario, "{}").unwrap();
    let mut command = home.command(&["serve", name, "--port", &port, "--libs-url", &mirror.address()]);
    command.env("SIMPLEX_SIM_SCENARIO", scenario);
    command
}

fn cache(home: &Home) -> PathBuf {
    home.path().join(".cache/simplex-chat/v7.0.2")
}

/// What is left of a download that did not end well: nothing that could be taken for a library.
fn assert_no_library(home: &Home) {
    assert!(!cache(home).join("sqlite").exists() && !cache(home).join("sqlite.sha256").exists());
}

/// LIB-01, LIB-02, LIB-03, LIB-06: the first start downloads the library, says so on stderr, and serves; the second
/// asks nobody.
#[test]
fn first_and_second_start() {
    let home = Home::new();
    let mirror = Mirror::new(Answer::Whole(release(), Duration::ZERO));
    let mut server = Running::start(&mut serve(&home, "my-agent", &mirror));
    server.until("Listening on ");
    let ended = server.stop(Signal::TERM);
    let lines: Vec<_> = ended.stderr.lines().collect();
    assert_eq!(
        (ended.code, lines[0]),
        (Some(0), &*format!("Downloading libsimplex from {} ...", mirror.address()))
    );
    let sum = lines.last().unwrap().strip_prefix("SHA-256 of the archive: ").unwrap();
    assert!(lines[1..lines.len() - 1].iter().all(|line| line.ends_with("%)")), "{lines:?}");
    let kept = fs::read_to_string(cache(&home).join("sqlite.sha256")).unwrap();
    assert!(kept.starts_with(sum), "{kept}");

    let mut server = Running::start(serve(&home, "my-agent", &mirror).args(["--libs-sha256", sum]));
    server.until("Listening on ");
    let ended = server.stop(Signal::TERM);
    assert_eq!((ended.code, ended.stderr.as_str(), mirror.asked()), (Some(0), "", 1));
    // DOC-07: the version that this core told.
    let mut doctor = home.command(&["doctor", "my-agent"]);
    let looked = Ended::of(&doctor.env("PATH", "/usr/bin:/bin").output().unwrap()).stdout;
    let line = format!("ok    library: of release v7.0.2, in {}/sqlite, version 7.", cache(&home).display());
    assert!(
        looked.lines().any(|found| found.starts_with(&line) && found.ends_with(" at the last start")),
        "{looked}"
    );
}

/// LIB-03: on a terminal the download is one line that is drawn over.
#[test]
fn a_bar_on_a_terminal() {
    let home = Home::new();
    let mirror = Mirror::new(Answer::Whole(archive(&[("libs/none.so", &vec![7; 300_000])]), Duration::ZERO));
    let pty = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&pty).unwrap();
    unlockpt(&pty).unwrap();
    let name = ptsname(&pty, Vec::new()).unwrap().into_string().unwrap();
    let terminal = fs::File::options().read(true).write(true).open(name).unwrap();
    let mut command = serve(&home, "my-agent", &mirror);
    let mut child = command.stdout(Stdio::null()).stderr(terminal).spawn().unwrap();
    drop(command);
    let mut seen = Vec::new();
    // The end of a terminal that nobody holds any more is an error on Linux.
    let _ = fs::File::from(pty.as_fd().try_clone_to_owned().unwrap()).read_to_end(&mut seen);
    let seen = String::from_utf8(seen).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(seen.contains("\r[##############################] 0.2 of 0.2 MiB (100%)\x1b[K\r\n"), "{seen:?}");
    assert!(seen.contains("\nSHA-256 of the archive: ") && seen.contains("can't be used: "), "{seen:?}");
}

/// LIB-10, LIB-11: a start that is killed in the middle of a download, or asked to stop, ends at once, and leaves
/// nothing that the next start takes for a library; a stop in the middle is a stop as asked.
#[test]
fn ended_in_the_middle() {
    let release = release();
    let home = Home::new();
    let mirror = Mirror::new(Answer::Half(release.clone()));
    for (earlier, signal) in [Signal::TERM, Signal::INT, Signal::KILL].into_iter().enumerate() {
        let server = Running::start(&mut serve(&home, "my-agent", &mirror));
        let begun = Instant::now();
        let part = cache(&home).join(".sqlite.download/archive.zip");
        // What an earlier run left goes away before its request.
        while mirror.asked() == earlier || !fs::metadata(&part).is_ok_and(|part| part.len() > 0) {
            assert!(begun.elapsed() < PATIENCE, "no download");
            thread::sleep(Duration::from_millis(10));
        }
        server.signal(signal);
        let begun = Instant::now();
        let killed = signal == Signal::KILL;
        let ended = server.end();
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        let (code, stdout) = if killed { (None, "") } else { (Some(0), "Stopped.\n") };
        assert_eq!((ended.code, ended.stdout.as_str()), (code, stdout), "{ended:?}");
        assert_no_library(&home);
        assert!(!home.data("my-agent").exists());
    }
    mirror.change(Answer::Whole(release, Duration::ZERO));
    let mut server = Running::start(&mut serve(&home, "my-agent", &mirror));
    server.until("Listening on ");
    assert_eq!(server.stop(Signal::TERM).code, Some(0));
    assert!(!cache(&home).join(".sqlite.download").exists());
}

/// LIB-08: a disk that takes no more, here a limit on the size of files: the file is named, and nothing stays.
#[test]
fn no_room() {
    let home = Home::new();
    let mirror = Mirror::new(Answer::Whole(release(), Duration::ZERO));
    let command = serve(&home, "my-agent", &mirror);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -f 1000; exec \"$@\"", "sh"])
        .arg(command.get_program())
        .args(command.get_args());
    limited
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env_remove("SIMPLEX_LIBS_DIR");
    let ended = Ended::of(&limited.current_dir(home.path()).output().unwrap());
    let line = ended.stderr.lines().last().unwrap();
    let part = cache(&home).join(".sqlite.download/archive.zip");
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(line.starts_with(&format!("{} can't be written: ", part.display())), "{line}");
    assert!(line.contains("SIMPLEX_LIBS_DIR") && !part.exists(), "{line}");
    assert_no_library(&home);
}

/// LIB-10: two first starts at once make one download, and both serve.
#[test]
fn two_at_once() {
    let home = Home::new();
    let mirror = Mirror::new(Answer::Whole(release(), Duration::from_millis(500)));
    let servers: Vec<_> =
        ["one", "two"].map(|name| Running::start(&mut serve(&home, name, &mirror))).into_iter().collect();
    for mut server in servers {
        server.until("Listening on ");
        assert_eq!(server.stop(Signal::TERM).code, Some(0));
    }
    assert_eq!(mirror.asked(), 1);
}

/// LIB-08, LIB-09: no library and no network: one line with the ways on, exit code 1, no data folder. The address is
/// that of the release, and the proxy of the environment is the one that is asked.
#[test]
fn no_network() {
    let home = Home::new();
    for (args, address) in [
        (&[][..], "/v7.0.2/simplex-chat-libs-"),
        (&["--libs-version", "7.1.3"], "/v7.1.3/simplex-chat-libs-"),
        (&["--libs-version", "core-7.1.0.12"], "/core-7.1.0.12/simplex-chat-libs-"),
    ] {
        // Home::command names a proxy that nobody is.
        let ended = Ended::of(&home.command(&["serve", "my-agent"]).args(args).output().unwrap());
        let lines: Vec<_> = ended.stderr.lines().collect();
        assert_eq!((ended.code, ended.stdout.as_str(), lines.len()), (Some(1), "", 2), "{ended:?}");
        let start = format!("https://github.com/simplex-chat/simplex-chat-libs/releases/download{address}");
        assert!(lines[0].starts_with(&format!("Downloading libsimplex from {start}")), "{ended:?}");
        assert!(lines[1].starts_with(&start) && lines[1].contains(".zip can't be downloaded: "), "{ended:?}");
        for way in
            ["(through the proxy of HTTPS_PROXY)", "SIMPLEX_LIBS_DIR", "--core ws://", "simplex-mcp demo"]
        {
            assert!(lines[1].contains(way), "{way}: {ended:?}");
        }
        assert!(!home.data("my-agent").exists());
        assert_no_library(&home);
    }
}

/// LIB-12, LIB-14: a library that came in an archive and cannot be loaded, or lacks a function, is named with how to
/// be rid of it; it is loaded before a data folder is made.
#[test]
fn a_library_that_does_not_load() {
    let home = Home::new();
    let mut libraries = vec![(b"no library".to_vec(), "can't be loaded: ")];
    if let Some(other) = common::loaded_library("libgcc_s.so") {
        libraries.push((fs::read(other).unwrap(), "has no function hs_init_with_rtsopts"));
    }
    for (library, reason) in libraries {
        let mirror =
            Mirror::new(Answer::Whole(archive(&[(&format!("libs/{FILE}"), &library)]), Duration::ZERO));
        for _ in 0..2 {
            let ended = Ended::of(&serve(&home, "my-agent", &mirror).output().unwrap());
            let line = ended.stderr.lines().last().unwrap();
            assert_eq!(ended.code, Some(1));
            let folder = cache(&home).join("sqlite");
            let folder = folder.display();
            let remedy = format!("Remove {folder} and {folder}.sha256 to have it downloaded again.");
            assert!(line.contains(reason) && line.contains(&remedy), "{line}");
        }
        assert_eq!(mirror.asked(), 1);
        assert!(!home.data("my-agent").exists());
        fs::remove_dir_all(cache(&home)).unwrap();
    }
}

/// LIB-05: a core before 7.0 is refused in one line.
#[test]
fn an_old_core() {
    let home = Home::new();
    fs::write(home.path().join("old.json"), r#"{"options": {"version": "6.4"}}"#).unwrap();
    let mut command = home.command(&["serve", "my-agent"]);
    command.env("SIMPLEX_LIBS_DIR", library_folder()).env("SIMPLEX_SIM_SCENARIO", "old.json");
    let ended = Ended::of(&command.output().unwrap());
    let line = ended.line(1);
    assert!(line.starts_with("This SimpleX core is 6.4.5.1, and 7.0 or later is needed. "), "{line}");
    assert!(line.contains("SIMPLEX_LIBS_DIR") && line.contains("simplex-mcp demo"), "{line}");
}

/// LIB-13: options of the library that do not fit end with exit code 2, and nothing is made.
#[test]
fn options_of_the_library() {
    let home = Home::new();
    let sum = "ab".repeat(32);
    for (args, message) in [
        (&["--libs-version", "6.4.5"][..], "--libs-version: a release, 7.0 or later expected, got 6.4.5"),
        (&["--libs-version=../x"], "--libs-version: a release, 7.0 or later expected, got ../x"),
        (
            &["--libs-url", "http://one.example/a.zip"],
            "--libs-url: https://HOST/FILE.zip expected, got http://one.example/a.zip",
        ),
        (&["--libs-url="], "--libs-url: https://HOST/FILE.zip expected, got "),
        (&["--libs-sha256", "abc"], "--libs-sha256: 64 hexadecimal digits expected, got abc"),
        (&["--core", "sim", "--libs-version", "7.0.2"], "--libs-version: goes with --core lib."),
        (&["--core", "sim", "--libs-url", "x"], "--libs-url: goes with --core lib."),
        (&["--core", "sim", "--libs-sha256", "x"], "--libs-sha256: goes with --core lib."),
    ] {
        let args: Vec<_> = ["serve", "a"].iter().chain(args).copied().collect();
        assert_eq!(home.run(&args).line(2), message);
    }
    let mut command = home.command(&["serve", "a", "--libs-sha256", &sum]);
    let ended = Ended::of(&command.env("SIMPLEX_LIBS_DIR", library_folder()).output().unwrap());
    let expected = "--libs-sha256: SIMPLEX_LIBS_DIR is set, so there is no archive to compare. Leave one of the two out.";
    assert_eq!(ended.line(2), expected);
    assert_eq!(home.files(), Vec::<String>::new());
}
