//! Users, start and stop, stores, versions, chance and noise.

#[path = "support/lab.rs"]
mod lab;

use lab::Lab;
use serde_json::json;
use simplex_agent_core::Millis;
use simplex_sim::{Act, Fault, Network, Noise, Options, Output, Scenario, Version};

/// SIM-07: before a profile, and before `/_start`.
#[test]
fn commands_wait_for_a_profile_and_for_start() {
    let mut lab = Lab::plain();
    let agent = lab.open("agent");
    for line in ["/user", "/_groups 1", "/_start", "/_get chats 1 pcc=on"] {
        assert_eq!(lab.err_tag(agent, line), "error/noActiveUser", "{line}");
    }
    assert_eq!(lab.ok(agent, "/users")["users"], json!([]));
    assert_eq!(lab.ok(agent, "/version")["versionInfo"]["version"], "7.0.0.6");
    lab.ok(agent, r#"/_create user {"profile":{"displayName":"My Agent","fullName":"","peerType":"bot"},"pastTimestamp":false}"#);
    for line in [
        "/_groups 1",
        "/_members #1",
        "/_set custom #1 {}",
        "/_get chat #1 count=1",
        "/_connect plan 1 @x.simplex",
    ] {
        assert_eq!(lab.err_tag(agent, line), "error/chatNotStarted", "{line}");
    }
    for line in [
        "/user",
        "/network",
        "/_get chats 1 pcc=on",
        "/_check running",
        "/sql chat SELECT count(*) FROM groups",
    ] {
        lab.ok(agent, line);
    }
    assert_eq!(lab.ok(agent, "/_start")["type"], "chatStarted");
    assert_eq!(lab.ok(agent, "/_start")["type"], "chatRunning");
    let network = lab.ok(agent, "/network socks=off smp-proxy=always smp-proxy-fallback=protected");
    let network = &network["networkConfig"];
    assert_eq!(
        (&network["smpProxyMode"], &network["smpProxyFallback"], &network["hostMode"]),
        (&json!("always"), &json!("allowProtected"), &json!("public"))
    );
    assert_eq!(lab.ok(agent, "/_stop")["type"], "chatStopped");
    assert_eq!(lab.err_tag(agent, "/_groups 1"), "error/chatNotStarted");
}

/// SIM-08: what is no command, or has an argument that does not fit.
#[test]
fn a_line_that_does_not_parse_is_a_command_error() {
    let mut lab = Lab::plain();
    let agent = lab.controller("My Agent", true);
    lab.ok(agent, r#"/_group 1 {"displayName":"Team","fullName":""}"#);
    let lines = [
        "",
        "/nosuch",
        "/_nosuch command",
        "hello",
        "/_start main=on service_requests=on",
        "/_get chat #1 count=x",
        "/_send #1 json {bad",
        "/_send #1 json [{\"msgContent\":{\"type\":\"text\",\"text\":\"\\ud800\"}}]",
        "/_send :1 json []",
        "/_member role #1 2 author",
        "/_member role #1 2 relay",
        "/_set custom #1 [1]",
        "/_update item #1 1 json {\"msgContent\":{\"type\":\"text\",\"text\":\"x\"}}",
        "/_connect plan 1 two words",
        "/_connect plan 1 ",
        "/_connect plan 1 @x.simplex resolve=never",
        "/_address 1 pq_ratchet=on",
        "/_service_request 1 @x.simplex {}",
        "/_service_response 1 abc {}",
        "/_prepare contact 1 junk {}",
    ];
    for line in lines {
        assert_eq!(lab.err_tag(agent, line), "error/commandError", "{line}");
    }
    assert_eq!(
        lab.err(agent, "/_groups 2")["errorType"],
        json!({"type": "differentActiveUser", "commandUserId": 2, "activeUserId": 1})
    );
}

/// SIM-09: what a 7.0 core refuses and a 7.1 core takes.
#[test]
fn the_version_decides_what_is_known() {
    let user = r#"/_create user {"profile":{"displayName":"A","fullName":"","peerType":"agent"},"pastTimestamp":false}"#;
    let mut old = Lab::plain();
    let agent = old.open("a");
    assert_eq!(old.err_tag(agent, user), "error/commandError");
    let mut new = Lab::new(Network::new(1, Options { version: Version::V7_1, ..Options::default() }));
    let agent = new.open("a");
    assert_eq!(new.ok(agent, user)["user"]["profile"]["peerType"], "agent");
    assert_eq!(new.ok(agent, "/_start main=on service_requests=on")["type"], "chatStarted");
    assert_eq!(
        new.err_tag(agent, "/_connect plan 1 @x.simplex resolve=never"),
        "errorAgent/SMP/NAME/NO_RESOLVER"
    );
    assert_eq!(
        new.err_tag(agent, "/_service_request 1 @x.simplex timeout=2.0 {}"),
        "errorAgent/SMP/NAME/NO_RESOLVER"
    );
}

/// FINDINGS.md, 9: names of contacts, groups, presets and members block a display name.
#[test]
fn display_names_are_checked() {
    let mut lab = Lab::plain();
    let agent = lab.controller("My Agent", true);
    let profile =
        |name: &str| format!(r#"/_profile 1 {{"displayName":"{name}","fullName":"","peerType":"bot"}}"#);
    assert_eq!(lab.err(agent, &profile("My Agent."))["errorType"]["validName"], "My Agent");
    assert_eq!(lab.err_tag(agent, &profile("Ask SimpleX Team")), "errorStore/duplicateName");
    let group = lab.ok(agent, r#"/_group 1 {"displayName":"My Agent","fullName":""}"#);
    assert_eq!(group["groupInfo"]["localDisplayName"], "My Agent_1");
    assert_eq!(lab.err_tag(agent, &profile("My Agent_1")), "errorStore/duplicateName");
    lab.ok(agent, &profile("Other"));
    lab.ok(agent, r#"/_group_profile #1 {"displayName":"Other","fullName":""}"#);
    lab.ok(agent, r#"/_group_profile #1 {"displayName":"New","fullName":""}"#);
    assert_eq!(lab.err_tag(agent, &profile("New")), "errorStore/duplicateName");
    assert_eq!(
        lab.err_tag(agent, r#"/_group 1 {"displayName":"a@b","fullName":""}"#),
        "error/invalidDisplayName"
    );
    let again = r#"/_create user {"profile":{"displayName":"Other","fullName":""},"pastTimestamp":false}"#;
    assert_eq!(lab.err_tag(agent, again), "error/userExists");
}

/// SIM-06: a store finds everything again, and what was sent meanwhile; SIM-27: the delivery queries.
#[test]
fn a_store_is_found_again_under_its_prefix() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    lab.ok(agent, r#"/_group 1 {"displayName":"My Agent","fullName":""}"#);
    lab.ok(agent, r#"/_set custom #1 {"nextAction":4}"#);
    lab.ok(agent, "/_create link #1 member");
    lab.pass(3000);
    let rows = lab.ok(agent, "/sql chat SELECT hex(agent_conn_id) FROM connections WHERE group_member_id IN (SELECT group_member_id FROM group_members WHERE group_id = 1)");
    let conn = rows["rows"][1].as_str().expect("one member").to_string();
    let card =
        lab.ok(agent, r#"/_send #1 json [{"msgContent":{"type":"text","text":"card"},"mentions":{}}]"#);
    let count = format!(
        "/sql agent SELECT count(*) FROM snd_message_deliveries WHERE failed = 0 AND hex(conn_id) IN ('{conn}')"
    );
    assert_eq!(lab.ok(agent, &count)["rows"], json!(["count(*)", "1"]));
    lab.network.close(agent);
    lab.pass(1000);
    let seen = lab.chat("Alice", "My Agent").messages;
    assert_eq!(seen.last().map(|m| m.text.as_str()), Some("card"), "what was answered was sent");
    lab.act("Alice", Act::Say { chat: "My Agent".into(), text: "/approve 1".into() });
    lab.pass(1000);
    let agent = lab.open("My Agent");
    assert_eq!(lab.ok(agent, "/user")["user"]["profile"]["displayName"], "My Agent");
    assert_eq!(lab.err_tag(agent, "/_groups 1"), "error/chatNotStarted");
    lab.ok(agent, "/_start");
    let groups = lab.ok(agent, "/_groups 1");
    assert_eq!(groups["groups"][0]["customData"], json!({"nextAction": 4}));
    assert_eq!(lab.settle(agent), ["items(rcvMsgContent)"]);
    assert_eq!(lab.ok(agent, &count)["rows"], json!(["count(*)", "0"]));
    assert_eq!(lab.ok(agent, &count.replace(&format!("'{conn}'"), ""))["rows"], json!(["count(*)", "0"]));
    let item = &card["chatItems"][0]["chatItem"]["meta"]["itemId"];
    let around = lab.ok(agent, &format!("/_get chat #1 around={item} count=0"));
    assert_eq!(around["chat"]["chatItems"][0]["meta"]["itemText"], "card");
    assert_eq!(lab.err_tag(agent, "/sql chat SELECT nosuch FROM groups"), "errorStore/dBException");
    assert_eq!(lab.err_tag(agent, "/sql agent SELECT * FROM nosuch"), "errorAgent/INTERNAL");
    assert_eq!(
        lab.ok(agent, "/sql chat SELECT group_id FROM groups WHERE group_id = 999")["rows"],
        json!([])
    );
}

/// SIM-10: numbers of rows come again, those of items never; SIM-11: numbers wrap.
#[test]
fn numbers_come_again_after_deletion() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let shop = lab.network.link("shop").expect("published");
    lab.ok(agent, &format!("/connect {shop}"));
    lab.pass(2000);
    lab.ok(agent, r#"/_set custom @4 {"a":1}"#);
    let last = lab.ok(agent, "/_get chat @4 count=1")["chat"]["chatItems"][0]["meta"]["itemId"].as_i64();
    lab.ok(agent, "/_delete @4 full notify=on");
    let directory = lab.network.link("directory").expect("published");
    let sent = lab.ok(agent, &format!("/connect {directory}"));
    assert_eq!(sent["connection"]["pccConnId"], 1);
    lab.pass(2000);
    let contact = lab.ok(agent, "/_get chat @4 count=1");
    assert_eq!(contact["chat"]["chatInfo"]["contact"]["profile"]["displayName"], "SimpleX Directory");
    assert!(contact["chat"]["chatInfo"]["contact"].get("customData").is_none());
    assert!(contact["chat"]["chatItems"][0]["meta"]["itemId"].as_i64() > last);
    lab.ok(agent, r#"/_group 1 {"displayName":"G","fullName":""}"#);
    lab.ok(agent, "/_members #18446744073709551617");
    let missing = lab.err(agent, "/_members #18446744073709551626");
    assert_eq!(missing["storeError"], json!({"type": "groupNotFound", "groupId": 10}));
}

/// SIM-01: equal seeds and inputs, equal outputs, also after a snapshot.
#[test]
fn a_network_is_its_seed_and_its_inputs() {
    let run = |restore: bool| {
        let mut lab = Lab::demo();
        let agent = lab.controller("My Agent", true);
        lab.ok(agent, r#"/_group 1 {"displayName":"My Agent","fullName":""}"#);
        if restore {
            lab.network = Network::restore(&lab.network.snapshot()).expect("a snapshot fits");
        }
        lab.ok(agent, "/_create link #1 member");
        lab.pass(5000);
        (lab.take(agent), lab.ok(agent, "/_get chats 1 pcc=on"))
    };
    assert_eq!(run(false), run(false));
    assert_eq!(run(false), run(true));
    let mut one = Lab::new(Network::from_scenario(1, &Scenario::demo()));
    let two = Network::from_scenario(2, &Scenario::demo());
    assert_ne!(one.network.link("shop"), two.link("shop"));
    assert!(Network::restore("{}").is_err());
    let _ = one.open("x");
}

/// SIM-29: each kind of trouble, on request.
#[test]
fn commands_and_events_go_wrong_on_request() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    lab.ok(agent, r#"/_group 1 {"displayName":"My Agent","fullName":""}"#);
    lab.take(agent);
    let error = json!({"type": "error", "errorType": {"type": "simOdd"}});
    let command = || "/_send".to_string();
    let send = r#"/_send #1 json [{"msgContent":{"type":"text","text":"x"},"mentions":{}}]"#;
    lab.network.fault(Fault::Fail { command: command(), error: error.clone(), count: 1 });
    assert_eq!(lab.err(agent, send), error);
    let empty = lab.ok(agent, "/_get chat #1 count=1");
    assert_ne!(
        empty["chat"]["chatItems"][0]["content"]["type"], "sndMsgContent",
        "a failed command does nothing"
    );
    lab.network.fault(Fault::FailAfter { command: command(), error: error.clone(), count: 1 });
    assert_eq!(lab.err(agent, send), error);
    let done = lab.ok(agent, "/_get chat #1 count=1");
    assert_eq!(done["chat"]["chatItems"][0]["content"]["type"], "sndMsgContent", "this one did it");
    lab.network.fault(Fault::Slow { command: command(), delay: Millis(700), count: 1 });
    let before = lab.now.mono;
    lab.ok(agent, send);
    assert_eq!(lab.now.mono, before + Millis(700));
    lab.network.fault(Fault::Hang { command: command(), count: 1 });
    let ticket = lab.send(agent, send);
    lab.pass(100_000);
    assert!(!lab.answers.iter().any(|(t, _)| *t == ticket));
    lab.network.fault(Fault::Answer { command: command(), text: "{}".into(), count: 1 });
    assert_eq!(lab.ask(agent, send), json!({}));
    lab.network.fault(Fault::EventsFirst { command: "/_leave".into(), count: 1 });
    lab.take(agent);
    lab.network.command(lab.now, agent, 99, "/_leave #1");
    assert!(matches!(lab.network.poll(), Some(Output::Event { .. })));
    lab.pass(10);
    lab.network.fault(Fault::DuplicateEvents { count: 1 });
    lab.take(agent);
    lab.ok(agent, r#"/_group 1 {"displayName":"Twice","fullName":""}"#);
    assert_eq!(lab.tags(agent).iter().filter(|t| *t == "items(chatBanner)").count(), 2);
    lab.network.fault(Fault::DelayEvents { delay: Millis(5000), count: 3 });
    lab.ok(agent, r#"/_group 1 {"displayName":"Late","fullName":""}"#);
    assert!(lab.tags(agent).is_empty());
    lab.pass(5000);
    assert_eq!(lab.tags(agent).len(), 3);
    lab.network.inject(lab.now, agent, "not json at all");
    assert_eq!(lab.network.poll(), Some(Output::Event { handle: agent, text: "not json at all".into() }));
}

/// SIM-29: noise that comes by itself changes nothing but what is heard.
#[test]
fn noise_changes_nothing() {
    let run = |noise| {
        let mut lab = Lab::new(Network::from_scenario(
            7,
            &Scenario { options: Options { noise, ..Options::default() }, ..Scenario::demo() },
        ));
        let agent = lab.controller("My Agent", true);
        lab.ok(agent, r#"/_group 1 {"displayName":"My Agent","fullName":""}"#);
        lab.ok(agent, "/_create link #1 member");
        lab.pass(5000);
        let events = lab.take(agent);
        let members = lab.ok(agent, "/_members #1")["group"]["members"][0]["memberStatus"].clone();
        (events.len(), events.iter().any(|e| e["result"].get("simUnknownKey").is_some()), members)
    };
    let (quiet, keys, member) = run(Noise::Quiet);
    assert!(!keys);
    let (some, keys, same) = run(Noise::Some);
    assert!(some > quiet && !keys && same == member);
    let (loud, keys, same) = run(Noise::Loud);
    assert!(loud > quiet && keys && same == member);
}

/// SIM-02, SIM-28: a router that refuses, hangs and comes back.
#[test]
fn routers_go_and_come() {
    let mut lab = Lab::plain();
    let agent = lab.controller("My Agent", true);
    lab.ok(agent, "/smp smp://a2V5MQ==@smp1.example:5223");
    let host = lab.controller("Host", false);
    lab.ok(host, "/smp smp://a2V5Mg==@smp2.example:5224");
    let invitation = lab.ok(host, "/_connect 1");
    let short = invitation["connLinkInvitation"]["connShortLink"].as_str().expect("short").to_string();
    lab.ok(agent, &format!("/connect {short}"));
    lab.pass(2000);
    let group = lab.ok(host, r#"/_group 1 {"displayName":"Later","fullName":""}"#);
    assert_eq!(group["groupInfo"]["groupId"], 1);
    let link = lab.ok(host, "/_create link #1 member");
    let link = link["groupLink"]["connLinkContact"]["connShortLink"].as_str().expect("short").to_string();
    let place = || "smp2.example:5224".to_string();
    lab.take(host);
    lab.network.fault(Fault::RouterDown { host: place() });
    assert_eq!(
        lab.take(host).iter().map(|e| e["result"]["type"].clone()).collect::<Vec<_>>(),
        ["hostDisconnected", "subscriptionStatus"]
    );
    assert_eq!(
        lab.err_tag(agent, &format!("/_connect plan 1 {link}")),
        "errorAgent/BROKER/NETWORK/connectError"
    );
    lab.ok(agent, "/network socks=off smp-proxy=always smp-proxy-fallback=protected");
    let refused = lab.err(agent, &format!("/_connect plan 1 {link}"));
    assert_eq!(lab::tag(&refused), "errorAgent/SMP/PROXY/BROKER/NETWORK/failedError");
    assert_eq!(
        refused["agentError"]["serverAddress"], "smp://a2V5MQ==@smp1.example:5223",
        "the proxy is named"
    );
    assert_eq!(lab.err_tag(host, "/_connect 1"), "errorAgent/BROKER/NETWORK/connectError");
    lab.ok(agent, r#"/_send @4 json [{"msgContent":{"type":"text","text":"while down"},"mentions":{}}]"#);
    lab.pass(60_000);
    assert!(lab.take(host).is_empty());
    lab.network.fault(Fault::RouterUp { host: place() });
    lab.pass(2000);
    assert_eq!(lab.tags(host), ["items(rcvMsgContent)"]);
    lab.network.fault(Fault::RouterSilent { host: place() });
    let before = lab.now.mono;
    assert_eq!(lab.err_tag(agent, &format!("/_connect plan 1 {link}")), "errorAgent/BROKER/TIMEOUT");
    assert_eq!(lab.now.mono, before + Millis::secs(15), "through the proxy");
    lab.ok(agent, "/network socks=off smp-proxy=never");
    let before = lab.now.mono;
    assert_eq!(lab.err_tag(agent, &format!("/_connect plan 1 {link}")), "errorAgent/BROKER/TIMEOUT");
    assert_eq!(lab.now.mono, before + Millis::secs(10));
    lab.network.fault(Fault::Clear);
    lab.ok(agent, &format!("/_connect plan 1 {link}"));
}

/// Any bytes are a command line: none breaks the network.
#[test]
fn no_line_breaks_the_network() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    lab.ok(agent, r#"/_group 1 {"displayName":"G","fullName":""}"#);
    let words = [
        "/_send",
        "/_get chat",
        "#1",
        "@4",
        "#",
        "@",
        ":1",
        "*1",
        "json",
        "text",
        "[{}]",
        "{}",
        "\u{a0}",
        "à",
        "count=",
        "after=9",
        "99999999999999999999",
        "-1",
        "/_connect",
        "plan",
        "1",
        "simplex:/a#",
        "https://x/i#a/b",
        "incognito=on",
        "owner",
        "=",
        "\u{0}",
        "\n",
        "'",
        "(_support",
        "(_support:1)",
        "/_update item",
        "/_delete",
        "/sql",
        "chat",
        "agent",
    ];
    let mut seed = 12_345u64;
    for _ in 0..4_000 {
        let mut line = String::new();
        for _ in 0..(seed % 7 + 1) {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            line.push_str(words[usize::try_from(seed >> 33).expect("fits") % words.len()]);
            if !seed.is_multiple_of(3) {
                line.push(' ');
            }
        }
        let answer = lab.ask(agent, &line);
        assert!(answer.get("result").is_some() || answer.get("error").is_some(), "{line}");
    }
}
