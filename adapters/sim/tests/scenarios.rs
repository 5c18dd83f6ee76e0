//! Scenario files, and the people of the demo.

#[path = "support/lab.rs"]
mod lab;

use lab::Lab;
use simplex_sim::{Network, Scenario};

/// SIM-32: errors of a scenario file name the place.
#[test]
fn errors_name_the_place() {
    for (text, place) in [
        ("{", "line 1"),
        (r#"{"peers":[{"name":"A","nosuch":1}]}"#, "nosuch"),
        ("{\n\"peers\":[{\"name\":1}]}", "line 2"),
        (r#"{"peers":[{"name":"A"},{"name":"A"}]}"#, "peers[1].name"),
        (r#"{"peers":[{"name":"a@b"}]}"#, "peers[0].name"),
        (r#"{"peers":[{"name":"A","profile":[]}]}"#, "peers[0].profile"),
        (r#"{"peers":[{"name":"A","service":{}}]}"#, "peers[0].service"),
        (r#"{"peers":[{"name":"A","owner":{"otherwise":"perhaps"}}]}"#, "perhaps"),
    ] {
        let error = Scenario::parse(text).expect_err(text);
        assert!(error.contains(place), "{text}: {error}");
    }
    let demo = Scenario::demo();
    assert_eq!(Scenario::parse(&serde_json::to_string(&demo).expect("JSON")), Ok(demo));
}

/// SIM-32: what the demo scenario publishes.
#[test]
fn the_demo_publishes_its_links() {
    let network = Network::from_scenario(1, &Scenario::demo());
    for name in ["directory", "shop", "business", "channel", "group", "one-time", "never"] {
        assert!(network.link(name).is_some_and(|l| l.starts_with("https://")), "{name}");
    }
    assert!(network.peers().contains(&"Alice".to_string()));
    assert_eq!(network.next_wakeup(), None, "nothing waits before somebody acts");
}

/// SIM-32: an owner that joins by the link and approves by rule.
#[test]
fn an_owner_decides_by_rules() {
    let text = r#"{"peers":[{"name":"Alice","owner":{"joins":"control","joinDelay":1000,"delay":300,
        "rules":[{"card":"casino","then":"reject"},{"card":"shoes","then":"approve","times":1}],"otherwise":"ask"}}]}"#;
    let mut lab = Lab::new(Network::from_scenario(1, &Scenario::parse(text).expect("a scenario")));
    let agent = lab.controller("My Agent", true);
    lab.ok(agent, r#"/_group 1 {"displayName":"My Agent","fullName":""}"#);
    lab.ok(agent, "/_create link #1 member");
    lab.pass(900);
    assert!(lab.network.view("Alice").iter().all(|c| c.chat_ref.starts_with('@')), "not before the delay");
    lab.pass(4000);
    lab.ok(agent, "/_member role #1 2 owner");
    lab.pass(1000);
    let mut decided = |words: &str, n: u32| {
        lab.take(agent);
        let card = serde_json::json!(format!("{words}\n/'approve {n}' or /'reject {n}'"));
        lab.ok(
            agent,
            &format!(r#"/_send #1 json [{{"msgContent":{{"type":"text","text":{card}}},"mentions":{{}}}}]"#),
        );
        lab.pass(2000);
        let said = lab.take(agent).into_iter().find(|e| e["result"]["type"] == "newChatItems");
        said.and_then(|e| {
            e["result"]["chatItems"][0]["chatItem"]["meta"]["itemText"].as_str().map(String::from)
        })
    };
    assert_eq!(decided("A casino", 1).as_deref(), Some("/reject 1"));
    assert_eq!(decided("Some SHOES", 2).as_deref(), Some("/approve 2"));
    assert_eq!(decided("Some shoes", 3), None, "that rule decides once");
    assert_eq!(decided("Something", 4), None);
}

/// SIM-32: the shop's menu and answers, and the directory's groups and errors.
#[test]
fn bots_answer() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    for (id, name, asked, answer) in [
        (4, "shop", "/search shoes", "1 - Trail shoes, $142"),
        (5, "directory", "nothing at all", "No groups found"),
    ] {
        let link = lab.network.link(name).expect("published");
        lab.ok(agent, &format!("/connect {link}"));
        lab.pass(3000);
        lab.take(agent);
        lab.ok(agent, &format!("/_send @{id} text {asked}"));
        lab.pass(2000);
        let first =
            lab.take(agent).into_iter().find(|e| e["result"]["type"] == "newChatItems").expect("an answer");
        let item = &first["result"]["chatItems"][0]["chatItem"];
        assert_eq!(
            (item["meta"]["itemText"].as_str(), item["quotedItem"]["content"]["text"].as_str()),
            (Some(answer), Some(asked))
        );
    }
    let shop = lab.ok(agent, "/_get chat @4 count=1")["chat"]["chatInfo"]["contact"]["profile"].clone();
    assert_eq!(
        (&shop["peerType"], &shop["preferences"]["commands"][2]["type"]),
        (&"bot".into(), &"menu".into())
    );
}

/// SIM-21, SIM-32: a peer that is the preset contact: its address plans as the card, which connects by its number.
#[test]
fn a_peer_may_be_the_preset_contact() {
    let text = r#"{"peers":[{"name":"Desk","address":{"publish":"team","autoAccept":true,"autoReply":"Hi","preset":true}}]}"#;
    let mut lab = Lab::new(Network::from_scenario(1, &Scenario::parse(text).expect("a scenario")));
    let agent = lab.controller("My Agent", true);
    let link = lab.network.link("team").expect("published");
    let plan =
        lab.ok(agent, &format!("/_connect plan 1 {link}"))["connectionPlan"]["contactAddressPlan"].clone();
    assert_eq!((&plan["type"], &plan["contact"]["contactId"]), (&"contactViaAddress".into(), &3.into()));
    assert_eq!(lab.ok(agent, "/_connect contact 1 3")["type"], "sentInvitationToContact");
    let tags = lab.settle(agent);
    assert_eq!(tags[..3], ["contactUpdated", "items(rcvMsgContent)", "contactConnected"]);
    let shown = lab.ok(agent, "/_get chat @3 count=1")["chat"]["chatInfo"]["contact"].clone();
    assert_eq!(shown["localDisplayName"], "Desk");
    assert_eq!(
        lab.err(agent, "/_connect contact 1 3")["errorType"]["message"],
        "no address in contact profile"
    );
}
