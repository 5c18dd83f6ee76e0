//! The profile: its name and peer type (plan, "Start and shutdown"; decisions 6, "Renaming").

use alloc::string::String;

use super::Step;
use crate::agent::ops::Answer;
use crate::agent::text::person;
use crate::agent::{Agent, Cx};
use crate::effect::ExitCode;
use crate::simplex::command::Command;
use crate::simplex::model::{GroupInfo, PeerType, Raw, User};
use crate::simplex::response::Response;

/// Fields of a stored profile that are no part of the profile a peer gets (`simplex-api.md` 2.3).
const LOCAL: [&str; 4] = ["profileId", "localAlias", "localBadge", "contactDomainVerified"];

impl Agent {
    /// The profile of the first start.
    pub(super) fn new_profile(&self, peer_type: &str) -> Raw {
        let name = self.config.display_name.as_ref().unwrap_or(&self.config.name);
        serde_json::json!({"displayName": name, "fullName": "", "peerType": peer_type}).into()
    }

    /// The name asked for, when it is not the profile's.
    fn new_name(&self) -> Option<String> {
        let wanted = self.config.display_name.clone()?;
        let user = self.user.as_ref()?;
        (user.profile.display_name != wanted).then_some(wanted)
    }

    /// Renames the profile and makes it an agent's, when it is not.
    pub(super) fn check_profile(&mut self, cx: &mut Cx<'_>) {
        let is_agent = self.user.as_ref().is_some_and(|user| user.profile.peer_type == Some(PeerType::Agent));
        if self.new_name().is_none() && is_agent {
            return self.find_control(cx);
        }
        self.set_profile(cx, false);
    }

    fn set_profile(&mut self, cx: &mut Cx<'_>, bot: bool) {
        let Some(user) = &self.user else { return };
        let name = self.new_name().unwrap_or_else(|| user.profile.display_name.clone());
        let peer_type = if bot { "bot" } else { "agent" };
        let command = Command::SetProfile { user: user.user_id, profile: changed(user, &name, peer_type) };
        self.step(cx, Step::Profile { bot }, &command);
    }

    pub(super) fn on_profile(&mut self, cx: &mut Cx<'_>, bot: bool, answer: Answer) {
        match answer {
            Ok(Response::ProfileUpdated(user)) => {
                self.take_profile(user);
                self.find_control(cx);
            }
            Ok(_) => self.find_control(cx),
            // A core before 7.1 does not know the peer type agent (decisions 6).
            Err(trouble) if !bot && trouble.is(|error| error.is_command_error()) => {
                let is_bot =
                    self.user.as_ref().is_some_and(|user| user.profile.peer_type == Some(PeerType::Bot));
                if self.new_name().is_none() && is_bot {
                    self.find_control(cx);
                } else {
                    self.set_profile(cx, true);
                }
            }
            Err(trouble) if trouble.is(|error| error.is_duplicate_name()) => self.on_name_taken(cx),
            Err(trouble) => self.fail_start(cx, "--display-name", &trouble),
        }
    }

    /// The core answers with the user as it was; what counts is the new name.
    fn take_profile(&mut self, user: User) {
        let wanted = self.config.display_name.clone();
        self.user = Some(user);
        if let (Some(user), Some(wanted)) = (&mut self.user, wanted) {
            user.profile.value.display_name = wanted;
        }
    }

    /// A chat has the name. When it is the control chat, it steps aside and comes back (decisions 6).
    fn on_name_taken(&mut self, cx: &mut Cx<'_>) {
        let wanted = self.new_name();
        let own =
            self.marked_groups().into_iter().find(|group| Some(&group.local_display_name) == wanted.as_ref());
        let aside = self.starting().is_some_and(|starting| starting.aside);
        let (Some(group), Some(name), false) = (own, wanted, aside) else {
            return self.fail(cx, person::NAME_TAKEN.into(), ExitCode::Failure);
        };
        if let Some(starting) = self.starting() {
            starting.aside = true;
        }
        let command = Command::SetGroupProfile { group: group.group_id, profile: away(&group, &name) };
        self.step(cx, Step::Aside, &command);
    }

    pub(super) fn on_aside(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        match answer {
            Ok(Response::GroupUpdated(group)) => {
                if let Some(starting) = self.starting() {
                    starting.groups.retain(|other| other.group_id != group.group_id);
                    starting.groups.push(group);
                }
                self.set_profile(cx, false);
            }
            Ok(_) | Err(_) => self.fail(cx, person::NAME_TAKEN.into(), ExitCode::Failure),
        }
    }
}

/// The profile with this name and peer type, its other fields kept.
fn changed(user: &User, name: &str, peer_type: &str) -> Raw {
    let mut profile = user.profile.raw.object().unwrap_or_default();
    for field in LOCAL {
        profile.remove(field);
    }
    profile.insert("displayName".into(), name.into());
    profile.insert("peerType".into(), peer_type.into());
    serde_json::Value::Object(profile).into()
}

/// The group's profile with a name that is not the wanted one.
fn away(group: &GroupInfo, wanted: &str) -> Raw {
    let short: String = wanted.chars().take(40).collect();
    group.group_profile.raw.with("displayName", alloc::format!("{} aside", short.trim_end()))
}
