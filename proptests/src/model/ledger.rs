//! The actions, and what people decided about them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use simplex_agent_core::config::Mode;

use super::approvers::Approvers;
use super::fact::{Fact, What};
use super::key::{Key, keys};
use super::reading::{self, Created, Tool, Word, kind};
use super::stance::{Stance, buttons};
use crate::trace::Trace;

/// What the model knows at one moment.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The control chat.
    pub control: Option<String>,
    /// All actions, by number; a number that was given again stands for the newest.
    pub actions: BTreeMap<u64, Action>,
    /// Which process runs.
    pub run: u32,
    /// It was asked to stop.
    pub stopped: bool,
    /// Mode host: nobody is asked.
    pub host: bool,
    /// Identity of each chat (its time of creation), as it was read last.
    pub identities: BTreeMap<String, String>,
    /// The other side's name of each contact, as it was read last.
    pub names: BTreeMap<String, String>,
    /// What was asked for at a router or by a call so far.
    pub targets: BTreeSet<Key>,
    keys: BTreeMap<u64, BTreeSet<Key>>,
    expiry: u64,
    approvers: Approvers,
    standing: BTreeMap<String, Standing>,
    /// Posts of cards under way: operation and action.
    posting: BTreeMap<u64, u64>,
    live: BTreeSet<u64>,
}

/// A standing approval.
#[derive(Clone, Debug)]
struct Standing {
    member: String,
    /// When it was said.
    time: String,
    /// The chat it was said of; none until the chat is read for the first time.
    identity: Option<String>,
}

/// One action.
#[derive(Clone, Debug)]
pub struct Action {
    /// What the log said of it.
    pub created: Created,
    /// Which process made it.
    pub run: u32,
    /// What its calls asked for, as far as they were told its number.
    pub keys: BTreeSet<Key>,
    /// How far it is.
    pub state: State,
    /// Identity of its chat when it was made.
    pub identity: Option<String>,
    /// The other side's name when it was made.
    pub name: Option<String>,
    /// Its card can be answered.
    pub asked: bool,
    /// What was begun for it.
    pub begun: BTreeSet<&'static str>,
    /// The chat that a prepare made for it.
    pub made: Option<String>,
    unix: i64,
    mono: u64,
}

/// How far an action is, as people decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nobody decided.
    Open,
    /// An approver's command for it came while its card asked.
    Approved,
    /// It can't be approved any more.
    Over,
}

impl Ledger {
    /// What is known before anything happened.
    pub fn new(trace: &Trace, facts: &[Fact]) -> Self {
        Self {
            control: None,
            actions: BTreeMap::new(),
            run: 0,
            stopped: false,
            host: trace.config.mode == Mode::Host,
            identities: BTreeMap::new(),
            names: BTreeMap::new(),
            targets: BTreeSet::new(),
            keys: keys(facts),
            expiry: trace.config.expiry().0,
            approvers: Approvers::default(),
            standing: BTreeMap::new(),
            posting: BTreeMap::new(),
            live: BTreeSet::new(),
        }
    }

    /// Takes a fact.
    pub fn take(&mut self, fact: &Fact) {
        match &fact.what {
            What::Start => {
                self.run += 1;
                self.stopped = false;
                self.posting.clear();
                self.live.clear();
                self.approvers.begin();
            }
            What::StopAsked => self.stopped = true,
            What::Call(_, Some(key)) => {
                self.targets.insert(key.clone());
            }
            What::Event(event) => self.event(fact, event),
            What::Command(op, line) => self.command(*op, line),
            What::Answer(op, line, result) => self.answer(*op, line, result),
            What::Log(line) => self.log(fact, line),
            _ => {}
        }
    }

    /// The actions of this process.
    pub fn current(&self) -> impl Iterator<Item = &Action> {
        self.actions.values().filter(|action| action.run == self.run)
    }

    /// Whether this action may be performed now (P1).
    pub fn may_perform(&self, action: &Action) -> bool {
        self.host
            || action.state == State::Approved
            || (action.created.tool == Tool::Send && self.stands(action))
    }

    /// Whether a standing approval by a current approver covers it.
    fn stands(&self, action: &Action) -> bool {
        let chat = action.created.chat.as_deref().unwrap_or_default();
        let standing = self.standing.get(chat);
        standing.is_some_and(|standing| {
            self.approvers.has(&standing.member) && standing.identity.as_ref() == self.identities.get(chat)
        })
    }

    fn log(&mut self, fact: &Fact, line: &str) {
        if let Some(created) = reading::created(line) {
            let chat = created.chat.clone().unwrap_or_default();
            let action = Action {
                run: self.run,
                keys: self.keys.get(&created.number).cloned().unwrap_or_default(),
                state: State::Open,
                identity: self.identities.get(&chat).cloned(),
                name: self.names.get(&chat).cloned(),
                asked: false,
                begun: BTreeSet::new(),
                made: None,
                unix: fact.unix,
                mono: fact.mono,
                created,
            };
            self.actions.insert(action.created.number, action);
        } else if let Some((n, rest)) =
            line.strip_prefix("Action ").and_then(|rest| rest.split_once([':', ' ']))
        {
            let over =
                rest.starts_with(" failed") || rest.starts_with("expired") || rest.starts_with("rejected");
            if let Some(action) = n.parse().ok().and_then(|n: u64| self.actions.get_mut(&n)).filter(|_| over)
            {
                action.state = State::Over;
            }
        }
    }

    fn command(&mut self, op: u64, line: &str) {
        if let Some(rest) = line.strip_prefix("/_set custom ")
            && let Some((chat, _)) = rest.split_once(" {\"simplexMcp\":{\"control\":true")
        {
            self.control = Some(chat.to_owned());
        }
        let Some(posted) = reading::posted(line).filter(|p| Some(&p.place) == self.control.as_ref()) else {
            return;
        };
        if Stance::of(&posted.text) == Some(Stance::Asks)
            && let Some(n) =
                buttons(&posted.text).first().and_then(|button| button.rsplit(' ').next()?.parse().ok())
        {
            self.posting.insert(op, n);
        }
    }

    fn answer(&mut self, op: u64, line: &str, result: &Value) {
        self.read_chats(result);
        if let Some(control) = self.control.clone() {
            self.approvers.answer(line, result, &control);
        }
        if let Some(action) = self.posting.remove(&op).and_then(|n| self.actions.get_mut(&n)) {
            action.asked |= kind(result) == "newChatItems";
        }
    }

    fn read_chats(&mut self, result: &Value) {
        reading::each_object(result, &mut |object| {
            let number = |key: &str| object.get(key).and_then(Value::as_u64);
            let Some(created) = object.get("createdAt").and_then(Value::as_str) else { return };
            if let Some(id) = number("contactId").filter(|_| object.contains_key("contactStatus")) {
                self.read_identity(format!("@{id}"), created);
                let name = object.get("profile").and_then(|profile| profile["displayName"].as_str());
                self.names.insert(format!("@{id}"), name.unwrap_or_default().into());
            } else if let Some(id) = number("groupId").filter(|_| object.contains_key("groupProfile")) {
                self.read_identity(format!("#{id}"), created);
            }
        });
    }

    fn read_identity(&mut self, chat: String, created: &str) {
        if let Some(standing) = self.standing.get_mut(&chat).filter(|standing| standing.identity.is_none())
            && is_before(created, &standing.time)
        {
            standing.identity = Some(created.into());
        }
        self.identities.insert(chat, created.into());
    }

    fn event(&mut self, fact: &Fact, event: &Value) {
        let Some(control) = self.control.clone() else { return };
        self.approvers.event(event, &control);
        let items: Vec<&Value> = match kind(event) {
            "newChatItems" => event["chatItems"].as_array().into_iter().flatten().collect(),
            "chatItemUpdated" => vec![&event["chatItem"]],
            _ => Vec::new(),
        };
        for item in items {
            let id = item.pointer("/chatItem/meta/itemId").and_then(Value::as_u64).unwrap_or_default();
            let live = item.pointer("/chatItem/meta/itemLive") == Some(&Value::Bool(true));
            let last = kind(event) == "chatItemUpdated" && !live && self.live.remove(&id);
            if live && kind(event) == "newChatItems" {
                self.live.insert(id);
            } else if (kind(event) == "newChatItems" || last)
                && let Some((member, text, time)) = commanded(item, &control)
                && self.approvers.has(&member)
            {
                self.decide(fact, &member, &text, &time);
            }
        }
    }

    /// An approver's own new message.
    fn decide(&mut self, fact: &Fact, member: &str, text: &str, time: &str) {
        let expiry = self.expiry;
        match reading::word(text) {
            Some(Word::Approve(chat, n)) => self.answer_card(fact, chat.as_deref(), n, State::Approved),
            Some(Word::Reject(chat, n)) => self.answer_card(fact, chat.as_deref(), n, State::Over),
            Some(Word::Revoke(chat)) => {
                self.standing.remove(&chat);
            }
            Some(Word::ApproveAll(chat)) if !self.host => {
                let identity = self.identities.get(&chat).cloned();
                if identity.as_deref().is_some_and(|made| !is_before(made, time)) {
                    return;
                }
                let standing = Standing { member: member.into(), time: time.into(), identity };
                self.standing.insert(chat.clone(), standing);
                for action in self.actions.values_mut().filter(|action| action.run == self.run) {
                    let covered =
                        action.created.chat.as_ref() == Some(&chat) && action.created.tool == Tool::Send;
                    if covered && action.asked && action.state == State::Open && !action.expired(fact, expiry)
                    {
                        action.state = State::Approved;
                    }
                }
            }
            _ => {}
        }
    }

    fn answer_card(&mut self, fact: &Fact, chat: Option<&str>, n: u64, state: State) {
        let (run, expiry) = (self.run, self.expiry);
        let Some(action) = self.actions.get_mut(&n).filter(|action| action.run == run && action.asked) else {
            return;
        };
        let same = chat.is_none_or(|chat| action.created.chat.as_deref() == Some(chat));
        if same && action.state == State::Open && !action.expired(fact, expiry) {
            action.state = state;
        }
    }
}

impl Action {
    fn expired(&self, fact: &Fact, expiry: u64) -> bool {
        let wall = fact.unix.saturating_sub(self.unix);
        fact.mono.saturating_sub(self.mono) >= expiry || u64::try_from(wall).is_ok_and(|wall| wall >= expiry)
    }
}

/// Whether a chat was made before a command was said: a later one is another than the approver read of (decisions 10).
fn is_before(made: &str, said: &str) -> bool {
    made.get(..19) < said.get(..19)
}

/// Member, text and time of an item that can be a command (P13).
fn commanded(item: &Value, control: &str) -> Option<(String, String, String)> {
    let at = |path: &str| item.pointer(path);
    let group = at("/chatInfo/groupInfo/groupId").and_then(Value::as_u64)?;
    let absent = |path: &str| at(path).is_none_or(Value::is_null);
    let is = |path: &str, text: &str| at(path).and_then(Value::as_str) == Some(text);
    let verified =
        absent("/chatItem/meta/forwardedByMember") || is("/chatItem/meta/msgVerified/type", "verified");
    let fits = format!("#{group}") == control
        && absent("/chatInfo/groupChatScope")
        && absent("/chatItem/meta/itemForwarded")
        && absent("/chatItem/meta/itemDeleted")
        && verified
        && at("/chatItem/meta/itemEdited") != Some(&Value::Bool(true))
        && is("/chatItem/chatDir/type", "groupRcv")
        && is("/chatItem/chatDir/groupMember/memberRole", "owner")
        && is("/chatItem/content/type", "rcvMsgContent")
        && is("/chatItem/content/msgContent/type", "text");
    let text = |path: &str| at(path).and_then(Value::as_str).map(str::to_owned);
    fits.then_some((
        text("/chatItem/chatDir/groupMember/memberId")?,
        text("/chatItem/content/msgContent/text")?,
        text("/chatItem/meta/itemTs")?,
    ))
}
