//! P3: what was final stays so, cards and results agree, each call gets one answer.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Say;
use crate::model::fact::{Fact, What};
use crate::model::reading::{self, kind};
use crate::model::stance::buttons;
use crate::model::{Stance, key};
use crate::trace::Property;

/// Requests and cards so far.
#[derive(Default)]
pub(super) struct Answers {
    requests: BTreeMap<u64, Request>,
    /// Cards by item; outcomes posted without a card have none.
    cards: BTreeMap<u64, Card>,
    /// Posts and edits under way: the operation, and the item and text of an edit.
    under_way: BTreeMap<u64, (Option<u64>, String)>,
    /// Statuses told, by action.
    told: BTreeMap<u64, BTreeSet<String>>,
    run: u32,
}

#[derive(Default)]
struct Request {
    call: bool,
    gone: bool,
    closed: bool,
    responses: u32,
}

#[derive(Default)]
struct Card {
    action: Option<u64>,
    /// What it was edited to, and in which run; the core has acknowledged it.
    shown: Option<(Stance, String)>,
    /// What this run tried to edit it to.
    tried: Option<(u32, Stance)>,
}

impl Answers {
    pub(super) fn look(&mut self, fact: &Fact, control: Option<&str>, say: &mut Say<'_>) {
        match &fact.what {
            What::Start => self.run += 1,
            What::End => {
                self.under_way.clear();
                for request in self.requests.values_mut() {
                    request.gone |= !request.closed;
                }
            }
            What::Call(request, _) => {
                self.requests.insert(*request, Request { call: true, ..Request::default() });
            }
            What::Gone(request) => self.requests.entry(*request).or_default().gone = true,
            What::Said(request, message) => self.said(*request, message, say),
            What::Closed(request) => self.closed(*request, say),
            What::Command(op, line) => self.command(*op, line, control, say),
            What::Answer(op, _, result) => self.answered(*op, result),
            What::Event(_) | What::StopAsked | What::Log(_) => {}
        }
    }

    fn said(&mut self, id: u64, message: &Value, say: &mut Say<'_>) {
        let request = self.requests.entry(id).or_default();
        if request.closed {
            say(Property::P3, format!("request {id} is told more after its end: {message}"));
        }
        if message.get("method").is_some() {
            return;
        }
        request.responses += 1;
        if request.responses > 1 {
            say(Property::P3, format!("request {id} is answered again: {message}"));
        }
        let status = message.pointer("/result/structuredContent/status").and_then(Value::as_str);
        if let Some((n, status)) = key::told(message).zip(status) {
            let told = self.told.entry(n).or_default();
            told.insert(status.to_owned());
            if told.len() > 1 {
                say(Property::P3, format!("action {n} is told to be {told:?}"));
            }
        }
    }

    fn closed(&mut self, id: u64, say: &mut Say<'_>) {
        let request = self.requests.entry(id).or_default();
        if request.closed {
            say(Property::P3, format!("request {id} is ended again"));
        }
        request.closed = true;
        if request.call && !request.gone && request.responses == 0 {
            say(Property::P3, format!("request {id} is ended without an answer"));
        }
    }

    fn command(&mut self, op: u64, line: &str, control: Option<&str>, say: &mut Say<'_>) {
        let Some(posted) = reading::posted(line).filter(|posted| Some(posted.place.as_str()) == control)
        else {
            return;
        };
        let Some(stance) = Stance::of(&posted.text) else { return };
        if let Some(item) = posted.item {
            let run = self.run;
            let card = self.cards.entry(item).or_default();
            if let Some((shown, text)) = card.shown.as_ref().filter(|(_, text)| *text != posted.text) {
                say(
                    Property::P3,
                    format!("card {item} says {shown:?} and is changed: {text:?} to {:?}", posted.text),
                );
            }
            if let Some((_, tried)) = card.tried.filter(|(in_run, tried)| *in_run == run && *tried != stance)
            {
                say(Property::P3, format!("card {item} was to say {tried:?}, then {stance:?}"));
            }
            card.tried = Some((run, stance));
        }
        self.under_way.insert(op, (posted.item, posted.text));
    }

    fn answered(&mut self, op: u64, result: &Value) {
        let Some((item, text)) = self.under_way.remove(&op) else { return };
        let Some(stance) = Stance::of(&text) else { return };
        match item {
            Some(item) if matches!(kind(result), "chatItemUpdated" | "chatItemNotChanged") => {
                self.cards.entry(item).or_default().shown = Some((stance, text));
            }
            None => {
                let item = result.pointer("/chatItems/0/chatItem/meta/itemId").and_then(Value::as_u64);
                let n = buttons(&text).first().and_then(|button| button.rsplit(' ').next()?.parse().ok());
                if let Some(item) = item {
                    self.cards.entry(item).or_default().action = n;
                }
            }
            Some(_) => {}
        }
    }

    /// Everything is over.
    pub(super) fn end(&self, say: &mut Say<'_>) {
        for (id, request) in &self.requests {
            // A core that never answers keeps a call open for ever: that is its fault, and told by liveness.
            if request.call && !request.gone && request.responses != 1 {
                let property = if request.responses == 0 { Property::Liveness } else { Property::P3 };
                say(property, format!("request {id} got {} answers", request.responses));
            }
        }
        for (item, card) in &self.cards {
            let told = card.action.and_then(|n| self.told.get(&n));
            if let (Some((shown, text)), Some(told)) = (&card.shown, told)
                && !told.iter().all(|status| shown.agrees(status))
            {
                say(Property::P3, format!("card {item} says {text:?}, its calls were told {told:?}"));
            }
        }
    }
}
