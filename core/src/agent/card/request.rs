//! What a card asks, with everything that it shows.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::agent::text::peer::{Chat, ChatType, Peer};
use crate::agent::text::shown;
use crate::simplex::chat_ref::ChatRef;

/// What a card asks. Texts are as others wrote them: the card makes them safe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Request {
    /// Connect to somebody.
    Connect(Connect),
    /// Send a message.
    Send(Send),
    /// Leave a group, or delete a contact.
    Leave(Leave),
}

/// A connect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connect {
    /// To whom.
    pub target: ConnectTarget,
    /// With a random profile.
    pub incognito: bool,
    /// The message sent with the request.
    pub message: Option<String>,
}

/// To whom a connect goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConnectTarget {
    /// A planned link: what it says about itself.
    Planned {
        /// Who it is; `simplex_name` is the target, when it is one.
        peer: Peer,
        /// The link's short description, when it has one.
        description: Option<String>,
        /// The link's welcome message, when it has one.
        welcome: Option<String>,
    },
    /// A one-time link: planned only after the approval (decisions 3).
    OneTime,
    /// A link of a host that is none of the profile's routers: planned only after the approval (decisions 3).
    Host(String),
}

/// A send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Send {
    /// To whom; `simplex_name` is the chat's verified one.
    pub chat: Chat,
    /// The agent has a random profile there.
    pub incognito: bool,
    /// It goes to the group's admission chat (decisions 10).
    pub admission: bool,
    /// The final text, mentioned names included.
    pub text: String,
    /// The quoted message.
    pub reply_to: Option<Quote>,
    /// Display names of the mentioned members, in the order of the input.
    pub mentions: Vec<String>,
}

/// The message that a send quotes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// Who wrote it.
    pub from: String,
    /// Its text; the first line is shown.
    pub text: String,
}

/// A leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leave {
    /// The chat to leave or delete.
    pub chat: Chat,
}

/// The first line says what is wanted, what was done, or what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tense {
    /// I want to …
    Want,
    /// I did …
    Done,
    /// I asked to connect …
    Asked,
}

impl Request {
    /// The chat that the commands name: none for a connect.
    pub const fn chat(&self) -> Option<ChatRef> {
        match self {
            Self::Connect(_) => None,
            Self::Send(send) => Some(send.chat.chat),
            Self::Leave(leave) => Some(leave.chat.chat),
        }
    }

    /// Whether a standing approval can cover it.
    pub(super) const fn can_stand(&self) -> bool {
        matches!(self, Self::Send(_))
    }

    /// The peer, or where the link leads, as every first line shows it.
    pub(super) fn shown_peer(&self) -> String {
        let named_with = |peer: &Peer| {
            let simplex_name = peer.simplex_name.as_deref().map(shown::simplex_name).unwrap_or_default();
            format!("{}{simplex_name}", named(peer))
        };
        match self {
            Self::Connect(Connect { target: ConnectTarget::Planned { peer, .. }, .. }) => {
                format!("to {}", named_with(peer))
            }
            Self::Connect(Connect { target: ConnectTarget::OneTime, .. }) => "by a one-time link".to_string(),
            Self::Connect(Connect { target: ConnectTarget::Host(host), .. }) => {
                format!("by a link of {}", shown::error(host, HOST))
            }
            Self::Send(send) => named_with(&send.chat.peer),
            Self::Leave(leave) => named(&leave.chat.peer),
        }
    }

    /// The first line, of the peer as [`Request::shown_peer`] shows it.
    pub(super) fn head(&self, tense: Tense, peer: &str) -> String {
        match self {
            Self::Connect(connect) => {
                let verb = match tense {
                    Tense::Want => "I want to connect",
                    Tense::Done => "I connected",
                    Tense::Asked => "I asked to connect",
                };
                let how = if connect.incognito { "incognito" } else { "as myself" };
                format!("{verb} {peer}, {how}.")
            }
            Self::Send(send) => {
                let verb = if tense == Tense::Want { "I want to send" } else { "I sent" };
                let incognito = if send.incognito { ", where I am incognito" } else { "" };
                let admission = if send.admission { ", in its admission chat" } else { "" };
                format!("{verb} a message to {peer}{incognito}{admission}:")
            }
            Self::Leave(leave) => {
                let verb = match (leave.chat.peer.chat_type, tense) {
                    (ChatType::Contact, Tense::Want) => "I want to delete",
                    (ChatType::Contact, _) => "I deleted",
                    (_, Tense::Want) => "I want to leave",
                    (_, _) => "I left",
                };
                format!("{verb} {peer} ({}).", leave.chat.chat)
            }
        }
    }

    /// The lines between the first and the last, without the link's texts.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Self::Connect(connect) => {
                let mut lines = Vec::new();
                if let Some(message) = &connect.message {
                    lines.push("With the message:".to_string());
                    lines.append(&mut shown::lines(message));
                }
                lines
            }
            Self::Send(send) => {
                let mut lines = shown::lines(&send.text);
                if let Some(quote) = &send.reply_to {
                    lines.push(format!(
                        "replying to {}: {}",
                        shown::name(&quote.from),
                        shown::quote(&quote.text)
                    ));
                }
                if !send.mentions.is_empty() {
                    let names: Vec<String> = send.mentions.iter().map(|name| shown::name(name)).collect();
                    lines.push(format!("mentioning {}", names.join(", ")));
                }
                lines
            }
            Self::Leave(_) => vec![],
        }
    }

    /// What the link says about itself, in the order of the card.
    pub(super) fn link_texts(&self) -> impl Iterator<Item = &str> {
        let texts = match self {
            Self::Connect(Connect {
                target: ConnectTarget::Planned { description, welcome, .. }, ..
            }) => [description.as_deref(), welcome.as_deref()],
            _ => [None, None],
        };
        texts.into_iter().flatten().filter(|text| !text.is_empty())
    }
}

/// Most encoded bytes of a host with its backticks: 253 characters are the longest name of the DNS (RFC 1035, 2.3.4).
const HOST: usize = 255;

/// `bot SimpleX Directory`.
fn named(peer: &Peer) -> String {
    format!("{} {}", peer.word(), shown::name(&peer.name))
}
