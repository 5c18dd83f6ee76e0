//! What a connect looks at again when its turn comes: another connect may have reached its target since the plan, and
//! an older request of the agent may be on its way (decisions 3).

use super::route::{self, Meanwhile};
use super::{Route, Step, digest};
use crate::agent::disk::Request;
use crate::agent::ops::{Then, unexpected};
use crate::agent::{Agent, Cx};
use crate::effect::DataFile;
use crate::simplex::command::Command;
use crate::simplex::model::{ChatInfo, ConnId};
use crate::simplex::response::Response;

impl Agent {
    /// Compares a planned link with what the core has: its full form is planned, which reaches no router (FINDINGS 2).
    /// A second join of a group would make a second membership, a second prepared chat a second contact.
    pub(super) fn check_again(&mut self, cx: &mut Cx<'_>, number: u64, route: Route) {
        match (&route, route.full_link()) {
            (Route::Plain(_) | Route::Contact { .. } | Route::Group { .. }, Some(full)) => {
                let plan = Command::Plan { user: self.user_id(), target: full.into() };
                self.command(cx, Then::Connect(number, Step::CheckAgain(route)), &plan);
            }
            _ => self.take_route(cx, number, route),
        }
    }

    /// The comparison came.
    pub(super) fn on_checked_again(
        &mut self,
        cx: &mut Cx<'_>,
        number: u64,
        route: Route,
        response: Response,
    ) {
        let Response::Planned(planned) = response else {
            return self.fail_connect(cx, number, unexpected("connect", &response).text());
        };
        match route::meanwhile(&planned.plan) {
            Meanwhile::Same => self.take_route(cx, number, route),
            Meanwhile::Known(facts) => self.end_known(cx, number, facts),
            Meanwhile::Prepared(facts) => self.take_route(cx, number, Route::Resume(facts.into())),
            Meanwhile::Requested => self.find_older(cx, number, route),
        }
    }

    /// Looks for the agent's older request for the target, as it is now: its number may be another connection's.
    pub(super) fn find_older(&mut self, cx: &mut Cx<'_>, number: u64, then: Route) {
        let chats = Command::Chats { user: self.user_id(), count: super::ALL_CHATS };
        self.command(cx, Then::Connect(number, Step::FindOlder(then)), &chats);
    }

    /// The pending connections came: the older request among them is deleted.
    pub(super) fn on_older(&mut self, cx: &mut Cx<'_>, number: u64, then: Route, response: Response) {
        let Response::Chats(chats) = response else {
            return self.fail_connect(cx, number, unexpected("connect", &response).text());
        };
        let key = self.request_key(number);
        let asked = key.and_then(|key| self.disk.requests.get(&key));
        let older = chats.iter().find_map(|chat| match &chat.chat_info {
            ChatInfo::ContactConnection(pending) => asked
                .filter(|asked| {
                    asked.agent == pending.pcc_agent_conn_id && asked.conn == pending.pcc_conn_id.number()
                })
                .map(|_| pending.pcc_conn_id),
            _ => None,
        });
        match older {
            Some(older) => {
                let command = Command::delete_pending(older);
                self.command(cx, Then::Connect(number, Step::DeleteOld(then)), &command);
            }
            None => self.take_route(cx, number, then),
        }
    }

    /// Remembers a request, so that a later connect to the target finds it.
    pub(super) fn remember_request(&mut self, cx: &mut Cx<'_>, number: u64, conn: ConnId, agent: &str) {
        let Some(key) = self.request_key(number) else { return };
        self.disk.requests.insert(key, Request { conn: conn.number(), agent: agent.into() });
        self.store_requests(cx);
    }

    /// Forgets the request of a connection that was answered.
    pub(super) fn forget_request(&mut self, cx: &mut Cx<'_>, conn: ConnId, agent: &str) {
        let before = self.disk.requests.len();
        self.disk.requests.retain(|_, was| was.conn != conn.number() || was.agent != agent);
        if self.disk.requests.len() < before {
            self.store_requests(cx);
        }
    }

    fn store_requests(&mut self, cx: &mut Cx<'_>) {
        let text = self.disk.text();
        self.write(cx, Then::Note("the connection requests were not stored"), DataFile::State, text);
    }

    fn request_key(&self, number: u64) -> Option<alloc::string::String> {
        self.connect_work(number).map(|(_, joining)| digest(&joining.key))
    }
}
