//! Links as the core gives them.

use alloc::string::String;

use serde::Deserialize;

use super::MemberRole;

/// A link in both its forms.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnLink {
    /// The full form (`simplex:/contact#…`): what `/_connect` and `/_prepare` take.
    pub conn_full_link: String,
    /// The short form (`https://HOST/a#…`), when there is one: what a plan reads texts by.
    pub conn_short_link: Option<String>,
}

impl ConnLink {
    /// The form to show: the short one when there is one.
    pub fn shortest(&self) -> &str {
        self.conn_short_link.as_deref().unwrap_or(&self.conn_full_link)
    }

    /// True when the text is one of the two forms.
    pub fn is(&self, text: &str) -> bool {
        self.conn_full_link == text || self.conn_short_link.as_deref() == Some(text)
    }
}

/// The link of an own group.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupLink {
    /// The link.
    pub conn_link_contact: ConnLink,
    /// The role of whoever joins by it.
    pub accept_member_role: Option<MemberRole>,
}
