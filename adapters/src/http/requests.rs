//! The requests that the machine knows of, and the two promises about them: no request is reported after the front end
//! was closed, and each that was is ended exactly once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use simplex_agent_core::Input;
use simplex_agent_core::id::RequestId;
use simplex_agent_core::mcp::http::{Body, Head, Limits, Reply};

use super::budget::{Budget, Held};
use crate::driver::Inbox;

/// The requests of one front end.
#[derive(Debug)]
pub(super) struct Requests {
    inbox: Inbox,
    budget: Arc<Budget>,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    closed: bool,
    open: BTreeMap<RequestId, Parts>,
}

/// What was given of an answer and is not taken yet. A channel for each request would cost more than all the rest of it.
#[derive(Debug, Default)]
struct Parts {
    given: VecDeque<Part>,
    taker: Option<Waker>,
}

/// A piece of an answer.
#[derive(Debug)]
pub(super) enum Part {
    /// The whole of it.
    Reply(Reply),
    /// The head of a stream.
    Open(Vec<(String, String)>),
    /// More of a stream.
    Send(String),
    /// The end of a stream.
    Close,
    /// The front end closes and there is no answer.
    Abort,
}

/// A request that the machine knows of, which takes its answer. Dropping it reports its end.
#[derive(Debug)]
pub(super) struct OpenRequest {
    requests: Arc<Requests>,
    request: RequestId,
    delivered: bool,
    _held: Held,
}

impl Requests {
    pub(super) fn new(inbox: Inbox, limits: &Limits) -> Arc<Self> {
        Arc::new(Self { inbox, budget: Budget::new(limits), table: Mutex::default() })
    }

    /// The room for a body that is about to be read.
    pub(super) fn hold(&self) -> Held {
        self.budget.hold()
    }

    /// Reports a request. `None` after [`Requests::close`].
    pub(super) fn begin(self: &Arc<Self>, head: Head, body: Body, held: Held) -> Option<OpenRequest> {
        let request = {
            let mut table = self.table();
            if table.closed {
                return None;
            }
            table.next += 1;
            let request = RequestId::new(table.next);
            table.open.insert(request, Parts::default());
            request
        };
        let open = OpenRequest { requests: self.clone(), request, delivered: false, _held: held };
        self.inbox.put(Input::Http { request, head, body });
        Some(open)
    }

    /// Passes a part on; nobody waits for it when the client is gone.
    pub(super) fn give(&self, request: RequestId, part: Part) {
        let taker = self.table().open.get_mut(&request).and_then(|parts| parts.give(part));
        if let Some(taker) = taker {
            taker.wake();
        }
    }

    /// Takes no more requests. Those without an answer are aborted; an answer that was given goes out.
    pub(super) fn close(&self) {
        let mut table = self.table();
        table.closed = true;
        let takers: Vec<Waker> =
            table.open.values_mut().filter_map(|parts| parts.give(Part::Abort)).collect();
        drop(table);
        takers.into_iter().for_each(Waker::wake);
    }

    /// Reports the end of something the front end was asked for.
    pub(super) fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// The table is whole between any two statements, so that a panic of another holder spoils nothing.
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Parts {
    /// Who waits for it is to be woken when the table is free.
    fn give(&mut self, part: Part) -> Option<Waker> {
        self.given.push_back(part);
        self.taker.take()
    }
}

impl OpenRequest {
    /// The next part of the answer. It wakes who asked last.
    pub(super) fn poll_part(&self, context: &mut Context<'_>) -> Poll<Part> {
        let mut table = self.requests.table();
        // It is there until this is dropped.
        let Some(parts) = table.open.get_mut(&self.request) else { return Poll::Ready(Part::Abort) };
        if let Some(part) = parts.given.pop_front() {
            return Poll::Ready(part);
        }
        parts.taker = Some(context.waker().clone());
        Poll::Pending
    }

    /// The last byte was accepted and the client had not closed.
    pub(super) fn delivered(mut self) {
        self.delivered = true;
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let _parts = self.requests.table().open.remove(&self.request);
        self.requests.inbox.put(Input::HttpEnded { request: self.request, delivered: self.delivered });
    }
}
