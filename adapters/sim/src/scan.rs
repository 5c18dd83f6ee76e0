//! Reading command lines (digest 2.1).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use crate::db::Chat;
use crate::errors;

/// What is left of a command line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan<'a>(pub(crate) &'a str);

/// A chat reference with its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Contact(i64),
    /// A group, and in its support scope: the own one, or that of a member.
    Group(i64, Option<Option<i64>>),
    Local(i64),
    Connection(i64),
}

impl<'a> Scan<'a> {
    /// Takes `text` when it comes next.
    pub(crate) fn take(&mut self, text: &str) -> bool {
        self.0.strip_prefix(text).map(|rest| self.0 = rest).is_some()
    }

    /// A number of any length, which wraps in 64 bits as in the core (FINDINGS.md 7).
    pub(crate) fn id(&mut self) -> Result<i64, Value> {
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(end);
        if digits.is_empty() {
            return Err(errors::parse());
        }
        self.0 = rest;
        Ok(digits.bytes().fold(0i64, |n, b| n.wrapping_mul(10).wrapping_add(i64::from(b - b'0'))))
    }

    pub(crate) fn ids(&mut self) -> Result<Vec<i64>, Value> {
        let mut ids = alloc::vec![self.id()?];
        while self.take(",") {
            ids.push(self.id()?);
        }
        Ok(ids)
    }

    pub(crate) fn space(&mut self) -> Result<(), Value> {
        if self.take(" ") { Ok(()) } else { Err(errors::parse()) }
    }

    /// ` NAME=on` or ` NAME=off`, when it comes next.
    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<bool>, Value> {
        let mut rest = *self;
        if !(rest.take(" ") && rest.take(name) && rest.take("=")) {
            return Ok(None);
        }
        let value = if rest.take("on") {
            true
        } else if rest.take("off") {
            false
        } else {
            return Err(errors::parse());
        };
        *self = rest;
        Ok(Some(value))
    }

    /// Up to the next space.
    pub(crate) fn word(&mut self) -> &'a str {
        let end = self.0.find(' ').unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        word
    }

    /// Nothing more but spaces.
    pub(crate) fn end(&self) -> Result<(), Value> {
        if self.0.trim().is_empty() { Ok(()) } else { Err(errors::parse()) }
    }

    /// The rest as JSON.
    pub(crate) fn json(&mut self) -> Result<Value, Value> {
        let value = serde_json::from_str(self.0).map_err(|_| errors::parse())?;
        self.0 = "";
        Ok(value)
    }

    /// ` {…}`: the rest as a JSON object.
    pub(crate) fn object(&mut self) -> Result<Value, Value> {
        self.space()?;
        let value = self.json()?;
        if value.is_object() { Ok(value) } else { Err(errors::parse()) }
    }

    /// A role that the parser knows.
    pub(crate) fn role(&mut self) -> Result<String, Value> {
        self.space()?;
        let word = self.word();
        if matches!(word, "owner" | "admin" | "moderator" | "member" | "observer") {
            Ok(word.to_string())
        } else {
            Err(errors::parse())
        }
    }

    /// `@ID`, `#ID`, `#ID(_support)`, `#ID(_support:ID)`, `*ID`, `:ID`.
    pub(crate) fn target(&mut self) -> Result<Target, Value> {
        if self.take("@") {
            return Ok(Target::Contact(self.id()?));
        }
        if self.take("*") {
            return Ok(Target::Local(self.id()?));
        }
        if self.take(":") {
            return Ok(Target::Connection(self.id()?));
        }
        if !self.take("#") {
            return Err(errors::parse());
        }
        let id = self.id()?;
        if self.take("(_support)") {
            return Ok(Target::Group(id, Some(None)));
        }
        if self.take("(_support:") {
            let member = self.id()?;
            return if self.take(")") {
                Ok(Target::Group(id, Some(Some(member))))
            } else {
                Err(errors::parse())
            };
        }
        Ok(Target::Group(id, None))
    }

    /// `#ID`.
    pub(crate) fn group(&mut self) -> Result<i64, Value> {
        if self.take("#") { self.id() } else { Err(errors::parse()) }
    }
}

impl Target {
    /// The chat it names; pending connections have none.
    pub(crate) fn chat(self) -> Option<Chat> {
        match self {
            Self::Contact(id) => Some(Chat::Contact(id)),
            Self::Group(id, _) => Some(Chat::Group(id)),
            Self::Local(id) => Some(Chat::Local(id)),
            Self::Connection(_) => None,
        }
    }
}

/// A line as the core reads it: whitespace bytes at the end are gone, of which 0xA0 is one, so that a last character
/// that is written with it is broken (FINDINGS.md 6).
pub(crate) fn strip(line: &str) -> String {
    let mut bytes = line.as_bytes();
    while let Some((last, rest)) = bytes.split_last() {
        if !matches!(last, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C | 0xA0) {
            break;
        }
        bytes = rest;
    }
    match core::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(e) => {
            let (valid, _) = bytes.split_at(e.valid_up_to());
            let mut text = core::str::from_utf8(valid).unwrap_or_default().to_string();
            text.push('?');
            text
        }
    }
}
