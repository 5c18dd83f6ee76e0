//! How much each caller may ask, and how often it is told that it asked too much (decisions 7, "Floods").
//!
//! A bucket holds a minute's worth of calls and fills steadily. It is kept as one number, the moment at which it would
//! be full again, and forgotten when that moment has passed: what is kept is bounded by what was let through.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::identity::{Identity, Party};
use crate::rpc::key::PublicKey;
use crate::rpc::responder::Owner;
use crate::time::Millis;

/// Calls a minute when the host says nothing else (decisions 7, `--rate`).
pub const CALLS_PER_MINUTE: u32 = 30;

/// Between two errors about too many calls in one conversation (decisions 7).
const BETWEEN_ERRORS: Millis = Millis::secs(10);
/// Buckets that are kept before the full ones are looked for.
const SWEEP_FROM: usize = 64;

/// Where a call comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A conversation.
    Chat(Party),
    /// A Service RPC request.
    Rpc(Owner),
}

/// Whether a call may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Go,
    /// It may not; the same would be let through after this time, 1 ms or more.
    TooMany(Millis),
}

/// The buckets of one responder.
#[derive(Clone, Debug)]
pub struct Floods {
    calls: Rate,
    contacts: Rate,
    buckets: BTreeMap<Key, Micros>,
    sweep_at: usize,
    new_contacts: Micros,
    said: BTreeMap<Identity, Millis>,
}

/// What has a bucket of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Party(Party),
    Group(Identity),
    Signer(PublicKey),
    Unsigned,
    Rpc,
}

/// Microseconds of the monotonic clock; so fine that every rate is met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Micros(u64);

impl From<Millis> for Micros {
    fn from(time: Millis) -> Self {
        Self(time.0.saturating_mul(1_000))
    }
}

#[derive(Clone, Copy, Debug)]
struct Rate {
    /// The time in which one comes back.
    each: u64,
    /// The time in which all come back.
    all: u64,
}

impl Rate {
    /// So many in a time, at least one.
    const fn new(count: u32, seconds: u64) -> Self {
        let count = if count == 0 { 1 } else { count as u64 };
        let each = (seconds * 1_000_000).div_ceil(count);
        Self { each, all: each.saturating_mul(count) }
    }

    /// When the bucket is full again after one more was taken, or how long that one has to wait.
    const fn take(self, now: Micros, full_at: Micros) -> Result<Micros, Millis> {
        let from = if full_at.0 > now.0 { full_at.0 } else { now.0 };
        let after = from.saturating_add(self.each);
        let over = after.saturating_sub(now.0).saturating_sub(self.all);
        if over == 0 { Ok(Micros(after)) } else { Err(Millis(over.div_ceil(1_000))) }
    }
}

impl Floods {
    /// So many calls a minute for each source, and so many new contacts an hour; of either at least one.
    pub const fn new(calls_per_minute: u32, contacts_per_hour: u32) -> Self {
        Self {
            calls: Rate::new(calls_per_minute, 60),
            contacts: Rate::new(contacts_per_hour, 3_600),
            buckets: BTreeMap::new(),
            sweep_at: SWEEP_FROM,
            new_contacts: Micros(0),
            said: BTreeMap::new(),
        }
    }

    /// A call came: it takes one out of each bucket of its source, or of none.
    pub fn take(&mut self, now: Millis, source: &Source) -> Verdict {
        let now = Micros::from(now);
        let mut taken = Vec::with_capacity(2);
        let mut wait = None;
        for key in keys(source) {
            let full_at = self.buckets.get(&key).copied().unwrap_or_default();
            match self.calls.take(now, full_at) {
                Ok(full_at) => taken.push((key, full_at)),
                Err(time) => wait = wait.max(Some(time)),
            }
        }
        if let Some(time) = wait {
            return Verdict::TooMany(time);
        }
        self.buckets.extend(taken);
        if self.buckets.len() >= self.sweep_at {
            self.buckets.retain(|_, full_at| *full_at > now);
            self.sweep_at = self.buckets.len().saturating_mul(2).max(SWEEP_FROM);
        }
        Verdict::Go
    }

    /// Someone asks to be a contact: whether one more is let in.
    pub fn take_contact(&mut self, now: Millis) -> Verdict {
        match self.contacts.take(now.into(), self.new_contacts) {
            Ok(full_at) => {
                self.new_contacts = full_at;
                Verdict::Go
            }
            Err(time) => Verdict::TooMany(time),
        }
    }

    /// Whether an error about too much may be said in this chat: one, and then at most one in 10 s.
    pub fn may_say(&mut self, now: Millis, chat: &Identity) -> bool {
        self.said.retain(|_, at| now.since(*at) < BETWEEN_ERRORS);
        if self.said.contains_key(chat) {
            return false;
        }
        self.said.insert(chat.clone(), now);
        true
    }

    /// How many buckets and chats are remembered.
    pub fn len(&self) -> usize {
        self.buckets.len().saturating_add(self.said.len())
    }

    /// Nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The buckets of a source (decisions 7): contact; member and group; key or all that is unsigned, and all RPC.
fn keys(source: &Source) -> Vec<Key> {
    match source {
        Source::Chat(party @ Party::Contact(_)) => alloc::vec![Key::Party(party.clone())],
        Source::Chat(party @ Party::Member { group, .. }) => {
            alloc::vec![Key::Party(party.clone()), Key::Group(group.clone())]
        }
        Source::Rpc(Owner::Signer(signer)) => alloc::vec![Key::Signer(*signer), Key::Rpc],
        Source::Rpc(Owner::Anonymous) => alloc::vec![Key::Unsigned, Key::Rpc],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplex::ChatRef;
    use alloc::string::ToString;
    use std::format;

    fn identity(chat: ChatRef, day: u8) -> Identity {
        Identity { chat, created_at: format!("2026-10-0{day}T00:00:00Z") }
    }

    fn contact(number: u64, day: u8) -> Source {
        Source::Chat(Party::Contact(identity(ChatRef::Contact(number), day)))
    }

    fn member(group: u64, id: u64) -> Source {
        let group = identity(ChatRef::Group(group), 1);
        Source::Chat(Party::Member { group, member_id: id.to_string() })
    }

    fn signed(number: u64) -> Source {
        let key = PublicKey::parse(&format!("MCowBQYDK2VwAyEA{number:0>40}AAA=")).expect("a key");
        Source::Rpc(Owner::Signer(key))
    }

    /// How many of 200 calls at once go through.
    fn burst(floods: &mut Floods, now: Millis, source: &Source) -> usize {
        (0..200).filter(|_| floods.take(now, source) == Verdict::Go).count()
    }

    /// CHAT-25: each source has its own, and shares what it has to share.
    #[test]
    fn buckets_of_each_source() {
        let now = Millis::secs(5);
        let mut floods = Floods::new(CALLS_PER_MINUTE, 10);
        assert_eq!(burst(&mut floods, now, &contact(4, 1)), 30);
        assert_eq!(floods.take(now, &contact(4, 1)), Verdict::TooMany(Millis::secs(2)));
        assert_eq!(burst(&mut floods, now, &contact(4, 2)), 30, "another contact of the same number");
        assert_eq!(burst(&mut floods, now, &member(9, 1)), 30);
        assert_eq!(burst(&mut floods, now, &member(9, 2)), 0, "the group has no more");
        assert_eq!(burst(&mut floods, now, &member(10, 1)), 30);
        for id in 0..20 {
            assert_eq!(floods.take(now, &signed(id)), Verdict::Go);
        }
        assert_eq!(burst(&mut floods, now, &Source::Rpc(Owner::Anonymous)), 10, "all RPC together");
        assert_eq!(burst(&mut floods, now, &signed(99)), 0);
        assert_eq!(Owner::Anonymous.take(&mut floods, now), Err(2));
        assert_eq!(Owner::Anonymous.take(&mut floods.clone(), Millis::secs(7)), Ok(()));
        let later = Millis::secs(25);
        assert_eq!(burst(&mut floods, later, &signed(3)), 10);
        assert_eq!(burst(&mut floods, later, &contact(4, 1)), 10, "twenty seconds give ten back");
        assert_eq!(
            burst(&mut floods, Millis::secs(4_000), &contact(4, 1)),
            30,
            "and never more than a minute's"
        );
    }

    /// CHAT-26: new contacts by the hour.
    #[test]
    fn new_contacts() {
        let mut floods = Floods::new(30, 4);
        let go =
            |floods: &mut Floods, now| (0..9).filter(|_| floods.take_contact(now) == Verdict::Go).count();
        assert_eq!(go(&mut floods, Millis::secs(1)), 4);
        assert_eq!(floods.take_contact(Millis::secs(1)), Verdict::TooMany(Millis::secs(900)));
        assert_eq!(go(&mut floods, Millis::secs(1_801)), 2);
    }

    /// CHAT-27: one error, then at most one in ten seconds.
    #[test]
    fn errors_are_rare() {
        let (chat, other) = (identity(ChatRef::Group(9), 1), identity(ChatRef::Group(9), 2));
        let mut floods = Floods::new(30, 4);
        let said: Vec<bool> = (0..25).map(|second| floods.may_say(Millis::secs(second), &chat)).collect();
        let at: Vec<usize> = (0..25).filter(|second| said[*second]).collect();
        assert_eq!(at, [0, 10, 20]);
        assert!(floods.may_say(Millis::secs(25), &other));
        assert_eq!(floods.len(), 2);
        assert!(floods.may_say(Millis::secs(60), &chat));
        assert_eq!(floods.len(), 1);
    }
}
