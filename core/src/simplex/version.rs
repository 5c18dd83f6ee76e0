//! Versions of the SimpleX core, as `versionInfo` tells them: `7.0.0.6`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::response::{self, Response};

/// The oldest core that this program runs on (decisions 6).
const OLDEST: [u32; 2] = [7, 0];

/// A version: numbers that compare from the first to the last; `7.0` is before `7.0.0.6`.
///
/// For what is shown and noted. What a core can do is learned by trying (decisions 6).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CoreVersion(Vec<u32>);

impl CoreVersion {
    /// The version in this text: numbers with a dot between them; none for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |part: &str| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse().ok()).flatten()
        };
        text.split('.').map(number).collect::<Option<Vec<u32>>>().map(Self)
    }

    /// Whether this is before 7.0.
    pub fn is_too_old(&self) -> bool {
        self.0.as_slice() < OLDEST.as_slice()
    }
}

/// The version in an answer to `/version`.
pub fn of(answer: &str) -> Option<String> {
    match response::decode(answer) {
        Ok(Response::Version(version)) => Some(version),
        _ => None,
    }
}

/// Why a core that answered `/version` so cannot be used; none for a core of 7.0 or later, and for an answer that
/// tells no version, which stops nothing. The host that opened the core asks, before the agent does.
pub fn refusal(answer: &str) -> Option<String> {
    let version = of(answer)?;
    let is_too_old = CoreVersion::parse(&version).is_some_and(|version| version.is_too_old());
    is_too_old.then(|| format!("This SimpleX core is {version}, and 7.0 or later is needed."))
}

#[cfg(test)]
mod tests {
    use super::{CoreVersion, refusal};

    /// LANG-25: numbers count, not letters; a text that is no version is none and stops nothing.
    #[test]
    fn versions_compare_by_their_numbers() {
        let ascending = ["6.4.9", "6.4.10.1", "7", "7.0", "7.0.0.6", "7.0.2", "7.1.0.11", "7.1.0.12", "10.0"];
        let versions: alloc::vec::Vec<_> =
            ascending.iter().filter_map(|text| CoreVersion::parse(text)).collect();
        assert_eq!(versions.len(), ascending.len());
        assert!(versions.is_sorted(), "{versions:?}");
        for text in ["", "v7.0", "7.", ".7", "7..0", "7.0-beta", "+7", "7.-1", "99999999999", "7.0 "] {
            assert_eq!(CoreVersion::parse(text), None, "{text:?}");
        }
    }
    /// LIB-05: a core before 7.0 is refused with its version; whatever else is answered stops nothing.
    #[test]
    fn old_cores_are_refused() {
        for (version, refused) in [
            ("6.4.5.1", true),
            ("6.5", true),
            ("6", true),
            ("7.0.0.6", false),
            ("7.0", false),
            ("7.1.0.12", false),
            ("later", false),
        ] {
            let answer = alloc::format!(
                r#"{{"result":{{"type":"versionInfo","versionInfo":{{"version":"{version}"}}}}}}"#
            );
            let refusal = refusal(&answer);
            assert_eq!(refusal.is_some(), refused, "{version}");
            assert!(refusal.is_none_or(|text| text.contains(version) && text.contains("7.0 or later")));
        }
        for answer in ["", "{}", r#"{"error":{"type":"error"}}"#, r#"{"result":{"type":"cmdOk"}}"#] {
            assert_eq!(refusal(answer), None, "{answer}");
        }
    }
}
