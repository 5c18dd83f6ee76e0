//! Several callers, one service and a thief on the simulator: real keys, signatures and events.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use simplex_agent_core::effect::Outcome;
use simplex_agent_core::rpc::envelope::Answer;
use simplex_agent_core::rpc::key::SecretKey;
use simplex_agent_core::rpc::requester::{Call, End, Ended};
use simplex_agent_core::rpc::responder::{
    Asked, Decision, Host, Overdue, Owner, Responder, Served, Verdict, Versions, WorkId,
};
use simplex_agent_core::rpc::ring::Key;
use simplex_agent_core::simplex::command::{Command, KeyLabel, with_key};
use simplex_agent_core::simplex::event::{self, Event};
use simplex_agent_core::simplex::model::{Raw, UserId};
use simplex_agent_core::simplex::target::{self, Target};
use simplex_agent_core::{Millis, Now, UnixMillis};
use simplex_sim::{Fault, Handle, Network, Options, Output, Version};

const USER: UserId = UserId::new(1);

#[derive(Clone, Debug)]
enum Step {
    /// A caller asks, signing with its key or not at all.
    Ask {
        caller: u8,
        signs: bool,
    },
    /// A caller says it has the key of another, and signs with its own or not at all.
    Lie {
        caller: u8,
        about: u8,
        signs: bool,
    },
    /// A caller sends the newest signed request as its own.
    Steal {
        caller: u8,
    },
    /// The next events come twice.
    Double,
    /// Some work ends.
    Finish(prop::sample::Index),
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_u8..3, any::<bool>()).prop_map(|(caller, signs)| Step::Ask { caller, signs }),
        2 => (0_u8..3, 0_u8..3, any::<bool>())
            .prop_map(|(caller, about, signs)| Step::Lie { caller, about, signs }),
        2 => (0_u8..3).prop_map(|caller| Step::Steal { caller }),
        1 => Just(Step::Double),
        4 => any::<prop::sample::Index>().prop_map(Step::Finish),
        3 => prop_oneof![0..2000_u64, 0..100_000_u64].prop_map(Step::Pass),
    ]
}

fn secret(caller: u8) -> SecretKey {
    SecretKey::from_bytes(&[caller + 1; 32])
}

struct Desk;

impl Host for Desk {
    fn may_run(&mut self, _: Millis, _: &Owner) -> Result<(), u32> {
        Ok(())
    }

    fn judge(&mut self, _: &Asked) -> Verdict {
        Verdict::Work { repeat: None }
    }
}

/// What a caller waits for.
struct Asking {
    at: Millis,
    /// Whose the request is; none when it is not signed.
    owner: Option<u8>,
    lies: bool,
}

struct Play {
    network: Network,
    now: Now,
    callers: Vec<Handle>,
    service: Handle,
    target: Target,
    link: String,
    responder: Responder,
    /// Works, with the number in their request.
    works: Vec<(WorkId, u64)>,
    ticket: u64,
    asking: BTreeMap<u64, Asking>,
    ended: BTreeMap<u64, Ended>,
}

impl Play {
    fn new(seed: u64) -> Self {
        let options = Options { version: Version::V7_1, ..Options::default() };
        let mut network = Network::new(seed, options);
        let now = Now { mono: Millis(0), unix: UnixMillis(1_790_000_000_000) };
        let callers: Vec<Handle> = ["a", "b", "c"].iter().map(|name| network.open(now, name)).collect();
        let service = network.open(now, "service");
        let served = |protocol: &str| Served {
            protocol: protocol.to_owned(),
            versions: Versions::InMessages,
            overdue: Overdue::Internal,
        };
        let link = String::new();
        let target = target::parse("@unknown.simplex").expect("a name");
        let mut play = Self {
            network,
            now,
            callers,
            service,
            target,
            link,
            responder: Responder::new(vec![served("mcp")]),
            works: Vec::new(),
            ticket: 0,
            asking: BTreeMap::new(),
            ended: BTreeMap::new(),
        };
        for handle in play.callers.clone().into_iter().chain([service]) {
            let user = r#"/_create user {"profile":{"displayName":"x","fullName":""},"pastTimestamp":false}"#;
            play.answer(handle, user);
            play.answer(handle, "/_start main=on service_requests=on");
        }
        let made = play.answer(service, "/_address 1");
        play.answer(service, "/_short_link_address 1 pq_ratchet=on");
        made["result"]["connLinkContact"]["connShortLink"]
            .as_str()
            .expect("short")
            .clone_into(&mut play.link);
        play.target = target::parse(&play.link).expect("a link");
        play
    }

    /// Sends a command of the setting up, and waits for its answer.
    fn answer(&mut self, handle: Handle, line: &str) -> Value {
        self.network.command(self.now, handle, 0, line);
        loop {
            while let Some(output) = self.network.poll() {
                if let Output::Response { ticket: 0, text, .. } = output {
                    return serde_json::from_str(&text).expect("JSON");
                }
            }
            let at = self.network.next_wakeup().expect("an answer");
            self.now = Now { mono: at, unix: self.now.unix.plus(at.since(self.now.mono)) };
            self.network.advance(self.now);
        }
    }

    /// A caller asks: `claims` is whose key it says it has, `signs` whose it signs with.
    fn ask(&mut self, caller: u8, claims: Option<u8>, signs: Option<u8>) {
        self.ticket += 1;
        let request = Raw::from(json!({"jsonrpc": "2.0", "id": self.ticket, "method": "x"}));
        let key = claims.map(|owner| Key {
            label: KeyLabel::parse("key").expect("a label"),
            public_key: secret(owner).public(),
        });
        let call = Call {
            user: USER,
            target: &self.target,
            protocol: "mcp",
            version: None,
            request: &request,
            key: key.as_ref(),
        };
        let line = call.command().expect("a command").to_line();
        let line = match signs {
            Some(owner) => with_key(&line, secret(owner).sign_key().expose()),
            None => line.replace(" sign_key=@key", ""),
        };
        let lies = claims.is_some() && claims != signs;
        self.asking.insert(self.ticket, Asking { at: self.now.mono, owner: signs, lies });
        self.network.command(self.now, self.callers[usize::from(caller)], self.ticket, &line);
    }

    fn carry_out(&mut self, decisions: Vec<Decision>) -> Result<(), TestCaseError> {
        for decision in decisions {
            match decision {
                Decision::Respond { request, response } => {
                    let command = Command::ServiceResponse { user: USER, request, response };
                    // Tickets from here up are of the service.
                    self.ticket += 1;
                    self.network.command(self.now, self.service, 1_000_000 + self.ticket, &command.to_line());
                }
                Decision::Work { work, asked } => {
                    let number =
                        asked.request.read::<Value>().expect("JSON")["id"].as_u64().expect("a number");
                    let asking = &self.asking[&number];
                    let owner = asking.owner.map(|owner| format!("key:{}", secret(owner).public()));
                    prop_assert_eq!(asked.owner.text(), owner, "served for its signer");
                    prop_assert!(!asking.lies, "a lie was served");
                    prop_assert!(self.works.iter().all(|(_, known)| *known != number), "served twice");
                    self.works.push((work, number));
                }
                Decision::GiveUp { .. } => {}
            }
        }
        Ok(())
    }

    fn collect(&mut self) -> Result<(), TestCaseError> {
        while let Some(output) = self.network.poll() {
            match output {
                Output::Event { handle, text } if handle == self.service => {
                    if let Event::ServiceRequest(fact) = event::decode(&text) {
                        let decisions = self.responder.on_request(self.now.mono, fact, &mut Desk);
                        self.carry_out(decisions)?;
                    }
                }
                Output::Event { .. } => {}
                Output::Response { ticket, text, .. } if ticket > 1_000_000 => {
                    prop_assert!(
                        text.contains("serviceReplyAccepted"),
                        "the core takes each response: {}",
                        text
                    );
                }
                Output::Response { ticket, text, .. } => {
                    let took = self.now.mono.since(self.asking[&ticket].at);
                    let ended = Ended::judge(&Outcome::Response(text), took);
                    prop_assert!(self.ended.insert(ticket, ended).is_none());
                }
            }
        }
        Ok(())
    }

    fn pass(&mut self, millis: u64) -> Result<(), TestCaseError> {
        let to = self.now.mono + Millis(millis);
        loop {
            self.collect()?;
            let due = self.responder.next_wakeup().map(|wakeup| wakeup.at);
            let next = self.network.next_wakeup().into_iter().chain(due).min().filter(|at| *at <= to);
            let at = next.unwrap_or(to).max(self.now.mono);
            self.now = Now { mono: at, unix: self.now.unix.plus(at.since(self.now.mono)) };
            self.network.advance(self.now);
            if due.is_some_and(|due| due <= at) {
                let decisions = self.responder.on_time(at);
                self.carry_out(decisions)?;
            }
            if next.is_none() {
                return self.collect();
            }
        }
    }

    fn step(&mut self, step: Step) -> Result<(), TestCaseError> {
        match step {
            Step::Ask { caller, signs } => {
                let key = signs.then_some(caller);
                self.ask(caller, key, key);
            }
            Step::Lie { caller, about, signs } => self.ask(caller, Some(about), signs.then_some(caller)),
            Step::Steal { caller } => {
                self.network.copy_signed_call(self.now, self.callers[usize::from(caller)], &self.link);
            }
            Step::Double => self.network.fault(Fault::DuplicateEvents { count: 3 }),
            Step::Finish(_) if self.works.is_empty() => {}
            Step::Finish(pick) => {
                let (work, number) = *pick.get(&self.works);
                let answer =
                    Answer::Response(Raw::from(json!({"jsonrpc": "2.0", "id": number, "result": {}})));
                let decisions = self.responder.finish(self.now.mono, work, answer);
                self.carry_out(decisions)?;
            }
            Step::Pass(millis) => return self.pass(millis),
        }
        self.collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// P10, SIM-36, RPC-12, RPC-16, RPC-21, RPC-28: on a network where events come twice, callers lie about their keys
    /// and thieves copy signatures, each request is served at most once and for who signed it, and ends with one answer
    /// of its own; what a thief sends is never served.
    #[test]
    fn callers_are_who_signed(seed in 0_u64..1000, steps in vec(step(), 1..40)) {
        let mut play = Play::new(seed);
        for step in steps {
            play.step(step)?;
        }
        play.pass(300_000)?;
        prop_assert_eq!(play.ended.len(), play.asking.len());
        for (ticket, asking) in &play.asking {
            let ended = &play.ended[ticket];
            match &ended.end {
                End::Response(response) => {
                    let message: Value = response.read().expect("JSON");
                    prop_assert_eq!(&message["id"], &json!(ticket));
                    prop_assert!(!asking.lies && !ended.may_have_run);
                }
                End::Error(error) => {
                    let expected = if asking.lies { "bad_request" } else { "internal" };
                    let is_full = error.code.as_str() == "rate_limited" && !asking.lies;
                    prop_assert!(is_full || error.code.as_str() == expected, "{:?}", error);
                }
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
