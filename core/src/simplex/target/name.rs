//! SimpleX names: `@directory.simplex`, `#channel`, `@example.com`.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

/// A name in the form of a link. After it comes the name, with or without its sign; without one it is a channel.
pub(super) const URI_PREFIX: &str = "simplex:/name";

/// Most bytes of a name without its sign, as of a domain name.
const MAX_NAME: usize = 253;

/// Most bytes of one label.
const MAX_LABEL: usize = 63;

/// A public name that a router resolves to an address.
///
/// Its JSON form is the `nameInfo` of the markdown format `simplexName` and the `planSimplexName` of a connection
/// plan; its printed form is the shortest that names it: `#channel` for a channel of the `simplex` domain itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SimplexName {
    /// What the name stands for, by its sign.
    #[serde(rename = "nameType")]
    pub kind: NameKind,
    /// The name without its sign.
    #[serde(rename = "nameDomain")]
    pub domain: SimplexDomain,
}

/// The domain of a SimpleX name, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SimplexDomain {
    /// The top-level domain, or that it is one of the web.
    #[serde(rename = "nameTLD")]
    pub tld: Tld,
    /// The registered name: one label, or for [`Tld::Web`] the whole domain, as in `example.com`.
    pub domain: String,
    /// Labels below the registered name, from parent to child: `["b", "a"]` in `a.b.acme.simplex`.
    pub sub_domain: Vec<String>,
}

/// What a SimpleX name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum NameKind {
    /// `@`: a contact or business address.
    #[serde(rename = "contact")]
    Contact,
    /// `#`: a channel or public group.
    #[serde(rename = "publicGroup")]
    Channel,
}

/// The top-level domain of a SimpleX name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Tld {
    /// `.simplex`, also of a channel name without a dot.
    Simplex,
    /// `.testing`.
    Testing,
    /// Any other: a domain of the web (FINDINGS 3: `@x.com` is a name).
    Web,
}

impl fmt::Display for SimplexName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SimplexDomain { tld, domain, sub_domain } = &self.domain;
        f.write_str(match self.kind {
            NameKind::Contact => "@",
            NameKind::Channel => "#",
        })?;
        for label in sub_domain.iter().rev() {
            write!(f, "{label}.")?;
        }
        f.write_str(domain)?;
        let bare = self.kind == NameKind::Channel && sub_domain.is_empty();
        match tld {
            Tld::Simplex if !bare => f.write_str(".simplex"),
            Tld::Testing => f.write_str(".testing"),
            Tld::Simplex | Tld::Web => Ok(()),
        }
    }
}

/// Reads a name with its sign, or the link form of one. A contact's name has at least one dot; a bare domain is no
/// name (FINDINGS 3).
pub(crate) fn parse_name(text: &str) -> Option<SimplexName> {
    let (is_uri, name) = match text.strip_prefix(URI_PREFIX) {
        Some(name) => (true, name),
        None => (false, text),
    };
    let (kind, domain) = if let Some(domain) = name.strip_prefix('@') {
        (NameKind::Contact, parse_domain(domain)?)
    } else if let Some(domain) = name.strip_prefix('#') {
        (NameKind::Channel, parse_channel(domain)?)
    } else if is_uri {
        (NameKind::Channel, parse_channel(name)?)
    } else {
        return None;
    };
    Some(SimplexName { kind, domain })
}

fn parse_channel(text: &str) -> Option<SimplexDomain> {
    let bare = |text: &str| is_label(text).then(|| domain_of(Tld::Simplex, text.to_ascii_lowercase()));
    parse_domain(text).or_else(|| bare(text))
}

fn parse_domain(text: &str) -> Option<SimplexDomain> {
    if text.len() > MAX_NAME || !text.split('.').all(is_label) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let mut labels = lower.rsplit('.');
    let tld = match labels.next()? {
        "simplex" => Tld::Simplex,
        "testing" => Tld::Testing,
        _ => Tld::Web,
    };
    let domain = labels.next()?.to_owned();
    if tld == Tld::Web {
        return Some(domain_of(Tld::Web, lower));
    }
    let sub_domain = labels.map(ToOwned::to_owned).collect();
    Some(SimplexDomain { tld, domain, sub_domain })
}

const fn domain_of(tld: Tld, domain: String) -> SimplexDomain {
    SimplexDomain { tld, domain, sub_domain: Vec::new() }
}

/// ASCII letters and digits with single hyphens between them.
fn is_label(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
    text.len() <= MAX_LABEL && text.split('-').all(is_part)
}
