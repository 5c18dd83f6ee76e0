//! The end of the process: the last answers have to reach their clients, and an opened store has to be closed.
//!
//! ```text
//! Leaving -every request ended, or 1 s; the store closed, or 20 s-> Effect::Exit
//! ```

use alloc::format;
use alloc::string::String;

use super::ops::{Then, done};
use super::{Agent, Cx, Phase, stop};
use crate::effect::{Effect, ExitCode, Input, Outcome};
use crate::id::OpId;
use crate::time::Millis;

/// The process waits at most this long for its clients to take what they were answered: one that takes nothing holds
/// no end up (STOP-16).
const LAST_ANSWERS: Millis = Millis::secs(1);

/// The process is about to end.
#[derive(Clone, Debug)]
pub(super) struct Leaving {
    code: ExitCode,
    /// Until when the clients are waited for.
    answers: Millis,
    /// The closing of the store and until when it is waited for, when it was asked for.
    store: Option<(OpId, Millis)>,
}

impl Agent {
    /// Ends the process with a line that says why; the store is closed first.
    pub(super) fn fail(&mut self, cx: &mut Cx<'_>, line: String, code: ExitCode) {
        cx.warn(line);
        let op = self.ops.begin(Then::Note("the store was not closed"));
        cx.fx.push(Effect::CloseCore { op });
        self.end(cx, code, Some((op, cx.now.mono + stop::LONGEST)));
    }

    /// Ends the process with a line that says why: the SimpleX core, and its store, are gone.
    pub(super) fn leave_core(&mut self, cx: &mut Cx<'_>, line: String, code: ExitCode) {
        cx.warn(line);
        self.end(cx, code, None);
    }

    fn end(&mut self, cx: &mut Cx<'_>, code: ExitCode, store: Option<(OpId, Millis)>) {
        self.server.close(cx.fx);
        cx.fx.push(Effect::CloseHttp);
        self.phase = Phase::Leaving(Leaving { code, answers: cx.now.mono + LAST_ANSWERS, store });
    }

    /// The stop is done, but for what its clients have not taken: at most until this moment.
    pub(super) fn leave_stopped(&mut self, cx: &Cx<'_>, latest: Millis) {
        let answers = latest.min(cx.now.mono + LAST_ANSWERS);
        self.phase = Phase::Leaving(Leaving { code: ExitCode::Success, answers, store: None });
    }

    /// What still counts: requests are refused, ends are noted, everything else comes too late.
    pub(super) fn on_leaving(&mut self, cx: &mut Cx<'_>, input: Input) {
        match input {
            Input::Http { request, head, body } => {
                let calls = self.server.on_request(cx.now, request, &head, &body, cx.fx);
                debug_assert!(calls.is_empty(), "a closed server opened calls");
            }
            Input::HttpEnded { request, delivered } => {
                self.server.on_ended(request, delivered);
            }
            Input::Done { op, result } => self.on_store_closed(cx, op, result),
            Input::Start { .. } | Input::Event(_) | Input::CoreLost { .. } | Input::Stop | Input::Tick => {}
        }
    }

    /// The store is closed, or something that nobody waits for ended.
    fn on_store_closed(&mut self, cx: &mut Cx<'_>, op: OpId, result: Outcome) {
        let Phase::Leaving(leaving) = &mut self.phase else { return };
        if leaving.store.is_none_or(|(closing, _)| closing != op) {
            return;
        }
        leaving.store = None;
        if let Err(reason) = done(result) {
            cx.warn(format!("the store was not closed: {reason}"));
        }
    }

    /// Ends the process when nothing is waited for any more.
    pub(super) fn look_at_leaving(&mut self, cx: &mut Cx<'_>) {
        let Phase::Leaving(leaving) = &self.phase else { return };
        let now = cx.now.mono;
        let answered = !self.server.has_requests() || now >= leaving.answers;
        if answered && leaving.store.is_none_or(|(_, until)| now >= until) {
            cx.fx.push(Effect::Exit(leaving.code));
            self.phase = Phase::Ended;
        }
    }

    /// When the end wants to be looked at.
    pub(super) fn leaving_due(&self) -> Option<Millis> {
        let Phase::Leaving(leaving) = &self.phase else { return None };
        // Clients that have everything are waited for no longer: their moment would wake the driver for ever.
        let answers = Some(leaving.answers).filter(|_| self.server.has_requests());
        let store = leaving.store.map(|(_, until)| until);
        match (answers, store) {
            (Some(answers), Some(store)) if answers > self.now.mono => Some(answers.min(store)),
            (Some(answers), None) => Some(answers),
            (_, store) => store,
        }
    }
}
