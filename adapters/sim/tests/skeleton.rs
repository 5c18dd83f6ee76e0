//! The life of an agent's control chat, and of its contacts, in the demo network.

#[path = "support/lab.rs"]
mod lab;

use lab::Lab;
use simplex_sim::Act;

/// SIM-12: the owner joins by the link; events at the agent and rows of `/_members`.
#[test]
fn an_owner_joins_becomes_owner_and_approves() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let group = lab.ok(agent, r#"/_group 1 {"displayName":"My Agent","fullName":"","description":"Supervise","groupPreferences":{"history":{"enable":"on"}}}"#);
    assert_eq!(group["groupInfo"]["localDisplayName"], "My Agent_1");
    assert!(group["groupInfo"].get("customData").is_none());
    assert_eq!(lab.tags(agent), ["items(chatBanner)", "items(sndGroupE2EEInfo)", "items(sndGroupFeature)"]);
    lab.ok(agent, r#"/_set custom #1 {"simplexMcp":{"control":true}}"#);
    lab.ok(agent, "/_create link #1 member");
    assert_eq!(
        lab.settle(agent),
        [
            "items(invitedViaGroupLink)",
            "acceptingGroupJoinRequestMember",
            "items(memberConnected)",
            "joinedGroupMember"
        ]
    );
    let members = lab.ok(agent, "/_members #1");
    assert_eq!(members["group"]["members"][0]["memberStatus"], "connected");
    assert_eq!(members["group"]["members"][0]["memberRole"], "member");
    lab.ok(agent, "/_member role #1 2 owner");
    let again = lab.ok(agent, "/_member role #1 2 owner");
    assert_eq!(again["members"], serde_json::json!([]));
    let sent = lab.ok(agent, r#"/_send #1 json [{"msgContent":{"type":"text","text":"A card\n/'approve 1' or /'reject 1'"},"mentions":{}}]"#);
    let card = sent["chatItems"][0]["chatItem"]["meta"]["itemId"].clone();
    lab.pass(2000);
    let seen = lab.chat("Alice", "My Agent");
    assert_eq!(seen.role, "owner");
    assert_eq!(seen.messages.last().map(|m| m.text.as_str()), Some("A card\n/'approve 1' or /'reject 1'"));
    lab.tags(agent);
    lab.act("Alice", Act::Say { chat: "My Agent".into(), text: "/approve 1".into() });
    lab.pass(2000);
    let events = lab.take(agent);
    let item = &events[0]["result"]["chatItems"][0];
    assert_eq!(item["chatItem"]["formattedText"][0]["format"]["commandStr"], "approve 1");
    assert_eq!(item["chatItem"]["chatDir"]["groupMember"]["memberRole"], "owner");
    lab.ok(agent, &format!(r#"/_update item #1 {card} json {{"msgContent":{{"type":"text","text":"Done."}},"mentions":{{}}}}"#));
    lab.pass(2000);
    let seen = lab.chat("Alice", "My Agent");
    assert!(seen.messages.iter().any(|m| m.text == "Done." && m.edited));
}

/// FINDINGS.md 2: a contact address, plain: events, plan kinds, answers.
#[test]
fn a_directory_is_planned_connected_and_searched() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let link = lab.network.link("directory").expect("published");
    let plan = lab.ok(agent, &format!("/_connect plan 1 {link}"));
    let data = &plan["connectionPlan"]["contactAddressPlan"]["contactSLinkData_"];
    assert_eq!(data["profile"]["displayName"], "SimpleX Directory");
    let full = plan["connLink"]["connFullLink"].as_str().expect("full").to_string();
    let sent = lab.ok(agent, &format!("/_connect 1 {full} {link}"));
    assert_eq!(sent["type"], "sentInvitation");
    assert_eq!(
        lab.settle(agent),
        [
            "contactConnecting",
            "contactConnected",
            "items(chatBanner)",
            "items(rcvDirectE2EEInfo)",
            "items(rcvChatFeature)",
            "items(rcvMsgContent)"
        ]
    );
    let known = lab.ok(agent, &format!("/_connect plan 1 {link}"));
    assert_eq!(known["connectionPlan"]["contactAddressPlan"]["type"], "known");
    lab.ok(agent, r#"/_send @4 json [{"msgContent":{"type":"text","text":"knitting"},"mentions":{}}]"#);
    lab.pass(2000);
    let chat = lab.ok(agent, "/_get chat @4 count=3");
    let items = chat["chat"]["chatItems"].as_array().expect("items").clone();
    assert_eq!(items[0]["meta"]["itemText"], "Found 2 group(s).");
    assert_eq!(items[0]["quotedItem"]["content"]["text"], "knitting");
    assert!(items[1]["meta"]["itemText"].as_str().expect("text").contains("/g#"));
    let chats = lab.ok(agent, "/_get chats 1 pcc=on");
    assert_eq!(chats["chats"][0]["chatStats"]["unreadCount"], 4);
    lab.ok(agent, "/_read chat @4");
    let chats = lab.ok(agent, "/_get chats 1 pcc=on");
    assert_eq!(chats["chats"][0]["chatStats"]["unreadCount"], 0);
}
