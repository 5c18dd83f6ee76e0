//! What must survive a crash: `DIR/state.json` (decisions 4, "State on disk").

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};

use serde::{Deserialize, Serialize};

use super::counter::LARGEST;

/// The text of `DIR/state.json`, decoded. Fields that a later version adds are kept out of reach, not lost: they are
/// written back as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a JSON object")]
pub(super) struct Disk {
    /// The control chat, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) control: Option<ControlId>,
    /// The next action number; 0 before the first write.
    pub(super) next_action: u64,
    /// SHA-256 (lower-case hex) of each full one-time link that was connected without its short form: a second
    /// connect would destroy the contact for sending (FINDINGS, "Most important" 3).
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) one_time: BTreeSet<String>,
    /// Identities of the members of the control chat that came by its link and were greeted: the start promotes only
    /// who was not (decisions 10, "The join link").
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) greeted: BTreeSet<String>,
    /// Requests to connect that nobody answered yet, by the SHA-256 of their link: the core's plan tells that there is
    /// one and not which (decisions 3, `connectingConfirmReconnect`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) requests: BTreeMap<String, Request>,
    /// Names of the random profiles of incognito contacts, by identity of the chat: the core tells them when they are
    /// connected, and its contacts name only the profile's row (`activeConn.customUserProfileId`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) known_as: BTreeMap<String, String>,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

/// The identity of the control chat: its number is given again after a delete, its time of creation is not
/// (FINDINGS, "Most important" 1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ControlId {
    /// `groupId`.
    pub(super) group: u64,
    /// `createdAt`, as the core gives it.
    pub(super) created_at: String,
}

/// A pending connection: its number is given again after a delete, the other is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Request {
    /// `pccConnId`.
    pub(super) conn: u64,
    /// `pccAgentConnId`.
    pub(super) agent: String,
}

/// What is wrong with the text of a `DIR/state.json`, for who looks at it from outside; none when a start takes it.
pub fn damage(text: &str) -> Option<String> {
    Disk::read(Some(text)).err()
}

impl Disk {
    /// Decodes the file; an absent one is a first start.
    ///
    /// # Errors
    ///
    /// The reason, when the text is not what [`Disk::text`] writes.
    pub(super) fn read(text: Option<&str>) -> Result<Self, String> {
        let Some(text) = text else { return Ok(Self::default()) };
        let disk: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if disk.next_action > LARGEST {
            return Err(format!("nextAction: {} is more than {LARGEST}", disk.next_action));
        }
        Ok(disk)
    }

    /// The file's text.
    pub(super) fn text(&self) -> String {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one version wrote, another reads; what it does not know, it writes back.
    #[test]
    fn the_file_reads_back() {
        let text = r#"{"control":{"group":3,"createdAt":"t"},"nextAction":7,"oneTime":["ab"],"later":[1]}"#;
        let disk = Disk::read(Some(text)).expect("reads");
        assert_eq!(disk.next_action, 7);
        assert_eq!(disk.control, Some(ControlId { group: 3, created_at: "t".into() }));
        assert_eq!(Disk::read(Some(&disk.text())), Ok(disk.clone()));
        assert!(disk.text().contains("\"later\":[1]"));
        assert_eq!(Disk::read(None), Ok(Disk::default()));
        assert!(Disk::read(Some("{")).is_err());
    }

    /// DATA-22: a number that no count reaches is damage.
    #[test]
    fn a_number_too_large() {
        let text = |next: u64| format!(r#"{{"nextAction":{next}}}"#);
        assert!(Disk::read(Some(&text(LARGEST))).is_ok());
        let damage = "nextAction: 900000000000001 is more than 900000000000000";
        assert_eq!(Disk::read(Some(&text(LARGEST + 1))), Err(damage.into()));
    }
}
