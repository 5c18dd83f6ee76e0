//! The text of a command: what is written is read back, whatever names and requests there are.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::value::RawValue;
use simplex_agent_core::chat::command::{self, Callee, Protocol, Request};
use simplex_agent_core::simplex::model::Member;
use simplex_agent_core::simplex::size::encoded_len;
use simplex_agent_core::simplex::{ChatRef, markdown};

fn member(row: u64, name: &str) -> Member {
    let json = serde_json::json!({
        "groupMemberId": row, "memberId": format!("id-{row}"), "memberRole": "member", "memberCategory": "post",
        "memberStatus": "connected", "memberProfile": {"displayName": name, "fullName": ""},
    });
    serde_json::from_str(&json.to_string()).expect("a member")
}

/// Names as people have them, and names as nobody should.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[A-Za-zé日0-9][A-Za-zé日0-9 ._'-]{0,12}",
        1 => "\\PC{1,20}",
        1 => vec(any::<char>(), 1..20).prop_map(|chars| chars.into_iter().collect::<String>()),
    ]
}

/// JSON texts, not all of them in the form a serialiser would write.
fn value() -> impl Strategy<Value = String> {
    let space = || prop_oneof![6 => Just(String::new()), 1 => "[ \t\r\n]{1,2}"];
    let string = prop_oneof![
        "[^\"\\\\\u{0}-\u{1f}]{0,12}".prop_map(|text| format!("\"{text}\"")),
        Just("\"\\ud800\\u0041\\n\\/\"".to_string()),
    ];
    let leaf = prop_oneof![
        Just("null".to_string()),
        Just("-0.50e+7".to_string()),
        Just("123456789012345678901".to_string()),
        string.clone(),
    ];
    leaf.prop_recursive(6, 40, 5, move |inner| {
        let member = (space(), string.clone(), space(), inner.clone(), space())
            .prop_map(|(a, name, b, value, c)| format!("{a}{name}{b}:{value}{c}"));
        prop_oneof![
            vec(inner, 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

fn request() -> impl Strategy<Value = String> {
    (value(), 0_usize..18_000, "[a-z\"\\\\]").prop_map(|(value, more, letter)| {
        let letter = serde_json::Value::from(letter).to_string();
        let letter = &letter[1..letter.len() - 1];
        // Half of the requests are short, the others around and above what a message takes.
        let filler = letter.repeat(if more < 9_000 { more % 40 } else { more });
        format!("{{\"a\":{value},\"b\":\"{filler}\"}}")
    })
}

proptest! {
    /// CHAT-08, CHAT-09, CHAT-10, CHAT-12: what is written is read back, letter by letter, and names the member it is
    /// for: in one line by its exact name, which no other member has, or by the key of the map.
    #[test]
    fn what_is_written_is_read_back(
        names in vec(name(), 1..4),
        whole in any::<bool>(),
        group in any::<bool>(),
        protocol in "[a-z0-9-]{1,12}",
        json in request(),
    ) {
        let members: Vec<Member> = names.iter().zip(1..).map(|(name, row)| member(row, name)).collect();
        let (callee, chat) = match (group, whole) {
            (true, false) => (Callee::member(&members[0], &members[1..]), ChatRef::Group(9)),
            (true, true) => (Callee::ALL, ChatRef::Group(9)),
            (false, _) => (Callee::ALL, ChatRef::Contact(4)),
        };
        let raw: &RawValue = serde_json::from_str(&json).expect("JSON");
        let written = command::write(chat, &callee, Protocol::parse(&protocol).unwrap(), Request::of(raw).unwrap());
        let room = if group { 15_304 } else { 15_351 };
        let Ok(message) = written else {
            prop_assert!(room < 1_024 + encoded_len(&json) + 400, "refused though it fits");
            return Ok(());
        };
        prop_assert!(encoded_len(&message.text) + 1_024 <= room, "no room for a reply");
        let read = command::parse(&message.text).expect("a command").expect("well formed");
        prop_assert_eq!(read.protocol.as_str(), &protocol);
        prop_assert_eq!(read.request.text(), &json);
        prop_assert_eq!(read.member.is_some(), group && !whole);
        if let Some(name) = read.member {
            match message.mentions.iter().next() {
                None => {
                    prop_assert_eq!(name, &names[0]);
                    prop_assert!(!names[1..].contains(&names[0]), "two have this name");
                }
                Some((key, row)) => {
                    prop_assert_eq!(name, key);
                    prop_assert_eq!(*row, members[0].group_member_id);
                    prop_assert!(message.text.contains(&format!(" {protocol}\n{{")), "not two lines");
                    // The core takes a map only for names that it finds as mentions (digest 6.2).
                    let parts = markdown::parse(&message.text).expect("formats");
                    let mention = markdown::Format::Mention { member_name: key.clone() };
                    prop_assert!(parts.iter().any(|part| part.format.as_ref() == Some(&mention)));
                }
            }
        }
    }

    /// CHAT-03, CHAT-07: every text is read to some end; what is read as a command is in the text as it stands.
    #[test]
    fn any_text_is_read(
        pieces in vec(prop_oneof![
            4 => proptest::sample::select(vec![
                "/_call", " ", "  ", "\n", "@", "@'", "'", "Bob", "mcp", "{", "}", "{}", "[", "]", "\"", "\\", ":", "1",
                "\u{a0}", "é", "\t",
            ]).prop_map(String::from),
            1 => "\\PC{0,4}",
        ], 0..24),
        begins in any::<bool>(),
    ) {
        let text = format!("{}{}", if begins { "/_call " } else { "" }, pieces.concat());
        simplex_proptests::fuzz::call_command(text.as_bytes());
    }
}
