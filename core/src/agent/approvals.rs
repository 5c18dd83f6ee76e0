//! Standing approvals: which chats an approver has opened for messages and tool calls.
//!
//! They live in the chats' custom data, so that they are deleted with the chat, and here, so that a revocation counts
//! from the moment it is read (P1). One holds for one approver, one control chat, and one conversation (decisions 10).

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::control::{Control, Person};
use super::facts::{Facts, Identity};
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::model::{GroupMemberId, Raw};
use crate::time::UnixMillis;

/// The key of the custom data that is this program's (plan, "State").
const KEY: &str = "simplexMcp";

/// What the custom data of a chat says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    approved_by: String,
    approved_by_id: GroupMemberId,
    approved_by_member_id: String,
    approved_at: String,
    /// `createdAt` of the control chat it was given in.
    control: String,
    /// It covers the admission chat only.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    support: bool,
}

/// A standing approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Approval {
    pub(super) chat: Identity,
    stored: Stored,
    /// The chat's other custom data.
    others: Map<String, Value>,
}

impl Approval {
    /// The approval that a chat's custom data holds.
    pub(super) fn of(facts: &Facts) -> Option<Self> {
        let mut others = facts.custom_data.as_ref()?.object()?;
        let stored = serde_json::from_value(others.remove(KEY)?).ok()?;
        Some(Self { chat: facts.identity.clone(), stored, others })
    }

    /// A new approval of a chat by a person, in a control chat.
    pub(super) fn new(facts: &Facts, by: &Person, control: &Control, at: UnixMillis) -> Self {
        let mut others = facts.custom_data.as_ref().and_then(Raw::object).unwrap_or_default();
        others.remove(KEY);
        let at = jiff::Timestamp::from_millisecond(at.0).map(|at| at.to_string()).unwrap_or_default();
        let stored = Stored {
            approved_by: by.name.clone(),
            approved_by_id: by.id,
            approved_by_member_id: by.member_id.clone(),
            approved_at: at,
            control: control.id.created_at.clone(),
            support: facts.admission.is_some(),
        };
        Self { chat: facts.identity.clone(), stored, others }
    }

    /// The approver's name.
    pub(super) fn by(&self) -> &str {
        &self.stored.approved_by
    }

    /// The approver's row and identity.
    pub(super) fn approver(&self) -> (GroupMemberId, String) {
        (self.stored.approved_by_id, self.stored.approved_by_member_id.clone())
    }

    /// Whether its approver still is one, in the same control chat.
    pub(super) fn stands(&self, control: &Control) -> bool {
        self.stored.control == control.id.created_at
            && control.approver(self.stored.approved_by_id, &self.stored.approved_by_member_id).is_some()
    }

    /// The chat's custom data with it.
    pub(super) fn custom_data(&self) -> Raw {
        let mut all = self.others.clone();
        all.insert(KEY.to_string(), serde_json::to_value(&self.stored).unwrap_or_default());
        Value::Object(all).into()
    }

    /// The chat's custom data without it; none when nothing is left.
    pub(super) fn custom_data_without(&self) -> Option<Raw> {
        (!self.others.is_empty()).then(|| Value::Object(self.others.clone()).into())
    }
}

/// The standing approvals of this run.
#[derive(Clone, Debug, Default)]
pub(super) struct Approvals(BTreeMap<ChatRef, Approval>);

impl Approvals {
    /// Adds or replaces the approval of a chat.
    pub(super) fn set(&mut self, approval: Approval) {
        self.0.insert(approval.chat.chat, approval);
    }

    /// Takes the approval of a chat out.
    pub(super) fn remove(&mut self, chat: ChatRef) -> Option<Approval> {
        self.0.remove(&chat)
    }

    /// Whether a chat has one.
    pub(super) fn has(&self, chat: ChatRef) -> bool {
        self.0.contains_key(&chat)
    }

    /// The approval that covers a send to this chat, as the chat is.
    pub(super) fn covers(&self, facts: &Facts, control: &Control) -> Option<&Approval> {
        self.0.get(&facts.chat()).filter(|approval| {
            approval.chat == facts.identity
                && approval.stored.support == facts.admission.is_some()
                && approval.stands(control)
        })
    }

    /// Takes out the approvals that no longer apply; they never revive.
    pub(super) fn take_fallen(&mut self, control: &Control) -> Vec<Approval> {
        let fallen: Vec<ChatRef> =
            self.0.iter().filter(|(_, approval)| !approval.stands(control)).map(|(chat, _)| *chat).collect();
        fallen.into_iter().filter_map(|chat| self.0.remove(&chat)).collect()
    }
}
