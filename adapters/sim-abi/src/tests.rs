//! The functions of the library as a C program calls them.

use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use super::caller;

/// A folder of its own, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("simplex-mcp-c-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn file(&self, name: &str) -> CString {
        CString::new(self.0.join(name).to_str().unwrap()).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn path(file: &CString) -> &Path {
    Path::new(file.to_str().unwrap())
}

/// Bytes that are no UTF-8.
const BYTES: Option<&CStr> = Some(c"\xff\xfe");
const USER: Option<&CStr> = Some(c"/user");
const EMPTY: Option<&CStr> = Some(c"");
const CONFIRM: Option<&CStr> = Some(c"yesUp");

/// SIM-34: null pointers, bytes that are no UTF-8 and invented controllers are refused.
#[test]
fn controllers_that_are_none() {
    for control in [0, 0xdead_bee0, usize::MAX] {
        assert!(caller::send_cmd(control, USER).contains("errorStore"));
        assert_eq!(caller::close_store(control), "no such controller");
        assert_eq!(caller::reopen_store(control), "no such controller");
        assert_eq!(caller::recv_msg(control), "");
        assert_eq!(caller::recv_msg_wait(control, -1), "");
        assert!(caller::send_remote_cmd(control, USER).contains("errorRemoteHost"));
    }
}

/// SIM-34: arguments that are none open nothing.
#[test]
fn arguments_that_are_none() {
    let folder = Folder::new();
    let prefix = folder.file("simplex");
    let prefix = Some(prefix.as_c_str());
    let mut control = 0;
    for arguments in
        [[None, EMPTY, CONFIRM], [BYTES, EMPTY, CONFIRM], [prefix, None, CONFIRM], [prefix, BYTES, CONFIRM]]
    {
        assert!(caller::migrate_init(arguments, Some(&mut control)).contains("errorSQL"));
    }
    assert!(caller::migrate_init([prefix, EMPTY, CONFIRM], None).contains("errorSQL"));
    for confirm in [None, EMPTY, BYTES, Some(c"maybe")] {
        let answer = caller::migrate_init([prefix, EMPTY, confirm], Some(&mut control));
        assert_eq!(answer, r#"{"type":"invalidConfirmation"}"#);
    }
    assert_eq!(control, 0);
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
}

/// SIM-08, SIM-34: an open, a closed and a reopened store.
#[test]
fn a_store_is_opened_closed_and_reopened() {
    let folder = Folder::new();
    let prefix = folder.file("simplex");
    let mut control = 0;
    let answer = caller::migrate_init([Some(&prefix), EMPTY, CONFIRM], Some(&mut control));
    assert_eq!(answer, r#"{"type":"ok"}"#);
    assert_ne!(control, 0);
    for command in [None, BYTES] {
        assert!(caller::send_cmd(control, command).contains("commandError"));
    }
    assert!(caller::send_cmd_retry(control, USER).contains("noActiveUser"));
    assert_eq!(caller::recv_msg_wait(control, 0), "");
    assert_eq!(caller::close_store(control), "");
    assert_eq!(caller::close_store(control), "");
    assert!(caller::send_cmd(control, USER).contains("errorStore"));
    assert_eq!(caller::recv_msg(control), "");
    assert_eq!(caller::reopen_store(control), "");
    assert!(caller::send_cmd(control, USER).contains("noActiveUser"));
    assert_eq!(caller::close_store(control), "");
}

/// SIM-33: the functions on texts; the rules themselves are judged where they are written.
#[test]
fn functions_on_texts() {
    let markdown = |text| caller::on_text(super::chat_parse_markdown, text);
    assert_eq!(markdown(Some(c"plain")), "{}");
    let parts: Value = serde_json::from_str(&markdown(Some(c"a *b*\n/'approve 1' or /'reject 1'"))).unwrap();
    let parts = parts["formattedText"].as_array().unwrap();
    let commands: Vec<_> = parts.iter().filter_map(|part| part["format"]["commandStr"].as_str()).collect();
    assert_eq!(commands, ["approve 1", "reject 1"]);
    let valid_name = |text| caller::on_text(super::chat_valid_name, text);
    assert_eq!(valid_name(Some(c"My Agent.")), "My Agent");
    assert_eq!(caller::json_length(Some(c"a\"\n\x01\xc3\xa9")), 1 + 2 + 2 + 6 + 2);
    let hash = |salt| caller::password_hash(Some(c"secret"), salt);
    assert_ne!(hash(Some(c"a")), hash(Some(c"b")));
    assert_eq!(hash(None).len(), 88);
    assert!(caller::parse_uri(Some(c"https://simplex.chat/x")).contains(r#""scheme":"https""#));
    for text in [None, BYTES, Some(c"no uri"), Some(c":x"), Some(c"1x:y")] {
        assert!(!caller::parse_uri(text).contains("uriInfo"), "{text:?}");
        assert_eq!(markdown(text), "{}");
        valid_name(text);
    }
    assert_eq!(caller::json_length(None), 0);
}

/// The parts of the address of a router.
#[test]
fn addresses_of_routers() {
    let parse = |text| caller::on_text(super::chat_parse_server, text);
    assert_eq!(
        parse(Some(c"smp://abc:pw@one.example,two.onion:5223")),
        concat!(
            r#"{"parseError":"","serverAddress":{"basicAuth":"pw","hostnames":["one.example","two.onion"],"#,
            r#""keyHash":"abc","port":"5223","serverProtocol":"smp"}}"#
        )
    );
    for text in [
        None,
        BYTES,
        Some(c""),
        Some(c"http://abc@one.example"),
        Some(c"smp://@one.example"),
        Some(c"smp://abc@"),
        Some(c"smp://abc@one example"),
        Some(c"smp://abc@one.example:x"),
    ] {
        assert!(!parse(text).contains("serverAddress"), "{text:?}");
    }
}

/// SIM-03: files go through encryption and back, and a wrong key is noticed.
#[test]
fn files_are_encrypted_and_decrypted() {
    let folder = Folder::new();
    let (plain, encrypted, back) = (folder.file("plain"), folder.file("encrypted"), folder.file("back"));
    let missing = folder.file("missing");
    let data = [7u8; 100];
    std::fs::write(path(&plain), data).unwrap();
    let arguments = |answer: &str| {
        let answer: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(answer["type"], "result", "{answer}");
        ["fileKey", "fileNonce"]
            .map(|name| CString::new(answer["cryptoArgs"][name].as_str().unwrap()).unwrap())
    };
    let [key, nonce] = arguments(&caller::encrypt_file(Some(&plain), Some(&encrypted)));
    assert!(!std::fs::read(path(&encrypted)).unwrap().windows(9).any(|part| part == [7; 9]));
    assert_ne!(caller::decrypt_file(Some(&encrypted), &nonce, &nonce, Some(&back)), "");
    assert!(!path(&back).exists());
    assert_eq!(caller::decrypt_file(Some(&encrypted), &key, &nonce, Some(&back)), "");
    assert_eq!(std::fs::read(path(&back)).unwrap(), data);
    assert_eq!(caller::read_file(Some(&encrypted), Some(&key), Some(&nonce)).unwrap(), data);
    for file in [None, Some(missing.as_c_str()), Some(plain.as_c_str())] {
        caller::read_file(file, Some(&key), Some(&nonce)).unwrap_err();
    }
    assert!(caller::encrypt_file(Some(&missing), Some(&back)).contains("writeError"));
    assert!(caller::write_file(None, &data).contains("writeError"));
    let [key, nonce] = arguments(&caller::write_file(Some(&back), b""));
    assert_eq!(caller::read_file(Some(&back), Some(&key), Some(&nonce)).unwrap(), b"");
}
