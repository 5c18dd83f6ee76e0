//! P13.

use simplex_agent_core::config::Mode;
use simplex_proptests::oracle::judge;
use simplex_proptests::play::play;
use simplex_proptests::step::{Step, Way, Who, Words};
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;

use crate::doctor::{finds, send, session, wait};
use crate::runs::try_to_break;

/// P13: only an approver's own new message gives a command; nothing forwarded, edited, unfinished, quoted, of another
/// scope, or forged does.
#[test]
fn only_own_new_messages_of_approvers_count() {
    try_to_break(Property::P13, Mix { people: 20, forged: 10, ..Mix::EVEN }, Mode::Requests);
}

/// P13: a command that is quoted counts as its author's own: an owner's approves, a member's does not.
#[test]
fn a_quoted_command_is_its_authors() {
    for (role, sent) in [("owner", 1), ("member", 0)] {
        let quoted = |words| Step::Write { who: Who::Alice, way: Way::Quoted, words };
        let trace = play(
            &[
                Step::SetRole(Who::Mallory, role),
                wait(2_000),
                send("quoted"),
                wait(2_000),
                quoted(Words::Approve(1)),
                wait(3_000),
                send("also quoted"),
                wait(2_000),
                quoted(Words::Reject(1)),
                wait(3_000),
            ],
            Mode::Requests,
        );
        assert_eq!(judge(&trace), [], "Mallory is {role}");
        let received = trace.received.iter().filter(|received| received.text.contains("quoted"));
        assert_eq!(received.count(), sent, "Mallory is {role}");
    }
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
