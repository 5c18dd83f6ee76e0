//! The text of a command, and the message that carries it.

use alloc::format;
use alloc::string::String;
use core::fmt;

use super::{KEYWORD, Protocol, Request};
use crate::chat::{room, text};
use crate::simplex::ChatRef;
use crate::simplex::command::Composed;
use crate::simplex::fold::one_line;
use crate::simplex::model::{GroupMemberId, Member};
use crate::simplex::name;
use crate::simplex::size::encoded_len;

/// The name in a command whose member has no name that can be written.
const NAMELESS: &str = "member";

/// Whom a command is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callee(Option<Called>);

/// A called member.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Called {
    /// The name after `@`, quoted where it must be.
    mention: String,
    /// The key of the mentions map, when no name tells the member from the others: the command has two lines then.
    row: Option<(String, GroupMemberId)>,
}

impl Callee {
    /// The contact of a direct chat, or every member of a group.
    pub const ALL: Self = Self(None);

    /// A member of a group, among the others who are in it now (decisions 7, "For whom"): by its profile name in one
    /// line, unless another has the same after folding or no line can name it; then by its row, in two.
    ///
    /// `others` are the group's members, whom it may be among.
    pub fn member<'a>(member: &Member, others: impl IntoIterator<Item = &'a Member>) -> Self {
        let folded = one_line(member.name());
        let shares = |other: &Member| {
            other.member_id != member.member_id
                && other.member_status.is_current()
                && one_line(other.name()) == folded
        };
        let mention = name::mention(member.name()).filter(|_| !others.into_iter().any(shares));
        Self(Some(mention.map_or_else(|| Called::row(member), |mention| Called { mention, row: None })))
    }
}

impl Called {
    /// A valid form of the name stands for the member: the core goes by the map (FINDINGS 6).
    fn row(member: &Member) -> Self {
        let valid = name::valid_form(member.name());
        let (name, mention) = match name::mention(&valid) {
            Some(mention) => (valid, mention),
            None => (NAMELESS.into(), format!("@{NAMELESS}")),
        };
        Self { mention, row: Some((name, member.group_member_id)) }
    }
}

/// A command that would leave too little room for its reply. Printed, it is what the model reads (decisions 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// Encoded bytes above what may be sent.
    pub by: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::too_long(self.by))
    }
}

/// The message that carries a command in this chat.
///
/// # Errors
/// [`TooLong`] when its quote would leave less than [`room::LEAST`] encoded bytes for a reply.
pub fn write(
    chat: ChatRef,
    callee: &Callee,
    protocol: Protocol<'_>,
    request: Request<'_>,
) -> Result<Composed, TooLong> {
    let (protocol, request) = (protocol.as_str(), request.text());
    let (text, row) = match &callee.0 {
        None => (format!("{KEYWORD} {protocol} {request}"), None),
        Some(Called { mention, row: None }) => (format!("{KEYWORD} {mention} {protocol} {request}"), None),
        Some(Called { mention, row }) => (format!("{KEYWORD} {mention} {protocol}\n{request}"), row.clone()),
    };
    let most = room::for_reply(chat, "").saturating_sub(room::LEAST);
    match encoded_len(&text).saturating_sub(most) {
        0 => Ok(Composed { text, mentions: row.into_iter().collect(), quoted: None }),
        by => Err(TooLong { by }),
    }
}
