//! Errors of the SimpleX core: a chain of tags, with the JSON kept (`reference/simplex-api.md` section 3).

pub mod wording;

use alloc::string::String;
use alloc::vec::Vec;

use serde::de::{DeserializeOwned, Deserializer};
use serde::{Deserialize, Serialize, Serializer};

use super::model::{MemberRole, Raw};

/// A chain is followed this far. The longest known has seven tags (`errorAgent PROXY protocolError PROXY BROKER
/// NETWORK timeoutError`).
const CHAIN_LENGTH: usize = 16;

/// What the core said when it did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatError {
    levels: Vec<Level>,
    raw: Raw,
}

/// One tag of the chain, with the fields beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Level {
    tag: String,
    fields: Vec<(String, Raw)>,
}

impl ChatError {
    /// The error in this JSON. A value without a `type` has an empty chain.
    pub fn new(raw: Raw) -> Self {
        let mut levels = Vec::new();
        let mut next = Some(raw.clone());
        while let Some(at) = next.filter(|_| levels.len() < CHAIN_LENGTH) {
            let Some(mut fields) = at.members() else { break };
            let Some(tag) = tag(&fields) else { break };
            next = fields
                .iter()
                .position(|(name, value)| goes_on(name, value))
                .map(|position| fields.remove(position).1);
            fields.retain(|(name, _)| name != "type");
            levels.push(Level { tag, fields });
        }
        Self { levels, raw }
    }

    /// The tags, from the outermost.
    pub fn chain(&self) -> impl Iterator<Item = &str> {
        self.levels.iter().map(|level| level.tag.as_str())
    }

    /// The whole error, as it came.
    pub const fn raw(&self) -> &Raw {
        &self.raw
    }

    /// True when the chain begins with these tags.
    pub fn is(&self, tags: &[&str]) -> bool {
        self.levels.len() >= tags.len() && self.chain().zip(tags).all(|(tag, expected)| tag == *expected)
    }

    /// The field of this name beside the first tag that has it.
    fn field<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let mut fields = self.levels.iter().flat_map(|level| &level.fields);
        fields.find(|(field, _)| field == name)?.1.read()
    }

    /// The message of a `commandError`: the command does not parse, or the core refuses it in words.
    pub fn command_error(&self) -> Option<String> {
        self.is(&["error", "commandError"]).then(|| self.field("message").unwrap_or_default())
    }

    /// The command is not known to this core, or does not parse: the way to learn what a core can (decisions 6).
    pub fn is_command_error(&self) -> bool {
        self.is(&["error", "commandError"])
    }

    /// There is no profile in the store.
    pub fn is_no_active_user(&self) -> bool {
        self.is(&["error", "noActiveUser"])
    }

    /// A user with this name exists.
    pub fn is_user_exists(&self) -> bool {
        self.is(&["error", "userExists"])
    }

    /// The core was not started.
    pub fn is_chat_not_started(&self) -> bool {
        self.is(&["error", "chatNotStarted"])
    }

    /// A contact, group, member or preset has the wanted profile name (FINDINGS, "Most important" 9).
    pub fn is_duplicate_name(&self) -> bool {
        self.is(&["errorStore", "duplicateName"])
    }

    /// For a name that the core refuses: the valid name nearest to it, which may be empty.
    pub fn valid_name(&self) -> Option<String> {
        self.is(&["error", "invalidDisplayName"]).then(|| self.field("validName").unwrap_or_default())
    }

    /// The group has no link.
    pub fn is_group_link_not_found(&self) -> bool {
        self.is(&["errorStore", "groupLinkNotFound"])
    }

    /// The group has a link.
    pub fn is_duplicate_group_link(&self) -> bool {
        self.is(&["errorStore", "duplicateGroupLink"])
    }

    /// The user's role is too low: the role it takes.
    pub fn required_role(&self) -> Option<MemberRole> {
        if self.is(&["error", "groupUserRole"]) { self.field("requiredRole") } else { None }
    }

    /// The user is no member of the group (any more), or not admitted to it yet. The core's message is matched,
    /// because there is no shape for it (FINDINGS, "Most important" 6).
    pub fn is_not_current_member(&self) -> bool {
        ["groupMemberUserRemoved", "groupNotJoined", "groupMemberNotActive"]
            .iter()
            .any(|tag| self.is(&["error", tag]))
            || self.command_error().as_deref() == Some("not current member")
    }

    /// The contact cannot be written to: not connected, a preset, or deleted by the peer (FINDINGS 2).
    pub fn is_contact_not_ready(&self) -> bool {
        ["contactNotReady", "contactNotActive", "contactDisabled"].iter().any(|tag| self.is(&["error", tag]))
    }

    /// The link is deleted or was used, or the queue is gone.
    pub fn is_auth(&self) -> bool {
        self.is(&["errorAgent", "SMP", "AUTH"])
    }

    /// There is no such contact.
    pub fn is_contact_not_found(&self) -> bool {
        ["contactNotFound", "userNotFoundByContactId"].iter().any(|tag| self.is(&["errorStore", tag]))
    }

    /// There is no such group.
    pub fn is_group_not_found(&self) -> bool {
        ["groupNotFound", "userNotFoundByGroupId"].iter().any(|tag| self.is(&["errorStore", tag]))
    }

    /// There is no such pending connection.
    pub fn is_pending_connection_not_found(&self) -> bool {
        self.is(&["errorStore", "pendingConnectionNotFound"])
    }

    /// There is no such chat item.
    pub fn is_chat_item_not_found(&self) -> bool {
        self.is(&["errorStore", "chatItemNotFound"])
    }

    /// There is no such member.
    pub fn is_group_member_not_found(&self) -> bool {
        self.is(&["errorStore", "groupMemberNotFound"]) || self.is(&["error", "groupMemberNotFound"])
    }

    /// The item cannot be quoted.
    pub fn is_invalid_quote(&self) -> bool {
        self.is(&["errorStore", "invalidQuote"])
    }

    /// A mention is not in the text, or there are too many.
    pub fn is_invalid_mention(&self) -> bool {
        self.is(&["errorStore", "invalidMention"])
    }

    /// The item cannot be edited: not an own message, deleted, or older than 24 hours.
    pub fn is_invalid_item_update(&self) -> bool {
        self.is(&["error", "invalidChatItemUpdate"])
    }

    /// The text is neither a link nor a name.
    pub fn is_invalid_link(&self) -> bool {
        self.is(&["error", "invalidConnReq"])
    }

    /// A service gave no response in the time that the request waited.
    pub fn is_service_timeout(&self) -> bool {
        self.is(&["errorAgent", "AGENT", "A_SERVICE", "timeout"])
    }

    /// The address has no ratchet keys, so that it takes no requests to a service.
    pub fn is_no_service_keys(&self) -> bool {
        self.is(&["errorAgent", "AGENT", "A_SERVICE", "notDRAddress"])
    }

    /// The core of the service refused the request: its reason, which others wrote.
    pub fn service_rejection(&self) -> Option<String> {
        let is = self.is(&["errorAgent", "AGENT", "A_SERVICE", "rejected"]);
        is.then(|| self.field("rejectReason").unwrap_or_default())
    }

    /// A service answered with something else than an object.
    pub fn is_invalid_service_response(&self) -> bool {
        self.command_error().as_deref() == Some("invalid service response")
    }

    /// The core cannot parse the command: how one says that it does not know it (FINDINGS 1).
    pub fn is_unparsed(&self) -> bool {
        self.command_error().is_some_and(|message| message.starts_with("Failed reading"))
    }

    /// The message is too large, in any of the core's ways to say so (FINDINGS 6): the plain one, texts that resist
    /// compression, and the edit of a message in a group.
    pub fn is_too_large(&self) -> bool {
        let message = || self.field::<String>("message").unwrap_or_default();
        self.is(&["errorStore", "largeMsg"])
            || self.is(&["error", "exception"]) && message().starts_with("large ")
            || self.is(&["error", "internalError"]) && message() == "sendGroupMessage: expected 1 message"
    }
}

impl<'de> Deserialize<'de> for ChatError {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Raw::deserialize(deserializer).map(Self::new)
    }
}

impl Serialize for ChatError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

/// The tag among the fields of an object.
fn tag(fields: &[(String, Raw)]) -> Option<String> {
    fields.iter().find(|(name, _)| name == "type")?.1.read()
}

/// True for a field that the chain follows (the plan, "SimpleX errors worded by the apps"): its name ends in `Err`,
/// `Error` or `errorType`, and its value has a `type`.
fn goes_on(name: &str, value: &Raw) -> bool {
    ["Err", "Error", "errorType"].iter().any(|end| name.ends_with(end))
        && value.members().is_some_and(|fields| tag(&fields).is_some())
}

/// True for a value that is neither an object nor a list.
fn is_scalar(raw: &Raw) -> bool {
    !raw.as_str().starts_with(['{', '['])
}

#[cfg(test)]
mod tests;
