//! Who commands the agent: every event that looks like an approver's `/approve` and is none of an approver's own new
//! messages performs nothing (P13; decisions 10, "Who gave a command").

use serde_json::{Value, json};
use simplex_agent_core::Millis;
use simplex_agent_core::effect::Input;
use simplex_proptests::World;
use simplex_proptests::world::{Seam, config};
use simplex_sim::Scenario;

/// A world with Alice as owner, action 1 pending, and the event of a text that she wrote.
fn asked() -> (World, Value) {
    let mut world = World::new(1, config(), &Scenario::demo());
    world.start();
    world.settle(Millis::secs(60));
    let target = world.network.link("shop").expect("the shop has an address");
    world.call("connect", json!({"target": target}));
    world.settle(Millis::secs(5));
    world.owner_says("Alice", "hello").expect("Alice writes");
    world.settle(Millis::secs(5));
    let event = world.seam.iter().rev().find_map(|seam| match seam {
        Seam::In(_, Input::Event(text)) if text.contains("\"hello\"") && text.contains("newChatItems") => {
            Some(serde_json::from_str(text).expect("an event is JSON"))
        }
        _ => None,
    });
    (world, event.expect("the text arrived"))
}

/// The event as that of a new item with this text.
fn with_text(mut event: Value, text: &str) -> Value {
    let item = &mut result(&mut event)["chatItems"][0]["chatItem"];
    item["meta"]["itemId"] = 9_000.into();
    item["meta"]["itemText"] = text.into();
    item["content"]["msgContent"]["text"] = text.into();
    event
}

/// The part of an event that holds its fields.
fn result(event: &mut Value) -> &mut Value {
    if event.get("result").is_some() { &mut event["result"] } else { event }
}

/// What is changed of an item, or of its member, and how.
struct Change(&'static str, fn(&mut Value));

fn performs(world: &World) -> bool {
    world.commands().any(|line| line.starts_with("/_connect 1") || line.starts_with("/_prepare"))
}

fn replies(world: &World) -> usize {
    world.agent_posts("Alice").iter().filter(|post| post.text.starts_with("Only owners")).count()
}

/// CMD-01, CMD-03: the same event, unchanged, performs the action: the changes below are what keeps it.
#[test]
fn an_approver_commands() {
    let (mut world, event) = asked();
    world.inject(&with_text(event, "/approve 1").to_string());
    world.settle(Millis::secs(5));
    assert!(performs(&world));
}

/// CMD-01, CMD-02, CMD-33, P13: one change each makes it no command, and no reply comes.
#[test]
fn what_is_no_command() {
    let changes: [Change; 12] = [
        Change("written by the agent itself", |item| {
            item["chatItem"]["chatDir"] = json!({"type": "groupSnd"});
            item["chatItem"]["content"]["type"] = "sndMsgContent".into();
        }),
        Change("sent as its own content, in a member's direction", |item| {
            item["chatItem"]["content"]["type"] = "sndMsgContent".into();
        }),
        Change("forwarded", |item| {
            item["chatItem"]["meta"]["itemForwarded"] = json!({"type": "unknown"});
        }),
        Change("passed on by another member on its word", |item| {
            item["chatItem"]["meta"]["forwardedByMember"] = 7.into();
        }),
        Change("an edit", |item| item["chatItem"]["meta"]["itemEdited"] = true.into()),
        Change("deleted", |item| {
            item["chatItem"]["meta"]["itemDeleted"] = json!({"type": "deleted"});
        }),
        Change("live", |item| item["chatItem"]["meta"]["itemLive"] = true.into()),
        Change("not a text", |item| item["chatItem"]["content"]["msgContent"]["type"] = "file".into()),
        Change("in a support scope", |item| {
            item["chatInfo"]["groupChatScope"] = json!({"type": "memberSupport"});
        }),
        Change("in another group", |item| item["chatInfo"]["groupInfo"]["groupId"] = 77.into()),
        Change("in a group that had the number before", |item| {
            item["chatInfo"]["groupInfo"]["createdAt"] = "2020-01-01T00:00:00Z".into();
        }),
        Change("in a channel's name", |item| item["chatItem"]["chatDir"] = json!({"type": "channelRcv"})),
    ];
    for Change(what, change) in changes {
        let (mut world, event) = asked();
        let mut event = with_text(event, "/approve 1");
        change(&mut result(&mut event)["chatItems"][0]);
        world.inject(&event.to_string());
        world.settle(Millis::secs(5));
        assert!(!performs(&world), "{what}");
        assert_eq!(replies(&world), 0, "{what}");
    }
}

/// CMD-03, CMD-08, CTRL-26: the message's own role has to be owner, and its member one that is known: number and
/// identity.
#[test]
fn who_is_no_approver() {
    let changes: [Change; 3] = [
        Change("written before becoming an owner", |member| member["memberRole"] = "member".into()),
        Change("another member with the number", |member| member["memberId"] = "b3RoZXI=".into()),
        Change("a member nobody knows", |member| member["groupMemberId"] = 99.into()),
    ];
    for Change(what, change) in changes {
        let (mut world, event) = asked();
        let mut event = with_text(event, "/approve 1");
        change(&mut result(&mut event)["chatItems"][0]["chatItem"]["chatDir"]["groupMember"]);
        world.inject(&event.to_string());
        world.settle(Millis::secs(5));
        assert!(!performs(&world), "{what}");
        assert_eq!(replies(&world), 1, "{what}");
    }
}

/// CMD-33, CMD-31: an item that comes again, now or after a restart, gives no second command.
#[test]
fn an_item_commands_once() {
    let (mut world, event) = asked();
    let event = with_text(event, "/pending").to_string();
    world.inject(&event);
    world.inject(&event);
    world.settle(Millis::secs(5));
    let pending = |world: &World| {
        world.agent_posts("Alice").iter().filter(|post| post.text.starts_with("1 connect to")).count()
    };
    assert_eq!(pending(&world), 1);
}
