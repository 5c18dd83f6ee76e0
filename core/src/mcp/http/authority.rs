//! Which host a header or a target names.

/// The host names of this machine: what `Host` and `Origin` may name, on any port. A page of another site that got its
/// own name resolved to 127.0.0.1 names itself in both.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Whether `HOST` or `HOST:PORT` is this machine.
pub(super) fn is_loopback(authority: &str) -> bool {
    LOOPBACK.into_iter().any(|name| {
        let Some((host, port)) = authority.split_at_checked(name.len()) else { return false };
        host.eq_ignore_ascii_case(name) && (port.is_empty() || is_port(port))
    })
}

/// The authority and the rest of an `http` or `https` URL.
pub(super) fn split_url(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest.split_at_checked(end)
}

/// `:` and a number of at most 65535.
fn is_port(text: &str) -> bool {
    let Some(digits) = text.strip_prefix(':') else { return false };
    digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::{is_loopback, split_url};

    #[test]
    fn hosts() {
        for (authority, loopback) in [
            ("localhost", true),
            ("LocalHost:1", true),
            ("127.0.0.1", true),
            ("127.0.0.1:65535", true),
            ("[::1]", true),
            ("[::1]:5226", true),
            ("", false),
            ("localhost:", false),
            ("localhost:65536", false),
            ("localhost:+1", false),
            ("localhost:1x", false),
            ("localhost.", false),
            ("localhost.evil.example", false),
            ("evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("127.0.0.2", false),
            ("::1", false),
            ("user@localhost", false),
            ("localhost@evil.example", false),
            ("0.0.0.0", false),
            ("löcalhost", false),
        ] {
            assert_eq!(is_loopback(authority), loopback, "{authority}");
        }
    }

    #[test]
    fn urls() {
        for (url, parts) in [
            ("http://localhost:1/mcp", Some(("localhost:1", "/mcp"))),
            ("HTTPS://a", Some(("a", ""))),
            ("http://a?q", Some(("a", "?q"))),
            ("ftp://a/", None),
            ("/mcp", None),
            ("null", None),
        ] {
            assert_eq!(split_url(url), parts, "{url}");
        }
    }
}
