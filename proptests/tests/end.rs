//! How the process ends, in the order of the seam: what a script's lines do not tell apart.

use std::path::Path;

use serde_json::json;
use simplex_agent_core::Millis;
use simplex_agent_core::effect::{Effect, Input};
use simplex_proptests::world::{Seam, World, config};
use simplex_sim::Scenario;

/// A running agent with a streamed call and one that is answered as JSON.
fn world() -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/team.json");
    let scenario = std::fs::read_to_string(path).expect("the scenario is readable");
    let mut world = World::new(1, config(), &Scenario::parse(&scenario).expect("a scenario"));
    world.start();
    world.settle(Millis::secs(60));
    let target = world.network.link("shop").expect("a link");
    world.call("connect", json!({"target": target, "wait": 60}));
    world.run(Millis::secs(2));
    world.call("connect", json!({"target": target, "wait": 60}));
    world
}

/// The places of the seam's entries that satisfy `test`.
fn places(world: &World, test: impl Fn(&Seam) -> bool) -> Vec<usize> {
    world.seam.iter().enumerate().filter(|(_, seam)| test(seam)).map(|(place, _)| place).collect()
}

/// STOP-02, STOP-16: both calls have their answers before the process ends, whatever ends it.
#[test]
fn every_call_is_answered_before_the_end() {
    let lost = Input::CoreLost { reason: "the other side hung up".into() };
    for end in [lost, Input::Stop] {
        let mut world = world();
        world.input(end.clone());
        world.run(Millis::secs(30));
        let ended = places(&world, |seam| matches!(seam, Seam::In(_, Input::HttpEnded { .. })));
        let exit = places(&world, |seam| matches!(seam, Seam::Out(_, Effect::Exit(_))));
        assert_eq!(ended.len(), 2, "{end:?}");
        assert_eq!(exit.len(), 1, "{end:?}");
        assert!(ended.iter().all(|place| *place < exit[0]), "{end:?}: {ended:?} {exit:?}");
        for (_, exchange) in world.requests() {
            assert!(exchange.body.contains("the server stopped before the call was finished"), "{end:?}");
        }
    }
}

/// STOP-18: a start that fails closes the store, and ends when that is done.
#[test]
fn a_failed_start_closes_the_store() {
    let mut world = World::new(1, config(), &Scenario::demo());
    world.port_taken = true;
    world.start();
    world.settle(Millis::secs(60));
    let closing = places(&world, |seam| matches!(seam, Seam::Out(_, Effect::CloseCore { .. })));
    let exit = places(&world, |seam| matches!(seam, Seam::Out(_, Effect::Exit(_))));
    assert_eq!((closing.len(), exit.len()), (1, 1));
    let Some(Seam::Out(_, Effect::CloseCore { op })) = world.seam.get(closing[0]) else { unreachable!() };
    let closed =
        places(&world, |seam| matches!(seam, Seam::In(_, Input::Done { op: done, .. }) if done == op));
    assert_eq!(closed.len(), 1);
    assert!(closed[0] < exit[0]);
}
