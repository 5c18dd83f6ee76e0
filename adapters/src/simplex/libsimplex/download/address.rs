//! An address that may be downloaded from: `https://…`, or `http://…` on this machine itself, for tests and for a
//! mirror behind a tunnel. What is loaded into the process must not be changed on its way.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;

/// What an address must be, for messages.
pub const ADDRESS: &str = "https://HOST/FILE.zip";

/// An address that may be downloaded from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Uri);

impl Address {
    /// `https` with any host, or `http` with a loopback host; no user name, which would be printed. None for
    /// anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let authority = uri.authority()?;
        let host = authority.host();
        let allowed = match uri.scheme_str()? {
            "https" => !host.is_empty(),
            "http" => is_loopback(host),
            _ => false,
        };
        (allowed && !authority.as_str().contains('@')).then_some(Self(uri))
    }

    /// Where a redirect from here leads; none when that is no address, or one that is less safe: `https` stays
    /// `https`.
    pub(super) fn follow(&self, location: &str) -> Option<Self> {
        let next = Self::parse(&self.resolve(location)?)?;
        (next.is_https() || !self.is_https()).then_some(next)
    }

    /// `location` as an absolute address (RFC 9110 section 10.2.2; RFC 3986 section 5.2, without dot segments).
    fn resolve(&self, location: &str) -> Option<String> {
        let (scheme, authority) = (self.0.scheme_str()?, self.0.authority()?.as_str());
        let before_query = location.split(['?', '#']).next()?;
        Some(if before_query.contains("://") {
            location.to_owned()
        } else if location.starts_with("//") {
            format!("{scheme}:{location}")
        } else if location.starts_with('/') {
            format!("{scheme}://{authority}{location}")
        } else if location.starts_with('?') {
            format!("{scheme}://{authority}{}{location}", self.0.path())
        } else {
            let folder = self.0.path().rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{scheme}://{authority}{folder}/{location}")
        })
    }

    pub(super) fn is_https(&self) -> bool {
        self.0.scheme_str() == Some("https")
    }

    pub(super) fn host(&self) -> &str {
        self.0.host().unwrap_or_default()
    }

    pub(super) const fn uri(&self) -> &Uri {
        &self.0
    }
}

impl fmt::Display for Address {
    /// Without the query, which may hold a signature.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authority = self.0.authority().map_or("", |authority| authority.as_str());
        write!(f, "{}://{authority}{}", self.0.scheme_str().unwrap_or_default(), self.0.path())
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LIB-04: what may be downloaded from, and how it is shown.
    #[test]
    fn addresses() {
        for (text, shown) in [
            ("https://one.example/a/b.zip", Some("https://one.example/a/b.zip")),
            ("https://one.example/a.zip?signature=x", Some("https://one.example/a.zip")),
            ("HTTPS://one.example:8443/a.zip", Some("https://one.example:8443/a.zip")),
            ("http://127.0.0.1:80/a.zip", Some("http://127.0.0.1:80/a.zip")),
            ("http://[::1]:80/a.zip", Some("http://[::1]:80/a.zip")),
            ("http://localhost/a.zip", Some("http://localhost/a.zip")),
            ("http://one.example/a.zip", None),
            ("http://127.0.0.1.one.example/a.zip", None),
            ("http://localhost.one.example/a.zip", None),
            ("http://10.0.0.1/a.zip", None),
            ("http://127.0.0.1@one.example/a.zip", None),
            ("https://user:password@one.example/a.zip", None),
            ("ftp://one.example/a.zip", None),
            ("file:///tmp/a.zip", None),
            ("/tmp/a.zip", None),
            ("one.example/a.zip", None),
            ("https:///a.zip", None),
            ("", None),
        ] {
            let address = Address::parse(text);
            assert_eq!(address.map(|address| address.to_string()).as_deref(), shown, "{text}");
        }
    }

    /// LIB-04: redirects in each form of a location; none leads to a less safe address.
    #[test]
    fn redirects() {
        let mirror = "http://127.0.0.1:80/x/a.zip";
        for (from, location, to) in [
            ("https://a.example/x/y.zip", "https://b.example/z.zip", Some("https://b.example/z.zip")),
            ("https://a.example/x/y.zip", "//b.example/z.zip", Some("https://b.example/z.zip")),
            ("https://a.example/x/y.zip", "/z.zip", Some("https://a.example/z.zip")),
            ("https://a.example/x/y.zip", "z.zip?to=http://c.example", Some("https://a.example/x/z.zip")),
            ("https://a.example/x/y.zip", "?b=1", Some("https://a.example/x/y.zip")),
            ("https://a.example/x/y.zip", "http://a.example/x/y.zip", None),
            ("https://a.example/x/y.zip", "http://127.0.0.1:80/y.zip", None),
            ("https://a.example/x/y.zip", "file:///etc/passwd", None),
            ("https://a.example/x/y.zip", "https://u:p@a.example/", None),
            (mirror, "b.zip", Some("http://127.0.0.1:80/x/b.zip")),
            (mirror, "https://b.example/z.zip", Some("https://b.example/z.zip")),
            (mirror, "http://b.example/z.zip", None),
            (mirror, "", Some("http://127.0.0.1:80/x/")),
        ] {
            let next = Address::parse(from).unwrap().follow(location);
            assert_eq!(next.map(|next| next.to_string()).as_deref(), to, "{from} {location}");
        }
    }
}
