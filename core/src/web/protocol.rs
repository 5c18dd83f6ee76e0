//! Names of protocols.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned;
use core::fmt;

use serde::{Serialize, Serializer};

use crate::chat::command;

/// The name of a protocol, by the rule of [`command::Protocol`], kept beside what says that it is served.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Protocol(Cow<'static, str>);

impl Protocol {
    /// The Agent2Agent protocol.
    pub const A2A: Self = Self(Cow::Borrowed("a2a"));
    /// The Model Context Protocol.
    pub const MCP: Self = Self(Cow::Borrowed("mcp"));

    /// The protocol of this exact name, as declarations, envelopes and `/_call` have it; none for any other text.
    pub fn exact(name: &str) -> Option<Self> {
        command::Protocol::parse(name).map(|name| Self(Cow::Owned(name.as_str().to_owned())))
    }

    /// The protocol of this name in any ASCII letter case, as `llms.txt` may have it (decisions 7).
    pub fn folded(name: &str) -> Option<Self> {
        Self::exact(&name.to_ascii_lowercase())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Protocol {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Protocol;

    /// WEB-16, WEB-31: names are exact in declarations, and folded in `llms.txt`, by ASCII alone.
    #[test]
    fn names() {
        for (text, exact, folded) in [
            ("mcp", Some("mcp"), Some("mcp")),
            ("MCP", None, Some("mcp")),
            ("x-2", Some("x-2"), Some("x-2")),
            ("-", Some("-"), Some("-")),
            ("", None, None),
            ("mcp 1.0", None, None),
            ("a_b", None, None),
            ("\u{212a}2", None, None),
        ] {
            assert_eq!(Protocol::exact(text).as_ref().map(Protocol::as_str), exact, "{text:?}");
            assert_eq!(Protocol::folded(text).as_ref().map(Protocol::as_str), folded, "{text:?}");
        }
        assert_eq!(Protocol::exact("mcp"), Some(Protocol::MCP));
        assert_eq!(Protocol::folded("A2A"), Some(Protocol::A2A));
    }
}
