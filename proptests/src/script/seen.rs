//! What is seen after a line of a script.

use std::collections::BTreeMap;

use simplex_agent_core::id::RequestId;
use simplex_agent_core::readable::{Told, message_lines};
use simplex_sim::ViewMessage;

use super::Script;

/// What was shown so far.
#[derive(Default)]
pub(super) struct Shown {
    /// The calls, in the order of the script.
    pub(super) calls: Vec<RequestId>,
    /// Beginnings of commands that are shown.
    pub(super) commands: Vec<String>,
    /// Show what this person sees.
    pub(super) person: Option<String>,
    /// Show the data folder.
    pub(super) disk: bool,
    logs: usize,
    warnings: usize,
    commands_seen: usize,
    exited: bool,
    told: BTreeMap<usize, Told>,
    posts: BTreeMap<(String, i64), (String, bool)>,
}

impl Shown {
    /// A new process begins: its lines are all new.
    pub(super) fn begin_process(&mut self) {
        self.logs = 0;
        self.warnings = 0;
        self.exited = false;
    }

    /// Commands up to here are not shown.
    pub(super) fn skip_commands(&mut self, count: usize) {
        self.commands_seen = count;
    }
}

impl Script {
    /// Replaces `$name` by the link of that name.
    pub(super) fn links(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for name in self.link_names() {
            if let Some(link) = self.world.network.link(&name) {
                if let Some(full) = self.world.network.full_link(&link) {
                    text = text.replace(&format!("${name}.full"), &full);
                }
                text = text.replace(&format!("${name}"), &link);
            }
        }
        text
    }

    /// The names of links, the longest first, so that none hides in another.
    fn link_names(&self) -> Vec<String> {
        let mut names = self.world.network.link_names();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        names
    }

    /// Replaces links by `$name`.
    fn unlink(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for name in self.link_names() {
            if let Some(link) = self.world.network.link(&name) {
                if let Some(full) = self.world.network.full_link(&link) {
                    text = text.replace(&full, &format!("${name}.full"));
                }
                text = text.replace(&link, &format!("${name}"));
            }
        }
        text
    }

    /// What is new to see.
    pub(super) fn see(&mut self) -> Vec<String> {
        let mut seen = Vec::new();
        self.see_commands(&mut seen);
        self.see_lines(&mut seen);
        self.see_posts(&mut seen);
        self.see_calls(&mut seen);
        self.see_asked(&mut seen);
        if let (Some(code), false) = (self.world.exit, self.shown.exited) {
            self.shown.exited = true;
            seen.push(format!("exit {}", code.number()));
        }
        seen.iter().map(|line| self.unlink(line)).collect()
    }

    fn see_commands(&mut self, seen: &mut Vec<String>) {
        let all: Vec<String> = self.world.commands().map(str::to_owned).collect();
        for line in all.iter().skip(self.shown.commands_seen) {
            if self.shown.commands.iter().any(|prefix| line.starts_with(prefix.as_str())) {
                seen.push(format!("command {line}"));
            }
        }
        self.shown.commands_seen = all.len();
    }

    fn see_lines(&mut self, seen: &mut Vec<String>) {
        seen.extend(self.world.log.iter().skip(self.shown.logs).map(|line| format!("log {line}")));
        seen.extend(self.world.warnings.iter().skip(self.shown.warnings).map(|line| format!("err {line}")));
        self.shown.logs = self.world.log.len();
        self.shown.warnings = self.world.warnings.len();
    }

    /// The agent's messages in the control chat, as the first person sees them who is in it.
    fn see_posts(&mut self, seen: &mut Vec<String>) {
        for peer in self.world.network.peers() {
            let Some(chat) = self.world.control_chat(&peer) else { continue };
            for post in self.world.agent_posts(&peer) {
                let key = (chat.chat_ref.clone(), post.id);
                let is = (post.text.clone(), post.deleted);
                match self.shown.posts.insert(key, is.clone()) {
                    None => seen.extend(lines("post", &post)),
                    Some(was) if was == is => {}
                    Some(_) if post.deleted => seen.push(format!("gone {}", post.id)),
                    Some(_) => seen.extend(lines("edit", &post)),
                }
            }
            return;
        }
    }

    fn see_calls(&mut self, seen: &mut Vec<String>) {
        for (index, request) in self.shown.calls.clone().into_iter().enumerate() {
            let told = self.shown.told.entry(index).or_default();
            seen.extend(self.world.exchange(request).news(index + 1, told));
        }
    }

    fn see_asked(&mut self, seen: &mut Vec<String>) {
        if let Some(person) = self.shown.person.take() {
            for chat in self.world.network.view(&person) {
                seen.push(format!("{person} sees {} {} ({})", chat.chat_ref, chat.name, chat.role));
                for member in &chat.members {
                    seen.push(format!(
                        "  member {} {} {} {}",
                        member.id, member.name, member.role, member.status
                    ));
                }
                for message in &chat.messages {
                    seen.extend(lines(&format!("  {}", message.author), message));
                }
            }
        }
        if std::mem::take(&mut self.shown.disk) {
            for (file, text) in &self.world.disk {
                seen.push(format!("file {file:?} {}", text.trim_end()));
            }
        }
    }
}

fn lines(what: &str, message: &ViewMessage) -> Vec<String> {
    message_lines(what, message.id, &message.text)
}
