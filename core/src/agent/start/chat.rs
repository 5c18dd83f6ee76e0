//! The control chat: found, or made; replaced by `--reset-owners`; given the profile's name and the menu (plan,
//! `createControlChat`; decisions 4, "State on disk").

use alloc::vec::Vec;

use super::Step;
use crate::agent::control::{Control, mark};
use crate::agent::ops::{Answer, unexpected};
use crate::agent::text::person;
use crate::agent::{Agent, Cx};
use crate::simplex::command::{Command, Conversation};
use crate::simplex::model::{GroupInfo, MemberRole, Raw};
use crate::simplex::response::Response;

/// The control chat's description (plan, `createControlChat`), by which one that was not marked yet is known again.
const DESCRIPTION: &str =
    "Supervise your AI agent here: approve or reject its connections and messages with one tap.";

/// The menu of the control chat (plan, `createControlChat`).
fn menu() -> serde_json::Value {
    serde_json::json!([
        {"type": "command", "keyword": "pending", "label": "Pending actions"},
        {"type": "command", "keyword": "list", "label": "Chats and approvals"},
    ])
}

impl Agent {
    /// The groups that are marked as control chats.
    pub(super) fn marked_groups(&mut self) -> Vec<GroupInfo> {
        let groups = self.starting().map(|starting| starting.groups.clone()).unwrap_or_default();
        groups.into_iter().filter(|group| mark(group).is_some()).collect()
    }

    /// Finds the control chat: the newest with a mark; an older one is what a `--reset-owners` left that was killed
    /// before it deleted it. The larger counter wins.
    pub(super) fn find_control(&mut self, cx: &mut Cx<'_>) {
        let mut marked = self.marked_groups();
        let stored = marked.iter().filter_map(mark).max().unwrap_or(1).max(self.disk.next_action);
        self.counter.start_at(stored);
        marked.sort_by(|a, b| a.created_at.as_str().cmp(b.created_at.as_str()));
        let found = if self.config.reset_owners { None } else { marked.pop() };
        let replaced = !marked.is_empty();
        if let Some(starting) = self.starting() {
            starting.old = marked;
        }
        match found {
            Some(group) => {
                self.have_control(group);
                self.delete_next_old(cx);
            }
            None if replaced => self.create_chat(cx),
            None => self.adopt_orphan(cx),
        }
    }

    /// A crash between creating and marking leaves an own group with the description and nobody in it.
    fn adopt_orphan(&mut self, cx: &mut Cx<'_>) {
        let groups = self.starting().map(|starting| starting.groups.clone()).unwrap_or_default();
        let orphan = groups.into_iter().find(|group| {
            group.custom_data.is_none()
                && group.membership.member_role == MemberRole::Owner
                && group.membership.member_status.is_joined()
                && group.group_profile.value.description.as_deref() == Some(DESCRIPTION)
        });
        match orphan {
            Some(group) => {
                let command = Command::Members(group.group_id);
                self.step(cx, Step::Orphan(group), &command);
            }
            None => self.create_chat(cx),
        }
    }

    pub(super) fn on_orphan(&mut self, cx: &mut Cx<'_>, group: GroupInfo, answer: Answer) {
        match answer {
            Ok(Response::Members { members, .. }) if members.is_empty() => self.mark_chat(cx, group),
            _ => self.create_chat(cx),
        }
    }

    fn create_chat(&mut self, cx: &mut Cx<'_>) {
        if self.disk.control.is_some() && !self.config.reset_owners {
            cx.warn(person::CONTROL_CHAT_GONE);
        }
        let name = self.display_name();
        let profile = serde_json::json!({
            "displayName": name,
            "fullName": "",
            "description": DESCRIPTION,
            "groupPreferences": {"history": {"enable": "on"}, "commands": menu()},
        });
        let command = Command::CreateGroup { user: self.user_id(), profile: profile.into() };
        self.step(cx, Step::CreateChat, &command);
    }

    pub(super) fn on_chat_created(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        match answer {
            Ok(Response::GroupCreated(group)) => self.mark_chat(cx, group),
            Ok(other) => self.fail_start(cx, "control chat", &unexpected("/_group", &other)),
            Err(trouble) => self.fail_start(cx, "control chat", &trouble),
        }
    }

    fn mark_chat(&mut self, cx: &mut Cx<'_>, group: GroupInfo) {
        let next = self.counter.next();
        let data: Raw = serde_json::json!({"simplexMcp": {"control": true, "nextAction": next}}).into();
        let command =
            Command::SetCustomData { chat: Conversation::Group(group.group_id), data: Some(data.clone()) };
        let marked = GroupInfo { custom_data: Some(data), ..group };
        self.step(cx, Step::Mark(marked), &command);
    }

    pub(super) fn on_marked(&mut self, cx: &mut Cx<'_>, group: GroupInfo, answer: Answer) {
        if let Err(trouble) = answer {
            return self.fail_start(cx, "control chat", &trouble);
        }
        cx.log(person::control_chat_created(&self.display_name()));
        self.have_control(group);
        self.delete_next_old(cx);
    }

    fn delete_next_old(&mut self, cx: &mut Cx<'_>) {
        match self.starting().and_then(|starting| starting.old.pop()) {
            Some(old) => self.leave_old(cx, &old),
            None => self.check_chat(cx),
        }
    }

    /// Only an owner or a former member deletes a group: others leave it first.
    fn leave_old(&mut self, cx: &mut Cx<'_>, old: &GroupInfo) {
        let current = old.membership.member_status.is_current();
        if current && old.membership.member_role != MemberRole::Owner {
            self.step(cx, Step::LeaveOld(old.clone()), &Command::Leave(old.group_id));
        } else {
            self.delete_old(cx, old);
        }
    }

    fn delete_old(&mut self, cx: &mut Cx<'_>, old: &GroupInfo) {
        let command = Command::Delete { chat: Conversation::Group(old.group_id), notify: true };
        self.step(cx, Step::DeleteOld, &command);
    }

    pub(super) fn on_old_left(&mut self, cx: &mut Cx<'_>, old: &GroupInfo, answer: Answer) {
        if let Err(trouble) = answer {
            cx.warn(alloc::format!("the old control chat was not left: {}", trouble.text()));
        }
        self.delete_old(cx, old);
    }

    pub(super) fn on_old_deleted(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        if let Err(trouble) = answer {
            cx.warn(alloc::format!("the old control chat was not deleted: {}", trouble.text()));
        }
        self.delete_next_old(cx);
    }

    /// Gives the control chat the profile's name and the menu, when the agent can.
    fn check_chat(&mut self, cx: &mut Cx<'_>) {
        let name = self.display_name();
        let Some(control) = self.control.as_ref().filter(|control| !control.lost) else {
            return self.read_members(cx);
        };
        let profile = &control.group.group_profile;
        if profile.value.display_name == name && has_menu(control) {
            return self.read_members(cx);
        }
        let mut object = profile.raw.object().unwrap_or_default();
        object.insert("displayName".into(), name.into());
        let mut preferences =
            object.get("groupPreferences").and_then(|value| value.as_object()).cloned().unwrap_or_default();
        preferences.insert("commands".into(), menu());
        object.insert("groupPreferences".into(), preferences.into());
        let profile: Raw = serde_json::Value::Object(object).into();
        let command = Command::SetGroupProfile { group: control.group_id(), profile };
        self.step(cx, Step::GroupProfile, &command);
    }

    pub(super) fn on_group_profile(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        match answer {
            Ok(Response::GroupUpdated(group)) => {
                if let Some(control) = &mut self.control {
                    control.set_group(group);
                }
            }
            Ok(_) => {}
            Err(trouble) => cx.warn(alloc::format!("the control chat was not renamed: {}", trouble.text())),
        }
        self.read_members(cx);
    }
}

/// Whether the control chat offers the two commands.
fn has_menu(control: &Control) -> bool {
    let raw = control.group.group_profile.raw.object().unwrap_or_default();
    let commands = raw.get("groupPreferences").and_then(|preferences| preferences.get("commands"));
    commands == Some(&menu())
}
