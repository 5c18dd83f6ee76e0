//! Errors in the shapes of the core (digest 3, FINDINGS.md 7).

use alloc::format;

use serde_json::{Value, json};

use crate::json::put;

/// `error/TAG`.
pub(crate) fn chat(tag: &str) -> Value {
    json!({"type": "error", "errorType": {"type": tag}})
}

/// `error/TAG` with fields.
pub(crate) fn chat_with(tag: &str, mut fields: Value) -> Value {
    put(&mut fields, "type", Some(json!(tag)));
    json!({"type": "error", "errorType": fields})
}

/// `error/commandError`.
pub(crate) fn command(message: &str) -> Value {
    chat_with("commandError", json!({"message": message}))
}

/// A line that is no command.
pub(crate) fn parse() -> Value {
    command("Failed reading: empty")
}

/// `errorStore/TAG`.
pub(crate) fn store(tag: &str) -> Value {
    json!({"type": "errorStore", "storeError": {"type": tag}})
}

/// `errorStore/TAG` with fields.
pub(crate) fn store_with(tag: &str, mut fields: Value) -> Value {
    put(&mut fields, "type", Some(json!(tag)));
    json!({"type": "errorStore", "storeError": fields})
}

/// `errorAgent` with this agent error.
pub(crate) fn agent(error: Value) -> Value {
    json!({"type": "errorAgent", "agentError": error, "agentConnId": ""})
}

/// A call of a service failed, with this `serviceError` (digest 2.10).
pub(crate) fn service(error: Value) -> Value {
    let service = json!({"type": "A_SERVICE", "serviceError": error});
    agent(json!({"type": "AGENT", "agentErr": service}))
}

/// The link is used or gone.
pub(crate) fn auth(server: &str) -> Value {
    agent(json!({"type": "SMP", "serverAddress": server, "smpErr": {"type": "AUTH"}}))
}

/// The connection is gone: noise after deletions.
pub(crate) fn not_found() -> Value {
    agent(json!({"type": "CONN", "connErr": {"type": "NOT_FOUND"}, "errContext": ""}))
}

/// The router refuses, without a proxy.
pub(crate) fn refused(server: &str) -> Value {
    let text = "Network.Socket.connect: <socket: 21>: does not exist (Connection refused)";
    let network = json!({"type": "connectError", "connectError": text});
    agent(
        json!({"type": "BROKER", "brokerAddress": server, "brokerErr": {"type": "NETWORK", "networkError": network}}),
    )
}

/// The router has another key.
pub(crate) fn unknown_ca(server: &str) -> Value {
    let network = json!({"type": "unknownCAError"});
    agent(
        json!({"type": "BROKER", "brokerAddress": server, "brokerErr": {"type": "NETWORK", "networkError": network}}),
    )
}

/// The router does not answer.
pub(crate) fn timeout(server: &str) -> Value {
    agent(json!({"type": "BROKER", "brokerAddress": server, "brokerErr": {"type": "TIMEOUT"}}))
}

/// The proxy cannot reach the router: it names the proxy.
pub(crate) fn proxy_failed(proxy: &str) -> Value {
    let network = json!({"type": "NETWORK", "networkError": {"type": "failedError"}});
    let error = json!({"type": "PROXY", "proxyErr": {"type": "BROKER", "brokerErr": network}});
    agent(json!({"type": "SMP", "serverAddress": proxy, "smpErr": error}))
}

/// Names need a resolver, and there is none.
pub(crate) fn no_resolver(server: &str) -> Value {
    let error = json!({"type": "NAME", "nameErr": {"type": "NO_RESOLVER"}});
    agent(json!({"type": "SMP", "serverAddress": server, "smpErr": error}))
}

/// A database that says no.
pub(crate) fn constraint(what: &str) -> Value {
    let message = format!("SQLite3 returned ErrorConstraint while attempting to perform step: {what}");
    store_with("dBException", json!({"message": message}))
}
