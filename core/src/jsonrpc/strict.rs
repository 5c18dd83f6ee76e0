//! A whole JSON value out of raw text, or the reason why there is none.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

/// How many arrays and objects a value may have inside each other.
pub const MAX_DEPTH: usize = 100;

/// Why a piece of JSON gives no value. Printed, it says what the value must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueFault {
    /// Nested deeper than [`MAX_DEPTH`].
    Deep,
    /// A string or name with half of a surrogate pair.
    Surrogate,
    /// An object with the same name twice.
    Twice,
    /// A number that no double holds.
    Number,
}

impl fmt::Display for ValueFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deep => write!(f, "must be nested at most {MAX_DEPTH} levels deep"),
            Self::Surrogate => f.write_str("must be Unicode text, has half of a surrogate pair"),
            Self::Twice => f.write_str("must have each member once, has one twice"),
            Self::Number => f.write_str("must be a number of at most 1.8e308, has a larger one"),
        }
    }
}

/// The whole value.
///
/// # Errors
/// See [`ValueFault`].
pub fn value(json: &RawValue) -> Result<Value, ValueFault> {
    let json = json.get();
    if depth(json) > MAX_DEPTH {
        return Err(ValueFault::Deep);
    }
    match serde_json::from_str::<Strict>(json) {
        Ok(value) => Ok(value.0),
        Err(_) if has_lone_surrogate(json) => Err(ValueFault::Surrogate),
        Err(error) if error.is_data() => Err(ValueFault::Twice),
        Err(_) => Err(ValueFault::Number),
    }
}

/// The deepest nesting of JSON text that is known to be JSON.
pub(crate) fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth = depth.saturating_add(1);
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Whether JSON text that is known to be JSON has an escape of half a pair.
fn has_lone_surrogate(json: &str) -> bool {
    let mut rest = json;
    while let Some((_, tail)) = rest.split_once('\\') {
        let Some(unit) = tail.strip_prefix('u').and_then(unit) else {
            rest = tail.get(1..).unwrap_or_default();
            continue;
        };
        let tail = tail.get(5..).unwrap_or_default();
        match unit {
            0xD800..=0xDBFF => match tail.strip_prefix("\\u").and_then(self::unit) {
                Some(0xDC00..=0xDFFF) => rest = tail.get(6..).unwrap_or_default(),
                _ => return true,
            },
            0xDC00..=0xDFFF => return true,
            _ => rest = tail,
        }
    }
    false
}

/// The first four hexadecimal digits.
fn unit(digits: &str) -> Option<u16> {
    u16::from_str_radix(digits.get(..4)?, 16).ok()
}

/// A value in which no object has a name twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = seq.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((name, Strict(value))) = map.next_entry::<String, Strict>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a member is given twice"));
            }
        }
        Ok(Value::Object(members))
    }
}
