//! The words between a responder and its host.

use alloc::string::String;
use core::fmt;

use serde_json::value::RawValue;

use crate::chat::command::Fault;
use crate::chat::identity::{Party, Place};
use crate::chat::text;
use crate::simplex::command::Composed;
use crate::simplex::model::ItemId;
use crate::time::Millis;

/// What the protocols served here say where the transport needs their words.
pub trait Binding {
    /// The names of the protocols, in the order in which they are told.
    fn served(&self) -> &[String];

    /// The text that answers a command which is not run.
    fn refusal(&self, asked: &Asked<'_>, why: &Refusal) -> String;

    /// What goes out in place of a reply that has more than `room` encoded bytes.
    fn oversized(&self, asked: &Asked<'_>, is_last: bool, room: usize) -> Instead;
}

/// What was asked, as far as it can be read.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The protocol, one of those served.
    pub protocol: &'a str,
    /// The request.
    pub request: Option<&'a RawValue>,
}

/// Why a command is not run, for its sender. Printed, it is the message of the binding's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its text is none of a command.
    Malformed(Fault),
    /// It was forwarded from elsewhere (MCP: -32600).
    Forwarded,
    /// It is older than commands may be.
    TooOld,
    /// Its sender, or its group, asked too much; again after this time.
    TooMany(Millis),
    /// Too many are at work.
    Busy,
    /// The bot restarted, and it may have run (MCP: -32603).
    Restarted,
}

/// What goes out in place of a reply that is too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instead {
    /// This, and nothing more (MCP: -32603, at the least room the shortest legal one).
    Last(String),
    /// Nothing: the reply can be done without. Not for a last one.
    Skip,
}

/// A command that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// Its number, which it is known by from here on.
    pub item: ItemId,
    /// What the peers know the message by.
    pub shared: Option<String>,
    /// The conversation.
    pub place: Place,
    /// Who sent it: the owner of what comes of it (decisions 9).
    pub from: Party,
    /// The sender is known by another member's word alone: the command may name no context or task (decisions 9).
    pub on_word: bool,
    /// The protocol; empty when it is not served here.
    pub protocol: String,
    /// The text of the request; empty when it could not be read.
    pub request: String,
    /// Encoded bytes that a reply may have.
    pub room: usize,
}

impl Work {
    pub(super) fn asked(&self) -> Asked<'_> {
        Asked { protocol: &self.protocol, request: serde_json::from_str(&self.request).ok() }
    }
}

/// What the host has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Write the start down, then call [`Responder::begin`](super::Responder::begin), and run it when that says so.
    Run(Work),
    /// Take up again what was begun before a restart, by the name the other side knows it by.
    Resume {
        /// The command.
        work: Work,
        /// The task.
        task: String,
    },
    /// What runs for this command is of no use any more.
    Cancel(ItemId),
    /// Send a reply, and tell [`Responder::sent`](super::Responder::sent).
    Send(Outgoing),
    /// A command is over: note it when its start was written down, and mark the item read.
    Close {
        /// The command.
        item: ItemId,
        /// Its conversation.
        place: Place,
        /// How it ended.
        how: Closed,
    },
}

/// A reply to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Names this sending to [`Responder::sent`](super::Responder::sent).
    pub flight: Flight,
    /// Where to.
    pub place: Place,
    /// The command, which it quotes.
    pub quotes: ItemId,
    /// The text.
    pub text: String,
    /// Nothing follows it.
    pub is_last: bool,
}

impl Outgoing {
    /// The message.
    pub fn message(&self) -> Composed {
        Composed { quoted: Some(self.quotes), ..Composed::text(self.text.clone()) }
    }
}

/// One sending of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flight(pub(super) u64);

/// Why the core did not take a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsent {
    /// It is too large, or cannot be compressed enough (FINDINGS 6).
    TooLarge,
    /// Anything else.
    Refused,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::refusal(self))
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closed {
    /// Its one last reply was taken by the core.
    Answered,
    /// Its binding answers nothing to it, as to a notification.
    Silent,
    /// Its sender cancelled it: neither gets a reply (decisions 7).
    Cancelled,
    /// Its sender deleted it.
    Deleted,
    /// Not even the shortest error fits beside its quote.
    NoRoom,
    /// The core does not take its reply.
    Unsendable,
    /// The chat is gone.
    Gone,
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Nothing that tries to be a command.
    Ordinary,
    /// A live message: judged when it is complete.
    Held,
    /// A command that gets no answer: the host marks it read, and that is all.
    Ignored(Ignored),
    /// A command: it ends in a [`Step::Close`].
    Taken,
}

/// Why a command gets no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ignored {
    /// It has no sender: a post of a channel.
    NoSender,
    /// It was edited: what it was is not known.
    Edited,
    /// It is from before the own admission: joining a group replays its history (decisions 7).
    Replayed,
    /// It names someone else.
    NotForMe,
    /// It is for everyone, and its protocol is not served here.
    NotServed,
    /// It was taken before.
    Repeated,
    /// Too many came, and an error was said a moment ago.
    Flooded,
    /// Too many answers wait to be sent in this chat.
    Congested,
}
