//! Commands: the exact text of each, and the recorded ones built from typed commands.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use simplex_agent_core::simplex::command::{Command, Composed, Conversation, KeyLabel, Page};
use simplex_agent_core::simplex::model::{
    ConnId, ConnLink, ContactId, GroupId, GroupMemberId, ItemId, MemberRole, PublicName, Raw,
    ServiceRequestId, UserId,
};

#[path = "support/sessions.rs"]
mod sessions;

const FULL: &str = "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2Fa2V5";
const SHORT: &str = "https://smp.example.org/a#Zm9v";

fn raw(text: &str) -> Raw {
    Raw::parse(text).expect(text)
}

fn link(short: bool) -> ConnLink {
    ConnLink { conn_full_link: FULL.to_owned(), conn_short_link: short.then(|| SHORT.to_owned()) }
}

/// LANG-01: the text of each command.
#[test]
fn command_texts() {
    let user = UserId::new(1);
    let (contact, group, item) = (ContactId::new(4), GroupId::new(12), ItemId::new(340));
    let member = GroupMemberId::new(7);
    let (at, hash) = (Conversation::Contact(contact), Conversation::Group(group));
    let domain = Some(PublicName::new("acme.simplex"));
    let table = [
        (Command::ShowUser, "/user".to_owned()),
        (
            Command::CreateUser { profile: raw(r#"{"displayName":"Atlas","fullName":"","peerType":"bot"}"#) },
            r#"/_create user {"profile":{"displayName":"Atlas","fullName":"","peerType":"bot"},"pastTimestamp":false}"#
                .to_owned(),
        ),
        (Command::Version, "/version".to_owned()),
        (
            Command::UseNetworkDefaults,
            "/network socks=off smp-proxy=always smp-proxy-fallback=protected".to_owned(),
        ),
        (Command::Start { service_requests: true }, "/_start main=on service_requests=on".to_owned()),
        (Command::Start { service_requests: false }, "/_start".to_owned()),
        (
            Command::SetRouters(vec!["smp://a@x.org".to_owned(), "smp://b@y.org".to_owned()]),
            "/smp smp://a@x.org smp://b@y.org".to_owned(),
        ),
        (Command::ShowRouters, "/smp".to_owned()),
        (Command::SetProfile { user, profile: raw(r#"{"displayName":"A"}"#) }, r#"/_profile 1 {"displayName":"A"}"#.to_owned()),
        (Command::Groups(user), "/_groups 1".to_owned()),
        (Command::CreateGroup { user, profile: raw(r#"{"displayName":"A"}"#) }, r#"/_group 1 {"displayName":"A"}"#.to_owned()),
        (
            Command::SetGroupProfile { group, profile: raw(r#"{"displayName":"A"}"#) },
            r#"/_group_profile #12 {"displayName":"A"}"#.to_owned(),
        ),
        (Command::SetCustomData { chat: hash, data: Some(raw(r#"{"n": 1}"#)) }, r#"/_set custom #12 {"n": 1}"#.to_owned()),
        (Command::SetCustomData { chat: at, data: None }, "/_set custom @4".to_owned()),
        (Command::Members(group), "/_members #12".to_owned()),
        (Command::CreateGroupLink { group, role: MemberRole::Observer }, "/_create link #12 observer".to_owned()),
        (Command::GroupLink(group), "/_get link #12".to_owned()),
        (Command::DeleteGroupLink(group), "/_delete link #12".to_owned()),
        (Command::SetMemberRole { group, member, role: MemberRole::Owner }, "/_member role #12 7 owner".to_owned()),
        (Command::RemoveMember { group, member }, "/_remove #12 7".to_owned()),
        (Command::Leave(group), "/_leave #12".to_owned()),
        (Command::Delete { chat: at, notify: true }, "/_delete @4 full notify=on".to_owned()),
        (Command::Delete { chat: hash, notify: false }, "/_delete #12 full notify=off".to_owned()),
        (Command::delete_pending(ConnId::new(3)), "/_delete :3 full notify=off".to_owned()),
        (
            Command::Send { chat: at, live: false, messages: vec![Composed::text("Hi")] },
            r#"/_send @4 json [{"msgContent":{"type":"text","text":"Hi"},"mentions":{}}]"#.to_owned(),
        ),
        (
            Command::Send {
                chat: hash,
                live: true,
                messages: vec![Composed {
                    text: "@ann @'Bob B' look".to_owned(),
                    mentions: [("ann".to_owned(), member), ("Bob B".to_owned(), GroupMemberId::new(8))].into(),
                    quoted: Some(item),
                }],
            },
            concat!(
                r##"/_send #12 live=on json [{"msgContent":{"type":"text","text":"@ann @'Bob B' look"},"##,
                r##""mentions":{"Bob B":8,"ann":7},"quotedItemId":340}]"##
            )
            .to_owned(),
        ),
        (
            Command::Send {
                chat: Conversation::Support(group, None),
                live: false,
                messages: vec![Composed::text("a"), Composed::text("b")],
            },
            concat!(
                r##"/_send #12(_support) json [{"msgContent":{"type":"text","text":"a"},"mentions":{}},"##,
                r##"{"msgContent":{"type":"text","text":"b"},"mentions":{}}]"##
            )
            .to_owned(),
        ),
        (
            Command::EditItem { chat: hash, item, live: false, text: "done".to_owned(), mentions: BTreeMap::new() },
            r##"/_update item #12 340 json {"msgContent":{"type":"text","text":"done"},"mentions":{}}"##.to_owned(),
        ),
        (
            Command::EditItem { chat: at, item, live: true, text: String::new(), mentions: BTreeMap::new() },
            r##"/_update item @4 340 live=on json {"msgContent":{"type":"text","text":""},"mentions":{}}"##.to_owned(),
        ),
        (Command::Items { chat: at, page: Page::Last { count: 50 } }, "/_get chat @4 count=50".to_owned()),
        (Command::Items { chat: hash, page: Page::After { item, count: 9 } }, "/_get chat #12 after=340 count=9".to_owned()),
        (Command::Items { chat: hash, page: Page::Before { item, count: 9 } }, "/_get chat #12 before=340 count=9".to_owned()),
        (Command::Items { chat: hash, page: Page::Around { item, count: 0 } }, "/_get chat #12 around=340 count=0".to_owned()),
        (
            Command::Items { chat: Conversation::Support(group, Some(member)), page: Page::Initial { count: 9 } },
            "/_get chat #12(_support:7) initial=9".to_owned(),
        ),
        (Command::Chats { user, count: 100 }, "/_get chats 1 pcc=on count=100".to_owned()),
        (
            Command::MarkRead { chat: hash, items: vec![item, ItemId::new(341)] },
            "/_read chat items #12 340,341".to_owned(),
        ),
        (Command::Plan { user, target: SHORT.to_owned() }, format!("/_connect plan 1 {SHORT}")),
        (Command::Connect { user, incognito: false, link: link(false) }, format!("/_connect 1 {FULL}")),
        (
            Command::Connect { user, incognito: true, link: link(true) },
            format!("/_connect 1 incognito=on {FULL} {SHORT}"),
        ),
        (
            Command::PrepareContact { user, link: link(true), domain: domain.clone(), data: raw(r#"{"business":false}"#) },
            format!(r#"/_prepare contact 1 {FULL} {SHORT} domain=acme.simplex {{"business":false}}"#),
        ),
        (
            Command::PrepareContact { user, link: link(false), domain: None, data: raw("{}") },
            format!("/_prepare contact 1 {FULL} {{}}"),
        ),
        (
            Command::PrepareGroup { user, link: link(true), direct: false, domain, data: raw("{}") },
            format!("/_prepare group 1 {FULL} {SHORT} direct=off domain=acme.simplex {{}}"),
        ),
        (
            Command::PrepareGroup { user, link: link(false), direct: true, domain: None, data: raw("{}") },
            format!("/_prepare group 1 {FULL} direct=on {{}}"),
        ),
        (
            Command::ConnectContact { contact, incognito: true, text: Some("Hi à".to_owned()) },
            r#"/_connect contact @4 incognito=on json {"type":"text","text":"Hi à"}"#.to_owned(),
        ),
        (Command::ConnectContact { contact, incognito: false, text: None }, "/_connect contact @4".to_owned()),
        (Command::ConnectGroup { group, incognito: true, text: None }, "/_connect group #12 incognito=on".to_owned()),
        (
            Command::ConnectGroup { group, incognito: false, text: Some("Hi".to_owned()) },
            r##"/_connect group #12 json {"type":"text","text":"Hi"}"##.to_owned(),
        ),
        (Command::ConnectCard { user, incognito: false, contact }, "/_connect contact 1 4".to_owned()),
        (Command::ConnectCard { user, incognito: true, contact }, "/_connect contact 1 incognito=on 4".to_owned()),
        (Command::ConnectTo { incognito: false, target: "@acme.simplex".to_owned() }, "/connect @acme.simplex".to_owned()),
        (
            Command::ConnectTo { incognito: true, target: "#news.simplex".to_owned() },
            "/connect incognito #news.simplex".to_owned(),
        ),
        (
            Command::ServiceRequest {
                user,
                target: SHORT.to_owned(),
                timeout: 200,
                sign_key: None,
                request: raw(r#"{"protocol": "mcp","request":{}}"#),
            },
            format!(r#"/_service_request 1 {SHORT} timeout=200 {{"protocol": "mcp","request":{{}}}}"#),
        ),
        (
            Command::ServiceRequest {
                user,
                target: "@acme.simplex".to_owned(),
                timeout: 200,
                sign_key: KeyLabel::parse("k-1"),
                request: raw("{}"),
            },
            "/_service_request 1 @acme.simplex timeout=200 sign_key=@k-1 {}".to_owned(),
        ),
        (
            Command::ServiceResponse {
                user,
                request: ServiceRequestId::parse("aGk-_=".to_owned()).expect("an id"),
                response: raw(r#"{"response":{}}"#),
            },
            r#"/_service_response 1 aGk-_= {"response":{}}"#.to_owned(),
        ),
        (Command::SqlChat("SELECT 1".to_owned()), "/sql chat SELECT 1".to_owned()),
        (Command::SqlAgent("SELECT 2".to_owned()), "/sql agent SELECT 2".to_owned()),
    ];
    for (command, text) in table {
        assert_eq!(command.to_line(), text);
    }
}

/// LANG-02, LANG-24: whatever a text holds, the command is one line whose JSON gives back the text to the last
/// character, and which ends in `]` or `}`, so that the core's strip of trailing bytes takes nothing of it.
#[test]
fn texts_survive() {
    let texts = [
        "",
        " ",
        "ends with à",
        "nbsp\u{a0}",
        "newline\n",
        "\r\n",
        "\t",
        "\"quoted\" \\",
        "\0\u{1f}\u{7f}",
        "\u{2028}",
        "👩‍👩‍👧‍👦",
        "] } json text",
        "/approve 1",
        "\u{10ffff}",
        "\u{fffe}",
    ];
    for text in texts {
        let chat = Conversation::Group(GroupId::new(1));
        let mentions: BTreeMap<String, GroupMemberId> = [(text.to_owned(), GroupMemberId::new(2))].into();
        let composed = Composed { text: text.to_owned(), mentions: mentions.clone(), quoted: None };
        let edit =
            Command::EditItem { chat, item: ItemId::new(3), live: false, text: text.to_owned(), mentions };
        let first = Command::ConnectContact {
            contact: ContactId::new(4),
            incognito: false,
            text: Some(text.to_owned()),
        };
        let send = Command::Send { chat, live: false, messages: vec![composed] };
        for (command, pointer) in [(send, "/0/msgContent/text"), (edit, "/msgContent/text"), (first, "/text")]
        {
            let line = command.to_line();
            assert!(!line.contains(['\n', '\r']) && line.ends_with([']', '}']), "{line}");
            let (_, json) = line.split_once(" json ").expect(&line);
            let json: Value = serde_json::from_str(json).expect(&line);
            assert_eq!(json.pointer(pointer).and_then(Value::as_str), Some(text), "{line}");
        }
    }
}

/// LANG-01: each recorded command in the forms this program uses is the text of a typed command.
#[test]
fn recorded_commands_are_typed() {
    let lines = recorded();
    let mut variants = BTreeMap::<String, usize>::new();
    for line in &lines {
        if let Some(command) = typed(line) {
            assert_eq!(command.to_line(), *line);
            let variant =
                format!("{command:?}").split(|c: char| !c.is_alphanumeric()).next().map(str::to_owned);
            let count = variants.entry(variant.unwrap_or_default()).or_default();
            *count = count.saturating_add(1);
        }
    }
    let enough = variants.len() >= 34 && variants["Send"] >= 150 && variants["EditItem"] >= 20;
    assert!(lines.is_empty() || enough, "{} kinds: {variants:?}", variants.len());
}

/// The recorded commands.
fn recorded() -> BTreeSet<String> {
    let command =
        |line: String| serde_json::from_str::<Value>(&line).ok()?["cmd"].as_str().map(str::to_owned);
    sessions::lines().into_iter().filter_map(command).collect()
}

/// The typed command of a recorded one; none for forms this program does not use, broken or cut ones.
fn typed(line: &str) -> Option<Command> {
    let words: Vec<&str> = line.split(' ').collect();
    Some(match words[..] {
        ["/user"] => Command::ShowUser,
        ["/version"] => Command::Version,
        ["/_start"] => Command::Start { service_requests: false },
        ["/_start", "main=on", "service_requests=on"] => Command::Start { service_requests: true },
        ["/network", "socks=off", ..] => Command::UseNetworkDefaults,
        ["/smp"] => Command::ShowRouters,
        ["/smp", ref addresses @ ..] => {
            Command::SetRouters(addresses.iter().map(|&a| a.to_owned()).collect())
        }
        ["/_create", "user", ..] => {
            let (_, profile) = line.split_once(r#"{"profile":"#)?;
            Command::CreateUser {
                profile: Raw::parse(profile.strip_suffix(r#","pastTimestamp":false}"#)?).ok()?,
            }
        }
        ["/_profile", user, ..] => {
            Command::SetProfile { user: UserId::new(number(user)?), profile: json(line)? }
        }
        ["/_groups", user] => Command::Groups(UserId::new(number(user)?)),
        ["/_group", user, ..] => {
            Command::CreateGroup { user: UserId::new(number(user)?), profile: json(line)? }
        }
        ["/_group_profile", group, ..] => {
            Command::SetGroupProfile { group: hash(group)?, profile: json(line)? }
        }
        ["/_set", "custom", chat] => Command::SetCustomData { chat: conversation(chat)?, data: None },
        ["/_set", "custom", chat, ..] => {
            Command::SetCustomData { chat: conversation(chat)?, data: Some(json(line)?) }
        }
        ["/_members", group] => Command::Members(hash(group)?),
        ["/_create", "link", group, role] => {
            Command::CreateGroupLink { group: hash(group)?, role: MemberRole::from(role.to_owned()) }
        }
        ["/_get", "link", group] => Command::GroupLink(hash(group)?),
        ["/_delete", "link", group] => Command::DeleteGroupLink(hash(group)?),
        ["/_member", "role", group, member, role] => Command::SetMemberRole {
            group: hash(group)?,
            member: GroupMemberId::new(number(member)?),
            role: MemberRole::from(role.to_owned()),
        },
        ["/_remove", group, member] => {
            Command::RemoveMember { group: hash(group)?, member: GroupMemberId::new(number(member)?) }
        }
        ["/_leave", group] => Command::Leave(hash(group)?),
        ["/_delete", chat, "full", notify] => {
            Command::Delete { chat: conversation(chat)?, notify: notify == "notify=on" }
        }
        ["/_send", chat, ..] => send(line, chat)?,
        ["/_update", "item", chat, item, ..] => edit(line, chat, item)?,
        ["/_get", "chat", chat, ref page @ ..] => {
            Command::Items { chat: conversation(chat)?, page: page_of(page)? }
        }
        ["/_get", "chats", user, "pcc=on", count] => Command::Chats {
            user: UserId::new(number(user)?),
            count: u32::try_from(number(count.strip_prefix("count=")?)?).ok()?,
        },
        ["/_read", "chat", "items", chat, items] => Command::MarkRead {
            chat: conversation(chat)?,
            items: items.split(',').map(|item| number(item).map(ItemId::new)).collect::<Option<_>>()?,
        },
        ["/connect", "incognito", target] => {
            Command::ConnectTo { incognito: true, target: target.to_owned() }
        }
        ["/connect", target] => Command::ConnectTo { incognito: false, target: target.to_owned() },
        ["/sql", "chat", ..] => Command::SqlChat(line.strip_prefix("/sql chat ")?.to_owned()),
        ["/sql", "agent", ..] => Command::SqlAgent(line.strip_prefix("/sql agent ")?.to_owned()),
        _ => return connecting(line, &words),
    })
}

/// The typed command of a recorded one about connecting.
fn connecting(line: &str, words: &[&str]) -> Option<Command> {
    let link = |full: &str, short: Option<&str>| ConnLink {
        conn_full_link: full.to_owned(),
        conn_short_link: short.map(str::to_owned),
    };
    Some(match *words {
        ["/_connect", "plan", user, target] => {
            Command::Plan { user: UserId::new(number(user)?), target: target.to_owned() }
        }
        ["/_connect", "contact", contact] => Command::ConnectContact {
            contact: ContactId::new(number(contact.strip_prefix('@')?)?),
            incognito: false,
            text: None,
        },
        ["/_connect", "contact", user, contact] if number(user).is_some() => Command::ConnectCard {
            user: UserId::new(number(user)?),
            incognito: false,
            contact: ContactId::new(number(contact)?),
        },
        ["/_connect", "contact", contact, "json", ..] => first(line, contact, false)?,
        ["/_connect", "contact", contact, "incognito=on", "json", ..] => first(line, contact, true)?,
        ["/_connect", "group", group] => {
            Command::ConnectGroup { group: hash(group)?, incognito: false, text: None }
        }
        ["/_connect", "group", group, "incognito=on"] => {
            Command::ConnectGroup { group: hash(group)?, incognito: true, text: None }
        }
        ["/_connect", user, "incognito=on", full, ref short @ ..] if short.len() < 2 => Command::Connect {
            user: UserId::new(number(user)?),
            incognito: true,
            link: link(full, short.first().copied()),
        },
        ["/_connect", user, full, ref short @ ..] if short.len() < 2 => Command::Connect {
            user: UserId::new(number(user)?),
            incognito: false,
            link: link(full, short.first().copied()),
        },
        ["/_prepare", "contact", user, full, short, ..] if short.starts_with("https://") => {
            Command::PrepareContact {
                user: UserId::new(number(user)?),
                link: link(full, Some(short)),
                domain: None,
                data: json(line)?,
            }
        }
        ["/_prepare", "group", user, full, short, direct, ..] if direct.starts_with("direct=") => {
            Command::PrepareGroup {
                user: UserId::new(number(user)?),
                link: link(full, Some(short)),
                direct: direct == "direct=on",
                domain: None,
                data: json(line)?,
            }
        }
        _ => return None,
    })
}

fn number(word: &str) -> Option<u64> {
    // Wrapping and signed numbers were tried on the real core; this program sends plain ones.
    word.parse().ok().filter(|number: &u64| number.to_string() == word)
}

fn hash(word: &str) -> Option<GroupId> {
    number(word.strip_prefix('#')?).map(GroupId::new)
}

fn conversation(word: &str) -> Option<Conversation> {
    if let Some(group) = word.strip_suffix("(_support)") {
        return Some(Conversation::Support(hash(group)?, None));
    }
    if let Some((group, member)) = word.strip_suffix(')').and_then(|word| word.split_once("(_support:")) {
        return Some(Conversation::Support(hash(group)?, Some(GroupMemberId::new(number(member)?))));
    }
    Some(match word.chars().next()? {
        '#' => Conversation::Group(hash(word)?),
        '@' => Conversation::Contact(ContactId::new(number(word.strip_prefix('@')?)?)),
        ':' => Conversation::Pending(ConnId::new(number(word.strip_prefix(':')?)?)),
        _ => return None,
    })
}

fn page_of(words: &[&str]) -> Option<Page> {
    let value = |word: &str, name: &str| number(word.strip_prefix(name)?);
    let count = |word: &str| u32::try_from(value(word, "count=")?).ok();
    Some(match *words {
        [initial] if initial.starts_with("initial=") => {
            Page::Initial { count: u32::try_from(value(initial, "initial=")?).ok()? }
        }
        [last] => Page::Last { count: count(last)? },
        [anchor, last] => match anchor.split_once('=')?.0 {
            "after" => Page::After { item: ItemId::new(value(anchor, "after=")?), count: count(last)? },
            "before" => Page::Before { item: ItemId::new(value(anchor, "before=")?), count: count(last)? },
            "around" => Page::Around { item: ItemId::new(value(anchor, "around=")?), count: count(last)? },
            _ => return None,
        },
        _ => return None,
    })
}

/// The JSON at the end, from the first brace.
fn json(line: &str) -> Option<Raw> {
    Raw::parse(line.get(line.find(" {")?.checked_add(1)?..)?).ok()
}

fn text_of(content: &Value) -> Option<String> {
    let plain = content["type"] == "text" && content.as_object()?.len() == 2;
    plain.then(|| content["text"].as_str().map(str::to_owned))?
}

fn mentions_of(value: &Value) -> Option<BTreeMap<String, GroupMemberId>> {
    let map = value["mentions"].as_object()?;
    map.iter().map(|(name, member)| Some((name.clone(), GroupMemberId::new(member.as_u64()?)))).collect()
}

/// A recorded `/_send` as this program writes it: text alone, `mentions` before `quotedItemId`, names in order.
fn send(line: &str, chat: &str) -> Option<Command> {
    let (head, list) = line.split_once(" json ")?;
    let list: Value = serde_json::from_str(list).ok()?;
    let ours = head == format!("/_send {chat}") || head == format!("/_send {chat} live=on");
    let composed = |message: &Value| {
        Some(Composed {
            text: text_of(&message["msgContent"])?,
            mentions: mentions_of(message)?,
            quoted: message["quotedItemId"].as_u64().map(ItemId::new),
        })
    };
    let messages: Vec<Composed> = list.as_array()?.iter().map(composed).collect::<Option<_>>()?;
    let command = Command::Send { chat: conversation(chat)?, live: head.ends_with("live=on"), messages };
    let same_order = !line.contains(r#"[{"quotedItemId""#) && sorted_mentions(line) && !line.contains("\\u");
    (ours && same_order && !line.ends_with("json []")).then_some(command)
}

/// True when the names of a mentions map come in order, as this program writes them.
fn sorted_mentions(line: &str) -> bool {
    line.split(r#""mentions":{"#).skip(1).all(|rest| {
        let names: Vec<&str> = rest.split('}').next().unwrap_or_default().split(',').collect();
        names.is_sorted()
    })
}

fn edit(line: &str, chat: &str, item: &str) -> Option<Command> {
    let (head, content) = line.split_once(" json ")?;
    let content: Value = serde_json::from_str(content).ok()?;
    Some(Command::EditItem {
        chat: conversation(chat)?,
        item: ItemId::new(number(item)?),
        live: head.ends_with("live=on"),
        text: text_of(&content["msgContent"])?,
        mentions: mentions_of(&content)?,
    })
}

fn first(line: &str, contact: &str, incognito: bool) -> Option<Command> {
    let content: Value = serde_json::from_str(line.split_once(" json ")?.1).ok()?;
    let contact = ContactId::new(number(contact.strip_prefix('@')?)?);
    (!line.contains("\\u")).then_some(Command::ConnectContact {
        contact,
        incognito,
        text: Some(text_of(&content)?),
    })
}
