//! `/_call`: the text of a command, read and written.
//!
//! ```text
//! /_call PROTOCOL {json}
//! /_call @NAME PROTOCOL {json}
//! /_call @'A NAME' PROTOCOL
//! {json}
//! ```
//!
//! One space stands between the parts, or one line break before the JSON (decisions 7). White space inside the object
//! and after it is JSON's own. The object stays the text it is: ids keep their type, numbers their form.

mod write;

use core::fmt;

use serde_json::value::RawValue;

use crate::chat::text;
use crate::jsonrpc::{self, MAX_DEPTH};
use crate::simplex::size::{MESSAGE, encoded_len};

pub use write::{Callee, TooLong, write};

/// The word that every command begins with.
pub const KEYWORD: &str = "/_call";

/// A command, in pieces of its text.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    /// The name after `@`, without its quotes; none for a command to everyone, or to the contact of a direct chat.
    pub member: Option<&'a str>,
    /// The protocol.
    pub protocol: Protocol<'a>,
    /// The protocol's message.
    pub request: Request<'a>,
}

/// The name of a protocol: one or more of `a`–`z`, `0`–`9` and `-`, compared letter by letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Protocol<'a>(&'a str);

impl<'a> Protocol<'a> {
    /// The protocol with this name; none when it is no such name.
    pub fn parse(name: &'a str) -> Option<Self> {
        let fits = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        (!name.is_empty() && name.bytes().all(fits)).then_some(Self(name))
    }

    /// The name.
    pub const fn as_str(self) -> &'a str {
        self.0
    }
}

/// A request: a JSON object, nested at most [`MAX_DEPTH`] deep, as raw text.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a>(&'a RawValue);

impl<'a> Request<'a> {
    /// The request that is this piece of JSON.
    ///
    /// # Errors
    /// [`Fault::NotObject`], [`Fault::Deep`].
    pub fn of(json: &'a RawValue) -> Result<Self, Fault> {
        if !json.get().starts_with('{') {
            return Err(Fault::NotObject);
        }
        if jsonrpc::depth(json.get()) > MAX_DEPTH {
            return Err(Fault::Deep);
        }
        Ok(Self(json))
    }

    /// The JSON.
    pub const fn raw(self) -> &'a RawValue {
        self.0
    }

    /// The JSON's text.
    pub fn text(self) -> &'a str {
        self.0.get()
    }
}

/// A text that begins as a command and is none.
#[derive(Clone, Copy, Debug)]
pub struct Malformed<'a> {
    /// What is wrong.
    pub fault: Fault,
    /// True when there is an `@` part, readable or not: such a text is no broadcast.
    pub is_addressed: bool,
    /// The name after `@`, as far as it could be read.
    pub member: Option<&'a str>,
    /// The protocol, as far as it could be read: its binding knows how to answer.
    pub protocol: Option<Protocol<'a>>,
    /// The object, when it is only nested too deep: its id can still be read.
    pub request: Option<&'a RawValue>,
}

/// What is wrong with a command. Printed, it says what has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// More encoded bytes than a message may have.
    Long,
    /// Not exactly one space between two parts.
    Spaces,
    /// What follows `@` is no name.
    Member,
    /// There is no protocol name where one should be.
    Protocol,
    /// There is nothing after the protocol.
    NoRequest,
    /// What follows the protocol is no JSON.
    NotJson,
    /// It is JSON, but not an object.
    NotObject,
    /// The object is nested too deep.
    Deep,
    /// Something follows the object.
    Trailing,
}

impl Fault {
    /// The fault in one word, as the test vectors name it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Long => "long",
            Self::Spaces => "spaces",
            Self::Member => "member",
            Self::Protocol => "protocol",
            Self::NoRequest => "noRequest",
            Self::NotJson => "notJson",
            Self::NotObject => "notObject",
            Self::Deep => "deep",
            Self::Trailing => "trailing",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::fault(*self))
    }
}

/// Whether a text is a command or tries to be one: it begins with `/_call` as a word of its own.
pub fn is_command(text: &str) -> bool {
    text.strip_prefix(KEYWORD).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Reads a text; `None` when it does not try to be a command.
pub fn parse(text: &str) -> Option<Result<Command<'_>, Malformed<'_>>> {
    if !is_command(text) {
        return None;
    }
    let mut reader = Reader { rest: text.strip_prefix(KEYWORD)?, so_far: Malformed::none() };
    let read = if encoded_len(text) > MESSAGE { Err(Fault::Long) } else { reader.command() };
    Some(read.map_err(|fault| Malformed { fault, ..reader.so_far }))
}

impl Malformed<'_> {
    /// Before anything is read.
    const fn none() -> Self {
        Self { fault: Fault::Long, is_addressed: false, member: None, protocol: None, request: None }
    }
}

/// Takes the parts off the text, one by one, and keeps what it has seen.
struct Reader<'a> {
    rest: &'a str,
    so_far: Malformed<'a>,
}

impl<'a> Reader<'a> {
    fn command(&mut self) -> Result<Command<'a>, Fault> {
        self.space(Fault::Protocol)?;
        if let Some(name) = self.rest.strip_prefix('@') {
            self.so_far.is_addressed = true;
            self.member(name)?;
            self.space(Fault::Protocol)?;
        }
        let protocol = Protocol::parse(self.word()).ok_or(Fault::Protocol)?;
        self.so_far.protocol = Some(protocol);
        if let Some(rest) = self.rest.strip_prefix('\n') {
            self.rest = rest;
            self.no_more_space(Fault::NoRequest)?;
        } else {
            self.space(Fault::NoRequest)?;
        }
        let request = self.request()?;
        Ok(Command { member: self.so_far.member, protocol, request })
    }

    /// One space, and a part after it; `missing` when there is none.
    fn space(&mut self, missing: Fault) -> Result<(), Fault> {
        if self.rest.trim_start().is_empty() {
            return Err(missing);
        }
        self.rest = self.rest.strip_prefix(' ').ok_or(Fault::Spaces)?;
        self.no_more_space(missing)
    }

    fn no_more_space(&self, missing: Fault) -> Result<(), Fault> {
        match self.rest.chars().next() {
            None => Err(missing),
            Some(c) if c.is_whitespace() && self.rest.trim_start().is_empty() => Err(missing),
            Some(c) if c.is_whitespace() => Err(Fault::Spaces),
            Some(_) => Ok(()),
        }
    }

    fn member(&mut self, name: &'a str) -> Result<(), Fault> {
        let name = if let Some(quoted) = name.strip_prefix('\'') {
            let (name, rest) = quoted.split_once('\'').ok_or(Fault::Member)?;
            if !(rest.is_empty() || rest.starts_with([' ', '\n'])) {
                return Err(Fault::Member);
            }
            self.rest = rest;
            name
        } else {
            self.rest = name;
            self.word()
        };
        if name.is_empty() {
            return Err(Fault::Member);
        }
        self.so_far.member = Some(name);
        Ok(())
    }

    /// What stands before the next space or line break.
    fn word(&mut self) -> &'a str {
        let end = self.rest.find([' ', '\n']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn request(&mut self) -> Result<Request<'a>, Fault> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<&RawValue>();
        let json = values.next().ok_or(Fault::NoRequest)?.map_err(|_| Fault::NotJson)?;
        let after = self.rest.get(values.byte_offset()..).unwrap_or_default();
        if !after.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
            return Err(Fault::Trailing);
        }
        let request = Request::of(json);
        if matches!(request, Err(Fault::Deep)) {
            self.so_far.request = Some(json);
        }
        request
    }
}

#[cfg(test)]
mod tests;
