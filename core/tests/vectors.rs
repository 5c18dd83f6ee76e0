//! The text rules against recorded answers of the SimpleX core.
//!
//! `tests/data/text-rules.jsonl` is our own choice of revealing texts, in the shape of the recorded file; that file
//! itself is checked too when it is at hand: in the folder named by `SIMPLEX_MCP_SHARED`, or in `shared` beside the
//! repository.

use std::env;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use simplex_agent_core::simplex::{markdown, name, size};

/// Answers of one rule, as the core's library gives them.
fn answer(function: &str, text: &str) -> Value {
    match function {
        "markdown" => match markdown::parse(text) {
            Some(parts) => json!({ "formattedText": markdown::to_json(&parts) }),
            None => json!({}),
        },
        "valid_name" => json!(name::valid_form(text)),
        "json_length" => json!(size::encoded_len(text)),
        other => panic!("unknown function {other}"),
    }
}

/// Compares every line of a file of answers; tells how many lines of each function there were.
fn check(lines: &str) -> [usize; 3] {
    let mut counts = [0; 3];
    let mut wrong = Vec::new();
    for line in lines.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON object on each line");
        let (function, text) = (vector["fn"].as_str().expect("fn"), vector["in"].as_str().expect("in"));
        counts[["markdown", "valid_name", "json_length"]
            .iter()
            .position(|f| *f == function)
            .expect("function")] += 1;
        let actual = answer(function, text);
        if actual != vector["out"] {
            wrong.push(format!("{function} {text:?}\n  expected {}\n  actual   {actual}", vector["out"]));
        }
    }
    assert!(wrong.is_empty(), "{} answers differ:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    counts
}

/// LANG-14, LANG-16, LANG-20
#[test]
fn own_vectors_agree() {
    let counts = check(include_str!("data/text-rules.jsonl"));
    assert!(counts[0] >= 100 && counts[1] >= 30 && counts[2] >= 10, "{counts:?}");
}

/// LANG-14, LANG-16, LANG-20
#[test]
fn recorded_vectors_agree() {
    let Some(path) = recorded() else {
        return;
    };
    let lines = fs::read_to_string(&path).expect("the recorded answers are readable");
    assert_eq!(check(&lines), [3000, 1000, 500]);
}

#[expect(clippy::disallowed_methods, reason = "a test may be told where the recorded file is")]
fn recorded() -> Option<PathBuf> {
    let named = env::var_os("SIMPLEX_MCP_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let path = named.unwrap_or(beside).join("vectors/real-core-7.0.0.jsonl");
    path.is_file().then_some(path)
}
