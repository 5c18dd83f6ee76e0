//! Service RPC of 7.1: calls of an address, and who answers them.

#[path = "support/lab.rs"]
mod lab;

use lab::Lab;
use serde_json::{Value, json};
use simplex_agent_core::Millis;
use simplex_agent_core::rpc::key::SecretKey;
use simplex_sim::{Act, Handle, Network, Scenario};

fn lab() -> (Lab, Handle) {
    let text = r#"{"options":{"version":"7.1"},"peers":[
        {"name":"Weather","address":{"publish":"weather"},"service":{"delay":400,"rules":[
            {"to":"secret","signed":true,"answer":{"secret":7}},
            {"to":"secret","reject":"sign it"},
            {"to":"LONDON","answer":{"sky":"grey"}},
            {"to":"list","answer":[1,2]},
            {"to":"slow"}]}},
        {"name":"Plain","address":{"publish":"plain"},"oneTime":"once",
         "channels":[{"publish":"news","name":"News"}]}]}"#;
    let mut lab = Lab::new(Network::from_scenario(7, &Scenario::parse(text).expect("a scenario")));
    let agent = lab.controller("My Agent", true);
    (lab, agent)
}

/// ` sign_key=` with the key of these bytes, and its public key.
fn signed_by(byte: u8) -> (String, String) {
    let key = SecretKey::from_bytes(&[byte; 32]);
    (format!(" sign_key={}", key.sign_key().expose()), key.public().to_text())
}

fn call(lab: &mut Lab, agent: Handle, name: &str, rest: &str) -> Value {
    let link = lab.network.link(name).expect("published");
    lab.ask(agent, &format!("/_service_request 1 {link}{rest}"))
}

/// SIM-35: a scripted service answers, refuses, answers nonsense, and stays silent.
#[test]
fn a_scripted_service_answers_calls() {
    let (mut lab, agent) = lab();
    let before = lab.now.mono;
    let answer = call(&mut lab, agent, "weather", r#" {"city":"London"}"#)["result"].clone();
    assert_eq!(
        (&answer["type"], &answer["responseData"]),
        (&json!("serviceResponse"), &json!({"sky": "grey"}))
    );
    assert!(answer["user"].is_object());
    assert!(lab.now.mono.since(before) < Millis::secs(2), "it waits no longer than the answer takes");
    let full = lab.network.full_link(&lab.network.link("weather").expect("published")).expect("known");
    lab.ok(agent, &format!(r#"/_service_request 1 {full} timeout=9 {{"city":"london"}}"#));
    let refused = call(&mut lab, agent, "weather", r#" {"secret":true}"#)["error"].clone();
    assert_eq!(lab::tag(&refused), "errorAgent/AGENT/A_SERVICE/rejected");
    assert_eq!(refused["agentError"]["agentErr"]["serviceError"]["rejectReason"], "sign it");
    let rest = format!(r#" timeout=9{} {{"secret":true}}"#, signed_by(1).0);
    let signed = call(&mut lab, agent, "weather", &rest);
    assert_eq!(signed["result"]["responseData"], json!({"secret": 7}));
    let nonsense = call(&mut lab, agent, "weather", r#" {"a":"list"}"#)["error"].clone();
    assert_eq!(nonsense["errorType"], json!({"type": "commandError", "message": "invalid service response"}));
    for rest in [r#" timeout=2.5 {"a":"slow"}"#, r#" timeout=2.5 {"a":"no rule"}"#] {
        let before = lab.now.mono;
        let silent = call(&mut lab, agent, "weather", rest)["error"].clone();
        assert_eq!(lab::tag(&silent), "errorAgent/AGENT/A_SERVICE/timeout");
        assert_eq!(lab.now.mono.since(before), Millis(2500));
    }
    assert_eq!(lab.tags(agent), Vec::<String>::new(), "calls make no events at the caller");
}

/// SIM-35: what cannot be called, and how: addresses without keys, other links, junk, deleted addresses.
#[test]
fn what_is_no_service_is_refused() {
    let (mut lab, agent) = lab();
    let no_keys = call(&mut lab, agent, "plain", " {}")["error"].clone();
    assert_eq!(lab::tag(&no_keys), "errorAgent/AGENT/A_SERVICE/notDRAddress");
    for name in ["once", "news"] {
        let error = call(&mut lab, agent, name, " {}")["error"].clone();
        assert_eq!(error["errorType"]["message"], "service request target must be a contact", "{name}");
    }
    let (key, public) = signed_by(1);
    let (before, public) = (format!("{key} timeout=1 {{}}"), format!(" sign_key={public} {{}}"));
    for rest in
        [" [1]", " text", "", " timeout=x {}", " timeout=1 timeout=1 {}", " sign_key=k {}", &before, &public]
    {
        let error = call(&mut lab, agent, "weather", rest)["error"].clone();
        assert_eq!(lab::tag(&error), "error/commandError", "{rest}");
    }
    assert_eq!(lab.err_tag(agent, "/_service_request 1 junk {}"), "error/invalidConnReq");
    let link = lab.network.link("weather").expect("published");
    lab.network.name("@weather.simplex", &link);
    let named = lab.ok(agent, r#"/_service_request 1 @weather.simplex {"city":"London"}"#);
    assert_eq!(named["responseData"]["sky"], "grey");
    lab.act("Weather", Act::DeleteAddress);
    assert_eq!(lab.err_tag(agent, &format!("/_service_request 1 {link} {{}}")), "errorAgent/SMP/AUTH");
}

/// SIM-35: a controller as the service: keys, `serviceRequest`, answers for 180 seconds, once, `serviceReplySent`.
#[test]
fn a_controller_takes_calls() {
    let (mut lab, agent) = lab();
    let service = lab.open("service");
    lab.ok(service, r#"/_create user {"profile":{"displayName":"S","fullName":""},"pastTimestamp":false}"#);
    lab.ok(service, "/_start main=on service_requests=on");
    let made = lab.ok(service, "/_address 1");
    let link = made["connLinkContact"]["connShortLink"].as_str().expect("short").to_string();
    let ask = |rest: &str| format!("/_service_request 1 {link}{rest}");
    let equal = r#"/_address_settings 1 pq_ratchet=on {"businessAddress":false}"#;
    lab.ok(service, equal);
    assert_eq!(
        lab.err_tag(agent, &ask(" {}")),
        "errorAgent/AGENT/A_SERVICE/notDRAddress",
        "equal settings add none"
    );
    lab.ok(service, "/_short_link_address 1 pq_ratchet=on");

    let (key, public) = signed_by(1);
    let ticket = lab.send(agent, &ask(&format!(r#"{key} {{"n":1}}"#)));
    lab.pass(1000);
    let event =
        lab.take(service).into_iter().find(|e| e["result"]["type"] == "serviceRequest").expect("said");
    assert_eq!(event["result"]["requestData"], json!({"n": 1}));
    assert_eq!(event["result"]["signerKey"], public);
    let id = event["result"]["requestId"].as_str().expect("an id").to_string();
    assert_eq!(lab.err_tag(service, &format!("/_service_response 1 {id} 5")), "error/commandError");
    let accepted = lab.ok(service, &format!(r#"/_service_response 1 {id} {{"m":2}}"#));
    assert_eq!(accepted["type"], "serviceReplyAccepted");
    lab.pass(1000);
    let sent = lab.take(service);
    assert_eq!(sent[0]["result"]["type"], "serviceReplySent");
    assert_eq!(sent[0]["result"]["connectionId"], accepted["connectionId"]);
    let answer = lab.answers.iter().find(|(t, _)| *t == ticket).expect("answered").1.clone();
    assert_eq!(answer["result"]["responseData"], json!({"m": 2}));
    let late = format!("/_service_response 1 {id} {{}}");
    assert_eq!(lab.err_tag(service, &late), "errorAgent/AGENT/A_SERVICE/noPendingRequest", "once");

    for (wait, taken) in [(100_000, true), (180_000, false)] {
        assert_eq!(lab.err_tag(agent, &ask(" timeout=1 {}")), "errorAgent/AGENT/A_SERVICE/timeout");
        let event = lab.take(service).pop().expect("said");
        assert!(event["result"].get("signerKey").is_none());
        lab.pass(wait);
        let id = event["result"]["requestId"].as_str().expect("an id").to_string();
        let answer = lab.ask(service, &format!("/_service_response 1 {id} {{}}"));
        assert_eq!(answer.get("result").is_some(), taken, "after {wait} ms: {answer}");
        lab.take(service);
    }
    let count = lab.answers.len();
    lab.pass(60_000);
    assert_eq!(lab.answers.len(), count, "an answer that comes too late is nobody's");
}

/// SIM-35: a service that was started without `service_requests=on`, or is away, leaves the caller waiting.
#[test]
fn calls_of_a_service_that_does_not_listen_time_out() {
    let (mut lab, agent) = lab();
    let link = lab.network.link("weather").expect("published");
    let ask = format!(r#"/_service_request 1 {link} timeout=3 {{"city":"London"}}"#);
    lab.act("Weather", Act::GoOffline);
    assert_eq!(lab.err_tag(agent, &ask), "errorAgent/AGENT/A_SERVICE/timeout");
    lab.act("Weather", Act::GoOnline);
    assert_eq!(lab.err_tag(agent, &ask), "errorAgent/AGENT/A_SERVICE/timeout", "without service_requests=on");
    lab.act("Weather", Act::GoOffline);
    lab.act("Weather", Act::Command("/_start main=on service_requests=on".into()));
    lab.ok(agent, &ask);
    lab.network.close(agent);
    let again = lab.open("My Agent");
    lab.ok(again, "/_start");
    let ticket = lab.send(again, &ask);
    lab.network.close(again);
    lab.pass(10_000);
    assert!(!lab.answers.iter().any(|(t, _)| *t == ticket), "a closed process gets no answer");
}

/// SIM-36: `signerKey` is who signed, in this session: a call that is copied into another session, to the same address or
/// another, is no call, and the thief cannot even be told apart from somebody who never called.
#[test]
fn a_copied_signature_is_good_for_nothing() {
    let (mut lab, agent) = lab();
    let mut links = Vec::new();
    let mut services = Vec::new();
    for name in ["a", "b"] {
        let service = lab.open(name);
        let user = format!(r#"{{"profile":{{"displayName":"{name}","fullName":""}},"pastTimestamp":false}}"#);
        lab.ok(service, &format!("/_create user {user}"));
        lab.ok(service, "/_start main=on service_requests=on");
        let made = lab.ok(service, "/_address 1");
        lab.ok(service, "/_short_link_address 1 pq_ratchet=on");
        links.push(made["connLinkContact"]["connShortLink"].as_str().expect("short").to_string());
        services.push(service);
    }
    let requests = |lab: &mut Lab, service| -> Vec<Value> {
        let events = lab.take(service).into_iter();
        events.filter(|event| lab::brief(event) != "connectionsDiff").collect()
    };
    assert!(!lab.network.copy_signed_call(lab.now, services[0], &links[1]), "nobody called yet");
    let (key, public) = signed_by(1);
    lab.send(agent, &format!(r#"/_service_request 1 {}{key} {{"buy":"anvil"}}"#, links[0]));
    lab.pass(1000);
    let events = requests(&mut lab, services[0]);
    assert_eq!(events[0]["result"]["signerKey"], public);
    for (thief, link, service) in [
        (services[0], &links[1], services[1]),
        (services[1], &links[0], services[0]),
        (agent, &links[0], services[0]),
    ] {
        assert!(lab.network.copy_signed_call(lab.now, thief, link));
        lab.pass(1000);
        let events: Vec<String> = requests(&mut lab, service).iter().map(lab::brief).collect();
        assert_eq!(events, ["ERR errorAgent/AGENT/A_SERVICE/badSignature"]);
    }
    assert!(!lab.network.copy_signed_call(lab.now, agent, "nowhere"));
    let text = lab.network.snapshot();
    lab.network = Network::restore(&text).expect("a network");
    lab.send(agent, &format!(r#"/_service_request 1 {}{} {{"buy":"anvil"}}"#, links[1], signed_by(2).0));
    lab.pass(1000);
    assert_eq!(requests(&mut lab, services[1])[0]["result"]["signerKey"], signed_by(2).1);
}
