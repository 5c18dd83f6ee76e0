//! Owners of agents: they join the control chat and decide on cards.

use alloc::format;
use alloc::string::{String, ToString};

use serde_json::{Value, json};

use super::{Errand, chat_of, composed, text_of};
use crate::world::{LinkKind, Task};
use crate::{Decision, Network, OwnerPlan};

impl Network {
    /// A process made a group link: owners that wait for a control chat join by it.
    pub(crate) fn notice_control_link(&mut self) {
        let newest = self.world.links.iter().rfind(|(_, l)| l.kind == LinkKind::Group && !l.deleted);
        let Some(link) = newest.map(|(_, l)| l.short.clone()) else { return };
        self.published.insert("control".to_string(), link.clone());
        let joins = |p: &super::Person| {
            p.plan.owner.as_ref().filter(|o| o.joins.as_deref() == Some("control")).cloned()
        };
        let owners: alloc::vec::Vec<_> =
            self.people.iter().enumerate().filter_map(|(i, p)| Some((i, joins(p)?))).collect();
        for (person, plan) in owners {
            self.world.after(plan.join_delay, Task::Person { person, errand: Errand::Join(link.clone()) });
        }
    }

    /// Taps a button of a card, by the first rule that fits.
    pub(crate) fn decide(&mut self, person: usize, plan: &OwnerPlan, item: &Value) {
        let text = text_of(item).to_lowercase();
        let Some(chat) = chat_of(item).filter(|c| c.starts_with('#')) else { return };
        let (Some(approve), Some(reject)) = (button(item, "approve"), button(item, "reject")) else { return };
        let fits =
            |rule: &crate::OwnerRule| rule.times != Some(0) && text.contains(&rule.card.to_lowercase());
        let at = plan.rules.iter().position(fits);
        let rule = at.and_then(|at| plan.rules.get(at));
        let decision = rule.map_or(plan.otherwise, |r| r.then);
        let delay = rule.and_then(|r| r.delay).unwrap_or(plan.delay);
        let tap = match decision {
            Decision::Ask => return,
            Decision::Approve => approve,
            Decision::Reject => reject,
        };
        let stored = self.people.get_mut(person).and_then(|p| p.plan.owner.as_mut());
        if let Some(times) = at.and_then(|at| stored?.rules.get_mut(at)?.times.as_mut()) {
            *times = times.saturating_sub(1);
        }
        self.run_later(
            person,
            delay,
            format!("/_send {chat} json {}", json!([composed(&format!("/{tap}"))])),
        );
    }
}

/// The command of a button: the first tappable command that begins with this word and a space.
fn button(item: &Value, word: &str) -> Option<String> {
    let parts = item.pointer("/chatItem/formattedText")?.as_array()?;
    let command = |part: &Value| part.pointer("/format/commandStr").and_then(Value::as_str).map(String::from);
    parts.iter().filter_map(command).find(|c| c.split(' ').next() == Some(word) && c.len() > word.len())
}
