//! What the agent can connect to: a SimpleX link or a SimpleX name, and of which kind.
//!
//! The rules are those of the SimpleX core 7.0 (`/_connect plan`: what is none of these is `invalidConnReq`;
//! digest 2.7, FINDINGS 3), read with its own strictness: keys and identifiers of a link are decoded, so that a link
//! cut short is none.

mod full;
mod host;
mod link;
mod name;
mod query;
mod scan;
mod short;

pub use host::{PRESET_HOSTS, is_preset_host};
pub use link::{Link, LinkForm, LinkKind};
pub use name::{NameKind, SimplexDomain, SimplexName, Tld};

pub(crate) use link::parse_link;
pub(crate) use name::parse_name;

/// Something to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A link: its hosts are known before anything is asked of a router.
    Link(Link),
    /// A name: a router resolves it to a link.
    Name(SimplexName),
}

/// Reads a SimpleX link or name; None for everything else.
///
/// Nothing is trimmed. A text with a space or a control character is none, though the core's own parser takes a tab
/// inside a link: the text becomes part of a command line.
pub fn parse(text: &str) -> Option<Target> {
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return None;
    }
    if text.starts_with(['@', '#']) || text.starts_with(name::URI_PREFIX) {
        return parse_name(text).map(Target::Name);
    }
    parse_link(text).map(Target::Link)
}

#[cfg(test)]
mod tests;
