//! The start, step by step (plan, "Start and shutdown"; decisions 4 and 6). Each step's answer begins the next.
//!
//! ```text
//! User [-> Create] -> Network -> Run [-> Routers] -> ShowRouters -> Groups [-> Aside] [-> Profile]
//!   -> control chat found, or Orphan, Create, Mark [-> LeaveOld -> DeleteOld] [-> GroupProfile]
//!   -> Members -> Chats -> Listen -> Running
//! ```

mod chat;
mod profile;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::approvals::Approval;
use super::connect::ALL_CHATS;
use super::control::Control;
use super::disk::Disk;
use super::facts::Facts;
use super::ops::{Answer, Then, Trouble, command_answer, done, unexpected};
use super::text::{entry, person};
use super::{Agent, Cx, Phase, call};
use crate::config::{OwnerEntry, Owners};
use crate::effect::{DataFile, Effect, ExitCode, Outcome};
use crate::mcp::server::Server;
use crate::simplex::command::Command;
use crate::simplex::model::{Chat, GroupInfo, User};
use crate::simplex::response::Response;

/// What the start knows so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Starting {
    /// The agent's groups, as `/_groups` gave them.
    groups: Vec<GroupInfo>,
    /// Control chats that another one replaces, to be deleted.
    old: Vec<GroupInfo>,
    /// The control chat was renamed out of the way of the profile's new name.
    aside: bool,
}

/// Steps of the start.
#[derive(Clone, Debug)]
pub(super) enum Step {
    User,
    Create { bot: bool },
    Network,
    Run,
    Routers,
    ShowRouters,
    Groups,
    Aside,
    Profile { bot: bool },
    Orphan(GroupInfo),
    CreateChat,
    Mark(GroupInfo),
    LeaveOld(GroupInfo),
    DeleteOld,
    GroupProfile,
    Members,
    Chats,
    Listen,
    Server,
}

impl Agent {
    /// Begins the start.
    pub(super) fn begin(&mut self, cx: &mut Cx<'_>, state: Option<&str>) {
        cx.log(person::first(&self.config.version, &self.config.name));
        cx.log(person::data_folder(&self.config.data_dir));
        cx.log(person::approval_mode(self.config.mode));
        match Disk::read(state) {
            Ok(disk) => self.disk = disk,
            Err(error) => {
                let dir = &self.config.data_dir;
                let line =
                    format!("{dir}/state.json is damaged ({error}). Move it away to start without it.");
                return self.fail(cx, line, ExitCode::Failure);
            }
        }
        self.step(cx, Step::User, &Command::ShowUser);
    }

    fn step(&mut self, cx: &mut Cx<'_>, step: Step, command: &Command) {
        self.command(cx, Then::Start(Box::new(step)), command);
    }

    fn starting(&mut self) -> Option<&mut Starting> {
        match &mut self.phase {
            Phase::Starting(starting) => Some(starting),
            Phase::Running | Phase::Stopping(_) | Phase::Leaving(_) | Phase::Ended => None,
        }
    }

    /// The start can't go on.
    fn fail_start(&mut self, cx: &mut Cx<'_>, what: &str, trouble: &Trouble) {
        self.fail(cx, format!("{what}: {}", trouble.text()), ExitCode::Failure);
    }

    /// A step ended.
    pub(super) fn on_start(&mut self, cx: &mut Cx<'_>, step: Step, result: Outcome) {
        match step {
            Step::Listen => return self.on_listening(cx, result),
            Step::Server => {
                if let Err(reason) = done(result) {
                    cx.warn(format!("register and stdio can't find this server: {reason}"));
                }
                return;
            }
            _ => {}
        }
        if !matches!(self.phase, Phase::Starting(_)) {
            return;
        }
        let answer = command_answer(result);
        match step {
            Step::User => self.on_user(cx, answer),
            Step::Create { bot } => self.on_created(cx, bot, answer),
            Step::Network => self.on_network(cx, answer),
            Step::Run => self.on_run(cx, answer),
            Step::Routers => self.on_routers_set(cx, answer),
            Step::ShowRouters => self.on_routers(cx, answer),
            Step::Groups => self.on_groups(cx, answer),
            Step::Aside => self.on_aside(cx, answer),
            Step::Profile { bot } => self.on_profile(cx, bot, answer),
            Step::Orphan(group) => self.on_orphan(cx, group, answer),
            Step::CreateChat => self.on_chat_created(cx, answer),
            Step::Mark(group) => self.on_marked(cx, group, answer),
            Step::LeaveOld(old) => self.on_old_left(cx, &old, answer),
            Step::DeleteOld => self.on_old_deleted(cx, answer),
            Step::GroupProfile => self.on_group_profile(cx, answer),
            Step::Members => self.on_members_read(cx, answer),
            Step::Chats => self.on_all_chats(cx, answer),
            Step::Listen | Step::Server => {}
        }
    }

    fn on_user(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        match answer {
            Ok(Response::ActiveUser(user)) => self.have_user(cx, user),
            Err(trouble) if trouble.is(|error| error.is_no_active_user()) => {
                let command = Command::CreateUser { profile: self.new_profile("agent") };
                self.step(cx, Step::Create { bot: false }, &command);
            }
            Ok(other) => self.fail_start(cx, "profile", &unexpected("/user", &other)),
            Err(trouble) => self.fail_start(cx, "profile", &trouble),
        }
    }

    fn on_created(&mut self, cx: &mut Cx<'_>, bot: bool, answer: Answer) {
        match answer {
            Ok(Response::ActiveUser(user)) => self.have_user(cx, user),
            // A core before 7.1 does not know the peer type agent (decisions 6).
            Err(trouble) if !bot && trouble.is(|error| error.is_command_error()) => {
                let command = Command::CreateUser { profile: self.new_profile("bot") };
                self.step(cx, Step::Create { bot: true }, &command);
            }
            Ok(other) => self.fail_start(cx, "profile", &unexpected("/_create user", &other)),
            Err(trouble) => match trouble.error().and_then(|error| error.valid_name()) {
                Some(valid) => self.fail(cx, person::bad_display_name(&valid), ExitCode::Usage),
                None => self.fail_start(cx, "profile", &trouble),
            },
        }
    }

    fn have_user(&mut self, cx: &mut Cx<'_>, user: User) {
        self.user = Some(user);
        self.step(cx, Step::Network, &Command::UseNetworkDefaults);
    }

    fn on_network(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        match answer {
            Ok(_) => self.step(cx, Step::Run, &Command::Start { service_requests: false }),
            Err(trouble) => self.fail_start(cx, "network settings", &trouble),
        }
    }

    fn on_run(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        match answer {
            Ok(Response::ChatStarted | Response::ChatRunning) if self.config.smp_servers.is_empty() => {
                self.step(cx, Step::ShowRouters, &Command::ShowRouters);
            }
            Ok(Response::ChatStarted | Response::ChatRunning) => {
                self.step(cx, Step::Routers, &Command::SetRouters(self.config.smp_servers.clone()));
            }
            Ok(other) => self.fail_start(cx, "start", &unexpected("/_start", &other)),
            Err(trouble) => self.fail_start(cx, "start", &trouble),
        }
    }

    fn on_routers_set(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        match answer {
            Ok(_) => self.step(cx, Step::ShowRouters, &Command::ShowRouters),
            Err(trouble) => {
                let line =
                    format!("--smp-server: the SimpleX core does not take the address: {}", trouble.text());
                self.fail(cx, line, ExitCode::Usage);
            }
        }
    }

    fn on_routers(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        // Without an answer only the presets are known: more links are planned late, which is safe.
        if let Ok(Response::Routers(routers)) = answer {
            self.routers = routers
                .iter()
                .filter(|router| router.enabled)
                .flat_map(|router| hosts(&router.address))
                .collect();
        }
        if !self.config.smp_servers.is_empty() {
            cx.log(person::routers(&self.routers));
        }
        let command = Command::Groups(self.user_id());
        self.step(cx, Step::Groups, &command);
    }

    fn on_groups(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        match answer {
            Ok(Response::Groups(groups)) => {
                if let Some(starting) = self.starting() {
                    starting.groups = groups;
                }
                self.check_profile(cx);
            }
            Ok(other) => self.fail_start(cx, "groups", &unexpected("/_groups", &other)),
            Err(trouble) => self.fail_start(cx, "groups", &trouble),
        }
    }

    /// The control chat is known: its members decide who approves, before the first call is taken.
    fn read_members(&mut self, cx: &mut Cx<'_>) {
        let Some(control) = &self.control else { return };
        let command = Command::Members(control.group_id());
        self.step(cx, Step::Members, &command);
    }

    fn on_members_read(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        match answer {
            Ok(Response::Members { members, .. }) => {
                if let Some(control) = &mut self.control {
                    control.set_members(&members);
                }
                if let Err(line) = self.check_owners() {
                    return self.fail(cx, line, ExitCode::Usage);
                }
                let command = Command::Chats { user: self.user_id(), count: ALL_CHATS };
                self.step(cx, Step::Chats, &command);
            }
            Ok(other) => self.fail_start(cx, "members", &unexpected("/_members", &other)),
            Err(trouble) => self.fail_start(cx, "members", &trouble),
        }
    }

    /// Each entry of `--owners LIST` has to name a present human by number and name (decisions 11).
    fn check_owners(&mut self) -> Result<(), String> {
        let (Owners::Listed(entries), Some(control)) = (&self.config.owners, &mut self.control) else {
            return Ok(());
        };
        if control.lost {
            return Ok(());
        }
        let humans = control.humans_vec();
        let current: Vec<OwnerEntry> = humans.iter().map(super::control::Person::entry).collect();
        let mut listed = alloc::collections::BTreeSet::new();
        for wanted in entries {
            let name = entry::entry_name(&wanted.name);
            let found = humans
                .iter()
                .find(|human| human.id.number() == wanted.id && entry::entry_name(&human.name) == name)
                .ok_or_else(|| person::unknown_owner(wanted, &current))?;
            listed.insert(found.member_id.clone());
        }
        control.set_listed(listed);
        Ok(())
    }

    fn on_all_chats(&mut self, cx: &mut Cx<'_>, answer: Answer) {
        match answer {
            Ok(Response::Chats(chats)) => {
                self.take_approvals(&chats);
                self.forget_names(&chats);
                let op = self.ops.begin(Then::Start(Box::new(Step::Listen)));
                cx.fx.push(Effect::Listen { op });
            }
            Ok(other) => self.fail_start(cx, "chats", &unexpected("/_get chats", &other)),
            Err(trouble) => self.fail_start(cx, "chats", &trouble),
        }
    }

    /// Names in chats that are gone.
    fn forget_names(&mut self, chats: &[Chat]) {
        let facts = chats.iter().filter_map(|chat| Facts::of(&chat.chat_info));
        let keys: Vec<String> = facts.map(|facts| facts.identity.key()).collect();
        self.disk.known_as.retain(|key, _| keys.contains(key));
    }

    fn take_approvals(&mut self, chats: &[Chat]) {
        let facts = chats.iter().filter_map(|chat| Facts::of(&chat.chat_info));
        let others: Vec<Facts> = facts.filter(|facts| !self.is_control(facts.chat())).collect();
        for approval in others.iter().filter_map(Approval::of) {
            self.approvals.set(approval);
        }
    }

    fn on_listening(&mut self, cx: &mut Cx<'_>, result: Outcome) {
        if !matches!(self.phase, Phase::Starting(_)) {
            return;
        }
        match result {
            Outcome::Ok => self.have_started(cx),
            Outcome::AddrInUse => {
                let line = person::port_in_use(self.config.port);
                self.fail(cx, line, ExitCode::Failure);
            }
            Outcome::Failed(reason) => {
                let line = person::port_unusable(self.config.port, &reason);
                self.fail(cx, line, ExitCode::Failure);
            }
            Outcome::Response(_) => debug_assert!(false, "Listen ended with a response"),
        }
    }

    /// Everything a call needs is known.
    fn have_started(&mut self, cx: &mut Cx<'_>) {
        self.phase = Phase::Running;
        self.server = Server::new(call::tool_box(&self.config, &self.display_name()));
        self.server.set_ready(true);
        let text = self.server_file();
        self.write(cx, Then::Start(Box::new(Step::Server)), DataFile::Server, text);
        if self.control.as_ref().is_some_and(|control| control.lost) {
            cx.log(person::LOST);
        }
        self.store_disk(cx);
        self.drop_fallen_approvals(cx);
        self.set_up_owners(cx);
        self.begin_tidy(cx);
        self.take_queued(cx);
    }

    /// The text of `DIR/server.json`.
    fn server_file(&self) -> String {
        let config = &self.config;
        let mut file = serde_json::json!({
            "name": config.name,
            "port": config.port,
            "expireHours": config.expire_hours,
        });
        if !config.smp_servers.is_empty() {
            file["smpServers"] = config.smp_servers.clone().into();
        }
        let mut text = file.to_string();
        text.push('\n');
        text
    }

    /// `Listening on …`, once, after the join link or the line that says why there is none.
    pub(super) fn say_listening(&mut self, cx: &mut Cx<'_>) {
        if !self.said_listening {
            self.said_listening = true;
            cx.log(person::listening(self.config.port));
        }
    }

    /// The agent's display name.
    pub(super) fn display_name(&self) -> String {
        self.user.as_ref().map_or_else(
            || self.config.display_name.clone().unwrap_or_else(|| self.config.name.clone()),
            |user| user.profile.display_name.clone(),
        )
    }

    /// Makes this group the control chat.
    fn have_control(&mut self, group: GroupInfo) {
        self.control = Some(Control::new(group, &self.config.owners));
        let id = self.control.as_ref().map(|control| control.id.clone());
        if self.disk.control != id {
            self.disk.greeted.clear();
        }
        self.disk.control = id;
    }
}

/// The hosts of a router's address, `smp://KEY@HOST[,HOST…][:PORT]`.
fn hosts(address: &str) -> Vec<String> {
    let rest = address.rsplit_once('@').map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    rest.split(',')
        .map(|host| match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name.to_string(),
            _ => host.to_string(),
        })
        .filter(|host| !host.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts with several names and with a port.
    #[test]
    fn router_hosts() {
        for (address, expected) in [
            ("smp://K=@smp4.simplex.im", &["smp4.simplex.im"][..]),
            ("smp://K=@a.example,b.onion:5223", &["a.example", "b.onion"]),
            ("smp://K=:pass@127.0.0.1:5223", &["127.0.0.1"]),
            ("", &[]),
        ] {
            assert_eq!(hosts(address), expected, "{address}");
        }
    }
}
