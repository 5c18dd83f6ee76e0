//! Service RPC: one request in a connection request to a contact address, one response, no conversation
//! (agent protocols, "Service RPC transport"; decisions 8 and 9).
//!
//! | module | what it knows |
//! |---|---|
//! | [`envelope`] | the JSON around a protocol's message: requests, responses, error codes |
//! | [`key`], [`ring`] | Ed25519 keys as the SimpleX core writes them; which key signs for whom |
//! | [`requester`] | the command that asks, and what an answer means |
//! | [`responder`] | what becomes of each request that arrives, and that each gets one response |
//!
//! Messages of the protocols pass byte for byte: this side never reads and writes them anew. (The SimpleX core reads
//! the envelope as JSON and writes it again, on both sides; what it does to the form of a number is its own.)
//!
//! **What a signature proves.** The agent of the requester signs `SHA3-256("SimpleXService" ‖ AD) ‖ payload`, where AD
//! is the associated data of the request's ratchet; the core of the responder checks it and reports the key. So a
//! request whose `signerKey` is there was made, in this very session, by who holds the secret key: a signature copied
//! into another session fails. It proves no name, no profile and no address, and nothing of unsigned requests; who
//! holds two keys is two callers. **Signing was tried on the simulator only; no core 7.1 was at hand.**

pub mod envelope;
pub mod key;
pub mod requester;
pub mod responder;
pub mod ring;
pub mod text;

use crate::time::Millis;

/// The longest request or response this side sends, in bytes of JSON. The agent pads both to 11,106 bytes with its own
/// framing inside, and a longer one fails (agent protocols, "Exchange").
pub const MAX_JSON: usize = 10_000;
/// How long an own request waits for its response: past the 180 seconds that the other side has (decisions 8).
pub const REQUEST_WAIT: Millis = Millis::secs(200);
/// How long the SimpleX core takes the response to a request (agent protocols, "Exchange").
pub const RESPONSE_TIME: Millis = Millis::secs(180);
