//! P12.

use simplex_agent_core::config::Mode;
use simplex_proptests::oracle::judge;
use simplex_proptests::play::play;
use simplex_proptests::step::{Step, Target, Words};
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;

use crate::doctor::{command, connect, event, finds, rewrite, says, session, wait};
use crate::runs::try_to_break;

/// P12: nothing about a one-time link, or a link at a foreign router, reaches a router before its approval.
#[test]
fn a_one_time_link_is_left_alone() {
    try_to_break(Property::P12, Mix { calls: 20, ..Mix::EVEN }, Mode::Requests);
}

/// P12: the approval of a one-time link is one of its other form as well, which another call asks for in vain.
#[test]
fn two_forms_of_a_link_are_one() {
    for forms in [
        [Target::FullOneTime, Target::Published("one-time")],
        [Target::Published("one-time"), Target::FullOneTime],
    ] {
        let mut steps: Vec<Step> = forms.map(connect).into();
        steps.extend([wait(2_000), says(Words::Approve(1)), wait(5_000)]);
        assert_eq!(judge(&play(&steps, Mode::Requests)), [], "{forms:?}");
    }
}

/// P12: an approval counts though the process is stopped before the call is told which action it made.
#[test]
fn an_approval_that_nobody_was_told_of_counts() {
    let steps = [connect(Target::Foreign("group")), wait(0), says(Words::Approve(1)), wait(100), Step::Stop];
    let trace = play(&steps, Mode::Requests);
    command(&trace, "/_connect plan 1 ", "elsewhere.example");
    assert_eq!(judge(&trace), []);
}

/// The judge of P12 finds a plan of a one-time link that nobody approved.
#[test]
fn an_early_plan_is_found() {
    let mut trace = session();
    let at = event(&trace, "\"/approve 4\"");
    rewrite(&mut trace, at, "/approve 4", "/approve 9");
    finds(&trace, Property::P12);
}
