//! The markdown of messages: which parts of a text SimpleX apps show as bold, as links, as tappable commands.
//!
//! The rules are those of the SimpleX core 7.0 (digest 6; judged by its recorded answers, which are not always what
//! the apps' help says). Everything that asks whether a text is safe to post asks this parser (decisions 2).
//!
//! The time taken is linear in the length of the text, whatever it contains.

mod email;
mod finder;
mod line;
mod phone;
mod reference;
mod uri;
mod word;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::Value;

use super::target::{LinkKind, SimplexName};

/// A part of a text with one format. Delimiters are no part of it: the text of `*b*` is `b`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FormattedText {
    /// None for plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The text as it is shown.
    pub text: String,
}

/// How a part of a text is shown; the JSON form is the core's `format` object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Format {
    /// `*bold*`.
    Bold,
    /// `_italic_`.
    Italic,
    /// `~struck~`.
    StrikeThrough,
    /// `` `code` ``.
    Snippet,
    /// `#hidden until tapped#`.
    Secret,
    /// `!- small!`.
    Small,
    /// `!1 red!` or `!red text!`.
    Colored {
        /// The colour.
        color: Color,
    },
    /// A web address, with `http` or without.
    Uri,
    /// `[text](https://…)`; the text of the part is the whole of it.
    HyperLink {
        /// The text in brackets.
        #[serde(skip_serializing_if = "Option::is_none")]
        show_text: Option<String>,
        /// The address in parentheses.
        link_uri: String,
    },
    /// A SimpleX link, or `[text](short link)`.
    SimplexLink {
        /// The text in brackets, when there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        show_text: Option<String>,
        /// What it leads to.
        link_type: LinkKind,
        /// The link in the `simplex:` scheme.
        simplex_uri: String,
        /// The hosts it names.
        smp_hosts: Vec<String>,
    },
    /// `@name.simplex` or `#name`: a public name, which anyone may register.
    SimplexName {
        /// The name.
        name_info: SimplexName,
    },
    /// `/command` or `/'command with words'`; a text of one line that starts with `/` is one command as a whole.
    Command {
        /// What a tap sends after `/`; of a one-line command everything after it, quotes included.
        command_str: String,
    },
    /// `@member` or `@'member of two words'`.
    Mention {
        /// The name without quotes.
        member_name: String,
    },
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
}

/// A colour of `!… text!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Color {
    /// `r`, `red` or `1`.
    Red,
    /// `g`, `green` or `2`.
    Green,
    /// `b`, `blue` or `3`.
    Blue,
    /// `y`, `yellow` or `4`.
    Yellow,
    /// `c`, `cyan` or `5`.
    Cyan,
    /// `m`, `magenta` or `6`.
    Magenta,
}

/// The formatted parts of a message text in their order; None when no part has a format.
///
/// Lines end at `\n` only, and each is parsed alone; a final `\n` is no part of the answer. Neighbours of equal
/// format are one part.
pub fn parse(text: &str) -> Option<Vec<FormattedText>> {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    if !lines.contains('\n') {
        let inner = lines.trim_start_matches(' ');
        let mut rest = inner.chars();
        let first = rest.next()?;
        let command = rest.as_str();
        if command.is_empty() {
            return None;
        }
        if first == '/' {
            let format = Some(Format::Command { command_str: command.to_owned() });
            return Some(Vec::from([FormattedText { format, text: lines.to_owned() }]));
        }
    }
    let mut parts = Parts::default();
    for (index, line) in lines.split('\n').enumerate() {
        if index > 0 {
            parts.push(None, "\n");
        }
        line::parse(line, &mut parts);
    }
    parts.0.iter().any(|part| part.format.is_some()).then_some(parts.0)
}

/// The parts as the core writes them: an array of `{"format":{…},"text":"…"}`, without `format` for plain text.
pub fn to_json(parts: &[FormattedText]) -> Value {
    // Nothing in it can fail to serialise: all keys are strings.
    serde_json::to_value(parts).unwrap_or(Value::Null)
}

/// Parts found so far.
#[derive(Default)]
struct Parts(Vec<FormattedText>);

impl Parts {
    /// Adds a part, joined to the last one when their formats are equal.
    fn push(&mut self, format: Option<Format>, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.format == format => last.text.push_str(text),
            _ => self.0.push(FormattedText { format, text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests;
