//! The side that answers: what becomes of each request, and that each gets exactly one response (agent protocols,
//! "Service RPC transport"; decisions 7 "Floods" and 9 "Service RPC"; P10).
//!
//! Facts go in, decisions come out. The host starts the service, hands in each event `serviceRequest`, does the work
//! that is decided, and sends the responses as `/_service_response`. A response that the SimpleX core refuses is lost,
//! like one that the network loses: it is not sent again.
//!
//! A request goes through these looks, and the first that fails answers it:
//! a copy of an event is passed over; the envelope; its key; the protocol; its version; the rate; what the binding says;
//! the record of work that was done; room.

mod again;
mod owner;
mod record;
mod seen;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use self::record::{Found, Records};
use self::seen::Seen;
use super::envelope::{Answer, Code, Request, RpcError};
use super::key::PublicKey;
use super::{MAX_JSON, RESPONSE_TIME, text};
use crate::simplex::model::{Raw, ServiceRequest, ServiceRequestId};
use crate::time::{Millis, Wakeup};

pub use owner::Owner;
pub use record::{RECORDED_FOR, RECORDS, RECORDS_OF_OWNER};
pub use seen::SEEN;

/// When a request without an answer gets its last one: so long before the SimpleX core takes none that the command
/// arrives in time.
pub const ANSWERED_BY: Millis = Millis(RESPONSE_TIME.0.saturating_sub(5_000));
/// Requests at work in all (decisions 7).
pub const AT_WORK: usize = 64;
/// Requests at work of one signer key; and how many requests wait for one work that was asked for again (decisions 7).
pub const AT_WORK_OF_SIGNER: usize = 8;
/// Requests at work of all that are not signed, together: they leave room for those who are known.
pub const AT_WORK_UNSIGNED: usize = 32;
/// What a request without room is told to wait.
const NO_ROOM: u32 = 10;

/// A protocol that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// Its name, exact.
    pub protocol: String,
    /// Where its version is said.
    pub versions: Versions,
    /// What is said when the work takes too long.
    pub overdue: Overdue,
}

/// Where the version of a protocol is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Versions {
    /// In its messages: `version` of the envelope is ignored (decisions 9, for `mcp` and `a2a`).
    InMessages,
    /// In the envelope: `version` must be one of these strings.
    InEnvelope(Vec<String>),
}

/// What is said when the work takes longer than the SimpleX core waits for a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overdue {
    /// `internal`.
    Internal,
    /// `conversation_required` (agent protocols, "A2A binding", "Service RPC").
    ConversationRequired,
}

/// A request that passed the envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Whose it is.
    pub owner: Owner,
    /// The protocol, one of those that are served.
    pub protocol: String,
    /// The version, as it came.
    pub version: Option<Raw>,
    /// The protocol's message, as it came.
    pub request: Raw,
}

/// What a binding says of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is work.
    Work {
        /// Names the work among those of its owner: A2A's `messageId`. A request with the same is not run again but
        /// answered from the record, with its own JSON-RPC `id`. None when repeating it is a new request. Ignored for
        /// requests that are not signed: who asks again could be anybody.
        repeat: Option<String>,
    },
    /// It needs none, or is refused: `conversation_required`, a JSON-RPC error, a known answer.
    Answer(Answer),
}

impl Verdict {
    /// The request needs a conversation.
    pub fn conversation_required(message: impl Into<String>) -> Self {
        Self::Answer(RpcError::new(Code::ConversationRequired, message).into())
    }
}

/// Whom the responder asks.
pub trait Host {
    /// Counts a request against the rate of its owner, and of all. Called once for each request, also for one that is
    /// then refused.
    ///
    /// # Errors
    /// It is over the rate: after how many seconds it may be repeated.
    fn may_run(&mut self, now: Millis, owner: &Owner) -> Result<(), u32>;

    /// What the binding of its protocol says.
    fn judge(&mut self, asked: &Asked) -> Verdict;
}

/// Names work that was decided on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkId(u64);

/// What the host has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Send this response to this request: once for each request.
    Respond {
        /// The request.
        request: ServiceRequestId,
        /// The envelope.
        response: Raw,
    },
    /// Do this work, and call [`Responder::finish`] when it is done.
    Work {
        /// Its name.
        work: WorkId,
        /// What is asked.
        asked: Asked,
    },
    /// Nobody waits for this work any more. It may be stopped; when it ends all the same, [`Responder::finish`] keeps
    /// its answer for who asks again.
    GiveUp {
        /// Its name.
        work: WorkId,
    },
}

/// Work that somebody waits for.
#[derive(Clone, Debug)]
struct Work {
    owner: Owner,
    overdue: Overdue,
    /// Who waits: the request that began it, then those that asked again.
    waiting: Vec<Waiting>,
}

#[derive(Clone, Debug)]
struct Waiting {
    id: ServiceRequestId,
    request: Raw,
    due: Millis,
}

/// The responder of one profile.
#[derive(Clone, Debug)]
pub struct Responder {
    served: Vec<Served>,
    next: u64,
    works: BTreeMap<WorkId, Work>,
    seen: Seen,
    records: Records,
}

impl Responder {
    /// A responder that serves these protocols.
    pub fn new(served: Vec<Served>) -> Self {
        Self { served, next: 0, works: BTreeMap::new(), seen: Seen::default(), records: Records::default() }
    }

    /// A request arrived.
    pub fn on_request(&mut self, now: Millis, fact: ServiceRequest, host: &mut impl Host) -> Vec<Decision> {
        self.records.forget_old(now);
        if self.is_waiting(&fact.id) || !self.seen.add(now, &fact.id) {
            return Vec::new();
        }
        let id = fact.id.clone();
        match self.look(now, fact, host) {
            Ok(decisions) => decisions,
            Err(answer) => Vec::from([respond(id, &answer)]),
        }
    }

    /// Work ended. What comes after its deadline answers nobody any more, and is kept for who asks again.
    pub fn finish(&mut self, now: Millis, work: WorkId, answer: Answer) -> Vec<Decision> {
        let Some(done) = self.works.remove(&work) else {
            self.records.finish_late(now, work, answer);
            return Vec::new();
        };
        let decisions = respond_all(done.waiting, &answer);
        self.records.finish(now, work, answer, false);
        decisions
    }

    /// Time passed: requests whose deadline came get the answer of their binding.
    pub fn on_time(&mut self, now: Millis) -> Vec<Decision> {
        self.records.forget_old(now);
        let mut decisions = Vec::new();
        let mut given_up = Vec::new();
        for (id, work) in &mut self.works {
            let (due, waiting) = work.waiting.drain(..).partition(|waiting| waiting.due <= now);
            work.waiting = waiting;
            decisions.extend(respond_all(due, &overdue(work.overdue)));
            if work.waiting.is_empty() {
                given_up.push((*id, work.overdue));
            }
        }
        for (work, kind) in given_up {
            self.works.remove(&work);
            self.records.finish(now, work, overdue(kind), true);
            decisions.push(Decision::GiveUp { work });
        }
        decisions
    }

    /// The host stops: who still waits is told. Nothing is to be handed in afterwards.
    pub fn stop(&mut self) -> Vec<Decision> {
        let stopping = RpcError::new(Code::Internal, text::STOPPING).into();
        let mut decisions = Vec::new();
        for (work, left) in core::mem::take(&mut self.works) {
            decisions.extend(respond_all(left.waiting, &stopping));
            decisions.push(Decision::GiveUp { work });
        }
        decisions
    }

    /// When [`Responder::on_time`] has something to do.
    pub fn next_wakeup(&self) -> Option<Wakeup> {
        let due = self.works.values().flat_map(|work| &work.waiting).map(|waiting| waiting.due).min()?;
        Some(Wakeup { at: due, why: "a service request has to be answered" })
    }

    /// What becomes of a request that is new: decisions, or the answer at once.
    fn look(
        &mut self,
        now: Millis,
        fact: ServiceRequest,
        host: &mut impl Host,
    ) -> Result<Vec<Decision>, Answer> {
        let signer = fact.signer_key.as_deref().map(PublicKey::parse);
        let owner = signer.flatten().map_or(Owner::Anonymous, Owner::Signer);
        // Counted before it is read: requests that are wrong fill the bucket as well.
        let rate = host.may_run(now, &owner);
        if signer == Some(None) {
            return Err(RpcError::new(Code::Internal, text::UNREADABLE_SIGNER).into());
        }
        let envelope = Request::read(fact.data.as_str())
            .map_err(|fault| RpcError::new(Code::BadRequest, alloc::format!("{fault}")))?;
        if envelope.request_key.is_some_and(|key| owner != Owner::Signer(key)) {
            return Err(RpcError::new(Code::BadRequest, text::WRONG_KEY).into());
        }
        let overdue = self.served(&envelope)?.overdue;
        rate.map_err(too_many)?;
        let Request { protocol, version, request, .. } = envelope;
        let asked = Asked { owner, protocol, version, request };
        match host.judge(&asked) {
            Verdict::Answer(answer) => Err(answer),
            Verdict::Work { repeat } => self.begin(now, fact.id, asked, overdue, repeat),
        }
    }

    /// The protocol of an envelope, in a version that is served.
    fn served(&self, envelope: &Request) -> Result<&Served, RpcError> {
        let served = self.served.iter().find(|served| served.protocol == envelope.protocol);
        let served = served.ok_or_else(|| {
            let names: Vec<&str> = self.served.iter().map(|served| served.protocol.as_str()).collect();
            RpcError::new(Code::UnsupportedProtocol, text::protocols(&names.join(", ")))
        })?;
        if let Versions::InEnvelope(versions) = &served.versions {
            let version = envelope.version.as_ref().and_then(Raw::read::<String>);
            if !version.is_some_and(|version| versions.contains(&version)) {
                return Err(RpcError::new(Code::UnsupportedVersion, text::versions(&versions.join(", "))));
            }
        }
        Ok(served)
    }

    /// Begins work, joins the one that was asked for before, or answers from its record.
    fn begin(
        &mut self,
        now: Millis,
        id: ServiceRequestId,
        asked: Asked,
        overdue: Overdue,
        repeat: Option<String>,
    ) -> Result<Vec<Decision>, Answer> {
        let waiting = Waiting { id, request: asked.request.clone(), due: now + ANSWERED_BY };
        let key = repeat.and_then(|repeat| record::key(&asked, repeat));
        match key.as_ref().and_then(|key| self.records.find(key)) {
            Some(Found::Done(answer)) => return Err(again::answer(&asked.request, answer)),
            Some(Found::AtWork(work)) => {
                let Some(work) = self.works.get_mut(&work) else { return Err(too_many(NO_ROOM).into()) };
                if work.waiting.len() >= AT_WORK_OF_SIGNER {
                    return Err(too_many(NO_ROOM).into());
                }
                work.waiting.push(waiting);
                return Ok(Vec::new());
            }
            None => {}
        }
        if !self.has_room(&asked.owner) {
            return Err(too_many(NO_ROOM).into());
        }
        let work = WorkId(self.next);
        self.next = self.next.saturating_add(1);
        if let Some(key) = key {
            self.records.begin(key, work);
        }
        self.works.insert(work, Work { owner: asked.owner, overdue, waiting: Vec::from([waiting]) });
        Ok(Vec::from([Decision::Work { work, asked }]))
    }

    fn has_room(&self, owner: &Owner) -> bool {
        let of_owner = self.works.values().filter(|work| work.owner == *owner).count();
        let most = match owner {
            Owner::Signer(_) => AT_WORK_OF_SIGNER,
            Owner::Anonymous => AT_WORK_UNSIGNED,
        };
        self.works.len() < AT_WORK && of_owner < most
    }

    fn is_waiting(&self, id: &ServiceRequestId) -> bool {
        self.works.values().flat_map(|work| &work.waiting).any(|waiting| waiting.id == *id)
    }
}

fn too_many(seconds: u32) -> RpcError {
    RpcError::new(Code::RateLimited, text::too_many(seconds)).retry_after(seconds)
}

fn overdue(kind: Overdue) -> Answer {
    Answer::Error(match kind {
        Overdue::Internal => RpcError::new(Code::Internal, text::NO_ANSWER),
        Overdue::ConversationRequired => RpcError::new(Code::ConversationRequired, text::TAKES_LONGER),
    })
}

/// The same answer to all who wait, each with its own JSON-RPC `id`.
fn respond_all(waiting: Vec<Waiting>, answer: &Answer) -> Vec<Decision> {
    let each = |waiting: Waiting| respond(waiting.id, &again::answer(&waiting.request, answer));
    waiting.into_iter().map(each).collect()
}

/// The response, which fits: `too_large` in the place of one that does not.
fn respond(request: ServiceRequestId, answer: &Answer) -> Decision {
    let response = answer.to_json();
    let bytes = response.as_str().len();
    if bytes <= MAX_JSON {
        return Decision::Respond { request, response };
    }
    let error = match answer {
        Answer::Response(_) => RpcError::new(Code::TooLarge, text::too_large(bytes)),
        Answer::Error(RpcError { code: Code::Other(_), .. }) => {
            RpcError::new(Code::Internal, text::too_large(bytes))
        }
        // Its message is what is too long, and is for logs alone.
        Answer::Error(error) => RpcError { message: None, ..error.clone() },
    };
    Decision::Respond { request, response: Answer::Error(error).to_json() }
}

#[cfg(test)]
mod tests;
