//! The cards of actions in the control chat: posted, edited to their outcome, edited again once when that failed.

use alloc::string::String;
use alloc::vec::Vec;

use super::action::{Action, Posted, State, Way};
use super::ops::{Answer, Then, unexpected};
use super::text::{model, person};
use super::{Agent, Cx};
use crate::agent::card::{Decision, Outcome};
use crate::simplex::command::{Command, Composed, Conversation};
use crate::simplex::model::ItemId;
use crate::simplex::response::Response;
use crate::time::Millis;

/// An edit that failed is tried once more after this (decisions 3).
const RETRY: Millis = Millis::secs(1);

/// Steps of cards.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The card is being posted.
    Post(u64),
    /// The outcome is being posted, for an action that has no card.
    PostOutcome(u64),
    /// The card is being edited.
    Edit(Edit),
}

/// One edit of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) number: u64,
    pub(super) item: ItemId,
    pub(super) text: String,
    /// The second try.
    pub(super) again: bool,
}

/// Edits to be tried again, each with its moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Edits(Vec<(Millis, Edit)>);

impl Edits {
    /// When the next is due.
    pub(super) fn due(&self) -> Option<Millis> {
        self.0.iter().map(|(at, _)| *at).min()
    }

    /// Whether none waits.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take_due(&mut self, now: Millis) -> Vec<Edit> {
        let (due, later) = core::mem::take(&mut self.0).into_iter().partition(|(at, _)| *at <= now);
        self.0 = later;
        let due: Vec<(Millis, Edit)> = due;
        due.into_iter().map(|(_, edit)| edit).collect()
    }
}

impl Agent {
    /// Posts a text in the control chat.
    pub(super) fn post(&mut self, cx: &mut Cx<'_>, then: Then, text: String) {
        let Some(control) = &self.control else { return };
        let chat = Conversation::Group(control.group_id());
        let command = Command::Send { chat, live: false, messages: alloc::vec![Composed::text(text)] };
        self.command(cx, then, &command);
    }

    /// Posts the card of a pending action.
    pub(super) fn post_card(&mut self, cx: &mut Cx<'_>, number: u64) {
        let Some(action) = self.desk.action_mut(number) else { return };
        action.posted = Posted::Under;
        let text = action.card.pending(number);
        self.post(cx, Then::Card(Step::Post(number)), text);
    }

    /// Edits a card.
    pub(super) fn edit(&mut self, cx: &mut Cx<'_>, edit: Edit) {
        let Some(control) = &self.control else { return };
        let command = Command::EditItem {
            chat: Conversation::Group(control.group_id()),
            item: edit.item,
            live: false,
            text: edit.text.clone(),
            mentions: alloc::collections::BTreeMap::new(),
        };
        self.command(cx, Then::Card(Step::Edit(edit)), &command);
    }

    /// Edits that failed once are tried again.
    pub(super) fn retry_edits(&mut self, cx: &mut Cx<'_>) {
        for edit in self.edits.take_due(cx.now.mono) {
            self.edit(cx, edit);
        }
    }

    /// A step of a card ended.
    pub(super) fn on_card(&mut self, cx: &mut Cx<'_>, step: Step, answer: Answer) {
        match step {
            Step::Post(number) => self.on_posted(cx, number, answer),
            Step::PostOutcome(number) => {
                if let Err(trouble) = answer {
                    cx.warn(person::card_not_edited(number, &trouble.text()));
                }
            }
            Step::Edit(edit) => self.on_edited(cx, edit, answer),
        }
        self.look_at_stop(cx);
    }

    fn on_posted(&mut self, cx: &mut Cx<'_>, number: u64, answer: Answer) {
        let item = match answer {
            Ok(Response::NewItems(items)) => items.first().map(|item| item.chat_item.meta.item_id),
            Ok(other) => {
                let error = unexpected("card", &other).text();
                return self.fail_unposted(cx, number, error);
            }
            Err(trouble) => return self.fail_unposted(cx, number, trouble.text()),
        };
        let Some(item) = item else {
            return self.fail_unposted(
                cx,
                number,
                "the SimpleX core did not say which item the card is".into(),
            );
        };
        self.expect_event(cx, item);
        let Some(action) = self.desk.action_mut(number) else { return };
        action.posted = Posted::Item(item);
        // What ended while the card was on its way is shown on it at once.
        if action.is_final() {
            self.show_card(cx, number);
        } else if self.is_stopping() {
            self.show_stopped(cx, number);
        }
    }

    fn on_edited(&mut self, cx: &mut Cx<'_>, mut edit: Edit, answer: Answer) {
        let Err(trouble) = answer else { return };
        if edit.again {
            cx.warn(person::card_not_edited(edit.number, &trouble.text()));
        } else {
            edit.again = true;
            self.edits.0.push((cx.now.mono + RETRY, edit));
        }
    }

    /// An action whose number or card could not be stored fails; its card, if any, was not seen.
    pub(super) fn fail_unposted(&mut self, cx: &mut Cx<'_>, number: u64, error: String) {
        let Some(action) = self.desk.action_mut(number) else { return };
        action.posted = Posted::No;
        if action.finish(State::Failed(error.clone())) {
            cx.log(person::action_not_posted(number, &error));
        }
        self.look_at_action(cx, number);
    }

    /// A pending action ended without being performed.
    pub(super) fn end_pending(&mut self, cx: &mut Cx<'_>, number: u64, state: State) {
        let Some(action) = self.desk.action_mut(number) else { return };
        if action.state == State::Pending && action.finish(state) {
            self.show_outcome(cx, number);
            self.look_at_action(cx, number);
        }
    }

    /// Shows the end of an action on its card and in the log.
    pub(super) fn show_outcome(&mut self, cx: &mut Cx<'_>, number: u64) {
        let Some(action) = self.desk.action(number) else { return };
        if action.interrupted || !action.numbered {
            return;
        }
        if let Some(line) =
            outcome(action).and_then(|outcome| person::action_ended(number, action.card.request(), &outcome))
        {
            cx.log(line);
        }
        self.show_card(cx, number);
    }

    /// Edits the card to the action's end, or posts the end of an action that has no card.
    pub(super) fn show_card(&mut self, cx: &mut Cx<'_>, number: u64) {
        let lost = self.usable_control().is_none();
        let Some(action) = self.desk.action(number).filter(|_| !lost) else { return };
        let Some(outcome) = outcome(action) else { return };
        let text = action.card.outcome(&outcome);
        match (action.posted, action.way) {
            (Posted::Item(item), _) => self.edit(cx, Edit { number, item, text, again: false }),
            (Posted::No, Way::Host | Way::Standing) => {
                self.post(cx, Then::Card(Step::PostOutcome(number)), text);
            }
            (Posted::No, Way::Ask) | (Posted::Under, _) => {}
        }
    }

    /// The control chat is lost: nothing is shown any more, nothing pending can be approved (plan, "Owners").
    pub(super) fn on_lost(&mut self, cx: &mut Cx<'_>) {
        cx.log(person::LOST);
        for number in self.desk.numbers(|action| action.state == State::Pending) {
            if let Some(action) = self.desk.action_mut(number) {
                action.finish(State::Failed(model::LOST.into()));
            }
            self.look_at_action(cx, number);
        }
    }
}

/// How an action ended, as its card shows it.
pub(super) fn outcome(action: &Action) -> Option<Outcome> {
    let decision = decision(action);
    Some(match &action.state {
        State::Pending | State::Performing(_) => return None,
        State::Done if action.asked_only() => Outcome::Requested(decision),
        State::Done => Outcome::Done(decision),
        State::Failed(error) => match action.way {
            // It failed before anyone decided: the card says only why.
            Way::Ask if action.decided_by.is_none() => return Some(Outcome::Dropped(error.clone())),
            _ => Outcome::Failed { decision, error: error.clone() },
        },
        State::Rejected => Outcome::Rejected(action.decided_by.clone().unwrap_or_default()),
        State::Expired => Outcome::Expired,
    })
}

/// By whom an action was allowed.
pub(super) fn decision(action: &Action) -> Decision {
    let by = || action.decided_by.clone().unwrap_or_default();
    match action.way {
        Way::Ask => Decision::Approver(by()),
        Way::Standing => Decision::Standing(by()),
        Way::Host => Decision::Host,
    }
}

impl Action {
    /// A connect whose other side has not accepted.
    fn asked_only(&self) -> bool {
        let known = self.gain.known && self.gain.joined.as_ref().is_some_and(|facts| facts.connected);
        matches!(self.work, super::action::Work::Connect(_)) && self.gain.connected_at.is_none() && !known
    }
}
