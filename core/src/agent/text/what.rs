//! An action in a few words: `send to bot SimpleX Directory`.

use alloc::format;
use alloc::string::String;

use super::peer::{ChatType, Peer};
use crate::agent::card::{ConnectTarget, Request};

/// The action without its chat reference, as `/pending` shows it. `shown` makes names safe for the place.
pub fn action(request: &Request, shown: impl Fn(&str) -> String) -> String {
    let named = |peer: &Peer| format!("{} {}", peer.word(), shown(&peer.name));
    match request {
        Request::Connect(connect) => match &connect.target {
            ConnectTarget::Planned { peer, .. } => format!("connect to {}", named(peer)),
            ConnectTarget::OneTime => "connect by a one-time link".into(),
            ConnectTarget::Host(host) => format!("connect by a link of {}", shown(host)),
        },
        Request::Send(send) => format!("send to {}", named(&send.chat.peer)),
        Request::Leave(leave) => match leave.chat.peer.chat_type {
            ChatType::Contact => format!("delete {}", named(&leave.chat.peer)),
            ChatType::Business | ChatType::Group | ChatType::Channel => {
                format!("leave {}", named(&leave.chat.peer))
            }
        },
    }
}
