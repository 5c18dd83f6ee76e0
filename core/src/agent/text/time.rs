//! Moments as people read them.

use alloc::string::{String, ToString};

use jiff::Timestamp;

use crate::time::UnixMillis;

/// A moment to the minute, such as `2026-10-18 09:15 UTC` (the plan, "/pending"). The seconds are dropped.
/// A moment that no calendar of ours has (beyond the years -9999 to 9999) is shown as the nearest that it has.
pub fn minute(moment: UnixMillis) -> String {
    let nearest = if moment.0 < 0 { Timestamp::MIN } else { Timestamp::MAX };
    let moment = Timestamp::from_millisecond(moment.0).unwrap_or(nearest);
    moment.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_the_minute() {
        let table = [
            (0, "1970-01-01 00:00 UTC"),
            (1_792_314_959_999, "2026-10-18 09:15 UTC"),
            (1_792_314_900_000, "2026-10-18 09:15 UTC"),
            (1_792_314_899_999, "2026-10-18 09:14 UTC"),
            (-1, "1969-12-31 23:59 UTC"),
        ];
        for (millis, shown) in table {
            assert_eq!(minute(UnixMillis(millis)), shown);
        }
        for millis in [i64::MIN, i64::MAX] {
            assert!(minute(UnixMillis(millis)).ends_with(" UTC"));
        }
    }
}
