//! The responder alone, asked by several callers in any order.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use simplex_agent_core::Millis;
use simplex_agent_core::rpc::envelope::{Answer, Code, RpcError};
use simplex_agent_core::rpc::key::SecretKey;
use simplex_agent_core::rpc::responder::{
    Asked, Decision, Host, Overdue, Owner, Responder, Served, Verdict, Versions, WorkId,
};
use simplex_agent_core::simplex::model::{Raw, ServiceRequest, ServiceRequestId};

#[derive(Clone, Debug)]
enum Step {
    /// A caller (0 does not sign) asks, claiming the key of a caller (`None`: no key, 9: nonsense).
    Ask { caller: u8, claims: Option<u8>, protocol: &'static str, name: Option<u8>, talks: bool },
    /// The event of this request comes again.
    Copy(prop::sample::Index),
    /// Some work that was begun ends, perhaps for the second time, with so many bytes or an error.
    Finish { pick: prop::sample::Index, bytes: usize, fails: bool },
    /// Time passes.
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let claims = prop_oneof![3 => Just(None), 4 => (0_u8..4).prop_map(Some), 1 => Just(Some(9))];
    let protocol = prop_oneof![4 => Just("mcp"), 4 => Just("a2a"), 1 => Just("other")];
    let name = prop_oneof![1 => Just(None), 3 => (0_u8..3).prop_map(Some)];
    prop_oneof![
        6 => (0_u8..4, claims, protocol, name, prop::bool::weighted(0.1)).prop_map(
            |(caller, claims, protocol, name, talks)| Step::Ask { caller, claims, protocol, name, talks }
        ),
        2 => any::<prop::sample::Index>().prop_map(Step::Copy),
        4 => (any::<prop::sample::Index>(), prop_oneof![Just(10), Just(20_000)], any::<bool>())
            .prop_map(|(pick, bytes, fails)| Step::Finish { pick, bytes, fails }),
        3 => prop_oneof![0..2000_u64, 0..400_000_u64].prop_map(Step::Pass),
    ]
}

fn key(caller: u8) -> String {
    SecretKey::from_bytes(&[caller; 32]).public().to_text()
}

struct Desk;

impl Host for Desk {
    fn may_run(&mut self, _: Millis, _: &Owner) -> Result<(), u32> {
        Ok(())
    }

    fn judge(&mut self, asked: &Asked) -> Verdict {
        let request: Value = asked.request.read().expect("of the test");
        if request["talks"] == true {
            return Verdict::conversation_required("connect");
        }
        Verdict::Work { repeat: request["name"].as_u64().map(|name| name.to_string()) }
    }
}

/// What was asked, as the model knows it.
#[derive(Clone, Debug)]
struct Fact {
    caller: u8,
    claims: Option<u8>,
    protocol: &'static str,
    talks: bool,
    at: u64,
    event: ServiceRequest,
}

#[derive(Default)]
struct Run {
    now: u64,
    facts: Vec<Fact>,
    /// The response of each request, with its time.
    responses: BTreeMap<String, (u64, Value)>,
    works: Vec<WorkId>,
    /// When the work of a name of an owner was last begun, and when it ended.
    named: BTreeMap<(u8, &'static str, u64), (WorkId, Option<u64>)>,
}

impl Run {
    fn take(&mut self, decisions: Vec<Decision>, asked_now: Option<usize>) -> Result<(), TestCaseError> {
        for decision in decisions {
            match decision {
                Decision::Respond { request, response } => {
                    prop_assert!(response.as_str().len() <= 10_000);
                    let value: Value = serde_json::from_str(response.as_str()).expect("JSON");
                    let both = [value.get("response"), value.get("error")];
                    prop_assert_eq!(both.iter().flatten().count(), 1, "{}", value);
                    let known = self.responses.insert(request.as_str().to_owned(), (self.now, value));
                    prop_assert!(known.is_none(), "two responses to {}", request);
                }
                Decision::Work { work, asked } => {
                    let fact = &self.facts[asked_now.expect("only a request begins work")];
                    let owner = if fact.caller == 0 { None } else { Some(key(fact.caller)) };
                    prop_assert_eq!(asked.owner.text(), owner.map(|key| format!("key:{key}")));
                    prop_assert!(
                        fact.claims.is_none() || fact.claims == Some(fact.caller) && fact.caller != 0
                    );
                    prop_assert!(fact.protocol != "other" && !fact.talks);
                    prop_assert!(!self.works.contains(&work));
                    let name = asked.request.read::<Value>().expect("JSON")["name"].as_u64();
                    if let Some(name) = name.filter(|_| fact.caller != 0) {
                        let begun = self.named.insert((fact.caller, fact.protocol, name), (work, None));
                        let over =
                            begun.is_none_or(|(_, end)| end.is_some_and(|end| self.now >= end + 600_000));
                        prop_assert!(over, "{name} of {} was begun twice", fact.caller);
                    }
                    self.works.push(work);
                }
                Decision::GiveUp { work } => self.ended(work),
            }
        }
        Ok(())
    }

    fn ended(&mut self, work: WorkId) {
        let now = self.now;
        for (known, end) in self.named.values_mut() {
            if *known == work {
                end.get_or_insert(now);
            }
        }
    }

    /// Lets time pass, with each deadline at its moment.
    fn pass(&mut self, responder: &mut Responder, to: u64) -> Result<(), TestCaseError> {
        while let Some(wakeup) = responder.next_wakeup().filter(|wakeup| wakeup.at.0 <= to) {
            self.now = self.now.max(wakeup.at.0);
            let decisions = responder.on_time(Millis(self.now));
            prop_assert!(!decisions.is_empty(), "a wakeup for nothing");
            self.take(decisions, None)?;
        }
        self.now = to;
        Ok(())
    }

    fn step(&mut self, responder: &mut Responder, step: Step) -> Result<(), TestCaseError> {
        let at = Millis(self.now);
        match step {
            Step::Ask { caller, claims, protocol, name, talks } => {
                let number = self.facts.len();
                let request = json!({"jsonrpc": "2.0", "id": number, "name": name, "talks": talks});
                let mut envelope = json!({"protocol": protocol, "request": request});
                if let Some(claims) = claims {
                    envelope["requestKey"] = if claims == 9 { "nonsense".into() } else { key(claims).into() };
                }
                let event = ServiceRequest {
                    id: ServiceRequestId::parse(format!("r{number}")).expect("an identifier"),
                    signer_key: (caller != 0).then(|| key(caller)),
                    data: Raw::from(envelope),
                };
                let fact = Fact { caller, claims, protocol, talks, at: self.now, event: event.clone() };
                self.facts.push(fact);
                let decisions = responder.on_request(at, event, &mut Desk);
                self.take(decisions, Some(number))
            }
            Step::Copy(_) if self.facts.is_empty() => Ok(()),
            Step::Copy(pick) => {
                let fact = pick.get(&self.facts).clone();
                // Later than this a core takes no response, and gives no event.
                if self.now.saturating_sub(fact.at) > 600_000 {
                    return Ok(());
                }
                let decisions = responder.on_request(at, fact.event, &mut Desk);
                prop_assert_eq!(decisions, Vec::new());
                Ok(())
            }
            Step::Finish { .. } if self.works.is_empty() => Ok(()),
            Step::Finish { pick, bytes, fails } => {
                let work = *pick.get(&self.works);
                let answer = if fails {
                    Answer::from(RpcError::new(Code::Internal, "x".repeat(bytes)))
                } else {
                    Answer::Response(Raw::from(json!({"id": 0, "result": "x".repeat(bytes)})))
                };
                let decisions = responder.finish(at, work, answer);
                self.take(decisions, None)?;
                self.ended(work);
                Ok(())
            }
            Step::Pass(by) => self.pass(responder, self.now + by),
        }
    }

    /// After the last deadline: one response each, and the right one.
    fn judge(&self) -> Result<(), TestCaseError> {
        let asked: BTreeSet<&str> = self.facts.iter().map(|fact| fact.event.id.as_str()).collect();
        let answered: BTreeSet<&str> = self.responses.keys().map(String::as_str).collect();
        prop_assert_eq!(asked, answered);
        for (number, fact) in self.facts.iter().enumerate() {
            let (at, response) = &self.responses[fact.event.id.as_str()];
            prop_assert!(at - fact.at <= 175_000);
            let code = response["error"]["code"].as_str();
            let is_claim_wrong = fact.claims.is_some_and(|claims| claims != fact.caller || claims == 0);
            prop_assert_eq!(code == Some("bad_request"), is_claim_wrong, "{:?}", fact);
            if !is_claim_wrong {
                prop_assert_eq!(code == Some("unsupported_protocol"), fact.protocol == "other");
            }
            if let Some(message) = response.get("response") {
                let own = message["id"] == json!(number) || message["id"] == json!(0);
                prop_assert!(own, "{message} answers {number}");
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// P10, RPC-21, RPC-26, RPC-28, RPC-29: in any order of requests, copies, ends and time, each request gets one
    /// response by its deadline, work is begun only for a key that holds, and named work once.
    #[test]
    fn each_request_gets_one_response(steps in vec(step(), 1..80)) {
        let served = |protocol: &str, overdue| Served {
            protocol: protocol.to_owned(), versions: Versions::InMessages, overdue,
        };
        let mut responder = Responder::new(vec![
            served("mcp", Overdue::Internal), served("a2a", Overdue::ConversationRequired),
        ]);
        let mut run = Run::default();
        for step in steps {
            run.step(&mut responder, step)?;
        }
        run.pass(&mut responder, run.now + 200_000)?;
        run.judge()?;
        prop_assert_eq!(responder.next_wakeup(), None);
    }
}
