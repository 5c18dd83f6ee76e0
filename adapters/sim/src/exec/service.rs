//! Service RPC (digest 2.10): calls of an address, refused by 7.0.

use alloc::string::{String, ToString};

use serde_json::{Value, json};
use simplex_agent_core::Millis;
use simplex_agent_core::rpc::key::SecretKey;

use super::plan::Wanted;
use crate::controller::{Answer, Controller};
use crate::errors;
use crate::scan::Scan;
use crate::signing::Session;
use crate::wire::{Body, ServiceReply, SignedCall, To};
use crate::world::{Later, LinkKind, Task};

/// How long a caller waits that does not say.
const USUAL_WAIT: Millis = Millis(30_000);
/// How long after a call its answer is taken.
const ANSWERABLE: Millis = Millis(180_000);

impl Controller<'_> {
    /// `/_service_request UID TARGET[ timeout=SECONDS][ sign_key=KEY] {…}`: waits for the answer of the service.
    pub(crate) fn service_request(&mut self, mut scan: Scan<'_>) -> Answer {
        if !self.is_7_1() {
            return Err(errors::parse());
        }
        self.user_id(&mut scan)?;
        scan.space()?;
        let target = scan.word().to_string();
        let wait = if scan.take(" timeout=") { seconds(scan.word())? } else { USUAL_WAIT };
        let key = if scan.take(" sign_key=") { Some(signing_key(scan.word())?) } else { None };
        let data = scan.object()?;
        let link = self.service_link(&target)?;
        let wire = self.world.new_wire(self.db.id);
        let signature = key.map(|key| Session { link, wire }.sign(&key, &data));
        let call = SignedCall { data, signature };
        if call.signature.is_some() {
            self.world.overheard = Some(call.clone());
        }
        self.send_to(To::Link(link), wire, Body::ServiceRequest(call));
        let db = self.db.id;
        self.world.after(wait, Task::Later { db, later: Later::ServiceOver { wire } });
        self.took = wait;
        self.waits_at = Some(wire);
        Err(errors::service(json!({"type": "timeout"})))
    }

    /// The address that a target names, which has to be able to take calls.
    fn service_link(&mut self, target: &str) -> Result<u64, Value> {
        let id = match self.wanted(target)? {
            Wanted::Link { id, .. } => id,
            Wanted::Foreign { host, short: true, .. } => {
                self.ask_router();
                return Err(self.foreign_error(target, &host));
            }
            Wanted::Foreign { .. } => return Err(errors::auth(&self.db.server)),
            Wanted::Name(name) => {
                self.ask_router();
                let named = self.world.names.get(&name).cloned();
                let named = named.ok_or_else(|| errors::no_resolver(&self.db.server))?;
                let Wanted::Link { id, .. } = self.wanted(&named)? else {
                    return Err(errors::auth(&self.db.server));
                };
                id
            }
        };
        let link = self.world.links.get(&id).cloned().ok_or_else(|| errors::chat("invalidConnReq"))?;
        if link.kind != LinkKind::Address {
            return Err(errors::command("service request target must be a contact"));
        }
        self.reach(&link, 30)?;
        if !link.ratchet {
            return Err(errors::service(json!({"type": "notDRAddress"})));
        }
        Ok(id)
    }

    /// `/_service_response UID REQUEST {…}`.
    pub(crate) fn service_response(&mut self, mut scan: Scan<'_>) -> Answer {
        if !self.is_7_1() {
            return Err(errors::parse());
        }
        self.user_id(&mut scan)?;
        scan.space()?;
        let request = scan.word().to_string();
        let data = scan.object()?;
        let connection = self.answer_call(&request, ServiceReply::Data(data))?;
        Ok(self.result("serviceReplyAccepted", json!({"connectionId": connection})))
    }

    /// Answers a call of the own service: the identifier of the connection that carries the answer.
    pub(crate) fn answer_call(&mut self, request: &str, reply: ServiceReply) -> Result<String, Value> {
        let call = self.db.calls.remove(request);
        let call = call.filter(|c| self.world.now.mono.since(c.at) <= ANSWERABLE);
        let call = call.ok_or_else(|| errors::service(json!({"type": "noPendingRequest"})))?;
        // Nothing goes back to the service, so its end is none.
        self.send_to(To::Wire(call.wire), 0, Body::ServiceReply(reply));
        let connection = self.world.chance.id();
        let delay = Millis(self.world.options.delays.delivery.0 / 2);
        let later = Later::ServiceReplySent { connection: connection.clone() };
        self.world.after(delay, Task::Later { db: self.db.id, later });
        Ok(connection)
    }
}

/// A time-out in seconds, which may have a fraction.
fn seconds(word: &str) -> Result<Millis, Value> {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return Err(errors::parse());
    }
    let whole: u64 = whole.parse().map_err(|_| errors::parse())?;
    let places = fraction.bytes().chain(core::iter::repeat(b'0')).take(3);
    let millis =
        places.fold(0u64, |n, b| n.saturating_mul(10).saturating_add(u64::from(b.wrapping_sub(b'0'))));
    Ok(Millis(whole.saturating_mul(1000).saturating_add(millis)))
}

/// The private key of a command, in the core's encoding (decisions 9).
fn signing_key(word: &str) -> Result<SecretKey, Value> {
    // The parser of keys takes an end of line after one; the command's does not.
    Some(word)
        .filter(|word| word.trim_ascii_end() == *word)
        .and_then(SecretKey::parse)
        .ok_or_else(errors::parse)
}
