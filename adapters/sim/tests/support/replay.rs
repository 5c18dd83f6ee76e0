//! A recorded flow on the simulator.
#![allow(dead_code, unreachable_pub, missing_docs)]

use std::collections::BTreeMap;

use serde_json::Value;
use simplex_agent_core::{Millis, Now, UnixMillis};
use simplex_sim::{Delays, Fault, Handle, Network, Options, Output};

use crate::flow::{Flow, brief, is_noise, items_of, names_items};
use crate::shapes::Shapes;

/// What the simulator said.
#[derive(Default)]
pub struct Replayed {
    /// Short form of each answer, in the order of the steps; empty for steps that could not be repeated.
    pub answers: Vec<String>,
    pub events: BTreeMap<String, Vec<String>>,
}

struct Replay<'a> {
    network: Network,
    now: Now,
    handles: BTreeMap<String, Handle>,
    links: BTreeMap<String, String>,
    items: BTreeMap<(String, String), Vec<i64>>,
    answer: Option<Value>,
    out: Replayed,
    shapes: &'a mut Shapes,
}

/// Repeats a flow: every command after what came before it was delivered.
pub fn replay(flow: &Flow, shapes: &mut Shapes) -> Replayed {
    let now = Now { mono: Millis(0), unix: UnixMillis(1_790_000_000_250) };
    // As fast as the recorded loopback.
    let delays = Delays { delivery: Millis(18), router: Millis(4) };
    let mut replay = Replay {
        network: Network::new(3, Options { delays, ..Options::default() }),
        now,
        handles: BTreeMap::new(),
        links: BTreeMap::new(),
        items: BTreeMap::new(),
        answer: None,
        out: Replayed::default(),
        shapes,
    };
    for step in &flow.steps {
        replay.pass(step.after);
        let router =
            step.line.split_once(" 127.0.0.1").map(|(word, port)| (word, format!("127.0.0.1{port}")));
        let answer = match (step.line.as_str(), router) {
            (_, Some(("down", host))) => replay.fault(Fault::RouterDown { host }),
            (_, Some(("silent", host))) => replay.fault(Fault::RouterSilent { host }),
            (_, Some(("up", host))) => replay.fault(Fault::RouterUp { host }),
            ("open", _) => {
                let handle = replay.network.open(replay.now, &step.client);
                replay.handles.insert(step.client.clone(), handle);
                None
            }
            ("close", _) => {
                if let Some(handle) = replay.handles.remove(&step.client) {
                    replay.network.close(handle);
                }
                None
            }
            _ => replay.run(flow, &step.client, &step.line),
        };
        if let Some(answer) = &answer {
            for (link, at) in &step.links {
                if let Some(text) = answer["result"].pointer(at).and_then(Value::as_str) {
                    replay.links.entry(link.clone()).or_insert_with(|| text.to_string());
                }
            }
        }
        if std::env::var_os("SIM_TRACE").is_some() {
            let line: String = step.line.chars().take(90).collect();
            println!(
                "TRACE {} > {line}\n        {} | {}",
                step.client,
                step.answer,
                answer.as_ref().map(brief).unwrap_or_default()
            );
        }
        replay.out.answers.push(answer.as_ref().map(brief).unwrap_or_default());
    }
    replay.pass(5000);
    replay.out
}

impl Replay<'_> {
    fn fault(&mut self, fault: Fault) -> Option<Value> {
        self.network.fault(fault);
        None
    }

    fn run(&mut self, flow: &Flow, client: &str, line: &str) -> Option<Value> {
        let line = self.line(flow, client, line)?;
        let handle = *self.handles.get(client)?;
        self.answer = None;
        self.network.command(self.now, handle, 1, &line);
        for _ in 0..4000 {
            self.collect();
            if self.answer.is_some() {
                break;
            }
            self.pass(10);
        }
        self.answer.take()
    }

    /// The command with this network's links and numbers.
    fn line(&self, flow: &Flow, client: &str, line: &str) -> Option<String> {
        if line.contains("…[cut") {
            return None;
        }
        let mut text = line.to_string();
        for (name, link) in &self.links {
            text = text.replace(&format!("{{{name}}}"), link);
        }
        if text.contains("{L") {
            return None;
        }
        let Some(items) = flow.items.get(client) else { return Some(text) };
        if !names_items(line) {
            return Some(text);
        }
        let mut out = String::new();
        let mut digits = String::new();
        for c in text.chars().chain(['\n']) {
            if c.is_ascii_digit() {
                digits.push(c);
                continue;
            }
            if !digits.is_empty() {
                let known = items.get(&digits).and_then(|(text, n)| {
                    self.items.get(&(client.to_string(), text.clone()))?.get(*n).map(ToString::to_string)
                });
                let reference = !out.ends_with(['#', '@'])
                    && !out.ends_with(" :")
                    && !out.ends_with("count=")
                    && !out.ends_with("initial=");
                out.push_str(known.as_deref().filter(|_| reference).unwrap_or(&digits));
                digits.clear();
            }
            out.push(c);
        }
        out.pop();
        Some(out)
    }

    fn pass(&mut self, millis: u64) {
        let by = Millis(millis);
        self.now = Now { mono: self.now.mono + by, unix: self.now.unix.plus(by) };
        self.network.advance(self.now);
        self.collect();
    }

    fn collect(&mut self) {
        while let Some(output) = self.network.poll() {
            let (handle, text, event) = match output {
                Output::Response { handle, text, .. } => (handle, text, false),
                Output::Event { handle, text } => (handle, text, true),
            };
            let Some(client) = self.handles.iter().find(|(_, h)| **h == handle).map(|(c, _)| c.clone())
            else {
                continue;
            };
            let envelope: Value = serde_json::from_str(&text).expect("the simulator speaks JSON");
            self.shapes.envelope(if event { "event" } else { "resp" }, &envelope);
            for (id, text) in items_of(&envelope) {
                let text: String = text.chars().take(40).collect();
                let ids = self.items.entry((client.clone(), text)).or_default();
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            if event {
                let tag = brief(&envelope);
                if std::env::var_os("SIM_TRACE").is_some() && !is_noise(&tag) {
                    println!("TRACE {client}   * {tag}");
                }
                if !is_noise(&tag) {
                    self.out.events.entry(client).or_default().push(tag);
                }
            } else {
                self.answer = Some(envelope);
            }
        }
    }
}
