//! The commands that others send here: which are for this profile and may run, and the replies on their way out.
//!
//! The host passes messages and what becomes of them, and drains [`Step`]s: it writes the start of a command down and
//! then calls [`Responder::begin`], runs it through its binding, hands the replies to [`Responder::reply`], sends what
//! [`Step::Send`] says and tells how that went. Each command that is taken ends in one [`Step::Close`], which says how.

mod lines;
mod names;
mod rules;
mod seen;
mod terms;

use alloc::collections::{BTreeMap, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;

use super::floods::Floods;
use super::identity::{Identity, Party, Place};
use crate::simplex::model::{ChatInfo, ChatItem, ItemId, ItemStatus};
use crate::time::{Millis, UnixMillis};
use lines::Lines;
use names::Names;
use seen::Seen;

pub use lines::MOST_UNACKNOWLEDGED;
pub use terms::{
    Asked, Binding, Closed, Flight, Ignored, Instead, Judged, Outgoing, Refusal, Step, Unsent, Work,
};

/// Oldest command that is run when the host says nothing else (decisions 7, `--max-age`).
pub const MAX_AGE: Millis = Millis::secs(600);
/// Most commands of one conversation at work (decisions 7).
pub const MOST_IN_CONVERSATION: usize = 8;
/// Most commands at work in all (decisions 7).
pub const MOST_IN_ALL: usize = 64;
/// Most live messages that are waited for.
const MOST_LIVE: usize = 64;

/// Tells whether another current member of a group has this name now.
pub type HasName<'a> = &'a dyn Fn(&Identity, &str) -> bool;

/// The commands of one bot.
#[derive(Clone, Debug)]
pub struct Responder {
    /// How much each may ask; Service RPC takes from it as well.
    pub floods: Floods,
    max_age: Millis,
    names: Names,
    admitted: BTreeMap<Identity, UnixMillis>,
    live: BTreeMap<ItemId, Live>,
    seen: Seen,
    jobs: BTreeMap<ItemId, Job>,
    lines: Lines,
    steps: VecDeque<Step>,
}

/// A message that is still written.
#[derive(Clone, Debug)]
struct Live {
    info: ChatInfo,
    item: ChatItem,
    touched: Millis,
}

#[derive(Clone, Debug)]
struct Job {
    work: Work,
    stage: Stage,
    queue: VecDeque<Out>,
    flying: Option<Out>,
    /// When it last sent something, for whose turn it is.
    turn: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Its start is being written down.
    Waiting,
    /// At work.
    Running,
    /// Its last reply is there, sent or not.
    Ended,
}

/// A reply on its way.
#[derive(Clone, Debug)]
struct Out {
    text: String,
    is_last: bool,
    /// It stands for one that was too large.
    is_instead: bool,
}

impl Responder {
    /// A bot with this profile name that runs commands of at most this age.
    pub fn new(name: &str, max_age: Millis, floods: Floods) -> Self {
        let mut names = Names::default();
        names.note(Millis(0), None, name);
        Self {
            floods,
            max_age,
            names,
            admitted: BTreeMap::new(),
            live: BTreeMap::new(),
            seen: Seen::default(),
            jobs: BTreeMap::new(),
            lines: Lines::default(),
            steps: VecDeque::new(),
        }
    }

    /// The profile has another name from now on.
    pub fn renamed(&mut self, now: Millis, name: &str) {
        self.names.note(now, None, name);
    }

    /// The profile was let into a group at this moment. Without it, the moment the group was made here counts.
    pub fn admitted(&mut self, group: Identity, at: UnixMillis) {
        self.admitted.insert(group, at);
    }

    /// What is to be done, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = Step> + '_ {
        self.steps.drain(..)
    }

    /// A message was deleted: a command that was not begun is not run, one at work is cancelled (decisions 7).
    pub fn on_deleted(&mut self, item: ItemId) {
        self.live.remove(&item);
        self.close(item, Closed::Deleted);
    }

    /// A chat is gone.
    pub fn on_chat_gone(&mut self, chat: &Identity) {
        let of_chat = |job: &&Job| job.work.place.chat == *chat;
        let items: Vec<ItemId> = self.jobs.values().filter(of_chat).map(|job| job.work.item).collect();
        for item in items {
            self.close(item, Closed::Gone);
        }
        self.live.retain(|_, live| Identity::of(&live.info).as_ref() != Some(chat));
        self.lines.forget(chat);
        self.names.forget(chat);
        self.admitted.remove(chat);
    }

    /// The start is written down: whether the command is to be run. False when it was deleted meanwhile.
    pub fn begin(&mut self, item: ItemId) -> bool {
        let Some(job) = self.jobs.get_mut(&item).filter(|job| job.stage == Stage::Waiting) else {
            return false;
        };
        job.stage = Stage::Running;
        true
    }

    /// The binding has a reply, in order; false when it is of no use any more.
    pub fn reply(&mut self, item: ItemId, text: String, is_last: bool, binding: &dyn Binding) -> bool {
        if self.jobs.get(&item).is_none_or(|job| job.stage != Stage::Running) {
            return false;
        }
        self.put(item, Out { text, is_last, is_instead: false }, binding);
        self.send_next();
        true
    }

    /// The binding has nothing to say to a command, as to a notification.
    pub fn silent(&mut self, item: ItemId) {
        if let Some(job) = self.jobs.get_mut(&item) {
            job.stage = Stage::Ended;
            self.close(item, Closed::Silent);
        }
    }

    /// A binding's message cancels a command of its own sender: see [`Responder::own`].
    pub fn withdraw(&mut self, item: ItemId) {
        self.close(item, Closed::Cancelled);
    }

    /// The commands of one party at work in one conversation: those it may cancel.
    pub fn own<'a>(&'a self, place: &'a Place, from: &'a Party) -> impl Iterator<Item = &'a Work> {
        let own = |work: &&Work| work.place == *place && work.from == *from;
        self.at_work().filter(own)
    }

    /// All commands at work.
    pub fn at_work(&self) -> impl Iterator<Item = &Work> {
        self.jobs.values().filter(|job| job.stage != Stage::Ended).map(|job| &job.work)
    }

    /// Whether more may be read from upstream for this command: not while its chat has as many replies on the way as
    /// may be unacknowledged (decisions 7).
    pub fn may_read(&self, item: ItemId) -> bool {
        let Some(job) = self.jobs.get(&item).filter(|job| job.stage == Stage::Running) else { return false };
        let chat = &job.work.place.chat;
        self.lines.on_the_way(chat).saturating_add(self.queued(chat)) < MOST_UNACKNOWLEDGED
    }

    /// How the sending of a reply went: the item it became, or why there is none.
    pub fn sent(&mut self, flight: Flight, result: Result<ItemId, Unsent>, binding: &dyn Binding) {
        let Some(item) = self.lines.landed(flight, result.ok()) else { return };
        let out = self.jobs.get_mut(&item).and_then(|job| job.flying.take());
        if let Some(out) = out {
            match result {
                Ok(_) if out.is_last => self.close(item, Closed::Answered),
                Ok(_) => {}
                Err(Unsent::Refused) => self.close(item, Closed::Unsendable),
                Err(Unsent::TooLarge) if out.is_instead => self.close(item, Closed::NoRoom),
                Err(Unsent::TooLarge) => self.shrink(item, &out, binding),
            }
        }
        self.send_next();
    }

    /// How far the delivery of an own item of this chat went.
    pub fn on_delivery(&mut self, chat: &Identity, item: ItemId, status: &ItemStatus) {
        self.lines.on_delivery(chat, item, status);
        self.send_next();
    }

    /// Puts a reply into its line, or what stands for it.
    fn put(&mut self, item: ItemId, out: Out, binding: &dyn Binding) {
        let Some(job) = self.jobs.get_mut(&item) else { return };
        if !lines::fits(&out.text, job.work.room) {
            let room = job.work.room;
            return self.put_instead(item, out.is_last, room, binding);
        }
        if out.is_last {
            job.stage = Stage::Ended;
        }
        job.queue.push_back(out);
    }

    /// What stands for a reply that is too large goes out next and ends the answer.
    fn put_instead(&mut self, item: ItemId, was_last: bool, room: usize, binding: &dyn Binding) {
        let Some(job) = self.jobs.get_mut(&item) else { return };
        match binding.oversized(&job.work.asked(), was_last, room) {
            Instead::Skip if !was_last => {}
            Instead::Last(text) if lines::fits(&text, room) => {
                job.queue.push_back(Out { text, is_last: true, is_instead: true });
                if job.stage == Stage::Running && !was_last {
                    self.steps.push_back(Step::Cancel(item));
                }
                job.stage = Stage::Ended;
            }
            Instead::Skip | Instead::Last(_) => {
                if was_last {
                    job.stage = Stage::Ended;
                }
                self.close(item, Closed::NoRoom);
            }
        }
    }

    /// The core found a reply too large that should have fitted: what waited behind it is of no use.
    fn shrink(&mut self, item: ItemId, out: &Out, binding: &dyn Binding) {
        let Some(job) = self.jobs.get_mut(&item) else { return };
        let room = job.work.room.min(super::room::LEAST);
        let behind = core::mem::take(&mut job.queue);
        self.put_instead(item, out.is_last, room, binding);
        if let Some(job) = self.jobs.get_mut(&item).filter(|job| job.queue.is_empty()) {
            job.queue = behind;
        }
    }

    /// Sends what may be sent: of each command one reply at a time, so that its replies arrive in order.
    fn send_next(&mut self) {
        loop {
            let ready = |job: &&mut Job| {
                job.flying.is_none() && !job.queue.is_empty() && self.lines.has_room(&job.work.place.chat)
            };
            let next = self.jobs.values_mut().filter(ready).min_by_key(|job| job.turn);
            let Some((job, out)) = next.and_then(|job| job.queue.pop_front().map(|out| (job, out))) else {
                return;
            };
            let flight = self.lines.launch(&job.work.place.chat, job.work.item);
            job.turn = flight.0;
            self.steps.push_back(Step::Send(Outgoing {
                flight,
                place: job.work.place.clone(),
                quotes: job.work.item,
                text: out.text.clone(),
                is_last: out.is_last,
            }));
            job.flying = Some(out);
        }
    }

    /// Replies of a chat that wait to be sent.
    fn queued(&self, chat: &Identity) -> usize {
        self.jobs.values().filter(|job| job.work.place.chat == *chat).map(|job| job.queue.len()).sum()
    }

    fn close(&mut self, item: ItemId, how: Closed) {
        let Some(job) = self.jobs.remove(&item) else { return };
        if job.stage == Stage::Running {
            self.steps.push_back(Step::Cancel(item));
        }
        self.steps.push_back(Step::Close { item, place: job.work.place, how });
    }

    /// A new command, at a stage.
    fn take(&mut self, work: Work, stage: Stage) {
        let job = Job { work, stage, queue: VecDeque::new(), flying: None, turn: 0 };
        self.jobs.insert(job.work.item, job);
    }

    /// A command is answered at once.
    fn answer(&mut self, work: Work, text: String, binding: &dyn Binding) -> Judged {
        let item = work.item;
        self.take(work, Stage::Ended);
        self.put(item, Out { text, is_last: true, is_instead: false }, binding);
        self.send_next();
        Judged::Taken
    }

    /// A command is refused in the words of its binding.
    fn refuse(&mut self, work: Work, why: &Refusal, binding: &dyn Binding) -> Judged {
        let text = binding.refusal(&work.asked(), why);
        self.answer(work, text, binding)
    }
}

#[cfg(test)]
mod tests;
