//! An ordinary session, and changes to its trace that a judge must find.

use simplex_agent_core::Millis;
use simplex_agent_core::config::Mode;
use simplex_agent_core::effect::{Effect, Input};
use simplex_proptests::oracle::judge;
use simplex_proptests::play::play;
use simplex_proptests::step::{ChatPick, Step, Target, Way, Who, Words};
use simplex_proptests::trace::{Property, Trace};
use simplex_proptests::world::Seam;

/// An owner's new message.
pub(crate) fn says(words: Words) -> Step {
    Step::Write { who: Who::Alice, way: Way::New, words }
}

/// A send to the shop.
pub(crate) fn send(text: &str) -> Step {
    Step::Send { chat: ChatPick::Contact(4), text: text.into(), reply: false, mention: None, wait: 0 }
}

/// A connect.
pub(crate) fn connect(target: Target) -> Step {
    Step::Connect { target, incognito: false, message: None, wait: 0 }
}

/// Some time.
pub(crate) const fn wait(ms: u64) -> Step {
    Step::Wait(Millis(ms))
}

/// A session in which one of everything is asked, approved, rejected and performed; nothing is wrong with it.
pub(crate) fn session() -> Trace {
    let trace = play(
        &[
            send("first"),
            wait(2_000),
            says(Words::ApproveChat(1)),
            wait(3_000),
            send("second"),
            wait(2_000),
            says(Words::Reject(1)),
            wait(2_000),
            connect(Target::Published("one-time")),
            wait(2_000),
            says(Words::Approve(1)),
            wait(4_000),
            says(Words::ApproveAll(ChatPick::Contact(4))),
            wait(2_000),
            send("standing"),
            wait(3_000),
            send("asked at the stop"),
            Step::Leave(ChatPick::Contact(5)),
            wait(2_000),
            Step::Stop,
            wait(2_000),
        ],
        Mode::Requests,
    );
    assert_eq!(judge(&trace), [], "an ordinary session");
    trace
}

/// Asserts that a trace breaks a property.
pub(crate) fn finds(trace: &Trace, property: Property) {
    let found = judge(trace);
    assert!(
        found.iter().any(|violation| violation.property == property),
        "{property:?} is not among {found:?}"
    );
}

/// The place of the first effect or input that satisfies `test`.
pub(crate) fn find(trace: &Trace, test: impl Fn(&Seam) -> bool) -> usize {
    trace.seam.iter().position(test).expect("the session has it")
}

/// The place of the first command that begins so and contains this.
pub(crate) fn command(trace: &Trace, begins: &str, contains: &str) -> usize {
    find(
        trace,
        |seam| matches!(seam, Seam::Out(_, Effect::Command { line, .. }) if line.starts_with(begins) && line.contains(contains)),
    )
}

/// The place of the first event that contains this.
pub(crate) fn event(trace: &Trace, contains: &str) -> usize {
    find(trace, |seam| matches!(seam, Seam::In(_, Input::Event(text)) if text.contains(contains)))
}

/// Puts an entry in, after which people's deeds are where they were.
pub(crate) fn put(trace: &mut Trace, at: usize, seam: Seam) {
    trace.seam.insert(at, seam);
    for deed in trace.deeds.iter_mut().filter(|deed| deed.at > at) {
        deed.at += 1;
    }
}

/// Changes the text of the command, event or answer at this place.
pub(crate) fn rewrite(trace: &mut Trace, at: usize, from: &str, to: &str) {
    use simplex_agent_core::effect::Outcome;
    let text = match &mut trace.seam[at] {
        Seam::Out(_, Effect::Command { line, .. }) => line,
        Seam::Out(_, Effect::Log(line)) => line,
        Seam::In(_, Input::Event(text) | Input::Done { result: Outcome::Response(text), .. }) => text,
        other => panic!("{other:?} has no text"),
    };
    assert!(text.contains(from), "{text} has no {from}");
    *text = text.replace(from, to);
}

/// The place of the answer to the command at this place.
pub(crate) fn answer(trace: &Trace, at: usize) -> usize {
    let Seam::Out(_, Effect::Command { op, .. }) = &trace.seam[at] else { panic!("no command") };
    let is = |seam: &Seam| matches!(seam, Seam::In(_, Input::Done { op: done, .. }) if done == op);
    at + trace.seam[at..].iter().position(is).expect("it was answered")
}
