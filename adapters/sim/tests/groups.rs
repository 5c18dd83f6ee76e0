//! Groups: members, roles, leaving, admission, channels, business chats.

#[path = "support/lab.rs"]
mod lab;

use lab::Lab;
use serde_json::{Value, json};
use simplex_sim::{Act, Handle};

const SAY: &str = r#"json [{"msgContent":{"type":"text","text":"x"},"mentions":{}}]"#;

/// An agent with a control chat that Alice joined as owner.
fn with_owner(lab: &mut Lab) -> Handle {
    let agent = lab.controller("My Agent", true);
    lab.network.add_peer(lab.now, "Alice").expect("free");
    lab.network.add_peer(lab.now, "Bob").expect("free");
    lab.ok(agent, r#"/_group 1 {"displayName":"My Agent","fullName":"","groupPreferences":{"history":{"enable":"on"}}}"#);
    join(lab, agent, "Alice");
    lab.ok(agent, "/_member role #1 2 owner");
    lab.pass(1000);
    lab.take(agent);
    agent
}

fn join(lab: &mut Lab, agent: Handle, who: &str) {
    let link = lab.ok(agent, "/_create link #1 member");
    let link = link["groupLink"]["connLinkContact"]["connShortLink"].as_str().expect("short").to_string();
    lab.act(who, Act::Join { link });
    lab.pass(3000);
    lab.ok(agent, "/_delete link #1");
}

/// SIM-12: links: made once, with a role up to member, gone once.
#[test]
fn group_links_are_made_and_deleted_once() {
    let mut lab = Lab::plain();
    let agent = lab.controller("My Agent", true);
    lab.ok(agent, r#"/_group 1 {"displayName":"G","fullName":""}"#);
    assert_eq!(lab.err_tag(agent, "/_delete link #1"), "errorStore/groupLinkNotFound");
    assert_eq!(lab.err_tag(agent, "/_create link #1 owner"), "error/groupMemberInitialRole");
    let made = lab.ok(agent, "/_create link #1 member");
    let link = made["groupLink"]["connLinkContact"]["connShortLink"].as_str().expect("short").to_string();
    assert_eq!(lab.err_tag(agent, "/_create link #1 member"), "errorStore/duplicateGroupLink");
    assert_eq!(lab.err_tag(agent, "/_set link role #1 admin"), "error/groupMemberInitialRole");
    let plan = lab.ok(agent, &format!("/_connect plan 1 {link}"));
    assert_eq!(plan["connectionPlan"]["groupLinkPlan"]["type"], "ownLink");
    let before = lab.ok(agent, "/_groups 1")["groups"][0].clone();
    let unchanged = lab.ok(agent, r#"/_group_profile #1 {"displayName":"G","fullName":""}"#);
    assert_eq!((&unchanged["fromGroup"], &unchanged["toGroup"]), (&before, &before));
    lab.ok(agent, "/_delete link #1");
    assert_eq!(lab.err_tag(agent, "/_delete link #1"), "errorStore/groupLinkNotFound");
    assert_eq!(lab.err_tag(agent, &format!("/_connect plan 1 {link}")), "errorAgent/SMP/AUTH");
}

/// SIM-13: roles: one member a command, self refused, changes seen by the others, also of the own role.
#[test]
fn roles_change_one_by_one() {
    let mut lab = Lab::plain();
    let agent = with_owner(&mut lab);
    join(&mut lab, agent, "Bob");
    lab.take(agent);
    assert_eq!(
        lab.err(agent, "/_member role #1 2,3 owner")["errorType"]["message"],
        "can't change role of multiple members when admins selected, or new role is admin"
    );
    assert_eq!(
        lab.err(agent, "/_member role #1 1 admin")["errorType"]["message"],
        "can't change role for self"
    );
    assert_eq!(lab.err_tag(agent, "/_member role #1 999 owner"), "error/groupMemberNotFound");
    assert_eq!(
        lab.err(agent, "/_remove #1 2,3")["errorType"]["message"],
        "can't remove multiple members when admins selected"
    );
    lab.act("Alice", Act::SetRole { chat: "My Agent".into(), member: "Bob".into(), role: "owner".into() });
    lab.pass(1000);
    assert_eq!(lab.tags(agent), ["items(memberRole)", "memberRole"]);
    lab.act(
        "Alice",
        Act::SetRole { chat: "My Agent".into(), member: "My Agent".into(), role: "admin".into() },
    );
    lab.pass(1000);
    let events = lab.take(agent);
    assert_eq!(
        events[0]["result"]["chatItems"][0]["chatItem"]["content"]["rcvGroupEvent"]["type"],
        "userRole"
    );
    let own = &events[1]["result"];
    assert_eq!(own["member"]["groupMemberId"], own["groupInfo"]["membership"]["groupMemberId"]);
    assert_eq!(
        (&own["toRole"], &own["groupInfo"]["membership"]["memberStatus"]),
        (&json!("admin"), &json!("creator"))
    );
    for line in [
        "/_member role #1 2 owner",
        r#"/_group_profile #1 {"displayName":"X","fullName":""}"#,
        "/_delete #1 full notify=on",
    ] {
        assert_eq!(lab.err(agent, line)["errorType"]["requiredRole"], "owner", "{line}");
    }
    lab.ok(agent, "/_create link #1 member");
    lab.ok(agent, &format!("/_send #1 {SAY}"));
    lab.act(
        "Alice",
        Act::SetRole { chat: "My Agent".into(), member: "My Agent".into(), role: "observer".into() },
    );
    lab.pass(1000);
    assert_eq!(lab.err(agent, &format!("/_send #1 {SAY}"))["errorType"]["requiredRole"], "author");
}

/// FINDINGS.md 1: a second owner that the first adds in the app.
#[test]
fn an_owner_adds_another() {
    let mut lab = Lab::plain();
    let agent = with_owner(&mut lab);
    lab.act("Bob", Act::CreateOneTimeLink { name: "bob".into() });
    let link = lab.network.link("bob").expect("made");
    lab.act("Alice", Act::Join { link });
    lab.pass(2000);
    lab.act("Alice", Act::Add { chat: "My Agent".into(), contact: "Bob".into(), role: "owner".into() });
    lab.pass(1000);
    lab.act("Bob", Act::Command("/_join #1".into()));
    lab.pass(3000);
    let events = lab.take(agent);
    let tags: Vec<String> = events.iter().map(lab::brief).collect();
    assert_eq!(
        tags,
        [
            "items(memberAdded)",
            "joinedGroupMemberConnecting",
            "items(memberConnected)",
            "connectedToGroupMember"
        ]
    );
    let (added, connected) = (&events[1]["result"]["member"], &events[3]["result"]["member"]);
    assert_eq!(
        (&added["memberRole"], &added["memberStatus"], &added["memberCategory"]),
        (&json!("owner"), &json!("announced"), &json!("post"))
    );
    assert_eq!(connected["memberStatus"], "intro-inv");
    let members = lab.ok(agent, "/_members #1");
    assert_eq!(members["group"]["members"][1]["memberStatus"], "connected");
    lab.act("Bob", Act::Say { chat: "My Agent".into(), text: "hello".into() });
    lab.pass(1000);
    assert_eq!(lab.tags(agent), ["items(rcvMsgContent)"]);
}

/// SIM-14: leaving, removal and deletion, and what can be done afterwards.
#[test]
fn leaving_removal_and_deletion() {
    let mut lab = Lab::plain();
    let agent = with_owner(&mut lab);
    join(&mut lab, agent, "Bob");
    lab.take(agent);
    lab.act("Bob", Act::Leave { chat: "My Agent".into() });
    lab.pass(1000);
    assert_eq!(lab.tags(agent), ["items(memberLeft)", "leftMember", "ERR errorAgent/CONN/NOT_FOUND"]);
    let members = lab.ok(agent, "/_members #1");
    assert_eq!(members["group"]["members"][1]["memberStatus"], "left");
    join(&mut lab, agent, "Bob");
    let members = lab.ok(agent, "/_members #1");
    assert_eq!(members["group"]["members"][2]["localDisplayName"], "Bob_1", "a new member of the same name");
    lab.take(agent);
    lab.act("Alice", Act::Remove { chat: "My Agent".into(), member: "Bob_1".into() });
    lab.pass(1000);
    assert_eq!(
        lab.tags(agent),
        ["items(memberDeleted)", "deletedMember", "ERR errorStore/connectionNotFound"]
    );
    lab.act("Alice", Act::Remove { chat: "My Agent".into(), member: "My Agent".into() });
    lab.pass(1000);
    assert_eq!(lab.tags(agent), ["items(userDeleted)", "deletedMemberUser", "ERR errorAgent/CONN/NOT_FOUND"]);
    let group = lab.ok(agent, "/_groups 1")["groups"][0].clone();
    assert_eq!(
        (&group["membership"]["memberStatus"], &group["membership"]["memberRole"]),
        (&json!("removed"), &json!("owner"))
    );
    assert_eq!(lab.err(agent, &format!("/_send #1 {SAY}"))["errorType"]["message"], "not current member");
    let left = lab.ok(agent, "/_leave #1");
    assert_eq!(left["groupInfo"]["membership"]["memberStatus"], "left");
    lab.ok(agent, "/_delete #1 full notify=on");
    assert_eq!(lab.ok(agent, "/_groups 1")["groups"], json!([]));
}

/// SIM-14: a group that its owner deletes.
#[test]
fn a_group_is_deleted_for_all() {
    let mut lab = Lab::plain();
    let agent = with_owner(&mut lab);
    let item =
        lab.ok(agent, &format!("/_send #1 {SAY}"))["chatItems"][0]["chatItem"]["meta"]["itemId"].clone();
    lab.act("Alice", Act::DeleteGroup { chat: "My Agent".into() });
    lab.pass(1000);
    assert_eq!(lab.tags(agent), ["items(groupDeleted)", "groupDeleted", "ERR errorAgent/CONN/NOT_FOUND"]);
    assert_eq!(lab.ok(agent, "/_groups 1")["groups"][0]["membership"]["memberStatus"], "deleted");
    let edit = format!(
        r#"/_update item #1 {item} json {{"msgContent":{{"type":"text","text":"y"}},"mentions":{{}}}}"#
    );
    assert_eq!(lab.err_tag(agent, &edit), "error/groupMemberUserRemoved");
    lab.ok(agent, "/_delete #1 full notify=on");
}

/// SIM-19: history of a joined group comes as new items, and pages go by time.
#[test]
fn history_comes_at_a_join_and_pages_go_by_time() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    lab.pass(60_000);
    let link = lab.network.link("group").expect("published");
    lab.ok(agent, &format!("/connect {link}"));
    lab.pass(3000);
    let tags = lab.tags(agent);
    let expected = [
        "groupLinkConnecting",
        "userJoinedGroup",
        "items(rcvGroupE2EEInfo)",
        "items(rcvGroupFeature)",
        "items(memberConnected)",
        "items(rcvMsgContent)",
        "items(rcvMsgContent)",
        "items(rcvMsgContent)",
    ];
    assert_eq!(tags, expected);
    let page = lab.ok(agent, "/_get chat #1 count=50");
    let items = page["chat"]["chatItems"].as_array().expect("items").clone();
    let texts: Vec<&str> = items.iter().filter_map(|i| i["meta"]["itemText"].as_str()).collect();
    assert_eq!(
        &texts[..2],
        ["Has anyone tried the new merino?", "Yes, it is very soft."],
        "history is older"
    );
    let ids: Vec<i64> = items.iter().filter_map(|i| i["meta"]["itemId"].as_i64()).collect();
    assert!(ids.windows(2).any(|w| w[0] > w[1]), "{ids:?}");
    let unread = lab.ok(agent, "/_get chats 1 pcc=on")["chats"][0]["chatStats"].clone();
    assert_eq!(unread["unreadCount"], 3, "history and description are unread");
    let plan = lab.ok(agent, &format!("/_connect plan 1 {link}"));
    assert_eq!(plan["connectionPlan"]["groupLinkPlan"]["type"], "known");
}

/// SIM-25: admission by review: joined, and not in.
#[test]
fn a_reviewed_member_waits_in_the_support_scope() {
    let mut lab = Lab::plain();
    let host = lab.controller("Host", false);
    lab.ok(host, r#"/_group 1 {"displayName":"Reviewed","fullName":"","memberAdmission":{"review":"all"},"description":"Wait."}"#);
    let made = lab.ok(host, "/_create link #1 member");
    let link = made["groupLink"]["connLinkContact"]["connShortLink"].as_str().expect("short").to_string();
    let agent = lab.controller("My Agent", true);
    lab.ok(agent, &format!("/connect {link}"));
    lab.pass(3000);
    let events = lab.take(agent);
    let joined = events.iter().find(|e| e["result"]["type"] == "userJoinedGroup").expect("joined");
    assert_eq!(joined["result"]["groupInfo"]["membership"]["memberStatus"], "pending_review");
    let tags: Vec<String> = events.iter().map(lab::brief).collect();
    assert_eq!(tags.last().map(String::as_str), Some("memberAcceptedByOther"));
    assert!(tags.contains(&"items(S:userPendingReview)".to_string()));
    assert_eq!(lab.err(agent, &format!("/_send #1 {SAY}"))["errorType"]["message"], "not current member");
    lab.ok(agent, &format!("/_send #1(_support) {SAY}"));
    lab.pass(1000);
    let heard = lab.take(host);
    let scope = &heard.last().expect("heard")["result"]["chatItems"][0]["chatInfo"]["groupChatScope"];
    assert_eq!(scope["groupMember_"]["memberStatus"], "pending_review");
    let plan = lab.ok(agent, &format!("/_connect plan 1 {link}"));
    assert_eq!(plan["connectionPlan"]["groupLinkPlan"]["type"], "known");
    lab.ok(host, "/_accept member #1 2 member");
    let tags = lab.settle(agent);
    assert_eq!(tags.iter().filter(|t| *t == "userJoinedGroup").count(), 1);
    assert_eq!(tags.last().map(String::as_str), Some("items(rcvMsgContent)"), "the description");
    lab.ok(agent, &format!("/_send #1 {SAY}"));
}

/// SIM-25, SIM-32: a captcha in the support scope, as the directory asks it.
#[test]
fn a_captcha_is_asked_in_the_support_scope() {
    let text = r#"{"peers":[{"name":"Guard","groups":[{"publish":"g","name":"Guarded","captcha":true}]}]}"#;
    let scenario = simplex_sim::Scenario::parse(text).expect("a scenario");
    let mut lab = Lab::new(simplex_sim::Network::from_scenario(1, &scenario));
    let agent = lab.controller("My Agent", true);
    let link = lab.network.link("g").expect("published");
    lab.ok(agent, &format!("/connect {link}"));
    lab.pass(3000);
    let group = lab.ok(agent, "/_groups 1")["groups"][0].clone();
    assert_eq!(group["membership"]["memberStatus"], "pending_approval");
    let scope = lab.ok(agent, "/_get chat #1(_support) content=text count=2");
    let captcha = scope["chat"]["chatItems"][1]["meta"]["itemText"].as_str().expect("a captcha").to_string();
    lab.ok(agent, &format!("/_send #1(_support) text wrong{captcha}"));
    lab.pass(2000);
    assert_eq!(lab.err_tag(agent, &format!("/_send #1 {SAY}")), "error/commandError");
    lab.ok(agent, &format!("/_send #1(_support) text {captcha}"));
    lab.pass(2000);
    lab.ok(agent, &format!("/_send #1 {SAY}"));
}

fn planned(lab: &mut Lab, agent: Handle, name: &str) -> (String, String, Value) {
    let link = lab.network.link(name).expect("published");
    let plan = lab.ok(agent, &format!("/_connect plan 1 {link}"));
    (
        plan["connLink"]["connFullLink"].as_str().expect("full").to_string(),
        link,
        plan["connectionPlan"].clone(),
    )
}

/// SIM-24: a channel: what is refused, what works, what happens without `direct=off`.
#[test]
fn channels_need_direct_off() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let (full, short, plan) = planned(&mut lab, agent, "channel");
    let plan = &plan["groupLinkPlan"];
    assert_eq!(plan["groupSLinkInfo_"]["direct"], false);
    assert_eq!(plan["groupSLinkInfo_"]["groupRelays"].as_array().map(Vec::len), Some(1));
    let data = plan["groupSLinkData_"].clone();
    let refused = lab.err(agent, &format!("/_connect 1 {full} {short}"));
    assert_eq!(
        refused["errorType"]["message"],
        "channel links must be connected via APIConnectPreparedGroup"
    );
    lab.ok(agent, &format!("/_prepare group 1 {full} {short} {data}"));
    let started = lab.ok(agent, "/_connect group #1");
    assert_eq!(started["relayResults"], json!([]));
    lab.pass(5000);
    assert_eq!(lab.ok(agent, "/_groups 1")["groups"][0]["membership"]["memberStatus"], "unknown");
    lab.ok(agent, "/_leave #1");
    lab.ok(agent, "/_delete #1 full");
    lab.take(agent);
    let prepared = lab.ok(agent, &format!("/_prepare group 1 {full} {short} direct=off {data}"));
    assert_eq!(prepared["chat"]["chatItems"][0]["chatDir"]["type"], "channelRcv", "the welcome");
    let started = lab.ok(agent, "/_connect group #1");
    assert_eq!(started["relayResults"][0]["relayMember"]["memberRole"], "relay");
    lab.pass(3000);
    let posts = lab.ok(agent, "/_get chat #1 content=text count=2");
    assert_eq!(posts["chat"]["chatItems"][1]["chatDir"]["type"], "channelRcv");
    assert_eq!(lab.err(agent, &format!("/_send #1 {SAY}"))["errorType"]["requiredRole"], "author");
    lab.take(agent);
    lab.act("Harbor Editor", Act::Command(format!("/_send #1(as_group=on) {SAY}")));
    lab.pass(2000);
    assert_eq!(lab.tags(agent), ["items(rcvMsgContent)"]);
    lab.act("Harbor Editor", Act::Command("/_delete #1 full notify=on".into()));
    lab.pass(2000);
    let deleted = lab.take(agent).into_iter().find(|e| e["result"]["type"] == "groupDeleted").expect("told");
    assert_eq!(deleted["result"]["msgSigned"], "verified");
    assert_eq!(lab.err_tag(agent, &format!("/_connect plan 1 {short}")), "errorAgent/SMP/AUTH");
}

/// SIM-23: a business address makes a group; the plan of the address names it.
#[test]
fn a_business_address_makes_a_group() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let (full, short, plan) = planned(&mut lab, agent, "business");
    let data = plan["contactAddressPlan"]["contactSLinkData_"].clone();
    assert_eq!(data["business"], true);
    let prepared = lab.ok(agent, &format!("/_prepare contact 1 {full} {short} {data}"));
    assert_eq!(prepared["chat"]["chatInfo"]["groupInfo"]["businessChat"]["chatType"], "business");
    assert_eq!(prepared["chat"]["chatItems"][0]["meta"]["itemStatus"]["type"], "rcvNew");
    assert_eq!(lab.err(agent, &format!("/_send #1 {SAY}"))["errorType"]["message"], "not current member");
    assert_eq!(
        lab.err(agent, "/_connect contact @1 text x")["errorType"]["message"],
        "contact doesn't have link to connect"
    );
    lab.take(agent);
    lab.ok(agent, "/_connect group #1 text Do you have trail shoes?");
    let tags = lab.settle(agent);
    let expected = [
        "items(sndMsgContent)",
        "groupLinkConnecting",
        "chatItemNotChanged",
        "userJoinedGroup",
        "items(rcvGroupE2EEInfo)",
        "items(memberConnected)",
        "groupUpdated",
        "groupMemberUpdated",
    ];
    let tags: Vec<String> = tags.into_iter().filter(|t| t != "items(rcvMsgContent)").collect();
    assert_eq!(tags, expected);
    let (.., plan) = planned(&mut lab, agent, "business");
    assert_eq!((&plan["type"], &plan["groupLinkPlan"]["type"]), (&json!("groupLink"), &json!("known")));
    assert_eq!(lab.err_tag(agent, "/_connect group #1 text again"), "errorStore/dBException");
    let answer = lab.ok(agent, "/_get chat #1 count=1 search=Switchback")["chat"]["chatItems"][0].clone();
    assert_eq!(
        (&answer["quotedItem"]["content"]["text"], &answer["meta"]["userMention"]),
        (&json!("Do you have trail shoes?"), &json!(true))
    );
    let refused = r#"/_address_settings 1 {"businessAddress":true,"autoAccept":{"acceptIncognito":true}}"#;
    let refused = lab.network.act(lab.now, "Ridgeline", Act::Command(refused.into()));
    assert!(refused.is_err_and(|e| e.contains("incognito not allowed for address with short link data")));
    lab.ok(agent, "/_leave #1");
    lab.ok(agent, "/_delete #1 full");
    let (.., plan) = planned(&mut lab, agent, "business");
    assert_eq!(plan["contactAddressPlan"]["type"], "ok");
}

/// SIM-14, SIM-32: a join that is rejected: one event, a group with a rejected membership, planned as known.
#[test]
fn a_rejected_join_leaves_a_rejected_membership() {
    let text =
        r#"{"peers":[{"name":"Door Keeper","groups":[{"publish":"g","name":"Closed","rejects":true}]}]}"#;
    let scenario = simplex_sim::Scenario::parse(text).expect("a scenario");
    let mut lab = Lab::new(simplex_sim::Network::from_scenario(1, &scenario));
    let agent = lab.controller("My Agent", true);
    let link = lab.network.link("g").expect("published");
    lab.ok(agent, &format!("/connect {link}"));
    lab.pass(2000);
    let events = lab.take(agent);
    let told: Vec<_> = events.iter().filter(|e| e["result"].get("groupInfo").is_some()).collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["result"]["type"], "groupLinkConnecting");
    let group = &told[0]["result"]["groupInfo"];
    assert_eq!(group["membership"]["memberStatus"], "rejected");
    let plan = lab.ok(agent, &format!("/_connect plan 1 {link}"));
    let plan = &plan["connectionPlan"]["groupLinkPlan"];
    assert_eq!(
        (&plan["type"], &plan["groupInfo"]["membership"]["memberStatus"]),
        (&json!("known"), &json!("rejected"))
    );
    assert_eq!(lab.err_tag(agent, &format!("/_send #1 {SAY}")), "error/commandError");
    lab.ok(agent, "/_delete #1 full notify=on");
    assert_eq!(lab.ok(agent, "/_groups 1")["groups"], json!([]));
    assert!(lab.chat("Door Keeper", "Closed").messages.is_empty());
}
