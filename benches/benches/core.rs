//! What the core costs: decoding and handling an event, a card, a list.
//!
//! `cargo bench -p simplex-benches --bench core`. With a file name in `EVENTS`, recorded events, one a line, are measured
//! too.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use serde_json::value::RawValue;
use simplex_agent_core::agent::card::{Card, Request, Send};
use simplex_agent_core::agent::text::peer::{Chat, ChatType, Peer};
use simplex_agent_core::effect::{Effect, Effects, Input, Machine, Outcome};
use simplex_agent_core::id::OpId;
use simplex_agent_core::simplex::chat_ref::ChatRef;
use simplex_agent_core::simplex::event::{self, Event};
use simplex_agent_core::simplex::size;
use simplex_agent_core::{Agent, Millis, Now};
use simplex_benches::{cost, ratio};
use simplex_proptests::World;
use simplex_proptests::world::{Seam, config};
use simplex_sim::{Act, Scenario};

fn main() {
    let mut world = connected();
    events(&mut world);
    cards();
    lists(&world);
}

/// An agent that an owner supervises and that is connected to the shop of the demo.
fn connected() -> World {
    let scenario = include_str!("../../proptests/tests/scenarios/team.json");
    let scenario: Scenario = serde_json::from_str(scenario).unwrap();
    let mut world = World::new(1, config(), &scenario);
    world.start();
    world.settle(Millis::secs(30));
    let shop = world.network.link("shop").unwrap();
    world.call("connect", json!({"target": shop, "wait": 0}));
    world.settle(Millis::secs(5));
    world.owner_says("Alice", "/approve 1").unwrap();
    world.settle(Millis::secs(60));
    world
}

/// Decoding and handling a `newChatItems` against passing over the same bytes.
fn events(world: &mut World) {
    let before = world.seam.len();
    let chat = shop_chat(world);
    world.act("Shop Bot", Act::Say { chat, text: "Knitting club, Thursdays at seven".into() }).unwrap();
    world.settle(Millis::secs(2));
    let text = world.seam[before..].iter().find_map(|seam| match seam {
        Seam::In(_, Input::Event(text)) if event::tag(text) == "newChatItems" => Some(text.clone()),
        _ => None,
    });
    event_cost(world, "simulated", &text.unwrap());
    for event in real_events() {
        event_cost(world, "real core's", &event);
    }
    if let Ok(file) = std::env::var("EVENTS") {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            event_cost(world, "recorded", line);
        }
    }
}

/// Messages in the shapes of a real core, which writes an object's tag first (the simulator writes the members in
/// order): one event for each item that can be read.
fn real_events() -> Vec<String> {
    let events = include_str!("../../core/tests/data/events.jsonl").lines();
    let Some(many) = events.into_iter().find(|line| event::tag(line) == "newChatItems") else {
        return Vec::new();
    };
    let Real { result: RealItems { user, chat_items } } = serde_json::from_str(many).unwrap();
    let one = |item: &RawValue| {
        format!(r#"{{"result":{{"type":"newChatItems","user":{user},"chatItems":[{item}]}}}}"#)
    };
    let is_read = |text: &String| matches!(event::decode(text), Event::NewItems(items) if items.len() == 1);
    chat_items.iter().map(|item| one(item)).filter(is_read).collect()
}

#[derive(Deserialize)]
struct Real {
    result: RealItems,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RealItems {
    user: Box<RawValue>,
    chat_items: Vec<Box<RawValue>>,
}

/// The chat of the shop with the agent, as the shop names it.
fn shop_chat(world: &World) -> String {
    let chats = world.network.view("Shop Bot");
    chats.into_iter().find(|chat| chat.name == "My Agent").unwrap().chat_ref
}

fn event_cost(world: &World, whose: &str, text: &str) {
    let ignored = || serde_json::from_str::<IgnoredAny>(text).is_ok();
    let decode = ratio(|| event::decode(text), ignored);
    let mut agent = world.agent().unwrap().clone();
    let mut effects = Effects::default();
    let now = world.now();
    let handle = ratio(
        || {
            agent.handle(now, Input::Event(text.to_owned()), &mut effects);
            effects.drain().count()
        },
        ignored,
    );
    let (tag, bytes) = (event::tag(text), text.len());
    println!("{whose} {tag}, {bytes} bytes: decode {decode:.2}, decode and handle {handle:.2} of IgnoredAny");
}

/// A card of 12,000 characters, built and sized, against escaping its text once.
fn cards() {
    for (script, sample) in [
        ("ASCII", "The quick brown fox jumps over the lazy dog. "),
        ("Cyrillic", "Съешь же ещё этих мягких французских булок. "),
        ("CJK", "我能吞下玻璃而不伤身体。いろはにほへと、"),
    ] {
        let text: String = sample.chars().cycle().take(12_000).collect();
        // CJK text of this length is three times too large for a card: it is cut to what fits.
        let text = size::cut_encoded(&text, 14_000);
        let request = send(&text);
        let built = ratio(
            || {
                let card = Card::fit(request.clone()).unwrap();
                let pending = card.pending(1);
                (size::encoded_len(&pending), pending)
            },
            || serde_json::to_string(&text),
        );
        println!("card of {} characters, {script}: {built:.2} of escaping it once", text.chars().count());
    }
}

fn send(text: &str) -> Request {
    let peer = Peer {
        chat_type: ChatType::Contact,
        peer_type: Some("bot".to_owned()),
        name: "SimpleX Directory".to_owned(),
        simplex_name: None,
    };
    Request::Send(Send {
        chat: Chat { chat: serde_json::from_value::<ChatRef>(json!("@4")).unwrap(), peer },
        incognito: false,
        admission: false,
        text: text.to_owned(),
        reply_to: None,
        mentions: Vec::new(),
    })
}

/// `list` over many chats: the time for each chat.
fn lists(world: &World) {
    let mut world = world.clone();
    let before = world.seam.len();
    world.call("list", json!({}));
    let agent = world.agent().unwrap().clone();
    let op = world.seam[before..].iter().find_map(|seam| match seam {
        Seam::Out(_, Effect::Command { op, line }) if line.starts_with("/_get chats") => Some(*op),
        _ => None,
    });
    let op = op.unwrap();
    world.settle(Millis::secs(1));
    let answer = world.seam[before..].iter().find_map(|seam| match seam {
        Seam::In(_, Input::Done { op: done, result: Outcome::Response(text) }) if *done == op => Some(text),
        _ => None,
    });
    let answer: serde_json::Value = serde_json::from_str(answer.unwrap()).unwrap();
    let mut each = Vec::new();
    for count in [100, 1_000, 10_000] {
        let text = many(&answer, count);
        let time = cost(|| list(&agent, world.now(), op, &text));
        each.push(time.as_secs_f64() / f64::from(count));
        println!(
            "list of {count} chats: {time:?}, {:.2} of one of 100 for each chat",
            each.last().unwrap() / each[0]
        );
    }
}

/// The same answer with this many of its contacts.
fn many(answer: &serde_json::Value, count: u32) -> String {
    let mut answer = answer.clone();
    let chats = answer["result"]["chats"].as_array().unwrap();
    let contact = chats.iter().find(|chat| chat["chatInfo"]["type"] == "direct").unwrap().clone();
    let numbered = |number: u32| {
        let mut chat = contact.clone();
        chat["chatInfo"]["contact"]["contactId"] = (number + 100).into();
        chat["chatStats"]["unreadCount"] = 0.into();
        chat
    };
    answer["result"]["chats"] = (0..count).map(numbered).collect();
    answer.to_string()
}

fn list(agent: &Agent, now: Now, op: OpId, text: &str) -> usize {
    let mut agent = agent.clone();
    let mut effects = Effects::default();
    let result = Outcome::Response(text.to_owned());
    agent.handle(now, Input::Done { op, result }, &mut effects);
    let replies = |effect: &Effect| matches!(effect, Effect::HttpReply { .. } | Effect::HttpSend { .. });
    assert!(effects.as_slice().iter().any(replies), "{effects:?}");
    effects.drain().count()
}
