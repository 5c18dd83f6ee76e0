//! Messages: texts, quotes, mentions, edits, live messages, deletions, sizes, reading.

#[path = "support/lab.rs"]
mod lab;

use lab::Lab;
use serde_json::{Value, json};
use simplex_agent_core::{Millis, Now};
use simplex_sim::{Act, Handle};

/// A group of Host (owner), the agent and two members of one name.
fn talk() -> (Lab, Handle) {
    let mut lab = Lab::plain();
    for name in ["Host", "Bob", "Second"] {
        lab.network.add_peer(lab.now, name).expect("free");
    }
    lab.act("Second", Act::Rename { name: "Bob".into() });
    lab.act("Host", Act::CreateGroup { chat: "Talk".into(), name: "talk".into() });
    let link = lab.network.link("talk").expect("made");
    let agent = lab.controller("My Agent", true);
    lab.ok(agent, &format!("/connect {link}"));
    lab.pass(3000);
    for name in ["Bob", "Second"] {
        lab.act(name, Act::Join { link: link.clone() });
        lab.pass(3000);
    }
    lab.take(agent);
    (lab, agent)
}

fn text(words: &str, more: &str) -> String {
    format!(r#"json [{{"msgContent":{{"type":"text","text":{}}}{more}}}]"#, json!(words))
}

fn say(lab: &mut Lab, who: &str, words: &str) {
    lab.act(who, Act::Say { chat: "Talk".into(), text: words.into() });
    lab.pass(2000);
}

fn heard(lab: &mut Lab, agent: Handle) -> Value {
    let events = lab.take(agent);
    let item = events.iter().rev().find(|e| e["result"]["type"] == "newChatItems").expect("an item");
    item["result"]["chatItems"][0]["chatItem"].clone()
}

fn member(lab: &mut Lab, agent: Handle, name: &str) -> i64 {
    let members = lab.ok(agent, "/_members #1");
    let found =
        members["group"]["members"].as_array().into_iter().flatten().find(|m| m["localDisplayName"] == name);
    found.expect("a member")["groupMemberId"].as_i64().expect("a number")
}

/// SIM-15: texts arrive as they are in JSON form, and lose their last bytes in text form.
#[test]
fn texts_arrive_exactly_in_json_form() {
    let (mut lab, agent) = talk();
    for words in [
        "",
        "   ",
        "nul\u{0}",
        "\u{7}\u{1b}",
        "\u{202e}abc",
        "\u{fffe}",
        "ends with à",
        "newline\n",
        "nbsp\u{a0}",
        "\u{e0041}",
    ] {
        lab.ok(agent, &format!("/_send #1 {}", text(words, r#","mentions":{}"#)));
        lab.pass(2000);
        assert_eq!(lab.chat("Host", "Talk").messages.last().map(|m| m.text.clone()).as_deref(), Some(words));
    }
    for (sent, arrives) in [("ends with à", "ends with ?"), ("nbsp\u{a0}", "nbsp?"), ("newline\n", "newline")]
    {
        lab.ok(agent, &format!("/_send #1 text {sent}"));
        lab.pass(2000);
        assert_eq!(
            lab.chat("Host", "Talk").messages.last().map(|m| m.text.clone()).as_deref(),
            Some(arrives)
        );
    }
}

/// SIM-15: commands as the agent gets them.
#[test]
fn commands_are_formatted_by_lines() {
    let (mut lab, agent) = talk();
    for (words, command) in [
        ("/approve 1", "approve 1"),
        ("/'approve @4 2'", "'approve @4 2'"),
        (" /approve 3", "approve 3"),
        ("/approve 4\n", "approve 4"),
        ("/approve 5\nsecond line", "approve"),
        ("text /approve 6", "approve"),
    ] {
        say(&mut lab, "Host", words);
        let item = heard(&mut lab, agent);
        let parts = item["formattedText"].as_array().expect("formatted").clone();
        let found = parts.iter().find_map(|p| p["format"]["commandStr"].as_str());
        assert_eq!((found, item["meta"]["itemText"].as_str()), (Some(command), Some(words)));
    }
}

/// SIM-15: quotes name local items at every side, and mention their author.
#[test]
fn quotes_are_local_and_mention_their_author() {
    let (mut lab, agent) = talk();
    let sent = lab.ok(agent, &format!("/_send #1 {}", text("question", r#","mentions":{}"#)));
    let own = sent["chatItems"][0]["chatItem"]["meta"]["itemId"].clone();
    lab.pass(2000);
    let there = lab.chat("Host", "Talk").messages.last().expect("came").id;
    lab.act("Host", Act::Reply { chat: "Talk".into(), item: there, text: "answer".into() });
    lab.pass(2000);
    let item = heard(&mut lab, agent);
    assert_eq!(item["quotedItem"]["itemId"], own);
    assert_eq!(
        (&item["quotedItem"]["chatDir"]["type"], &item["meta"]["userMention"]),
        (&json!("groupSnd"), &json!(true))
    );
    assert_eq!(
        lab.chat("Bob", "Talk").messages.last().and_then(|m| m.quote.clone()).as_deref(),
        Some("question")
    );
    let quote = |id: &Value| format!(r#","quotedItemId":{id},"mentions":{{}}"#);
    assert_eq!(
        lab.err_tag(agent, &format!("/_send #1 {}", text("x", &quote(&json!(1))))),
        "errorStore/invalidQuote"
    );
    assert_eq!(
        lab.err_tag(agent, &format!("/_send #1 {}", text("x", &quote(&json!(9999))))),
        "errorStore/chatItemNotFound"
    );
    let two = format!(
        r#"/_send #1 json [{{"msgContent":{{"type":"text","text":"a"}},"quotedItemId":{own}}},{{"msgContent":{{"type":"text","text":"b"}},"quotedItemId":{own}}}]"#
    );
    assert_eq!(
        lab.err(agent, &two)["errorType"]["message"],
        "invalid multi send: live and more than one quote not supported"
    );
}

/// SIM-15: mentions and their refusals.
#[test]
fn mentions_are_checked() {
    let (mut lab, agent) = talk();
    let (host, bob, second) =
        (member(&mut lab, agent, "Host"), member(&mut lab, agent, "Bob"), member(&mut lab, agent, "Bob_1"));
    let send =
        |words: &str, map: &str| format!("/_send #1 {}", text(words, &format!(r#","mentions":{map}"#)));
    let sent = lab.ok(
        agent,
        &send("hi @Bob @Bob_1 @Host", &format!(r#"{{"Bob":{bob},"Bob_1":{second},"Host":{host}}}"#)),
    );
    assert_eq!(sent["chatItems"][0]["chatItem"]["mentions"]["Bob_1"]["memberRef"]["groupMemberId"], second);
    for (words, map, error) in [
        ("@Nobody", r#"{"Nobody":999}"#.to_string(), "errorStore/groupMemberNotFound"),
        ("hi @Host", format!(r#"{{"Bob":{bob}}}"#), "errorStore/invalidMention"),
        ("@Host @Hosty", format!(r#"{{"Host":{host},"Hosty":{host}}}"#), "errorStore/invalidMention"),
        ("/_call @Host {}", format!(r#"{{"Host":{host}}}"#), "errorStore/invalidMention"),
        (
            "@A @B @C @D",
            format!(r#"{{"A":{host},"B":{bob},"C":{second},"D":1}}"#),
            "errorStore/invalidMention",
        ),
    ] {
        assert_eq!(lab.err_tag(agent, &send(words, &map)), error, "{words}");
    }
    lab.ok(agent, &send("plain text", &format!(r#"{{"Host":{host}}}"#)));
    lab.ok(agent, &send("@Whoever", &format!(r#"{{"Whoever":{host}}}"#)));
    lab.pass(2000);
    lab.take(agent);
    let me = lab.chat("Host", "Talk").members.iter().find(|m| m.name == "My Agent").expect("me").id;
    lab.act(
        "Host",
        Act::Command(format!(
            "/_send #1 {}",
            text("hi @'My Agent'", &format!(r#","mentions":{{"My Agent":{me}}}"#))
        )),
    );
    lab.pass(2000);
    let item = heard(&mut lab, agent);
    assert_eq!(
        (&item["meta"]["userMention"], &item["formattedText"][1]["format"]["memberName"]),
        (&json!(true), &json!("My Agent"))
    );
    say(&mut lab, "Host", "/_call @'My Agent' mcp {}");
    assert_eq!(heard(&mut lab, agent)["meta"]["userMention"], false, "a one-line command mentions nobody");
}

/// SIM-16: edits: no event at the editor, within a day, JSON with `mentions` only.
#[test]
fn edits_end_after_a_day() {
    let (mut lab, agent) = talk();
    let sent = lab.ok(agent, &format!("/_send #1 {}", text("card", r#","mentions":{}"#)));
    let id = sent["chatItems"][0]["chatItem"]["meta"]["itemId"].clone();
    lab.pass(2000);
    lab.take(agent);
    let edit = |words: &str| {
        format!(
            r#"/_update item #1 {id} json {{"msgContent":{{"type":"text","text":{}}},"mentions":{{}}}}"#,
            json!(words)
        )
    };
    let after = lab.ok(agent, &edit("done"));
    assert_eq!(after["chatItem"]["chatItem"]["meta"]["itemEdited"], true);
    assert_eq!(lab.settle(agent), Vec::<String>::new());
    assert_eq!(
        lab.chat("Host", "Talk").messages.last().map(|m| (m.text.clone(), m.edited)),
        Some(("done".into(), true))
    );
    assert_eq!(lab.ok(agent, &edit("done"))["type"], "chatItemNotChanged");
    assert_eq!(
        lab.err_tag(
            agent,
            &format!(r#"/_update item #1 {id} json {{"msgContent":{{"type":"text","text":"x"}}}}"#)
        ),
        "error/commandError"
    );
    assert_eq!(
        lab.err_tag(
            agent,
            r#"/_update item #1 9999 json {"msgContent":{"type":"text","text":"x"},"mentions":{}}"#
        ),
        "errorStore/chatItemNotFound"
    );
    say(&mut lab, "Host", "theirs");
    let theirs = heard(&mut lab, agent)["meta"]["itemId"].clone();
    let other = edit("x").replace(&format!("#1 {id}"), &format!("#1 {theirs}"));
    assert_eq!(lab.err_tag(agent, &other), "error/invalidChatItemUpdate");
    lab.now = Now { mono: lab.now.mono, unix: lab.now.unix.plus(Millis::secs(24 * 3600)) };
    assert_eq!(lab.err_tag(agent, &edit("too late")), "error/invalidChatItemUpdate");
    lab.ok(agent, &format!("/_delete item #1 {id} broadcast"));
}

/// SIM-18: live messages, deletions, and what is read.
#[test]
fn live_messages_deletions_and_reading() {
    let (mut lab, agent) = talk();
    lab.act("Host", Act::LiveStart { chat: "Talk".into(), text: "l".into() });
    lab.pass(1000);
    let item = heard(&mut lab, agent);
    assert_eq!(item["meta"]["itemLive"], true);
    let there = lab.chat("Host", "Talk").messages.last().expect("own").id;
    lab.act("Host", Act::LiveUpdate { chat: "Talk".into(), item: there, text: "live".into() });
    lab.act("Host", Act::LiveEnd { chat: "Talk".into(), item: there, text: "live".into() });
    lab.pass(1000);
    let updates = lab.take(agent);
    let metas: Vec<&Value> = updates.iter().map(|e| &e["result"]["chatItem"]["chatItem"]["meta"]).collect();
    assert_eq!(metas.len(), 2, "also when the text is the same");
    assert_eq!((&metas[0]["itemLive"], metas[1].get("itemLive")), (&json!(true), None));
    lab.act("Host", Act::Delete { chat: "Talk".into(), item: there });
    lab.pass(1000);
    let gone = lab.take(agent)[0]["result"]["chatItemDeletions"][0]["toChatItem"]["chatItem"].clone();
    assert_eq!(
        (&gone["meta"]["itemText"], &gone["meta"]["itemDeleted"]["type"]),
        (&json!("live"), &json!("deleted"))
    );
    assert_eq!(gone["meta"]["itemStatus"]["type"], "rcvNew");
    let stats = |lab: &mut Lab| lab.ok(agent, "/_get chats 1 pcc=on")["chats"][0]["chatStats"].clone();
    assert_eq!(stats(&mut lab)["unreadCount"], 1);
    lab.ok(agent, "/_read chat items #1 99999");
    let id = gone["meta"]["itemId"].clone();
    lab.ok(agent, "/_unread chat #1 on");
    lab.ok(agent, &format!("/_read chat items #1 {id}"));
    let after = stats(&mut lab);
    assert_eq!((&after["unreadCount"], &after["unreadChat"]), (&json!(0), &json!(true)));
    lab.ok(agent, "/_read chat #1");
    assert_eq!(stats(&mut lab)["unreadChat"], true);
    lab.ok(agent, "/_unread chat #1 off");
    assert_eq!(stats(&mut lab)["unreadChat"], false);
    assert_eq!(lab.err_tag(agent, "/_read chat @999"), "errorStore/userNotFoundByContactId");
    assert_eq!(lab.err_tag(agent, "/_read chat items #999 1"), "errorStore/userNotFoundByGroupId");
    let none = lab.ok(agent, "/_delete item #1 99999 broadcast");
    assert_eq!(none["chatItemDeletions"], json!([]));
}

/// SIM-17: the limits that were measured, each with its refusal.
#[test]
fn sizes_are_kept_to_the_byte() {
    let (mut lab, agent) = talk();
    lab.act("Host", Act::CreateAddress { name: "host".into() });
    lab.act(
        "Host",
        Act::Command(
            r#"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#.into(),
        ),
    );
    let host = lab.network.link("host").expect("made");
    lab.ok(agent, &format!("/connect {host}"));
    lab.pass(3000);
    let long = |n: usize| "a".repeat(n);
    let none = r#","mentions":{}"#;
    let mention = format!(r#","mentions":{{"Host":{}}}"#, member(&mut lab, agent, "Host"));
    let named = |n: usize| format!("@Host {}", long(n - 6));
    let fits = |lab: &mut Lab, line: String| lab.ok(agent, &line);
    fits(&mut lab, format!("/_send #1 {}", text(&long(15_488), none)));
    assert_eq!(
        lab.err_tag(agent, &format!("/_send #1 {}", text(&long(15_489), none))),
        "errorStore/largeMsg"
    );
    fits(&mut lab, format!("/_send #1 {}", text(&named(15_428), &mention)));
    assert_eq!(
        lab.err_tag(agent, &format!("/_send #1 {}", text(&named(15_429), &mention))),
        "errorStore/largeMsg"
    );
    fits(&mut lab, format!("/_send #1 live=on {}", text(&long(15_476), none)));
    assert_eq!(
        lab.err_tag(agent, &format!("/_send #1 live=on {}", text(&long(15_477), none))),
        "errorStore/largeMsg"
    );
    let quotes = fits(&mut lab, format!("/_send #1 {}", text(&"\"".repeat(7_744), none)));
    let id = quotes["chatItems"][0]["chatItem"]["meta"]["itemId"].clone();
    assert_eq!(
        lab.err_tag(agent, &format!("/_send #1 {}", text(&"\"".repeat(7_745), none))),
        "errorStore/largeMsg"
    );
    let edit = |chat: &str, id: &Value, n: usize| {
        format!(
            r#"/_update item {chat} {id} json {{"msgContent":{{"type":"text","text":"{}"}},"mentions":{{}}}}"#,
            long(n)
        )
    };
    fits(&mut lab, edit("#1", &id, 15_434));
    let large = lab.err(agent, &edit("#1", &id, 15_435));
    assert_eq!(
        large["errorType"],
        json!({"type": "internalError", "message": "sendGroupMessage: expected 1 message"})
    );
    let direct = fits(&mut lab, format!("/_send @4 {}", text(&long(15_488), none)));
    let id = direct["chatItems"][0]["chatItem"]["meta"]["itemId"].clone();
    fits(&mut lab, edit("@4", &id, 15_450));
    assert_eq!(lab.err_tag(agent, &edit("@4", &id, 15_451)), "errorStore/largeMsg");
    assert_eq!(lab.err_tag(agent, &format!("/_send @4 {}", text("x", &mention))), "error/commandError");
    lab.take(agent);
    let both = format!(
        r#"/_send #1 json [{{"msgContent":{{"type":"text","text":"ok"}}}},{{"msgContent":{{"type":"text","text":"{}"}}}}]"#,
        long(16_000)
    );
    assert_eq!(lab.ok(agent, &both)["chatItems"].as_array().map(Vec::len), Some(1), "the others are sent");
    assert!(lab.tags(agent).contains(&"chatErrors".to_string()));
}

/// FINDINGS.md 6: pages of a chat.
#[test]
fn pages_go_around_after_and_before() {
    let (mut lab, agent) = talk();
    let mut ids = Vec::new();
    for n in 0..7 {
        let sent = lab.ok(agent, &format!("/_send #1 {}", text(&format!("n{n}"), "")));
        ids.push(sent["chatItems"][0]["chatItem"]["meta"]["itemId"].clone());
        lab.pass(1000);
    }
    let page = |lab: &mut Lab, line: String| -> Vec<Value> {
        let chat = lab.ok(agent, &line);
        chat["chat"]["chatItems"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|i| i["meta"]["itemId"].clone())
            .collect()
    };
    let (mid, all) = (ids[3].clone(), ids.clone());
    assert_eq!(page(&mut lab, format!("/_get chat #1 around={mid} count=1")), all[2..5]);
    assert_eq!(page(&mut lab, format!("/_get chat #1 around={mid} count=0")), all[3..4]);
    assert_eq!(page(&mut lab, format!("/_get chat #1 after={mid} count=2")), all[4..6]);
    assert_eq!(page(&mut lab, format!("/_get chat #1 before={mid} count=2")), all[1..3]);
    assert_eq!(page(&mut lab, "/_get chat #1 count=3".into()), all[4..]);
    assert_eq!(page(&mut lab, "/_get chat #1 count=0".into()), Vec::<Value>::new());
    assert_eq!(page(&mut lab, "/_get chat #1 count=5 search=N4".into()), all[4..5]);
    assert_eq!(lab.err_tag(agent, "/_get chat #1 around=9999 count=1"), "errorStore/chatItemNotFound");
    assert_eq!(lab.err_tag(agent, "/_get chat #9 count=1"), "errorStore/groupNotFound");
}
