//! P1, P2, P6, P11, P12, P13: what reaches a peer or router is allowed by somebody who may, once, for the chat it was
//! shown for.

use serde_json::Value;

use super::{Say, command};
use crate::model::fact::{Fact, What};
use crate::model::key::Key;
use crate::model::reading::{self, Tool, Word, chat_of, kind};
use crate::model::{Action, Ledger, Stance};
use crate::trace::{Deed, Property};

/// Something that reaches a peer.
#[derive(Clone, Debug)]
struct Reach<'a> {
    tool: Tool,
    /// Which step of the tool: each is begun once for one action.
    step: &'static str,
    /// The chat, when the command names one.
    chat: Option<String>,
    text: Option<String>,
    line: &'a str,
}

pub(super) fn look(ledger: &mut Ledger, fact: &Fact, deeds: &[Deed], say: &mut Say<'_>) {
    if let What::Answer(_, line, result) = &fact.what {
        learn_made(ledger, line, result);
    }
    let Some((_, line)) = command(fact) else { return };
    look_at_gated(ledger, line, say);
    look_at_card(ledger, fact, line, deeds, say);
    let Some(reach) = reach(line, ledger.control.as_deref()) else { return };
    if reach.step == "delete" && is_own_leftover(ledger, &reach) {
        return;
    }
    if ledger.stopped && !(reach.step == "delete" && has_begun(ledger, &reach, "leave")) {
        say(Property::P6, format!("after the stop: {line}"));
    }
    attribute(ledger, fact, &reach, deeds, say);
}

/// Finds the action that this is done for, and marks it.
fn attribute(ledger: &mut Ledger, fact: &Fact, reach: &Reach<'_>, deeds: &[Deed], say: &mut Say<'_>) {
    let fitting: Vec<u64> =
        ledger.current().filter(|action| fits(action, reach)).map(|action| action.created.number).collect();
    let allowed = |n: &&u64| ledger.actions.get(n).is_some_and(|action| ledger.may_perform(action));
    let fresh = |n: &&u64| ledger.actions.get(n).is_some_and(|action| !action.begun.contains(reach.step));
    let Some(n) = fitting.iter().filter(allowed).find(fresh).copied() else {
        let again = fitting.iter().any(|n| allowed(&n));
        let property = if again { Property::P2 } else { Property::P1 };
        return say(property, format!("{} (actions {fitting:?})", reach.line));
    };
    if !ledger.host && !is_said(ledger, n, fact.at, deeds) {
        say(Property::P13, format!("nobody who may said to approve action {n}: {}", reach.line));
    }
    let identity = reach.chat.as_deref().and_then(|chat| ledger.identities.get(chat)).cloned();
    let Some(action) = ledger.actions.get_mut(&n) else { return };
    if reach.tool != Tool::Connect && action.identity != identity {
        say(Property::P11, format!("action {n} was for another chat of that number: {}", reach.line));
    }
    action.begun.insert(reach.step);
}

/// Whether a person who may said, in a way that counts, that this action is approved.
fn is_said(ledger: &Ledger, n: u64, at: usize, deeds: &[Deed]) -> bool {
    let chat = ledger.actions.get(&n).and_then(|action| action.created.chat.clone());
    deeds.iter().filter(|deed| deed.at <= at && deed.genuine && deed.owner).any(|deed| {
        match reading::word(&deed.text) {
            Some(Word::Approve(_, number)) => number == n,
            Some(Word::ApproveAll(all)) => Some(all) == chat,
            _ => false,
        }
    })
}

/// A card that says that somebody rejected it is right (P13).
fn look_at_card(ledger: &Ledger, fact: &Fact, line: &str, deeds: &[Deed], say: &mut Say<'_>) {
    let Some(posted) = reading::posted(line).filter(|p| Some(&p.place) == ledger.control.as_ref()) else {
        return;
    };
    if Stance::of(&posted.text) != Some(Stance::Rejected) {
        return;
    }
    let said = deeds.iter().filter(|deed| deed.at <= fact.at && deed.genuine && deed.owner);
    if !said.into_iter().any(|deed| matches!(reading::word(&deed.text), Some(Word::Reject(..)))) {
        say(Property::P13, format!("nobody who may rejected anything: {:?}", posted.text));
    }
}

/// P12: a one-time link, or one at a foreign router, is in no command before its approval.
fn look_at_gated(ledger: &Ledger, line: &str, say: &mut Say<'_>) {
    if line.starts_with("/_send") || line.starts_with("/_update item") {
        return;
    }
    for key in ledger.targets.iter().filter(|key| key.tool == Tool::Connect && key.is_gated()) {
        // One link has two forms: a command with an approved one has what the router said is the other.
        let is_other =
            |approved: &Key| approved.tool == Tool::Connect && approved.is_gated() && approved.is_in(line);
        let is_meant = |approved: &Key| approved.place == key.place || is_other(approved);
        // A call that ended before it was told its action's number leaves one that may be for any link.
        let may_mean = |action: &Action| {
            let unknown = action.created.tool == Tool::Connect && action.keys.is_empty();
            unknown || action.keys.iter().any(is_meant)
        };
        let approved = ledger.current().any(|action| may_mean(action) && ledger.may_perform(action));
        if key.is_in(line) && !approved {
            say(Property::P12, format!("before its approval: {line}"));
        }
    }
}

/// What a command does to peers; none when nothing, or when it is about the control chat.
fn reach<'a>(line: &'a str, control: Option<&str>) -> Option<Reach<'a>> {
    let words: Vec<&str> = line.split(' ').collect();
    let of = |tool, step, chat: Option<&str>| {
        Some(Reach { tool, step, chat: chat.map(|chat| chat_of(chat).to_owned()), text: None, line })
    };
    let about_control = |place: &str| Some(place) == control;
    match words.as_slice() {
        ["/_send", place, ..] if !about_control(place) => {
            let text = reading::posted(line).map(|posted| posted.text);
            of(Tool::Send, "send", Some(place)).map(|reach| Reach { text, ..reach })
        }
        ["/_leave", place, ..] if !about_control(place) => of(Tool::Leave, "leave", Some(place)),
        ["/_delete", place, "full", ..] if place.starts_with(['@', '#']) && !about_control(place) => {
            of(Tool::Leave, "delete", Some(place))
        }
        ["/_connect", "plan", ..] => None,
        ["/_prepare", ..] => of(Tool::Connect, "prepare", None),
        ["/_connect", "contact" | "group", place, ..] if place.starts_with(['@', '#']) => {
            of(Tool::Connect, "connect", Some(place))
        }
        ["/_connect" | "/connect", ..] => of(Tool::Connect, "connect", None),
        _ => None,
    }
}

/// Whether a command can be for this action.
fn fits(action: &Action, reach: &Reach<'_>) -> bool {
    if action.created.tool != reach.tool {
        return false;
    }
    match reach.tool {
        Tool::Leave => action.created.chat == reach.chat,
        Tool::Send => {
            let text = reach.text.as_deref().unwrap_or_default();
            let meant = |key: &Key| key.text.as_deref().is_some_and(|meant| text.ends_with(meant));
            action.created.chat == reach.chat && (action.keys.is_empty() || action.keys.iter().any(meant))
        }
        Tool::Connect => match &reach.chat {
            // A chat that was prepared, or that was known without a connection.
            Some(chat) => action.made.is_none() || action.made.as_ref() == Some(chat),
            None => {
                let card = reach.line.starts_with("/_connect contact ");
                action.keys.is_empty() || card || action.keys.iter().any(|key| key.leads_to(reach.line))
            }
        },
    }
}

/// A prepare says which chat it made.
fn learn_made(ledger: &mut Ledger, line: &str, result: &Value) {
    if !line.starts_with("/_prepare ") || kind(result) != "newPreparedChat" {
        return;
    }
    let id = |path: &str| result.pointer(path).and_then(Value::as_u64);
    let contact = id("/chat/chatInfo/contact/contactId").map(|id| format!("@{id}"));
    let made = contact.or_else(|| id("/chat/chatInfo/groupInfo/groupId").map(|id| format!("#{id}")));
    let run = ledger.run;
    let action = ledger.actions.values_mut().find(|action| {
        action.run == run
            && action.begun.contains("prepare")
            && action.made.is_none()
            && action.keys.iter().any(|key| key.leads_to(line))
    });
    if let Some(action) = action {
        action.made = made;
    }
}

/// Whether a delete is of a chat that an own prepare made and that did not come to life.
fn is_own_leftover(ledger: &Ledger, reach: &Reach<'_>) -> bool {
    reach.line.ends_with("notify=off") && ledger.actions.values().any(|action| action.made == reach.chat)
}

fn has_begun(ledger: &Ledger, reach: &Reach<'_>, step: &str) -> bool {
    ledger.current().any(|action| action.created.chat == reach.chat && action.begun.contains(step))
}
