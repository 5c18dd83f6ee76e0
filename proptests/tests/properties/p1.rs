//! P1.

use simplex_agent_core::config::Mode;
use simplex_proptests::oracle::{judge, violations};
use simplex_proptests::play::play;
use simplex_proptests::step::{ChatPick, Step, Trouble, Words};
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;

use crate::doctor::{event, finds, rewrite, says, send, session, wait};
use crate::runs::try_to_break;

/// P1: nothing reaches a peer unless an approver's command for it came while its card asked, or a standing approval by
/// a current approver covers it.
#[test]
fn nothing_is_performed_unasked() {
    try_to_break(Property::P1, Mix { people: 14, ..Mix::EVEN }, Mode::Requests);
}

/// P1, in mode host: nothing reaches a peer but what a call asked for.
#[test]
fn nothing_is_performed_uncalled() {
    try_to_break(Property::P1, Mix::EVEN, Mode::Host);
}

/// P1: a command that came before the card asked approves nothing, though it waited in the queue until it did.
#[test]
fn a_guess_approves_nothing() {
    for guess in [Words::Approve(0), Words::ApproveOther(ChatPick::Contact(4), 0)] {
        let trace = play(
            &[
                Step::Trouble(Trouble::Slow("/_get chats")),
                says(Words::List),
                wait(150),
                says(guess),
                wait(150),
                send("not yet shown"),
                wait(5_000),
            ],
            Mode::Requests,
        );
        assert_eq!(violations(&trace, Property::P1), []);
    }
}

/// P1: a standing approval covers a message that looks like a command.
#[test]
fn a_message_that_looks_like_a_command_is_covered() {
    for text in ["/approve 1", "/'approve @4 2'", "/approve @4 all", "/revoke @4", "/reject 2"] {
        let trace = play(
            &[
                says(Words::ApproveAll(ChatPick::Contact(4))),
                wait(2_000),
                send(text),
                wait(3_000),
                send("after it"),
                wait(3_000),
            ],
            Mode::Requests,
        );
        assert_eq!(judge(&trace), [], "{text}");
        for sent in [text, "after it"] {
            assert!(trace.received.iter().any(|received| received.text == sent), "{sent} after {text}");
        }
    }
}

/// The judge of P1 finds a message whose approval never came, came for another action, or from a plain member.
#[test]
fn a_missing_approval_is_found() {
    for (from, to) in [
        ("approve @4 2", "approve @4 3"),
        ("approve @4 2", "reject @4 2"),
        ("\"memberRole\":\"owner\"", "\"memberRole\":\"member\""),
        ("\"itemId\"", "\"itemForwarded\":{\"type\":\"unknown\"},\"itemId\""),
    ] {
        let mut trace = session();
        let at = event(&trace, "\"msgContent\":{\"text\":\"/'approve @4 2'\"");
        rewrite(&mut trace, at, from, to);
        finds(&trace, Property::P1);
    }
}

/// The judge of P1 finds a standing approval that was never given.
#[test]
fn a_missing_standing_approval_is_found() {
    let mut trace = session();
    let at = event(&trace, "\"msgContent\":{\"text\":\"/'approve @4 all'\"");
    rewrite(&mut trace, at, "approve @4 all", "approve @5 all");
    finds(&trace, Property::P1);
}
