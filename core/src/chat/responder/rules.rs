//! Which messages are commands for this profile, and which of them may run (decisions 7).

use alloc::borrow::ToOwned;
use alloc::string::String;

use super::{
    Binding, HasName, Ignored, Judged, Live, MOST_IN_ALL, MOST_IN_CONVERSATION, MOST_LIVE,
    MOST_UNACKNOWLEDGED, Refusal, Responder, Stage, Step, Work,
};
use crate::chat::caller::LIVE_PATIENCE;
use crate::chat::command::{self, Command, Malformed};
use crate::chat::floods::{Source, Verdict};
use crate::chat::identity::{Identity, Party, Place, is_on_word};
use crate::chat::journal::AtRestart;
use crate::chat::{room, text};
use crate::simplex::model::{ChatInfo, ChatItem, ItemId, MsgKind, Timestamp};
use crate::time::{Millis, Now};

/// A command as it was read, well formed or not.
struct Read<'a> {
    is_addressed: bool,
    member: Option<&'a str>,
    protocol: Option<&'a str>,
    request: Option<&'a str>,
    fault: Option<command::Fault>,
}

impl<'a> Read<'a> {
    fn of(text: &'a str) -> Option<Self> {
        Some(match command::parse(text)? {
            Ok(Command { member, protocol, request }) => Self {
                is_addressed: member.is_some(),
                member,
                protocol: Some(protocol.as_str()),
                request: Some(request.text()),
                fault: None,
            },
            Err(Malformed { fault, is_addressed, member, protocol, request }) => Self {
                is_addressed,
                member,
                protocol: protocol.map(command::Protocol::as_str),
                request: request.map(serde_json::value::RawValue::get),
                fault: Some(fault),
            },
        })
    }
}

impl Responder {
    /// A message came, or is found unread at a start and [`AtRestart::New`].
    pub fn on_new(
        &mut self,
        now: Now,
        info: &ChatInfo,
        item: &ChatItem,
        binding: &dyn Binding,
        has_name: HasName<'_>,
    ) -> Judged {
        let Some(text) = text_of(item) else { return Judged::Ordinary };
        if item.meta.item_live {
            return self.hold(now.mono, info, item);
        }
        let Some(read) = Read::of(text) else { return Judged::Ordinary };
        if item.meta.item_edited {
            return Judged::Ignored(Ignored::Edited);
        }
        self.judge(now, info, item, &read, binding, has_name)
    }

    /// A message was changed: of interest only when it is live. Edits of commands are ignored.
    pub fn on_update(
        &mut self,
        now: Now,
        info: &ChatInfo,
        item: &ChatItem,
        binding: &dyn Binding,
        has_name: HasName<'_>,
    ) -> Judged {
        if self.live.remove(&item.meta.item_id).is_some() {
            return self.on_new(now, info, item, binding, has_name);
        }
        match text_of(item).and_then(Read::of) {
            Some(_) => Judged::Ignored(Ignored::Edited),
            None => Judged::Ordinary,
        }
    }

    /// Time passed: live messages without an update for a minute are taken as they stand.
    pub fn on_tick(&mut self, now: Now, binding: &dyn Binding, has_name: HasName<'_>) {
        while let Some(item) = self.stale(now.mono) {
            let Some(Live { info, mut item, .. }) = self.live.remove(&item) else { return };
            item.meta.item_live = false;
            self.on_new(now, &info, &item, binding, has_name);
        }
    }

    /// When [`Responder::on_tick`] has something to do.
    pub fn next_wakeup(&self) -> Option<Millis> {
        self.live.values().map(|live| live.touched + LIVE_PATIENCE).min()
    }

    fn stale(&self, now: Millis) -> Option<ItemId> {
        let mut live = self.live.iter();
        live.find(|(_, live)| live.touched + LIVE_PATIENCE <= now).map(|(item, _)| *item)
    }

    /// An unread command is found at a start; `then` is what the journal says of it.
    pub fn take_up(
        &mut self,
        now: Now,
        info: &ChatInfo,
        item: &ChatItem,
        then: AtRestart,
        binding: &dyn Binding,
        has_name: HasName<'_>,
    ) -> Judged {
        if then == AtRestart::New {
            return self.on_new(now, info, item, binding, has_name);
        }
        let read = text_of(item).and_then(Read::of);
        let Some((place, from, read)) = parties(info, item).zip(read).map(|((a, b), c)| (a, b, c)) else {
            return Judged::Ordinary;
        };
        if self.seen.has(&place.chat, item) {
            return Judged::Ignored(Ignored::Repeated);
        }
        self.seen.note(&place.chat, item);
        let work = work(item, place, from, &read);
        match then {
            AtRestart::Resume(task) => {
                self.take(work.clone(), Stage::Running);
                self.steps.push_back(Step::Resume { work, task });
                Judged::Taken
            }
            AtRestart::Answered => {
                let (item, place) = (work.item, work.place);
                self.steps.push_back(Step::Close { item, place, how: super::Closed::Answered });
                Judged::Taken
            }
            AtRestart::Interrupted | AtRestart::New if serves(binding, &read) => {
                self.refuse(work, &Refusal::Restarted, binding)
            }
            AtRestart::Interrupted | AtRestart::New => {
                self.answer(work, text::protocols_served(binding.served()), binding)
            }
        }
    }

    fn hold(&mut self, now: Millis, info: &ChatInfo, item: &ChatItem) -> Judged {
        let chat = Identity::of(info);
        let of_chat = self.live.values().filter(|live| Identity::of(&live.info) == chat).count();
        let is_full = self.live.len() >= MOST_LIVE || of_chat >= MOST_IN_CONVERSATION;
        if is_full && !self.live.contains_key(&item.meta.item_id) {
            return Judged::Ignored(Ignored::Congested);
        }
        let live = Live { info: info.clone(), item: item.clone(), touched: now };
        self.live.insert(item.meta.item_id, live);
        Judged::Held
    }

    /// The rules, in the order in which they are asked: what is for nobody here costs its sender nothing, and what
    /// would be answered costs a call.
    fn judge(
        &mut self,
        now: Now,
        info: &ChatInfo,
        item: &ChatItem,
        read: &Read<'_>,
        binding: &dyn Binding,
        has_name: HasName<'_>,
    ) -> Judged {
        let Some((place, from)) = parties(info, item) else { return Judged::Ignored(Ignored::NoSender) };
        if self.is_history(info, item, &place.chat) {
            return Judged::Ignored(Ignored::Replayed);
        }
        if !self.is_mine(now.mono, info, item, read, &place.chat, has_name) {
            return Judged::Ignored(Ignored::NotForMe);
        }
        let is_served = serves(binding, read);
        if !is_served && place.chat.chat.is_group() && !read.is_addressed {
            return Judged::Ignored(Ignored::NotServed);
        }
        if self.seen.has(&place.chat, item) {
            return Judged::Ignored(Ignored::Repeated);
        }
        if self.queued(&place.chat) >= MOST_UNACKNOWLEDGED {
            return Judged::Ignored(Ignored::Congested);
        }
        let verdict = self.floods.take(now.mono, &Source::Chat(from.clone()));
        let work = work(item, place, from, read);
        if let Verdict::TooMany(wait) = verdict {
            return self.refuse_seldom(now.mono, item, work, is_served, &Refusal::TooMany(wait), binding);
        }
        if !is_served {
            self.seen.note(&work.place.chat, item);
            let text = text::protocols_served(binding.served());
            return self.answer(Work { protocol: String::new(), ..work }, text, binding);
        }
        if self.is_busy(&work.place) && read.fault.is_none() {
            return self.refuse_seldom(now.mono, item, work, true, &Refusal::Busy, binding);
        }
        self.seen.note(&work.place.chat, item);
        let why = if item.meta.is_forwarded {
            Some(Refusal::Forwarded)
        } else if self.is_old(now, item) {
            Some(Refusal::TooOld)
        } else {
            read.fault.map(Refusal::Malformed)
        };
        if let Some(why) = why {
            return self.refuse(work, &why, binding);
        }
        self.take(work.clone(), Stage::Waiting);
        self.steps.push_back(Step::Run(work));
        Judged::Taken
    }

    /// One error about too much in a chat, then at most one in 10 s.
    fn refuse_seldom(
        &mut self,
        now: Millis,
        item: &ChatItem,
        work: Work,
        is_served: bool,
        why: &Refusal,
        binding: &dyn Binding,
    ) -> Judged {
        if !is_served || !self.floods.may_say(now, &work.place.chat) {
            return Judged::Ignored(Ignored::Flooded);
        }
        self.seen.note(&work.place.chat, item);
        self.refuse(work, why, binding)
    }

    fn is_busy(&self, place: &Place) -> bool {
        self.at_work().count() >= MOST_IN_ALL
            || self.at_work().filter(|work| work.place == *place).count() >= MOST_IN_CONVERSATION
    }

    fn is_old(&self, now: Now, item: &ChatItem) -> bool {
        // A time that cannot be read is no reason to run something.
        item.meta.item_ts.unix().is_none_or(|sent| sent.plus(self.max_age) < now.unix)
    }

    /// From before the own admission to a group. Times of received items have whole seconds.
    fn is_history(&self, info: &ChatInfo, item: &ChatItem, chat: &Identity) -> bool {
        let ChatInfo::Group { group, .. } = info else { return false };
        let since = self.admitted.get(chat).copied().or_else(|| group.created_at.unix());
        let seconds = |time: crate::time::UnixMillis| time.0.div_euclid(1_000);
        let sent = Timestamp::unix(&item.meta.item_ts);
        sent.zip(since).is_some_and(|(sent, since)| seconds(sent) < seconds(since))
    }

    /// Whether a command is for this profile: by the map where it has one, else by the name, else it is for everyone.
    fn is_mine(
        &mut self,
        now: Millis,
        info: &ChatInfo,
        item: &ChatItem,
        read: &Read<'_>,
        chat: &Identity,
        has_name: HasName<'_>,
    ) -> bool {
        let group = match info {
            ChatInfo::Group { group, .. } => Some(group),
            _ => None,
        };
        if let Some(group) = group {
            self.names.note(now, Some(chat.clone()), group.membership.name());
        }
        if !read.is_addressed {
            return true;
        }
        let Some(name) = read.member else { return false };
        if let Some((mention, group)) = item.mentions.get(name).zip(group) {
            return mention.member_id == group.membership.member_id;
        }
        self.names.are(now, group.map(|_| chat), name, || has_name(chat, name))
    }
}

fn serves(binding: &dyn Binding, read: &Read<'_>) -> bool {
    read.protocol.is_some_and(|name| binding.served().iter().any(|served| served == name))
}

/// The text of a text message of someone else.
fn text_of(item: &ChatItem) -> Option<&str> {
    let content = item.received().filter(|_| item.meta.item_deleted.is_none())?;
    (content.kind == MsgKind::Text).then_some(content.text.as_str())
}

fn parties(info: &ChatInfo, item: &ChatItem) -> Option<(Place, Party)> {
    Some((Place::of(info)?, Party::of(info, item)?))
}

fn work(item: &ChatItem, place: Place, from: Party, read: &Read<'_>) -> Work {
    Work {
        item: item.meta.item_id,
        shared: item.meta.item_shared_msg_id.clone(),
        room: room::for_reply(place.chat.chat, text_of(item).unwrap_or_default()),
        place,
        from,
        on_word: is_on_word(item),
        protocol: read.protocol.unwrap_or_default().to_owned(),
        request: read.request.unwrap_or_default().to_owned(),
    }
}
