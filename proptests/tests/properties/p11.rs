//! P11.

use simplex_agent_core::config::Mode;
use simplex_proptests::oracle::judge;
use simplex_proptests::play::play;
use simplex_proptests::step::{ChatPick, Peer, Step, Target, Words};
use simplex_proptests::strategies::Mix;
use simplex_proptests::trace::Property;

use crate::doctor::{answer, command, connect, finds, rewrite, says, send, session, wait};
use crate::runs::try_to_break;

/// P11: an approval is for the chat it was shown for, though numbers of chats come back.
#[test]
fn a_number_that_came_back_gets_nothing() {
    try_to_break(Property::P11, Mix { peers: 12, people: 14, trouble: 2, ..Mix::EVEN }, Mode::Requests);
}

/// P11, in mode host.
#[test]
fn a_number_that_came_back_gets_nothing_in_mode_host() {
    try_to_break(Property::P11, Mix { peers: 12, trouble: 4, ..Mix::EVEN }, Mode::Host);
}

/// P11: a chat vanishes, its number comes back with another peer, and then what was asked for the first is approved.
#[test]
fn the_number_comes_back_before_the_approval() {
    for approval in [Words::Approve(2), Words::ApproveAll(ChatPick::Contact(4))] {
        let trace = play(
            &[
                send("for the shop"),
                wait(2_000),
                Step::Vanish(ChatPick::Contact(4)),
                connect(Target::Published("trickster")),
                wait(1_000),
                says(Words::Approve(1)),
                wait(5_000),
                Step::PeerSays(Peer::Trickster, "hello".into()),
                says(approval),
                wait(5_000),
            ],
            Mode::Requests,
        );
        assert_eq!(judge(&trace), []);
        assert!(
            trace.received.iter().all(|received| received.text != "for the shop"),
            "{:?}",
            trace.received
        );
    }
}

/// The judge of P11 finds a chat that is another one when the message is sent, and a message that reached another peer.
#[test]
fn another_recipient_is_found() {
    let mut trace = session();
    let sent = command(&trace, "/_send @4", "first");
    let read = (0..sent)
        .rev()
        .find(|at| {
            matches!(&trace.seam[*at], simplex_proptests::world::Seam::Out(_, simplex_agent_core::effect::Effect::Command { line, .. })
                if line.starts_with("/_get chat @4"))
        })
        .expect("the chat was read");
    let read = answer(&trace, read);
    rewrite(&mut trace, read, "\"createdAt\":\"2026", "\"createdAt\":\"2027");
    finds(&trace, Property::P11);

    let mut trace = session();
    for received in trace.received.iter_mut().filter(|received| received.text == "first") {
        received.peer = "Hugh".into();
    }
    finds(&trace, Property::P11);
}
