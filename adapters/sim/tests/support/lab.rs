//! A network with a clock, for tests.
#![allow(dead_code, unreachable_pub, missing_docs)]

use serde_json::Value;
use simplex_agent_core::{Millis, Now, UnixMillis};
use simplex_sim::{Act, Handle, Network, Options, Output, Scenario, ViewChat};

pub struct Lab {
    pub network: Network,
    pub now: Now,
    ticket: u64,
    pub events: Vec<(Handle, Value)>,
    pub answers: Vec<(u64, Value)>,
}

impl Lab {
    pub fn new(network: Network) -> Self {
        let now = Now { mono: Millis(0), unix: UnixMillis(1_790_000_000_250) };
        Self { network, now, ticket: 0, events: Vec::new(), answers: Vec::new() }
    }

    pub fn plain() -> Self {
        Self::new(Network::new(7, Options::default()))
    }

    pub fn demo() -> Self {
        Self::new(Network::from_scenario(7, &Scenario::demo()))
    }

    pub fn open(&mut self, prefix: &str) -> Handle {
        self.network.open(self.now, prefix)
    }

    /// A started controller with a profile.
    pub fn controller(&mut self, name: &str, bot: bool) -> Handle {
        let handle = self.open(name);
        let kind = if bot { r#","peerType":"bot""# } else { "" };
        let user =
            format!(r#"{{"profile":{{"displayName":"{name}","fullName":""{kind}}},"pastTimestamp":false}}"#);
        self.ok(handle, &format!("/_create user {user}"));
        self.ok(handle, "/_start");
        handle
    }

    pub fn send(&mut self, handle: Handle, line: &str) -> u64 {
        self.ticket += 1;
        self.network.command(self.now, handle, self.ticket, line);
        self.ticket
    }

    /// Sends a command and waits for its answer.
    pub fn ask(&mut self, handle: Handle, line: &str) -> Value {
        let ticket = self.send(handle, line);
        for _ in 0..100 {
            self.collect();
            if let Some(at) = self.answers.iter().position(|(t, _)| *t == ticket) {
                return self.answers.remove(at).1;
            }
            let Some(at) = self.network.next_wakeup() else { break };
            self.to(at);
        }
        panic!("no answer to {line}");
    }

    pub fn ok(&mut self, handle: Handle, line: &str) -> Value {
        let answer = self.ask(handle, line);
        answer.get("result").unwrap_or_else(|| panic!("{line}: {answer}")).clone()
    }

    pub fn err(&mut self, handle: Handle, line: &str) -> Value {
        let answer = self.ask(handle, line);
        answer.get("error").unwrap_or_else(|| panic!("{line}: {answer}")).clone()
    }

    /// `TYPE/TYPE` of an error.
    pub fn err_tag(&mut self, handle: Handle, line: &str) -> String {
        tag(&self.err(handle, line))
    }

    fn to(&mut self, at: Millis) {
        let by = at.since(self.now.mono);
        self.pass(by.0);
    }

    /// Lets time pass.
    pub fn pass(&mut self, millis: u64) {
        let by = Millis(millis);
        self.now = Now { mono: self.now.mono + by, unix: self.now.unix.plus(by) };
        self.network.advance(self.now);
        self.collect();
    }

    fn collect(&mut self) {
        while let Some(output) = self.network.poll() {
            match output {
                Output::Response { ticket, text, .. } => {
                    self.answers.push((ticket, serde_json::from_str(&text).expect("an answer is JSON")));
                }
                Output::Event { handle, text } => {
                    self.events.push((handle, serde_json::from_str(&text).expect("an event is JSON")));
                }
            }
        }
    }

    /// Events of a handle so far, each only once.
    pub fn take(&mut self, handle: Handle) -> Vec<Value> {
        self.collect();
        let (mine, others) = self.events.drain(..).partition(|(h, _)| *h == handle);
        self.events = others;
        mine.into_iter().map(|(_, e): (Handle, Value)| e).collect()
    }

    /// Their short forms, without statuses and agent noise.
    pub fn tags(&mut self, handle: Handle) -> Vec<String> {
        self.take(handle).iter().map(brief).filter(|t| !is_noise(t)).collect()
    }

    /// Lets two seconds pass and gives the short forms.
    pub fn settle(&mut self, handle: Handle) -> Vec<String> {
        self.pass(2000);
        self.tags(handle)
    }

    pub fn act(&mut self, peer: &str, act: Act) {
        self.network.act(self.now, peer, act).expect("the act is possible");
    }

    pub fn chat(&self, peer: &str, name: &str) -> ViewChat {
        let chats = self.network.view(peer);
        let names: Vec<&str> = chats.iter().map(|c| c.name.as_str()).collect();
        chats.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("{name} not in {names:?}")).clone()
    }
}

/// `type/type/…` of an error.
pub fn tag(error: &Value) -> String {
    let mut tags = Vec::new();
    let mut at = Some(error);
    while let Some(value) = at {
        tags.extend(value.get("type").and_then(Value::as_str).map(String::from));
        at = value.as_object().and_then(|map| {
            map.iter()
                .find(|(k, v)| {
                    (k.ends_with("Err") || k.ends_with("Error") || *k == "errorType") && v.is_object()
                })
                .map(|(_, v)| v)
        });
    }
    tags.join("/")
}

/// A short form of an event.
pub fn brief(event: &Value) -> String {
    if let Some(error) = event.get("error") {
        return format!("ERR {}", tag(error));
    }
    let result = &event["result"];
    let name = result["type"].as_str().unwrap_or_default();
    if name != "newChatItems" {
        return name.to_string();
    }
    let mut parts: Vec<String> = Vec::new();
    for item in result["chatItems"].as_array().into_iter().flatten() {
        let content = &item["chatItem"]["content"];
        let scope = if item["chatInfo"].get("groupChatScope").is_some() { "S:" } else { "" };
        let inner = ["rcvGroupEvent", "sndGroupEvent", "rcvDirectEvent"]
            .iter()
            .find_map(|k| content[*k]["type"].as_str());
        let kind = inner.or_else(|| content["type"].as_str()).unwrap_or_default();
        let part = format!("{scope}{kind}");
        if parts.last() != Some(&part) {
            parts.push(part);
        }
    }
    format!("items({})", parts.join(","))
}

fn is_noise(tag: &str) -> bool {
    [
        "chatItemsStatusesUpdated",
        "agentConnsDeleted",
        "agentRcvQueuesDeleted",
        "hostConnected",
        "connectionsDiff",
        "subscriptionStatus",
    ]
    .contains(&tag)
}
