//! Who lives in a simulated network, and how they behave. `SCENARIOS.md` has examples.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simplex_agent_core::Millis;

use crate::{Options, Version};

/// A scenario file (`SCENARIOS.md`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Scenario {
    /// How the network behaves.
    pub options: Options,
    /// Who lives in it, in the order in which they set up what they have.
    pub peers: Vec<PeerPlan>,
}

impl Scenario {
    /// Reads a scenario file. The error names the place (line and column, or the peer) and what is wrong there.
    pub fn parse(text: &str) -> Result<Self, String> {
        let scenario: Self = serde_json::from_str(text).map_err(|e| e.to_string())?;
        scenario.check()?;
        Ok(scenario)
    }

    /// The scenario of `demo`: `scenarios/demo.json`.
    pub fn demo() -> Self {
        Self::parse(include_str!("../scenarios/demo.json")).unwrap_or_default()
    }

    fn check(&self) -> Result<(), String> {
        for (i, peer) in self.peers.iter().enumerate() {
            let place = format!("peers[{i}]");
            if peer.name.is_empty() || crate::text::valid_name(&peer.name) != peer.name {
                return Err(format!(
                    "{place}.name: {:?} is no display name: use letters, digits, single spaces",
                    peer.name
                ));
            }
            if self.peers.iter().take(i).any(|p| p.name == peer.name) {
                return Err(format!(
                    "{place}.name: {:?} is there twice: give each peer its own name",
                    peer.name
                ));
            }
            if !(peer.profile.is_null() || peer.profile.is_object()) {
                return Err(format!("{place}.profile: an object of the profile's other fields is needed"));
            }
            if peer.service.is_some() && (peer.address.is_none() || self.options.version != Version::V7_1) {
                return Err(format!("{place}.service: an address and options.version 7.1 are needed"));
            }
        }
        Ok(())
    }
}

/// A person or bot. Everything but the name may be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PeerPlan {
    /// The display name; unique in the scenario.
    pub name: String,
    /// More of the profile: `peerType`, `shortDescr`, `preferences` with a command menu.
    pub profile: Value,
    /// Has an address.
    pub address: Option<AddressPlan>,
    /// Makes a one-time link and publishes it under this name.
    pub one_time: Option<String>,
    /// Has groups.
    pub groups: Vec<GroupPlan>,
    /// Has channels; each gets a relay.
    pub channels: Vec<ChannelPlan>,
    /// Answers messages.
    pub replies: Option<RepliesPlan>,
    /// Answers searches, as the directory service does.
    pub directory: Option<DirectoryPlan>,
    /// Answers calls of its address (Service RPC). Needs an address and version 7.1.
    pub service: Option<ServicePlan>,
    /// Owns an agent: joins its control chat and decides.
    pub owner: Option<OwnerPlan>,
}

impl PeerPlan {
    /// A person without any behaviour.
    pub(crate) fn named(name: &str) -> Self {
        Self { name: name.to_string(), ..Self::default() }
    }
}

/// An address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AddressPlan {
    /// The name of its link for `Network::link` and for `{link:NAME}` in texts.
    pub publish: String,
    /// A business address: every customer gets a group.
    pub business: bool,
    /// Accepts requests by itself. Business addresses always do.
    pub auto_accept: bool,
    /// The welcome.
    pub auto_reply: Option<String>,
    /// The address of the preset contact "Ask SimpleX Team" of profiles that are created from then on.
    pub preset: bool,
}

/// A group with a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct GroupPlan {
    /// The name of its link.
    pub publish: String,
    /// The display name.
    pub name: String,
    /// More of the group profile: `shortDescr`, `description`, `groupPreferences`, `memberAdmission`.
    pub profile: Value,
    /// The role of those who join; `member` when left out.
    pub role: Option<String>,
    /// New members answer a captcha in the support scope first.
    pub captcha: bool,
    /// Who asks to join one of this peer's groups is rejected.
    pub rejects: bool,
    /// What was written before anybody joined.
    pub posts: Vec<String>,
}

/// A channel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ChannelPlan {
    /// The name of its link.
    pub publish: String,
    /// The display name.
    pub name: String,
    /// More of the group profile.
    pub profile: Value,
    /// What was posted before anybody joined.
    pub posts: Vec<String>,
}

/// How messages are answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RepliesPlan {
    /// How long it takes, in milliseconds.
    pub delay: Millis,
    /// The first rule that fits answers.
    pub rules: Vec<Reply>,
    /// Else this.
    pub otherwise: Vec<String>,
    /// In groups, answers only what mentions or quotes it. Business chats are always answered.
    pub only_when_called: bool,
    /// The answers quote the message.
    pub quote: bool,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Reply {
    /// Fits a text that contains this, in any case; `""` fits every text.
    pub to: String,
    /// The messages. `{text}` is the message, `{link:NAME}` a published link.
    pub say: Vec<String>,
}

/// What a directory lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DirectoryPlan {
    /// How long an answer takes, in milliseconds.
    pub delay: Millis,
    /// What it says when somebody connected.
    pub welcome: Option<String>,
    /// What it lists.
    pub groups: Vec<DirectoryEntry>,
}

/// A listed group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DirectoryEntry {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub about: String,
    /// The published name of its link.
    pub link: String,
    /// How many members it says it has.
    pub members: u32,
}

/// How calls of an address are answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ServicePlan {
    /// How long an answer takes, in milliseconds.
    pub delay: Millis,
    /// The first rule that fits answers; without one the caller waits in vain.
    pub rules: Vec<ServiceRule>,
}

/// An answer to a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ServiceRule {
    /// Fits a request whose JSON text contains this, in any case; `""` fits every request.
    pub to: String,
    /// Fits only requests with a signature.
    pub signed: bool,
    /// The answer. What is no object reaches the caller as an invalid one. Without it, and without `reject`, there is
    /// none.
    pub answer: Option<Value>,
    /// The reason of a refusal.
    pub reject: Option<String>,
}

/// An owner of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OwnerPlan {
    /// `"control"`: joins by the link that the agent makes for its control chat.
    pub joins: Option<String>,
    /// How long after the link was made, in milliseconds.
    pub join_delay: Millis,
    /// How long a decision takes, in milliseconds.
    pub delay: Millis,
    /// The first rule that fits a card decides.
    pub rules: Vec<OwnerRule>,
    /// Else this; `ask` leaves it to whoever plays the owner.
    pub otherwise: Decision,
}

/// A rule of an owner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OwnerRule {
    /// Fits a card that contains this, in any case; `""` fits every card.
    pub card: String,
    /// What is decided.
    pub then: Decision,
    /// How long it takes, when not as long as the owner's other decisions.
    pub delay: Option<Millis>,
    /// How often it decides; without a number always.
    pub times: Option<u32>,
}

/// What an owner decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// Leaves it to whoever plays the owner.
    #[default]
    Ask,
    /// Taps approve.
    Approve,
    /// Taps reject.
    Reject,
}
