//! A release of the library, and the archive of it for this machine (digest 1.5).

use std::fmt;

use simplex_agent_core::simplex::version::CoreVersion;

/// Where the releases are. The official clients download from there.
const RELEASES: &str = "https://github.com/simplex-chat/simplex-chat-libs/releases/download";

/// The release that is downloaded when nobody names one: the newest that this program was checked with.
pub const DEFAULT_RELEASE: &str = "7.0.2";

/// A release, by its tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release(String);

impl Release {
    /// What a person may write: `7.0.2`, `v7.0.2`, or the tag of a preview, `core-7.1.0.12`. None for anything else,
    /// and for a release before 7.0, which this program does not run on (decisions 6).
    pub fn parse(text: &str) -> Option<Self> {
        let (prefix, number) = match text.strip_prefix("core-") {
            Some(number) => ("core-", number),
            None => ("v", text.strip_prefix('v').unwrap_or(text)),
        };
        let version = CoreVersion::parse(number)?;
        (!version.is_too_old()).then(|| Self(format!("{prefix}{number}")))
    }

    /// The tag, which is also the folder of the release in the cache: `v7.0.2`.
    pub fn tag(&self) -> &str {
        &self.0
    }

    /// The file name of the archive for this machine; none where there is no library for it.
    pub fn archive() -> Option<String> {
        Some(format!("simplex-chat-libs-{}.zip", platform()?))
    }

    /// Where the archive for this machine is; none where there is no library for it.
    pub fn address(&self) -> Option<String> {
        Some(format!("{RELEASES}/{}/{}", self.0, Self::archive()?))
    }
}

impl Default for Release {
    fn default() -> Self {
        Self(format!("v{DEFAULT_RELEASE}"))
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of this system in the names of archives.
fn platform() -> Option<&'static str> {
    Some(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x86_64",
        ("linux", "aarch64") => "linux-aarch64",
        ("macos", "x86_64") => "macos-x86_64",
        ("macos", "aarch64") => "macos-aarch64",
        ("windows", "x86_64") => "windows-x86_64",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LIB-02, LIB-05: the tags, which also name folders of the cache, so nothing else passes; 7.0 is the oldest.
    #[test]
    fn releases_and_their_addresses() {
        for (text, tag) in [
            ("7.0.2", Some("v7.0.2")),
            ("v7.0.2", Some("v7.0.2")),
            ("7.0", Some("v7.0")),
            ("core-7.1.0.12", Some("core-7.1.0.12")),
            ("10.0", Some("v10.0")),
            ("6.4.5.1", None),
            ("core-6.5.0", None),
            ("vcore-7.0", None),
            ("7.0.2/../x", None),
            ("..", None),
            ("latest", None),
            ("", None),
        ] {
            let release = Release::parse(text);
            assert_eq!(release.as_ref().map(Release::tag), tag, "{text}");
            let Some(release) = release else { continue };
            if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
                let expected = format!(
                    "https://github.com/simplex-chat/simplex-chat-libs/releases/download/{release}/simplex-chat-libs-linux-x86_64.zip"
                );
                assert_eq!(release.address(), Some(expected));
            }
        }
        assert_eq!(Some(Release::default()), Release::parse(DEFAULT_RELEASE));
    }
}
