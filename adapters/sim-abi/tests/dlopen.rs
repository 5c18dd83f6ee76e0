//! The library as a program loads it: by dlopen, through the adapter, and function by function.
#![allow(clippy::unwrap_used, unsafe_code)]

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
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

    fn file(&self, name: &str) -> CString {
        CString::new(self.0.join(name).to_str().unwrap()).unwrap()
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The functions that the adapter does not use.
struct Raw(libloading::Library);

impl Raw {
    fn load() -> &'static Self {
        static RAW: OnceLock<Raw> = OnceLock::new();
        RAW.get_or_init(|| {
            // SAFETY: the library of this workspace has no initialisers.
            Self(unsafe { libloading::Library::new(folder().join(FILE)) }.unwrap())
        })
    }

    fn has(&self, name: &str) -> bool {
        // SAFETY: the symbol is looked for, not used.
        unsafe { self.0.get::<*const c_void>(name) }.is_ok()
    }

    /// Calls a function that takes pointers and gives a text.
    fn call<const N: usize>(&self, name: &str, args: [*const c_void; N]) -> String {
        let at = |index: usize| args.get(index).copied().unwrap_or(std::ptr::null());
        // SAFETY: the C calling convention lets a function ignore arguments, and all take pointers here.
        let text = unsafe {
            let function = self
                .0
                .get::<unsafe extern "C" fn(
                    *const c_void,
                    *const c_void,
                    *const c_void,
                    *const c_void,
                ) -> *mut c_char>(name)
                .unwrap();
            function(at(0), at(1), at(2), at(3))
        };
        take(text)
    }
}

unsafe extern "C" {
    fn free(pointer: *mut c_void);
}

fn take(text: *mut c_char) -> String {
    assert!(!text.is_null());
    // SAFETY: a NUL-terminated text of the library, which is ours to free.
    unsafe {
        let taken = CStr::from_ptr(text).to_str().unwrap().to_owned();
        free(text.cast());
        taken
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

/// SIM-03: every function of the digest's list is there.
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
    let missing: BTreeSet<_> = names.into_iter().filter(|name| !Raw::load().has(name)).collect();
    assert_eq!(missing, BTreeSet::new());
    assert!(!Raw::load().has("chat_nothing"), "the check finds everything");
}

/// SIM-34: null pointers, bytes that are no UTF-8, closed and invented controllers are refused.
#[test]
fn misuse_is_refused() {
    let raw = Raw::load();
    let null = std::ptr::null::<c_void>();
    let invented = std::ptr::without_provenance::<c_void>(0xdead_bee0);
    let user = c"/user".as_ptr().cast();
    let bytes = c"\xff\xfe".as_ptr().cast();
    for control in [null, invented, std::ptr::without_provenance(usize::MAX)] {
        assert!(raw.call("chat_send_cmd", [control, user]).contains("errorStore"));
        assert_eq!(raw.call("chat_close_store", [control]), "no such controller");
        assert_eq!(raw.call("chat_reopen_store", [control]), "no such controller");
        assert_eq!(raw.call("chat_recv_msg", [control]), "");
    }
    let prefix = Prefix::new();
    let path = prefix.file("simplex");
    let empty = c"".as_ptr().cast();
    let confirm = c"yesUp".as_ptr().cast();
    let mut control: *mut c_void = std::ptr::null_mut();
    let place: *const c_void = (&raw mut control).cast_const().cast();
    let answer = |args| raw.call("chat_migrate_init", args);
    assert!(answer([null, empty, confirm, place]).contains("errorSQL"));
    assert!(answer([bytes, empty, confirm, place]).contains("errorSQL"));
    assert!(answer([path.as_ptr().cast(), empty, confirm, null]).contains("errorSQL"));
    for confirm in [null, empty, bytes, c"maybe".as_ptr().cast()] {
        assert_eq!(
            answer([path.as_ptr().cast(), empty, confirm, place]),
            r#"{"type":"invalidConfirmation"}"#
        );
    }
    assert!(control.is_null());
    assert_eq!(answer([path.as_ptr().cast(), empty, confirm, place]), r#"{"type":"ok"}"#);
    let control: *const c_void = control;
    assert!(!control.is_null());
    for command in [null, bytes] {
        assert!(raw.call("chat_send_cmd", [control, command]).contains("commandError"));
    }
    assert!(raw.call("chat_send_cmd_retry", [control, user]).contains("noActiveUser"));
    assert_eq!(raw.call("chat_close_store", [control]), "");
    assert_eq!(raw.call("chat_close_store", [control]), "");
    assert!(raw.call("chat_send_cmd", [control, user]).contains("errorStore"));
    assert_eq!(raw.call("chat_recv_msg", [control]), "");
    assert_eq!(raw.call("chat_reopen_store", [control]), "");
    assert!(raw.call("chat_send_cmd", [control, user]).contains("noActiveUser"));
    for function in ["chat_parse_markdown", "chat_valid_name", "chat_parse_server", "chat_parse_uri"] {
        raw.call(function, [null]);
        raw.call(function, [bytes]);
    }
}

/// SIM-33: the functions on texts; the rules themselves are judged where they are written.
#[test]
fn functions_on_texts() {
    let raw = Raw::load();
    let call = |function: &str, text: &CStr| raw.call(function, [text.as_ptr().cast()]);
    assert_eq!(call("chat_parse_markdown", c"plain"), "{}");
    let parts: serde_json::Value =
        serde_json::from_str(&call("chat_parse_markdown", c"a *b*\n/'approve 1' or /'reject 1'")).unwrap();
    let commands: Vec<_> = parts["formattedText"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|part| part["format"]["commandStr"].as_str())
        .collect();
    assert_eq!(commands, ["approve 1", "reject 1"]);
    assert_eq!(call("chat_valid_name", c"My Agent."), "My Agent");
    // SAFETY: the function takes a text and gives a number.
    let length = unsafe {
        let function = raw.0.get::<unsafe extern "C" fn(*const c_char) -> c_int>("chat_json_length").unwrap();
        function(c"a\"\n\x01\xc3\xa9".as_ptr())
    };
    assert_eq!(length, 1 + 2 + 2 + 6 + 2);
    assert_eq!(
        call("chat_parse_server", c"smp://abc:pw@one.example,two.onion:5223"),
        r#"{"parseError":"","serverAddress":{"basicAuth":"pw","hostnames":["one.example","two.onion"],"keyHash":"abc","port":"5223","serverProtocol":"smp"}}"#
    );
    for wrong in
        [c"", c"http://abc@one.example", c"smp://@one.example", c"smp://abc@", c"smp://abc@one example"]
    {
        assert!(!call("chat_parse_server", wrong).contains("serverAddress"), "{wrong:?}");
    }
    assert!(call("chat_parse_uri", c"https://simplex.chat/x?utm_source=y").contains(r#""scheme":"https""#));
    assert!(!call("chat_parse_uri", c"no uri").contains("uriInfo"));
    let hash =
        |salt: &CStr| raw.call("chat_password_hash", [c"secret".as_ptr().cast(), salt.as_ptr().cast()]);
    assert_ne!(hash(c"a"), hash(c"b"));
    assert_eq!(hash(c"a").len(), 88);
}

/// SIM-03: files go through encryption and back, and a wrong key is noticed.
#[test]
fn files_are_encrypted_and_decrypted() {
    let raw = Raw::load();
    let temp = Prefix::new();
    let (plain, encrypted, back) = (temp.file("plain"), temp.file("encrypted"), temp.file("back"));
    let data = [7u8; 100];
    std::fs::write(plain.to_str().unwrap(), data).unwrap();
    let null = std::ptr::null();
    let answer = raw.call("chat_encrypt_file", [null, plain.as_ptr().cast(), encrypted.as_ptr().cast()]);
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["type"], "result");
    let argument = |name: &str| CString::new(answer["cryptoArgs"][name].as_str().unwrap()).unwrap();
    let (key, nonce) = (argument("fileKey"), argument("fileNonce"));
    assert!(!std::fs::read(encrypted.to_str().unwrap()).unwrap().windows(9).any(|part| part == [7; 9]));
    let decrypt = |key: &CStr| {
        let (from, to) = (encrypted.as_ptr().cast(), back.as_ptr().cast());
        raw.call("chat_decrypt_file", [from, key.as_ptr().cast(), nonce.as_ptr().cast(), to])
    };
    assert_ne!(decrypt(&nonce), "");
    assert_eq!(decrypt(&key), "");
    assert_eq!(std::fs::read(back.to_str().unwrap()).unwrap(), data);

    // SAFETY: three texts in; bytes of the documented form out, which are ours to free.
    let read = |path: &CStr| unsafe {
        let function = raw
            .0
            .get::<unsafe extern "C" fn(*const c_char, *const c_char, *const c_char) -> *mut u8>(
                "chat_read_file",
            )
            .unwrap();
        let bytes = function(path.as_ptr(), key.as_ptr(), nonce.as_ptr());
        let result = match *bytes {
            0 => {
                let length = bytes.add(1).cast::<u32>().read_unaligned();
                Ok(std::slice::from_raw_parts(bytes.add(5), length as usize).to_vec())
            }
            _ => Err(CStr::from_ptr(bytes.add(1).cast()).to_str().unwrap().to_owned()),
        };
        free(bytes.cast());
        result
    };
    assert_eq!(read(&encrypted).unwrap(), data);
    assert!(read(&temp.file("missing")).is_err());
    assert!(
        raw.call("chat_encrypt_file", [null, temp.file("missing").as_ptr().cast(), back.as_ptr().cast()])
            .contains("writeError")
    );
}
