//! The simulator against recordings of a real core: the same answers and events in the same order, in the same shapes.
//!
//! `tests/data/flows.json` and `tests/data/shapes.json` come from the recordings (`examples/extract.rs`).
//! `tests/data/differences.json` lists every difference that is left, each with its reason. With
//! `SIM_PRINT_DIFFERENCES=1` the test prints what it finds; `SIM_FLOW=NAME SIM_TRACE=1` shows one flow step by step.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a test may be asked to print")]

#[path = "support/extra.rs"]
mod extra;
#[path = "support/flow.rs"]
mod flow;
#[path = "support/replay.rs"]
mod replay;
#[path = "support/shapes.rs"]
mod shapes;

use std::collections::{BTreeMap, BTreeSet};

use flow::Flow;
use replay::{Replayed, replay};
use shapes::Shapes;

fn flows() -> BTreeMap<String, Flow> {
    serde_json::from_str(include_str!("data/flows.json")).expect("flows.json fits")
}

/// Reason to differences: `FLOW CLIENT: -event` (recorded only), `+event` (simulated only), `FLOW: COMMAND: a -> b`.
fn explained() -> BTreeSet<String> {
    let groups: Vec<(String, Vec<String>)> =
        serde_json::from_str(include_str!("data/differences.json")).expect("differences.json fits");
    groups.into_iter().flat_map(|(_, lines)| lines).collect()
}

/// SIM-30, SIM-31: each recorded flow gives the same answers and, for each client, the same order of events.
#[test]
fn recorded_flows_give_the_same_tags() {
    let mut found = BTreeSet::new();
    let mut shapes = Shapes::default();
    let only = std::env::var("SIM_FLOW").ok();
    for (name, flow) in flows().into_iter().filter(|(name, _)| only.as_ref().is_none_or(|o| o == name)) {
        let replayed = replay(&flow, &mut shapes);
        found.extend(answer_differences(&name, &flow, &replayed));
        found.extend(event_differences(&name, &flow, &replayed));
    }
    extra::extra(&mut shapes);
    found.extend(shape_differences(&shapes));
    compare(&found);
}

fn compare(found: &BTreeSet<String>) {
    let explained = explained();
    if std::env::var_os("SIM_PRINT_DIFFERENCES").is_some() {
        for line in found.difference(&explained) {
            println!("{line}");
        }
    }
    let new: Vec<_> = found.difference(&explained).collect();
    let gone: Vec<_> = explained.difference(found).collect();
    assert!(
        new.is_empty(),
        "{} differences without a reason: {:#?}",
        new.len(),
        new.iter().take(40).collect::<Vec<_>>()
    );
    assert!(gone.is_empty(), "these differences are gone, take them out of differences.json: {gone:#?}");
}

fn answer_differences(name: &str, flow: &Flow, replayed: &Replayed) -> Vec<String> {
    let mut found = Vec::new();
    for (step, answer) in flow.steps.iter().zip(&replayed.answers) {
        let cut = step.line.contains("…[cut")
            || ["open", "close", "down", "silent", "up"].iter().any(|w| step.line.starts_with(w));
        if !cut && step.answer != *answer {
            let line: String = step.line.chars().take(60).collect();
            found.push(format!("{name} {}: {line}: {} -> {answer}", step.client, step.answer));
        }
    }
    found
}

/// Differences of the sequences, by their longest common part.
fn event_differences(name: &str, flow: &Flow, replayed: &Replayed) -> Vec<String> {
    let mut found = Vec::new();
    let empty = Vec::new();
    for (client, recorded) in &flow.events {
        let simulated = replayed.events.get(client).unwrap_or(&empty);
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for line in diff(recorded, simulated) {
            *counts.entry(line).or_default() += 1;
        }
        found.extend(counts.into_iter().map(|(line, n)| format!("{name} {client}: {line} ×{n}")));
    }
    found
}

fn diff(a: &[String], b: &[String]) -> Vec<String> {
    let mut table = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            table[i][j] =
                if a[i] == b[j] { table[i + 1][j + 1] + 1 } else { table[i + 1][j].max(table[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            i += 1;
            j += 1;
        } else if i < a.len() && (j == b.len() || table[i + 1][j] >= table[i][j + 1]) {
            lines.push(format!("-{}", a[i]));
            i += 1;
        } else {
            lines.push(format!("+{}", b[j]));
            j += 1;
        }
    }
    lines
}

/// For each recorded kind of object: its keys are there, always when they were always there, with the same types.
fn shape_differences(simulated: &Shapes) -> Vec<String> {
    let recorded: BTreeMap<String, BTreeMap<String, String>> =
        serde_json::from_str(include_str!("data/shapes.json")).expect("shapes.json fits");
    let mut found = Vec::new();
    for (name, keys) in recorded {
        let Some(seen) = simulated.0.get(&name) else {
            found.push(format!("shape {name}: not simulated"));
            continue;
        };
        for (key, kinds) in keys {
            let always = !key.ends_with('?');
            let key = key.trim_end_matches('?');
            let Some((count, mine)) = seen.keys.get(key) else {
                found.push(format!("shape {name}.{key}: missing"));
                continue;
            };
            if always && *count < seen.count {
                found.push(format!("shape {name}.{key}: missing sometimes"));
            }
            let theirs: BTreeSet<&str> = kinds.split(" or ").map(base).collect();
            for kind in mine.iter().map(|k| base(k)).filter(|k| !theirs.contains(k)) {
                found.push(format!("shape {name}.{key}: {kind} where {kinds} was recorded"));
            }
        }
    }
    found
}

/// The JSON type of a kind.
fn base(kind: &str) -> &str {
    match kind {
        "bool" | "number" | "string" | "null" => kind,
        _ if kind.starts_with('[') => "array",
        _ => "object",
    }
}
