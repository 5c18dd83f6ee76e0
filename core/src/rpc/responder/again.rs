//! One answer for several requests: a JSON-RPC response has the `id` of the request it answers.

use crate::jsonrpc::Members;
use crate::rpc::envelope::Answer;
use crate::simplex::model::Raw;

/// The answer, for this request: its JSON-RPC `id` in the place of the other, everything else byte for byte. An answer
/// without an `id`, or to a request without one, stays as it is.
pub(super) fn answer(request: &Raw, answer: &Answer) -> Answer {
    match answer {
        Answer::Response(response) => {
            Answer::Response(with_id_of(request, response).unwrap_or_else(|| response.clone()))
        }
        Answer::Error(_) => answer.clone(),
    }
}

fn with_id_of(request: &Raw, response: &Raw) -> Option<Raw> {
    let id = Members::read(serde_json::from_str(request.as_str()).ok()?).ok()?.raw("id")?.get();
    let members = response.members()?;
    let old = members.iter().find(|(name, _)| name == "id")?.1.as_str();
    if old == id {
        return None;
    }
    Some(Raw::from_members(
        members.iter().map(|(name, json)| (name.as_str(), if name == "id" { id } else { json.as_str() })),
    ))
}
