//! P7.

use simplex_agent_core::config::Mode;
use simplex_agent_core::effect::Effect;
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;
use simplex_proptests::world::Seam;

use crate::doctor::{find, finds, rewrite, session};
use crate::runs::try_to_break;

/// P7: no action number is used twice, over kills at any effect, with the file written and the custom data not, and the
/// other way round.
#[test]
fn no_number_is_used_twice() {
    try_to_break(
        Property::P7,
        Mix { calls: 14, trouble: 5, kills: 8, stops: 2, ..Mix::EVEN },
        Mode::Requests,
    );
}

/// P7, in mode host.
#[test]
fn no_number_is_used_twice_in_mode_host() {
    try_to_break(Property::P7, Mix { calls: 14, trouble: 5, kills: 8, stops: 2, ..Mix::EVEN }, Mode::Host);
}

/// The judge of P7 finds a number that is given again.
#[test]
fn a_repeated_number_is_found() {
    let mut trace = session();
    let at = find(
        &trace,
        |seam| matches!(seam, Seam::Out(_, Effect::Log(line)) if line.starts_with("Action 3: send")),
    );
    rewrite(&mut trace, at, "Action 3", "Action 2");
    finds(&trace, Property::P7);
}
