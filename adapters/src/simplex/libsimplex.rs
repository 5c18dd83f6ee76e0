//! The SimpleX core as a library: `libsimplex` by dlopen.
//!
//! A library is loaded once in a process, its runtime is started once, and neither is ever unloaded: the Haskell
//! runtime cannot be stopped and started again (digest 1.2).

#[allow(unsafe_code, reason = "the C ABI; each block says why it is sound")]
mod ffi;

mod download;
mod library;
mod machine;
mod sums;

pub use download::{ADDRESS, Address, Limits, Network, Patience, Proxies, Show};
pub use library::{DEFAULT_RELEASE, Environment, Found, LIBS_DIR, Release, Wanted, cached_folder, find};
pub use sums::Sum;

use std::ffi::CString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use simplex_agent_core::simplex::command::Command;
use simplex_agent_core::simplex::version;

use super::Blocking;
use ffi::{Api, Controller};

/// The file of the library, as the releases for this system name it (digest 1.5).
pub const FILE: &str = if cfg!(windows) {
    "libsimplex.dll"
} else if cfg!(target_vendor = "apple") {
    "libsimplex.dylib"
} else {
    "libsimplex.so"
};

/// What a person can do who has no library that works.
const WAYS: &str = "Other ways: SIMPLEX_LIBS_DIR=FOLDER with a SimpleX library of release 7.0 or later, --core \
                    ws://127.0.0.1:5225 with a running simplex-chat -p 5225, or simplex-mcp demo.";

/// The migrations that are run without asking: those to newer versions.
const CONFIRM: &str = "yesUp";

/// Why there is no core. The text is one line with the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenError(String);

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OpenError {}

/// A loaded library. Its runtime is started by the first [`Library::open`].
#[derive(Clone, Copy, Debug)]
pub struct Library {
    api: &'static Api,
}

impl Library {
    /// Loads the library out of a folder (`SIMPLEX_LIBS_DIR`).
    ///
    /// # Errors
    ///
    /// The file is missing, is no library of this system, or lacks a function.
    pub fn load(folder: &Path) -> Result<Self, OpenError> {
        let path = folder.join(FILE);
        if !path.exists() {
            let folder = folder.display();
            return Err(OpenError(format!("{LIBS_DIR}: there is no {FILE} in {folder}. {WAYS}")));
        }
        Self::load_file(&path).map_err(|error| OpenError(format!("{error} {WAYS}")))
    }

    /// Loads a file that is there; an error is one sentence.
    fn load_file(path: &Path) -> Result<Self, String> {
        // The companions of the library are found beside it only by an absolute path.
        let path = path.canonicalize().map_err(|error| format!("{}: {error}.", path.display()))?;
        if let Some(built_for) = machine::other_processor(&path) {
            let this = std::env::consts::ARCH;
            return Err(format!("{} is for {built_for}, and this is {this}.", path.display()));
        }
        Api::load(&path).map(|api| Self { api }).map_err(|error| load_error(&path, &error))
    }

    /// Opens the store `PREFIX_chat.db`, `PREFIX_agent.db`, or creates it, without a key.
    ///
    /// # Errors
    ///
    /// The store does not open; the text names its file and what to do.
    pub fn open(self, prefix: &Path) -> Result<LibSimplex, OpenError> {
        self.open_with(prefix, "")
    }

    /// As [`Library::open`], with the key of an encrypted store; an empty key is none.
    ///
    /// # Errors
    ///
    /// As [`Library::open`].
    pub fn open_with(self, prefix: &Path, key: &str) -> Result<LibSimplex, OpenError> {
        let text = |value: &str| CString::new(value).map_err(|_| OpenError("a path with a NUL".to_owned()));
        let Some(prefix_text) = prefix.to_str() else {
            return Err(OpenError(format!("{}: the SimpleX core takes only UTF-8 paths.", prefix.display())));
        };
        let (answer, controller) = self.api.migrate_init(&text(prefix_text)?, &text(key)?, &text(CONFIRM)?);
        match (migration_error(&answer, prefix), controller) {
            (None, Some(controller)) => LibSimplex { controller, version: None }.checked(),
            (Some(error), _) => Err(OpenError(error)),
            (None, None) => {
                Err(OpenError("the SimpleX core gave no store; use release 7.0 or later.".to_owned()))
            }
        }
    }
}

/// An open store of a library.
#[derive(Debug)]
pub struct LibSimplex {
    controller: Controller,
    version: Option<String>,
}

impl LibSimplex {
    /// Itself, when it is of a release that this program runs on.
    fn checked(mut self) -> Result<Self, OpenError> {
        let answer = self.command(&Command::Version.to_string()).map_err(OpenError)?;
        let Some(refusal) = version::refusal(&answer) else {
            self.version = version::of(&answer);
            return Ok(self);
        };
        // It is not used either way, so what closing it says helps nobody.
        let _ = self.close();
        Err(OpenError(format!("{refusal} {WAYS}")))
    }
}

impl LibSimplex {
    /// The version that the core told, such as `7.0.2.0`.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }
}

impl Blocking for LibSimplex {
    fn command(&self, line: &str) -> Result<String, String> {
        let line = CString::new(line).map_err(|_| "a command with a NUL was not sent".to_owned())?;
        self.controller.send_cmd(&line).ok_or_else(|| "the SimpleX core gave no answer".to_owned())
    }

    fn receive(&self, wait: Duration) -> Result<Option<String>, String> {
        let event = self.controller.recv_msg_wait(wait).ok_or("the SimpleX core gives no events")?;
        Ok((!event.is_empty()).then_some(event))
    }

    fn close(&self) -> Result<(), String> {
        match self.controller.close_store() {
            Some(error) if !error.is_empty() => Err(error),
            _ => Ok(()),
        }
    }
}

/// Why a library cannot be used.
#[derive(Debug)]
enum LoadError {
    /// The system does not load it.
    Refused(String),
    /// It has no function of this name.
    Lacks(&'static str),
    /// Another one is loaded in this process.
    Another(PathBuf),
}

fn load_error(path: &Path, error: &LoadError) -> String {
    let path = path.display();
    match error {
        LoadError::Refused(reason) => format!("{path} can't be loaded: {reason}."),
        LoadError::Lacks(function) => {
            format!("{path} has no function {function}, so it is no SimpleX library of release 7.0 or later.")
        }
        LoadError::Another(loaded) => {
            format!("{path} can't be loaded beside {}; a process has one SimpleX library.", loaded.display())
        }
    }
}

/// What `chat_migrate_init` answers (digest 1.3).
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Migration {
    r#type: String,
    db_file: Option<String>,
    migration_error: Option<Value>,
    #[serde(rename = "migrationSQLError")]
    migration_sql_error: Option<String>,
}

/// What to say of an answer of `chat_migrate_init`; `None` for success.
fn migration_error(answer: &str, prefix: &Path) -> Option<String> {
    let Ok(answer) = serde_json::from_str::<Migration>(answer) else {
        return Some(format!(
            "{}: the SimpleX core answered \"{answer}\" when opening it.",
            prefix.display()
        ));
    };
    let file = answer.db_file.unwrap_or_else(|| prefix.display().to_string());
    Some(match answer.r#type.as_str() {
        "ok" => return None,
        "invalidConfirmation" => {
            format!(
                "{file}: this SimpleX core does not know the confirmation {CONFIRM}; use release 7.0 or later."
            )
        }
        "errorNotADatabase" => format!(
            "{file} is no database without a passphrase: it is encrypted or damaged. Restore it, or start with --data \
             FOLDER."
        ),
        "errorMigration" => {
            let error = answer.migration_error.unwrap_or_default();
            let what = match error.get("type").and_then(Value::as_str) {
                Some("downgrade" | "migrationError") => {
                    "was used by a later SimpleX core: use that release or a later one"
                }
                _ => "can't be brought to the version of this SimpleX core: use the release it was made with",
            };
            format!("{file} {what} ({error}).")
        }
        "errorSQL" => {
            let reason = answer.migration_sql_error.unwrap_or_default();
            format!(
                "{file} can't be opened: {reason}. Make its folder writable, or start with --data FOLDER."
            )
        }
        other => format!("{file} can't be opened: the SimpleX core answered \"{other}\"."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// START-28: each result of opening a store is named, with its file and what to do.
    #[test]
    fn each_result_of_opening_is_named() {
        let told = |answer: &str| migration_error(answer, Path::new("/d/simplex"));
        assert_eq!(told(r#"{"type":"ok"}"#), None);
        for (answer, begins, names) in [
            (r#"{"type":"invalidConfirmation"}"#, "/d/simplex: ", "release 7.0"),
            (
                r#"{"type":"errorNotADatabase","dbFile":"/d/simplex_chat.db"}"#,
                "/d/simplex_chat.db is no database",
                "--data",
            ),
            (
                r#"{"type":"errorMigration","dbFile":"/d/simplex_chat.db","migrationError":{"type":"migrationError","mtrError":{"type":"noDown","dbMigrations":["m1"]}}}"#,
                "/d/simplex_chat.db was used by a later SimpleX core",
                "noDown",
            ),
            (
                r#"{"type":"errorMigration","dbFile":"/d/simplex_agent.db","migrationError":{"type":"upgrade","upMigrations":[]}}"#,
                "/d/simplex_agent.db can't be brought",
                "upMigrations",
            ),
            (
                r#"{"type":"errorSQL","dbFile":"/d/simplex_chat.db","migrationSQLError":"unable to open database file"}"#,
                "/d/simplex_chat.db can't be opened: unable to open database file.",
                "writable",
            ),
            (r#"{"type":"errorLater"}"#, "/d/simplex can't be opened", "errorLater"),
            ("", "/d/simplex: ", "answered"),
            ("[]", "/d/simplex: ", "answered"),
        ] {
            let text = told(answer).unwrap();
            assert!(text.starts_with(begins) && text.contains(names), "{text}");
            assert_eq!(text.lines().count(), 1);
        }
    }

    /// CLI-35: a missing library, something else in its place, and a library without the functions are named.
    #[test]
    fn a_folder_without_a_library_is_named() {
        let folder = std::env::temp_dir().join(format!("simplex-mcp-load-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let text = Library::load(&folder).unwrap_err().to_string();
        assert!(
            text.starts_with(&format!("SIMPLEX_LIBS_DIR: there is no {FILE} in {}. ", folder.display())),
            "{text}"
        );
        std::fs::write(folder.join(FILE), "no library").unwrap();
        let text = Library::load(&folder).unwrap_err().to_string();
        assert!(
            text.contains(&format!("{FILE} can't be loaded: ")) && text.contains("SIMPLEX_LIBS_DIR"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
