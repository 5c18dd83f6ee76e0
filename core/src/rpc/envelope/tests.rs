use alloc::string::String;
use std::eprintln;

use jtd::Schema;
use serde_json::{Value, json};

use super::{Answer, Fault, Request, RpcError};

const REQUESTS: &str = include_str!("../../../../spec/vectors/rpc-request.jsonl");
const RESPONSES: &str = include_str!("../../../../spec/vectors/rpc-response.jsonl");
const REQUEST_SCHEMA: &str = include_str!("../../../../spec/schemas/rpc-request.jtd.json");
const RESPONSE_SCHEMA: &str = include_str!("../../../../spec/schemas/rpc-response.jtd.json");

/// What is made of a request, in the form of the vectors.
fn request(text: &str) -> Value {
    match Request::read(text) {
        Ok(request) => json!({
            "protocol": request.protocol,
            "version": request.version.map(|raw| String::from(raw.as_str())),
            "requestKey": request.request_key,
            "request": request.request.as_str(),
        }),
        Err(fault) => json!({ "fault": fault.word() }),
    }
}

/// What is made of a response, in the form of the vectors.
fn response(text: &str) -> Value {
    match Answer::read(text) {
        Ok(Answer::Response(response)) => json!({ "response": response.as_str() }),
        Ok(Answer::Error(error)) => json!({
            "code": error.code.as_str(),
            "message": error.message,
            "retryAfter": error.retry_after,
            "final": error.is_final(),
        }),
        Err(fault) => json!({ "fault": fault.word() }),
    }
}

/// Each vector: its text and what it gives, and whether the text fits the schema.
fn run(vectors: &str, schema: &str, read: fn(&str) -> Value) -> usize {
    let schema = Schema::from_serde_schema(serde_json::from_str(schema).expect("JSON")).expect("a schema");
    schema.validate().expect("valid");
    for line in vectors.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON object on each line");
        let text = vector["in"].as_str().expect("in");
        let mut out = read(text);
        out.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        let cut: String = text.chars().take(200).collect();
        assert_eq!(out, vector["out"], "{cut}");
        // What the schema cannot see: names given twice, both members, and what is in no value of JSON's readers.
        let fault = out["fault"].as_str().unwrap_or_default();
        let Ok(instance) = serde_json::from_str::<Value>(text) else {
            eprintln!("no value for the schema: {cut}");
            continue;
        };
        if !["twice", "both"].contains(&fault) {
            let fits = jtd::validate(&schema, &instance, Default::default()).expect("no depth").is_empty();
            assert_eq!(fits, !["notObject", "missing", "type"].contains(&fault), "{cut}");
        }
    }
    vectors.lines().count()
}

/// RPC-07, RPC-08, RPC-09: requests are read as the vectors and the schema say; what is none has a word.
#[test]
fn requests_are_read_as_the_vectors_say() {
    assert!(run(REQUESTS, REQUEST_SCHEMA, request) > 60);
}

/// RPC-07, RPC-10, RPC-11: responses are read as the vectors and the schema say; both or neither of the two members, a
/// `retryAfter` that is no uint32 and a name given twice are no response.
#[test]
fn responses_are_read_as_the_vectors_say() {
    assert!(run(RESPONSES, RESPONSE_SCHEMA, response) > 60);
}

/// RPC-07, RPC-34, P10: what was read is written so that it reads the same, fits the schema, and has the protocol's message
/// byte for byte; a response that is written has exactly one of its two members.
#[test]
fn envelopes_are_written_as_they_are_read() {
    for line in REQUESTS.lines().chain(RESPONSES.lines()) {
        let vector: Value = serde_json::from_str(line).expect("JSON");
        let text = vector["in"].as_str().expect("in");
        if let Ok(read) = Request::read(text) {
            let written = read.to_json();
            assert_eq!(Request::read(written.as_str()), Ok(read.clone()));
            assert!(written.as_str().ends_with(&alloc::format!("\"request\":{}}}", read.request)));
        }
        if let Ok(read) = Answer::read(text) {
            let written = read.to_json();
            assert_eq!(Answer::read(written.as_str()), Ok(read));
            let names: alloc::vec::Vec<_> =
                written.members().expect("an object").into_iter().map(|(name, _)| name).collect();
            assert!(names == ["response"] || names == ["error"], "{names:?}");
        }
    }
}

/// RPC-09: the text of a fault, as the requester's log shows it.
#[test]
fn faults_have_texts() {
    let long = "a".repeat(400);
    for (text, expected) in [
        ("", "the envelope must be JSON"),
        ("[]", "the envelope must be an object"),
        (r#"{"\ud800":1}"#, "the names of the envelope's members must be Unicode text"),
        (r#"{"protocol":"x","protocol":"x"}"#, "protocol: must be there once"),
        ("{}", "protocol: must be there"),
        (r#"{"protocol":"x"}"#, "request: must be there"),
        (r#"{"protocol":5}"#, "protocol: must be a string"),
        (
            r#"{"protocol":"x","requestKey":"x"}"#,
            "requestKey: must be base64url of the X.509 DER of an Ed25519 key",
        ),
    ] {
        let fault = Request::read(text).expect_err(text);
        assert_eq!(alloc::format!("{fault}"), expected);
    }
    let twice = alloc::format!(r#"{{"{long}":1,"{long}":1}}"#);
    let fault = Request::read(&twice).expect_err("twice");
    assert_eq!(fault, Fault::Twice(long.clone()));
    assert!(alloc::format!("{fault}").len() < 80, "an error must not be as long as what it is about");
    let error = RpcError::new(super::Code::BadRequest, "x").retry_after(3);
    assert_eq!(
        Answer::from(error).to_json().as_str(),
        r#"{"error":{"code":"bad_request","message":"x","retryAfter":3}}"#
    );
}
