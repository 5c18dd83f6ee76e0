//! Versions of the SimpleX core, as `versionInfo` tells them: `7.0.0.6`.

use alloc::vec::Vec;

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
}

#[cfg(test)]
mod tests {
    use super::CoreVersion;

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
}
