//! Plans and connections: addresses, one-time links, cards, names, incognito.

#[path = "support/lab.rs"]
mod lab;

use lab::Lab;
use serde_json::{Value, json};
use simplex_sim::{Act, Handle};

const SAY: &str = r#"json [{"msgContent":{"type":"text","text":"x"},"mentions":{}}]"#;

fn links(lab: &Lab, name: &str) -> (String, String) {
    let short = lab.network.link(name).expect("published");
    (lab.network.full_link(&short).expect("known"), short)
}

fn plan(lab: &mut Lab, handle: Handle, link: &str) -> String {
    let plan = lab.ok(handle, &format!("/_connect plan 1 {link}"))["connectionPlan"].clone();
    let inner =
        plan.as_object().and_then(|m| m.values().find(|v| v.is_object()).cloned()).unwrap_or(Value::Null);
    format!("{}/{}", plan["type"].as_str().unwrap_or_default(), inner["type"].as_str().unwrap_or_default())
}

/// SIM-21: an address by both forms, before, while and after connecting; deletion by either side.
#[test]
fn plans_of_an_address() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let (full, short) = links(&lab, "shop");
    let fresh = lab.ok(agent, &format!("/_connect plan 1 {short}"));
    let data = &fresh["connectionPlan"]["contactAddressPlan"]["contactSLinkData_"];
    assert_eq!(
        (&data["message"]["text"], &data["business"]),
        (&json!("Welcome to the shop.\nSend /help"), &json!(false))
    );
    assert_eq!(data["profile"]["preferences"]["files"]["allow"], "no");
    assert!(
        lab.ok(agent, &format!("/_connect plan 1 {full}"))["connectionPlan"]["contactAddressPlan"]
            .get("contactSLinkData_")
            .is_none()
    );
    let sent = lab.ok(agent, &format!("/_connect 1 {full} {short}"));
    assert_eq!(sent["connection"]["pccConnStatus"]["type"], "joined");
    assert_eq!(plan(&mut lab, agent, &short), "contactAddress/connectingConfirmReconnect");
    let pending = lab.ok(agent, "/_get chats 1 pcc=on");
    assert_eq!(
        pending["chats"][0]["chatInfo"]["contactConnection"]["pccConnId"],
        sent["connection"]["pccConnId"]
    );
    lab.pass(2000);
    let events = lab.take(agent);
    let connecting = &events.iter().find(|e| e["result"]["type"] == "contactConnecting").expect("said")["result"]
        ["contact"];
    assert_eq!(
        (&connecting["activeConn"]["connId"], &connecting["activeConn"]["connStatus"]["type"]),
        (&json!(1), &json!("requested"))
    );
    let tags: Vec<String> = events
        .iter()
        .map(lab::brief)
        .filter(|t| t.contains("items(rcvMsg") || t == "contactConnected")
        .collect();
    assert_eq!(tags, ["items(rcvMsgContent)", "contactConnected"], "the welcome comes first");
    for link in [&short, &full] {
        assert_eq!(plan(&mut lab, agent, link), "contactAddress/known");
    }
    assert_eq!(lab.ok(agent, &format!("/_connect 1 {full} {short}"))["type"], "contactAlreadyExists");
    assert_eq!(lab.ok(agent, &format!("/connect {short}"))["type"], "connectionPlan");
    lab.act("Shop Bot", Act::DeleteContact { chat: "My Agent".into() });
    lab.pass(1000);
    assert_eq!(
        lab.tags(agent),
        ["items(contactDeleted)", "contactDeletedByContact", "ERR errorAgent/CONN/NOT_FOUND"]
    );
    assert_eq!(lab.err_tag(agent, &format!("/_send @4 {SAY}")), "error/contactNotReady");
    assert_eq!(plan(&mut lab, agent, &short), "contactAddress/ok");
    lab.ok(agent, &format!("/connect {short}"));
    lab.pass(2000);
    assert_eq!(
        lab.ok(agent, "/_get chat @5 count=1")["chat"]["chatInfo"]["contact"]["localDisplayName"],
        "Shop Bot_1"
    );
    lab.act("Shop Bot", Act::DeleteAddress);
    lab.ok(agent, "/_delete @5 full notify=on");
    assert_eq!(lab.err_tag(agent, &format!("/_connect plan 1 {short}")), "errorAgent/SMP/AUTH");
    assert_eq!(plan(&mut lab, agent, &full), "contactAddress/ok", "a full link is not looked up");
    assert_eq!(lab.err_tag(agent, &format!("/_connect 1 {full}")), "errorAgent/SMP/AUTH");
}

/// FINDINGS.md 2: an address whose owner is asked; SIM-32: one who never accepts.
#[test]
fn a_request_waits_for_its_person() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let (full, short) = links(&lab, "never");
    lab.ok(agent, &format!("/_connect 1 {full} {short}"));
    lab.ok(agent, &format!("/_connect 1 {full} {short}"));
    lab.pass(3_600_000);
    lab.take(agent);
    assert_eq!(plan(&mut lab, agent, &short), "contactAddress/connectingConfirmReconnect");
    lab.act("Nora", Act::Reject { name: "My Agent".into() });
    assert_eq!(lab.settle(agent), Vec::<String>::new(), "a rejection is not told");
    lab.ok(agent, &format!("/_connect 1 {full} {short}"));
    lab.pass(1000);
    lab.act("Nora", Act::Accept { name: "My Agent".into() });
    let tags = lab.settle(agent);
    assert_eq!(
        tags,
        [
            "contactConnecting",
            "contactConnected",
            "items(chatBanner)",
            "items(rcvDirectE2EEInfo)",
            "items(rcvChatFeature)"
        ]
    );
    let chats = lab.ok(agent, "/_get chats 1 pcc=on")["chats"].clone();
    let pending =
        chats.as_array().into_iter().flatten().filter(|c| c["chatInfo"]["type"] == "contactConnection");
    assert_eq!(pending.count(), 2, "the earlier ones stay for ever");
    lab.ok(agent, &format!("/_connect plan 1 {short}"));
    lab.ok(agent, "/_delete :1 full notify=on");
    assert_eq!(lab.err_tag(agent, "/_delete :1 full notify=on"), "errorStore/pendingConnectionNotFound");
    lab.ok(agent, "/_delete @4 full");
    lab.ok(agent, "/_delete :2");
    lab.pass(1000);
    let sent = lab.ok(agent, &format!("/_connect 1 {full}"));
    lab.pass(1000);
    lab.ok(agent, &format!("/_delete :{}", sent["connection"]["pccConnId"]));
    let gone = lab.network.act(lab.now, "Nora", Act::Accept { name: "My Agent".into() });
    assert!(gone.as_ref().is_err_and(|e| e.contains("AUTH")), "{gone:?}");
}

/// SIM-22: prepared chats connect once, keep their incognito setting, and stay after a failure.
#[test]
fn prepared_contacts() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let (full, short) = links(&lab, "shop");
    let data = lab.ok(agent, &format!("/_connect plan 1 {short}"))["connectionPlan"]["contactAddressPlan"]["contactSLinkData_"].clone();
    let prepared = lab.ok(agent, &format!("/_prepare contact 1 {full} {short} {data}"));
    let chat = &prepared["chat"];
    assert_eq!(
        (&chat["chatStats"]["unreadCount"], &chat["chatItems"][0]["content"]["type"]),
        (&json!(1), &json!("rcvMsgContent"))
    );
    assert_eq!(
        lab.ok(agent, "/_get chat @4 count=20")["chat"]["chatItems"].as_array().map(Vec::len),
        Some(8)
    );
    assert_eq!(plan(&mut lab, agent, &short), "contactAddress/known", "known, and not connected");
    assert_eq!(lab.err_tag(agent, &format!("/_send @4 {SAY}")), "error/contactNotReady");
    lab.ok(agent, &format!("/_prepare contact 1 {full} {short} {data}"));
    lab.take(agent);
    lab.ok(agent, "/_connect contact @4 text Hello, I look for shoes");
    let tags: Vec<String> = lab.settle(agent).into_iter().filter(|t| t != "items(rcvMsgContent)").collect();
    assert_eq!(
        tags,
        ["items(sndMsgContent)", "chatItemNotChanged", "contactConnected", "items(rcvDirectE2EEInfo)"]
    );
    assert_eq!(lab.ok(agent, "/_connect contact @4 text again")["type"], "contactAlreadyExists");
    let newer = lab.ok(agent, &format!("/_connect plan 1 {short}"));
    assert_eq!(
        newer["connectionPlan"]["contactAddressPlan"]["contact"]["contactId"], 5,
        "the newer one is named"
    );
    lab.ok(agent, "/_delete @5 full notify=on");
    let older = lab.ok(agent, &format!("/_connect plan 1 {short}"));
    assert_eq!(older["connectionPlan"]["contactAddressPlan"]["contact"]["contactId"], 4);
    lab.ok(agent, "/_delete @4 full notify=on");
    lab.act("Shop Bot", Act::DeleteAddress);
    lab.ok(agent, &format!("/_prepare contact 1 {full} {short} {data}"));
    lab.take(agent);
    assert_eq!(lab.err_tag(agent, "/_connect contact @4 incognito=on text x"), "errorAgent/SMP/AUTH");
    assert_eq!(lab.tags(agent), ["chatInfoUpdated"]);
    assert_eq!(
        lab.err(agent, "/_connect contact @4 text x")["errorType"]["message"],
        "incognito mode is different from prepared connection"
    );
    assert_eq!(lab.err_tag(agent, "/_connect contact @4 incognito=on text x"), "errorAgent/SMP/AUTH");
    assert_eq!(plan(&mut lab, agent, &short), "contactAddress/known", "the dead link still plans as known");
    let shown = lab.ok(agent, "/_get chat @4 count=1");
    assert_eq!(shown["chat"]["chatInfo"]["contact"]["activeConn"]["connStatus"]["type"], "prepared");
}

/// SIM-20: planning claims a one-time link; a second connect of a used one destroys its contact for sending.
#[test]
fn one_time_links_are_claimed_and_break() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let third = lab.controller("Third", false);
    let (full, short) = links(&lab, "one-time");
    assert_eq!(plan(&mut lab, third, &full), "invitationLink/ok", "by the full link nothing is claimed");
    assert_eq!(plan(&mut lab, agent, &short), "invitationLink/ok");
    assert_eq!(plan(&mut lab, agent, &short), "invitationLink/ok", "the planner may plan again");
    assert_eq!(lab.err_tag(third, &format!("/_connect plan 1 {short}")), "errorAgent/SMP/AUTH");
    assert_eq!(lab.err_tag(third, &format!("/_connect 1 {full}")), "errorAgent/SMP/AUTH");
    let sent = lab.ok(agent, &format!("/_connect 1 {full} {short}"));
    assert_eq!(
        (&sent["type"], &sent["connection"]["pccConnStatus"]["type"]),
        (&json!("sentConfirmation"), &json!("sndReady"))
    );
    assert_eq!(plan(&mut lab, agent, &short), "invitationLink/connecting");
    assert_eq!(
        lab.err_tag(agent, &format!("/_connect 1 {full}")),
        "error/commandError",
        "safe while it is pending"
    );
    let tags = lab.settle(agent);
    assert_eq!(
        tags,
        [
            "contactConnecting",
            "contactConnected",
            "items(chatBanner)",
            "items(rcvDirectE2EEInfo)",
            "items(rcvChatFeature)"
        ]
    );
    assert_eq!(
        lab.err_tag(agent, &format!("/_connect plan 1 {short}")),
        "errorAgent/SMP/AUTH",
        "used is not known"
    );
    assert_eq!(plan(&mut lab, agent, &full), "invitationLink/ok");
    assert_eq!(lab.err_tag(agent, &format!("/connect {short}")), "errorAgent/SMP/AUTH");
    lab.ok(agent, &format!("/_send @4 {SAY}"));
    assert_eq!(lab.err_tag(agent, &format!("/_connect 1 {full}")), "errorAgent/SMP/AUTH");
    let broken = lab.err(agent, &format!("/_send @4 {SAY}"));
    assert_eq!(lab::tag(&broken), "errorAgent/CONN/SIMPLEX");
    assert_eq!(broken["agentError"]["errContext"], "sendMessagesB_ CRcv");
    lab.take(agent);
    lab.act("Hugh", Act::Say { chat: "My Agent".into(), text: "still here".into() });
    lab.pass(1000);
    let chat = lab.chat("Hugh", "My Agent");
    assert!(chat.messages.iter().any(|m| m.text == "still here"));
    let texts: Vec<Value> = lab
        .take(agent)
        .iter()
        .map(|e| e["result"]["chatItems"][0]["chatItem"]["meta"]["itemText"].clone())
        .collect();
    assert!(texts.contains(&json!("still here")), "receiving still works: {texts:?}");
}

/// FINDINGS.md 3: the own one-time link, deleted ones, owners that are away.
#[test]
fn one_time_links_of_others() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let made = lab.ok(agent, "/_connect 1");
    let link = made["connLinkInvitation"]["connShortLink"].as_str().expect("short").to_string();
    assert_eq!(plan(&mut lab, agent, &link), "invitationLink/ownLink");
    lab.ok(agent, &format!("/connect {link}"));
    lab.pass(2000);
    let names: Vec<Value> = lab.ok(agent, "/_contacts 1")["contacts"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|c| c["localDisplayName"].clone())
        .collect();
    assert!(names.contains(&json!("My Agent_1")) && names.contains(&json!("My Agent_2")), "{names:?}");
    lab.act("Hugh", Act::CreateOneTimeLink { name: "second".into() });
    let (full, _) = links(&lab, "second");
    lab.act("Hugh", Act::GoOffline);
    lab.take(agent);
    lab.ok(agent, &format!("/_connect 1 {full}"));
    assert_eq!(lab.settle(agent), Vec::<String>::new());
    lab.act("Hugh", Act::GoOnline);
    assert_eq!(lab.settle(agent)[..2], ["contactConnecting", "contactConnected"]);
    lab.act("Hugh", Act::CreateOneTimeLink { name: "third".into() });
    let (full, short) = links(&lab, "third");
    let data = lab.ok(agent, &format!("/_connect plan 1 {short}"))["connectionPlan"]["invitationLinkPlan"]["contactSLinkData_"].clone();
    lab.ok(agent, &format!("/_prepare contact 1 {full} {short} {data}"));
    let contact =
        lab.ok(agent, "/_get chats 1 count=1")["chats"][0]["chatInfo"]["contact"]["contactId"].clone();
    lab.ok(agent, &format!("/_connect contact @{contact} text with a message"));
    lab.pass(2000);
    assert_eq!(plan(&mut lab, agent, &short), "invitationLink/known", "prepared ones are known");
}

/// SIM-26: a random profile without peer type, in the answer, the event and at the peer.
#[test]
fn incognito_shows_a_random_profile() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let (full, short) = links(&lab, "shop");
    let sent = lab.ok(agent, &format!("/_connect 1 incognito=on {full} {short}"));
    let profile = sent["customUserProfile"].clone();
    assert!(profile.get("peerType").is_none());
    assert!(sent["connection"]["customUserProfileId"].is_number());
    lab.pass(2000);
    let connected =
        lab.take(agent).into_iter().find(|e| e["result"]["type"] == "contactConnected").expect("connected");
    assert_eq!(connected["result"]["userCustomProfile"], profile);
    lab.pass(1000);
    let name = profile["displayName"].as_str().expect("a name");
    assert!(lab.network.view("Shop Bot").iter().any(|c| c.name == name && c.connected));
    assert_eq!(plan(&mut lab, agent, &short), "contactAddress/known");
    let (full, _) = links(&lab, "group");
    lab.ok(agent, &format!("/_connect 1 incognito=on {full}"));
    lab.pass(3000);
    let own = lab.ok(agent, "/_groups 1")["groups"][0]["membership"].clone();
    assert_ne!(own["memberProfile"]["profileId"], own["memberContactProfileId"]);
    assert_eq!(own["localDisplayName"], own["memberProfile"]["displayName"]);
}

/// SIM-21: presets, names and other texts.
#[test]
fn cards_names_and_junk() {
    let mut lab = Lab::demo();
    let agent = lab.controller("My Agent", true);
    let preset = lab.ok(agent, "/_get chats 1 pcc=on")["chats"].clone();
    let cards: Vec<&Value> =
        preset.as_array().into_iter().flatten().map(|c| &c["chatInfo"]["contact"]["contactId"]).collect();
    assert_eq!(cards, [&json!(2), &json!(3), &Value::Null], "two presets and the note folder");
    let address =
        preset[1]["chatInfo"]["contact"]["profile"]["contactLink"].as_str().expect("an address").to_string();
    assert_eq!(plan(&mut lab, agent, &address), "contactAddress/contactViaAddress");
    assert_eq!(lab.err_tag(agent, &format!("/_send @3 {SAY}")), "error/contactNotReady");
    let (_, short) = links(&lab, "shop");
    lab.ok(agent, &format!("/sql chat UPDATE contact_profiles SET contact_link=CAST('{short}' AS BLOB) WHERE display_name='Ask SimpleX Team'"));
    assert_eq!(plan(&mut lab, agent, &short), "contactAddress/contactViaAddress");
    assert_eq!(lab.ok(agent, "/_connect contact 1 3")["type"], "sentInvitationToContact");
    assert_eq!(lab.settle(agent)[..3], ["contactUpdated", "items(rcvMsgContent)", "contactConnected"]);
    assert_eq!(lab.err_tag(agent, "/_connect contact 1 3"), "error/commandError");
    for junk in [
        "hello",
        "@",
        "#",
        "@x",
        "name",
        "a.b",
        "x.simplex",
        "x.com",
        "mailto:x@y.z",
        "@-x.simplex",
        "https://x.example/a#short",
    ] {
        assert_eq!(lab.err_tag(agent, &format!("/_connect plan 1 {junk}")), "error/invalidConnReq", "{junk}");
    }
    for name in
        ["@x.simplex", "#x.simplex", "#x", "#9", "@x.com", "@x.y.simplex", "@X.Simplex", "simplex:/name#x"]
    {
        assert_eq!(
            lab.err_tag(agent, &format!("/_connect plan 1 {name}")),
            "errorAgent/SMP/NAME/NO_RESOLVER",
            "{name}"
        );
    }
    assert_eq!(lab.err_tag(agent, "/_connect 1 @x.simplex"), "error/invalidConnReq");
    assert_eq!(lab.err_tag(agent, "/connect @x.simplex"), "errorAgent/SMP/NAME/NO_RESOLVER");
    lab.network.name("@shoes.simplex", &short);
    lab.ok(agent, "/_connect plan 1 @shoes.simplex");
    let key = "A".repeat(43);
    assert_eq!(
        lab.err_tag(agent, &format!("/_connect plan 1 https://smp1.example/a#{key}")),
        "errorAgent/SMP/AUTH"
    );
    assert_eq!(
        lab.err_tag(agent, &format!("/_connect plan 1 https://nowhere.example/a#{key}")),
        "errorAgent/BROKER/NETWORK/connectError"
    );
}
