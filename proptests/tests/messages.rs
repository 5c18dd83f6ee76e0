//! Rules of messages and of waiting calls that need more than a script can show at a glance: many messages, exact bytes
//! of an answer, moments within a second.

use std::path::Path;

use serde_json::{Value, json};
use simplex_agent_core::Millis;
use simplex_agent_core::effect::{Effect, Input, Outcome};
use simplex_proptests::world::{Seam, World, config};
use simplex_sim::{Act, Fault, Scenario};

/// A running agent whose owner approves, connected to Pat as `@4`.
fn world() -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/chat.json");
    let scenario = std::fs::read_to_string(path).expect("the scenario is readable");
    let mut world = World::new(1, config(), &Scenario::parse(&scenario).expect("a scenario"));
    world.start();
    world.settle(Millis::secs(60));
    connect(&mut world, "pat");
    world
}

fn connect(world: &mut World, link: &str) {
    let target = world.network.link(link).expect("a link");
    world.call("connect", json!({"target": target, "wait": 0}));
    world.run(Millis::secs(5));
}

fn say(world: &mut World, text: &str) {
    world.act("Pat", Act::Say { chat: "My Agent".into(), text: text.into() }).expect("Pat can write");
}

fn texts(messages: &Value) -> Vec<String> {
    let text = |message: &Value| message["text"].as_str().unwrap_or_default().to_owned();
    messages.as_array().map(|all| all.iter().map(text).collect()).unwrap_or_default()
}

fn numbered(from: usize, to: usize) -> Vec<String> {
    (from..to).map(|n| format!("message {n}")).collect()
}

/// RECV-06: with 250 unread messages, pages are read back until one has none; all are found, oldest first, and those
/// over the limit are left for the next calls.
#[test]
fn unread_messages_of_many_pages() {
    let mut world = world();
    for text in numbered(0, 250) {
        say(&mut world, &text);
    }
    world.run(Millis::secs(5));
    for (from, to, more) in [(0, 100, 150), (100, 200, 50), (200, 250, 0), (250, 250, 0)] {
        let call = world.call("receive", json!({"chat": "@4", "limit": 100}));
        world.run(Millis::secs(2));
        let result = world.exchange(call).result().expect("a result");
        assert_eq!(texts(&result["messages"]), numbered(from, to));
        assert_eq!(result["more"], more);
    }
}

/// RECV-07: a group's page comes in any order; the agent gets the messages in the order of their numbers.
#[test]
fn group_page_in_another_order() {
    let mut world = world();
    connect(&mut world, "team");
    for text in numbered(0, 5) {
        world.act("Host", Act::Say { chat: "Team".into(), text }).expect("Host can write");
    }
    world.run(Millis::secs(2));
    let page = "/_get chat #2 count=100";
    world.call("list", json!({}));
    world.run(Millis::secs(2));
    let mut answer: Value = serde_json::from_str(&answer(&world, page)).expect("JSON");
    let items = answer["result"]["chat"]["chatItems"].as_array_mut().expect("items");
    items.reverse();
    let text = answer.to_string();
    world.network.fault(Fault::Answer { command: page.into(), text, count: 1 });
    let call = world.call("receive", json!({"chat": "#2"}));
    world.run(Millis::secs(2));
    let messages = world.exchange(call).result().expect("a result")["messages"].clone();
    let numbers =
        messages.as_array().expect("messages").iter().filter_map(|message| message["item"].as_u64());
    assert!(numbers.is_sorted(), "{messages}");
    assert!(texts(&messages).ends_with(&numbered(0, 5)), "{messages}");
}

/// The last answer to a command.
fn answer(world: &World, command: &str) -> String {
    let op = world.seam.iter().rev().find_map(|seam| match seam {
        Seam::Out(_, Effect::Command { op, line }) if line == command => Some(*op),
        _ => None,
    });
    let text = world.seam.iter().find_map(|seam| match seam {
        Seam::In(_, Input::Done { op: done, result: Outcome::Response(text) }) if Some(*done) == op => {
            Some(text.clone())
        }
        _ => None,
    });
    text.expect("the command was answered")
}

/// SEND-16: an action keeps its first 100 responses and counts the others, which stay unread for receive.
#[test]
fn first_hundred_responses() {
    let mut world = world();
    let call =
        world.call("send", json!({"chat": "@4", "text": "go on", "limit": 100, "wait": 60, "idle": 5}));
    world.run(Millis::secs(2));
    for text in numbered(0, 130) {
        say(&mut world, &text);
    }
    world.run(Millis::secs(60));
    let result = world.exchange(call).result().expect("a result");
    assert_eq!(texts(&result["responses"]), numbered(0, 100));
    assert_eq!(result["more"], 30);
    let call = world.call("receive", json!({"chat": "@4", "limit": 100}));
    world.run(Millis::secs(2));
    assert_eq!(texts(&world.exchange(call).result().expect("a result")["messages"]), numbered(100, 130));
}

/// SEND-15: text and quote together have the core's own limit, 15,351 bytes in a contact chat: the largest pair is
/// sent, one byte more is refused before a card.
#[test]
fn text_beside_its_quote() {
    for (text, fits) in [(5_351, true), (5_352, false)] {
        let mut world = world();
        say(&mut world, &"q".repeat(10_000));
        world.run(Millis::secs(2));
        let call = world.call("receive", json!({"chat": "@4"}));
        world.run(Millis::secs(2));
        let item = world.exchange(call).result().expect("a result")["messages"][0]["item"].clone();
        let text = "t".repeat(text);
        let call = world.call("send", json!({"chat": "@4", "text": text, "reply_to": item, "wait": 0}));
        world.run(Millis::secs(5));
        let sent = world.commands().filter(|line| line.starts_with("/_send @4")).count();
        assert_eq!(sent, usize::from(fits));
        if fits {
            assert_eq!(world.exchange(call).result().expect("a result")["status"], "done");
        } else {
            let error = "text: too long beside the quoted message; shorten it or drop reply_to.";
            assert_eq!(world.exchange(call).error().as_deref(), Some(error));
        }
    }
}

/// TOOL-05: `structuredContent` and the text of `content` are the same JSON, in both eras; an error has no structure.
#[test]
fn result_as_structure_and_as_text() {
    let mut world = world();
    let calls = [
        world.call("list", json!({})),
        world.post_legacy("tools/call", json!({"name": "receive", "arguments": {"chat": "@4"}})),
    ];
    let refused = world.call("receive", json!({"chat": "@99"}));
    world.run(Millis::secs(2));
    for call in calls {
        let result = world.exchange(call).response().expect("a response")["result"].clone();
        let text = result["content"][0]["text"].as_str().expect("text");
        assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), result["structuredContent"]);
        assert_eq!(result["content"].as_array().map(Vec::len), Some(1));
    }
    let result = world.exchange(refused).response().expect("a response")["result"].clone();
    assert_eq!((&result["isError"], result.get("structuredContent")), (&Value::Bool(true), None));
}

/// MCP-26, MCP-27: a result within 200 ms is JSON; a later one a stream, with a comment every 15 s.
#[test]
fn json_or_stream() {
    for (delay, stream) in [(150, false), (400, true)] {
        let mut world = world();
        let command = "/_get chat @4 count=100".to_owned();
        world.network.fault(Fault::Slow { command, delay: Millis(delay), count: 1 });
        let call = world.post("tools/call", json!({"name": "receive", "arguments": {"chat": "@4"}}));
        world.run(Millis::secs(2));
        assert_eq!((world.exchange(call).stream, world.exchange(call).ended), (stream, true), "{delay} ms");
    }
    let mut world = world();
    let call = world.post("tools/call", json!({"name": "receive", "arguments": {"chat": "@4", "wait": 100}}));
    world.run(Millis::secs(50));
    let comments = world.exchange(call).body.lines().filter(|line| line.starts_with(':')).count();
    assert_eq!((comments, world.exchange(call).ended), (3, false));
}

/// MCP-32: a legacy `notifications/cancelled` ends no call; its result does not make the action returned, so that the
/// same call attaches to it and gets the result again, without a second message.
#[test]
fn cancelled_by_a_legacy_client() {
    let mut world = world();
    let arguments = json!({"chat": "@4", "text": "once", "wait": 20});
    let call = world.post_legacy("tools/call", json!({"name": "send", "arguments": arguments}));
    world.run(Millis::secs(5));
    let headers = vec![("mcp-protocol-version".to_owned(), "2025-11-25".to_owned())];
    // The connect of `world` was request 1 of this client, the send is 2.
    let body = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
    let told = world.http(headers, body.to_string());
    assert_eq!(world.exchange(told).status, Some(202));
    world.run(Millis::secs(30));
    let first = world.exchange(call).result().expect("the call goes on");
    let again = world.call("send", arguments);
    world.run(Millis::secs(5));
    let again = world.exchange(again).result().expect("a result");
    assert_eq!((&again["action"], &again["item"]), (&first["action"], &first["item"]));
    assert_eq!(world.commands().filter(|line| line.starts_with("/_send @4")).count(), 1);
}

/// SEND-14: a member whose name contains `'`, which no honest core lets anybody take, can't be mentioned, alone or with
/// others; nobody is asked and nothing is sent. The others still can.
#[test]
fn a_name_with_an_apostrophe_is_not_mentioned() {
    let mut world = world();
    connect(&mut world, "team");
    let link = world.network.link("team").expect("a link");
    for person in ["Bob", "Carl"] {
        world.act(person, Act::Join { link: link.clone() }).expect("they can join");
        world.run(Millis::secs(5));
    }
    let send = |world: &mut World, mention: Value| {
        let before = world.commands().filter(|line| line.starts_with("/_send")).count();
        let call = world.call("send", json!({"chat": "#2", "text": "hi", "mention": mention, "wait": 0}));
        world.run(Millis::secs(5));
        let sent = world.commands().filter(|line| line.starts_with("/_send")).count() - before;
        (world.exchange(call).error().unwrap_or_default(), sent)
    };
    assert_eq!(send(&mut world, json!([6])), (String::new(), 2), "the card and the message");
    let text = members(&world).replace("\"Carl\"", "\"O'Brien\"");
    world.network.fault(Fault::Answer { command: "/_members #2".into(), text, count: 9 });
    for mention in [json!([6]), json!([5, 6])] {
        let (error, sent) = send(&mut world, mention);
        assert_eq!(
            (error.as_str(), sent),
            (
                "mention: the name of member 6 contains ' and can't be mentioned; write it in text without @.",
                0
            )
        );
    }
    assert_eq!(send(&mut world, json!([5])), (String::new(), 2));
}

/// The newest answer that lists the members of `#2`.
fn members(world: &World) -> String {
    let asked = world.seam.iter().rev().find_map(|seam| match seam {
        Seam::Out(_, Effect::Command { op, line }) if line == "/_members #2" => Some(*op),
        _ => None,
    });
    let answer = world.seam.iter().rev().find_map(|seam| match seam {
        Seam::In(_, Input::Done { op, result: Outcome::Response(text) }) if Some(*op) == asked => {
            Some(text.clone())
        }
        _ => None,
    });
    answer.expect("the members were asked for")
}

/// MCP-31, ACT-21: a modern client that leaves, before its stream opened or after, ends its call and no action: the
/// same call later gets the result, and no second message is sent.
#[test]
fn cancelled_by_a_modern_client() {
    for opened in [false, true] {
        let mut world = world();
        let arguments = json!({"chat": "@4", "text": "once", "wait": 20});
        let call = world.call("send", arguments.clone());
        world.run(Millis(if opened { 250 } else { 50 }));
        assert_eq!(world.exchange(call).stream, opened);
        world.leave(call);
        world.run(Millis::secs(30));
        assert!(world.exchange(call).response().is_none(), "nothing is written to a client that left");
        let again = world.call("send", arguments);
        world.run(Millis::secs(5));
        let again = world.exchange(again).result().expect("a result");
        assert_eq!(again["status"], "done");
        assert_eq!(world.commands().filter(|line| line.starts_with("/_send @4")).count(), 1);
    }
}

/// MCP-31: `notifications/cancelled` of a modern client is taken and means nothing: the call gets its result.
#[test]
fn a_modern_client_can_not_cancel_by_a_message() {
    let mut world = world();
    let call = world.call("send", json!({"chat": "@4", "text": "once", "wait": 5}));
    world.run(Millis(300));
    let headers = ["mcp-method", "mcp-protocol-version"].map(str::to_owned);
    let headers = headers.into_iter().zip(["notifications/cancelled", "2026-07-28"].map(str::to_owned));
    let body = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
    let told = world.http(headers.collect(), body.to_string());
    assert_eq!(world.exchange(told).status, Some(202));
    world.run(Millis::secs(30));
    assert_eq!(world.exchange(call).result().expect("the call goes on")["status"], "done");
}

/// HTTP-10: 512 calls wait at one moment; the next is refused and leaves nothing behind; one that leaves makes room, and
/// all others get their messages.
#[test]
fn as_many_calls_as_are_served() {
    let mut world = world();
    let wait = json!({"chat": "@4", "wait": 100});
    let calls: Vec<_> = (0..512).map(|_| world.call("receive", wait.clone())).collect();
    world.run(Millis::secs(2));
    assert!(calls.iter().all(|call| !world.exchange(*call).ended));
    let refused = world.call("receive", wait.clone());
    assert_eq!((world.exchange(refused).status, world.exchange(refused).ended), (Some(503), true));
    assert!(world.exchange(refused).body.contains("512 calls are open"));
    world.leave(calls[0]);
    let served = world.call("receive", wait);
    world.run(Millis::secs(2));
    assert!(!world.exchange(served).ended);
    world.act("Pat", Act::Say { chat: "My Agent".into(), text: "for all".into() }).expect("Pat writes");
    world.run(Millis::secs(5));
    for call in calls.into_iter().skip(1).chain([served]) {
        let result = world.exchange(call).result().expect("a result");
        assert_eq!(result["messages"][0]["text"], "for all");
    }
}
