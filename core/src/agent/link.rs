//! The join link of the control chat: opened, printed, tried again while the routers can't be reached.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::control::Person;
use super::ops::{Answer, Then, unexpected};
use super::text::person;
use super::{Agent, Cx};
use crate::config::{Mode, Owners, QrSize};
use crate::effect::Effect;
use crate::simplex::command::Command;
use crate::simplex::model::MemberRole;
use crate::simplex::response::Response;
use crate::time::Millis;

/// How often the creation is tried again (decisions 4, "Start offline").
const RETRY: Millis = Millis::secs(30);

/// The join link.
#[derive(Clone, Debug, Default)]
pub(super) struct Link {
    /// Who used the link that is open, or was last.
    used_by: Option<Person>,
    /// Identities of those who used it after that one.
    late: BTreeSet<String>,
    /// It was created in this run: nobody used it before the run began.
    of_this_run: bool,
    /// It was opened, and nobody used it.
    wanted: bool,
    /// When creating it is tried again.
    retry: Option<Millis>,
    /// One line is printed for all attempts.
    said: bool,
}

/// What a use of the link is.
#[derive(Clone, Debug)]
pub(super) enum Use {
    /// The first: nobody used it before.
    First,
    /// It came after this person's.
    After(Person),
    /// It is known: an event came twice.
    Known,
}

impl Link {
    /// Takes the use of the link by `person`. `there` used it, or may have, before this run.
    pub(super) fn take_use(&mut self, person: &Person, there: Option<&Person>) -> Use {
        let is_same = |first: &Person| first.member_id == person.member_id;
        if self.used_by.as_ref().is_some_and(is_same) || self.late.contains(&person.member_id) {
            return Use::Known;
        }
        let first = self.used_by.as_ref().or_else(|| there.filter(|_| !self.of_this_run));
        match first.cloned() {
            Some(first) => {
                self.late.insert(person.member_id.clone());
                Use::After(first)
            }
            None => {
                self.used_by = Some(person.clone());
                self.wanted = false;
                self.retry = None;
                Use::First
            }
        }
    }

    /// When creating the link is tried again.
    pub(super) const fn due(&self) -> Option<Millis> {
        self.retry
    }
}

/// Steps of the link.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The older link is being deleted.
    Delete,
    /// The new one is being created.
    Create,
    /// One that nobody is to use is being deleted.
    Drop,
}

impl Agent {
    /// Opens a new link, the older one deleted first.
    pub(super) fn open_link(&mut self, cx: &mut Cx<'_>) {
        let Some(control) = self.usable_control() else { return };
        let command = Command::DeleteGroupLink(control.group_id());
        self.link.retry = None;
        self.link.wanted = true;
        self.command(cx, Then::Link(Step::Delete), &command);
    }

    /// Tries again when it is time.
    pub(super) fn retry_link(&mut self, cx: &mut Cx<'_>) {
        if self.link.retry.is_some_and(|at| cx.now.mono >= at) {
            self.open_link(cx);
        }
    }

    /// A step of the link ended.
    pub(super) fn on_link(&mut self, cx: &mut Cx<'_>, step: Step, answer: Answer) {
        match (step, answer) {
            (Step::Drop, Err(trouble)) if !trouble.is(|error| error.is_group_link_not_found()) => {
                cx.warn(person::link_not_deleted(&trouble.text()));
            }
            (Step::Drop, _) => {}
            (Step::Delete, Err(trouble)) if !trouble.is(|error| error.is_group_link_not_found()) => {
                self.wait_for_link(cx, &trouble.text());
            }
            // Somebody used the older one meanwhile.
            (Step::Delete, _) if !self.link.wanted => self.say_listening(cx),
            (Step::Delete, _) => {
                let Some(control) = self.usable_control() else { return };
                let role = if self.config.owners == Owners::Nobody {
                    MemberRole::Observer
                } else {
                    MemberRole::Member
                };
                let command = Command::CreateGroupLink { group: control.group_id(), role };
                self.command(cx, Then::Link(Step::Create), &command);
            }
            (Step::Create, Ok(Response::GroupLink { .. })) if !self.link.wanted => {
                self.delete_link(cx);
                self.say_listening(cx);
            }
            (Step::Create, Ok(Response::GroupLink { link, .. })) => {
                self.link = Link { of_this_run: true, wanted: true, ..Link::default() };
                self.show_link(cx, link.conn_link_contact.shortest());
                self.say_listening(cx);
            }
            (Step::Create, Ok(other)) => {
                let error = unexpected("/_create link", &other).text();
                self.wait_for_link(cx, &error);
            }
            (Step::Create, Err(trouble)) => self.wait_for_link(cx, &trouble.text()),
        }
    }

    /// Deletes a link that nobody is to use.
    fn delete_link(&mut self, cx: &mut Cx<'_>) {
        let Some(control) = self.usable_control() else { return };
        let command = Command::DeleteGroupLink(control.group_id());
        self.command(cx, Then::Link(Step::Drop), &command);
    }

    fn wait_for_link(&mut self, cx: &mut Cx<'_>, error: &str) {
        if !self.link.wanted {
            return self.say_listening(cx);
        }
        self.link.retry = Some(cx.now.mono + RETRY);
        if !self.link.said {
            self.link.said = true;
            cx.log(person::link_retry(error));
        }
        self.say_listening(cx);
    }

    /// Prints the link (plan, "First start"); the code only on a terminal (decisions 10).
    fn show_link(&self, cx: &mut Cx<'_>, link: &str) {
        cx.log(person::JOIN);
        if let Some(size) = self.config.qr {
            cx.fx.push(Effect::ShowQr { link: link.into(), size });
        }
        cx.log(link);
        if self.config.qr == Some(QrSize::Small) {
            cx.log(person::SCAN_HINT);
        }
        match self.config.owners {
            Owners::Nobody => cx.log(person::OBSERVER_LINK),
            Owners::Anyone | Owners::Listed(_) => {
                let line = match self.config.mode {
                    Mode::Requests => person::owner_link,
                    Mode::Host => person::host_owner_link,
                };
                cx.log(line(&self.display_name()));
            }
        }
    }

    /// After the start: the owners are set up as `--owners` says (plan, `ownerStart`).
    pub(super) fn set_up_owners(&mut self, cx: &mut Cx<'_>) {
        let Some(control) = self.usable_control() else { return self.say_listening(cx) };
        let humans: Vec<Person> = control.humans_vec();
        match &self.config.owners {
            Owners::Anyone => self.set_up_anyone(cx, &humans),
            Owners::Nobody if humans.is_empty() => self.open_link(cx),
            Owners::Nobody => {
                for human in &humans {
                    self.say_observer(cx, human);
                }
                self.say_listening(cx);
            }
            Owners::Listed(entries) => {
                let line = person::owners(entries);
                self.set_up_listed(cx, &humans);
                cx.log(line);
                self.say_registration(cx);
                self.say_listening(cx);
            }
        }
    }

    fn set_up_anyone(&mut self, cx: &mut Cx<'_>, humans: &[Person]) {
        // A crash between the join and the greeting: the one who came by the link is still waiting (decisions 10).
        let waiting = match humans {
            [only] if only.by_link && !self.disk.greeted.contains(&only.member_id) => Some(only.clone()),
            _ => None,
        };
        if humans.iter().any(|human| human.owner) {
            if let Some(owner) = waiting {
                self.greet(cx, &owner);
            }
            self.say_registration(cx);
            return self.say_listening(cx);
        }
        if let Some(joined) = waiting {
            self.on_link_used(cx, joined);
            return self.say_listening(cx);
        }
        if !humans.is_empty() {
            cx.log(person::NO_OWNERS);
        }
        self.open_link(cx);
    }

    fn set_up_listed(&mut self, cx: &mut Cx<'_>, humans: &[Person]) {
        let Some(control) = self.usable_control() else { return };
        let group = control.group_id();
        let listed: Vec<bool> = humans.iter().map(|human| control.is_listed(human)).collect();
        for (human, listed) in humans.iter().zip(listed) {
            // One member a command: the core refuses several with an owner among them (`simplex-api.md` 2.4).
            if !listed {
                let remove = Command::RemoveMember { group, member: human.id };
                self.command(cx, Then::Join(super::join::Step::Remove), &remove);
            } else if !human.owner {
                let role = MemberRole::Owner;
                let promote = Command::SetMemberRole { group, member: human.id, role };
                self.command(cx, Then::Join(super::join::Step::Listed(human.clone())), &promote);
            }
        }
        self.delete_link(cx);
    }

    fn say_observer(&mut self, cx: &mut Cx<'_>, human: &Person) {
        let entry = human.entry();
        cx.log(person::observer_joined(&entry));
        let message = super::text::owner::observer_joined(&entry);
        self.post(cx, Then::Join(super::join::Step::Posted), message);
    }

    fn say_registration(&self, cx: &mut Cx<'_>) {
        cx.log(person::register_hint(&self.config.name, &self.config.data_option));
    }
}
