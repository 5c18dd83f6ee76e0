//! `--owners` entries as they are printed, compared and pasted (the plan, "Options"; decisions 11), and quoting for
//! the shell. The quotes are those of POSIX shells.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::config::OwnerEntry;
use crate::simplex::fold;

/// The name of an entry: folded to one line, and every character but letters, digits, space, `_` and `-` is `_`.
/// Both sides of a comparison pass through this (decisions 11).
pub fn entry_name(name: &str) -> String {
    let keep = |at: char| at.is_alphanumeric() || matches!(at, ' ' | '_' | '-');
    fold::one_line(name).chars().map(|at| if keep(at) { at } else { '_' }).collect()
}

/// `ID:NAME[,ID:NAME...]`, unquoted, as `Owners: 3:Alice,7:Bob.` shows it.
pub fn list(entries: &[OwnerEntry]) -> String {
    let entries: Vec<String> =
        entries.iter().map(|entry| format!("{}:{}", entry.id, entry_name(&entry.name))).collect();
    entries.join(",")
}

/// `--owners ID:NAME[,ID:NAME...]`, quoted for the shell when needed: `--owners '3:Alice Smith'`.
pub fn option(entries: &[OwnerEntry]) -> String {
    format!("--owners {}", quoted(&list(entries), |at| matches!(at, ':' | ',')))
}

/// What makes a new control chat, with nobody approving yet.
pub const RESET: &str = "--reset-owners --owners";

/// ` --data DIR` after a command, quoted for the shell when needed.
pub fn data_option(dir: &str) -> String {
    format!(" --data {}", path(dir))
}

/// A path, quoted for the shell when needed.
pub fn path(path: &str) -> String {
    quoted(path, |at| matches!(at, '/' | '.'))
}

/// An option with its value (`--core=sim`), quoted for the shell when needed.
pub fn word(option: &str) -> String {
    quoted(option, |at| matches!(at, '/' | '.' | '=' | ':' | ','))
}

/// The text in single quotes, `'` as `'\''`, unless it has only letters, digits, `_`, `-` and `also`.
fn quoted(text: &str, also: impl Fn(char) -> bool) -> String {
    match !text.is_empty()
        && text.chars().all(|at| at.is_alphanumeric() || matches!(at, '_' | '-') || also(at))
    {
        true => text.into(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(entries: &[(u64, &str)]) -> Vec<OwnerEntry> {
        entries.iter().map(|(id, name)| OwnerEntry { id: *id, name: (*name).into() }).collect()
    }

    /// CLI-08, CLI-09
    #[test]
    fn options() {
        let table: [(&[(u64, &str)], &str); 7] = [
            (&[(3, "Alice")], "--owners 3:Alice"),
            (&[(3, "Alice"), (7, "Bob")], "--owners 3:Alice,7:Bob"),
            (&[(3, "Alice Smith")], "--owners '3:Alice Smith'"),
            (&[(3, "Zoë_x-1")], "--owners 3:Zoë_x-1"),
            (&[(3, "a,4:b'c\"$(d)`e`")], "--owners 3:a_4_b_c___d__e_"),
            (&[(3, "two\nlines")], "--owners '3:two lines'"),
            (&[(3, "\u{1b}[31mred\u{202e}")], "--owners 3:_31mred"),
        ];
        for (list, expected) in table {
            assert_eq!(option(&entries(list)), expected);
        }
    }

    /// CLI-09, CLI-21
    #[test]
    fn data_options() {
        let table = [
            ("/home/alice/agents", " --data /home/alice/agents"),
            ("my-data", " --data my-data"),
            ("/home/alice/my agents", " --data '/home/alice/my agents'"),
            ("it's", " --data 'it'\\''s'"),
            ("$HOME", " --data '$HOME'"),
            ("", " --data ''"),
        ];
        for (dir, expected) in table {
            assert_eq!(data_option(dir), expected);
        }
    }

    #[test]
    fn both_sides_of_a_comparison_agree() {
        for name in ["Alice Smith", "a,4:b", "x\u{200b}y", "`'\"", "Ж-1_"] {
            assert_eq!(entry_name(&entry_name(name)), entry_name(name));
        }
    }
}
