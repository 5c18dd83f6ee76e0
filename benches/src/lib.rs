//! What the parts cost, as ratios measured in one run: a machine's speed is no property of the program, the cost of
//! one thing beside another is. Time is that of this thread on a processor, so that other programs disturb little.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Rounds of a measurement; the median counts.
const ROUNDS: usize = 41;
/// A round takes about this long.
const ROUND: Duration = Duration::from_millis(5);

/// The costs of two things, measured in turns, as the median of `one` over the median of `other`.
pub fn ratio<A, B>(mut one: impl FnMut() -> A, mut other: impl FnMut() -> B) -> f64 {
    let (ones, others) = (per_round(&mut one), per_round(&mut other));
    let mut rounds: Vec<(f64, f64)> =
        (0..ROUNDS).map(|_| (time(&mut one, ones), time(&mut other, others))).collect();
    let one = median(rounds.iter_mut().map(|round| round.0).collect());
    let other = median(rounds.iter_mut().map(|round| round.1).collect());
    one / other
}

/// The median time of one call.
pub fn cost<A>(mut one: impl FnMut() -> A) -> Duration {
    let count = per_round(&mut one);
    Duration::from_secs_f64(median((0..ROUNDS).map(|_| time(&mut one, count)).collect()))
}

/// How many calls fill a round.
fn per_round<A>(call: &mut impl FnMut() -> A) -> u32 {
    let mut count = 1;
    while count < 1 << 20 && time(call, count) * f64::from(count) < ROUND.as_secs_f64() {
        count *= 2;
    }
    count
}

/// The time of one call, in seconds, over `count` calls.
fn time<A>(call: &mut impl FnMut() -> A, count: u32) -> f64 {
    let start = processor_time();
    for _ in 0..count {
        black_box(call());
    }
    (processor_time() - start) / f64::from(count)
}

/// What this thread has used of a processor, in seconds.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0)).as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
