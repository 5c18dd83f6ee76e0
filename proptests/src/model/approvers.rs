//! Who may approve, as the control chat's own events and answers tell.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::reading::{each_object, kind};

/// The owners among the people of the control chat, by `memberId`.
#[derive(Clone, Debug, Default)]
pub(super) struct Approvers {
    owners: BTreeSet<String>,
    names: BTreeMap<String, String>,
    /// The agent itself was removed or demoted, or the group deleted.
    lost: bool,
}

impl Approvers {
    pub(super) fn has(&self, member: &str) -> bool {
        !self.lost && self.owners.contains(member)
    }

    /// An event about the control chat.
    pub(super) fn event(&mut self, event: &Value, control: &str) {
        let group = event.pointer("/groupInfo/groupId").and_then(Value::as_u64);
        if group.map(|id| format!("#{id}")).as_deref() != Some(control) {
            return;
        }
        match kind(event) {
            "joinedGroupMember" | "joinedGroupMemberConnecting" | "connectedToGroupMember" => {
                self.member(&event["member"], None);
            }
            "memberRole" => {
                let own = event.pointer("/groupInfo/membership/memberId");
                if event.pointer("/member/memberId") == own {
                    self.lost = event["toRole"] != "owner";
                } else {
                    self.member(&event["member"], event["toRole"].as_str());
                }
            }
            "leftMember" => self.remove(&event["member"]),
            "deletedMember" => self.remove(&event["deletedMember"]),
            "deletedMemberUser" | "groupDeleted" => self.lost = true,
            _ => {}
        }
    }

    /// The answer of `/_members` or `/_member role` of the control chat.
    pub(super) fn answer(&mut self, line: &str, result: &Value, control: &str) {
        if line == format!("/_members {control}") && kind(result) == "groupMembers" {
            self.owners.clear();
            each_object(result, &mut |object| {
                if object.contains_key("memberRole") && object.contains_key("groupMemberId") {
                    self.member(&Value::Object(object.clone()), None);
                }
            });
            let own = result.pointer("/group/groupInfo/membership/memberId").and_then(Value::as_str);
            self.owners.retain(|owner| Some(owner.as_str()) != own);
        } else if line.starts_with(&format!("/_member role {control} ")) && kind(result) == "membersRoleUser"
        {
            for member in result["members"].as_array().into_iter().flatten() {
                self.member(member, result["toRole"].as_str());
            }
        }
    }

    /// A new process finds its control chat again, or not.
    pub(super) const fn begin(&mut self) {
        self.lost = false;
    }

    fn member(&mut self, member: &Value, role: Option<&str>) {
        let Some(id) = member["memberId"].as_str() else { return };
        let gone = matches!(member["memberStatus"].as_str(), Some("left" | "removed" | "deleted"));
        if role.or_else(|| member["memberRole"].as_str()) == Some("owner") && !gone {
            self.owners.insert(id.to_owned());
        } else {
            self.owners.remove(id);
        }
        if let Some(name) = member.pointer("/memberProfile/displayName").and_then(Value::as_str) {
            self.names.insert(id.to_owned(), name.to_owned());
        }
    }

    fn remove(&mut self, member: &Value) {
        if let Some(id) = member["memberId"].as_str() {
            self.owners.remove(id);
        }
    }
}
