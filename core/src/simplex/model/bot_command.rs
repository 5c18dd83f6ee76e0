//! The commands a bot, a business or a group offers as a menu.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess};
use serde_json::value::RawValue;

use super::wire::{Borrowed, Detail};

/// Menus are read this many levels deep; what is below is left out. The apps show two.
const MENU_DEPTH: u8 = 8;

/// One entry of a commands menu (`reference/simplex-api.md` section 2.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BotCommand {
    /// A command: a tap sends `/keyword`, or puts `/keyword params` into the input when there are parameters.
    Command {
        /// The word after the slash.
        keyword: String,
        /// What the app shows.
        label: String,
        /// A text of parameters to edit.
        params: Option<String>,
    },
    /// A submenu.
    Menu {
        /// What the app shows.
        label: String,
        /// Its entries.
        commands: Vec<Self>,
    },
}

/// The `commands` of a preferences object; nothing when they cannot be read, because a peer writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Preferences {
    /// The menu; entries that can't be read are left out.
    pub(super) commands: Vec<BotCommand>,
}

impl Detail for Preferences {
    fn object<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut preferences = Self::default();
        while let Some(Borrowed(key)) = map.next_key()? {
            if key == "commands" {
                preferences.commands = entries(map.next_value()?, MENU_DEPTH);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(preferences)
    }
}

/// The readable entries of a list, at most `depth` levels deep.
fn entries(list: &RawValue, depth: u8) -> Vec<BotCommand> {
    let Some(below) = depth.checked_sub(1) else { return Vec::new() };
    let list: Vec<&RawValue> = serde_json::from_str(list.get()).unwrap_or_default();
    list.iter().filter_map(|raw| entry(raw, below)).collect()
}

fn entry(raw: &RawValue, below: u8) -> Option<BotCommand> {
    #[derive(Deserialize)]
    struct Wire<'a> {
        #[serde(rename = "type")]
        tag: String,
        keyword: Option<String>,
        label: Option<String>,
        params: Option<String>,
        #[serde(borrow)]
        commands: Option<&'a RawValue>,
    }

    let wire: Wire<'_> = serde_json::from_str(raw.get()).ok()?;
    let label = wire.label.unwrap_or_default();
    match wire.tag.as_str() {
        "command" => Some(BotCommand::Command { keyword: wire.keyword?, label, params: wire.params }),
        "menu" => Some(BotCommand::Menu { label, commands: entries(wire.commands?, below) }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;
    use alloc::vec;

    use super::super::wire::detail;
    use super::{BotCommand, Preferences};

    fn read(json: &str) -> Result<Preferences, serde_json::Error> {
        detail(&mut serde_json::Deserializer::from_str(json))
    }

    /// Entries of unknown kinds and broken ones are left out; the others stay, menus too.
    #[test]
    fn readable_entries_stay() {
        let json = r#"{"commands":[
            {"type":"command","keyword":"help","label":"Help"},
            {"type":"command","label":"no keyword"},
            {"type":"slider"}, 7, null,
            {"type":"menu","label":"More","commands":[{"type":"command","keyword":"r","label":"R","params":"<id>"}]}]}"#;
        let help =
            BotCommand::Command { keyword: "help".to_string(), label: "Help".to_string(), params: None };
        let r = BotCommand::Command {
            keyword: "r".to_string(),
            label: "R".to_string(),
            params: Some("<id>".to_string()),
        };
        let more = BotCommand::Menu { label: "More".to_string(), commands: vec![r] };
        let read: Preferences = read(json).expect("preferences");
        assert_eq!(read.commands, [help, more]);
    }

    /// A menu of any depth, or of another shape, never makes the profile around it unreadable.
    #[test]
    fn a_hostile_menu_is_cut() {
        let deep = (0..5000).fold("[]".to_string(), |inner, _| {
            format!(r#"[{{"type":"menu","label":"","commands":{inner}}}]"#)
        });
        for commands in [deep.as_str(), "null", "7", "{}"] {
            let json = format!(r#"{{"commands":{commands}}}"#);
            assert!(read(&json).is_ok());
        }
    }
}
