//! Texts that want to be slow, counted in steps: twice the text is twice the work.

use std::format;
use std::string::String;
use std::vec::Vec;

use crate::web::llms::work::spent;
use crate::web::llms::{self, MAX_BYTES, MAX_ENTRIES, MAX_NOTES};

const HEADING: &str = "## Communications\n";

/// Texts of about `n` bytes, each of one shape.
fn texts(n: usize) -> Vec<(&'static str, String)> {
    let times = |piece: &str| piece.repeat(n / piece.len().max(1));
    let half = |piece: &str| piece.repeat(n / 2 / piece.len().max(1));
    let entry = "- [a](mailto:b@c.d): Email contact for people. e\n";
    let runs: String = (1..).map(|len| format!("{} ", "`".repeat(len))).take((2 * n).isqrt()).collect();
    let mut all: Vec<(&'static str, String)> = Vec::new();
    for (name, text) in [
        ("open brackets", format!("- {}", times("["))),
        ("open brackets, each an item", times("- [\n")),
        ("brackets in brackets", format!("- {}{}", half("["), half("]"))),
        ("links in a link", format!("- [{}", times("[a](b"))),
        ("open parentheses", format!("- [a]({}", times("("))),
        ("escaped parentheses", format!("- [a]({}", times("\\("))),
        ("quotes", format!("- {}", times("[a](b \"c"))),
        ("angles", format!("- {}", times("[a](<b "))),
        ("runs of backticks", format!("- [{runs}](a): b")),
        ("backticks", format!("- [a](b): {}", times("` `` "))),
        ("ampersands", format!("- [a](b): {}", times("&"))),
        ("references", format!("- [a](b): {}", times("&#12345"))),
        ("backslashes", format!("- [a](b): {}", times("\\"))),
        ("markers on one line", format!("{}a", times("- "))),
        ("markers of two kinds", format!("{}a", times("- * "))),
        ("markers, then lines", format!("{}a\n{}", half("- "), half("a\n"))),
        ("markers, then blank lines", format!("{}a\n{}", half("+ "), half("\n a\n"))),
        ("numbers", times("1. ")),
        ("nested lists", (0..(2 * n).isqrt()).map(|depth| format!("{}- a\n", " ".repeat(depth))).collect()),
        ("stars", times("*")),
        ("dashes and a letter", format!("{}a", times("-"))),
        ("underlines", times("a\n-\n")),
        ("hashes", times("#")),
        ("headings", times("## Communications\n")),
        ("closing hashes", format!("## a {}", times("#"))),
        ("fences", times("```\n~~~\n")),
        ("open fence", format!("```\n{}", times("~~~\n"))),
        ("fences with backticks", times("``` `\n")),
        ("comments", times("<!-- ")),
        ("open comment", format!("<!--\n{}", times("--\n"))),
        ("elements", times("<div ")),
        ("quoted lines", times("> [a](b)\n")),
        ("items that are no protocol", format!("- [a](mailto:b): Email contact for people{}", times(",?"))),
        ("protocols", format!("- [a](mailto:b): Email contact for people{}", times(", mcp"))),
        ("words for", format!("- [a](mailto:b): {}", times(" for"))),
        ("dots", format!("- [a](mailto:b): {}", times("."))),
        ("one long address", format!("- [a](https://x/{}): SimpleX contact for people.", times("a"))),
        ("one long key", format!("- [a](https://x/a#{}): SimpleX contact for people.", times("A"))),
        (
            "one long query",
            format!("- [a](simplex:/contact#/?{}): SimpleX contact for people.", times("v=1&")),
        ),
        ("hosts", format!("- [a](simplex:/a#AAAA?h={}x): SimpleX contact for people.", times("x,"))),
        ("labels", format!("- [a](@{}x): SimpleX contact for people.", times("x."))),
        ("one line of paragraphs", times("a ")),
        ("paragraphs that look like entries", times("[a](b)\n\n")),
        ("lines", times("\n")),
        ("returns", times("\r")),
        ("tabs", times("\t")),
        ("entries", times(entry)),
        ("nul", times("\0")),
        ("wide characters", times("\u{1f980}")),
    ] {
        all.push((name, format!("{HEADING}{text}")));
    }
    all
}

fn steps(text: &str) -> usize {
    let _ = spent();
    let _ = llms::parse(text);
    spent()
}

/// WEB-22: the work for a text of twice the length is about twice the work, and a small multiple of the length.
#[test]
fn work_grows_with_the_text() {
    for ((name, short), (_, long)) in texts(50_000).into_iter().zip(texts(100_000)) {
        let (short, long, len) = (steps(&short), steps(&long), long.len());
        assert!(long <= 2 * short + short / 4 + 1_000, "{name}: {short} steps, then {long}");
        assert!(long <= 24 * len, "{name}: {long} steps for {len} bytes");
    }
}

/// WEB-22, WEB-23: 10 MB of each shape are read as far as the limit, and notes and entries are within theirs.
#[test]
fn at_full_size() {
    for (name, text) in texts(10_000_000) {
        let read = llms::parse(&text);
        assert!(read.entries.len() <= MAX_ENTRIES && read.notes.len() <= MAX_NOTES + 1, "{name}");
        assert_eq!(
            read.notes.last().map(|note| note.notice.code()).is_some(),
            text.len() > MAX_BYTES,
            "{name}"
        );
    }
    let noise: Vec<u8> =
        (0..10_000_000_u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    let read = llms::read(&noise);
    assert_eq!((read.found, read.entries.len()), (false, 0));
}

/// WEB-23: only whole lines of the first 1,000,000 bytes are read, and the first 1,000 entries.
#[test]
fn limits() {
    let entry = "- [a](mailto:b@c.d): Email contact for people. e\n";
    let read = llms::parse(&format!("{HEADING}{}", entry.repeat(MAX_ENTRIES + 1)));
    let notes: Vec<_> = read.notes.iter().map(|note| (note.notice.code(), note.at.line)).collect();
    assert_eq!(
        (read.entries.len(), notes),
        (MAX_ENTRIES, Vec::from([("too-many-entries", MAX_ENTRIES + 2)]))
    );

    let head = format!("{HEADING}{entry}");
    let filler = "x".repeat(MAX_BYTES - head.len() - 1);
    let whole = format!("{head}{filler}\n{entry}");
    let read = llms::parse(&whole);
    let notes: Vec<_> = read.notes.iter().map(|note| (note.notice.code(), note.at.line)).collect();
    assert_eq!((read.entries.len(), notes), (1, Vec::from([("too-long", 4)])));
    let cut = format!("{head}{filler}{entry}");
    let read = llms::parse(&cut);
    let notes: Vec<_> = read.notes.iter().map(|note| (note.notice.code(), note.at.line)).collect();
    assert_eq!((read.entries.len(), notes), (1, Vec::from([("too-long", 3)])));
}
