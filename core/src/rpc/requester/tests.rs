use alloc::format;
use alloc::string::String;

use super::{Call, End, Ended, LATE, MAX_RETRY_AFTER, Refusal};
use crate::effect::Outcome;
use crate::rpc::MAX_JSON;
use crate::rpc::envelope::Fault;
use crate::rpc::key::SecretKey;
use crate::rpc::ring::Key;
use crate::simplex::command::{KeyLabel, key_label, with_key};
use crate::simplex::model::{Raw, UserId};
use crate::simplex::target;
use crate::time::Millis;

const ADDRESS: &str = "https://smp1.example/a#xuxolk2p9CTQQKvPWqcl80W1-Zy2T-bbW2Pa_FttqVY";

#[allow(clippy::unwrap_in_result, reason = "what is parsed here is the test's own")]
fn line(to: &str, request: &str, key: Option<&Key>) -> Result<String, Refusal> {
    let target = target::parse(to).expect(to);
    let request = Raw::parse(request).expect("JSON");
    let call = Call {
        user: UserId::new(1),
        target: &target,
        protocol: "mcp",
        version: None,
        request: &request,
        key,
    };
    call.command().map(|command| command.to_line())
}

fn key() -> (SecretKey, Key) {
    let secret = SecretKey::from_bytes(&[7; 32]);
    let key = Key { label: KeyLabel::parse("k-1").expect("a label"), public_key: secret.public() };
    (secret, key)
}

/// RPC-12, RPC-13: the command, with the key by its label and `requestKey` in the envelope; the host puts the key in,
/// once, and into no other line.
#[test]
fn requests_are_commands() {
    let request = r#"{"jsonrpc":"2.0","id":1.0,"s":" sign_key=@k-1 "}"#;
    assert_eq!(
        line(ADDRESS, request, None).expect("a command"),
        format!(r#"/_service_request 1 {ADDRESS} timeout=200 {{"protocol":"mcp","request":{request}}}"#)
    );
    assert!(
        line("@acme.simplex", request, None).expect("a command").contains(" @acme.simplex timeout=200 {")
    );
    let (secret, key) = key();
    let signed = line(ADDRESS, request, Some(&key)).expect("a command");
    let envelope = format!(r#"{{"protocol":"mcp","requestKey":"{}","request":{request}}}"#, key.public_key);
    assert_eq!(signed, format!("/_service_request 1 {ADDRESS} timeout=200 sign_key=@k-1 {envelope}"));
    assert_eq!(key_label(&signed), Some(key.label));
    let sent = with_key(&signed, secret.sign_key().expose());
    let expected = secret.sign_key();
    let expected = expected.expose();
    assert_eq!(sent, format!("/_service_request 1 {ADDRESS} timeout=200 sign_key={expected} {envelope}"));
    for other in
        [line(ADDRESS, request, None).expect("a command"), sent, "/_send @4 {} sign_key=@k-1 {}".into()]
    {
        assert_eq!(key_label(&other), None);
        assert_eq!(with_key(&other, "secret"), other);
    }
}

/// RPC-14: an envelope of 10,000 bytes is sent and one of 10,001 is not.
#[test]
fn long_requests_are_not_sent() {
    let fixed = r#"{"protocol":"mcp","request":""}"#.len();
    let request = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - fixed));
    assert!(line(ADDRESS, &request(MAX_JSON), None).is_ok());
    let refusal = line(ADDRESS, &request(MAX_JSON + 7), None).expect_err("too long");
    assert_eq!(refusal, Refusal::TooLong(MAX_JSON + 7));
    assert_eq!(format!("{refusal}"), "arguments: too long by 7 bytes; use a conversation or a shorter call.");
    let signed = line(ADDRESS, &request(MAX_JSON), Some(&key().1)).expect_err("the key counts");
    assert_eq!(signed, Refusal::TooLong(MAX_JSON + r#""requestKey":,"#.len() + 62));
}

/// RPC-15, P12: what is no contact address is not asked.
#[test]
fn only_addresses_are_asked() {
    let one_time = ADDRESS.replace("/a#", "/i#AAAA/");
    let links = [
        one_time,
        ADDRESS.replace("/a#", "/g#"),
        ADDRESS.replace("/a#", "/c#"),
        ADDRESS.replace("/a#", "/r#"),
    ];
    for link in &links {
        assert_eq!(line(link, "{}", None), Err(Refusal::NoAddress), "{link}");
    }
    let refusal = line("#acme.simplex", "{}", None).expect_err("a channel");
    assert_eq!(format!("{refusal}"), "to: Service RPC takes a contact address or the SimpleX name of one.");
}

fn judge(text: &str, took: Millis) -> Ended {
    Ended::judge(&Outcome::Response(text.into()), took)
}

fn response(data: &str) -> Ended {
    judge(
        &format!(r#"{{"result":{{"type":"serviceResponse","user":{{}},"responseData":{data}}}}}"#),
        Millis(900),
    )
}

fn refused(error: &str) -> Ended {
    judge(&format!(r#"{{"error":{error}}}"#), Millis(900))
}

/// RPC-16, RPC-17, RPC-18: responses and errors, with what may have run and the wait that is shown.
#[test]
fn responses_are_judged() {
    let answered = response(r#"{"response":{"id":1.0,"result":{}},"later":1}"#);
    let Ended { end: End::Response(raw), may_have_run: false, retry_after: None } = answered else {
        panic!()
    };
    assert_eq!(raw.as_str(), r#"{"id":1.0,"result":{}}"#);
    for (code, ran) in [
        ("unsupported_protocol", false),
        ("unsupported_version", false),
        ("bad_request", false),
        ("conversation_required", false),
        ("too_large", true),
        ("rate_limited", false),
        ("internal", true),
        ("out_of_anvils", true),
    ] {
        let ended = response(&format!(r#"{{"error":{{"code":"{code}","message":"m"}}}}"#));
        assert_eq!((ended.may_have_run, ended.retry_after), (ran, None), "{code}");
        assert_eq!(ended.end.text(), Some(format!("{code}: m")));
    }
    for (json, ran) in [
        (r#"{"error":{"code":-32603,"message":"x"},"id":1}"#, true),
        (r#"{"error":{"code":-32602,"message":"x"},"id":1}"#, false),
        (r#"{"result":{"error":{"code":-32603}}}"#, false),
        ("[-32603]", false),
    ] {
        assert_eq!(response(&format!(r#"{{"response":{json}}}"#)).may_have_run, ran, "{json}");
    }
    for (seconds, shown) in [(0, 0), (86_400, 86_400), (86_401, MAX_RETRY_AFTER), (u32::MAX, MAX_RETRY_AFTER)]
    {
        let ended = response(&format!(r#"{{"error":{{"code":"rate_limited","retryAfter":{seconds}}}}}"#));
        assert_eq!(ended.retry_after, Some(shown));
        let End::Error(error) = ended.end else { panic!("{seconds}") };
        assert_eq!(error.retry_after, Some(seconds));
    }
    let text =
        r#"{"result":{"type":"serviceResponse","responseData":{"error":{"code":"conversation_required"}}}}"#;
    assert!(!judge(text, Millis(LATE.0 - 1)).may_have_run);
    assert!(judge(text, LATE).may_have_run);
}

/// RPC-16, RPC-17, RPC-19: what is no response, and what the core says instead of one.
#[test]
fn failures_are_judged() {
    let service = |kind: &str| {
        format!(
            r#"{{"type":"errorAgent","agentError":{{"type":"AGENT","agentErr":{{"type":"A_SERVICE","serviceError":{kind}}}}}}}"#
        )
    };
    let command = |message: &str| {
        format!(r#"{{"type":"error","errorType":{{"type":"commandError","message":"{message}"}}}}"#)
    };
    let both = response(r#"{"response":1,"error":{"code":"x"}}"#);
    assert_eq!((both.end, both.may_have_run), (End::Invalid(Fault::Both), true));
    assert_eq!(response("{}").end, End::Invalid(Fault::Neither));
    assert_eq!(
        response(r#"{"error":{"code":"x","retryAfter":"5"}}"#).end.text().expect("a text"),
        "The answer is not valid: retryAfter: must be a number of seconds from 0 to 4294967295. The call may have run."
    );
    let cases = [
        (refused(&service(r#"{"type":"timeout"}"#)), End::TimedOut, true),
        (refused(&service(r#"{"type":"notDRAddress"}"#)), End::NoKeys, false),
        (refused(&service(r#"{"type":"rejected","rejectReason":"no"}"#)), End::Rejected("no".into()), false),
        (refused(&command("Failed reading: empty")), End::CoreTooOld, false),
        (refused(&command("invalid service response")), End::Invalid(Fault::NotObject), true),
    ];
    for (ended, end, ran) in cases {
        assert_eq!((&ended.end, ended.may_have_run), (&end, ran));
        assert!(ended.end.text().is_some_and(|text| !text.is_empty()));
    }
    let old = refused(&command("Failed reading: empty"));
    assert_eq!(old.end.text().as_deref(), Some("Service RPC needs SimpleX core 7.1 or later"));
    let auth =
        r#"{"type":"errorAgent","agentError":{"type":"SMP","serverAddress":"s","smpErr":{"type":"AUTH"}}}"#;
    let network = r#"{"type":"errorAgent","agentError":{"type":"BROKER","brokerAddress":"b","brokerErr":{"type":"TIMEOUT"}}}"#;
    for (error, ran) in [
        (command("service request target must be a contact"), false),
        (r#"{"type":"error","errorType":{"type":"invalidConnReq"}}"#.into(), false),
        (auth.into(), false),
        (network.into(), true),
        (service(r#"{"type":"later"}"#), true),
        (r#"{"type":"unheardOf"}"#.into(), true),
    ] {
        let ended = refused(&error);
        assert!(matches!(ended.end, End::Failed(_)), "{error}");
        assert_eq!(ended.may_have_run, ran, "{error}");
    }
    for text in ["", "{}", r#"{"result":{"type":"cmdOk"}}"#, r#"{"result":{"type":"serviceResponse"}}"#] {
        let ended = judge(text, Millis(1));
        assert!(matches!(ended.end, End::Lost(_)) && ended.may_have_run, "{text}");
    }
    let lost = Ended::judge(&Outcome::Failed("The connection broke.".into()), Millis(1));
    assert_eq!((lost.end.text(), lost.may_have_run), (Some("The connection broke.".into()), true));
}
