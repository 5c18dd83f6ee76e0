//! Tables of who is heard and when a wait ends. Random interleavings are in `proptests/tests/chat/caller.rs`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::format;

use super::*;

/// The protocol of these tests: `part …` and `last …`.
#[derive(Clone, Debug)]
struct Words;

impl Binding for Words {
    fn hear(&self, text: &str) -> Heard {
        match text.split(' ').next() {
            Some("part") => Heard::Part,
            Some("last") => Heard::Last,
            _ => Heard::Text,
        }
    }
}

fn json<T: serde::de::DeserializeOwned>(json: serde_json::Value) -> T {
    serde_json::from_str(&json.to_string()).expect("an object of the core")
}

fn member(row: u64) -> serde_json::Value {
    serde_json::json!({
        "groupMemberId": row, "memberId": format!("id-{row}"), "memberRole": "member", "memberCategory": "post",
        "memberStatus": "connected", "memberProfile": {"displayName": format!("M{row}"), "fullName": ""},
    })
}

fn contact(created: &str) -> ChatInfo {
    json(serde_json::json!({"type": "direct", "contact": {
        "contactId": 4, "profile": {"displayName": "Bot", "fullName": ""}, "contactStatus": "active",
        "createdAt": created,
    }}))
}

fn group(scope: bool) -> ChatInfo {
    let mut info = serde_json::json!({"type": "group", "groupInfo": {
        "groupId": 9, "groupProfile": {"displayName": "Team", "fullName": ""}, "membership": member(1),
        "createdAt": "2026-10-01T00:00:00Z",
    }});
    if scope {
        info["groupChatScope"] = serde_json::json!({"type": "memberSupport"});
    }
    json(info)
}

/// A received message: of the contact when `from` is 0, of the channel when it is 99, else of that member.
#[derive(Clone, Copy)]
struct Got<'a> {
    id: u64,
    from: u64,
    quotes: Option<u64>,
    text: &'a str,
    live: bool,
}

fn got(message: Got<'_>) -> ChatItem {
    let dir = match message.from {
        0 => serde_json::json!({"type": "directRcv"}),
        99 => serde_json::json!({"type": "channelRcv"}),
        row => serde_json::json!({"type": "groupRcv", "groupMember": member(row)}),
    };
    let mut item = serde_json::json!({
        "chatDir": dir,
        "meta": {
            "itemId": message.id, "itemTs": "2026-10-18T09:15:00Z", "itemStatus": {"type": "rcvNew"},
            "itemLive": message.live, "createdAt": "2026-10-18T09:15:00Z",
        },
        "content": {"type": "rcvMsgContent", "msgContent": {"type": "text", "text": message.text}},
    });
    if let Some(quoted) = message.quotes {
        item["quotedItem"] = serde_json::json!({"chatDir": {"type": "groupSnd"}, "itemId": quoted});
    }
    json(item)
}

fn reply(id: u64, from: u64, quotes: u64, text: &str) -> ChatItem {
    got(Got { id, from, quotes: Some(quotes), text, live: false })
}

fn calls() -> Calls<Words> {
    Calls::default()
}

fn place(info: &ChatInfo) -> Place {
    Place::of(info).expect("a conversation")
}

fn call(info: &ChatInfo, accepts: Accepts) -> Call<Words> {
    Call { place: place(info), accepts, binding: Words }
}

fn to_member(row: u64) -> Accepts {
    Accepts::One(Party::Member { group: place(&group(false)).chat, member_id: format!("id-{row}") })
}

const WAITS: Waits = Waits { until: Millis::secs(600), idle: Millis::secs(10), limit: 5 };

/// The replies' texts, and how many more.
fn texts(calls: &Calls<Words>, ticket: Ticket, now: Millis) -> (Vec<String>, u64) {
    let outcome = calls.outcome(ticket, now, WAITS.limit).expect("open");
    (outcome.replies.into_iter().map(|reply| reply.text).collect(), outcome.more)
}

const T0: Millis = Millis::secs(1);

/// P8, CHAT-14, CHAT-15, CHAT-16, CHAT-17: each rule of what a reply is, one by one.
#[test]
fn what_is_a_reply() {
    let (team, support, bot, again) =
        (group(false), group(true), contact("2026-10-01T00:00:00Z"), contact("2026-10-02T00:00:00Z"));
    let direct = Accepts::One(Party::Contact(place(&bot).chat));
    let quoting = |from, quotes| got(Got { id: 50, from, quotes, text: "last", live: false });
    for (case, at, accepts, info, item, expected) in [
        ("direct", &bot, direct.clone(), &bot, quoting(0, Some(40)), true),
        ("no quote", &bot, direct.clone(), &bot, quoting(0, None), false),
        ("another item", &bot, direct.clone(), &bot, quoting(0, Some(39)), false),
        ("another contact of the same number", &bot, direct, &again, quoting(0, Some(40)), false),
        ("the mentioned member", &team, to_member(7), &team, quoting(7, Some(40)), true),
        ("another member", &team, to_member(7), &team, quoting(8, Some(40)), false),
        ("the member in another scope", &team, to_member(7), &support, quoting(7, Some(40)), false),
        ("any member", &team, Accepts::Anyone, &team, quoting(8, Some(40)), true),
        ("a channel", &team, Accepts::Anyone, &team, quoting(99, Some(40)), false),
    ] {
        let mut calls = calls();
        let ticket = calls.open(call(at, accepts));
        calls.sent(ticket, ItemId::new(40));
        let claim = calls.on_new(T0, info, &item);
        assert_eq!(claim == Claim::Reply(ticket), expected, "{case}");
        assert_eq!(texts(&calls, ticket, T0).0.len(), usize::from(expected), "{case}");
    }
}

/// CHAT-18: two calls at once on one chat, with replies before the answers of `/_send`.
#[test]
fn replies_may_come_before_the_answer_of_send() {
    let team = group(false);
    let mut calls = calls();
    calls.on_new(T0, &team, &got(Got { id: 30, from: 8, quotes: None, text: "hi", live: false }));
    let first = calls.open(call(&team, Accepts::Anyone));
    let second = calls.open(call(&team, to_member(7)));
    assert_eq!(calls.on_new(T0, &team, &reply(50, 8, 29, "last old")), Claim::Nobody, "an older item");
    assert_eq!(calls.on_new(T0, &team, &reply(51, 7, 42, "last for second")), Claim::Open);
    assert_eq!(calls.on_new(T0, &team, &reply(52, 8, 41, "last for first")), Claim::Open);
    assert_eq!(calls.on_new(T0, &team, &reply(53, 8, 43, "last for an ordinary message")), Claim::Open);
    let ids = |ids: &[u64]| ids.iter().copied().map(ItemId::new).collect::<Vec<_>>();
    assert_eq!(calls.ended(first, T0, &WAITS), None);
    // 51 waits for the second call still.
    assert_eq!(calls.sent(first, ItemId::new(41)), Settled { replies: ids(&[52]), ordinary: ids(&[53]) });
    assert_eq!(calls.sent(second, ItemId::new(42)), Settled { replies: ids(&[51]), ordinary: ids(&[]) });
    assert_eq!(texts(&calls, first, T0), (Vec::from(["last for first".to_string()]), 0));
    assert_eq!(calls.ended(second, T0, &WAITS), Some(Ended::Answer));
    assert_eq!(calls.close(second), Settled::default());
    assert_eq!(calls.on_new(T0, &team, &reply(54, 7, 42, "part late")), Claim::Nobody, "CHAT-24");
    assert_eq!(calls.ended(second, T0, &WAITS), None);
    let third = calls.open(call(&team, Accepts::Anyone));
    assert_eq!(calls.on_new(T0, &team, &reply(55, 7, 60, "x")), Claim::Open);
    assert_eq!(calls.not_sent(third), Settled { replies: ids(&[]), ordinary: ids(&[55]) });
}

/// CHAT-19: a live reply counts at its final update, or after a minute without one; edits change texts and no message
/// of the protocol; what is deleted goes.
#[test]
fn replies_that_change() {
    let team = group(false);
    let mut calls = calls();
    let ticket = calls.open(call(&team, to_member(7)));
    calls.sent(ticket, ItemId::new(40));
    let live = |text, live| got(Got { id: 50, from: 7, quotes: Some(40), text, live });
    calls.on_new(T0, &team, &live("last half", true));
    assert_eq!(calls.ended(ticket, T0, &WAITS), None);
    assert_eq!(calls.next_look(ticket, T0, &WAITS), Some(Millis::secs(61)));
    calls.on_update(Millis::secs(30), &live("last more", true));
    assert_eq!(calls.ended(ticket, Millis::secs(89), &WAITS), None);
    assert_eq!(calls.ended(ticket, Millis::secs(90), &WAITS), Some(Ended::Answer));
    calls.on_update(Millis::secs(40), &live("part whole", false));
    assert_eq!(calls.ended(ticket, Millis::secs(90), &WAITS), None);
    calls.on_update(Millis::secs(41), &reply(50, 7, 40, "last edited"));
    calls.on_new(Millis::secs(42), &team, &reply(51, 7, 40, "a word"));
    calls.on_update(Millis::secs(43), &reply(51, 7, 40, "last edited word"));
    calls.on_new(Millis::secs(44), &team, &reply(52, 7, 40, "another"));
    calls.on_deleted(ItemId::new(52));
    calls.on_new(Millis::secs(45), &team, &reply(52, 7, 40, "another"));
    let now = Millis::secs(50);
    assert_eq!(texts(&calls, ticket, now).0, ["part whole", "last edited word"]);
    assert_eq!(calls.ended(ticket, now, &WAITS), None);
}

/// CHAT-20, CHAT-21, CHAT-24: how the wait of a call to one and of a broadcast ends.
#[test]
fn ends_of_waits() {
    type Script = &'static [(u64, u64, &'static str)];
    let team = group(false);
    let cases: [(&str, bool, Script, u64, Option<Ended>); 13] = [
        ("one: its end", true, &[(2, 7, "part"), (3, 7, "last")], 3, Some(Ended::Answer)),
        ("one: a text is no end", true, &[(2, 7, "what?")], 500, None),
        ("one: quiet is no end", true, &[(2, 7, "part")], 599, None),
        ("one: the time", true, &[(2, 7, "part")], 600, Some(Ended::Wait)),
        (
            "one: many texts are no end",
            true,
            &[(2, 7, "a"), (2, 7, "b"), (2, 7, "c"), (2, 7, "d"), (2, 7, "e")],
            5,
            None,
        ),
        ("all: nobody", false, &[], 599, None),
        ("all: the time", false, &[], 600, Some(Ended::Wait)),
        ("all: an end is not the end", false, &[(2, 7, "last")], 11, None),
        ("all: quiet after it", false, &[(2, 7, "last")], 12, Some(Ended::Idle)),
        ("all: quiet while one goes on", false, &[(2, 7, "last"), (3, 8, "part")], 599, None),
        ("all: quiet after a text", false, &[(2, 7, "last"), (3, 8, "hm")], 13, Some(Ended::Idle)),
        (
            "all: enough",
            false,
            &[(2, 7, "last"), (2, 8, "last"), (2, 6, "hm"), (2, 6, "so"), (2, 5, "last")],
            2,
            Some(Ended::Limit),
        ),
        (
            "all: enough, and one goes on",
            false,
            &[(2, 7, "last"), (2, 8, "part"), (2, 6, "hm"), (2, 6, "so"), (2, 5, "last")],
            20,
            None,
        ),
    ];
    for (case, one, script, now, expected) in cases {
        let mut calls = calls();
        let ticket = calls.open(call(&team, if one { to_member(7) } else { Accepts::Anyone }));
        calls.sent(ticket, ItemId::new(40));
        for (id, (at, from, text)) in (50..).zip(script) {
            calls.on_new(Millis::secs(*at), &team, &reply(id, *from, 40, text));
        }
        assert_eq!(calls.ended(ticket, Millis::secs(now), &WAITS), expected, "{case}");
        if expected.is_none() {
            assert!(calls.next_look(ticket, Millis::secs(now), &WAITS).is_some_and(|at| at.0 > now * 1000));
        }
        calls.on_chat_gone(&place(&team).chat);
        assert_eq!(calls.ended(ticket, Millis::secs(now), &WAITS), Some(Ended::Stopped), "{case}");
    }
    assert_eq!(
        [Ended::Answer, Ended::Wait, Ended::Idle, Ended::Limit, Ended::Stopped].map(Ended::word),
        ["answer", "wait", "idle", "limit", "stopped"]
    );
}

/// CHAT-22: each sender's `complete`, and the limit of senders and texts.
#[test]
fn senders_and_the_limit() {
    let team = group(false);
    let mut calls = calls();
    let ticket = calls.open(call(&team, Accepts::Anyone));
    calls.sent(ticket, ItemId::new(40));
    for (id, from, text) in
        [(50, 7, "part 1"), (51, 8, "hm"), (52, 6, "last"), (53, 7, "last"), (54, 5, "part"), (55, 8, "so")]
    {
        calls.on_new(T0, &team, &reply(id, from, 40, text));
    }
    let outcome = calls.outcome(ticket, T0, 4).unwrap();
    let senders: Vec<_> = outcome.senders.iter().map(|sender| (&*sender.name, sender.complete)).collect();
    assert_eq!(senders, [("M7", true), ("M8", false), ("M6", true), ("M5", false)]);
    let replies: Vec<_> = outcome.replies.iter().map(|reply| (reply.sender, &*reply.text)).collect();
    assert_eq!(replies, [(0, "part 1"), (1, "hm"), (2, "last"), (0, "last"), (3, "part")]);
    assert_eq!(outcome.more, 1);
}

/// CHAT-23: ten thousand replies of hostile members: a broadcast ends with what is kept, and the rest is counted; a
/// call to one still gets its answer.
#[test]
fn hostile_floods() {
    let team = group(false);
    let mut calls = calls();
    let all = calls.open(call(&team, Accepts::Anyone));
    calls.sent(all, ItemId::new(40));
    let one = calls.open(call(&team, to_member(7)));
    calls.sent(one, ItemId::new(41));
    let text = "part ".to_string() + &"x".repeat(1_000);
    for id in 100..10_100 {
        calls.on_new(T0, &team, &reply(id, 100 + id % 900, 40, &text));
        calls.on_new(T0, &team, &reply(20_000 + id, 7, 41, &text));
    }
    assert_eq!(calls.ended(all, T0, &WAITS), Some(Ended::Limit));
    let bytes = |outcome: &Outcome| outcome.replies.iter().map(|reply| reply.text.len()).sum::<usize>();
    let outcome = calls.outcome(all, T0, usize::MAX).unwrap();
    assert_eq!(outcome.more + outcome.replies.len() as u64, 10_000);
    assert!(bytes(&outcome) <= MOST_BYTES && !outcome.replies.is_empty());
    assert_eq!(calls.ended(one, T0, &WAITS), None);
    calls.on_new(T0, &team, &reply(40_000, 7, 41, &("last ".to_string() + &"y".repeat(15_000))));
    assert_eq!(calls.ended(one, T0, &WAITS), Some(Ended::Answer));
    let outcome = calls.outcome(one, T0, 1).unwrap();
    assert_eq!(outcome.more + outcome.replies.len() as u64, 10_001);
    assert!(bytes(&outcome) <= MOST_BYTES);
    assert!(outcome.replies.last().is_some_and(|reply| reply.heard == Heard::Last));
}
