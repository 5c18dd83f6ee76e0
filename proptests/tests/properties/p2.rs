//! P2.

use simplex_agent_core::config::Mode;
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;

use crate::doctor::{command, finds, put, session};
use crate::runs::try_to_break;

/// P2: each action is performed at most once, whatever is repeated, reordered or raced.
#[test]
fn nothing_is_performed_twice() {
    try_to_break(Property::P2, Mix { forged: 5, trouble: 6, ..Mix::EVEN }, Mode::Requests);
}

/// P2, in mode host.
#[test]
fn nothing_is_performed_twice_in_mode_host() {
    try_to_break(Property::P2, Mix { trouble: 6, ..Mix::EVEN }, Mode::Host);
}

/// The judge of P2 finds each command that is given again.
#[test]
fn a_repetition_is_found() {
    for (begins, contains) in
        [("/_send @4", "first"), ("/_send @4", "standing"), ("/_prepare", ""), ("/_connect contact", "")]
    {
        let mut trace = session();
        let at = command(&trace, begins, contains);
        let again = trace.seam[at].clone();
        put(&mut trace, at + 1, again);
        finds(&trace, Property::P2);
    }
}
