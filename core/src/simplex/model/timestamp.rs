//! Times as the core writes them.

use alloc::string::String;
use core::fmt;

use serde::Deserialize;

use crate::time::UnixMillis;

/// A moment in UTC as text, for example `2026-07-04T10:11:12.345678Z`, with 0 to 12 digits of a second's fraction.
/// Equal only when the texts are: part of what a chat is known by (decisions 10).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(String);

impl Timestamp {
    /// The time with this text, which is not checked.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The moment, rounded down to milliseconds; none when the text is no time.
    pub fn unix(&self) -> Option<UnixMillis> {
        let time: jiff::Timestamp = match self.0.split_once('.') {
            // jiff reads at most nine digits of a fraction.
            Some((seconds, rest)) => {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let (digits, zone) = rest.split_at(end);
                alloc::format!("{seconds}.{}{zone}", digits.get(..9).unwrap_or(digits)).parse().ok()?
            }
            None => self.0.parse().ok()?,
        };
        Some(UnixMillis(i64::try_from(time.as_nanosecond().div_euclid(1_000_000)).ok()?))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;
    use crate::time::UnixMillis;

    /// Fractions of 0 to 12 digits are read, rounded down; other texts are no times.
    #[test]
    fn moments() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1970-01-01T00:00:01.5Z", Some(1500)),
            ("2026-11-30T21:12:45.325753279Z", Some(1_796_073_165_325)),
            ("2026-11-30T21:12:45.325753279123Z", Some(1_796_073_165_325)),
            ("1969-12-31T23:59:59.9999Z", Some(-1)),
            ("2026-11-30T21:12:45.Z", None),
            ("2026-11-30T21:12:45.é", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(Timestamp::new(text).unix(), expected.map(UnixMillis), "{text}");
        }
    }
}
