//! How often a channel is updated.

use core::fmt;

use serde::Serialize;

/// How often a channel is updated: a `changefreq` value of the Sitemaps protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeFrequency {
    /// With each look.
    Always,
    /// Each hour.
    Hourly,
    /// Each day.
    Daily,
    /// Each week.
    Weekly,
    /// Each month.
    Monthly,
    /// Each year.
    Yearly,
    /// Not any more.
    Never,
}

impl ChangeFrequency {
    /// All values, from the most frequent on.
    pub const ALL: [Self; 7] =
        [Self::Always, Self::Hourly, Self::Daily, Self::Weekly, Self::Monthly, Self::Yearly, Self::Never];

    /// The value of this exact word; none for any other.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.as_str() == word)
    }

    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Hourly => "hourly",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
            Self::Yearly => "yearly",
            Self::Never => "never",
        }
    }
}

impl fmt::Display for ChangeFrequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
