//! Tables of the rules. Random interleavings are in `proptests/tests/chat/responder.rs`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::format;

use super::*;
use crate::chat::floods::CALLS_PER_MINUTE;
use crate::chat::journal::AtRestart;
use crate::simplex::model::ItemStatus;
use crate::time::Now;

/// Serves `mcp` and `a2a`; its words say what was asked for.
struct Words(Vec<String>);

impl Words {
    fn new() -> Self {
        Self(["mcp", "a2a"].map(String::from).into())
    }
}

impl Binding for Words {
    fn served(&self) -> &[String] {
        &self.0
    }

    fn refusal(&self, asked: &Asked<'_>, why: &Refusal) -> String {
        let request = asked.request.map_or("-", serde_json::value::RawValue::get);
        format!("{} {} {why:?}", asked.protocol, request.get(..12).unwrap_or(request))
    }

    fn oversized(&self, _: &Asked<'_>, is_last: bool, room: usize) -> Instead {
        match (is_last, room) {
            (false, 2_000..) => Instead::Skip,
            (_, 20..) => Instead::Last("too large, instead".into()),
            _ => Instead::Last("-32603".into()),
        }
    }
}

fn json<T: serde::de::DeserializeOwned>(json: serde_json::Value) -> T {
    serde_json::from_str(&json.to_string()).expect("an object of the core")
}

fn member(row: u64, name: &str) -> serde_json::Value {
    serde_json::json!({
        "groupMemberId": row, "memberId": format!("id-{row}"), "memberRole": "member", "memberCategory": "post",
        "memberStatus": "connected", "memberProfile": {"displayName": name, "fullName": ""},
    })
}

fn direct() -> ChatInfo {
    json(serde_json::json!({"type": "direct", "contact": {
        "contactId": 4, "profile": {"displayName": "Caller", "fullName": ""}, "contactStatus": "active",
        "createdAt": "2026-10-01T00:00:00Z",
    }}))
}

/// A group in which the profile is member 1, with this name.
fn group(name: &str) -> ChatInfo {
    json(serde_json::json!({"type": "group", "groupInfo": {
        "groupId": 9, "groupProfile": {"displayName": "Team", "fullName": ""}, "membership": member(1, name),
        "createdAt": "2026-10-18T09:00:00.700Z",
    }}))
}

/// A received text; `more` is put over its `meta`.
fn message(id: u64, in_group: bool, text: &str, more: serde_json::Value) -> serde_json::Value {
    let dir = if in_group {
        serde_json::json!({"type": "groupRcv", "groupMember": member(7, "Ann")})
    } else {
        serde_json::json!({"type": "directRcv"})
    };
    let mut item = serde_json::json!({
        "chatDir": dir,
        "meta": {
            "itemId": id, "itemTs": "2026-10-18T09:15:00Z", "itemStatus": {"type": "rcvNew"},
            "itemSharedMsgId": format!("shared-{id}"), "createdAt": "2026-10-18T09:15:00Z",
        },
        "content": {"type": "rcvMsgContent", "msgContent": {"type": "text", "text": text}},
    });
    for (name, value) in more.as_object().expect("an object") {
        item["meta"][name] = value.clone();
    }
    item
}

fn plain(id: u64, in_group: bool, text: &str) -> ChatItem {
    json(message(id, in_group, text, serde_json::json!({})))
}

/// 2026-10-18T09:15:05Z.
const NOW: Now = Now { mono: Millis::secs(5), unix: UnixMillis(1_792_314_905_000) };

fn nobody(_: &Identity, _: &str) -> bool {
    false
}

struct Bot {
    responder: Responder,
    words: Words,
}

impl Bot {
    fn new() -> Self {
        let floods = Floods::new(CALLS_PER_MINUTE, 10);
        Self { responder: Responder::new("Shop", MAX_AGE, floods), words: Words::new() }
    }

    fn hear(&mut self, info: &ChatInfo, item: &ChatItem) -> Judged {
        self.responder.on_new(NOW, info, item, &self.words, &nobody)
    }

    fn steps(&mut self) -> Vec<Step> {
        self.responder.drain().collect()
    }

    /// The texts of the replies that are to be sent now, each taken by the core as the next item.
    fn sent(&mut self, next: &mut u64) -> Vec<String> {
        let mut texts = Vec::new();
        let steps = self.steps();
        for step in steps {
            if let Step::Send(out) = step {
                *next += 1;
                texts.push(out.text);
                self.responder.sent(out.flight, Ok(ItemId::new(*next)), &self.words);
            }
        }
        texts
    }
}

/// CHAT-15, CHAT-32, CHAT-33, CHAT-34, CHAT-35, CHAT-36, CHAT-37: what becomes of one message, by one property each.
#[test]
fn which_messages_are_commands() {
    let old = r#"{"itemTs": "2026-10-18T09:05:04Z"}"#;
    let before = r#"{"itemTs": "2026-10-18T08:59:59Z"}"#;
    let answers = |text: &str| (Judged::Taken, Some(text.to_string()));
    let nothing = |judged: Judged| (judged, None);
    let ignored = |why| (Judged::Ignored(why), None);
    let runs = || (Judged::Taken, Some("RUN".to_string()));
    let served = "Protocols served here: mcp, a2a.";
    for (in_group, text, meta, expected) in [
        (false, "hello", "{}", nothing(Judged::Ordinary)),
        (false, "see /_call mcp {}", "{}", nothing(Judged::Ordinary)),
        (false, "/_call mcp {}", "{}", runs()),
        (true, "/_call mcp {}", "{}", runs()),
        (true, "/_call @Shop mcp {}", "{}", runs()),
        (false, "/_call @Shop mcp {}", "{}", runs()),
        (true, "/_call @Other mcp {}", "{}", ignored(Ignored::NotForMe)),
        (false, "/_call @Other mcp {}", "{}", ignored(Ignored::NotForMe)),
        (true, "/_call @ mcp {}", "{}", ignored(Ignored::NotForMe)),
        (true, "/_call @Other x", "{}", ignored(Ignored::NotForMe)),
        (false, "/_call x {}", "{}", answers(served)),
        (true, "/_call @Shop x {}", "{}", answers(served)),
        (true, "/_call x {}", "{}", ignored(Ignored::NotServed)),
        (false, "/_call MCP {}", "{}", answers(served)),
        (true, "/_call", "{}", ignored(Ignored::NotServed)),
        (false, "/_call mcp [1]", "{}", answers("mcp - Malformed(NotObject)")),
        (true, "/_call @Shop mcp", "{}", answers("mcp - Malformed(NoRequest)")),
        (false, "/_call mcp {} x", "{}", answers("mcp - Malformed(Trailing)")),
        (
            false,
            "/_call mcp {\"id\":1}",
            r#"{"itemForwarded": {"type": "unknown"}}"#,
            answers("mcp {\"id\":1} Forwarded"),
        ),
        (false, "/_call a2a {}", old, answers("a2a {} TooOld")),
        (true, "/_call a2a {}", r#"{"itemTs": "soon"}"#, answers("a2a {} TooOld")),
        (true, "/_call mcp {}", before, ignored(Ignored::Replayed)),
        (true, "/_call mcp {}", r#"{"itemTs": "2026-10-18T09:00:00Z"}"#, answers("mcp {} TooOld")),
        (false, "/_call mcp {}", r#"{"itemEdited": true}"#, ignored(Ignored::Edited)),
        (false, "/_call mcp {}", r#"{"itemDeleted": {"type": "deleted"}}"#, nothing(Judged::Ordinary)),
        (false, "/_call mcp {}", r#"{"itemLive": true}"#, nothing(Judged::Held)),
    ] {
        let mut bot = Bot::new();
        let item: ChatItem = json(message(50, in_group, text, serde_json::from_str(meta).unwrap()));
        let info = if in_group { group("Shop") } else { direct() };
        let judged = bot.hear(&info, &item);
        let said = bot.steps().into_iter().find_map(|step| match step {
            Step::Run(work) => {
                assert_eq!((work.protocol.as_str(), work.request.as_str()), ("mcp", "{}"));
                Some("RUN".to_string())
            }
            Step::Send(out) => {
                assert_eq!(out.message().quoted, Some(ItemId::new(50)));
                Some(out.text)
            }
            _ => None,
        });
        assert_eq!((judged, said), expected, "{text} {meta}");
        let again = if judged == Judged::Taken { Judged::Ignored(Ignored::Repeated) } else { judged };
        assert_eq!(bot.hear(&info, &item), again, "CHAT-34: {text} {meta} again");
    }
    let mut bot = Bot::new();
    let mut post = message(50, true, "/_call mcp {}", serde_json::json!({}));
    post["chatDir"] = serde_json::json!({"type": "channelRcv"});
    assert_eq!(bot.hear(&group("Shop"), &json(post)), Judged::Ignored(Ignored::NoSender));
    let mut image = message(51, true, "/_call mcp {}", serde_json::json!({}));
    image["content"]["msgContent"]["type"] = "image".into();
    assert_eq!(bot.hear(&group("Shop"), &json(image)), Judged::Ordinary);
}

/// CHAT-33: the map decides where there is one; a name of the last ten minutes counts unless another has it now.
#[test]
fn names_of_mine() {
    let mut bot = Bot::new();
    let mentioned = |id: u64, of: u64| {
        let mut item = message(id, true, "/_call @Shop mcp\n{}", serde_json::json!({}));
        item["mentions"] = serde_json::json!({"Shop": {"memberId": format!("id-{of}")}});
        json::<ChatItem>(item)
    };
    assert_eq!(bot.hear(&group("Shop"), &mentioned(50, 1)), Judged::Taken);
    assert_eq!(bot.hear(&group("Shop"), &mentioned(51, 8)), Judged::Ignored(Ignored::NotForMe));
    assert_eq!(bot.hear(&group("Store"), &mentioned(52, 1)), Judged::Taken);
    let old = |id| plain(id, true, "/_call @Shop mcp {}");
    let at = |seconds| Now { mono: Millis::secs(seconds), ..NOW };
    let (store, taken) = (group("Store"), Judged::Taken);
    let not_mine = Judged::Ignored(Ignored::NotForMe);
    let hear = |bot: &mut Bot, seconds, id, others: bool| {
        bot.responder.on_new(at(seconds), &store, &old(id), &bot.words, &|_, name| others && name == "Shop")
    };
    assert_eq!(hear(&mut bot, 604, 53, false), taken);
    assert_eq!(hear(&mut bot, 604, 54, true), not_mine);
    assert_eq!(hear(&mut bot, 605, 55, false), not_mine);
    bot.responder.renamed(Millis::secs(700), "Store");
    assert_eq!(bot.hear(&direct(), &plain(56, false, "/_call @Store mcp {}")), taken);
    assert_eq!(bot.hear(&direct(), &plain(57, false, "/_call @Shop mcp {}")), taken);
}

/// CHAT-35: what was told of the admission counts before the time the group was made.
#[test]
fn history_is_no_command() {
    let mut bot = Bot::new();
    let at = |time: &str| Timestamp(time).into();
    let chat = Identity::of(&group("Shop")).unwrap();
    bot.responder.admitted(chat, at("2026-10-18T09:15:00.900Z"));
    let sent = |id, time: &str| json(message(id, true, "/_call mcp {}", serde_json::json!({"itemTs": time})));
    let replayed = Judged::Ignored(Ignored::Replayed);
    assert_eq!(bot.hear(&group("Shop"), &sent(50, "2026-10-18T09:14:59Z")), replayed);
    assert_eq!(bot.hear(&group("Shop"), &sent(51, "2026-10-18T09:15:00Z")), Judged::Taken);
}

struct Timestamp<'a>(&'a str);

impl From<Timestamp<'_>> for UnixMillis {
    fn from(time: Timestamp<'_>) -> Self {
        crate::simplex::model::Timestamp::new(time.0).unix().expect("a time")
    }
}

/// CHAT-36: a live command is one at its final update, or as it stands after a minute; an edit is none.
#[test]
fn live_commands() {
    let mut bot = Bot::new();
    let live =
        |id, text: &str, live: bool| json(message(id, false, text, serde_json::json!({"itemLive": live})));
    assert_eq!(bot.hear(&direct(), &live(50, "/_ca", true)), Judged::Held);
    let update =
        |bot: &mut Bot, item: &ChatItem| bot.responder.on_update(NOW, &direct(), item, &bot.words, &nobody);
    assert_eq!(update(&mut bot, &live(50, "/_call mcp {}", true)), Judged::Held);
    assert_eq!(update(&mut bot, &live(50, "/_call mcp {}", false)), Judged::Taken);
    assert_eq!(update(&mut bot, &live(50, "/_call mcp {}", false)), Judged::Ignored(Ignored::Edited));
    assert_eq!(bot.hear(&direct(), &live(51, "/_call a2a {}", true)), Judged::Held);
    assert_eq!(bot.responder.next_wakeup(), Some(Millis::secs(65)));
    let at = |seconds| Now { mono: Millis::secs(seconds), ..NOW };
    for (seconds, runs) in [(64, 1), (65, 2), (200, 2)] {
        bot.responder.on_tick(at(seconds), &bot.words, &nobody);
        assert_eq!(bot.responder.at_work().count(), runs, "{seconds}");
    }
}

/// CHAT-38: replies go out one at a time, in order; the last closes.
#[test]
fn replies_in_order() {
    let mut bot = Bot::new();
    let item = ItemId::new(50);
    bot.hear(&direct(), &plain(50, false, "/_call mcp {}"));
    assert!(!bot.responder.reply(item, "early".into(), true, &bot.words), "not begun");
    assert!(bot.responder.begin(item) && !bot.responder.begin(item));
    for (text, is_last) in [("one", false), ("two", false), ("three", true)] {
        assert!(bot.responder.reply(item, text.into(), is_last, &bot.words));
    }
    assert!(!bot.responder.reply(item, "four".into(), true, &bot.words), "after the last");
    let mut next = 100;
    let Some([Step::Run(_), Step::Send(first)]) = bot.steps().first_chunk().cloned() else { panic!() };
    assert_eq!((first.text.as_str(), first.is_last), ("one", false));
    bot.responder.sent(first.flight, Ok(ItemId::new(100)), &bot.words);
    assert_eq!(bot.sent(&mut next), ["two"]);
    assert_eq!(bot.sent(&mut next), ["three"]);
    let how = Closed::Answered;
    assert!(
        matches!(bot.steps()[..], [Step::Close { item: closed, how: ended, .. }] if closed == item && ended == how)
    );
}

/// CHAT-39: what does not fit is replaced in the binding's words, to the shortest; nothing goes out unquoted.
#[test]
fn replies_that_do_not_fit() {
    let long = "x".repeat(15_351);
    for (filler, reply, is_last, refused, expected) in [
        (0, 15_338, true, None, &["*", "Answered"][..]),
        (0, 15_339, true, None, &["too large, instead", "Answered"]),
        (0, 15_339, false, None, &[]),
        (14_000, 1_400, false, None, &["cancel", "too large, instead", "Answered"]),
        (15_336, 20, true, None, &["-32603", "Answered"]),
        (15_346, 20, true, None, &["NoRoom"]),
        (15_346, 20, false, None, &["cancel", "NoRoom"]),
        (0, 15_000, true, Some(Unsent::TooLarge), &["*", "too large, instead", "Answered"]),
        (0, 15_000, false, Some(Unsent::TooLarge), &["*", "cancel", "too large, instead", "Answered"]),
        (0, 10, true, Some(Unsent::Refused), &["*", "Unsendable"]),
        (0, 10, false, Some(Unsent::Refused), &["*", "cancel", "Unsendable"]),
    ] {
        let mut bot = Bot::new();
        // A command of so many encoded bytes, 22 of them around the filler; 13 without one.
        let text = match filler {
            0 => "/_call mcp {}".to_string(),
            _ => format!("/_call mcp {{\"\":\"{}\"}}", &long[..filler - 22]),
        };
        let size = crate::simplex::size::encoded_len(&text);
        assert_eq!(size, filler.max(13));
        bot.hear(&direct(), &plain(50, false, &text));
        bot.responder.begin(ItemId::new(50));
        bot.responder.reply(ItemId::new(50), long[..reply].into(), is_last, &bot.words);
        let (mut told, mut refused, mut next) = (Vec::new(), refused, 100);
        loop {
            let steps = bot.steps();
            if steps.is_empty() {
                break;
            }
            for step in steps {
                match step {
                    Step::Run(_) | Step::Resume { .. } => {}
                    Step::Cancel(_) => told.push("cancel".to_string()),
                    Step::Close { how, .. } => told.push(format!("{how:?}")),
                    Step::Send(out) => {
                        next += 1;
                        told.push(if out.text.starts_with('x') { "*".into() } else { out.text });
                        let result = refused.take().map_or_else(|| Ok(ItemId::new(next)), Err);
                        bot.responder.sent(out.flight, result, &bot.words);
                    }
                }
            }
        }
        assert_eq!(told, expected, "{filler} {reply} {is_last}");
    }
}

/// CHAT-40: at most 16 replies of a chat that no router has; then nothing is read, until their delivery goes on.
#[test]
fn unacknowledged_replies() {
    let mut bot = Bot::new();
    let (item, chat) = (ItemId::new(50), Identity::of(&direct()).unwrap());
    bot.hear(&direct(), &plain(50, false, "/_call mcp {}"));
    bot.responder.begin(item);
    let mut next = 100;
    let mut written = 0;
    while bot.responder.may_read(item) {
        written += 1;
        bot.responder.reply(item, format!("{written}"), false, &bot.words);
        bot.sent(&mut next);
    }
    assert_eq!((written, next), (16, 116));
    bot.responder.reply(item, "17".into(), false, &bot.words);
    bot.responder.reply(item, "18".into(), true, &bot.words);
    for status in [ItemStatus::SndNew, ItemStatus::SndWarning] {
        bot.responder.on_delivery(&chat, ItemId::new(101), &status);
    }
    bot.responder.on_delivery(&chat, ItemId::new(99), &ItemStatus::SndSent);
    assert_eq!(bot.sent(&mut next), Vec::<String>::new());
    bot.responder.on_delivery(&chat, ItemId::new(101), &ItemStatus::SndSent);
    let Some(Step::Send(out)) = bot.steps().pop() else { panic!("17 may go") };
    // Its delivery is told before the answer of `/_send`.
    bot.responder.on_delivery(&chat, ItemId::new(200), &ItemStatus::SndRcvd);
    bot.responder.sent(out.flight, Ok(ItemId::new(200)), &bot.words);
    assert_eq!(bot.sent(&mut next), ["18"]);
    assert!(matches!(bot.steps()[..], [Step::Close { how: Closed::Answered, .. }]));
}

/// CHAT-41: deleted before its start it is not run; during its work it is cancelled; so it is by its own sender.
#[test]
fn cancelled_commands() {
    let mut bot = Bot::new();
    let (item, closed) =
        (ItemId::new(50), |how| move |step: &Step| matches!(step, Step::Close { how: is, .. } if *is == how));
    bot.hear(&direct(), &plain(50, false, "/_call mcp {}"));
    bot.responder.on_deleted(item);
    assert!(!bot.responder.begin(item));
    let steps = bot.steps();
    assert!(steps.len() == 2 && steps.iter().any(closed(Closed::Deleted)), "{steps:?}");
    bot.hear(&direct(), &plain(51, false, "/_call mcp {\"id\":7}"));
    bot.hear(&direct(), &plain(52, false, "/_call mcp {\"cancels\":7}"));
    bot.responder.begin(ItemId::new(51));
    bot.responder.begin(ItemId::new(52));
    let (place, from) = (Place::of(&direct()).unwrap(), Party::Contact(Identity::of(&direct()).unwrap()));
    let own: Vec<ItemId> = bot
        .responder
        .own(&place, &from)
        .filter(|work| work.request.contains("id"))
        .map(|work| work.item)
        .collect();
    assert_eq!(own, [ItemId::new(51)]);
    let team = Place::of(&group("Shop")).unwrap();
    assert_eq!(bot.responder.own(&team, &from).count(), 0);
    bot.steps();
    bot.responder.withdraw(ItemId::new(51));
    bot.responder.silent(ItemId::new(52));
    let steps = bot.steps();
    let [Step::Cancel(cancelled), a, b] = &steps[..] else { panic!("{steps:?}") };
    assert!(*cancelled == ItemId::new(51) && closed(Closed::Cancelled)(a) && closed(Closed::Silent)(b));
    assert!(!bot.responder.reply(ItemId::new(51), "late".into(), true, &bot.words));
    bot.hear(&direct(), &plain(53, false, "/_call mcp {}"));
    bot.responder.on_chat_gone(&place.chat);
    assert!(bot.steps().iter().any(closed(Closed::Gone)));
}

/// CHAT-42, CHAT-27: eight at work in a conversation and 64 in all; beyond that one error in ten seconds.
#[test]
fn commands_at_work() {
    let mut bot = Bot::new();
    let mut said = Vec::new();
    for id in 0..12 {
        said.push(bot.hear(&direct(), &plain(50 + id, false, "/_call mcp {}")));
    }
    assert_eq!(bot.responder.at_work().count(), 8);
    assert_eq!(said[8], Judged::Taken);
    assert_eq!(said[9..], [Judged::Ignored(Ignored::Flooded); 3]);
    let mut next = 100;
    assert_eq!(bot.sent(&mut next), ["mcp {} Busy"]);
    let chat = |number: u64| {
        json::<ChatInfo>(serde_json::json!({"type": "direct", "contact": {
            "contactId": number, "profile": {"displayName": "Caller", "fullName": ""}, "contactStatus": "active",
            "createdAt": "2026-10-01T00:00:00Z",
        }}))
    };
    for number in 10..20 {
        for id in 0..8 {
            bot.hear(&chat(number), &plain(number * 100 + id, false, "/_call mcp {}"));
        }
    }
    assert_eq!(bot.responder.at_work().count(), 64);
    let mut bot = Bot::new();
    let taken =
        (0..35).filter(|id| bot.hear(&direct(), &plain(50 + id, false, "/_call x {}")) == Judged::Taken);
    assert_eq!(taken.count(), 16 + 14, "a minute's worth, of which the last wait for the routers");
    bot.steps();
    let mut bot = Bot::new();
    let mut texts = Vec::new();
    for id in 0..40 {
        bot.hear(&direct(), &plain(50 + id, false, "/_call mcp [1]"));
        texts.extend(bot.sent(&mut next));
    }
    assert_eq!(texts, ["mcp - Malformed(NotObject)"; 16], "no more than the routers took");
}

/// CHAT-27: over the rate one error is said, and then nothing for ten seconds.
#[test]
fn over_the_rate() {
    let mut bot = Bot::new();
    let (mut next, chat) = (1_000, Identity::of(&direct()).unwrap());
    let mut hear = |bot: &mut Bot, seconds: u64, id: u64| {
        let now = Now { mono: Millis::secs(seconds), ..NOW };
        let item = plain(id, false, "/_call mcp [1]");
        bot.responder.on_new(now, &direct(), &item, &bot.words, &nobody);
        let texts = bot.sent(&mut next);
        bot.responder.on_delivery(&chat, ItemId::new(next), &ItemStatus::SndSent);
        texts
    };
    let said: Vec<String> = (0..34).flat_map(|id| hear(&mut bot, 5, 50 + id)).collect();
    assert_eq!(said[..30], ["mcp - Malformed(NotObject)"; 30]);
    assert_eq!(said[30..], ["mcp - TooMany(Millis(2000))"]);
    assert_eq!(hear(&mut bot, 6, 90), Vec::<String>::new());
    assert_eq!(hear(&mut bot, 7, 91), ["mcp - Malformed(NotObject)"]);
    assert_eq!(hear(&mut bot, 8, 92), Vec::<String>::new());
    let again: Vec<String> = (0..9).flat_map(|id| hear(&mut bot, 15, 100 + id)).collect();
    assert_eq!(again[4..], ["mcp - TooMany(Millis(2000))"]);
}

/// CHAT-29: a restart.
#[test]
fn unread_at_a_restart() {
    for (then, expected) in [
        (AtRestart::New, "mcp {} TooOld"),
        (AtRestart::Interrupted, "mcp {} Restarted"),
        (AtRestart::Answered, "closed"),
        (AtRestart::Resume("t-1".into()), "resume t-1"),
    ] {
        let mut bot = Bot::new();
        let item =
            json(message(50, true, "/_call mcp {}", serde_json::json!({"itemTs": "2026-10-18T09:01:00Z"})));
        let info = group("Shop");
        let judged = bot.responder.take_up(NOW, &info, &item, then.clone(), &bot.words, &nobody);
        assert_eq!(judged, Judged::Taken);
        let told = bot.steps().into_iter().map(|step| match step {
            Step::Send(out) => out.text,
            Step::Resume { task, .. } => format!("resume {task}"),
            Step::Close { how: Closed::Answered, .. } => "closed".into(),
            other => format!("{other:?}"),
        });
        assert_eq!(told.collect::<Vec<_>>(), [expected]);
        assert_eq!(bot.hear(&info, &item), Judged::Ignored(Ignored::Repeated));
        if matches!(then, AtRestart::Resume(_)) {
            assert!(bot.responder.reply(ItemId::new(50), "snapshot".into(), true, &bot.words));
        }
    }
}
