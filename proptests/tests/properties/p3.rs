//! P3.

use simplex_agent_core::config::Mode;
use simplex_agent_core::effect::Effect;
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;
use simplex_proptests::world::Seam;

use crate::doctor::{answer, command, find, finds, put, rewrite, session};
use crate::runs::try_to_break;

/// P3: final states never change, cards and results agree, each call gets one answer or its client is gone.
#[test]
fn what_is_final_stays() {
    try_to_break(Property::P3, Mix { calls: 14, trouble: 5, ..Mix::EVEN }, Mode::Requests);
}

/// P3, in mode host.
#[test]
fn what_is_final_stays_in_mode_host() {
    try_to_break(Property::P3, Mix { calls: 14, trouble: 5, ..Mix::EVEN }, Mode::Host);
}

/// The judge of P3 finds a card that is changed after it was final.
#[test]
fn a_changed_card_is_found() {
    let mut trace = session();
    let edit = command(&trace, "/_update item", "Rejected by");
    let after = answer(&trace, edit) + 1;
    let again = trace.seam[edit].clone();
    put(&mut trace, after, again);
    rewrite(&mut trace, after, "Rejected by Alice.", "Expired.");
    finds(&trace, Property::P3);
}

/// The judge of P3 finds a card that says another thing than the call was told.
#[test]
fn a_lying_card_is_found() {
    let mut trace = session();
    let edit = command(&trace, "/_update item", "Rejected by");
    rewrite(&mut trace, edit, "Rejected by Alice.", "Expired.");
    finds(&trace, Property::P3);
}

/// The judge of P3 finds a second answer, and a missing one.
#[test]
fn a_wrong_count_of_answers_is_found() {
    let is_answer = |seam: &Seam| matches!(seam, Seam::Out(_, Effect::HttpSend { text, .. }) if text.contains("\"status\":\"rejected\""));
    let mut trace = session();
    let at = find(&trace, is_answer);
    let again = trace.seam[at].clone();
    put(&mut trace, at, again);
    finds(&trace, Property::P3);

    let mut trace = session();
    let at = find(&trace, is_answer);
    trace.seam.remove(at);
    finds(&trace, Property::Liveness);
}
