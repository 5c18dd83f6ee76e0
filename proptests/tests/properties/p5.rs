//! P5.

use simplex_agent_core::config::Mode;
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;

use crate::doctor::{command, finds, rewrite, session};
use crate::runs::try_to_break;

/// P5: every card takes at most 15,000 encoded bytes, every message what the core takes.
#[test]
fn everything_posted_fits() {
    try_to_break(Property::P5, Mix { calls: 20, peers: 5, ..Mix::EVEN }, Mode::Requests);
}

/// P5, in mode host.
#[test]
fn everything_posted_fits_in_mode_host() {
    try_to_break(Property::P5, Mix { calls: 20, peers: 5, trouble: 5, ..Mix::EVEN }, Mode::Host);
}

/// The judge of P5 counts what is escaped, and finds one byte too many.
#[test]
fn a_long_card_is_found() {
    let mut trace = session();
    let at = command(&trace, "/_send #1", "first");
    // A quotation mark is two bytes of the limit and of the line alike.
    rewrite(&mut trace, at, "`first`", &format!("`{}`", "\\\"".repeat(7_600)));
    finds(&trace, Property::P5);
}
