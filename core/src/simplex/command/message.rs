//! Messages inside commands, in JSON form.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt;

use serde::Serialize;

use crate::simplex::model::{GroupMemberId, ItemId};

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// The text.
    pub text: String,
    /// The members it mentions, by the name as it stands in the text, without `@` and quotes: at most three, none in a
    /// chat with a contact or in one line that begins with `/` (`reference/simplex-api.md` section 6.2).
    pub mentions: BTreeMap<String, GroupMemberId>,
    /// The item it quotes.
    pub quoted: Option<ItemId>,
}

impl Composed {
    /// A message of this text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), mentions: BTreeMap::new(), quoted: None }
    }
}

/// The messages with commas between them.
pub(super) fn write_list(f: &mut fmt::Formatter<'_>, messages: &[Composed]) -> fmt::Result {
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            f.write_str(",")?;
        }
        let wire = Wire {
            msg_content: Text::new(&message.text),
            mentions: &message.mentions,
            quoted_item_id: message.quoted,
        };
        write_json(f, &wire)?;
    }
    Ok(())
}

/// The content of an edit. The core refuses one without `mentions`.
pub(super) fn write_edit(
    f: &mut fmt::Formatter<'_>,
    text: &str,
    mentions: &BTreeMap<String, GroupMemberId>,
) -> fmt::Result {
    write_json(f, &Wire { msg_content: Text::new(text), mentions, quoted_item_id: None })
}

/// `[ json MSGCONTENT]`
pub(super) fn write_first(f: &mut fmt::Formatter<'_>, text: Option<&str>) -> fmt::Result {
    let Some(text) = text else { return Ok(()) };
    f.write_str(" json ")?;
    write_json(f, &Text::new(text))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    msg_content: Text<'a>,
    mentions: &'a BTreeMap<String, GroupMemberId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quoted_item_id: Option<ItemId>,
}

#[derive(Serialize)]
struct Text<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}

impl<'a> Text<'a> {
    const fn new(text: &'a str) -> Self {
        Self { kind: "text", text }
    }
}

fn write_json(f: &mut fmt::Formatter<'_>, value: &impl Serialize) -> fmt::Result {
    f.write_str(&serde_json::to_string(value).map_err(|_| fmt::Error)?)
}
