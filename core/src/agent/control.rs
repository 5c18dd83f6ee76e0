//! The agent control chat as the agent knows it: which group it is, who is in it, who approves.
//!
//! What an event says of a member counts at once, before `/_members` is asked again: an owner who was demoted gives no
//! more commands from the moment that is known (P1, P13).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use super::counter::LARGEST;
use super::disk::ControlId;
use crate::config::Owners;
use crate::simplex::model::{GroupId, Raw};
use crate::simplex::model::{GroupInfo, GroupMemberId, Member, MemberCategory, MemberRole, MemberStatus};

/// A human of the control chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Person {
    /// Row of the membership; given again after a delete.
    pub(super) id: GroupMemberId,
    /// Identity in the group, never given again.
    pub(super) member_id: String,
    /// Display name, as the member wrote it.
    pub(super) name: String,
    /// Role owner.
    pub(super) owner: bool,
    /// Status connected or complete.
    pub(super) present: bool,
    /// Came by the agent's own link.
    pub(super) by_link: bool,
}

impl Person {
    fn of(member: &Member) -> Self {
        Self {
            id: member.group_member_id,
            member_id: member.member_id.clone(),
            name: member.name().into(),
            owner: member.member_role == MemberRole::Owner,
            present: matches!(member.member_status, MemberStatus::Connected | MemberStatus::Complete),
            by_link: member.member_category == MemberCategory::Invitee,
        }
    }
}

/// The control chat.
#[derive(Clone, Debug)]
pub(super) struct Control {
    /// Which group it is.
    pub(super) id: ControlId,
    /// The group as last seen.
    pub(super) group: GroupInfo,
    /// The agent cannot use it any more (plan, "Owners", the row of `deletedMemberUser`).
    pub(super) lost: bool,
    people: BTreeMap<GroupMemberId, Person>,
    /// Identities of the members of `--owners LIST`; `None` without a list.
    listed: Option<BTreeSet<String>>,
    /// `--owners` with no value: nobody approves.
    nobody: bool,
}

impl Control {
    /// The control chat in this group, nobody in it known yet.
    pub(super) fn new(group: GroupInfo, owners: &Owners) -> Self {
        Self {
            id: ControlId { group: group.group_id.number(), created_at: group.created_at.as_str().into() },
            lost: !usable(&group),
            group,
            people: BTreeMap::new(),
            listed: matches!(owners, Owners::Listed(_)).then(BTreeSet::new),
            nobody: matches!(owners, Owners::Nobody),
        }
    }

    /// The group's number.
    pub(super) fn group_id(&self) -> GroupId {
        self.group.group_id
    }

    /// Takes the members of `/_members`; those of another listing are forgotten.
    pub(super) fn set_members(&mut self, members: &[Member]) {
        let own = self.group.membership.group_member_id;
        self.people = members
            .iter()
            .filter(|m| m.group_member_id != own)
            .map(|m| (m.group_member_id, Person::of(m)))
            .collect();
    }

    /// Takes what an event says of one member. The role of somebody known stays: the event may be late or come twice,
    /// and only a change of role and `/_members` tell a role.
    pub(super) fn set_member(&mut self, member: &Member) {
        if member.group_member_id == self.group.membership.group_member_id {
            return;
        }
        let mut person = Person::of(member);
        if let Some(known) = self.people.get(&person.id).filter(|known| known.member_id == person.member_id) {
            person.owner = known.owner;
        }
        self.people.insert(person.id, person);
    }

    /// Takes the group as an event or response shows it. The own role alone does not tell: after a removal it still
    /// reads owner (FINDINGS 1), so the status is looked at as well.
    pub(super) fn set_group(&mut self, group: GroupInfo) {
        self.lost = !usable(&group);
        self.group = group;
    }

    /// Takes the role that an event gives to one member, the agent's own included.
    pub(super) fn set_role(&mut self, member: GroupMemberId, role: &MemberRole) {
        if member == self.group.membership.group_member_id {
            self.group.membership.member_role = role.clone();
            self.lost = !usable(&self.group);
        } else if let Some(person) = self.people.get_mut(&member) {
            person.owner = *role == MemberRole::Owner;
        }
    }

    /// One member is not there any more.
    pub(super) fn set_gone(&mut self, member: GroupMemberId) {
        if let Some(person) = self.people.get_mut(&member) {
            person.present = false;
            person.owner = false;
        }
    }

    /// Makes the listed owners those with these identities.
    pub(super) fn set_listed(&mut self, members: BTreeSet<String>) {
        self.listed = Some(members);
    }

    /// Whether this person stands in `--owners LIST`.
    pub(super) fn is_listed(&self, person: &Person) -> bool {
        self.listed.as_ref().is_some_and(|listed| listed.contains(&person.member_id))
    }

    /// The humans: members other than the agent's profile that are connected (plan, "Owners").
    pub(super) fn humans(&self) -> impl Iterator<Item = &Person> {
        self.people.values().filter(|person| person.present)
    }

    /// The human owners.
    pub(super) fn owners(&self) -> impl Iterator<Item = &Person> {
        self.humans().filter(|person| person.owner)
    }

    /// A person by row.
    pub(super) fn person(&self, id: GroupMemberId) -> Option<&Person> {
        self.people.get(&id)
    }

    /// The owners whose commands count.
    pub(super) fn approvers(&self) -> impl Iterator<Item = &Person> {
        self.owners()
            .filter(|person| !self.lost && !self.nobody && (self.listed.is_none() || self.is_listed(person)))
    }

    /// The approver with this row and identity.
    pub(super) fn approver(&self, id: GroupMemberId, member_id: &str) -> Option<&Person> {
        self.approvers().find(|person| person.id == id && person.member_id == member_id)
    }

    /// Whether anyone approves.
    pub(super) fn has_approver(&self) -> bool {
        self.approvers().next().is_some()
    }

    /// The custom data of the chat with this counter, its other keys kept.
    pub(super) fn custom_data(&self, next_action: u64) -> Raw {
        let mark = serde_json::json!({"control": true, "nextAction": next_action});
        let empty = Raw::from(serde_json::json!({}));
        self.group.custom_data.as_ref().unwrap_or(&empty).with("simplexMcp", mark)
    }

    /// All present humans, in the order of their rows.
    pub(super) fn humans_vec(&self) -> Vec<Person> {
        self.humans().cloned().collect()
    }
}

/// Whether the agent's own membership lets it assign owners and edit its cards.
fn usable(group: &GroupInfo) -> bool {
    let status = &group.membership.member_status;
    group.membership.member_role == MemberRole::Owner
        && matches!(status, MemberStatus::Creator | MemberStatus::Connected | MemberStatus::Complete)
}

/// The mark in the custom data of a control chat (plan, "State").
pub(super) fn mark(group: &GroupInfo) -> Option<u64> {
    let custom = group.custom_data.as_ref()?.object()?;
    let mark = custom.get("simplexMcp")?;
    (mark.get("control")?.as_bool()?)
        .then(|| mark.get("nextAction").and_then(serde_json::Value::as_u64))
        .map(|next| next.filter(|next| *next <= LARGEST).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// A member of the control chat, as events carry one.
    fn member(id: u64, role: &str, status: &str) -> serde_json::Value {
        serde_json::json!({
            "groupMemberId": id,
            "memberId": std::format!("member-{id}"),
            "memberRole": role,
            "memberStatus": status,
            "memberCategory": "invitee",
            "localDisplayName": "Alice",
            "memberProfile": {"displayName": "Alice", "fullName": ""},
        })
    }

    fn control() -> Control {
        let group = serde_json::json!({
            "groupId": 1,
            "groupProfile": {"displayName": "My Agent", "fullName": ""},
            "membership": member(1, "owner", "creator"),
            "customData": {"theirs": [1], "simplexMcp": {"control": true, "nextAction": 3}},
            "createdAt": "2026-10-18T09:15:00Z",
        });
        let group = serde_json::from_str(&group.to_string()).expect("a group");
        Control::new(group, &Owners::Anyone)
    }

    fn read(member: &serde_json::Value) -> Member {
        serde_json::from_str(&member.to_string()).expect("a member")
    }

    /// DATA-12: the counter's write keeps what else is in the custom data.
    #[test]
    fn other_custom_data_stays() {
        let data = control().custom_data(7).object().expect("an object");
        let expected = serde_json::json!({"theirs": [1], "simplexMcp": {"control": true, "nextAction": 7}});
        assert_eq!(serde_json::Value::Object(data), expected);
    }

    /// DATA-22: a number that no count reaches is not believed; the other place has the count.
    #[test]
    fn a_number_too_large() {
        for (next, believed) in [(7, 7), (LARGEST, LARGEST), (LARGEST + 1, 1), (u64::MAX, 1)] {
            let group = serde_json::json!({
                "groupId": 1,
                "groupProfile": {"displayName": "My Agent", "fullName": ""},
                "membership": member(1, "owner", "creator"),
                "customData": {"simplexMcp": {"control": true, "nextAction": next}},
                "createdAt": "2026-10-18T09:15:00Z",
            });
            let group = serde_json::from_str(&group.to_string()).expect("a group");
            assert_eq!(mark(&group), Some(believed));
        }
    }

    /// CTRL-29: an event that comes late or twice gives back no role and takes none.
    #[test]
    fn late_events_change_no_role() {
        let mut control = control();
        control.set_members(&[read(&member(2, "member", "connected"))]);
        control.set_member(&read(&member(2, "owner", "connected")));
        assert!(!control.has_approver());
        control.set_role(GroupMemberId::new(2), &MemberRole::Owner);
        control.set_member(&read(&member(2, "member", "connected")));
        assert!(control.has_approver());
        control.set_gone(GroupMemberId::new(2));
        control.set_member(&read(&member(2, "owner", "connected")));
        assert!(!control.has_approver());
    }
}
