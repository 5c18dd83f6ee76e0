//! The walk of a call through ARCHITECTURE.md, against the functions of the code.

use std::path::{Path, PathBuf};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What the walk says that the code does not: a file that is not there, or a function that is in none of the files
/// that its row names.
pub(crate) fn wrong() -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(REPOSITORY).join("ARCHITECTURE.md")).unwrap();
    let rows: Vec<[&str; 4]> = text.lines().filter_map(hop).collect();
    assert!(rows.len() > 25, "{rows:?}");
    rows.into_iter().flat_map(|[number, file, function, what]| of_row(number, file, function, what)).collect()
}

/// `| 1 | file | function | what happens |`.
fn hop(line: &str) -> Option<[&str; 4]> {
    let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
    let cells: [&str; 4] = cells.try_into().ok()?;
    cells[0].parse::<u32>().ok().map(|_| cells)
}

fn of_row(number: &str, file: &str, function: &str, what: &str) -> Vec<String> {
    let main = Path::new(REPOSITORY).join(file.trim_matches('`'));
    let words: Vec<&str> = what.split('`').skip(1).step_by(2).collect();
    let beside = words.iter().filter(|word| is_file(word)).map(|word| near(&main, word));
    let files: Vec<PathBuf> = std::iter::once(main.clone()).chain(beside).collect();
    let sources: Vec<String> =
        files.iter().map(|file| std::fs::read_to_string(file).unwrap_or_default()).collect();
    let absent = files.iter().zip(&sources).filter(|(_, source)| source.is_empty());
    let mut wrong: Vec<String> =
        absent.map(|(file, _)| format!("{number}: there is no {}", file.display())).collect();
    let name = function.trim_matches('`').rsplit("::").next().unwrap_or_default();
    if !defines(&sources[0], name) {
        wrong.push(format!("{number}: {name} is not in {file}"));
    }
    let inner = words.iter().filter(|word| is_function(word));
    let lost = inner.filter(|word| !sources.iter().any(|source| defines(source, word)));
    wrong.extend(lost.map(|word| format!("{number}: {word} is in none of the files that the row names")));
    wrong
}

/// A file that a row names beside its own stands in the same folder, or in the one of the same name.
fn near(main: &Path, name: &str) -> PathBuf {
    let folders = [
        main.parent().map(Path::to_owned),
        Some(main.with_extension("")),
        main.ancestors().nth(2).map(Path::to_owned),
    ];
    let found = folders.into_iter().flatten().map(|folder| folder.join(name)).find(|file| file.exists());
    found.unwrap_or_else(|| main.with_file_name(name))
}

fn is_file(word: &str) -> bool {
    Path::new(word).extension().is_some_and(|extension| extension == "rs")
}

/// A word of more than one part in lower case; words of one part also name options and arguments.
fn is_function(word: &str) -> bool {
    word.contains('_') && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn defines(source: &str, name: &str) -> bool {
    source.contains(&format!("fn {name}(")) || source.contains(&format!("fn {name}<"))
}
