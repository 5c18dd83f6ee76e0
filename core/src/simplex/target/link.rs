//! Links, short and full, as one type.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::host::is_preset_host;
use super::{full, short};

/// A SimpleX link that the core accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What it leads to. A full link of a channel, a relay or a business address says less than a short one:
    /// it reads as group or contact.
    pub kind: LinkKind,
    /// Short or full.
    pub form: LinkForm,
    /// Every host it names, at least one: of a short link its server's, of a full link those of all its queues.
    /// Which of them the core asks is its choice, so a link is known only when all of them are.
    pub hosts: Vec<String>,
    /// The same link as the core writes it, in the `simplex:` scheme (`simplexUri` of the markdown format).
    pub uri: String,
    /// The text it was read from.
    pub text: String,
}

/// What a link leads to; the JSON form is the `linkType` of the markdown format `simplexLink`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LinkKind {
    /// A one-time invitation.
    Invitation,
    /// A contact address; a business address is one too.
    Contact,
    /// A group.
    Group,
    /// A channel.
    Channel,
    /// A relay of channels.
    Relay,
}

/// The two forms of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkForm {
    /// `https://HOST/a#KEY` or `simplex:/a#KEY?h=HOST`: what it leads to is read from the router.
    Short,
    /// `simplex:/contact#/?v=…&smp=…`: everything is in the link.
    Full,
}

impl Link {
    /// The first host that is neither a preset nor known to `is_known`; None when the link asks nothing of others.
    pub fn unknown_host(&self, is_known: impl Fn(&str) -> bool) -> Option<&str> {
        self.hosts.iter().map(String::as_str).find(|host| !is_preset_host(host) && !is_known(host))
    }

    /// Whether this is a one-time link: never planned before it is approved (decisions 3).
    pub fn is_one_time(&self) -> bool {
        self.kind == LinkKind::Invitation
    }
}

/// Reads a link with nothing before or after it. A tab may stand in its query, as for the core.
pub(crate) fn parse_link(text: &str) -> Option<Link> {
    if !text.starts_with("simplex:") && !text.starts_with("https://") {
        return None;
    }
    full::parse(text).or_else(|| short::parse(text))
}
