//! P7: an action's number is never used twice.

use std::collections::BTreeSet;

use super::Say;
use crate::model::fact::{Fact, What};
use crate::model::stance::buttons;
use crate::model::{Stance, key, reading};
use crate::trace::Property;

/// Numbers so far.
#[derive(Default)]
pub(super) struct Numbers {
    /// Numbers that somebody saw: on a card, in a result, in progress.
    seen: BTreeSet<u64>,
    /// Numbers on cards.
    carded: BTreeSet<u64>,
    /// Numbers in the log of any run.
    given: BTreeSet<u64>,
}

impl Numbers {
    pub(super) fn look(&mut self, fact: &Fact, control: Option<&str>, say: &mut Say<'_>) {
        match &fact.what {
            What::Log(line) => {
                if let Some(created) = reading::created(line) {
                    let n = created.number;
                    if !self.given.insert(n) || self.seen.contains(&n) {
                        say(Property::P7, format!("number {n} is given again: {line}"));
                    }
                }
            }
            What::Said(_, message) => self.seen.extend(key::told(message)),
            What::Command(_, line) => {
                let asks = reading::posted(line)
                    .filter(|posted| Some(posted.place.as_str()) == control && posted.item.is_none())
                    .filter(|posted| Stance::of(&posted.text) == Some(Stance::Asks));
                let button = asks.and_then(|posted| buttons(&posted.text).first().cloned());
                if let Some(n) = button.and_then(|button| button.rsplit(' ').next()?.parse().ok()) {
                    self.seen.insert(n);
                    if !self.carded.insert(n) {
                        say(Property::P7, format!("number {n} is on another card: {line}"));
                    }
                }
            }
            _ => {}
        }
    }
}
