use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde_json::json;

use super::*;

/// One line of `TYPE:text` for each part, `:text` for plain ones.
fn shown(text: &str) -> Option<Vec<String>> {
    let show = |part: &FormattedText| {
        let format = part.format.as_ref().map(|format| json!(format)["type"].as_str().unwrap().to_string());
        format!("{}:{}", format.unwrap_or_default(), part.text)
    };
    parse(text).map(|parts| parts.iter().map(show).collect())
}

/// LANG-17, LANG-18, LANG-19: what a code span is, and where a command is found.
#[test]
fn code_spans_and_commands() {
    let cases: [(&str, Option<&[&str]>); 12] = [
        ("a `code` b", Some(&[":a ", "snippet:code", ": b"])),
        ("` code`", None),
        ("`code `", None),
        ("`a\nb`", None),
        ("`/approve 1`", Some(&["snippet:/approve 1"])),
        ("`x`/approve", Some(&["snippet:x", "command:/approve"])),
        ("`x` /approve", Some(&["snippet:x", ": ", "command:/approve"])),
        ("`\u{a0}x\u{a0}`", Some(&["snippet:\u{a0}x\u{a0}"])),
        ("/approve 1", Some(&["command:/approve 1"])),
        (
            "card\n/'approve 1' or /'reject 1'",
            Some(&[":card\n", "command:/'approve 1'", ": or ", "command:/'reject 1'"]),
        ),
        ("card\n/approve 1", Some(&[":card\n", "command:/approve", ": 1"])),
        ("a/approve", None),
    ];
    for (text, expected) in cases {
        let expected = expected.map(|parts| parts.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(shown(text), expected, "{text:?}");
    }
}

/// LANG-16
#[test]
fn json_is_that_of_the_core() {
    let parts = parse("*b* @bob !1 r! [t](https://a.b) https://smp4.simplex.im/g#AAAA #9").unwrap();
    let expected = json!([
        {"format": {"type": "bold"}, "text": "b"},
        {"text": " "},
        {"format": {"type": "mention", "memberName": "bob"}, "text": "@bob"},
        {"text": " "},
        {"format": {"type": "colored", "color": "red"}, "text": "r"},
        {"text": " "},
        {"format": {"type": "hyperLink", "showText": "t", "linkUri": "https://a.b"}, "text": "[t](https://a.b)"},
        {"text": " "},
        {"format": {"type": "simplexLink", "linkType": "group", "simplexUri": "simplex:/g#AAAA?h=smp4.simplex.im",
            "smpHosts": ["smp4.simplex.im"]}, "text": "https://smp4.simplex.im/g#AAAA"},
        {"text": " "},
        {"format": {"type": "simplexName", "nameInfo": {"nameType": "publicGroup",
            "nameDomain": {"nameTLD": "simplex", "domain": "9", "subDomain": []}}}, "text": "#9"},
    ]);
    assert_eq!(to_json(&parts), expected);
}

/// LANG-23: every text of these pieces keeps its characters in their order; only delimiters, styles and a final line break
/// are no part of the answer, and neighbours differ in format.
#[test]
fn no_text_is_lost_added_or_moved() {
    const PIECES: [&str; 52] = [
        "*",
        "_",
        "~",
        "`",
        "#",
        "!",
        "!1 ",
        "!red ",
        "!- ",
        "@",
        "@'",
        "'",
        "/",
        "/'",
        "[",
        "](",
        ")",
        "(",
        " ",
        "  ",
        "\n",
        "\t",
        "\r",
        ".",
        ",",
        "-",
        "+",
        "a",
        "word",
        "é",
        "日本",
        "😀",
        "\u{a0}",
        "\u{2028}",
        "\u{301}",
        "1",
        "123",
        "1234567",
        "+44 ",
        "a.com",
        "me@a.com",
        "http://",
        "https://",
        "simplex:/",
        "a#AAAA",
        "?h=",
        "%2e",
        "&",
        "=",
        ":",
        "[::",
        "\\",
    ];
    let mut random = 1_u64;
    let mut next = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap() % limit
    };
    for _ in 0..40_000 {
        let pieces: Vec<&str> = (0..next(14)).map(|_| PIECES[next(PIECES.len())]).collect();
        let text = pieces.concat();
        let Some(parts) = parse(&text) else {
            continue;
        };
        assert!(parts.iter().any(|part| part.format.is_some()), "{text:?}");
        assert!(parts.windows(2).all(|pair| pair[0].format != pair[1].format), "{text:?}: {parts:?}");
        let left_out = left_out(&text, &parts).unwrap_or_else(|| panic!("{text:?}: {parts:?}"));
        assert!(left_out.keys().all(|c| "*_~`#!- \t\u{a0}1red\n".contains(*c)), "{text:?}: {parts:?}");
        assert!(left_out.get(&'\n').is_none_or(|count| *count == 1), "{text:?}: {parts:?}");
    }
}

/// Counts the characters of `text` that are no part of the answer; None when the answer is not in it, in order.
fn left_out(text: &str, parts: &[FormattedText]) -> Option<BTreeMap<char, usize>> {
    let mut rest = text.chars();
    let mut left_out = BTreeMap::new();
    for c in parts.iter().flat_map(|part| part.text.chars()) {
        loop {
            let from_text = rest.next()?;
            if from_text == c {
                break;
            }
            *left_out.entry(from_text).or_default() += 1;
        }
    }
    for c in rest {
        *left_out.entry(c).or_default() += 1;
    }
    Some(left_out)
}

/// LANG-23: a parser whose time grows with the square of the length would not come to an end here.
#[test]
fn hostile_texts_take_linear_time() {
    let patterns = [
        "*",
        "* ",
        "*a",
        "`",
        "#",
        "# ",
        "#a ",
        "##a ",
        "!",
        "!1 a ",
        "!1 a! ",
        "@",
        "@'a ",
        "@'a'",
        "@a ",
        "/'a ",
        "/'! ",
        "/'a'",
        "[",
        "[ ",
        "[a ",
        "[a](b ",
        "[a](b) ",
        "[a](http://a.b? ",
        "[a](http://a.b?c=d ",
        "[a](http://[:: ",
        "[a](simplex:/a#AAAA? ",
        "1 ",
        "1",
        "1-",
        "+1 ",
        "(1) ",
        "a.",
        "a@",
        "@a.",
        "(a@b.c",
        "\"a@b.c",
        "a\t",
        "/a\t",
        "@a\t",
        "*a*@",
        "*a*@.!",
        "a\n",
        "\n",
        "http://a.b/?a&",
        "\u{a0}",
    ];
    for pattern in patterns {
        for end in ["", "!=b=c)#é](x)'"] {
            let text = pattern.repeat(100_000 / pattern.len()) + end;
            let parts = parse(&text).unwrap_or_default();
            assert!(parts.iter().map(|part| part.text.len()).sum::<usize>() <= text.len());
        }
    }
}

#[test]
fn words_end_in_much_punctuation_in_linear_time() {
    let text = "@'a'".repeat(20_000) + &"!".repeat(50_000);
    let parts = parse(&text).unwrap();
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[1], FormattedText { format: None, text: "!".repeat(50_000) });
    let nested = ["(".repeat(50_000), ")".repeat(50_000), "a@b.c".into()].concat();
    assert_eq!(shown(&nested), Some(vec![format!("email:{nested}")]));
}
