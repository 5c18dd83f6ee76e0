//! The list of `--owners`.

use simplex_agent_core::agent::text::entry::entry_name;
use simplex_agent_core::agent::text::person;
use simplex_agent_core::config::OwnerEntry;

use crate::failure::Failure;

/// The entries of a list. It is split only at a comma with digits and a colon behind it, because a name may hold
/// commas; and in names every character but letters, digits, space, `_` and `-` is `_`, as in the lines that are
/// printed to be pasted (decisions 11).
///
/// # Errors
///
/// An entry that is not ID:NAME, or an ID that was there before.
pub(super) fn parse(list: &str) -> Result<Vec<OwnerEntry>, Failure> {
    let mut entries: Vec<OwnerEntry> = Vec::new();
    for text in split(list) {
        let entry = entry(text).ok_or_else(|| Failure::usage(person::bad_owner_entry(text)))?;
        if entries.iter().any(|earlier| earlier.id == entry.id) {
            return Err(Failure::usage(format!(
                "--owners: member {} is listed twice; list each ID once.",
                entry.id
            )));
        }
        entries.push(entry);
    }
    Ok(entries)
}

fn split(list: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let mut start = 0;
    for (at, _) in list.match_indices(',') {
        let (Some(entry), Some(rest)) = (list.get(start..at), list.get(at + 1..)) else { continue };
        if begins_entry(rest) {
            entries.push(entry);
            start = at + 1;
        }
    }
    entries.extend(list.get(start..));
    entries
}

fn begins_entry(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with(':')
}

fn entry(text: &str) -> Option<OwnerEntry> {
    let (id, name) = text.split_once(':')?;
    let fits =
        (1..=15).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty();
    let id = id.parse().ok().filter(|_| fits)?;
    Some(OwnerEntry { id, name: entry_name(name) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str) -> Result<String, String> {
        let entries = parse(list).map_err(|failure| failure.line)?;
        Ok(entries.iter().map(|entry| format!("[{}|{}]", entry.id, entry.name)).collect())
    }

    /// CLI-04, CLI-08: where a list is split, and what is in an entry.
    #[test]
    fn lists() {
        for (list, entries) in [
            ("3:Alice", "[3|Alice]"),
            ("3:Alice,7:Bob", "[3|Alice][7|Bob]"),
            ("3:Smith, Alice,7:Bob", "[3|Smith_ Alice][7|Bob]"),
            ("3:a,7,8:b", "[3|a_7][8|b]"),
            ("3:Al`ic'e_-9", "[3|Al_ic_e_-9]"),
            ("3:Élodie Ω", "[3|Élodie Ω]"),
            ("3:a:b", "[3|a_b]"),
            ("123456789012345:x", "[123456789012345|x]"),
        ] {
            assert_eq!(read(list).as_deref(), Ok(entries), "{list}");
        }
        for (list, got) in [
            ("", ""),
            ("Alice", "Alice"),
            ("3", "3"),
            ("3:", "3:"),
            (":Alice", ":Alice"),
            ("x3:Alice", "x3:Alice"),
            ("-3:Alice", "-3:Alice"),
            ("1234567890123456:x", "1234567890123456:x"),
            ("3:Alice,7:", "7:"),
            (",3:Alice", ""),
            ("*", "*"),
        ] {
            assert_eq!(read(list).unwrap_err(), format!("--owners: ID:NAME expected, got {got}"), "{list}");
        }
    }
    /// CLI-40: a member is listed once, however its number is written.
    #[test]
    fn repeated_members() {
        for list in ["3:Alice,3:Alice", "3:Alice,3:Bob", "3:Alice,7:Bob,03:Carol"] {
            let line = read(list).unwrap_err();
            assert_eq!(line, "--owners: member 3 is listed twice; list each ID once.", "{list}");
        }
    }
}
