//! P4.

use simplex_agent_core::config::Mode;
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;

use crate::doctor::{answer, command, finds, rewrite, session};
use crate::runs::try_to_break;

/// P4: in everything the agent posts, only what it meant can be tapped, whatever peers and the model write.
#[test]
fn only_what_was_meant_can_be_tapped() {
    try_to_break(
        Property::P4,
        Mix { calls: 16, peers: 8, trouble: 2, kills: 1, ..Mix::EVEN },
        Mode::Requests,
    );
}

/// P4, in mode host: the outcomes are posted.
#[test]
fn only_what_was_meant_can_be_tapped_in_mode_host() {
    try_to_break(Property::P4, Mix { calls: 16, peers: 8, trouble: 2, kills: 1, ..Mix::EVEN }, Mode::Host);
}

/// The judge of P4 finds a command for another action, and a link.
#[test]
fn another_button_is_found() {
    let mut trace = session();
    let post = command(&trace, "/_send #1", "approve @4 2");
    let shown = answer(&trace, post);
    rewrite(&mut trace, shown, "\"commandStr\":\"approve @4 2\"", "\"commandStr\":\"approve @4 1\"");
    finds(&trace, Property::P4);

    let mut trace = session();
    let edit = command(&trace, "/_update item", "Rejected by");
    let shown = answer(&trace, edit);
    rewrite(&mut trace, shown, "\"type\":\"snippet\"", "\"type\":\"uri\"");
    finds(&trace, Property::P4);
}
