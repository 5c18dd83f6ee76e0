//! P6.

use simplex_agent_core::config::Mode;
use simplex_agent_core::effect::Input;
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;
use simplex_proptests::world::Seam;

use crate::doctor::{command, finds, put, session};
use crate::runs::try_to_break;

/// P6: after the stop began nothing that reaches a peer is begun.
#[test]
fn nothing_begins_after_the_stop() {
    try_to_break(Property::P6, Mix { stops: 6, kills: 0, ..Mix::EVEN }, Mode::Requests);
}

/// P6, in mode host.
#[test]
fn nothing_begins_after_the_stop_in_mode_host() {
    try_to_break(Property::P6, Mix { stops: 6, kills: 0, ..Mix::EVEN }, Mode::Host);
}

/// The judge of P6 finds a message after the stop.
#[test]
fn a_late_beginning_is_found() {
    let mut trace = session();
    let at = command(&trace, "/_send @4", "first");
    let now = match &trace.seam[at] {
        Seam::Out(now, _) => *now,
        _ => unreachable!(),
    };
    put(&mut trace, at, Seam::In(now, Input::Stop));
    finds(&trace, Property::P6);
}
