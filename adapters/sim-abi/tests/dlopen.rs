//! The library as a program loads it: by dlopen, through the adapter.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use simplex_agent_adapters::driver::Inbox;
use simplex_agent_adapters::simplex::libsimplex::{FILE, LibSimplex, Library};
use simplex_agent_adapters::simplex::{Blocking, Pooled, SimplexCore};
use simplex_agent_core::Input;
use simplex_agent_core::effect::Outcome;
use simplex_agent_core::id::OpId;

const CREATE: &str = r#"/_create user {"profile":{"displayName":"my-agent","fullName":"","peerType":"bot"},"pastTimestamp":false}"#;

/// The folder of the library that cargo built with this test: beside its executable.
fn folder() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let deps = exe.parent().unwrap();
    let found = [deps, deps.parent().unwrap()].into_iter().find(|folder| folder.join(FILE).exists());
    found.expect("cargo builds the library with this test; run cargo build -p simplex-sim-abi").to_owned()
}

fn library() -> Library {
    Library::load(&folder()).unwrap()
}

/// A file prefix in a folder of its own, which is removed at the end.
struct Prefix(PathBuf);

impl Prefix {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("simplex-mcp-abi-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.join("simplex")
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn open(prefix: &Path) -> LibSimplex {
    library().open(prefix).unwrap()
}

/// SIM-03, CLI-35: the adapter loads the library, opens a store, sends commands and closes it.
#[test]
fn the_adapter_runs_on_the_library() {
    let prefix = Prefix::new();
    let (inbox, inputs) = Inbox::new();
    let mut core = Pooled::start(open(&prefix.path()), inbox);
    core.send(OpId::new(1), "/user".to_owned());
    let input = inputs.recv_blocking().unwrap();
    let Input::Done { op, result: Outcome::Response(text) } = input else { panic!("{input:?}") };
    assert_eq!(op, OpId::new(1));
    assert!(text.contains("noActiveUser"), "{text}");
    core.send(OpId::new(2), "a NUL \0 inside".to_owned());
    let input = inputs.recv_blocking().unwrap();
    assert!(matches!(input, Input::Done { result: Outcome::Failed(_), .. }), "{input:?}");
    core.close(OpId::new(3));
    loop {
        match inputs.recv_blocking().unwrap() {
            Input::Event(_) => {}
            input => {
                assert_eq!(input, Input::Done { op: OpId::new(3), result: Outcome::Ok });
                break;
            }
        }
    }
}

/// SIM-06: what was answered is found under the prefix again.
#[test]
fn a_store_is_found_again_under_its_prefix() {
    let prefix = Prefix::new();
    let core = open(&prefix.path());
    core.command(CREATE).unwrap();
    let user = core.command("/user").unwrap();
    core.close().unwrap();
    let closed = core.command("/user").unwrap();
    assert!(closed.contains("errorStore"), "{closed}");
    let again = open(&prefix.path());
    assert_eq!(again.command("/user").unwrap(), user);
    assert!(prefix.0.join("simplex_sim.json").exists());
}

/// SIM-05: commands run in parallel from several threads, beside a receiver that waits.
#[test]
fn commands_run_in_parallel_beside_the_receiver() {
    let prefix = Prefix::new();
    let core = open(&prefix.path());
    core.command(CREATE).unwrap();
    let user = core.command("/user").unwrap();
    thread::scope(|scope| {
        let receiver = scope.spawn(|| core.receive(Duration::from_millis(300)));
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| (0..20).all(|_| core.command("/user").unwrap() == user))).collect();
        for thread in threads {
            assert!(thread.join().unwrap());
        }
        receiver.join().unwrap().unwrap();
    });
}

/// SIM-04: the wait is in microseconds, and its empty end is a text.
#[test]
fn receiving_waits_microseconds() {
    let prefix = Prefix::new();
    let core = open(&prefix.path());
    while core.receive(Duration::ZERO).unwrap().is_some() {}
    let began = Instant::now();
    assert_eq!(core.receive(Duration::from_millis(100)).unwrap(), None);
    let waited = began.elapsed();
    assert!(waited >= Duration::from_millis(100) && waited < Duration::from_secs(20), "{waited:?}");
}

/// START-28: a store that does not open is named.
#[test]
fn stores_that_do_not_open() {
    let prefix = Prefix::new();
    library().open_with(&prefix.path(), "secret").unwrap().close().unwrap();
    let file = prefix.0.join("simplex_sim.json");
    let refused = |prefix: &Path| library().open(prefix).unwrap_err().to_string();
    let text = refused(&prefix.path());
    assert!(text.starts_with(&format!("{} is no database without a passphrase", file.display())), "{text}");
    std::fs::write(&file, r#"{"version":9,"key":"","mono":0,"open":[],"network":""}"#).unwrap();
    let text = refused(&prefix.path());
    assert!(text.starts_with(&format!("{} was used by a later SimpleX core", file.display())), "{text}");
    let text = refused(Path::new("/nowhere/simplex"));
    assert!(text.starts_with("/nowhere/simplex_sim.json can't be opened: "), "{text}");
}

/// SIM-03: every function of the digest's list is in the library.
#[test]
fn every_function_is_exported() {
    let names = [
        "hs_init",
        "hs_init_with_rtsopts",
        "chat_migrate_init",
        "chat_migrate_init_key",
        "chat_close_store",
        "chat_reopen_store",
        "chat_send_cmd",
        "chat_send_cmd_retry",
        "chat_send_remote_cmd",
        "chat_send_remote_cmd_retry",
        "chat_recv_msg",
        "chat_recv_msg_wait",
        "chat_parse_markdown",
        "chat_parse_server",
        "chat_parse_uri",
        "chat_password_hash",
        "chat_valid_name",
        "chat_json_length",
        "chat_encrypt_media",
        "chat_decrypt_media",
        "chat_write_file",
        "chat_read_file",
        "chat_encrypt_file",
        "chat_decrypt_file",
    ];
    let bytes = std::fs::read(folder().join(FILE)).unwrap();
    // Names of exported functions stand in the string table between two NULs.
    let strings: BTreeSet<&[u8]> = bytes
        .split(|byte| *byte == 0)
        .filter(|name| name.starts_with(b"chat_") || name.starts_with(b"hs_"))
        .collect();
    let missing: Vec<_> = names.into_iter().filter(|name| !strings.contains(name.as_bytes())).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(!strings.contains(&b"chat_nothing"[..]), "the check finds everything");
}
