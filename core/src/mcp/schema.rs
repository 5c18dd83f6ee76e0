//! A small description of JSON objects, used twice: published as JSON Schema, and to check tool input.
//!
//! Both come from one table, so that what is published is what is checked. The check names the first violation in the
//! order of the table, then unknown fields; each message names the field, the rule and what was given, so that a model
//! can correct its call (decisions 5).
//!
//! What JSON text can hold and a Rust value can't (half of a surrogate pair, a number beyond `f64`, nesting deeper
//! than 127) never gets here: [`Server`](super::Server) refuses it with the name of its field.

#[cfg(test)]
pub(crate) mod evaluate;
mod publish;

use alloc::format;
use alloc::string::{String, ToString};

use serde_json::{Map, Value};

/// A JSON object: its fields in the order in which they are published and checked. Other fields are refused.
#[derive(Debug, PartialEq)]
pub struct Record {
    /// The fields.
    pub fields: &'static [Field],
}

/// One field of a [`Record`].
#[derive(Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// Whether it must be there, and what it is when it is not.
    pub presence: Presence,
    /// What it means, for the model.
    pub description: &'static str,
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Always there.
    Required,
    /// May be absent.
    Optional,
    /// May be absent, and is then this integer.
    Integer(u64),
    /// May be absent, and is then this boolean.
    Boolean(bool),
}

/// What a value may be.
#[derive(Debug, PartialEq)]
pub enum Kind {
    /// Text of `min` to `max` characters (code points); U+0000 is one like any other, since the core takes it
    /// (FINDINGS 6).
    Text {
        /// Fewest characters.
        min: u32,
        /// Most characters.
        max: u32,
    },
    /// Any text; for results only.
    AnyText,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A chat reference: `@N` or `#N`, N of 1 to 15 digits (the plan, "Identifiers").
    Chat,
    /// A whole number; `60.0` is one too, as JSON Schema says.
    Integer {
        /// The smallest.
        min: u64,
        /// The largest, at most 999,999,999,999,999.
        max: u64,
    },
    /// True or false.
    Boolean,
    /// `min` to `max` different IDs, each 1 to 999,999,999,999,999.
    Ids {
        /// Fewest items.
        min: u32,
        /// Most items.
        max: u32,
    },
    /// A list of such values; for results only.
    List(&'static Self),
    /// An object.
    Record(&'static Record),
    /// Any object; for results only.
    AnyRecord,
}

/// The largest ID: 15 digits, so that it never wraps in the SimpleX core (FINDINGS 7, "Ids wrap").
pub const MAX_ID: u64 = 999_999_999_999_999;

impl Record {
    /// Checks an object.
    ///
    /// # Errors
    /// The first violation, in the order of the table; then the first unknown field in the order of names.
    pub fn check(&self, object: &Map<String, Value>) -> Result<(), String> {
        for field in self.fields {
            match object.get(field.name) {
                Some(value) => field.kind.check(field.name, value)?,
                None if field.presence == Presence::Required => {
                    return Err(format!("{}: is required, {}", field.name, field.kind.rule()));
                }
                None => {}
            }
        }
        match object.keys().find(|key| self.fields.iter().all(|field| field.name != key.as_str())) {
            Some(unknown) => Err(self.unknown(unknown)),
            None => Ok(()),
        }
    }

    /// The refusal of a field that the table does not have.
    fn unknown(&self, name: &str) -> String {
        let name = short(name);
        let known = self.fields.iter().map(|field| field.name).collect::<alloc::vec::Vec<_>>().join(", ");
        match known.is_empty() {
            true => format!("{name}: unknown field; this tool takes none"),
            false => format!("{name}: unknown field; known are {known}"),
        }
    }
}

impl Kind {
    /// Checks the value of the field `name`.
    fn check(&self, name: &str, value: &Value) -> Result<(), String> {
        let wrong = || Err(format!("{name}: {}, is {}", self.rule(), given(value)));
        match (self, value) {
            (Self::Text { min, max }, Value::String(text)) => {
                let count = text.chars().count();
                if count < *min as usize || count > *max as usize {
                    return Err(format!("{name}: {}, has {count}", self.rule()));
                }
                Ok(())
            }
            (Self::AnyText, Value::String(_))
            | (Self::Boolean, Value::Bool(_))
            | (Self::AnyRecord, Value::Object(_)) => Ok(()),
            (Self::Word(words), Value::String(text)) if words.contains(&text.as_str()) => Ok(()),
            (Self::Chat, Value::String(text)) if is_chat(text) => Ok(()),
            (Self::Integer { min, max }, _) if whole(value).is_some_and(|n| (*min..=*max).contains(&n)) => {
                Ok(())
            }
            (Self::Ids { min, max }, Value::Array(items)) => {
                if items.len() < *min as usize || items.len() > *max as usize {
                    return Err(format!("{name}: {}, has {}", self.rule(), items.len()));
                }
                check_ids(name, items)
            }
            (Self::List(kind), Value::Array(items)) => {
                items.iter().enumerate().try_for_each(|(at, item)| kind.check(&format!("{name}[{at}]"), item))
            }
            (Self::Record(record), Value::Object(object)) => {
                record.check(object).map_err(|error| format!("{name}.{error}"))
            }
            _ => wrong(),
        }
    }

    /// The rule in words, after `FIELD: `.
    fn rule(&self) -> String {
        match self {
            Self::Text { min, max } => format!("must have {min} to {max} characters"),
            Self::AnyText => "must be text".to_string(),
            Self::Word(words) => format!("must be one of {}", words.join(", ")),
            Self::Chat => {
                "must be @N for a contact or #N for a group or channel, N of 1 to 15 digits".to_string()
            }
            Self::Integer { min, max } => format!("must be an integer from {min} to {max}"),
            Self::Boolean => "must be true or false".to_string(),
            Self::Ids { min, max } => format!("must be a list of {min} to {max} integers"),
            Self::List(_) => "must be a list".to_string(),
            Self::Record(_) | Self::AnyRecord => "must be an object".to_string(),
        }
    }
}

/// A whole number of at most 15 digits, written as one or as a float without a fraction.
pub fn whole(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    let whole = number.as_u64().or_else(|| {
        // Exact: a float up to 10^15 that survives the way there and back has no fraction.
        let float = number.as_f64().filter(|float| (0.0..=1e15).contains(float))?;
        Some(float as u64).filter(|whole| *whole as f64 == float)
    })?;
    (whole <= MAX_ID).then_some(whole)
}

/// Items of [`Kind::Ids`]: each an ID, none twice.
fn check_ids(name: &str, items: &[Value]) -> Result<(), String> {
    let rule = Kind::Integer { min: 1, max: MAX_ID };
    for (at, item) in items.iter().enumerate() {
        rule.check(&format!("{name}[{at}]"), item)?;
        if items.iter().take(at).any(|earlier| whole(earlier) == whole(item)) {
            return Err(format!("{name}: must not repeat an item, has {} twice", given(item)));
        }
    }
    Ok(())
}

/// Whether the text is `@N` or `#N` with 1 to 15 digits.
fn is_chat(text: &str) -> bool {
    let Some(digits) = text.strip_prefix(['@', '#']) else { return false };
    (1..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// What was given, in a few words.
fn given(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_string(),
        Value::Object(_) => "an object".to_string(),
        Value::String(text) => format!("the text {}", Value::from(short(text))),
        Value::Null | Value::Bool(_) | Value::Number(_) => short(&value.to_string()),
    }
}

/// The first 40 characters, with `…` for the rest.
fn short(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    static RECORD: Record = Record {
        fields: &[
            Field { name: "chat", kind: Kind::Chat, presence: Presence::Required, description: "A chat." },
            Field {
                name: "text",
                kind: Kind::Text { min: 1, max: 5 },
                presence: Presence::Optional,
                description: "A text.",
            },
            Field {
                name: "wait",
                kind: Kind::Integer { min: 0, max: 86_400 },
                presence: Presence::Integer(60),
                description: "Seconds.",
            },
            Field {
                name: "flag",
                kind: Kind::Boolean,
                presence: Presence::Boolean(false),
                description: "A flag.",
            },
            Field {
                name: "ids",
                kind: Kind::Ids { min: 1, max: 3 },
                presence: Presence::Optional,
                description: "IDs.",
            },
            Field {
                name: "word",
                kind: Kind::Word(&["a", "b"]),
                presence: Presence::Optional,
                description: "A word.",
            },
        ],
    };

    /// TOOL-06, TOOL-07, TOOL-09, TOOL-10, TOOL-11, TOOL-12: the messages of every rule, as JSON text to the first violation.
    #[test]
    fn each_violation_is_named() {
        let chat = "chat: must be @N for a contact or #N for a group or channel, N of 1 to 15 digits, is ";
        let wait = "wait: must be an integer from 0 to 86400, is ";
        let ids = "ids[0]: must be an integer from 1 to 999999999999999, is ";
        let table: &[(&str, &str)] = &[
            (r#"{"chat":"@4"}"#, ""),
            (
                r##"{"chat":"#123456789012345","text":"абвгд","wait":86400,"flag":true,"ids":[1,2,3],"word":"b"}"##,
                "",
            ),
            (r#"{"chat":"@4","wait":60.0,"ids":[45.0]}"#, ""),
            (r#"{"chat":"@4","wait":6e1}"#, ""),
            (
                "{}",
                "chat: is required, must be @N for a contact or #N for a group or channel, N of 1 to 15 digits",
            ),
            (r#"{"chat":4}"#, &[chat, "4"].concat()),
            (r#"{"chat":"4"}"#, &[chat, "the text \"4\""].concat()),
            (r#"{"chat":"@"}"#, &[chat, "the text \"@\""].concat()),
            (r#"{"chat":"@1234567890123456"}"#, &[chat, "the text \"@1234567890123456\""].concat()),
            (r#"{"chat":"@٤"}"#, &[chat, "the text \"@٤\""].concat()),
            (r#"{"chat":null}"#, &[chat, "null"].concat()),
            (r#"{"chat":"@4","text":""}"#, "text: must have 1 to 5 characters, has 0"),
            (r#"{"chat":"@4","text":"абвгде"}"#, "text: must have 1 to 5 characters, has 6"),
            (r#"{"chat":"@4","text":"a\u0000"}"#, ""),
            (r#"{"chat":"@4","text":5}"#, "text: must have 1 to 5 characters, is 5"),
            (r#"{"chat":"@4","text":["a"]}"#, "text: must have 1 to 5 characters, is a list"),
            (r#"{"chat":"@4","wait":"60"}"#, &[wait, "the text \"60\""].concat()),
            (r#"{"chat":"@4","wait":-1}"#, &[wait, "-1"].concat()),
            (r#"{"chat":"@4","wait":86401}"#, &[wait, "86401"].concat()),
            (r#"{"chat":"@4","wait":0.5}"#, &[wait, "0.5"].concat()),
            (r#"{"chat":"@4","wait":1e300}"#, &[wait, "1e+300"].concat()),
            (r#"{"chat":"@4","wait":18446744073709551616}"#, &[wait, "1.8446744073709552e+19"].concat()),
            (r#"{"chat":"@4","wait":null}"#, &[wait, "null"].concat()),
            (r#"{"chat":"@4","flag":"true"}"#, "flag: must be true or false, is the text \"true\""),
            (r#"{"chat":"@4","ids":[]}"#, "ids: must be a list of 1 to 3 integers, has 0"),
            (r#"{"chat":"@4","ids":[1,2,3,4]}"#, "ids: must be a list of 1 to 3 integers, has 4"),
            (r#"{"chat":"@4","ids":7}"#, "ids: must be a list of 1 to 3 integers, is 7"),
            (r#"{"chat":"@4","ids":[0]}"#, &[ids, "0"].concat()),
            (r#"{"chat":"@4","ids":["45"]}"#, &[ids, "the text \"45\""].concat()),
            (r#"{"chat":"@4","ids":[45,45]}"#, "ids: must not repeat an item, has 45 twice"),
            (r#"{"chat":"@4","word":"c"}"#, "word: must be one of a, b, is the text \"c\""),
            (r#"{"chat":"@4","x":1}"#, "x: unknown field; known are chat, text, wait, flag, ids, word"),
            (
                r#"{"text":"","x":1,"wait":-1}"#,
                "chat: is required, must be @N for a contact or #N for a group or channel, N of 1 to 15 digits",
            ),
            (r#"{"wait":-1,"text":"","chat":"@4"}"#, "text: must have 1 to 5 characters, has 0"),
        ];
        for (text, expected) in table {
            let object: Map<String, Value> = serde_json::from_str(text).unwrap();
            let error = RECORD.check(&object).err().unwrap_or_default();
            assert_eq!(&error, expected, "{text}");
        }
    }

    #[test]
    fn long_input_is_shortened_in_messages() {
        let object = json!({"chat": "x".repeat(1000), "y".repeat(1000): 1});
        let error = RECORD.check(object.as_object().unwrap()).unwrap_err();
        assert!(error.len() < 250 && error.ends_with("…\""), "{error}");
    }

    #[test]
    fn nested_values_are_named_by_their_path() {
        static OUTER: Record = Record {
            fields: &[Field {
                name: "list",
                kind: Kind::List(&Kind::Record(&RECORD)),
                presence: Presence::Required,
                description: "A list.",
            }],
        };
        let check = |value: Value| OUTER.check(value.as_object().unwrap()).err().unwrap_or_default();
        assert_eq!(check(json!({"list": [{"chat": "@1"}]})), "");
        assert_eq!(
            check(json!({"list": [{"chat": "@1"}, {"chat": "@1", "wait": true}]})),
            "list[1].wait: must be an integer from 0 to 86400, is true"
        );
    }
}
