//! What the core says of Service RPC, in the shapes of the 7.1 sources (`reference/simplex-api.md` sections 2.10, 4.1):
//! no core 7.1 was recorded.

use simplex_agent_core::simplex::event::{self, Event};
use simplex_agent_core::simplex::model::{ServiceRequest, ServiceRequestId};
use simplex_agent_core::simplex::response::{self, Response};

fn request(members: &str) -> Event {
    event::decode(&format!(r#"{{"result":{{"type":"serviceRequest","user":{{"userId":1}},{members}}}}}"#))
}

/// RPC-32: a request to the own service, its data as they came; one whose identifier could not stand in a command line
/// is none.
#[test]
fn requests_to_the_own_service() {
    let Event::ServiceRequest(ServiceRequest { id, signer_key, data }) = request(
        r#""requestId":"a-_=","signerKey":"MCow","requestData":{ "n" : 1.50, "n" : "\ud800" },"later":[1]"#,
    ) else {
        panic!("no request")
    };
    assert_eq!((id.as_str(), signer_key.as_deref()), ("a-_=", Some("MCow")));
    assert_eq!(data.as_str(), r#"{ "n" : 1.50, "n" : "\ud800" }"#);
    for unsigned in
        [r#""requestId":"a","requestData":{}"#, r#""requestId":"a","signerKey":null,"requestData":{}"#]
    {
        let Event::ServiceRequest(read) = request(unsigned) else { panic!("{unsigned}") };
        assert_eq!(read.signer_key, None);
    }
    for none in [
        r#""requestData":{}"#,
        r#""requestId":"","requestData":{}"#,
        r#""requestId":"a b","requestData":{}"#,
        r#""requestId":"a\n/_delete","requestData":{}"#,
        r#""requestId":5,"requestData":{}"#,
        r#""requestId":"a""#,
        r#""requestId":"a","signerKey":5,"requestData":{}"#,
    ] {
        let unknown = request(none);
        assert!(
            matches!(&unknown, Event::Unknown { tag, why: Some(_) } if tag == "serviceRequest"),
            "{none}"
        );
    }
    assert_eq!(ServiceRequestId::parse("a\u{a0}b".into()), None);
}

/// RPC-33: the response of a service as it came, and that an own one was taken, in both forms that are known.
#[test]
fn responses_of_services() {
    let text = r#"{"result":{"type":"serviceResponse","user":{},"responseData":{"response" : 1.0}}}"#;
    let Ok(Response::ServiceResponse(data)) = response::decode(text) else { panic!("no response") };
    assert_eq!(data.as_str(), r#"{"response" : 1.0}"#);
    let accepted = r#"{"result":{"type":"serviceReplyAccepted","user":{},"connectionId":"Zm9v"}}"#;
    assert_eq!(response::decode(accepted), Ok(Response::ServiceReplyAccepted));
    let sent = r#"{"result":{"type":"serviceReplySent","user":{},"connectionId":"Zm9v"}}"#;
    assert_eq!(event::decode(sent), Event::Ignored("serviceReplySent".to_owned()));
}
