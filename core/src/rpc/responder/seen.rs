//! Which requests arrived already: an event that is repeated is no second request.

use alloc::collections::{BTreeSet, VecDeque};

use crate::simplex::model::ServiceRequestId;
use crate::time::Millis;

/// Requests that are remembered after they were answered: at most so many, for 10 minutes.
pub const SEEN: usize = 1024;
/// Long after the SimpleX core takes a response.
const KEPT: Millis = Millis::secs(600);

/// The requests of late, in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    ids: BTreeSet<ServiceRequestId>,
    order: VecDeque<(Millis, ServiceRequestId)>,
}

impl Seen {
    /// Notes a request; false when it is known.
    pub(super) fn add(&mut self, now: Millis, id: &ServiceRequestId) -> bool {
        let is_old = |(at, _): &(Millis, ServiceRequestId)| now.since(*at) > KEPT;
        while self.order.len() >= SEEN || self.order.front().is_some_and(is_old) {
            let Some((_, old)) = self.order.pop_front() else { break };
            self.ids.remove(&old);
        }
        let is_new = self.ids.insert(id.clone());
        if is_new {
            self.order.push_back((now, id.clone()));
        }
        is_new
    }
}
