//! Noticing that a connection was made: events are compared with what the connects asked for.

use alloc::vec::Vec;

use super::Conn;
use crate::agent::action::{Stage, State, Work};
use crate::agent::facts::Facts;
use crate::agent::{Agent, Cx};
use crate::simplex::event::Event;
use crate::simplex::model::{Connection, Contact, GroupInfo, Member, MemberStatus};

/// Events that came while a connect waited for its command's answer, which may come later than they
/// (`reference/simplex-api.md` section 1.2).
#[derive(Clone, Debug, Default)]
pub(in crate::agent) struct Early(Vec<Seen>);

/// What an event says of a connection.
#[derive(Clone, Debug)]
pub(in crate::agent) struct Seen {
    /// The connection, when the event shows it.
    connection: Option<Connection>,
    facts: Facts,
    /// The group refused.
    rejected: bool,
    /// Name of the random profile, when the event shows it.
    known_as: Option<alloc::string::String>,
}

/// Most events kept: those of the connects under way at once.
const KEPT: usize = 64;

impl Seen {
    /// What an event says, when it is about a connection.
    pub(in crate::agent) fn of(event: &Event) -> Option<Self> {
        match event {
            Event::ContactConnecting(contact) | Event::ContactSndReady(contact) => {
                Some(Self::contact(contact))
            }
            Event::ContactConnected { contact, incognito } => {
                let known_as = incognito.as_ref().map(|profile| profile.display_name.clone());
                Some(Self { known_as, ..Self::contact(contact) })
            }
            Event::GroupLinkConnecting { group, host } | Event::UserJoinedGroup { group, host } => {
                Some(Self::group(group, host))
            }
            _ => None,
        }
    }

    fn contact(contact: &Contact) -> Self {
        Self {
            connection: contact.active_conn.clone(),
            facts: Facts::contact(contact),
            rejected: false,
            known_as: None,
        }
    }

    fn group(group: &GroupInfo, host: &Member) -> Self {
        Self {
            connection: host.active_conn.clone(),
            facts: Facts::group(group),
            rejected: group.membership.member_status == MemberStatus::Rejected,
            known_as: None,
        }
    }

    fn fits(&self, conn: &Conn) -> bool {
        match conn {
            Conn::Chat(identity) => *identity == self.facts.identity,
            Conn::Pending { id, agent_id } => self
                .connection
                .as_ref()
                .is_some_and(|seen| seen.conn_id == *id && seen.agent_conn_id == *agent_id),
        }
    }
}

impl Agent {
    /// An event about a connection.
    pub(in crate::agent) fn on_connection(&mut self, cx: &mut Cx<'_>, seen: Seen) {
        if let Some(name) = &seen.known_as {
            self.remember_name(cx, &seen.facts, name);
        }
        if let Some(connection) = &seen.connection {
            self.forget_request(cx, connection.conn_id, &connection.agent_conn_id);
        }
        let waiting: Vec<u64> = self.desk.numbers(|action| match &action.work {
            Work::Connect(joining) => {
                matches!(action.state, State::Performing(_))
                    && joining.conn.as_ref().is_some_and(|conn| seen.fits(conn))
            }
            Work::Send(_) | Work::Leave => false,
        });
        for number in waiting {
            self.on_seen(cx, number, &seen);
        }
        self.early.0.push(seen);
        if self.early.0.len() > KEPT {
            self.early.0.remove(0);
        }
    }

    /// Judges the events that came before a connect knew its connection.
    pub(super) fn look_at_early(&mut self, cx: &mut Cx<'_>, number: u64) {
        let seen = self.early.0.clone();
        for seen in seen {
            let conn = self.desk.action(number).and_then(|action| match &action.work {
                Work::Connect(joining) => joining.conn.clone(),
                Work::Send(_) | Work::Leave => None,
            });
            if conn.is_some_and(|conn| seen.fits(&conn)) {
                self.on_seen(cx, number, &seen);
            }
        }
    }

    fn on_seen(&mut self, cx: &mut Cx<'_>, number: u64, seen: &Seen) {
        let Some(action) = self.desk.action_mut(number) else { return };
        // Once the connection was noticed, or its failure, later events change nothing.
        if !matches!(action.state, State::Performing(Stage::Waiting(_))) {
            return;
        }
        let Work::Connect(joining) = &mut action.work else { return };
        joining.conn = Some(Conn::Chat(seen.facts.identity.clone()));
        action.gain.joined = Some(seen.facts.clone());
        if seen.rejected {
            joining.prepared = Some(seen.facts.clone());
            self.fail_connect(cx, number, super::model::JOIN_REJECTED.into());
        } else if seen.facts.connected {
            self.on_connected(cx, number, seen.facts.clone());
        } else if seen.facts.admission.is_some() {
            self.end_unconnected(cx, number);
        }
    }
}
