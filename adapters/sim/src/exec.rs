//! Commands: which line is which command, and what every command needs (digest 2.1, 2.2).

use serde_json::{Value, json};

use crate::Version;
use crate::controller::{Answer, Controller};
use crate::errors;
use crate::scan::{Scan, strip};

mod address;
mod chats;
mod connect;
mod delete;
mod edit;
mod group;
mod link;
mod membership;
mod plan;
mod prepare;
mod send;
mod service;
mod sql;
mod user;

pub(crate) use group::GROUP_E2EE;
pub(crate) use prepare::business_preferences;
pub(crate) use send::message_content;
pub(crate) use user::relay_json;

impl Controller<'_> {
    /// Carries out a command line.
    pub(crate) fn run(&mut self, line: &str) -> Answer {
        let line = strip(line);
        if let Some(answer) = self.run_unstarted(&line) {
            return answer;
        }
        let Some((name, run)) = STARTED.iter().find(|(name, _)| is_command(&line, name)) else {
            return Err(errors::parse());
        };
        let rest = line.strip_prefix(name).unwrap_or_default();
        if self.db.user.is_none() {
            return Err(errors::chat("noActiveUser"));
        }
        if !self.db.running {
            return Err(errors::chat("chatNotStarted"));
        }
        run(self, Scan(rest))
    }

    /// Commands that work before `/_start` (digest 2.2).
    fn run_unstarted(&mut self, line: &str) -> Option<Answer> {
        let (name, run) = UNSTARTED.iter().find(|(name, _)| is_command(line, name))?;
        Some(run(self, Scan(line.strip_prefix(name)?)))
    }

    /// ` UID`: must be the own profile.
    pub(crate) fn user_id(&self, scan: &mut Scan<'_>) -> Result<(), Value> {
        scan.space()?;
        let id = scan.id()?;
        if self.db.user.is_none() {
            return Err(errors::chat("noActiveUser"));
        }
        if id != 1 {
            return Err(errors::chat_with(
                "differentActiveUser",
                json!({"commandUserId": id, "activeUserId": 1}),
            ));
        }
        Ok(())
    }

    pub(crate) fn is_7_1(&self) -> bool {
        self.world.options.version == Version::V7_1
    }
}

type Run = for<'a> fn(&mut Controller<'a>, Scan<'_>) -> Answer;

const UNSTARTED: &[(&str, Run)] = &[
    ("/user", |c, s| c.user(s)),
    ("/users", |c, s| c.users(s)),
    ("/_create user", |c, s| c.create_user(s)),
    ("/_start", |c, s| c.start(s)),
    ("/_stop", |c, s| c.stop(s)),
    ("/_check running", |c, s| c.check_running(s)),
    ("/_network", |c, s| c.set_network(s)),
    ("/network", |c, s| c.network(s)),
    ("/version", |c, s| c.version(s)),
    ("/sql", |c, s| c.sql(s)),
    ("/_get chats", |c, s| c.list_chats(s)),
    ("/_show_address", |c, s| c.show_address(s)),
    ("/_short_link_address", |c, s| c.short_link_address(s)),
    ("/_files_folder", |c, s| c.files_folder(s)),
];

const STARTED: &[(&str, Run)] = &[
    ("/_profile_address", |c, s| c.profile_address(s)),
    ("/_profile", |c, s| c.update_profile(s)),
    ("/smp", |c, s| c.servers(s)),
    ("/xftp", |c, s| c.file_servers(s)),
    ("/relays", |c, s| c.relays(s)),
    ("/_servers", |c, s| c.all_servers(s)),
    ("/_set accept", |c, s| c.set_accept(s)),
    ("/_set custom", |c, s| c.set_custom(s)),
    ("/_set link role", |c, s| c.set_link_role(s)),
    ("/_set incognito", |c, s| c.set_incognito(s)),
    ("/_groups", |c, s| c.groups(s)),
    ("/_contacts", |c, s| c.contacts(s)),
    ("/_group_profile", |c, s| c.group_profile(s)),
    ("/_group", |c, s| c.new_group(s)),
    ("/_public group", |c, s| c.new_channel(s)),
    ("/_get relays", |c, s| c.group_relays(s)),
    ("/_members", |c, s| c.members(s)),
    ("/_create link", |c, s| c.create_link(s)),
    ("/_get link", |c, s| c.show_link(s)),
    ("/_delete link", |c, s| c.delete_link(s)),
    ("/_member role", |c, s| c.member_role(s)),
    ("/_remove", |c, s| c.remove_members(s)),
    ("/_block", |c, s| c.block_members(s)),
    ("/_accept member", |c, s| c.accept_member(s)),
    ("/_leave", |c, s| c.leave(s)),
    ("/_add", |c, s| c.add_member_by_line(s)),
    ("/_join", |c, s| c.join(s)),
    ("/_info", |c, s| c.member_info(s)),
    ("/_send", |c, s| c.send_messages(s)),
    ("/_forward", |c, s| c.forward(s)),
    ("/_update item", |c, s| c.update_item(s)),
    ("/_delete item", |c, s| c.delete_items(s)),
    ("/_delete member item", |c, s| c.moderate_items(s)),
    ("/_reaction", |c, s| c.react(s)),
    ("/_get chat", |c, s| c.show_chat(s)),
    ("/_get item info", |c, s| c.item_info(s)),
    ("/_read chat items", |c, s| c.read_items(s)),
    ("/_read chat", |c, s| c.read_chat(s)),
    ("/_unread chat", |c, s| c.unread_chat(s)),
    ("/_connect plan", |c, s| c.plan(s)),
    ("/_connect contact", |c, s| c.connect_contact(s)),
    ("/_connect group", |c, s| c.connect_group(s)),
    ("/_connect", |c, s| c.connect(s)),
    ("/connect", |c, s| c.connect_text(s)),
    ("/c", |c, s| c.connect_text(s)),
    ("/_prepare contact", |c, s| c.prepare_contact(s)),
    ("/_prepare group", |c, s| c.prepare_group(s)),
    ("/_address_settings", |c, s| c.address_settings(s)),
    ("/_address", |c, s| c.create_address(s)),
    ("/_delete_address", |c, s| c.delete_address(s)),
    ("/_accept", |c, s| c.accept_request(s)),
    ("/_reject", |c, s| c.reject_request(s)),
    ("/_delete", |c, s| c.delete_chat(s)),
    ("/_service_request", |c, s| c.service_request(s)),
    ("/_service_response", |c, s| c.service_response(s)),
];

/// The name, and after it the end or a space.
fn is_command(line: &str, name: &str) -> bool {
    line.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}
