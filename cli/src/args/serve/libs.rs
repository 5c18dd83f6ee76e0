//! The options of the library and its download.

use simplex_agent_adapters::simplex::libsimplex::{ADDRESS, Address, Release, Sum, Wanted};

use super::super::table::expected;
use crate::failure::Failure;

pub(super) const RELEASE: &str = "a release, 7.0 or later";
pub(super) const SUM: &str = "64 hexadecimal digits";

/// The options as they were written.
pub(super) struct Libs {
    pub(super) version: Option<String>,
    pub(super) url: Option<String>,
    pub(super) sha256: Option<String>,
}

impl Libs {
    /// The first option that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options =
            [("--libs-version", &self.version), ("--libs-url", &self.url), ("--libs-sha256", &self.sha256)];
        options.iter().find(|(_, value)| value.is_some()).map(|(name, _)| *name)
    }

    /// The library they ask for.
    ///
    /// # Errors
    ///
    /// The first option that does not fit.
    pub(super) fn wanted(self) -> Result<Wanted, Failure> {
        let release = match self.version {
            None => Release::default(),
            Some(text) => Release::parse(&text).ok_or_else(|| expected("--libs-version", RELEASE, &text))?,
        };
        let parsed =
            |text: String| Address::parse(&text).ok_or_else(|| expected("--libs-url", ADDRESS, &text));
        let address = self.url.map(parsed).transpose()?;
        let parsed = |text: String| Sum::parse(&text).ok_or_else(|| expected("--libs-sha256", SUM, &text));
        let archive_sum = self.sha256.map(parsed).transpose()?;
        Ok(Wanted { release, address, archive_sum, ..Wanted::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLI-01, LIB-01, LIB-13: each option lands in what is wanted, and nothing is wanted but the default release.
    #[test]
    fn what_is_wanted() {
        let none = Libs { version: None, url: None, sha256: None };
        assert_eq!(none.given(), None);
        assert_eq!(none.wanted(), Ok(Wanted::default()));
        let (url, sum) = ("https://mirror.example/libs.zip", "0123456789abcdef".repeat(4));
        let all = Libs {
            version: Some("core-7.1.0.12".to_owned()),
            url: Some(url.to_owned()),
            sha256: Some(sum.clone()),
        };
        assert_eq!(all.given(), Some("--libs-version"));
        let wanted = all.wanted().unwrap();
        assert_eq!(wanted.release.tag(), "core-7.1.0.12");
        assert_eq!(wanted.address.map(|address| address.to_string()).as_deref(), Some(url));
        assert_eq!(wanted.archive_sum.map(|sum| sum.to_string()), Some(sum));
    }
}
