//! Buckets against a count of all that was let through.

use proptest::collection::vec;
use proptest::prelude::*;
use simplex_agent_core::Millis;
use simplex_agent_core::chat::floods::{Floods, Source, Verdict};
use simplex_agent_core::chat::identity::Party;
use simplex_agent_core::rpc::key::PublicKey;
use simplex_agent_core::rpc::responder::Owner;

use crate::objects::{chat, received};

/// A request signed by the nth key; its text ends in two bytes of zeros.
fn signed(number: u32) -> Source {
    let key = PublicKey::parse(&format!("MCowBQYDK2VwAyEA{number:0>40}AAA=")).expect("a key");
    Source::Rpc(Owner::Signer(key))
}

/// A source, and the groups of sources that share something: itself, its chat, all RPC.
fn source(pick: u8) -> (Source, Vec<u8>) {
    match pick {
        0..8 => {
            let number = 2 + pick % 2;
            let party =
                Party::of(&chat(number), &received(1, 1 + pick / 2, None, "", false)).expect("of the core");
            (Source::Chat(party), vec![pick, 100 + number])
        }
        8 | 9 => {
            let party = Party::of(&chat(pick - 8), &received(1, 0, None, "", false)).expect("of the core");
            (Source::Chat(party), vec![pick])
        }
        10 => (Source::Rpc(Owner::Anonymous), vec![pick, 110]),
        _ => (signed(pick.into()), vec![pick, 110]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// CHAT-25, CHAT-31: no source, group or transport gets more in any span than a minute's worth and what comes back
    /// in that span; who stays below is never refused; and what is remembered is bounded by what went through lately.
    #[test]
    fn nobody_gets_more_and_nobody_less(
        rate in 1_u32..40,
        steps in vec((0_u8..14, prop_oneof![6 => 0_u64..400, 1 => 0_u64..40_000]), 1..160),
    ) {
        let mut floods = Floods::new(rate, 10);
        let mut passed: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut now = 0;
        for (pick, after) in steps {
            now += after;
            let (source, groups) = source(pick);
            let verdict = floods.take(Millis(now), &source);
            let load = |groups: &[u8], span: u64| {
                let counts = groups.iter().map(|group| {
                    passed.iter().filter(|(at, of)| now - at <= span && of.contains(group)).count() as u64
                });
                counts.max().unwrap_or(0)
            };
            match verdict {
                Verdict::Go => {
                    for (from, _) in &passed {
                        let span = now - from;
                        let most = u64::from(rate) + (span * u64::from(rate)).div_ceil(60_000);
                        prop_assert!(load(&groups, span) < most, "{span} ms");
                    }
                    passed.push((now, groups));
                }
                Verdict::TooMany(wait) => {
                    prop_assert!(load(&groups, 60_000) >= u64::from(rate), "refused below the rate");
                    prop_assert!(wait.0 >= 1 && wait.0 <= 60_000);
                    prop_assert_eq!(floods.clone().take(Millis(now + wait.0), &source), Verdict::Go);
                    if wait.0 > 1 {
                        prop_assert_ne!(floods.clone().take(Millis(now + wait.0 - 1), &source), Verdict::Go);
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// CHAT-31: ten thousand sources, each once: only those of the last minute are remembered, and as many again.
    #[test]
    fn memory_is_bounded(gap in 100_u64..5_000) {
        let mut floods = Floods::new(30, 10);
        for key in 0_u32..10_000 {
            floods.take(Millis(u64::from(key) * gap), &signed(key));
            prop_assert!(floods.len() <= 2 * 2 * 32, "{}", floods.len());
        }
    }
}
