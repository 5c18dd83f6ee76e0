//! P8 by random interleavings: several calls on several chats, whose numbers come back, and every message judged by a
//! model that knows who quoted what because it made the messages itself.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use simplex_agent_core::Millis;
use simplex_agent_core::chat::caller::{
    Accepts, Binding, Call, Calls, Claim, Ended, Heard, MOST_BYTES, Ticket, Waits,
};
use simplex_agent_core::chat::identity::{Party, Place};
use simplex_agent_core::simplex::model::ItemId;

use crate::objects::{chat, received};

#[derive(Clone, Debug)]
struct Words;

impl Binding for Words {
    fn hear(&self, text: &str) -> Heard {
        match text.as_bytes().first() {
            Some(b'p') => Heard::Part,
            Some(b'l') => Heard::Last,
            _ => Heard::Text,
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// Opens a call in a chat, to a member or to all.
    Open { chat: u8, to: Option<u8> },
    /// The `/_send` of the nth call under way is answered, or failed.
    Answer { nth: usize, fails: bool },
    /// A message quoting the nth own item there ever was in any chat, also those whose `/_send` is not answered.
    Message { chat: u8, from: u8, quotes: Option<usize>, text: &'static str, live: bool, size: u16 },
    /// The nth message comes again, as it was.
    Again(usize),
    /// The nth message is changed, and is complete.
    Change { nth: usize, text: &'static str },
    /// The nth message is deleted.
    Delete(usize),
    /// The nth call is closed.
    Close(usize),
    /// Time passes.
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let text = || proptest::sample::select(vec!["part", "last", "text"]);
    let size = prop_oneof![8 => Just(0_u16), 1 => 1_000_u16..15_000];
    prop_oneof![
        3 => (0_u8..6, proptest::option::of(1_u8..5)).prop_map(|(chat, to)| Step::Open { chat, to }),
        3 => (any::<usize>(), proptest::bool::weighted(0.1)).prop_map(|(nth, fails)| Step::Answer { nth, fails }),
        12 => (0_u8..6, 1_u8..5, proptest::option::weighted(0.9, 0_usize..40), text(), proptest::bool::weighted(0.2), size)
            .prop_map(|(chat, from, quotes, text, live, size)| Step::Message { chat, from, quotes, text, live, size }),
        2 => any::<usize>().prop_map(Step::Again),
        2 => (any::<usize>(), text()).prop_map(|(nth, text)| Step::Change { nth, text }),
        1 => any::<usize>().prop_map(Step::Delete),
        1 => any::<usize>().prop_map(Step::Close),
        1 => (0_u64..90_000).prop_map(Step::Wait),
    ]
}

/// A call as the model knows it.
struct Known {
    ticket: Ticket,
    chat: u8,
    to: Option<u8>,
    item: u64,
    answered: bool,
    open: bool,
    /// What it has to have heard.
    expected: BTreeSet<u64>,
}

#[derive(Clone)]
struct Sent {
    id: u64,
    chat: u8,
    from: u8,
    quotes: Option<u64>,
    text: String,
    live: bool,
}

impl Sent {
    fn item(&self) -> simplex_agent_core::simplex::model::ChatItem {
        received(self.id, self.sender(), self.quotes, &self.text, self.live)
    }

    /// Chats 0 and 1 are direct; they are one contact's number, used twice.
    const fn sender(&self) -> u8 {
        if self.chat < 2 { 0 } else { self.from }
    }
}

/// Who looks when it is told to misses no end that time alone brings, and sees one when the time is over.
fn end_is_seen_in_time(calls: &Calls<Words>, ticket: Ticket, mut now: Millis) -> Result<(), TestCaseError> {
    let waits = Waits { until: now + Millis::secs(100), idle: Millis::secs(10), limit: 3 };
    while calls.ended(ticket, now, &waits).is_none() {
        let look = calls.next_look(ticket, now, &waits).expect("an open call");
        prop_assert!(look > now && look <= waits.until, "{now:?} {look:?}");
        prop_assert_eq!(calls.ended(ticket, Millis(look.0 - 1), &waits), None, "before the look");
        now = look;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// P8, CHAT-16, CHAT-17, CHAT-18, CHAT-21, CHAT-23, CHAT-24: exactly the messages that quote a call's message, in its
    /// conversation and from whom it accepts, are its replies, whatever comes when; and never more than 200 kB of them.
    #[test]
    fn replies_are_of_those_who_were_called(steps in vec(step(), 1..120)) {
        let mut calls: Calls<Words> = Calls::default();
        let mut known: Vec<Known> = Vec::new();
        let mut messages: Vec<Sent> = Vec::new();
        let mut claims: BTreeMap<u64, Claim> = BTreeMap::new();
        let (mut next, mut now) = (100_u64, Millis(1));
        for step in steps {
            now = now + Millis(1);
            match step {
                Step::Open { chat: number, to } => {
                    let info = chat(number);
                    let place = Place::of(&info).expect("a conversation");
                    let accepts = match (number, to) {
                        (0 | 1, _) => Accepts::One(Party::Contact(place.chat.clone())),
                        (_, None) => Accepts::Anyone,
                        (_, Some(row)) => Accepts::One(Party::Member {
                            group: place.chat.clone(),
                            member_id: format!("id-{row}"),
                        }),
                    };
                    let ticket = calls.open(Call { place, accepts, binding: Words });
                    next += 1;
                    let to = if number < 2 { Some(0) } else { to };
                    known.push(Known {
                        ticket, chat: number, to, item: next, answered: false, open: true,
                        expected: BTreeSet::new(),
                    });
                }
                Step::Answer { nth, fails } => {
                    let waiting: Vec<usize> =
                        (0..known.len()).filter(|at| known[*at].open && !known[*at].answered).collect();
                    if waiting.is_empty() { continue; }
                    let call = &mut known[waiting[nth % waiting.len()]];
                    call.answered = true;
                    let settled = if fails {
                        call.open = false;
                        calls.not_sent(call.ticket)
                    } else {
                        calls.sent(call.ticket, ItemId::new(call.item))
                    };
                    for id in settled.replies {
                        prop_assert_eq!(claims.insert(id.number(), Claim::Reply(call.ticket)), Some(Claim::Open));
                    }
                    for id in settled.ordinary {
                        prop_assert_eq!(claims.insert(id.number(), Claim::Nobody), Some(Claim::Open));
                    }
                }
                Step::Message { chat: number, from, quotes, text, live, size } => {
                    next += 1;
                    let quotes = quotes.and_then(|nth| known.get(nth)).map(|call| call.item);
                    let text = text.to_string() + &"x".repeat(size.into());
                    let message = Sent { id: next, chat: number, from, quotes, text, live };
                    let sender = message.sender();
                    for call in known.iter_mut().filter(|call| call.open && Some(call.item) == quotes) {
                        if call.chat == number && call.to.is_none_or(|to| to == sender) {
                            call.expected.insert(next);
                        }
                    }
                    let claim = calls.on_new(now, &chat(number), &message.item());
                    if let Claim::Reply(ticket) = claim {
                        prop_assert!(known.iter().any(|call| call.ticket == ticket && Some(call.item) == quotes));
                    }
                    claims.insert(next, claim);
                    messages.push(message);
                }
                Step::Again(nth) if !messages.is_empty() => {
                    let message = &messages[nth % messages.len()];
                    claims.insert(message.id, calls.on_new(now, &chat(message.chat), &message.item()));
                }
                Step::Change { nth, text } if !messages.is_empty() => {
                    let nth = nth % messages.len();
                    messages[nth].text = text.into();
                    messages[nth].live = false;
                    calls.on_update(now, &messages[nth].item());
                }
                Step::Delete(nth) if !messages.is_empty() => {
                    let id = messages[nth % messages.len()].id;
                    for call in &mut known {
                        call.expected.remove(&id);
                    }
                    calls.on_deleted(ItemId::new(id));
                }
                Step::Close(nth) if !known.is_empty() => {
                    let nth = nth % known.len();
                    known[nth].open = false;
                    calls.close(known[nth].ticket);
                }
                Step::Wait(ms) => now = now + Millis(ms),
                _ => {}
            }
            for call in known.iter().filter(|call| call.open && call.answered) {
                let later = now + Millis::secs(61);
                let outcome = calls.outcome(call.ticket, later, usize::MAX).expect("an open call");
                let heard: BTreeSet<u64> = outcome.replies.iter().map(|reply| reply.item.number()).collect();
                prop_assert!(heard.is_subset(&call.expected), "P8: {heard:?} of {:?}", call.expected);
                prop_assert!(outcome.replies.is_sorted_by_key(|reply| reply.item));
                let bytes: usize = outcome.replies.iter().map(|reply| reply.text.len()).sum();
                prop_assert!(bytes <= MOST_BYTES, "{bytes}");
                if outcome.more == 0 {
                    prop_assert_eq!(&heard, &call.expected);
                }
                end_is_seen_in_time(&calls, call.ticket, now)?;
                let waits = Waits { until: now + Millis::secs(3_600), idle: Millis::secs(3_600), limit: 1_000 };
                let ended = calls.ended(call.ticket, later, &waits);
                let complete = outcome.replies.iter().any(|reply| reply.heard == Heard::Last);
                match call.to {
                    Some(_) => prop_assert_eq!(ended == Some(Ended::Answer), complete),
                    None => prop_assert_eq!(ended.is_some(), outcome.more > 0),
                }
            }
        }
    }
}
