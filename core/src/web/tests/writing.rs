//! The section as it is written.

use std::string::{String, ToString};
use std::vec::Vec;

use crate::web::llms::{self, Address, Entry, Kind, Network, Notice};
use crate::web::{ChangeFrequency, Protocol, Readers};

fn entry(
    title: &str,
    (network, url): (&str, &str),
    kind: Kind,
    readers: Option<Readers>,
    info: &str,
) -> Entry {
    Entry::new(title, Address::new(network, url).expect(url), kind, readers, info).expect(title)
}

fn contact(business: bool, protocols: &[Protocol]) -> Kind {
    Kind::Contact { business, protocols: protocols.to_vec() }
}

/// WEB-24, WEB-25: the text of a section, what Markdown could take for markup escaped.
#[test]
fn text() {
    let weekly = Kind::Updates { frequency: Some(ChangeFrequency::Weekly) };
    let entries = [
        entry(
            "Acme news",
            ("SimpleX", "https://smp12.simplex.im/c#AAAA"),
            weekly,
            Some(Readers::PeopleAndAgents),
            "Product news and offers.",
        ),
        entry(
            "Ask [Acme] *now* `x` a_b _c_ \\ ![d] <e> &amp; & ~",
            ("simplex", "https://smp12.simplex.im/a#AAAA"),
            contact(true, &[Protocol::MCP, Protocol::A2A, Protocol::MCP]),
            Some(Readers::Agents),
            "Orders,  \n availability. [More](https://x.example).",
        ),
        entry("Wiki", ("Web", "https://x.example/a_(b)"), Kind::Group, Some(Readers::People), ""),
        entry("Odd", ("My_Net", "x:a<b>\\c &amp; d"), contact(false, &[]), None, "i"),
    ];
    let expected = r"## Communications

- [Acme news](https://smp12.simplex.im/c#AAAA): SimpleX updates for people and agents, weekly. Product news and offers.
- [Ask \[Acme\] \*now\* \`x\` a_b \_c\_ \\ !\[d\] \<e> \&amp; & \~](https://smp12.simplex.im/a#AAAA): SimpleX business contact for agents, MCP, A2A. Orders, availability. \[More\](https://x.example).
- [Wiki](<https://x.example/a_(b)>): Web group for people.
- [Odd](<x:a\<b\>\\c \&amp; d>): My_Net contact. i
";
    let written = llms::write(&entries);
    let text = expected.replace("!\\[d", "\\!\\[d");
    assert_eq!(written, text);
    let read = llms::parse(&written);
    assert_eq!(read.entries, entries);
    let codes: Vec<&str> = read.notes.iter().map(|note| note.notice.code()).collect();
    assert_eq!(codes, ["unknown-audience"]);
    assert_eq!(llms::write(&[]), "## Communications\n");
    assert!(llms::parse("## Communications\n").found);
}

/// WEB-26: what could not be read back is no entry.
#[test]
fn what_is_refused() {
    for (network, url, code) in [
        ("SimpleX", "https://x.example/", "not-simplex"),
        ("SimpleX", "", "no-address"),
        ("Email", "", "no-address"),
        ("Email", "mailto:a\nb", "no-address"),
        ("Email", " mailto:a", "no-address"),
        ("", "mailto:a", "no-type"),
        ("business", "mailto:a", "no-type"),
        ("Small business", "mailto:a", "no-type"),
        ("A, B", "mailto:a", "no-type"),
        ("St. Mary", "mailto:a", "no-type"),
        ("A.", "mailto:a", "no-type"),
        ("A for B", "mailto:a", "no-type"),
        ("A for", "mailto:a", "no-type"),
        ("A\tB", "mailto:a", "no-type"),
    ] {
        let error = Address::new(network, url).expect_err(url);
        assert_eq!(error.code(), code, "{network:?} {url:?}");
    }
    assert_eq!(Network::new("MCP 1.0").as_ref().map(Network::as_str), Some("MCP 1.0"));

    let key = "AAAA";
    for (path, name, kinds) in [
        ("i", None, ""),
        ("r", None, ""),
        ("c", None, "updates"),
        ("g", None, "group"),
        ("a", None, "contact"),
        ("", Some("@acme.simplex"), "contact"),
        ("", Some("#acme"), "updates group"),
    ] {
        let url = match (name, path) {
            (Some(name), _) => name.to_string(),
            (None, "i") => std::format!("https://x.y/i#{key}/{key}"),
            (None, path) => std::format!("https://x.y/{path}#{key}"),
        };
        let address = Address::new("SimpleX", &url).expect(&url);
        for kind in [Kind::Updates { frequency: None }, Kind::Group, contact(false, &[]), contact(true, &[])]
        {
            let word = kind.as_str().trim_start_matches("business ");
            let made = Entry::new("t", address.clone(), kind, None, "");
            match made {
                Ok(_) => assert!(kinds.split(' ').any(|kind| kind == word), "{url} {word}"),
                Err(Notice::OneTime) => assert_eq!(path, "i"),
                Err(Notice::WrongLink(..)) => {
                    assert!(!kinds.split(' ').any(|kind| kind == word), "{url} {word}")
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

/// WEB-21: the words of notes.
#[test]
fn words_of_notes() {
    let text = "intro\r\n\r\n### Communications\r\n## communications\r\n[a](mailto:b): c\r\n\r\n- no link\r\n\
                - [a](https://h.x/a#AAAA): SimpleX updates for people. x\r\n- [é](mailto:b): Email contact for \
                robots, MCP 1.0, mcp\r\n* [a](b) c\r\n";
    let notes: Vec<String> = llms::parse(text).notes.iter().map(ToString::to_string).collect();
    let expected = "line 3, column 1: a heading of level 3 begins no section; write `## Communications`
line 4, column 1: other readers may look for the exact heading; write `## Communications`
line 5, column 1: not an item of a list; begin the line with `- `
line 7, column 3: the item does not begin with a link; write `- [TITLE](ADDRESS): NOTES`
line 8, column 7: the type `updates` does not fit the address, a contact address link
line 9, column 36: the audience is `robots`; write `people`, `agents` or `people and agents`
line 9, column 44: `MCP 1.0` is no protocol name; a name has letters, digits and hyphens
line 9, column 56: no `.` and space after the audience and what follows it; all was read as that
line 10, column 9: no colon after the link; write `- [TITLE](ADDRESS): NOTES`";
    assert_eq!(notes.join("\n"), expected);
}
