//! Judges of a trace: one for each property. Each is shown able to find what it looks for (`tests/properties`).

mod answer;
mod number;
mod permission;
mod recipient;
mod tappable;

use crate::model::Ledger;
use crate::model::fact::{Fact, facts};
use crate::trace::{Property, Trace, Violation};

/// Everything in a trace that must not be.
pub fn judge(trace: &Trace) -> Vec<Violation> {
    let facts = facts(trace);
    let mut found = Vec::new();
    let mut ledger = Ledger::new(trace, &facts);
    let mut answers = answer::Answers::default();
    let mut numbers = number::Numbers::default();
    let mut texts = tappable::Texts::default();
    for fact in &facts {
        let mut say = |property, what: String| found.push(Violation { property, at: fact.at, what });
        // What is begun is judged by what was known before it.
        permission::look(&mut ledger, fact, &trace.deeds, &mut say);
        texts.look(&ledger, fact, &mut say);
        numbers.look(fact, ledger.control.as_deref(), &mut say);
        answers.look(fact, ledger.control.as_deref(), &mut say);
        ledger.take(fact);
    }
    let mut say = |property, what: String| found.push(Violation { property, at: trace.seam.len(), what });
    answers.end(&mut say);
    recipient::look(trace, &ledger, &mut say);
    for left in &trace.left {
        say(Property::Liveness, left.clone());
    }
    found
}

/// The violations of one property.
pub fn violations(trace: &Trace, property: Property) -> Vec<Violation> {
    judge(trace).into_iter().filter(|violation| violation.property == property).collect()
}

/// How a judge tells what it found.
type Say<'a> = dyn FnMut(Property, String) + 'a;

/// The command line of a fact.
fn command(fact: &Fact) -> Option<(u64, &str)> {
    match &fact.what {
        crate::model::fact::What::Command(op, line) => Some((*op, line)),
        _ => None,
    }
}
