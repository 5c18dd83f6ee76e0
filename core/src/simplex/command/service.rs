//! The key that signs a Service RPC request, in a command.
//!
//! A command holds the label of the key and never the key: effects are recorded and printed. Who carries the command
//! out puts the key in, at the last moment ([`with_key`]).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

/// What a line with a key has before it.
const MARK: &str = " sign_key=@";
/// The longest label.
const MAX_LABEL: usize = 64;

/// The name of a key in the data folder: 1 to 64 of `a-z 0-9 -`, so that it is a file name on every system. In a
/// command it is `sign_key=@LABEL`, which no key is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct KeyLabel(String);

impl KeyLabel {
    /// The label in this text; None when it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        ((1..=MAX_LABEL).contains(&text.len()) && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file of the data folder with the key.
    pub fn file_name(&self) -> String {
        format!("rpc-{}.key", self.0)
    }
}

impl<'de> Deserialize<'de> for KeyLabel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("not a label"))
    }
}

impl fmt::Display for KeyLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The label in a command line that is to be signed.
pub fn key_label(line: &str) -> Option<KeyLabel> {
    split(line).map(|(_, label, _)| label)
}

/// The same line with the key in the place of its label: a secret from here on, to be written to the core and nowhere
/// else. Any other line stays as it is.
pub fn with_key(line: &str, sign_key: &str) -> String {
    let Some((before, _, after)) = split(line) else { return line.to_owned() };
    format!("{before} sign_key={sign_key}{after}")
}

/// What stands before the mark, the label, and what stands after it. A mark inside the JSON is none.
fn split(line: &str) -> Option<(&str, KeyLabel, &str)> {
    let head = line.find('{').and_then(|at| line.get(..at))?;
    if !head.starts_with("/_service_request ") {
        return None;
    }
    let (before, after) = line.split_at_checked(head.find(MARK)?)?;
    let (label, _) = after.strip_prefix(MARK)?.split_once(' ')?;
    let rest = after.get(MARK.len().saturating_add(label.len())..)?;
    Some((before, KeyLabel::parse(label)?, rest))
}
