//! Performing an approved connect.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Conn, Route, Verdict, digest, is_full_one_time, judge};
use crate::agent::action::{Stage, State, Work};
use crate::agent::collect::{Collector, Place};
use crate::agent::facts::Facts;
use crate::agent::ops::{Answer, Then, unexpected};
use crate::agent::text::{model, person};
use crate::agent::tools::input::{Call as Input, ConnectInput};
use crate::agent::{Agent, Cx};
use crate::effect::DataFile;
use crate::simplex::chat_ref::ChatRef;
use crate::simplex::command::{Command, Conversation, Page};
use crate::simplex::model::{ChatItem, ConnLink, ContactId, GroupId, ItemId, Profile};
use crate::simplex::response::Response;
use crate::time::Millis;

/// Messages read at the connection (plan, "connect").
const PAGE: u32 = 50;
/// The wait for a connection ends at most this long after the action's creation, so that the card can still be edited
/// (plan, "connect": 23 h 50 min).
const LONGEST_WAIT: Millis = Millis::secs(23 * 3600 + 50 * 60);

/// Steps of a connect.
#[derive(Clone, Debug)]
pub(in crate::agent) enum Step {
    /// The late plan.
    Plan,
    /// The link is compared with what the core has since the first plan; this is done when nothing changed.
    CheckAgain(Route),
    /// The full one-time link is being remembered.
    Remember,
    /// The agent's older request is looked for; this is done next.
    FindOlder(Route),
    /// The older request is being deleted; this is done next.
    DeleteOld(Route),
    /// The chat is being prepared.
    Prepare,
    /// The connection is being asked for.
    Ask,
    /// The chat's messages are read.
    Page,
    /// A chat that was prepared in vain is being deleted; then the action fails.
    CleanUp(String),
}

impl Agent {
    /// Begins an approved connect.
    pub(in crate::agent) fn begin_connect(&mut self, cx: &mut Cx<'_>, number: u64) {
        let Some((input, joining)) = self.connect_work(number) else { return };
        if let Some(route) = joining.route.clone() {
            self.check_again(cx, number, route);
        } else if is_full_one_time(&input.target) {
            self.remember(cx, number, &input.target);
        } else {
            let plan = Command::Plan { user: self.user_id(), target: input.target };
            self.command(cx, Then::Connect(number, Step::Plan), &plan);
        }
    }

    pub(super) fn connect_work(&self, number: u64) -> Option<(ConnectInput, &super::Joining)> {
        let action = self.desk.action(number)?;
        match (&action.input, &action.work) {
            (Input::Connect(input), Work::Connect(joining)) => Some((input.clone(), joining)),
            _ => None,
        }
    }

    fn joining_mut(&mut self, number: u64) -> Option<&mut super::Joining> {
        match &mut self.desk.action_mut(number)?.work {
            Work::Connect(joining) => Some(joining),
            Work::Send(_) | Work::Leave => None,
        }
    }

    /// The link is stored as used before it is used: a second use would destroy the contact.
    fn remember(&mut self, cx: &mut Cx<'_>, number: u64, link: &str) {
        if !self.disk.one_time.insert(digest(link)) {
            // Another action used it since this one was asked for.
            return self.fail_connect(cx, number, model::not_joinable(link, super::USED));
        }
        let text = self.disk.text();
        self.write(cx, Then::Connect(number, Step::Remember), DataFile::State, text);
    }

    pub(super) fn take_route(&mut self, cx: &mut Cx<'_>, number: u64, route: Route) {
        let user = self.user_id();
        let Some(joining) = self.joining_mut(number) else { return };
        joining.route = Some(route.clone());
        let incognito = joining.incognito;
        let ask = |command: Command| (Then::Connect(number, Step::Ask), command);
        let (then, command) = match route {
            Route::Plain(link) => ask(Command::Connect { user, incognito, link }),
            Route::Again(link) => return self.find_older(cx, number, Route::Plain(link)),
            Route::Contact { link, domain, data } => {
                (Then::Connect(number, Step::Prepare), Command::PrepareContact { user, link, domain, data })
            }
            Route::Group { link, direct, domain, data } => (
                Then::Connect(number, Step::Prepare),
                Command::PrepareGroup { user, link, direct, domain, data },
            ),
            Route::Name(target) => ask(Command::ConnectTo { incognito, target }),
            Route::Card(contact) => ask(Command::ConnectCard { user, incognito, contact }),
            Route::Resume(facts) => return self.connect_prepared(cx, number, *facts),
        };
        self.command(cx, then, &command);
    }

    /// A step of a connect ended.
    pub(in crate::agent) fn on_connect(&mut self, cx: &mut Cx<'_>, number: u64, step: Step, answer: Answer) {
        // Nothing that reaches a peer begins after the stop did (P6).
        if !self.is_running() {
            return;
        }
        let response = match (&step, answer) {
            (Step::CleanUp(error), _) => {
                let error = error.clone();
                return self.end_perform(cx, number, State::Failed(error));
            }
            (Step::DeleteOld(_), Err(trouble)) if trouble.is(|e| e.is_pending_connection_not_found()) => {
                Response::Ok
            }
            (_, Ok(response)) => response,
            (Step::Remember, Err(trouble)) => {
                // It was not used.
                if let Some(link) = self.connect_work(number).map(|(input, _)| digest(&input.target)) {
                    self.disk.one_time.remove(&link);
                }
                return self.fail_connect(cx, number, trouble.text());
            }
            // The connection stands, whatever becomes of the page: `receive` reads the messages.
            (Step::Page, Err(trouble)) => return self.on_connect_page(cx, number, Err(trouble)),
            (_, Err(trouble)) => return self.fail_connect(cx, number, trouble.text()),
        };
        match step {
            Step::Plan => self.on_late_plan(cx, number, response),
            Step::Remember => {
                let Some((input, _)) = self.connect_work(number) else { return };
                let link = ConnLink { conn_full_link: input.target, conn_short_link: None };
                self.take_route(cx, number, Route::Plain(link));
            }
            Step::CheckAgain(route) => self.on_checked_again(cx, number, route, response),
            Step::FindOlder(then) => self.on_older(cx, number, then, response),
            Step::DeleteOld(then) => self.take_route(cx, number, then),
            Step::Prepare => self.on_prepared(cx, number, response),
            Step::Ask => self.on_asked(cx, number, response),
            Step::Page => self.on_connect_page(cx, number, Ok(response)),
            Step::CleanUp(_) => {}
        }
    }

    fn on_late_plan(&mut self, cx: &mut Cx<'_>, number: u64, response: Response) {
        let Some((input, _)) = self.connect_work(number) else { return };
        let Response::Planned(planned) = response else {
            return self.fail_connect(cx, number, unexpected("connect", &response).text());
        };
        match judge(&planned, &input) {
            Err(reason) => self.fail_connect(cx, number, reason),
            Ok(Verdict::Known(facts, said)) => {
                if let Some(joining) = self.joining_mut(number) {
                    joining.said = said;
                }
                self.end_known(cx, number, facts);
            }
            Ok(Verdict::Join(route, said)) => {
                if let Some(joining) = self.joining_mut(number) {
                    joining.said = said;
                }
                self.take_route(cx, number, route);
            }
        }
    }

    fn on_prepared(&mut self, cx: &mut Cx<'_>, number: u64, response: Response) {
        let facts = match &response {
            Response::Prepared(chat) => Facts::of(&chat.chat_info),
            _ => None,
        };
        match facts {
            Some(facts) => self.connect_prepared(cx, number, facts),
            None => self.fail_connect(cx, number, unexpected("connect", &response).text()),
        }
    }

    fn connect_prepared(&mut self, cx: &mut Cx<'_>, number: u64, facts: Facts) {
        let Some(joining) = self.joining_mut(number) else { return };
        let (incognito, text) = (joining.incognito, joining.message.clone());
        joining.conn = Some(Conn::Chat(facts.identity.clone()));
        let command = match facts.chat() {
            ChatRef::Contact(id) => Command::ConnectContact { contact: ContactId::new(id), incognito, text },
            ChatRef::Group(id) => Command::ConnectGroup { group: GroupId::new(id), incognito, text },
        };
        joining.prepared = Some(facts);
        self.command(cx, Then::Connect(number, Step::Ask), &command);
    }

    fn on_asked(&mut self, cx: &mut Cx<'_>, number: u64, response: Response) {
        match response {
            Response::Connecting { connection, incognito } => {
                self.remember_request(cx, number, connection.pcc_conn_id, &connection.pcc_agent_conn_id);
                if let Some(joining) = self.joining_mut(number) {
                    joining.known_as = incognito.map(|profile| profile.display_name);
                }
                let conn =
                    Conn::Pending { id: connection.pcc_conn_id, agent_id: connection.pcc_agent_conn_id };
                self.wait_for_connection(cx, number, conn, None);
            }
            Response::ConnectingContact { contact, incognito }
            | Response::InvitationSentToContact { contact, incognito } => {
                self.on_chat_asked(cx, number, Facts::contact(&contact), incognito);
            }
            Response::ConnectingGroup { group, incognito, .. } => {
                self.on_chat_asked(cx, number, Facts::group(&group), incognito);
            }
            Response::ContactAlreadyExists(contact) => self.end_known(cx, number, Facts::contact(&contact)),
            Response::Planned(planned) => {
                let Some((input, _)) = self.connect_work(number) else { return };
                let reason = match judge(&planned, &input) {
                    Err(reason) => reason,
                    Ok(Verdict::Known(facts, _)) => return self.end_known(cx, number, facts),
                    Ok(Verdict::Join(..)) => {
                        model::not_joinable(&input.target, "the SimpleX core did not connect")
                    }
                };
                self.fail_connect(cx, number, reason);
            }
            other => self.fail_connect(cx, number, unexpected("connect", &other).text()),
        }
    }

    fn on_chat_asked(&mut self, cx: &mut Cx<'_>, number: u64, facts: Facts, incognito: Option<Profile>) {
        if let Some(profile) = incognito {
            self.remember_name(cx, &facts, &profile.display_name);
        }
        let conn = Conn::Chat(facts.identity.clone());
        self.wait_for_connection(cx, number, conn, Some(facts));
    }

    /// The request is made: from here a failure deletes nothing, the other side may accept at any time.
    fn wait_for_connection(&mut self, cx: &mut Cx<'_>, number: u64, conn: Conn, joined: Option<Facts>) {
        let Some(action) = self.desk.action_mut(number) else { return };
        let Work::Connect(joining) = &mut action.work else { return };
        joining.conn = Some(conn);
        joining.prepared = None;
        let until = action.approved_at.unwrap_or(cx.now.mono) + joining.wait;
        action.state = State::Performing(Stage::Waiting(until.min(action.created.mono + LONGEST_WAIT)));
        let connected = joined.as_ref().is_some_and(|facts| facts.connected);
        action.gain.joined = joined.clone();
        match joined {
            Some(facts) if connected => self.on_connected(cx, number, facts),
            _ => self.look_at_early(cx, number),
        }
        self.look_at_action(cx, number);
    }

    /// A call with a longer wait lets the perform wait longer.
    pub(in crate::agent) fn extend_wait(&mut self, number: u64, wait: Millis) {
        let Some(action) = self.desk.action_mut(number) else { return };
        let Work::Connect(joining) = &mut action.work else { return };
        joining.wait = joining.wait.max(wait);
        if let (State::Performing(Stage::Waiting(until)), Some(approved)) =
            (&mut action.state, action.approved_at)
        {
            *until = (*until).max(approved + joining.wait).min(action.created.mono + LONGEST_WAIT);
        }
    }

    /// The other side accepted: the chat's messages are read.
    pub(super) fn on_connected(&mut self, cx: &mut Cx<'_>, number: u64, facts: Facts) {
        let Some(action) = self.desk.action_mut(number) else { return };
        action.state = State::Performing(Stage::Running);
        action.gain.connected_at = Some(cx.now.mono);
        action.collector = Some(Collector::new(Place::own(&facts), None));
        let command = Command::Items { chat: facts.conversation(), page: Page::Last { count: PAGE } };
        action.gain.joined = Some(facts);
        if let Work::Connect(joining) = &mut action.work {
            joining.opening.begin();
        }
        self.command(cx, Then::Connect(number, Step::Page), &command);
    }

    fn on_connect_page(&mut self, cx: &mut Cx<'_>, number: u64, answer: Answer) {
        let items = match answer {
            Ok(Response::Chat(chat)) => chat.chat_items,
            Ok(other) => {
                cx.warn(person::page_not_read(number, &unexpected("messages", &other).text()));
                Vec::new()
            }
            Err(trouble) => {
                cx.warn(person::page_not_read(number, &trouble.text()));
                Vec::new()
            }
        };
        self.take_connect_page(cx, number, &items);
        self.end_perform(cx, number, State::Done);
    }

    fn take_connect_page(&mut self, cx: &Cx<'_>, number: u64, items: &[ChatItem]) {
        let Some(facts) = self.desk.action(number).and_then(|action| action.gain.joined.clone()) else {
            return;
        };
        let own = self.own_name(&facts);
        let newest = items.iter().map(|item| item.meta.item_id).max();
        let Some(action) = self.desk.action_mut(number) else { return };
        let Work::Connect(joining) = &mut action.work else { return };
        let live = joining.opening.take(&facts, items, &own);
        if let Some(collector) = &mut action.collector {
            collector.start_after(newest.unwrap_or(ItemId::new(0)));
            for item in &live {
                collector.keep(cx.now.mono, &facts, item);
            }
        }
    }

    /// The wait ended without a connection.
    pub(in crate::agent) fn end_unconnected(&mut self, cx: &mut Cx<'_>, number: u64) {
        self.end_perform(cx, number, State::Done);
    }

    /// The target turned out to be a chat the agent has.
    pub(super) fn end_known(&mut self, cx: &mut Cx<'_>, number: u64, facts: Facts) {
        if let Some(action) = self.desk.action_mut(number) {
            action.gain.known = true;
            action.gain.joined = Some(facts);
        }
        self.end_perform(cx, number, State::Done);
    }

    /// Fails a connect; a chat that was prepared in vain is deleted first.
    pub(super) fn fail_connect(&mut self, cx: &mut Cx<'_>, number: u64, error: String) {
        let prepared = self.joining_mut(number).and_then(|joining| {
            joining.conn = None;
            joining.prepared.take()
        });
        let Some(facts) = prepared else {
            return self.end_perform(cx, number, State::Failed(error));
        };
        if let Some(action) = self.desk.action_mut(number) {
            action.state = State::Performing(Stage::Running);
            action.gain.joined = None;
        }
        let chat: Conversation = facts.chat().into();
        self.command(
            cx,
            Then::Connect(number, Step::CleanUp(error)),
            &Command::Delete { chat, notify: false },
        );
    }
}
