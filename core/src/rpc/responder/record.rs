//! Work that is not done twice: what was asked for by a name of its owner's, and what came of it (decisions 9).

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::{Asked, Owner, WorkId};
use crate::rpc::envelope::Answer;
use crate::time::Millis;

/// How long an answer is kept for who asks again (decisions 9).
pub const RECORDED_FOR: Millis = Millis::secs(600);
/// Records in all. The oldest answer goes first; work that goes on is not forgotten. At the usual rate, 30 a minute of all
/// requests together, 330 begin in 10 minutes, and each record is kept its time.
pub const RECORDS: usize = 1024;
/// Records of one owner, so that none pushes out those of others.
pub const RECORDS_OF_OWNER: usize = 384;
/// The longest name that is kept whole.
const MAX_NAME: usize = 256;

/// Owner, protocol and the binding's name of the work.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(Owner, String, String);

/// The key of work; none when its owner is not known, or its name is too long to be one.
pub(super) fn key(asked: &Asked, repeat: String) -> Option<Key> {
    let is_known = asked.owner != Owner::Anonymous;
    (is_known && repeat.len() <= MAX_NAME).then(|| Key(asked.owner, asked.protocol.clone(), repeat))
}

/// What is known of work.
pub(super) enum Found<'a> {
    /// It goes on.
    AtWork(WorkId),
    /// It is done.
    Done(&'a Answer),
}

#[derive(Clone, Debug)]
struct Record {
    work: WorkId,
    /// When it ended, and with what; none while it goes on.
    done: Option<(Millis, Answer)>,
    /// Whether nobody waited for its end any more.
    is_given_up: bool,
}

/// The records.
#[derive(Clone, Debug, Default)]
pub(super) struct Records(BTreeMap<Key, Record>);

impl Records {
    pub(super) fn find(&self, key: &Key) -> Option<Found<'_>> {
        let record = self.0.get(key)?;
        Some(record.done.as_ref().map_or(Found::AtWork(record.work), |(_, answer)| Found::Done(answer)))
    }

    /// Work begins.
    pub(super) fn begin(&mut self, key: Key, work: WorkId) {
        if self.0.keys().filter(|known| known.0 == key.0).count() >= RECORDS_OF_OWNER {
            self.forget_oldest(|known| known.0 == key.0);
        }
        if self.0.len() >= RECORDS {
            self.forget_oldest(|_| true);
        }
        self.0.insert(key, Record { work, done: None, is_given_up: false });
    }

    /// Work ended: `is_given_up` when `answer` is only what those were told who waited.
    pub(super) fn finish(&mut self, now: Millis, work: WorkId, answer: Answer, is_given_up: bool) {
        if let Some(record) = self.0.values_mut().find(|record| record.work == work) {
            record.done = Some((now, answer));
            record.is_given_up = is_given_up;
        }
    }

    /// Work that was given up ended after all: its answer is better than none, and is kept from now on. Any other
    /// record stays.
    pub(super) fn finish_late(&mut self, now: Millis, work: WorkId, answer: Answer) {
        if self.0.values().any(|record| record.work == work && record.is_given_up) {
            self.finish(now, work, answer, false);
        }
    }

    pub(super) fn forget_old(&mut self, now: Millis) {
        self.0.retain(|_, record| record.done.as_ref().is_none_or(|(at, _)| now.since(*at) < RECORDED_FOR));
    }

    fn forget_oldest(&mut self, among: impl Fn(&Key) -> bool) {
        let done = self.0.iter().filter(|(key, _)| among(key));
        let oldest = done.filter_map(|(key, record)| Some((record.done.as_ref()?.0, key.clone()))).min();
        if let Some((_, key)) = oldest {
            self.0.remove(&key);
        }
    }
}
