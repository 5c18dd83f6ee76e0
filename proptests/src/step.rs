//! What can happen, as plain data: property tests generate lists of it, and a failing one shrinks to a list to read.

use simplex_agent_core::Millis;

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A client calls `connect`.
    Connect {
        /// Which link or name.
        target: Target,
        /// With a random profile.
        incognito: bool,
        /// With a first message.
        message: Option<String>,
        /// Seconds.
        wait: u16,
    },
    /// A client calls `send`.
    Send {
        /// Which chat.
        chat: ChatPick,
        /// The text.
        text: String,
        /// Replies to the newest item of the chat.
        reply: bool,
        /// Mentions a member by number.
        mention: Option<u8>,
        /// Seconds.
        wait: u16,
    },
    /// A client calls `receive`.
    Receive {
        /// Which chat.
        chat: ChatPick,
        /// Seconds.
        wait: u16,
    },
    /// A client calls `list`.
    List,
    /// A client calls `leave`.
    Leave(ChatPick),
    /// Another client makes the call that was made so many calls ago.
    Again(u8),
    /// The client of the call that was made so many calls ago leaves.
    HangUp(u8),
    /// Somebody writes in the control chat.
    Write {
        /// Who.
        who: Who,
        /// In which way.
        way: Way,
        /// What.
        words: Words,
    },
    /// An event that a forger made of the newest command of an owner.
    Forge {
        /// In which way.
        forgery: Forgery,
        /// What the forged message says.
        words: Words,
    },
    /// An event that came so many events ago comes again.
    Replay(u8),
    /// Alice changes somebody's role in the control chat.
    SetRole(Who, &'static str),
    /// Somebody leaves the control chat.
    Depart(Who),
    /// A peer writes to the agent.
    PeerSays(Peer, String),
    /// A peer takes another name.
    PeerRenames(Peer, String),
    /// A peer deletes its chat with the agent.
    PeerDeletes(Peer),
    /// The agent's chat is deleted without the agent being asked.
    Vanish(ChatPick),
    /// Something goes wrong in the SimpleX core.
    Trouble(Trouble),
    /// The data folder cannot be written, or can again.
    DiskFull(bool),
    /// Time passes.
    Wait(Millis),
    /// The wall clock jumps by this many milliseconds.
    Clock(i64),
    /// The process is asked to stop.
    Stop,
    /// The process dies.
    Kill,
    /// The process dies instead of beginning the effect after this many more.
    KillAfter(u8),
    /// The process is started when it does not run.
    Start,
}

/// A link or name to connect to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A link that the scenario published under this name.
    Published(&'static str),
    /// The same link at a router that the profile does not use.
    Foreign(&'static str),
    /// A name nobody has.
    Name,
    /// The one-time link's full form.
    FullOneTime,
}

/// A chat of the agent, by what it was in the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatPick {
    /// The newest contact.
    Newest,
    /// `@N`.
    Contact(u8),
    /// `#N`; `#1` is the control chat.
    Group(u8),
    /// A reference that the core would wrap to the control chat.
    Wrapped,
}

/// Somebody in the control chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The owner.
    Alice,
    /// Another owner, unless demoted.
    Bob,
    /// A member.
    Mallory,
}

/// A peer of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// A bot the agent knows from the beginning.
    Shop,
    /// A bot with a hostile profile.
    Trickster,
    /// The owner of the one-time link.
    Hugh,
    /// The host of the group.
    Host,
}

/// How something is written in the control chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A new message.
    New,
    /// A new message that replies to another one.
    Reply,
    /// A live message: begun with other words, ended with these.
    Live,
    /// A live message with these words that is not ended.
    Unfinished,
    /// An edit of an own harmless message.
    Edited,
    /// A message of another chat, forwarded.
    Forwarded,
    /// A message to the group's own support scope.
    Support,
    /// A harmless reply to a message with these words.
    Quoted,
}

/// What is written in the control chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Words {
    /// `/approve N`, by how far N is from the next number.
    Approve(u8),
    /// `/approve CHAT N`, the chat as the card of N says.
    ApproveChat(u8),
    /// `/approve CHAT N` with a chat of its own choice.
    ApproveOther(ChatPick, u8),
    /// `/approve CHAT all`.
    ApproveAll(ChatPick),
    /// `/reject N`.
    Reject(u8),
    /// `/revoke CHAT`.
    Revoke(ChatPick),
    /// `/pending`.
    Pending,
    /// `/list`.
    List,
    /// Anything.
    Other(String),
}

/// What a forger changes in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgery {
    /// It says that the item was forwarded.
    Forwarded,
    /// It came by another member, unverified.
    ByAnother,
    /// It is an edit.
    Edit,
    /// It is of another scope.
    Scope,
    /// Its author is a plain member.
    Role,
    /// It is an own message of the agent.
    Own,
    /// It is no text.
    Image,
    /// It is in another group.
    Elsewhere,
}

/// What goes wrong in the SimpleX core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Commands that begin so fail.
    Fail(&'static str),
    /// Commands that begin so are done and fail.
    FailAfter(&'static str),
    /// Answers come late.
    Slow(&'static str),
    /// Answers never come.
    Hang(&'static str),
    /// Answers are no JSON that anybody knows.
    Garbage(&'static str),
    /// Events come before the answers of their commands.
    EventsFirst(&'static str),
    /// Events come late by this much: behind those that come after them.
    Late(u16),
    /// Events come twice.
    Twice(u8),
    /// The router is down.
    RouterDown,
    /// The router is back.
    RouterUp,
    /// Nothing goes wrong any more.
    Over,
}
