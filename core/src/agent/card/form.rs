//! The commands line of a card.

use alloc::format;
use alloc::string::String;

use crate::simplex::chat_ref::ChatRef;

/// The commands line of action `n`. Sends and leaves name their chat; only what a standing approval can cover offers
/// `all` (the plan, "Connect card", "Send card", "Leave card").
pub(super) fn commands(chat: Option<ChatRef>, can_stand: bool, n: u64) -> String {
    match chat {
        None => format!("/'approve {n}' or /'reject {n}'"),
        Some(chat) if can_stand => {
            format!("/'approve {chat} {n}', /'approve {chat} all' or /'reject {chat} {n}'")
        }
        Some(chat) => format!("/'approve {chat} {n}' or /'reject {chat} {n}'"),
    }
}
