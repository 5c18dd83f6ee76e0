//! Service RPC (digest 2.10, 4.1): a call at the address, an answer at the caller.

use alloc::string::ToString;

use serde_json::{Value, json};

use crate::controller::Controller;
use crate::db::ServiceCall;
use crate::errors;
use crate::json::put;
use crate::signing::Session;
use crate::wire::{ServiceReply, SignedCall};

impl Controller<'_> {
    /// Somebody calls the own service; dropped unless the chat was started to take calls. A signature that is not of
    /// this session's is no call: the caller waits in vain.
    pub(crate) fn receive_service_request(&mut self, link: u64, from: u64, call: SignedCall) {
        if !self.db.serves {
            return;
        }
        let SignedCall { data, signature } = call;
        let signer = signature.map(|signature| Session { link, wire: from }.verify(&signature, &data));
        if signer == Some(None) {
            self.error_event(errors::service(json!({"type": "badSignature"})));
            return;
        }
        let id = self.world.chance.short_id();
        self.db.calls.insert(id.clone(), ServiceCall { wire: from, at: self.world.now.mono });
        let mut fields = json!({"requestId": id, "requestData": data});
        put(&mut fields, "signerKey", signer.flatten().map(|key| Value::from(key.to_text())));
        self.event("serviceRequest", fields);
    }

    /// The service answered.
    pub(crate) fn receive_service_reply(&mut self, wire: u64, reply: ServiceReply) {
        let answer = match reply {
            ServiceReply::Data(data) if data.is_object() => {
                Ok(self.result("serviceResponse", json!({"responseData": data})))
            }
            ServiceReply::Data(_) => Err(errors::command("invalid service response")),
            ServiceReply::Rejected(reason) => {
                Err(errors::service(json!({"type": "rejected", "rejectReason": reason})))
            }
        };
        let envelope = match answer {
            Ok(result) => json!({"result": result}),
            Err(error) => json!({"error": error}),
        };
        self.world.answer_waiting(wire, envelope.to_string());
    }
}
