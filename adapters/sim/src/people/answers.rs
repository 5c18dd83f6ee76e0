//! Bots: answers by rules, the directory's searches, captchas.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};
use simplex_agent_core::Millis;

use super::{chat_of, composed, text_of};
use crate::json::put;
use crate::{DirectoryPlan, Network, PeerPlan, RepliesPlan};

/// What a new member has to type.
const CAPTCHA: &str = "HK4F7";

impl Network {
    /// Answers a message by the first rule that fits.
    pub(crate) fn reply(&mut self, person: usize, plan: &RepliesPlan, item: &Value) {
        let Some(chat) = chat_of(item) else { return };
        let business = item.pointer("/chatInfo/groupInfo/businessChat").is_some();
        let called = item.pointer("/chatItem/meta/userMention") == Some(&json!(true));
        if chat.starts_with('#') && plan.only_when_called && !called && !business {
            return;
        }
        let text = text_of(item).to_string();
        let rule = plan.rules.iter().find(|r| text.to_lowercase().contains(&r.to.to_lowercase()));
        let say = rule.map_or(&plan.otherwise, |r| &r.say).clone();
        let quoted = item.pointer("/chatItem/meta/itemId").cloned();
        for (n, words) in say.iter().enumerate() {
            let words = self.filled(&words.replace("{text}", &text));
            let quote = quoted.clone().filter(|_| plan.quote && n == 0);
            self.say_later(person, plan.delay, &chat, &words, quote);
        }
    }

    /// `{link:NAME}` becomes the link.
    fn filled(&self, text: &str) -> String {
        let mut text = text.to_string();
        for (name, link) in &self.published {
            text = text.replace(&format!("{{link:{name}}}"), link);
        }
        text
    }

    fn say_later(&mut self, person: usize, delay: Millis, chat: &str, text: &str, quote: Option<Value>) {
        let mut message = composed(text);
        put(&mut message, "quotedItemId", quote);
        self.run_later(person, delay, format!("/_send {chat} json {}", json!([message])));
    }

    /// The directory's own welcome, after the connection works (FINDINGS.md 5b).
    pub(crate) fn greet(&mut self, person: usize, plan: &PeerPlan, event: &Value) {
        let Some(directory) = &plan.directory else { return };
        let (Some(welcome), Some(id)) = (&directory.welcome, event.pointer("/contact/contactId")) else {
            return;
        };
        let text = self.filled(welcome);
        self.say_later(person, directory.delay, &format!("@{id}"), &text, None);
    }

    /// Answers a search: a count that quotes it, then each group (FINDINGS.md 5b).
    pub(crate) fn search(&mut self, person: usize, plan: &DirectoryPlan, item: &Value) {
        let Some(chat) = chat_of(item).filter(|c| c.starts_with('@')) else { return };
        let text = text_of(item).trim().to_string();
        let quote = item.pointer("/chatItem/meta/itemId").cloned();
        if let Some(command) = text.strip_prefix('/') {
            let (answer, quote) = match command.split(' ').next().unwrap_or_default() {
                "help" => ("Send a word to find groups, or use /new and /list.".to_string(), None),
                "new" | "list" => ("0 registered group(s)".to_string(), quote),
                _ => ("Unknown command".to_string(), quote),
            };
            self.say_later(person, plan.delay, &chat, &answer, quote);
            return;
        }
        let words = text.to_lowercase();
        let found: Vec<_> = plan
            .groups
            .iter()
            .filter(|g| {
                let all = format!("{} {}", g.name, g.about).to_lowercase();
                words.split_whitespace().all(|w| all.contains(w))
            })
            .collect();
        let count = if found.is_empty() {
            "No groups found".to_string()
        } else {
            format!("Found {} group(s).", found.len())
        };
        self.say_later(person, plan.delay, &chat, &count, quote);
        for group in found {
            let link = self.published.get(&group.link).cloned().unwrap_or_default();
            let text = format!(
                "{}\nWelcome message:\n{} Join: {link}\n{} members",
                group.name, group.about, group.members
            );
            self.say_later(person, plan.delay, &chat, &text, None);
        }
    }

    /// A member that waits is asked, in its support scope (FINDINGS.md, 5).
    pub(crate) fn ask_captcha(&mut self, person: usize, plan: &PeerPlan, event: &Value) {
        let waits = event.pointer("/member/memberStatus") == Some(&json!("pending_approval"));
        if !waits || !plan.groups.iter().any(|g| g.captcha) {
            return;
        }
        let (Some(group), Some(member)) =
            (event.pointer("/groupInfo/groupId"), event.pointer("/member/groupMemberId"))
        else {
            return;
        };
        let scope = format!("#{group}(_support:{member})");
        let name =
            event.pointer("/groupInfo/groupProfile/displayName").and_then(Value::as_str).unwrap_or_default();
        let question = format!("Please type the letters of the captcha to join the group {name}.");
        self.say_later(person, Millis(0), &scope, &question, None);
        self.say_later(person, Millis(0), &scope, CAPTCHA, None);
    }

    /// True when the message was an answer to a captcha.
    pub(crate) fn check_captcha(&mut self, person: usize, item: &Value) -> bool {
        let scope = item.pointer("/chatInfo/groupChatScope/groupMember_");
        let waits = scope.and_then(|m| m.get("memberStatus")) == Some(&json!("pending_approval"));
        let (Some(chat), true) = (chat_of(item), waits) else { return false };
        let group = item.pointer("/chatInfo/groupInfo/groupId").cloned().unwrap_or(Value::Null);
        let member = scope.and_then(|m| m.get("groupMemberId")).cloned().unwrap_or(Value::Null);
        if text_of(item).trim().eq_ignore_ascii_case(CAPTCHA) {
            self.run_later(person, Millis(0), format!("/_accept member #{group} {member} member"));
        } else {
            self.say_later(person, Millis(0), &chat, "Wrong. Please try again.", None);
        }
        true
    }
}
