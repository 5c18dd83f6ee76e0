//! Action numbers: given once, kept over crashes (P7).
//!
//! The next number is written to `DIR/state.json` and to the control chat's custom data, and both are acknowledged,
//! before a card shows a number (decisions 4). Writes run one at a time; the actions created during one share the next.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::ops::{Then, command_answer, done};
use super::{Agent, Cx};
use crate::effect::{DataFile, Outcome};
use crate::simplex::command::{Command, Conversation};

/// The counter and the actions that wait for it to be stored.
#[derive(Clone, Debug, Default)]
pub(super) struct Counter {
    /// The next number to give.
    next: u64,
    /// The value being written, with the parts that are not acknowledged.
    writing: Option<(u64, BTreeSet<Part>)>,
    /// Actions whose number is not stored yet.
    waiting: BTreeSet<u64>,
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
        self.counter.writing = Some((next, BTreeSet::from([Part::State, Part::CustomData])));
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
        let Some((next, parts)) = &mut self.counter.writing else { return };
        let next = *next;
        parts.remove(&part);
        match ended {
            Ok(()) => {
                if parts.is_empty() {
                    self.counter.writing = None;
                    for action in self.take_waiting(next) {
                        self.on_number_stored(cx, action);
                    }
                }
            }
            Err(error) => {
                // The other part is still awaited, so that two writes of one place never overlap.
                let last = parts.is_empty();
                for action in self.take_waiting(next) {
                    self.on_number_lost(cx, action, &error);
                }
                if last {
                    self.counter.writing = None;
                }
            }
        }
        self.store_counter(cx);
    }

    /// The waiting actions whose numbers are below this value.
    fn take_waiting(&mut self, next: u64) -> Vec<u64> {
        let later = self.counter.waiting.split_off(&next);
        core::mem::replace(&mut self.counter.waiting, later).into_iter().collect()
    }

    /// An action's number could not be stored: it fails, and no card is posted.
    fn on_number_lost(&mut self, cx: &mut Cx<'_>, action: u64, error: &str) {
        self.fail_unposted(cx, action, String::from(error));
    }
}
