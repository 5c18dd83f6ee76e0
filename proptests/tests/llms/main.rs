//! The section of `llms.txt` against random texts and random entries, with another reader of Markdown as the judge.

mod markdown;

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};
use proptest::test_runner::RngSeed;
use proptest::{option, prop_assert, prop_assert_eq, proptest};
use simplex_agent_core::web::llms::{self, Address, Entry, Kind};
use simplex_agent_core::web::{ChangeFrequency, Protocol, Readers};
use simplex_proptests::fuzz;

use markdown::found;

/// Pieces that Markdown, the notes or this program make something of.
const PIECES: [&str; 58] = [
    "## Communications\n",
    "# a\n",
    "### b\n",
    "Communications\n",
    "---\n",
    "===\n",
    "\n",
    "\r\n",
    "\r",
    "- ",
    "* ",
    "1. ",
    "  ",
    "    ",
    "\t",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "](",
    "):",
    "\\",
    "`",
    "``",
    "```\n",
    "~~~\n",
    "<!--",
    "-->",
    "<div>\n",
    "> ",
    "&amp;",
    "&#0;",
    "&",
    "!",
    "*",
    "_",
    "~",
    ".",
    ". ",
    ",",
    ", ",
    " for ",
    " contact",
    " business",
    " updates",
    " group",
    "SimpleX",
    "simplex:",
    "Email",
    "people",
    "agents",
    "weekly",
    "MCP",
    "https://h.x/a#AAAA",
    "\0",
    "\u{202e}\u{1f980}",
];

fn noise() -> impl Strategy<Value = String> {
    let piece = prop_oneof![8 => select(&PIECES[..]).prop_map(String::from), 1 => any::<char>().prop_map(String::from)];
    let text = vec(piece, 0..60).prop_map(|pieces| pieces.concat());
    let whole = "- [a](mailto:b): Email contact for people, x. y\n";
    prop_oneof![
        text.clone(),
        text.prop_map(move |text| format!("## Communications\n{whole}- {text}\n{whole}"))
    ]
}

/// Texts of a title, an address or an info.
fn words() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z ]{0,4}",
        3 => select(&PIECES[..]).prop_map(String::from),
        1 => "\\PC{0,3}",
        1 => any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn kind() -> impl Strategy<Value = Kind> {
    let protocols = prop_oneof![
        Just(Protocol::MCP),
        Just(Protocol::A2A),
        "[a-z0-9-]{1,4}".prop_map(|name| { Protocol::exact(&name).expect("a name") })
    ];
    prop_oneof![
        option::of(select(ChangeFrequency::ALL.to_vec())).prop_map(|frequency| Kind::Updates { frequency }),
        Just(Kind::Group),
        (any::<bool>(), vec(protocols, 0..4))
            .prop_map(|(business, protocols)| Kind::Contact { business, protocols }),
    ]
}

fn address() -> impl Strategy<Value = Address> {
    let simplex = select(
        &[
            "https://h.x/a#AAAA",
            "https://h.x/c#AAAA",
            "https://h.x/g#AAAA?p=1&c=BBBB",
            "simplex:/a#AAAA?h=a,b&x=(y)",
            "@acme.simplex",
            "#acme",
            "#9",
            "simplex:/name@x.com",
        ][..],
    );
    let other =
        (prop_oneof![select(&["Email", "Matrix", "A b"][..]).prop_map(String::from), words()], words());
    prop_oneof![
        simplex.prop_map(|url| Address::new("SimpleX", url).ok()),
        other.prop_map(|(network, url)| Address::new(&network, &url).ok()),
    ]
    .prop_filter_map("no address", |address| address)
}

fn entry() -> impl Strategy<Value = Entry> {
    let readers =
        option::weighted(0.8, select(&[Readers::People, Readers::Agents, Readers::PeopleAndAgents][..]));
    (words(), address(), kind(), readers, words())
        .prop_filter_map("no entry", |(title, address, kind, readers, info)| {
            Entry::new(&title, address, kind, readers, &info).ok()
        })
}

/// Lines of which each begins, ends or hides a block of Markdown.
fn lines() -> impl Strategy<Value = String> {
    let plain = select(
        &[
            "",
            "",
            "",
            "text",
            "## Communications",
            "##  Communications  ##",
            "# Top",
            "### Sub",
            "## Other",
            "Communications",
            "---",
            "===",
            "-",
            "* * *",
            "```",
            "~~~ x",
            "````",
            "<!--",
            "-->",
            "<div>",
            "<pre>",
            "x</pre>",
            "> quote",
            "> ## Communications",
            "  more",
            "      deep",
            "\tdeep",
            "1.",
            "-\t",
            "\\",
        ][..],
    )
    .prop_map(String::from);
    let title =
        vec(
            select(
                &[
                    "a", "b c", "\\]", "[x]", "`]`", "`", "``", "&amp;", "&#33;", "\\\\", "\\q", "\u{e9}",
                    "  ",
                ][..],
            ),
            1..4,
        )
        .prop_map(|pieces| pieces.concat());
    let url = select(
        &[
            "u", "u(v)w", "u\\)v", "<u v>", "<u)>", "u \"t\"", "u 't)'", "u (t)", "u&amp;v", "u\\\\v",
            "<u\\>v>", "u(v", "u v", "", "<>", "u `v`",
        ][..],
    );
    let link = (title, url).prop_map(|(title, url)| format!("[{title}]({url}): Email contact for people. i"));
    let content = prop_oneof![6 => link, 1 => plain.clone()];
    let marker = subsequence(vec!["- ", "* ", "+ ", "1. ", "2) ", "10. ", "-\t", "-   ", "-     "], 0..3)
        .prop_map(|markers| markers.concat());
    let item = (0_usize..7, marker, content)
        .prop_map(|(indent, marker, content)| format!("{}{marker}{content}", " ".repeat(indent)));
    vec(prop_oneof![1 => plain, 2 => item], 0..14).prop_map(|lines| lines.join("\n"))
}

/// Cases of each property, when `PROPTEST_CASES` says nothing else: the same each time.
const CASES: u32 = 2_000;
/// The seed of those cases.
const SEED: u64 = 72_026;

fn config() -> ProptestConfig {
    let config = ProptestConfig {
        failure_persistence: None,
        max_local_rejects: u32::MAX,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return config;
    }
    ProptestConfig { cases: CASES, rng_seed: RngSeed::Fixed(SEED), ..config }
}

proptest! {
    #![proptest_config(config())]

    /// WEB-27: for any text, notes have places inside of it, and what was read is written and read again.
    #[test]
    fn any_text(text in noise()) {
        fuzz::llms(text.as_bytes());
    }

    /// WEB-27: the same for any bytes.
    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..200)) {
        fuzz::llms(&bytes);
        fuzz::llms(&[b"## Communications\n- ".as_slice(), &bytes].concat());
    }

    /// WEB-24, WEB-25: what is written is read back equal, and another reader finds the same links.
    #[test]
    fn written_entries(entries in vec(entry(), 0..5)) {
        let text = llms::write(&entries);
        let read = llms::parse(&text);
        prop_assert_eq!(&read.entries, &entries, "{}", text);
        prop_assert!(read.notes.iter().all(|n| matches!(n.notice.code(), "unknown-audience" | "no-title")), "{:?}", read.notes);
        let links: Vec<(String, String)> =
            entries.iter().map(|entry| (entry.title().to_owned(), entry.address().to_string())).collect();
        let judged: Vec<(String, String)> = found(&text).into_iter().map(|link| (link.title, link.address)).collect();
        prop_assert_eq!(judged, links, "{}", text);
    }

    /// WEB-28: sections, items and links are where another reader of Markdown finds them.
    #[test]
    fn another_reader(text in lines(), begins in any::<bool>()) {
        let text = if begins { format!("## Communications\n{text}") } else { text };
        let read = llms::parse(&text);
        let ours: Vec<(String, String)> =
            read.entries.iter().map(|entry| (entry.title().to_owned(), entry.address().to_string())).collect();
        let judged = found(&text).into_iter().filter(|link| link.notes.starts_with(": Email contact for people."));
        let judged: Vec<(String, String)> =
            judged.map(|link| (link.title, link.address)).filter(|(_, address)| !address.is_empty()).collect();
        prop_assert_eq!(ours, judged, "{}", text);
    }
}
