//! P13.

use simplex_agent_core::config::Mode;
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;

use crate::doctor::{finds, session};
use crate::runs::try_to_break;

/// P13: only an approver's own new message gives a command; nothing forwarded, edited, unfinished, quoted, of another
/// scope, or forged does.
#[test]
fn only_own_new_messages_of_approvers_count() {
    try_to_break(Property::P13, Mix { people: 20, forged: 10, ..Mix::EVEN }, Mode::Requests);
}

/// The judge of P13 finds an approval and a rejection that nobody gave in a way that counts.
#[test]
fn a_command_of_nobody_is_found() {
    for word in ["approve @4 2", "/reject 3"] {
        for part in ["genuine", "owner", "absent"] {
            let mut trace = session();
            let deed =
                trace.deeds.iter().position(|deed| deed.text.contains(word)).expect("the session has it");
            // What opens the chat for good would cover the message as well.
            trace.deeds.retain(|deed| !deed.text.contains("all"));
            match part {
                "genuine" => trace.deeds[deed].genuine = false,
                "owner" => trace.deeds[deed].owner = false,
                _ => {
                    trace.deeds.remove(deed);
                }
            }
            finds(&trace, Property::P13);
        }
    }
}
