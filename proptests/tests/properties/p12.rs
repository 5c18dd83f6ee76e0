//! P12.

use simplex_agent_core::config::Mode;
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;

use crate::doctor::{event, finds, rewrite, session};
use crate::runs::try_to_break;

/// P12: nothing about a one-time link, or a link at a foreign router, reaches a router before its approval.
#[test]
fn a_one_time_link_is_left_alone() {
    try_to_break(Property::P12, Mix { calls: 20, ..Mix::EVEN }, Mode::Requests);
}

/// The judge of P12 finds a plan of a one-time link that nobody approved.
#[test]
fn an_early_plan_is_found() {
    let mut trace = session();
    let at = event(&trace, "\"/approve 4\"");
    rewrite(&mut trace, at, "/approve 4", "/approve 9");
    finds(&trace, Property::P12);
}
