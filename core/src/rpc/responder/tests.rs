use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{
    ANSWERED_BY, AT_WORK, AT_WORK_OF_SIGNER, AT_WORK_UNSIGNED, Asked, Decision, Host, Overdue, Owner,
    RECORDED_FOR, RECORDS_OF_OWNER, Responder, Served, Verdict, Versions, WorkId,
};
use crate::chat::floods::{CALLS_PER_MINUTE, Floods};
use crate::rpc::MAX_JSON;
use crate::rpc::envelope::{Answer, Code, RpcError};
use crate::rpc::key::{PublicKey, SecretKey};
use crate::simplex::model::{Raw, ServiceRequest, ServiceRequestId};
use crate::time::Millis;

/// A binding that takes `{"repeat":…}` as the name of the work and `{"talk":…}` for what needs a conversation.
#[derive(Default)]
struct Desk {
    /// What the rate says.
    rate: Option<u32>,
    counted: Vec<Owner>,
    judged: usize,
}

impl Host for Desk {
    fn may_run(&mut self, _: Millis, owner: &Owner) -> Result<(), u32> {
        self.counted.push(*owner);
        self.rate.map_or(Ok(()), Err)
    }

    fn judge(&mut self, asked: &Asked) -> Verdict {
        self.judged += 1;
        let members = asked.request.object().unwrap_or_default();
        if members.contains_key("talk") {
            return Verdict::conversation_required("connect");
        }
        Verdict::Work { repeat: members.get("repeat").and_then(|name| name.as_str()).map(String::from) }
    }
}

fn responder() -> Responder {
    let served = |protocol: &str, versions, overdue| Served { protocol: protocol.into(), versions, overdue };
    Responder::new(Vec::from([
        served("mcp", Versions::InMessages, Overdue::Internal),
        served("a2a", Versions::InMessages, Overdue::ConversationRequired),
        served("x", Versions::InEnvelope(Vec::from(["1".into(), "2".into()])), Overdue::Internal),
    ]))
}

fn key(byte: u8) -> PublicKey {
    SecretKey::from_bytes(&[byte; 32]).public()
}

fn fact(id: &str, signer: Option<PublicKey>, data: &str) -> ServiceRequest {
    ServiceRequest {
        id: ServiceRequestId::parse(id.into()).expect("an id"),
        signer_key: signer.map(PublicKey::to_text),
        data: Raw::parse(data).expect("JSON"),
    }
}

fn ask(protocol: &str, request: &str) -> String {
    format!(r#"{{"protocol":"{protocol}","request":{request}}}"#)
}

/// `ID CODE`, `ID RESPONSE`, `work N`, `give up N`.
fn shown(decisions: &[Decision]) -> Vec<String> {
    let show = |decision: &Decision| match decision {
        Decision::Respond { request, response } => match Answer::read(response.as_str()).expect("valid") {
            Answer::Response(response) => format!("{request} {response}"),
            Answer::Error(error) => match error.retry_after {
                Some(seconds) => format!("{request} {} {seconds}", error.code),
                None => format!("{request} {}", error.code),
            },
        },
        Decision::Work { work, .. } => format!("work {}", work.0),
        Decision::GiveUp { work } => format!("give up {}", work.0),
    };
    decisions.iter().map(show).collect()
}

fn message(decision: &Decision) -> String {
    let Decision::Respond { response, .. } = decision else { panic!("{decision:?}") };
    let Ok(Answer::Error(error)) = Answer::read(response.as_str()) else { panic!("{response}") };
    error.message.unwrap_or_default()
}

/// RPC-20, RPC-21, RPC-22, RPC-23, P10: what a request gets by its envelope, key, protocol, version and binding.
#[test]
fn each_look_has_its_answer() {
    let (a, b) = (key(1), key(2));
    let keyed = |key: &str| format!(r#"{{"protocol":"mcp","requestKey":"{key}","request":{{}}}}"#);
    let with = |version: &str| format!(r#"{{"protocol":"x","request":{{}},"version":{version}}}"#);
    let unpadded = a.to_text().trim_end_matches('=').to_string();
    let table = [
        (None, ask("mcp", "{}"), "work 0"),
        (Some(a), ask("mcp", "{}"), "work 0"),
        (Some(a), keyed(&a.to_text()), "work 0"),
        (Some(a), keyed(&unpadded), "work 0"),
        (Some(b), keyed(&a.to_text()), "r bad_request"),
        (None, keyed(&a.to_text()), "r bad_request"),
        (Some(a), keyed("nonsense"), "r bad_request"),
        (Some(a), keyed(""), "r bad_request"),
        (None, "{}".into(), "r bad_request"),
        (None, "[]".into(), "r bad_request"),
        (None, ask("MCP", "{}"), "r unsupported_protocol"),
        (None, ask("", "{}"), "r unsupported_protocol"),
        (None, ask("x", "{}"), "r unsupported_version"),
        (None, with("\"3\""), "r unsupported_version"),
        (None, with("2"), "r unsupported_version"),
        (None, with("null"), "r unsupported_version"),
        (None, with("\"2\""), "work 0"),
        (None, r#"{"protocol":"mcp","request":{},"version":{"any":1}}"#.into(), "work 0"),
        (None, ask("a2a", r#"{"talk":1}"#), "r conversation_required"),
    ];
    for (signer, data, expected) in table {
        let mut desk = Desk::default();
        let decisions = responder().on_request(Millis(0), fact("r", signer, &data), &mut desk);
        assert_eq!(shown(&decisions), [expected], "{data}");
        assert_eq!(desk.counted, [signer.map_or(Owner::Anonymous, Owner::Signer)], "each is counted, once");
        let is_judged = expected.starts_with("work") || expected.ends_with("conversation_required");
        assert_eq!(desk.judged, usize::from(is_judged), "{data}");
    }
    let mut unreadable = fact("r", None, &ask("mcp", "{}"));
    unreadable.signer_key = Some("?".into());
    let decisions = responder().on_request(Millis(0), unreadable, &mut Desk::default());
    assert_eq!(shown(&decisions), ["r internal"]);
    let unserved = responder().on_request(Millis(0), fact("r", None, &ask("y", "{}")), &mut Desk::default());
    assert_eq!(message(&unserved[0]), "Protocols served here: mcp, a2a, x.");
    let old = responder().on_request(Millis(0), fact("r", None, &ask("x", "{}")), &mut Desk::default());
    assert_eq!(message(&old[0]), "Versions served here: 1, 2.");
}

/// RPC-20: the message of the protocol and the owner reach the work as they are; a long request that arrived is served.
#[test]
fn work_gets_the_message_as_it_came() {
    let request = format!(r#"{{ "n": 1.50, "s": "\ud800", "long": "{}" }}"#, "x".repeat(MAX_JSON));
    let data = format!(r#"{{"protocol":"mcp","version":1.0,"later":[],"request":{request}}}"#);
    let mut desk = Desk::default();
    let decisions = responder().on_request(Millis(0), fact("r", Some(key(1)), &data), &mut desk);
    let [Decision::Work { asked, .. }] = &decisions[..] else { panic!("{decisions:?}") };
    assert_eq!(asked.request.as_str(), request);
    assert_eq!(asked.version.as_ref().map(Raw::as_str), Some("1.0"));
    assert_eq!(asked.owner.text(), Some(format!("key:{}", key(1))));
    assert_eq!(Owner::Anonymous.text(), None);
}

/// RPC-24: over the rate `rate_limited` with its wait, and nothing is judged; what is wrong with a request is said all
/// the same.
#[test]
fn rates_are_kept() {
    let mut desk = Desk { rate: Some(u32::MAX), ..Desk::default() };
    let mut responder = responder();
    let decisions = responder.on_request(Millis(0), fact("r", None, &ask("mcp", "{}")), &mut desk);
    assert_eq!(shown(&decisions), [format!("r rate_limited {}", u32::MAX)]);
    assert_eq!(desk.judged, 0);
    let decisions = responder.on_request(Millis(0), fact("s", None, "{}"), &mut desk);
    assert_eq!(shown(&decisions), ["s bad_request"]);
}

/// RPC-24: the buckets of conversations ration requests: each key has its own, all that is unsigned has one, and the wait
/// that is told is enough.
#[test]
fn buckets_ration_requests() {
    let mut floods = Floods::new(2, 1);
    let (a, b) = (Owner::Signer(key(1)), Owner::Anonymous);
    assert_eq!(a.take(&mut floods, Millis(0)), Ok(()));
    assert_eq!(b.take(&mut floods, Millis(0)), Ok(()));
    let wait = a.take(&mut floods, Millis(1)).expect_err("two a minute of all");
    assert_eq!(wait, 30);
    assert_eq!(a.take(&mut floods, Millis::secs(wait.into())), Ok(()));
}

/// RPC-25: room is bounded: of a signer, of all that are not signed, and in all.
#[test]
fn room_is_bounded() {
    let (mut responder, mut desk) = (responder(), Desk::default());
    let mut count = 0;
    let mut fill = |responder: &mut Responder, signer| {
        let mut begun = 0;
        for _ in 0..AT_WORK {
            count += 1;
            let fact = fact(&format!("r{count}"), signer, &ask("mcp", "{}"));
            let decisions = responder.on_request(Millis(0), fact, &mut desk);
            match shown(&decisions)[0].split_once(' ') {
                Some(("work", _)) => begun += 1,
                other => assert_eq!(other.map(|(_, what)| what), Some("rate_limited 10")),
            }
        }
        begun
    };
    assert_eq!(fill(&mut responder, None), AT_WORK_UNSIGNED);
    for signer in 1..=4 {
        assert_eq!(fill(&mut responder, Some(key(signer))), AT_WORK_OF_SIGNER);
    }
    assert_eq!(fill(&mut responder, Some(key(9))), 0, "{AT_WORK} in all");
    assert_eq!(responder.finish(Millis(1), WorkId(0), Answer::Response(raw("1"))).len(), 1);
    assert_eq!(fill(&mut responder, Some(key(9))), 1);
}

fn raw(text: &str) -> Raw {
    Raw::parse(text).expect("JSON")
}

fn done(text: &str) -> Answer {
    Answer::Response(raw(text))
}

/// RPC-26: the deadline answers as the binding says, once, and what comes later answers nobody.
#[test]
fn deadlines_answer() {
    for (protocol, expected) in [("mcp", "r internal"), ("a2a", "r conversation_required")] {
        let (mut responder, mut desk) = (responder(), Desk::default());
        let at = Millis(5_000);
        responder.on_request(at, fact("r", None, &ask(protocol, "{}")), &mut desk);
        let due = at + ANSWERED_BY;
        assert_eq!(responder.next_wakeup().map(|wakeup| wakeup.at), Some(due));
        assert_eq!(shown(&responder.on_time(Millis(due.0 - 1))), [""; 0]);
        assert_eq!(shown(&responder.on_time(due)), [expected, "give up 0"]);
        assert_eq!(responder.next_wakeup(), None);
        assert_eq!(responder.finish(due, WorkId(0), done("1")), []);
        assert_eq!(responder.on_time(Millis(u64::MAX)), []);
    }
    let (mut responder, mut desk) = (responder(), Desk::default());
    responder.on_request(Millis(0), fact("r", None, &ask("mcp", "{}")), &mut desk);
    assert_eq!(shown(&responder.finish(ANSWERED_BY, WorkId(0), done("1"))), ["r 1"], "the work was quicker");
    assert_eq!(responder.on_time(ANSWERED_BY), []);
}

/// RPC-27: a response of 10,000 bytes is sent, a longer one is `too_large`; an error is cut to its code.
#[test]
fn long_responses_are_errors() {
    let fixed = r#"{"response":""}"#.len();
    for (bytes, fits) in [(MAX_JSON, true), (MAX_JSON + 1, false)] {
        let (mut responder, mut desk) = (responder(), Desk::default());
        responder.on_request(Millis(0), fact("r", None, &ask("mcp", "{}")), &mut desk);
        let answer = done(&format!("\"{}\"", "x".repeat(bytes - fixed)));
        let decisions = responder.finish(Millis(1), WorkId(0), answer);
        let Decision::Respond { response, .. } = &decisions[0] else { panic!() };
        assert_eq!(response.as_str().len() == bytes, fits);
        if !fits {
            assert_eq!(shown(&decisions), ["r too_large"]);
            assert_eq!(message(&decisions[0]), "the response has 10001 bytes; at most 10000 are sent");
        }
    }
    let long = "x".repeat(MAX_JSON);
    for (code, expected) in [(Code::Internal, "r internal"), (Code::Other(long.clone()), "r internal")] {
        let (mut responder, mut desk) = (responder(), Desk::default());
        responder.on_request(Millis(0), fact("r", None, &ask("mcp", "{}")), &mut desk);
        let answer = RpcError::new(code, long.clone()).into();
        assert_eq!(shown(&responder.finish(Millis(1), WorkId(0), answer)), [expected]);
    }
}

/// RPC-28, P10: a copy of an event is no second request, while it is at work and after it was answered.
#[test]
fn copies_of_events_are_passed_over() {
    let (mut responder, mut desk) = (responder(), Desk::default());
    for data in ["{}".to_string(), ask("mcp", "{}")] {
        for _ in 0..3 {
            let id = format!("r{}", data.len());
            responder.on_request(Millis(0), fact(&id, None, &data), &mut desk);
        }
    }
    assert_eq!(desk.counted.len(), 2);
    assert_eq!(responder.finish(Millis(1), WorkId(0), done("1")).len(), 1);
    let copy = fact(&format!("r{}", ask("mcp", "{}").len()), None, &ask("mcp", "{}"));
    assert_eq!(responder.on_request(Millis(2), copy, &mut desk), []);
    assert_eq!(responder.finish(Millis(3), WorkId(0), done("2")), []);
}

fn named(id: &str, json_id: &str, name: &str, signer: Option<PublicKey>) -> ServiceRequest {
    fact(id, signer, &ask("a2a", &format!(r#"{{"id":{json_id},"repeat":"{name}"}}"#)))
}

/// RPC-29: work with a name of its owner's is done once: who asks again waits with the first or is answered from the
/// record, each with its own JSON-RPC id, for 10 minutes from its end; other owners, and who is not known, get work of
/// their own.
#[test]
fn named_work_is_done_once() {
    let (mut responder, mut desk) = (responder(), Desk::default());
    let (a, b) = (Some(key(1)), Some(key(2)));
    let mut ask =
        |responder: &mut Responder, at: u64, fact| shown(&responder.on_request(Millis(at), fact, &mut desk));
    assert_eq!(ask(&mut responder, 0, named("r1", "1", "m", a)), ["work 0"]);
    assert_eq!(ask(&mut responder, 9, named("r2", "\"2\"", "m", a)), [""; 0], "waits");
    assert_eq!(ask(&mut responder, 9, named("r3", "3", "m", b)), ["work 1"]);
    assert_eq!(ask(&mut responder, 9, named("r4", "4", "m", None)), ["work 2"]);
    assert_eq!(ask(&mut responder, 9, named("r5", "5", "m", None)), ["work 3"]);
    assert_eq!(ask(&mut responder, 9, named("r6", "6", "n", a)), ["work 4"]);
    let answers = responder.finish(Millis(20), WorkId(0), done(r#"{ "result" : 1.50, "id" : 1 }"#));
    assert_eq!(shown(&answers), [r#"r1 { "result" : 1.50, "id" : 1 }"#, r#"r2 {"result":1.50,"id":"2"}"#]);
    let last = 20 + RECORDED_FOR.0 - 1;
    assert_eq!(ask(&mut responder, 30, named("r7", "7.0", "m", a)), [r#"r7 {"result":1.50,"id":7.0}"#]);
    assert_eq!(ask(&mut responder, last, named("r8", "1", "m", a)), [r#"r8 { "result" : 1.50, "id" : 1 }"#]);
    assert_eq!(ask(&mut responder, last + 1, named("r9", "9", "m", a)), ["work 5"]);
}

/// RPC-29: each that waits has its own deadline; what was given up answers who asks again, first with the error and then
/// with the result that came late.
#[test]
fn late_results_are_kept() {
    let (mut responder, mut desk) = (responder(), Desk::default());
    let a = Some(key(1));
    responder.on_request(Millis(0), named("r1", "1", "m", a), &mut desk);
    responder.on_request(Millis(10_000), named("r2", "2", "m", a), &mut desk);
    assert_eq!(shown(&responder.on_time(ANSWERED_BY)), ["r1 conversation_required"]);
    let later = Millis(10_000) + ANSWERED_BY;
    assert_eq!(shown(&responder.on_time(later)), ["r2 conversation_required", "give up 0"]);
    let again = responder.on_request(later, named("r3", "3", "m", a), &mut desk);
    assert_eq!(shown(&again), ["r3 conversation_required"], "it is not done again");
    assert_eq!(responder.finish(later, WorkId(0), done(r#"{"id":1}"#)), []);
    let again = responder.on_request(later, named("r4", "4", "m", a), &mut desk);
    assert_eq!(shown(&again), [r#"r4 {"id":4}"#]);
    assert_eq!(responder.finish(later, WorkId(0), done("5")), [], "an end is an end");
    let again = responder.on_request(later, named("r5", "5", "m", a), &mut desk);
    assert_eq!(shown(&again), [r#"r5 {"id":5}"#]);
}

/// RPC-30: what is remembered is bounded, and no owner pushes out what belongs to another.
#[test]
fn memory_is_bounded() {
    let (mut responder, mut desk) = (responder(), Desk::default());
    responder.on_request(Millis(0), named("first", "1", "m", Some(key(1))), &mut desk);
    responder.finish(Millis(0), WorkId(0), done(r#"{"id":1}"#));
    for n in 1..3000_u64 {
        let fact = named(&format!("r{n}"), "1", &format!("m{n}"), Some(key(2)));
        let decisions = responder.on_request(Millis(n), fact, &mut desk);
        let [Decision::Work { work, .. }] = decisions[..] else { panic!("{decisions:?}") };
        responder.finish(Millis(n), work, done("1"));
    }
    let again = responder.on_request(Millis(3000), named("again", "2", "m", Some(key(1))), &mut desk);
    assert_eq!(shown(&again), [r#"again {"id":2}"#]);
    let size = format!("{responder:?}").len();
    for n in 3000..6000_u64 {
        let signer = Some(SecretKey::from_bytes(&core::array::from_fn(|i| (n >> (i % 8)) as u8)).public());
        let decisions = responder.on_request(Millis(n), named(&format!("r{n}"), "1", "m", signer), &mut desk);
        if let [Decision::Work { work, .. }] = decisions[..] {
            responder.finish(Millis(n), work, done("1"));
        }
    }
    assert!(format!("{responder:?}").len() < 10 * size, "it does not grow with what was asked");
}

/// RPC-29, RPC-30: at the rate that a host has when it says nothing else, no record is pushed out before its time.
#[test]
fn records_outlast_the_rate() {
    let mut floods = Floods::new(CALLS_PER_MINUTE, 1);
    let end = RECORDED_FOR.0;
    let begun = (0..=end).filter(|at| Owner::Anonymous.take(&mut floods, Millis(*at)).is_ok()).count();
    assert!((CALLS_PER_MINUTE as usize * 10..=RECORDS_OF_OWNER).contains(&begun), "{begun}");
}

/// RPC-31: a stop answers who waits.
#[test]
fn a_stop_answers_who_waits() {
    let (mut responder, mut desk) = (responder(), Desk::default());
    responder.on_request(Millis(0), named("r1", "1", "m", Some(key(1))), &mut desk);
    responder.on_request(Millis(0), named("r2", "2", "m", Some(key(1))), &mut desk);
    assert_eq!(shown(&responder.stop()), ["r1 internal", "r2 internal", "give up 0"]);
    assert_eq!(responder.stop(), []);
    assert_eq!(responder.finish(Millis(1), WorkId(0), done("1")), []);
    assert_eq!(responder.next_wakeup(), None);
}
