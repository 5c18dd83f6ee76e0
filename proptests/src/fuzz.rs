//! The bodies of the fuzz targets: bytes in, and what must hold of any. `fuzz/` gives them to a fuzzer, the test `corpus`
//! the committed inputs, and property tests what they make up.

mod chat;
mod web;

use std::collections::BTreeSet;

use serde_json::Value;
use simplex_agent_core::Millis;
use simplex_agent_core::effect::Outcome;
use simplex_agent_core::rpc::MAX_JSON;
use simplex_agent_core::rpc::envelope::{Answer, Request};
use simplex_agent_core::rpc::key::{PublicKey, SecretKey};
use simplex_agent_core::rpc::requester::Ended;
use simplex_agent_core::rpc::responder::{
    ANSWERED_BY, Asked, Decision, Host, Overdue, Owner, Responder, Served, Verdict, Versions,
};
use simplex_agent_core::rpc::ring::KeyRing;
use simplex_agent_core::simplex::command::{key_label, with_key};
use simplex_agent_core::simplex::model::{Raw, ServiceRequest, ServiceRequestId};

pub use chat::call_command;
pub use web::{declarations, llms};

/// A target of the fuzzer.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is the name of its folder in `fuzz/corpus`.
    pub name: &'static str,
    /// What it does with an input.
    pub body: fn(&[u8]),
}

/// The targets.
pub const TARGETS: &[Target] = &[
    Target { name: "call_command", body: call_command },
    Target { name: "declarations", body: declarations },
    Target { name: "llms", body: llms },
    Target { name: "rpc_envelope", body: rpc_envelope },
];

/// Service RPC: whatever is read is written so that it reads the same; whatever arrives gets one valid response.
pub fn rpc_envelope(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    if let Ok(request) = Request::read(text) {
        let written = request.to_json();
        assert_eq!(Request::read(written.as_str()), Ok(request));
    }
    if let Ok(answer) = Answer::read(text) {
        let written = answer.to_json();
        assert_eq!(members(written.as_str()), 1);
        assert_eq!(Answer::read(written.as_str()), Ok(answer));
    }
    if let Some(key) = PublicKey::parse(text) {
        assert_eq!(PublicKey::parse(&key.to_text()), Some(key));
    }
    if let Some(key) = SecretKey::parse(text) {
        assert_eq!(key.sign_key().expose(), text.trim_end());
    }
    let (ring, damage) = KeyRing::read(text);
    assert_eq!(KeyRing::read(&ring.to_text()).0, ring);
    assert!(damage.iter().all(|damage| damage.to_string().len() < 100));
    if let Some(label) = key_label(text) {
        assert_eq!(with_key(text, &format!("@{label}")), **text);
    }
    let ended = Ended::judge(&Outcome::Response(text.to_string()), Millis(0));
    assert!(ended.retry_after.is_none_or(|seconds| seconds <= 86_400));
    if let Ok(data) = Raw::parse(text) {
        arrives(data);
    }
}

/// A request with this envelope arrives: one response, now, when its work is done, or at its deadline.
fn arrives(data: Raw) {
    let served = |protocol: &str| Served {
        protocol: protocol.to_owned(),
        versions: Versions::InMessages,
        overdue: Overdue::Internal,
    };
    let mut responder = Responder::new(vec![served("mcp"), served("a2a")]);
    let id = ServiceRequestId::parse("r".to_owned()).expect("an identifier");
    let fact = ServiceRequest { id, signer_key: None, data };
    let mut decisions = responder.on_request(Millis(0), fact.clone(), &mut Anything);
    decisions.extend(responder.on_request(Millis(0), fact, &mut Anything));
    decisions.extend(responder.on_time(ANSWERED_BY));
    let mut responses = 0;
    for decision in decisions {
        if let Decision::Respond { response, .. } = decision {
            responses += 1;
            assert!(response.as_str().len() <= MAX_JSON);
            assert_eq!(members(response.as_str()), 1);
            assert!(Answer::read(response.as_str()).is_ok());
        }
    }
    assert_eq!(responses, 1);
}

/// How many of `response` and `error` a text has, as another reader of JSON sees it.
fn members(text: &str) -> usize {
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        // A protocol's message may be what no value holds; its envelope is read without it.
        Err(_) => return usize::from(text.starts_with("{\"response\":")),
    };
    let names: BTreeSet<&str> =
        value.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    names.intersection(&BTreeSet::from(["response", "error"])).count()
}

/// A binding that works on everything.
struct Anything;

impl Host for Anything {
    fn may_run(&mut self, _: Millis, _: &Owner) -> Result<(), u32> {
        Ok(())
    }

    fn judge(&mut self, _: &Asked) -> Verdict {
        Verdict::Work { repeat: Some("same".to_owned()) }
    }
}
