//! Makes `tests/data/shapes.json` and `tests/data/flows.json` of recordings of a real core.
//!
//! `cargo run -p simplex-sim --example extract -- RECORDINGS` with the folder of `FLOW-CLIENT.jsonl` files.
#![allow(clippy::disallowed_methods, reason = "a program of its own, which reads files")]

#[path = "../tests/support/flow.rs"]
mod flow;
#[path = "../tests/support/shapes.rs"]
mod shapes;

use std::collections::BTreeMap;

use flow::{Flow, Step, brief, is_noise, items_of, names_items};
use serde_json::{Value, json};
use shapes::Shapes;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder of the recordings is needed")?;
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let mut shapes = Shapes::default();
    let mut flows: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut names: Vec<_> = std::fs::read_dir(&folder)?.filter_map(|e| e.ok().map(|e| e.path())).collect();
    names.sort();
    for path in names.iter().filter(|p| p.extension().is_some_and(|e| e == "jsonl")) {
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        let Some((flow, client)) = stem.rsplit_once('-') else { continue };
        for line in std::fs::read_to_string(path)?.lines() {
            let mut row: Value = serde_json::from_str(line)?;
            row["client"] = json!(client);
            // Over WebSocket errors and answers have another envelope.
            if let Some(envelope) = raw(&row).filter(|_| !flow.starts_with("ws-") && flow != "restart") {
                shapes.envelope(row["kind"].as_str().unwrap_or_default(), &envelope);
            }
            if flow.starts_with("agent-") {
                flows.entry(flow.to_string()).or_default().push(row);
            }
        }
    }
    std::fs::write(format!("{data}/shapes.json"), shapes_text(&shapes)?)?;
    let mut reduced = BTreeMap::new();
    // The directory bot of this flow is no client of the records.
    flows.remove("agent-directory");
    for (name, mut rows) in flows {
        rows.sort_by(|a, b| {
            a["t"].as_f64().partial_cmp(&b["t"].as_f64()).unwrap_or(core::cmp::Ordering::Equal)
        });
        reduced.insert(name, reduce(&rows));
    }
    std::fs::write(format!("{data}/flows.json"), flows_text(&reduced)?)?;
    Ok(())
}

fn raw(row: &Value) -> Option<Value> {
    serde_json::from_str(row["raw"].as_str()?).ok()
}

/// One line for each kind of object: `key` when always there, `key?` when sometimes.
fn shapes_text(shapes: &Shapes) -> Result<String, serde_json::Error> {
    let mut lines = Vec::new();
    for (name, seen) in &shapes.0 {
        let keys: BTreeMap<String, String> = seen
            .keys
            .iter()
            .map(|(key, (count, kinds))| {
                let mark = if *count < seen.count { "?" } else { "" };
                (format!("{key}{mark}"), kinds.join(" or "))
            })
            .collect();
        lines.push(format!("{}: {}", serde_json::to_string(name)?, serde_json::to_string(&keys)?));
    }
    Ok(format!("{{\n{}\n}}\n", lines.join(",\n")))
}

/// One line for each step.
fn flows_text(flows: &BTreeMap<String, Flow>) -> Result<String, serde_json::Error> {
    let mut parts = Vec::new();
    for (name, flow) in flows {
        let steps: Result<Vec<String>, _> = flow.steps.iter().map(serde_json::to_string).collect();
        parts.push(format!(
            "{}: {{\"events\": {},\n\"items\": {},\n\"steps\": [\n{}\n]}}",
            serde_json::to_string(name)?,
            serde_json::to_string(&flow.events)?,
            serde_json::to_string(&flow.items)?,
            steps?.join(",\n")
        ));
    }
    Ok(format!("{{\n{}\n}}\n", parts.join(",\n")))
}

/// The commands of a flow with names for links, and the short forms of the answers and events.
fn reduce(rows: &[Value]) -> Flow {
    let mut flow = Flow::default();
    let mut links = Links::default();
    let mut open: BTreeMap<(String, u64), usize> = BTreeMap::new();
    let mut seen: BTreeMap<(String, String), Vec<i64>> = BTreeMap::new();
    let mut last = 0.0;
    for row in rows {
        let client = row["client"].as_str().unwrap_or_default().to_string();
        match row["kind"].as_str() {
            Some("note") => {
                let text = row["text"].as_str().unwrap_or_default();
                let line = if text.starts_with("chat_migrate_init") {
                    "open"
                } else if text.starts_with("chat_close_store") || text == "process killed (SIGKILL)" {
                    "close"
                } else if let Some((_, line)) =
                    ROUTER_NOTES.iter().find(|(n, _)| client == "agent" && text.starts_with(n))
                {
                    line
                } else {
                    continue;
                };
                flow.steps.push(Step {
                    client,
                    line: line.into(),
                    after: after(row, &mut last),
                    ..Step::default()
                });
            }
            Some("cmd") => {
                let line = links.named(row["cmd"].as_str().unwrap_or_default());
                // The recordings cut long texts: such a command cannot be repeated.
                let line = if line.contains("…[cut") {
                    format!("{}…[cut", line.chars().take(40).collect::<String>())
                } else {
                    line
                };
                open.insert((client.clone(), row["n"].as_u64().unwrap_or_default()), flow.steps.len());
                flow.steps.push(Step { client, line, after: after(row, &mut last), ..Step::default() });
            }
            Some(kind @ ("resp" | "event")) => {
                let Some(envelope) = raw(row) else { continue };
                for (id, text) in items_of(&envelope) {
                    note_item(&mut flow, &mut seen, &client, id, &text);
                }
                if kind == "event" {
                    let tag = brief(&envelope);
                    if !is_noise(&tag) {
                        flow.events.entry(client).or_default().push(tag);
                    }
                    continue;
                }
                last = row["t"].as_f64().unwrap_or(last);
                if let Some(step) = open.get(&(client, row["n"].as_u64().unwrap_or_default())) {
                    let found = links.places(&envelope["result"], String::new());
                    if let Some(step) = flow.steps.get_mut(*step) {
                        step.answer = brief(&envelope);
                        step.links = found;
                    }
                }
            }
            _ => {}
        }
    }
    keep_used_items(&mut flow);
    links.spell_out_unknown(&mut flow);
    flow
}

/// Notes of the recordings that say what was done to a router.
const ROUTER_NOTES: [(&str, &str); 5] = [
    ("server 2 stopped", "down 127.0.0.1:5224"),
    ("server 2 back", "up 127.0.0.1:5224"),
    ("server 2 frozen", "silent 127.0.0.1:5224"),
    ("server 2 thawed", "up 127.0.0.1:5224"),
    ("agent deletes the contact while server 2 is down", "down 127.0.0.1:5224"),
];

/// Milliseconds since the step before, or its answer.
fn after(row: &Value, last: &mut f64) -> u64 {
    let t = row["t"].as_f64().unwrap_or_default();
    let millis = ((t - *last) * 1000.0).max(0.0) as u64;
    *last = t;
    millis
}

fn note_item(
    flow: &mut Flow,
    seen: &mut BTreeMap<(String, String), Vec<i64>>,
    client: &str,
    id: i64,
    text: &str,
) {
    let text: String = text.chars().take(40).collect();
    let ids = seen.entry((client.to_string(), text.clone())).or_default();
    if !ids.contains(&id) {
        ids.push(id);
        let place = (text, ids.len() - 1);
        flow.items.entry(client.to_string()).or_default().entry(id.to_string()).or_insert(place);
    }
}

/// Only items that a command names.
fn keep_used_items(flow: &mut Flow) {
    let steps = flow.steps.clone();
    for (client, items) in &mut flow.items {
        let mine: Vec<&Step> = steps.iter().filter(|s| s.client == *client && names_items(&s.line)).collect();
        items.retain(|id, _| {
            mine.iter().any(|s| s.line.split(|c: char| !c.is_ascii_digit()).any(|word| word == id))
        });
    }
}

/// Names of links in the order in which they come.
#[derive(Default)]
struct Links(BTreeMap<String, String>);

impl Links {
    /// Links that no answer gave are written out: they were made up.
    fn spell_out_unknown(&self, flow: &mut Flow) {
        let given: Vec<String> =
            flow.steps.iter().flat_map(|s| s.links.iter().map(|(n, _)| n.clone())).collect();
        for (link, name) in self.0.iter().filter(|(_, n)| !given.contains(n)) {
            for step in &mut flow.steps {
                step.line = step.line.replace(&format!("{{{name}}}"), link);
            }
        }
    }

    fn name(&mut self, link: &str) -> String {
        let next = format!("L{}", self.0.len() + 1);
        self.0.entry(link.to_string()).or_insert(next).clone()
    }

    /// A command with names for its links.
    fn named(&mut self, line: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some(at) = ["https://127.0.0.1", "simplex:/contact#", "simplex:/invitation#"]
            .iter()
            .filter_map(|p| rest.find(p))
            .min()
        {
            let (before, link) = rest.split_at(at);
            let end = link.find([' ', '"', '\'', '\n']).unwrap_or(link.len());
            let (link, after) = link.split_at(end);
            out.push_str(before);
            out.push_str(&format!("{{{}}}", self.name(link)));
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// Where an answer has links.
    fn places(&mut self, value: &Value, at: String) -> Vec<(String, String)> {
        match value {
            Value::String(text) if text.starts_with("https://127.0.0.1") || text.starts_with("simplex:/") => {
                if text.contains(' ') || text.contains('…') {
                    Vec::new()
                } else {
                    vec![(self.name(text), at)]
                }
            }
            Value::Array(items) => {
                items.iter().enumerate().flat_map(|(i, v)| self.places(v, format!("{at}/{i}"))).collect()
            }
            Value::Object(map) => map.iter().flat_map(|(k, v)| self.places(v, format!("{at}/{k}"))).collect(),
            _ => Vec::new(),
        }
    }
}
