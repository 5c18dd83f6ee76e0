//! Whatever bytes come from the core, reading them ends, and never in a panic.

use std::fmt::Write;

use simplex_agent_core::simplex::error::wording;
use simplex_agent_core::simplex::event::{self, Event};
use simplex_agent_core::simplex::response::{self, Response};

/// Our fixtures: answers, events and errors as texts.
fn fixtures() -> Vec<&'static str> {
    let errors = include_str!("data/errors.jsonl").lines();
    let errors = errors
        .filter_map(|line| line.split_once(r#","raw":"#)?.1.rsplit_once(r#","text":"#).map(|(raw, _)| raw));
    let results =
        include_str!("data/responses.jsonl").lines().chain(include_str!("data/events.jsonl").lines());
    results.chain(errors).collect()
}

/// Reads a text as everything it could be. The property: an answer and an event agree on what is an error, and an
/// unreadable text is unknown to both.
fn read(text: &str) {
    let response = response::decode(text);
    let event = event::decode(text);
    match response {
        Err(error) => {
            assert!(wording::text(&error).len() > 10);
            assert_eq!(event, Event::Errors(vec![error]));
        }
        Ok(Response::Unknown { tag, why }) if tag.is_empty() => {
            assert!(why.is_none_or(|why| !why.is_empty()));
            let unknown = matches!(&event, Event::Unknown { tag, .. } if tag.is_empty());
            assert!(unknown, "{event:?} for {text}");
        }
        Ok(_) => {}
    }
}

/// LANG-23: where a member stands makes no difference, and neither does one that nobody knows.
#[test]
fn the_order_of_members_makes_no_difference() {
    for text in fixtures().into_iter().filter(|text| text.starts_with("{\"result\":{\"type\":")) {
        let inner = &text["{\"result\":{\"type\":".len()..text.len() - 2];
        let (tag, members) = inner.split_once(',').unwrap_or((inner, "\"new\":[{}]"));
        for other in [
            format!("{{\"remoteHostId\":null,{}", &text[1..]),
            format!("{{\"result\":{{{members},\"type\":{tag}}}}}"),
            format!("{{\"result\":{{\"type\":{tag},\"new\":{{\"a\":[]}},{members}}},\"remoteHostId\":1}}"),
        ] {
            assert_eq!(event::decode(&other), event::decode(text), "{other}");
            assert_eq!(response::decode(&other), response::decode(text), "{other}");
        }
        let failed = format!("{},\"error\":{{\"type\":\"error\"}}}}", &text[..text.len() - 1]);
        assert!(response::decode(&failed).is_err(), "{failed}");
    }
}

/// LANG-23: a text that ends too early is unknown, wherever it ends.
#[test]
fn cut_texts_are_unknown() {
    for text in fixtures() {
        let ends: Vec<usize> = (0..text.len()).filter(|end| text.is_char_boundary(*end)).collect();
        let step = (ends.len() / 60).max(1);
        for end in ends.into_iter().step_by(step) {
            let cut = &text[..end];
            assert!(matches!(response::decode(cut), Ok(Response::Unknown { why: Some(_), .. })), "{cut}");
            assert!(matches!(event::decode(cut), Event::Unknown { why: Some(_), .. }), "{cut}");
        }
    }
}

/// LANG-23: texts with parts replaced by other values are read to some end.
#[test]
fn changed_texts_are_read() {
    let values = [
        "null",
        "{}",
        "[]",
        "7",
        "-1",
        "1e400",
        "\"\"",
        "true",
        r#"{"type":null}"#,
        r#"{"type":"x"}"#,
        "\u{feff}",
    ];
    for text in fixtures() {
        // Each value after a colon in turn, as far as its first delimiter, becomes each of the values above.
        let colons: Vec<usize> = text.match_indices("\":").map(|(at, found)| at + found.len()).collect();
        let step = (colons.len() / 12).max(1);
        for at in colons.into_iter().step_by(step) {
            let rest = &text[at..];
            let end = rest.find([',', '}', ']']).unwrap_or(rest.len());
            for value in values {
                read(&format!("{}{value}{}", &text[..at], &rest[end..]));
                // The whole value, when it is an object or a list, is kept and becomes a member of another.
                read(&format!("{}{{\"type\":{value},\"in\":{rest}", &text[..at]));
            }
        }
    }
}

/// LANG-23: random bytes, seen as text.
#[test]
fn random_bytes_are_read() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let pieces = [
        r#"{"result":"#,
        r#"{"error":"#,
        r#""type":"#,
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\u",
        "null",
        "1",
    ];
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..next() % 24 {
            match next() % 4 {
                0 => text.push(char::from_u32((next() % 0x11_0000) as u32).unwrap_or('\u{fffd}')),
                _ => text.push_str(pieces[(next() % pieces.len() as u64) as usize]),
            }
        }
        read(&text);
    }
}

/// LANG-23, ERR-33: depth without end neither overflows the stack nor takes long, in every place that nests.
#[test]
fn deep_texts_are_read() {
    let nested = |open: &str, middle: &str, close: &str, depth: usize| {
        let mut text = String::with_capacity((open.len() + close.len()) * depth + middle.len());
        (0..depth).for_each(|_| text.push_str(open));
        text.push_str(middle);
        (0..depth).for_each(|_| text.push_str(close));
        text
    };
    let depth = 20_000;
    let lists = nested("[", "", "]", depth);
    let objects = nested(r#"{"type":"x","smpErr":"#, "1", "}", depth);
    let menus = nested(r#"[{"type":"menu","label":"","commands":"#, "[]", "}]", depth);
    let patch = |line: &str, at: &str, value: &str| {
        assert!(line.contains(at), "{at}");
        line.replacen(at, &format!("{at}{value},\"was\":"), 1)
    };
    let active = include_str!("data/responses.jsonl").lines().next().expect("a fixture");
    let groups = include_str!("data/responses.jsonl")
        .lines()
        .find(|line| line.contains("groupsList"))
        .expect("groups");
    let texts = [
        lists.clone(),
        objects.clone(),
        format!(r#"{{"result":{lists}}}"#),
        format!(r#"{{"error":{objects}}}"#),
        format!(r#"{{"result":{{"type":"cmdOk","deep":{lists}}}}}"#),
        format!(r#"{{"result":{{"type":{lists}}}}}"#),
        patch(
            active,
            r#""displayName":"Atlas","fullName":"","peerType":"bot","#,
            &format!(r#""preferences":{{"commands":{menus}}}"#),
        )
        .replace(",\"was\":", ","),
        patch(groups, r#""customData":"#, &lists),
        patch(groups, r#""groupProfile":"#, &objects),
    ];
    for text in &texts {
        read(text);
    }

    // A deep value in a detail leaves the rest as it is.
    let user = response::decode(&texts[6]).expect("a user");
    let Response::ActiveUser(user) = user else { panic!("{user:?}") };
    assert_eq!(user.profile.display_name, "Atlas");
    let Ok(Response::Groups(groups)) = response::decode(&texts[7]) else { panic!() };
    let data = groups[0].custom_data.as_ref().expect("custom data");
    assert_eq!(data.as_str().len(), lists.len());
    assert_eq!(data.with("n", 1).members().map(|members| members.len()), Some(1));

    // The chain of an error is followed some way only, and its text stays short.
    let error = response::decode(&texts[3]).expect_err("an error");
    assert_eq!(error.chain().count(), 16);
    assert!(wording::text(&error).len() < 100);
}

/// LANG-23: a page of thousands of items is read, each item once: a time that grew with its square would not end here.
#[test]
fn large_texts_are_read() {
    let page =
        include_str!("data/responses.jsonl").lines().find(|line| line.contains("apiChat\"")).expect("a page");
    let start = page.find(r#""chatItems":["#).expect("items") + r#""chatItems":["#.len();
    let item = &page[start..];
    let item = &item[..item.find(r#",{"chatDir""#).expect("an item")];
    let mut large = page[..start].to_owned();
    for _ in 0..5_000 {
        write!(large, "{item},").expect("memory");
    }
    large.push_str(&page[start..]);
    let Ok(Response::Chat(chat)) = response::decode(&large) else { panic!() };
    assert_eq!(chat.chat_items.len(), 5_003);
}
