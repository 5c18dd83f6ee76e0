//! [`Record`] as JSON Schema (draft 2020-12), with the fields in the order of the table: `serde_json`'s own map would
//! sort them, and models read them in order.

use alloc::vec::Vec;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Field, Kind, MAX_ID, Presence, Record};

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl Record {
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let required: Vec<&str> = self
            .fields
            .iter()
            .filter(|field| field.presence == Presence::Required)
            .map(|field| field.name)
            .collect();
        map.serialize_entry("type", "object")?;
        map.serialize_entry("properties", &Properties(self.fields))?;
        if !required.is_empty() {
            map.serialize_entry("required", &required)?;
        }
        map.serialize_entry("additionalProperties", &false)
    }
}

struct Properties(&'static [Field]);

impl Serialize for Properties {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|field| (field.name, Property(field))))
    }
}

struct Property(&'static Field);

impl Serialize for Property {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("description", self.0.description)?;
        self.0.kind.entries(&mut map)?;
        match self.0.presence {
            Presence::Integer(value) => map.serialize_entry("default", &value)?,
            Presence::Boolean(value) => map.serialize_entry("default", &value)?,
            Presence::Required | Presence::Optional => {}
        }
        map.end()
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl Kind {
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match self {
            Self::Text { min, max } => {
                map.serialize_entry("type", "string")?;
                map.serialize_entry("minLength", min)?;
                map.serialize_entry("maxLength", max)
            }
            Self::AnyText => map.serialize_entry("type", "string"),
            Self::Word(words) => {
                map.serialize_entry("type", "string")?;
                map.serialize_entry("enum", words)
            }
            Self::Chat => {
                map.serialize_entry("type", "string")?;
                map.serialize_entry("pattern", "^[@#][0-9]{1,15}$")
            }
            Self::Integer { min, max } => {
                map.serialize_entry("type", "integer")?;
                map.serialize_entry("minimum", min)?;
                map.serialize_entry("maximum", max)
            }
            Self::Boolean => map.serialize_entry("type", "boolean"),
            Self::Ids { min, max } => {
                map.serialize_entry("type", "array")?;
                map.serialize_entry("items", &Self::Integer { min: 1, max: MAX_ID })?;
                map.serialize_entry("minItems", min)?;
                map.serialize_entry("maxItems", max)?;
                map.serialize_entry("uniqueItems", &true)
            }
            Self::List(kind) => {
                map.serialize_entry("type", "array")?;
                map.serialize_entry("items", kind)
            }
            Self::Record(record) => record.entries(map),
            Self::AnyRecord => map.serialize_entry("type", "object"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static RECORD: Record = Record {
        fields: &[
            Field {
                name: "text",
                kind: Kind::Text { min: 1, max: 5 },
                presence: Presence::Required,
                description: "A text.",
            },
            Field { name: "chat", kind: Kind::Chat, presence: Presence::Optional, description: "A chat." },
            Field {
                name: "wait",
                kind: Kind::Integer { min: 0, max: 9 },
                presence: Presence::Integer(6),
                description: "Seconds.",
            },
            Field {
                name: "ids",
                kind: Kind::Ids { min: 1, max: 3 },
                presence: Presence::Optional,
                description: "IDs.",
            },
            Field {
                name: "flag",
                kind: Kind::Boolean,
                presence: Presence::Boolean(false),
                description: "A flag.",
            },
            Field {
                name: "list",
                kind: Kind::List(&Kind::Record(&Record { fields: &[] })),
                presence: Presence::Optional,
                description: "Objects.",
            },
        ],
    };

    /// The whole published form: field order is the table's, an integer default is an integer.
    #[test]
    fn published_in_the_order_of_the_table() {
        assert_eq!(
            serde_json::to_string(&RECORD).unwrap(),
            concat!(
                r#"{"type":"object","properties":{"#,
                r#""text":{"description":"A text.","type":"string","minLength":1,"maxLength":5},"#,
                r#""chat":{"description":"A chat.","type":"string","pattern":"^[@#][0-9]{1,15}$"},"#,
                r#""wait":{"description":"Seconds.","type":"integer","minimum":0,"maximum":9,"default":6},"#,
                r#""ids":{"description":"IDs.","type":"array","items":{"type":"integer","minimum":1,"maximum":999999999999999},"minItems":1,"maxItems":3,"uniqueItems":true},"#,
                r#""flag":{"description":"A flag.","type":"boolean","default":false},"#,
                r#""list":{"description":"Objects.","type":"array","items":{"type":"object","properties":{},"additionalProperties":false}}"#,
                r#"},"required":["text"],"additionalProperties":false}"#,
            )
        );
    }
}
