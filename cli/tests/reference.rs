//! REFERENCE.md against the program: options, tools and limits by the letter, messages and variables by their words.
//! `UPDATE_REFERENCE=1` rewrites the sections that are made from the program.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;
#[path = "reference/document.rs"]
mod document;
#[path = "reference/help.rs"]
mod help;
#[path = "reference/limits.rs"]
mod limits;
#[path = "reference/literals.rs"]
mod literals;
#[path = "reference/messages.rs"]
mod messages;
#[path = "reference/tools.rs"]
mod tools;
#[path = "reference/walk.rs"]
mod walk;

use std::collections::BTreeSet;

use document::Document;

/// What the program says of itself, one section each.
fn sections() -> Vec<(String, String)> {
    let mut sections = vec![("commands".to_owned(), help::commands())];
    for command in help::names() {
        sections.push((format!("options of {command}"), help::options(&command)));
    }
    sections.extend(tools::sections());
    sections.push(("instructions".to_owned(), tools::instructions()));
    sections.push(("limits".to_owned(), limits::table()));
    sections
}

/// The reference, with the sections of this program when they are to be rewritten.
fn document() -> Document {
    let mut document = Document::read();
    if is_update() {
        let there = document.sections();
        for (name, text) in sections().iter().filter(|(name, _)| there.contains(name)) {
            document.replace(name, text);
        }
    }
    document
}

fn is_update() -> bool {
    std::env::var_os("UPDATE_REFERENCE").is_some()
}

/// REF-01, REF-02, REF-03, REF-04: a command, an option, a tool, a field or a limit that is new, gone or said
/// otherwise makes its section differ, and a section of something that is gone is too much.
#[test]
fn sections_are_what_the_program_says() {
    let sections = sections();
    let document = document();
    let known: BTreeSet<&str> = sections.iter().map(|(name, _)| name.as_str()).collect();
    let there = document.sections();
    let there: BTreeSet<&str> = there.iter().map(String::as_str).collect();
    assert_eq!(there, known, "the marked sections of REFERENCE.md, and what the program has");
    if is_update() {
        document.write();
    }
    for (name, text) in &sections {
        assert_eq!(&document.section(name), text, "{name}: write it with UPDATE_REFERENCE=1");
    }
}

/// REF-05: every text that the code has for a person or a model stands in the reference.
#[test]
fn every_message_is_there() {
    let document = document();
    let missing = messages::missing(|words| document.has(words));
    assert!(missing.is_empty(), "REFERENCE.md lacks:\n{}", missing.join("\n"));
}

/// REF-05: what is held to be no message is still in the code, so that no exception outlives its reason.
#[test]
fn every_exception_is_needed() {
    assert_eq!(messages::stale(), Vec::<String>::new());
}

/// REF-08: the walk of a call in ARCHITECTURE.md names functions that are where it says.
#[test]
fn the_walk_is_that_of_the_code() {
    assert_eq!(walk::wrong(), Vec::<String>::new());
}

/// REF-06: every environment variable that the program reads is in the reference.
#[test]
fn every_variable_is_there() {
    let document = document();
    let variables = messages::variables();
    assert!(variables.contains("SIMPLEX_LIBS_DIR") && variables.contains("HTTPS_PROXY"), "{variables:?}");
    for variable in variables {
        assert!(document.has(&format!("`{variable}`")), "REFERENCE.md lacks the variable {variable}");
    }
}

/// REF-07: each file that a run leaves in its data folder stands in the reference with the mode it has. The log that
/// only `stdio --start` makes is looked for by name.
#[cfg(unix)]
#[test]
fn every_file_is_there() {
    use std::os::unix::fs::PermissionsExt as _;

    use common::server::{Running, free_port, serve};

    let (home, document) = (common::Home::new(), document());
    let mut running = Running::start(&mut serve(&home, free_port(), false, &[]));
    running.until("Listening on ");
    assert_eq!(running.stop(rustix::process::Signal::TERM).code, Some(0));
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(home.data("my-agent")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o7777;
        assert!(document.has(&format!("| `{name}` | {mode:04o} |")), "REFERENCE.md: {name} {mode:04o}");
        found.insert(name);
    }
    for name in
        ["simplex_sim.json", "token", "headers.json", "server.json", "options.json", "state.json", "lock"]
    {
        assert!(found.contains(name), "{name}: {found:?}");
    }
    assert!(document.has("| `serve.log` | 0600 |"));
}

/// REF-09: what the program answers to a head that does not fit stands in the row of its status.
#[cfg(unix)]
#[test]
fn every_refusal_of_a_head_is_there() {
    use common::server::{Running, free_port, raw, serve};

    let (home, document, port) = (common::Home::new(), document(), free_port());
    let mut running = Running::start(&mut serve(&home, port, false, &[]));
    running.until("Listening on ");
    let many = "X: y\r\n".repeat(101);
    let host = "Host: 127.0.0.1\r\n";
    let mut heads: Vec<String> = ["-5", "+5", "0x10", "86, 86", "5\r\nContent-Length: 6", "5\r\n folded"]
        .map(|length| format!("POST /mcp HTTP/1.1\r\n{host}Content-Length: {length}\r\n"))
        .to_vec();
    heads.extend([
        format!("POST /mcp HTTP/1.1\r\n{host}{many}"),
        format!("POST /{} HTTP/1.1\r\n{host}", "a".repeat(70_000)),
        "POST /mcp HTTP/1.1\r\n".to_owned(),
        "POST /mcp HTTP/1.1\r\nHost: example.com\r\n".to_owned(),
        format!("POST /mcp HTTP/1.1\r\n{host}{host}"),
        format!("POST http://example.com/mcp HTTP/1.1\r\n{host}"),
        format!("POST /mcp HTTP/1.1\r\n{host}Origin: http://example.com\r\n"),
        format!("POST /mcp HTTP/1.1\r\n{host}"),
        format!("GET /mcp HTTP/1.1\r\n{host}"),
        format!("POST /other HTTP/1.1\r\n{host}"),
    ]);
    let mut missing = Vec::new();
    for head in &heads {
        let answer = raw(port, &format!("{head}\r\n"));
        let status = answer.status.split(' ').nth(1).unwrap().to_owned();
        let body = serde_json::from_str::<serde_json::Value>(&answer.body).unwrap_or_default();
        let message =
            body["error"]["message"].as_str().map_or_else(|| "none".to_owned(), |text| format!("`{text}`"));
        if !document.rows(&status).any(|row| row.contains(&message)) {
            missing.push(format!("{:?}: {status} {message}", head.get(..90).unwrap_or(head)));
        }
    }
    assert!(missing.is_empty(), "REFERENCE.md lacks:\n{}", missing.join("\n"));
}

/// REF-07: each exit code, as the program gives it, has its row.
#[test]
fn every_exit_code_is_there() {
    let document = document();
    let home = common::Home::new();
    for (code, asked) in [(0, "--help"), (1, "register never-started"), (2, "--unknown")] {
        let args: Vec<&str> = asked.split(' ').collect();
        assert_eq!(home.run(&args).code, Some(code), "{asked}");
        assert!(document.has(&format!("| {code} | ")), "REFERENCE.md lacks the exit code {code}");
    }
}
