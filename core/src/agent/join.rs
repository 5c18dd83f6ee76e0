//! The people of the control chat: who joins by the link, who becomes an owner, who stops being one (plan, "Owners").

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::control::{Control, Person};
use super::link::Use;
use super::ops::{Answer, Then};
use super::text::{owner, person};
use super::{Agent, Cx};
use crate::config::{OwnerEntry, Owners};
use crate::effect::DataFile;
use crate::simplex::command::Command;
use crate::simplex::model::{GroupInfo, GroupMemberId, Member, MemberCategory, MemberRole};
use crate::simplex::response::Response;

/// Steps of membership.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The link is being deleted; then the member who used it becomes an owner.
    Unlink(Person),
    /// The member is being made owner.
    Promote(Person),
    /// The greeting is being posted, for the member with this identity.
    Greet(String),
    /// A listed member is being made owner at start.
    Listed(Person),
    /// Someone is being removed.
    Remove,
    /// The members are read again, for the event with this number.
    Members(u64),
    /// A membership message is being posted.
    Posted,
}

/// What the members were before an event.
#[derive(Clone, Debug)]
struct Before {
    owners: BTreeSet<GroupMemberId>,
    had_approver: bool,
    lost: bool,
}

impl Before {
    fn of(control: &Control) -> Self {
        Self {
            owners: control.owners().map(|person| person.id).collect(),
            had_approver: control.has_approver(),
            lost: control.lost,
        }
    }
}

impl Person {
    /// As texts name a member.
    pub(super) fn entry(&self) -> OwnerEntry {
        OwnerEntry { id: self.id.number(), name: self.name.clone() }
    }
}

impl Agent {
    /// Takes what an event of the control chat says of a member; false for other groups.
    pub(super) fn take_group(&mut self, cx: &mut Cx<'_>, group: &GroupInfo, member: &Member) -> bool {
        if !self.is_control_group(group) {
            return false;
        }
        self.change(cx, |control| control.set_member(member));
        true
    }

    /// The control chat's group was changed, deleted, or the agent removed from it.
    pub(super) fn set_control_group(&mut self, cx: &mut Cx<'_>, group: GroupInfo) {
        self.change(cx, |control| control.set_group(group));
    }

    /// A role was changed, perhaps the agent's own.
    pub(super) fn on_member_role(&mut self, cx: &mut Cx<'_>, member: GroupMemberId, role: &MemberRole) {
        self.change(cx, |control| control.set_role(member, role));
        self.refresh_members(cx);
    }

    /// A member left or was removed.
    pub(super) fn on_member_gone(&mut self, cx: &mut Cx<'_>, member: GroupMemberId) {
        self.change(cx, |control| control.set_gone(member));
        self.refresh_members(cx);
    }

    /// Changes the control chat's members and says what follows.
    fn change(&mut self, cx: &mut Cx<'_>, change: impl FnOnce(&mut Control)) {
        let Some(control) = &mut self.control else { return };
        let before = Before::of(control);
        change(control);
        let lost = control.lost;
        if lost && !before.lost {
            self.on_lost(cx);
        }
        if !lost {
            self.say_owners(cx, &before);
        }
        self.drop_fallen_approvals(cx);
    }

    /// Says who became or stopped being an owner, and opens a link when nobody is left to approve.
    fn say_owners(&mut self, cx: &mut Cx<'_>, before: &Before) {
        let Some(control) = &self.control else { return };
        match &self.config.owners {
            Owners::Anyone => {
                if before.had_approver && !control.has_approver() {
                    cx.log(person::NO_OWNERS);
                    self.open_link(cx);
                }
            }
            Owners::Nobody => {}
            Owners::Listed(_) => self.say_listed(cx, before),
        }
    }

    fn say_listed(&mut self, cx: &mut Cx<'_>, before: &Before) {
        let Some(control) = &self.control else { return };
        let owners: Vec<Person> = control.owners().cloned().collect();
        let listed: Vec<OwnerEntry> =
            owners.iter().filter(|owner| control.is_listed(owner)).map(Person::entry).collect();
        let added: Vec<OwnerEntry> = owners
            .iter()
            .filter(|owner| !before.owners.contains(&owner.id) && !control.is_listed(owner))
            .map(Person::entry)
            .collect();
        let is_owner = |id: &GroupMemberId| owners.iter().any(|owner| owner.id == *id);
        let gone: Vec<OwnerEntry> = before
            .owners
            .iter()
            .filter(|id| !is_owner(id))
            .filter_map(|id| {
                control.person(*id).filter(|person| control.is_listed(person)).map(Person::entry)
            })
            .collect();
        let remaining: Vec<OwnerEntry> = owners.iter().map(Person::entry).collect();
        for member in added {
            let mut entries = listed.clone();
            entries.push(member.clone());
            self.say(cx, person::owner_added(&member, &entries), owner::owner_added(&member, &entries));
        }
        for member in gone {
            self.say(cx, person::owner_gone(&member, &remaining), owner::owner_gone(&member, &remaining));
        }
    }

    /// Says the same at the terminal and in the control chat.
    fn say(&mut self, cx: &mut Cx<'_>, line: String, message: String) {
        cx.log(line);
        self.post(cx, Then::Join(Step::Posted), message);
    }

    /// Someone joined by the link or was added; a member from the link is acted upon.
    pub(super) fn on_joined(&mut self, cx: &mut Cx<'_>, member: &Member) {
        self.refresh_members(cx);
        if member.member_category != MemberCategory::Invitee {
            return;
        }
        let Some(person) =
            self.control.as_ref().and_then(|control| control.person(member.group_member_id)).cloned()
        else {
            return;
        };
        self.on_link_used(cx, person);
    }

    /// The first who comes by the link is the one; anyone after is removed (decisions 10).
    pub(super) fn on_link_used(&mut self, cx: &mut Cx<'_>, joined: Person) {
        if joined.owner {
            return;
        }
        let Some(control) = self.usable_control() else { return };
        let group = control.group_id();
        // No link is opened while there is an owner, or with a list: one of an earlier run was used by them.
        let others = || control.humans().filter(|other| other.member_id != joined.member_id);
        let there = others().find(|other| other.by_link && other.owner).or_else(|| others().next()).cloned();
        match self.link.take_use(&joined, there.as_ref()) {
            Use::Known => {}
            Use::After(first) => {
                cx.log(person::late_joiner(&joined.entry(), &first.entry()));
                let remove = Command::RemoveMember { group, member: joined.id };
                self.command(cx, Then::Join(Step::Remove), &remove);
            }
            Use::First if matches!(self.config.owners, Owners::Listed(_)) => {}
            Use::First => {
                self.command(cx, Then::Join(Step::Unlink(joined)), &Command::DeleteGroupLink(group));
            }
        }
    }

    /// A step of membership ended.
    pub(super) fn on_join(&mut self, cx: &mut Cx<'_>, step: Step, answer: Answer) {
        self.take_join(cx, step, answer);
        self.look_at_stop(cx);
    }

    fn take_join(&mut self, cx: &mut Cx<'_>, step: Step, answer: Answer) {
        match step {
            Step::Unlink(joined) => self.on_unlinked(cx, joined, answer),
            Step::Promote(joined) => self.on_promoted(cx, &joined, answer),
            Step::Listed(joined) => {
                if let Err(trouble) = answer {
                    cx.warn(person::not_promoted(&joined.entry(), &trouble.text()));
                } else {
                    self.change(cx, |control| control.set_role(joined.id, &MemberRole::Owner));
                }
            }
            Step::Remove => {
                if let Err(trouble) = answer {
                    cx.warn(person::not_removed(&trouble.text()));
                }
                self.refresh_members(cx);
            }
            Step::Members(event) => {
                // An answer to an older question may be older than what a later event said.
                if let Ok(Response::Members { members, .. }) = answer
                    && event == self.members_asked
                {
                    self.change(cx, |control| control.set_members(&members));
                }
            }
            Step::Greet(member_id) => match answer {
                Ok(_) => {
                    self.disk.greeted.insert(member_id);
                    self.store_disk(cx);
                }
                Err(trouble) => cx.warn(person::not_posted(&trouble.text())),
            },
            Step::Posted => {
                if let Err(trouble) = answer {
                    cx.warn(person::not_posted(&trouble.text()));
                }
            }
        }
    }

    fn on_unlinked(&mut self, cx: &mut Cx<'_>, joined: Person, answer: Answer) {
        if let Err(trouble) = answer.as_ref().map_err(|trouble| trouble.clone())
            && !trouble.is(|error| error.is_group_link_not_found())
        {
            cx.warn(person::link_not_deleted(&trouble.text()));
        }
        if self.config.owners == Owners::Nobody {
            return self.say(
                cx,
                person::observer_joined(&joined.entry()),
                owner::observer_joined(&joined.entry()),
            );
        }
        let Some(control) = self.usable_control() else { return };
        let command =
            Command::SetMemberRole { group: control.group_id(), member: joined.id, role: MemberRole::Owner };
        self.command(cx, Then::Join(Step::Promote(joined)), &command);
    }

    fn on_promoted(&mut self, cx: &mut Cx<'_>, joined: &Person, answer: Answer) {
        if let Err(trouble) = answer {
            return cx.warn(person::not_promoted(&joined.entry(), &trouble.text()));
        }
        self.change(cx, |control| control.set_role(joined.id, &MemberRole::Owner));
        self.greet(cx, joined);
        cx.log(person::owner_joined(&joined.entry()));
        cx.log(person::register_hint(&self.config.name, &self.config.data_option));
    }

    /// Greets an owner who came by the link.
    pub(super) fn greet(&mut self, cx: &mut Cx<'_>, joined: &Person) {
        self.post(cx, Then::Join(Step::Greet(joined.member_id.clone())), owner::GREETING.into());
    }

    /// Writes `DIR/state.json` as it is.
    pub(super) fn store_disk(&mut self, cx: &mut Cx<'_>) {
        self.disk.next_action = self.counter.next();
        let text = self.disk.text();
        self.write(cx, Then::Note("the agent's state was not stored"), DataFile::State, text);
    }

    /// Reads the members again: what events say of statuses may be behind (decisions 10, "Owners").
    pub(super) fn refresh_members(&mut self, cx: &mut Cx<'_>) {
        if let Some(control) = self.usable_control() {
            let command = Command::Members(control.group_id());
            self.members_asked = self.members_asked.saturating_add(1);
            self.command(cx, Then::Join(Step::Members(self.members_asked)), &command);
        }
    }
}
