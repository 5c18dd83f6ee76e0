//! Action numbers: given once, kept over crashes (P7).
//!
//! The next number is written to `DIR/state.json` and to the control chat's custom data, and both are acknowledged,
//! before anyone sees a number: no log line, no progress, no list, no card (decisions 4; DATA-14). Writes run one at a
//! time; the actions created during one share the next.
//!
//! ```text
//! given -both places stored it-> shown, asked or performed
//! given -a place refused it, or 2 min-> in one place at least: shown as failed; in none: its calls get an error
//! ```

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::call::LONGEST_LOOK;
use super::ops::{Then, command_answer, done};
use super::text::{model, person};
use super::{Agent, Cx};
use crate::effect::{DataFile, Outcome};
use crate::simplex::command::{Command, Conversation};
use crate::time::Millis;

/// The largest stored number that is believed: a larger one is damage, no count, and the numbers after it would run out
/// or no longer be exact in other programs' JSON (above 2^53).
pub(super) const LARGEST: u64 = 900_000_000_000_000;

/// The counter and the actions that wait for it to be stored.
#[derive(Clone, Debug, Default)]
pub(super) struct Counter {
    /// The next number to give.
    next: u64,
    /// The value being written.
    writing: Option<Writing>,
    /// Numbers below this one are stored in one place at least: a later start gives none of them.
    durable: u64,
    /// Actions whose number is not stored yet.
    waiting: BTreeSet<u64>,
}

/// A write under way.
#[derive(Clone, Debug)]
struct Writing {
    next: u64,
    /// The places that have not answered.
    parts: BTreeSet<Part>,
    /// Why a place did not take it.
    error: Option<String>,
}

/// Where the counter is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    State,
    CustomData,
}

impl Counter {
    /// Starts from what is stored: the larger wins (decisions 4).
    pub(super) fn start_at(&mut self, stored: u64) {
        self.next = self.next.max(stored).max(1);
        self.durable = self.durable.max(stored);
    }

    /// The next number to give.
    pub(super) const fn next(&self) -> u64 {
        self.next
    }
}

impl Agent {
    /// Gives a number; [`Agent::on_number_stored`] or [`Agent::on_number_lost`] follows.
    pub(super) fn take_number(&mut self) -> u64 {
        let number = self.counter.next;
        self.counter.next = number.saturating_add(1);
        self.counter.waiting.insert(number);
        number
    }

    /// Begins a write when one is needed and none is under way.
    pub(super) fn store_counter(&mut self, cx: &mut Cx<'_>) {
        let Some(control) = &self.control else { return };
        if self.counter.writing.is_some() || self.counter.waiting.is_empty() {
            return;
        }
        let next = self.counter.next;
        let custom = Command::SetCustomData {
            chat: Conversation::Group(control.group_id()),
            data: Some(control.custom_data(next)),
        };
        let parts = BTreeSet::from([Part::State, Part::CustomData]);
        self.counter.writing = Some(Writing { next, parts, error: None });
        self.disk.next_action = next;
        let text = self.disk.text();
        self.write(cx, Then::Counter(Part::State), DataFile::State, text);
        self.command(cx, Then::Counter(Part::CustomData), &custom);
    }

    /// One part of a write ended.
    pub(super) fn on_counter(&mut self, cx: &mut Cx<'_>, part: Part, result: Outcome) {
        let ended = match part {
            Part::State => done(result),
            Part::CustomData => command_answer(result).map(|_| ()).map_err(|trouble| trouble.text()),
        };
        let Some(writing) = &mut self.counter.writing else { return };
        writing.parts.remove(&part);
        match ended {
            Ok(()) => self.counter.durable = self.counter.durable.max(writing.next),
            Err(error) => writing.error = Some(error),
        }
        // Both places are awaited, so that two writes of one place never overlap.
        if let Some(Writing { next, error, .. }) =
            self.counter.writing.take_if(|writing| writing.parts.is_empty())
        {
            for number in self.take_waiting(next) {
                match &error {
                    None => self.on_number_stored(cx, number),
                    Some(error) => self.on_number_lost(cx, number, error),
                }
            }
            self.store_counter(cx);
        }
    }

    /// Numbers that no place has taken or refused for too long are given up.
    pub(super) fn give_up_numbers(&mut self, cx: &mut Cx<'_>) {
        let late = |number: &&u64| self.number_due(**number).is_none_or(|due| cx.now.mono >= due);
        let late: Vec<u64> = self.counter.waiting.iter().filter(late).copied().collect();
        for number in late {
            self.counter.waiting.remove(&number);
            self.on_number_lost(cx, number, model::NUMBER_LATE);
        }
    }

    /// When the next number is given up.
    pub(super) fn numbers_due(&self) -> Option<Millis> {
        self.counter.waiting.iter().filter_map(|number| self.number_due(*number)).min()
    }

    fn number_due(&self, number: u64) -> Option<Millis> {
        self.desk.action(number).map(|action| action.created.mono + LONGEST_LOOK)
    }

    /// The waiting actions whose numbers are below this value.
    fn take_waiting(&mut self, next: u64) -> Vec<u64> {
        let later = self.counter.waiting.split_off(&next);
        core::mem::replace(&mut self.counter.waiting, later).into_iter().collect()
    }

    /// An action's number could not be stored: it fails, and no card is posted. A number that no place has may be given
    /// again by a later start: nobody is shown it.
    fn on_number_lost(&mut self, cx: &mut Cx<'_>, number: u64, error: &str) {
        if number < self.counter.durable {
            self.show_number(cx, number);
            return self.fail_unposted(cx, number, String::from(error));
        }
        let Some(action) = self.desk.remove(number) else { return };
        cx.warn(person::number_lost(error));
        for call in action.calls {
            self.refuse(cx, call, model::number_lost(error));
        }
    }
}
