//! For tests: what the markdown parser finds in a finished text, and texts that try to be more than text (P4).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::simplex::markdown::{self, Format};

/// The commands of a posted text, in order. Panics when the parser finds anything but commands and code spans.
pub(crate) fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for part in markdown::parse(text).unwrap_or_default() {
        match part.format {
            None | Some(Format::Snippet) => {}
            Some(Format::Command { command_str }) => commands.push(command_str),
            Some(other) => panic!("{:?} is {other:?} in {text:?}", part.text),
        }
    }
    commands
}

/// A small generator: the same seed gives the same texts.
pub(crate) struct Peer(u64);

impl Peer {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound.max(1)
    }

    /// A text of up to `parts` of what a parser reacts to.
    pub(crate) fn text(&mut self, parts: usize) -> String {
        let count = self.below(parts + 1);
        (0..count).map(|_| PARTS[self.below(PARTS.len())]).collect()
    }

    /// A display name: often a valid one, with characters that markdown reacts to.
    pub(crate) fn name(&mut self) -> String {
        match self.below(3) {
            0 => self.text(6),
            1 => NAMES[self.below(NAMES.len())].to_string(),
            _ => {
                let count = self.below(8) + 1;
                let wild: String = (0..count).map(|_| NAME_PARTS[self.below(NAME_PARTS.len())]).collect();
                crate::simplex::name::valid_form(&wild)
            }
        }
    }
}

const NAMES: [&str; 14] = [
    "Alice",
    "Alice Smith",
    "12345678",
    "+1 234 567 89",
    "a *b",
    "_x_",
    "*",
    "!1 red!",
    "12 34 56 78",
    "7",
    "1234567x",
    "Zoë (ops)",
    "👍",
    "",
];

const NAME_PARTS: [&str; 20] =
    ["a", " ", "*", "_", "!", "1", "12345", "(", ")", "[", "]", "+", "-", "?", "&", "%", "é", "👍", "{", "$"];

const PARTS: [&str; 62] = [
    "a",
    "word",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r",
    "\t",
    "`",
    "``",
    "'",
    "\"",
    "\\",
    "/",
    "/approve 1",
    "/'approve 1'",
    "/'approve @4 all'",
    "/reject #9 12",
    "/list",
    "/_call mcp {}",
    "@",
    "@4",
    "@alice",
    "@'a b'",
    "#",
    "#9",
    "##x##",
    "@directory.simplex",
    "#x.simplex",
    "*",
    "*b*",
    "_i_",
    "~s~",
    "!1 red!",
    "!- small!",
    "!",
    "[x](https://a.example/b)",
    "[",
    "](",
    "https://example.com",
    "simplex:/name#x",
    "https://simplex.chat/contact#/?v=2",
    "http://a.b/c?d=e#f",
    "www.example.com",
    "example.org",
    "me@example.com",
    "+12345678901",
    "12345678",
    "2026-10-18 09:15 UTC",
    "1",
    ".",
    ",",
    ":",
    "\u{0}",
    "\u{1b}[31m",
    "\u{a0}",
    "\u{200b}",
    "\u{202e}",
    "\u{2028}",
    "\u{3164}",
    "👍\u{fe0f}",
    "\u{10fffd}",
];
