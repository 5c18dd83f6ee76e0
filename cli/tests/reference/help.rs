//! The options of each command, from its `--help` and from what it says when a value is missing.

use std::process::{Command, Stdio};

use super::document::{row, table};

/// The program, with arguments. None of the calls here gets as far as doing something.
pub(crate) fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simplex-mcp"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The names of the commands, in the order of `--help`.
pub(crate) fn names() -> Vec<String> {
    entries(&help(&["--help"]), "Commands:").into_iter().map(|(name, _)| name).collect()
}

/// The commands as a table.
pub(crate) fn commands() -> String {
    let rows: Vec<String> = names().iter().map(|name| row(&[&usage(name), &about(name)])).collect();
    assert!(rows.len() > 3);
    table(&["command", "what it does"], &rows)
}

/// The options of a command as a table.
pub(crate) fn options(command: &str) -> String {
    let options = entries(&help(&[command, "--help"]), "Options:");
    assert!(options.iter().any(|(name, _)| name == "--help"), "{command}: {options:?}");
    let rows: Vec<String> = options
        .iter()
        .map(|(name, about)| {
            let takes = if name == "--help" { "no value".to_owned() } else { takes(command, name) };
            row(&[&format!("`{name}`"), &code(&takes), about])
        })
        .collect();
    table(&["option", "takes", "what it does"], &rows)
}

/// `simplex-mcp serve NAME`.
fn usage(command: &str) -> String {
    let words = entries(&help(&[command, "--help"]), "Positional Arguments:");
    let words: String = words.iter().map(|(word, _)| format!(" {word}")).collect();
    format!("`simplex-mcp {command}{words}`")
}

/// What a command does, in the words of its help.
fn about(command: &str) -> String {
    let help = help(&[command, "--help"]);
    let paragraph = help.split("\n\n").nth(1).unwrap();
    super::document::one_spaced(paragraph)
}

/// What an option takes: said when it is missing, or else when the option is there twice.
fn takes(command: &str, option: &str) -> String {
    let missing = error(&[command, option]);
    let takes = missing
        .strip_prefix(&format!("{option}: "))
        .and_then(|rest| rest.strip_suffix(" expected, got nothing"));
    if let Some(takes) = takes {
        return takes.to_owned();
    }
    let twice = error(&[command, option, option]);
    let takes = twice.strip_prefix(&format!("{option}: given twice; it takes "));
    takes.and_then(|rest| rest.strip_suffix(" once.")).unwrap_or_else(|| panic!("{twice}")).to_owned()
}

fn code(takes: &str) -> String {
    if takes.contains("://") || takes.contains(':') { format!("`{takes}`") } else { takes.to_owned() }
}

fn help(args: &[&str]) -> String {
    let output = program(args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")
}

fn error(args: &[&str]) -> String {
    let output = program(args).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap().trim_end().to_owned()
}

/// The entries under a heading of the help: a name, then its text, on as many lines as it takes.
fn entries(help: &str, heading: &str) -> Vec<(String, String)> {
    let mut entries: Vec<(String, String)> = Vec::new();
    let lines = help.lines().skip_while(|line| *line != heading).skip(1);
    for line in lines.take_while(|line| line.starts_with("  ")) {
        let text = line.trim_start();
        match line.len() - text.len() {
            2 => {
                let (name, about) = text.split_once("  ").unwrap_or((text, ""));
                // argh lists `--help, help`; both are the same.
                let name = name.split(',').next().unwrap_or(name);
                entries.push((name.to_owned(), about.trim().to_owned()));
            }
            _ => {
                let last = &mut entries.last_mut().unwrap().1;
                if !last.is_empty() {
                    last.push(' ');
                }
                last.push_str(text);
            }
        }
    }
    entries
}
