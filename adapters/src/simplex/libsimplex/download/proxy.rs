//! The proxy that the environment names, and for which hosts.

use std::fmt;

use ureq::Proxy;

use super::address::Address;

/// The proxy of the person's environment. Its address may hold a password, so it is in no text.
#[derive(Clone, Default)]
pub struct Proxies {
    /// The variable that names it, and what it says.
    proxy: Option<(&'static str, String)>,
    /// The hosts that are reached without.
    direct: Vec<String>,
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxies").field("variable", &self.variable()).field("direct", &self.direct).finish()
    }
}

impl Proxies {
    /// Out of the variables `https_proxy` and `all_proxy`, and the hosts of `no_proxy`; each in lower case or
    /// upper case, an empty one counts as none. `variable` gives the value of a variable.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value =
            |name| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let proxy = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
        let direct = ["no_proxy", "NO_PROXY"].into_iter().find_map(value).unwrap_or_default();
        let entries = direct.split([',', ' ']).filter(|entry| !entry.is_empty());
        Self {
            proxy: proxy.into_iter().find_map(|name| Some((name, value(name)?))),
            direct: entries.map(str::to_ascii_lowercase).collect(),
        }
    }

    /// The proxy for an address. What is on this machine is reached directly: for a proxy, its own machine is that.
    ///
    /// # Errors
    ///
    /// A value that names no proxy of a kind that is known.
    pub(super) fn of_address(&self, address: &Address) -> Result<Option<Proxy>, String> {
        let Some((variable, value)) = &self.proxy else { return Ok(None) };
        if !address.is_https() || self.is_direct(address.host()) {
            return Ok(None);
        }
        let known = Proxy::new(value).ok().filter(|proxy| {
            matches!(proxy.protocol(), ureq::ProxyProtocol::Http | ureq::ProxyProtocol::Https)
        });
        let known = known.ok_or_else(|| format!("{variable} names no proxy: http://HOST:PORT expected"))?;
        Ok(Some(known))
    }

    /// The variable that names a proxy.
    pub(super) fn variable(&self) -> Option<&'static str> {
        self.proxy.as_ref().map(|(variable, _)| *variable)
    }

    /// Whether an entry is this host, or a domain that it is in (`example.com`, `.example.com`, `*.example.com`).
    fn is_direct(&self, host: &str) -> bool {
        let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        self.direct.iter().any(|entry| {
            let domain = entry.trim_start_matches("*.").trim_start_matches('.');
            let inside = host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
            entry == "*" || !domain.is_empty() && inside
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(variables: &[(&str, &str)]) -> Proxies {
        Proxies::of(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    /// LIB-09: which variable counts, and for which hosts.
    #[test]
    fn which_proxy_for_which_host() {
        let (github, local) = ("https://github.com/a.zip", "http://127.0.0.1:1/a.zip");
        let proxy = ("HTTPS_PROXY", "http://user:secret@proxy.example:3128");
        for (variables, address, used) in [
            (&[][..], github, None),
            (&[proxy], github, Some("proxy.example:3128")),
            (&[proxy], local, None),
            (&[("https_proxy", "one.example:1"), proxy], github, Some("one.example:1")),
            (&[("https_proxy", ""), proxy], github, Some("proxy.example:3128")),
            (&[("ALL_PROXY", "http://all.example")], github, Some("all.example:80")),
            (&[("HTTP_PROXY", "http://http.example")], github, None),
            (&[proxy, ("NO_PROXY", "*")], github, None),
            (&[proxy, ("NO_PROXY", "a.example, github.com")], github, None),
            (&[proxy, ("no_proxy", ".github.com")], "https://objects.GitHub.com/a.zip", None),
            (&[proxy, ("NO_PROXY", "hub.com,example,.")], github, Some("proxy.example:3128")),
        ] {
            let found = proxies(variables).of_address(&Address::parse(address).unwrap()).unwrap();
            let found = found.map(|proxy| format!("{}:{}", proxy.host(), proxy.port()));
            assert_eq!(found.as_deref(), used, "{variables:?} {address}");
        }
    }

    /// LIB-09: what is no proxy is named by its variable, without its value.
    #[test]
    fn values_that_name_no_proxy() {
        for value in ["socks5://user:secret@proxy.example", "ftp://secret.example", "http://", "://secret"] {
            let error = proxies(&[("HTTPS_PROXY", value)])
                .of_address(&Address::parse("https://a.example/a").unwrap());
            let error = error.unwrap_err();
            assert!(error.starts_with("HTTPS_PROXY names no proxy") && !error.contains("secret"), "{error}");
        }
        assert!(
            !format!("{:?}", proxies(&[("HTTPS_PROXY", "http://user:secret@a.example")])).contains("secret")
        );
    }
}
