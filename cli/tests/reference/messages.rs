//! The texts of the code that a person or a model can come to see.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::literals::{fragments, literals};

/// The modules that hold nothing but texts: each of their fragments counts.
const TEXTS: [&str; 3] = ["core/src/agent/text", "core/src/agent/card", "core/src/agent/card.rs"];
/// The others: what has two words counts.
const OTHERS: [&str; 9] = [
    "core/src/simplex/error/wording.rs",
    "core/src/agent",
    "core/src/mcp",
    "core/src/jsonrpc.rs",
    "core/src/jsonrpc",
    "core/src/record.rs",
    "core/src/simplex/version.rs",
    "cli/src",
    "adapters/src",
];
/// The demo tells its own story, the simulator answers as a SimpleX core does, and no program speaks MCP over SimpleX yet.
const LEFT_OUT: [&str; 6] = [
    "cli/src/demo",
    "adapters/src/simplex/sim",
    "core/src/agent/text/judge.rs",
    "core/src/mcp/binding",
    "/tests.rs",
    "/tests/",
];
/// A fragment with fewer letters says nothing of its own.
const LETTERS: usize = 12;
/// Literals that nobody reads: words of protocols, queries, and assertions about this code.
const NOT_MESSAGES: &[&str] = &[
    "instructions.txt",
    // Protocols.
    "application/json, text/event-stream",
    "event: message\ndata: ",
    "no-cache, no-transform",
    "POST /mcp HTTP/1.1\nHost: 127.0.0.1:{port}\n{token}Content-Type: application/json\nAccept: \
     application/json\nContent-Length: {}\nConnection: close\n\n{body}",
    "Library/Application Support/Code",
    "SELECT hex(agent_conn_id) FROM connections WHERE group_member_id IN (SELECT group_member_id FROM group_members \
     WHERE group_id = {group})",
    "SELECT count(*) FROM snd_message_deliveries WHERE failed = 0 AND hex(conn_id) IN ({})",
    // Assertions.
    "not a final state",
    "MCP serves a tool that does not exist: {}",
    "a closed server opened calls",
    "{op} ended twice or was never begun",
    "Listen ended with a response",
    "open an event stream",
    "keep an event stream alive",
    // Schemas against their own publication.
    "a schema is an object",
    "{keyword} {rule} does not hold for {value}",
    "the one pattern that is published",
    "{other} is published, and unknown here",
];
/// Words in capitals that are no environment variables.
const NOT_VARIABLES: &[&str] = &["CARGO_PKG_VERSION", "FILE", "NAME"];

/// The fragments that `has` does not know, with their file and literal.
pub(crate) fn missing(has: impl Fn(&str) -> bool) -> Vec<String> {
    let mut missing = Vec::new();
    for (file, literal, fragment) in texts() {
        if !NOT_MESSAGES.contains(&literal.as_str()) && !has(&fragment) {
            missing.push(format!("{file}: {fragment:?} of {literal:?}"));
        }
    }
    missing
}

/// The exceptions that no source file has.
pub(crate) fn stale() -> Vec<String> {
    let there: BTreeSet<String> = texts().into_iter().map(|(_, literal, _)| literal).collect();
    assert!(there.len() > 300, "{}", there.len());
    NOT_MESSAGES.iter().map(|text| (*text).to_owned()).filter(|text| !there.contains(text)).collect()
}

/// The environment variables of the program: the literals in capitals.
pub(crate) fn variables() -> BTreeSet<String> {
    let files = ["cli/src", "adapters/src"].into_iter().flat_map(files);
    let literals = files.flat_map(|(_, source)| literals(&source));
    let is_name = |text: &str| text.len() > 3 && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    literals.filter(|text| is_name(text) && !NOT_VARIABLES.contains(&text.as_str())).collect()
}

/// File, literal and fragment of each text.
fn texts() -> Vec<(String, String, String)> {
    let mut texts = Vec::new();
    let mut seen = BTreeSet::new();
    for (all, root) in TEXTS.iter().map(|root| (true, root)).chain(OTHERS.iter().map(|root| (false, root))) {
        for (file, source) in files(root) {
            if !seen.insert(file.clone()) {
                continue;
            }
            for literal in literals(&source) {
                for fragment in fragments(&literal) {
                    let letters = fragment.chars().filter(|c| c.is_alphabetic()).count();
                    if letters >= LETTERS && (all || fragment.contains(' ')) {
                        texts.push((file.clone(), literal.clone(), fragment));
                    }
                }
            }
        }
    }
    texts
}

/// The source files below a path of the repository, by path.
fn files(root: &str) -> Vec<(String, String)> {
    fn walk(path: &Path, found: &mut Vec<PathBuf>) {
        if path.is_dir() {
            for entry in std::fs::read_dir(path).unwrap() {
                walk(&entry.unwrap().path(), found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path.to_owned());
        }
    }
    let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut paths = Vec::new();
    walk(&repository.join(root), &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "{root}");
    let named = paths.into_iter().map(|path| {
        let name = path.strip_prefix(repository).unwrap().to_string_lossy().replace('\\', "/");
        let source = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        (name, source)
    });
    named.filter(|(name, _)| !LEFT_OUT.iter().any(|left_out| name.contains(left_out))).collect()
}
