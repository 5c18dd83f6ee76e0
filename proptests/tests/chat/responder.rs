//! A responder among hostile callers, slow routers, deletions and refusals of the core, against a host that keeps count.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use simplex_agent_core::chat::floods::Floods;
use simplex_agent_core::chat::identity::{Identity, Place};
use simplex_agent_core::chat::responder::{
    Asked, Binding, Closed, Flight, Instead, Judged, MAX_AGE, MOST_IN_ALL, MOST_IN_CONVERSATION,
    MOST_UNACKNOWLEDGED, Outgoing, Refusal, Responder, Step, Unsent,
};
use simplex_agent_core::simplex::model::{ItemId, ItemStatus};
use simplex_agent_core::{Millis, Now, UnixMillis};

use crate::objects::{chat, received};

struct Words(Vec<String>);

impl Binding for Words {
    fn served(&self) -> &[String] {
        &self.0
    }

    fn refusal(&self, _: &Asked<'_>, _: &Refusal) -> String {
        "0 refused".into()
    }

    fn oversized(&self, _: &Asked<'_>, is_last: bool, room: usize) -> Instead {
        if !is_last && room.is_multiple_of(2) { Instead::Skip } else { Instead::Last("instead".into()) }
    }
}

#[derive(Clone, Debug)]
enum Event {
    /// A message with one of the texts, long enough to leave little room when so wished.
    Command {
        chat: u8,
        from: u8,
        text: usize,
        long: bool,
    },
    /// The nth command comes again under another number.
    Again(usize),
    Delete(usize),
    /// The start of the nth that waits is written down.
    Begin(usize),
    /// The nth at work has a reply.
    Reply {
        nth: usize,
        size: usize,
        last: bool,
    },
    /// The nth sending is answered.
    Land {
        nth: usize,
        how: u8,
    },
    /// The delivery of the nth own item goes on.
    Deliver {
        nth: usize,
        status: usize,
    },
    Withdraw(usize),
    Gone(u8),
    Wait(u64),
}

const TEXTS: [&str; 6] = [
    "/_call mcp {}",
    "/_call mcp {}",
    "/_call @M0 mcp {}",
    "/_call @Other mcp {}",
    "/_call x {}",
    "/_call mcp [1]",
];

/// Routers deliver this often, and commands come in so many of the chats.
fn event(delivery: u32, chats: u8) -> impl Strategy<Value = Event> {
    let size = prop_oneof![6 => 1_usize..50, 1 => 1_usize..16_000];
    prop_oneof![
        8 => (0..chats, 1_u8..5, 0..TEXTS.len(), proptest::bool::weighted(0.2))
            .prop_map(|(chat, from, text, long)| Event::Command { chat, from, text, long }),
        1 => any::<usize>().prop_map(Event::Again),
        1 => any::<usize>().prop_map(Event::Delete),
        6 => any::<usize>().prop_map(Event::Begin),
        12 => (any::<usize>(), size, proptest::bool::weighted(0.3))
            .prop_map(|(nth, size, last)| Event::Reply { nth, size, last }),
        12 => (any::<usize>(), 0_u8..12).prop_map(|(nth, how)| Event::Land { nth, how }),
        delivery => (any::<usize>(), 0_usize..4).prop_map(|(nth, status)| Event::Deliver { nth, status }),
        1 => any::<usize>().prop_map(Event::Withdraw),
        1 => (0_u8..60).prop_map(Event::Gone),
        2 => (0_u64..20_000).prop_map(Event::Wait),
    ]
}

/// What the host knows of a command.
#[derive(Default)]
struct Known {
    chat: u8,
    written: usize,
    sent: usize,
    last_sent: bool,
    last_taken: bool,
    flying: bool,
    closed: Option<Closed>,
}

struct Host {
    responder: Responder,
    words: Words,
    now: Now,
    next: u64,
    commands: Vec<(u64, u8, u8, String)>,
    known: BTreeMap<u64, Known>,
    ran: BTreeSet<(Identity, String)>,
    waiting: Vec<ItemId>,
    running: Vec<ItemId>,
    flights: Vec<(Flight, Outgoing)>,
    own: Vec<(Identity, u64)>,
}

impl Host {
    fn new() -> Self {
        Self {
            responder: Responder::new("M0", MAX_AGE, Floods::new(60, 10)),
            words: Words(vec!["mcp".into()]),
            now: Now { mono: Millis(1), unix: UnixMillis(1_792_314_905_000) },
            next: 100,
            commands: Vec::new(),
            known: BTreeMap::new(),
            ran: BTreeSet::new(),
            waiting: Vec::new(),
            running: Vec::new(),
            flights: Vec::new(),
            own: Vec::new(),
        }
    }

    fn hear(&mut self, id: u64, number: u8, from: u8, text: &str, shared: u64) {
        let mut item = received(id, if number < 2 { 0 } else { from }, None, text, false);
        item.meta.item_shared_msg_id = Some(format!("shared-{shared}"));
        let judged = self.responder.on_new(self.now, &chat(number), &item, &self.words, &|_, _| false);
        if judged == Judged::Taken {
            self.known.insert(id, Known { chat: number, ..Known::default() });
        }
    }

    fn act(&mut self, event: Event) {
        match event {
            Event::Command { chat, from, text, long } => {
                self.next += 1;
                let filler = if long { 15_200 + self.next as usize % 150 } else { 0 };
                let text = TEXTS[text].replace("{}", &format!("{{\"\":\"{}\"}}", "x".repeat(filler)));
                self.commands.push((self.next, chat, from, text.clone()));
                self.hear(self.next, chat, from, &text, self.next);
            }
            Event::Again(nth) if !self.commands.is_empty() => {
                let (shared, chat, from, text) = self.commands[nth % self.commands.len()].clone();
                self.next += 1;
                self.hear(self.next, chat, from, &text, shared);
            }
            Event::Delete(nth) if !self.commands.is_empty() => {
                self.responder.on_deleted(ItemId::new(self.commands[nth % self.commands.len()].0));
            }
            Event::Begin(nth) if !self.waiting.is_empty() => {
                let item = self.waiting.swap_remove(nth % self.waiting.len());
                if self.responder.begin(item) {
                    self.running.push(item);
                }
            }
            Event::Reply { nth, size, last } if !self.running.is_empty() => {
                self.reply(nth % self.running.len(), size, last);
            }
            Event::Land { nth, how } if !self.flights.is_empty() => {
                self.land(nth % self.flights.len(), how);
            }
            Event::Deliver { nth, status } if !self.own.is_empty() => {
                let nth = nth % self.own.len();
                let status =
                    [ItemStatus::SndNew, ItemStatus::SndSent, ItemStatus::SndRcvd, ItemStatus::SndErrorAuth]
                        [status]
                        .clone();
                let (chat, item) = self.own[nth].clone();
                if status != ItemStatus::SndNew {
                    self.own.swap_remove(nth);
                }
                self.responder.on_delivery(&chat, ItemId::new(item), &status);
            }
            Event::Withdraw(nth) if !self.running.is_empty() => {
                let item = self.running.swap_remove(nth % self.running.len());
                self.responder.withdraw(item);
            }
            Event::Gone(number @ 0..6) => {
                let gone = Identity::of(&chat(number)).expect("a chat");
                self.own.retain(|(chat, _)| *chat != gone);
                // What flies to a chat that is gone is answered to nobody.
                self.flights.retain(|(_, out)| out.place.chat != gone);
                self.responder.on_chat_gone(&gone);
            }
            Event::Wait(ms) => self.now.mono = self.now.mono + Millis(ms),
            _ => {}
        }
    }

    fn reply(&mut self, nth: usize, size: usize, last: bool) {
        let item = self.running[nth];
        let known = self.known.get_mut(&item.number()).expect("taken");
        known.written += 1;
        let text = format!("{} {}", known.written, "x".repeat(size));
        if !self.responder.reply(item, text, last, &self.words) || last {
            self.running.swap_remove(nth);
        }
    }

    fn land(&mut self, nth: usize, how: u8) {
        let (flight, out) = self.flights.swap_remove(nth);
        let result = match how {
            0 => Err(Unsent::TooLarge),
            1 => Err(Unsent::Refused),
            _ => {
                self.next += 1;
                Ok(ItemId::new(self.next))
            }
        };
        let known = self.known.get_mut(&out.quotes.number()).expect("taken");
        known.flying = false;
        known.last_taken |= out.is_last && result.is_ok();
        known.last_sent &= result.is_ok() || !out.is_last;
        if result.is_ok() {
            self.own.push((out.place.chat.clone(), self.next));
        }
        self.responder.sent(flight, result, &self.words);
    }

    /// Drains the steps and judges them.
    fn drain(&mut self) -> Result<(), TestCaseError> {
        let steps: Vec<Step> = self.responder.drain().collect();
        for step in steps {
            match step {
                Step::Run(work) => {
                    let key = (work.place.chat.clone(), work.shared.clone().expect("shared"));
                    prop_assert!(self.ran.insert(key), "run twice");
                    self.waiting.push(work.item);
                }
                Step::Resume { .. } => prop_assert!(false, "nothing was begun before"),
                Step::Cancel(item) => self.running.retain(|running| *running != item),
                Step::Send(out) => {
                    let known = self.known.get_mut(&out.quotes.number()).expect("taken");
                    prop_assert_eq!(&out.place, &Place::of(&chat(known.chat)).expect("a conversation"));
                    prop_assert_eq!(known.closed, None, "sent after its end");
                    prop_assert!(!known.flying, "two at once");
                    prop_assert!(!known.last_sent, "something after the last");
                    known.flying = true;
                    known.last_sent = out.is_last;
                    if let Some(number) =
                        out.text.split(' ').next().and_then(|word| word.parse::<usize>().ok())
                    {
                        prop_assert!(number == 0 || number > known.sent, "out of order");
                        known.sent = number;
                    }
                    self.flights.push((out.flight, out));
                }
                Step::Close { item, how, .. } => {
                    let known = self.known.get_mut(&item.number()).expect("taken");
                    prop_assert_eq!(known.closed, None, "closed twice");
                    prop_assert_eq!(how == Closed::Answered, known.last_taken);
                    known.closed = Some(how);
                }
            }
        }
        let mut on_the_way: BTreeMap<&Identity, usize> = BTreeMap::new();
        for chat in
            self.flights.iter().map(|(_, out)| &out.place.chat).chain(self.own.iter().map(|(chat, _)| chat))
        {
            *on_the_way.entry(chat).or_default() += 1;
        }
        prop_assert!(self.responder.at_work().count() <= MOST_IN_ALL);
        // At work in two conversations of a chat, waiting to be sent, and on the way: no more is kept, whoever sends what.
        let mut open: BTreeMap<u8, usize> = BTreeMap::new();
        for known in self.known.values().filter(|known| known.closed.is_none()) {
            *open.entry(known.chat).or_default() += 1;
        }
        prop_assert!(
            open.values().all(|count| *count <= MOST_IN_CONVERSATION + 2 * MOST_UNACKNOWLEDGED),
            "{open:?}"
        );
        let mut conversations: BTreeMap<&Place, usize> = BTreeMap::new();
        for work in self.responder.at_work() {
            *conversations.entry(&work.place).or_default() += 1;
        }
        prop_assert!(conversations.values().all(|count| *count <= MOST_IN_CONVERSATION));
        prop_assert!(on_the_way.values().all(|count| *count <= MOST_UNACKNOWLEDGED), "{on_the_way:?}");
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// CHAT-34, CHAT-38, CHAT-40, CHAT-42, CHAT-43: replies of a command go out in the order of its stream, one at a time,
    /// and nothing after the last; no chat has more than 16 on the way; no command runs twice; and each that was taken
    /// ends once: with its one last reply, or with the reason why there is none.
    #[test]
    fn each_command_ends_once(
        events in prop_oneof![vec(event(8, 6), 1..250), vec(event(1, 1), 100..250)],
    ) {
        let mut host = Host::new();
        for event in events {
            host.act(event);
            host.drain()?;
        }
        // Whatever was left open comes to its end when the network and the upstream do their part.
        for _ in 0..10_000 {
            if !host.flights.is_empty() {
                host.land(0, 9);
            } else if !host.own.is_empty() {
                host.act(Event::Deliver { nth: 0, status: 1 });
            } else if !host.waiting.is_empty() {
                host.act(Event::Begin(0));
            } else if !host.running.is_empty() {
                host.reply(0, 1, true);
            } else {
                break;
            }
            host.drain()?;
        }
        for (id, known) in &host.known {
            prop_assert!(known.closed.is_some(), "{id} has no end");
        }
        prop_assert_eq!(host.responder.at_work().count(), 0);
    }
}
