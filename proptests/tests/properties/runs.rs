//! Runs of a property, and the liveness of all of them.

use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestCaseError, TestRunner};
use simplex_agent_core::config::Mode;
use simplex_proptests::oracle::violations;
use simplex_proptests::play::play;
use simplex_proptests::strategies::{Mix, steps};
use simplex_proptests::trace::Property;

/// Runs of each property, when `PROPTEST_CASES` says nothing else.
const CASES: u32 = 12;
/// The seed of those runs.
const SEED: u64 = 72_026;
/// Most steps of a run.
const LENGTH: usize = 40;

/// Tries to break a property.
pub(crate) fn try_to_break(property: Property, mix: Mix, mode: Mode) {
    // Without a number the runs are the same each time; with one, `PROPTEST_CASES=200`, they hunt for new cases.
    let hunt: Option<u32> = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let name = format!("tests/properties/regressions/{property:?}-{mode:?}.txt").to_lowercase();
    let path: &'static str = Box::leak(format!("{}/{name}", env!("CARGO_MANIFEST_DIR")).into_boxed_str());
    let config = Config {
        cases: hunt.unwrap_or(CASES),
        rng_seed: hunt.map_or(RngSeed::Fixed(SEED), |_| RngSeed::Random),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(path))),
        max_shrink_iters: 1_500,
        ..Config::default()
    };
    let tried = TestRunner::new(config).run(&steps(mix, LENGTH), |steps| {
        let found = violations(&play(&steps, mode), property);
        if found.is_empty() { Ok(()) } else { Err(TestCaseError::fail(property.report(&steps, &found))) }
    });
    if let Err(proptest::test_runner::TestError::Fail(reason, _)) = &tried {
        panic!("{reason}");
    }
    assert!(tried.is_ok(), "{tried:?}");
}

/// When faults stop and time passes, every call is answered, every card says how it ended, and `list` is empty.
/// Answers that never come, a core that contradicts itself and a wall clock that leaps are left
/// out: what they leave behind is told to the person, not undone.
#[test]
fn everything_ends() {
    let mix = Mix { forged: 0, trouble: 0, clock: 0, ..Mix::EVEN };
    try_to_break(Property::Liveness, mix, Mode::Requests);
}

/// The judge of liveness finds what is left.
#[test]
fn a_rest_is_found() {
    let mut trace = play(&[], Mode::Requests);
    assert!(violations(&trace, Property::Liveness).is_empty());
    trace.left.push("req9 has no answer".into());
    assert_eq!(violations(&trace, Property::Liveness).len(), 1);
}
