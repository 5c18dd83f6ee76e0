//! The process dies at each effect of one session in turn, and is started again.

use std::collections::BTreeSet;

use serde_json::json;
use simplex_agent_core::Millis;
use simplex_proptests::model::Stance;
use simplex_proptests::model::stance::buttons;
use simplex_proptests::oracle::judge;
use simplex_proptests::trace::{Deed, Received, Trace};
use simplex_proptests::world::{Seam, World, config};
use simplex_sim::Scenario;

const SCENARIO: &str = include_str!("../src/play/scenario.json");
/// The bot that the session is with.
const SHOP: &str = "Shop Bot";
/// What happens in the session, in order.
const ACTS: [fn(&mut Session); 8] = [
    |session| session.world.start(),
    |session| session.settle(60),
    |session| {
        let target = session.world.network.link("shop").expect("the shop has a link");
        session.call("connect", json!({"target": target, "wait": 30, "idle": 1}));
    },
    Session::tap,
    |session| session.call("send", json!({"chat": "@4", "text": "hello", "wait": 30, "idle": 1})),
    Session::tap,
    |session| session.call("leave", json!({"chat": "@4"})),
    Session::tap,
];

/// An agent, its owner and a bot.
#[derive(Clone)]
struct Session {
    world: World,
    deeds: Vec<Deed>,
}

/// How the process dies.
#[derive(Clone, Copy, Debug)]
struct Death {
    /// At this effect, the first being 0.
    effect: usize,
    /// The effect took place, and the process learnt nothing of it.
    done: bool,
    /// The owner approves what is asked while no process runs.
    tapped: bool,
}

impl Session {
    fn new() -> Self {
        let scenario = Scenario::parse(SCENARIO).expect("a scenario");
        Self { world: World::new(3, config(), &scenario), deeds: Vec::new() }
    }

    fn settle(&mut self, seconds: u64) {
        self.world.settle(Millis::secs(seconds));
    }

    /// A client calls, if anybody listens.
    fn call(&mut self, tool: &str, arguments: serde_json::Value) {
        if self.world.is_running() {
            self.world.call(tool, arguments);
        }
        self.settle(5);
    }

    /// Alice taps the approval of each card that asks.
    fn tap(&mut self) {
        for (text, stance) in self.cards() {
            let Some(button) = buttons(&text).into_iter().next().filter(|_| stance == Stance::Asks) else {
                continue;
            };
            let text = format!("/'{button}'");
            let at = self.world.seam.len();
            self.deeds.push(Deed {
                at,
                person: "Alice".into(),
                genuine: true,
                owner: true,
                text: text.clone(),
            });
            self.world.owner_says("Alice", &text).expect("Alice is in the chat");
        }
        self.settle(5);
    }

    /// The cards as Alice sees them, with what they say.
    fn cards(&self) -> Vec<(String, Stance)> {
        let posts = self.world.agent_posts("Alice").into_iter();
        posts.filter_map(|post| Stance::of(&post.text).map(|stance| (post.text, stance))).collect()
    }

    /// What the shop received of the agent.
    fn received(&self) -> Vec<Received> {
        let chats = self.world.network.view(SHOP).into_iter();
        let messages = chats.flat_map(|chat| chat.messages).filter(|message| !message.own);
        messages.map(|message| Received { peer: SHOP.into(), text: message.text, direct: true }).collect()
    }

    fn times_received(&self, text: &str) -> usize {
        self.received().iter().filter(|received| received.text == text).count()
    }

    fn effects(&self) -> usize {
        self.world.seam.iter().filter(|seam| matches!(seam, Seam::Out(..))).count()
    }

    fn commanded(&self, begins: &str) -> usize {
        self.world.commands().filter(|line| line.starts_with(begins)).count()
    }

    /// Asserts that each card of the dead process has ended, and says what became of its action.
    fn assert_cards_are_true(&self, death: Death) {
        let sent = self.times_received("hello");
        let joined = self.commanded("/_connect contact ") + self.commanded("/_connect 1 ");
        let left = self.commanded("/_delete @4 full");
        assert!(sent <= 1 && joined <= 1, "{death:?}: sent {sent} times, connected {joined} times");
        for (text, stance) in self.cards() {
            let times = match text.as_str() {
                text if text.contains("connect") => joined,
                text if text.contains("message") => sent,
                _ => left,
            };
            match stance {
                Stance::Done | Stance::Requested => assert_ne!(times, 0, "{death:?}: {text}"),
                Stance::Cancelled => assert_eq!(times, 0, "{death:?}: {text}"),
                Stance::Interrupted => {}
                _ => panic!("{death:?}: {text}"),
            }
        }
    }

    /// Asserts that a second process serves its clients: a message is asked for, approved, and arrives once.
    fn assert_works(&mut self, death: Death) {
        let target = self.world.network.link("shop").expect("the shop has a link");
        self.call("connect", json!({"target": target, "wait": 30, "idle": 1}));
        self.tap();
        self.settle(60);
        let chats = self.world.network.view(SHOP);
        let open = chats.iter().filter(|chat| chat.connected).count();
        assert_eq!(open, 1, "{death:?}: {chats:?}");
        for chat in ["@4", "@5"] {
            self.call("send", json!({"chat": chat, "text": "after it", "wait": 0}));
        }
        self.tap();
        assert_eq!(self.times_received("after it"), 1, "{death:?}: {:?}", self.cards());
        assert!(
            self.cards().iter().all(|(_, stance)| *stance != Stance::Asks),
            "{death:?}: {:?}",
            self.cards()
        );
    }

    /// Everything the session left, for the judges.
    fn trace(self) -> Trace {
        let received = self.received();
        Trace { config: config(), seam: self.world.seam, deeds: self.deeds, received, left: Vec::new() }
    }
}

/// The session before each of its acts, and after the last.
fn undisturbed() -> Vec<Session> {
    let mut stages = vec![Session::new()];
    for act in ACTS {
        let mut next = stages[stages.len() - 1].clone();
        act(&mut next);
        stages.push(next);
    }
    stages
}

/// The session up to a death, and what a second process makes of it; gives what the cards of the first one then say.
fn relive(stages: &[Session], death: Death) -> Vec<Stance> {
    let stage = stages.iter().rposition(|stage| stage.effects() <= death.effect).expect("the first has none");
    let mut session = stages[stage].clone();
    session.world.kill_after = u32::try_from(death.effect - session.effects()).ok();
    session.world.last_effect_done = death.done;
    for act in ACTS.iter().skip(stage) {
        act(&mut session);
        if !session.world.is_running() {
            break;
        }
    }
    assert!(!session.world.is_running(), "{death:?}");
    if death.tapped {
        if session.cards().iter().all(|(_, stance)| *stance != Stance::Asks) {
            return Vec::new();
        }
        session.tap();
    }
    session.world.start();
    session.settle(60);
    assert!(session.world.is_running(), "{death:?}: {:?}", session.world.warnings);
    session.assert_cards_are_true(death);
    let said = session.cards().into_iter().map(|(_, stance)| stance).collect();
    let before = session.times_received("hello");
    session.assert_works(death);
    assert_eq!(session.times_received("hello"), before, "{death:?}");
    assert_eq!(judge(&session.trace()), [], "{death:?}");
    said
}

/// The ordinary session does all that the deaths below interrupt.
#[test]
fn the_session_is_whole() {
    let stages = undisturbed();
    let session = stages[ACTS.len()].clone();
    assert_eq!(session.times_received("hello"), 1);
    let stances: Vec<Stance> = session.cards().into_iter().map(|(_, stance)| stance).collect();
    assert_eq!(stances, [Stance::Done; 3], "{:?}", session.cards());
    assert_eq!(judge(&session.trace()), []);
}

/// Lives through a death at each effect, with the owner idle and tapping; gives what the cards of the dead said.
fn relive_all(done: bool) -> BTreeSet<Stance> {
    let stages = undisturbed();
    let deaths = (0..stages[ACTS.len()].effects())
        .flat_map(|effect| [false, true].map(|tapped| Death { effect, done, tapped }));
    deaths.flat_map(|death| relive(&stages, death)).collect()
}

/// START-29, P2, P7: whichever effect the process dies before, a second one performs nothing again, gives no number
/// again, leaves no card that can be tapped or lies, and works.
#[test]
fn a_death_before_any_effect_is_survived() {
    assert_eq!(relive_all(false), BTreeSet::from([Stance::Done, Stance::Cancelled, Stance::Interrupted]));
}

/// START-29, P2, P7: the same when the effect took place and the process never learnt of it.
#[test]
fn a_death_after_any_effect_is_survived() {
    assert_eq!(relive_all(true), BTreeSet::from([Stance::Done, Stance::Cancelled, Stance::Interrupted]));
}
