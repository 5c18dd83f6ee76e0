//! Cards: what the owner approves is what is sent (decisions 2).
//!
//! A [`Request`] becomes a [`Card`] by [`Card::fit`], which cuts what may be cut and refuses what does not fit in the
//! card's largest form; every later text of that card fits then. The card is posted as [`Card::pending`] and edited to
//! (or, in host mode and under a standing approval, posted as) [`Card::outcome`].
//!
//! | outcome | first line | last line |
//! |---|---|---|
//! | pending | I want to … | the commands |
//! | done | I connected / I sent / I left / I deleted … | Approved by Alice. |
//! | done, not connected | I asked to connect … | Approved by Alice. |
//! | standing | as done | Approved for this chat (messages and tool calls) by Alice. /'revoke @4' |
//! | standing, failed | I want to … | Approved for this chat (messages and tool calls) by Alice; failed: \`ERROR\`. |
//! | standing, interrupted | I want to … | Approved for this chat (messages and tool calls) by Alice; interrupted: the server stopped. |
//! | failed | I want to … | Approved by Alice; failed: \`ERROR\`. |
//! | dropped before a decision | I want to … | Failed: \`ERROR\`. |
//! | rejected | I want to … | Rejected by Alice. |
//! | expired | I want to … | Expired. |
//! | cancelled | I want to … | Cancelled: the server stopped. |
//! | interrupted | I want to … | Approved by Alice; interrupted: the server stopped. |
//! | host | as done | Performed without approval (mode host). |
//! | host, failed | I want to … | Performed without approval (mode host); failed: \`ERROR\`. |
//! | host, interrupted | I want to … | Performed without approval (mode host); interrupted: the server stopped. |
//!
//! **Standing approvals** cover messages and tool calls, and say so in one wording everywhere (decisions 8 and 10):
//!
//! | where | wording |
//! |---|---|
//! | reply to `/approve CHAT all` | Approved for business Ridgeline (#9) (messages and tool calls) by Alice. /'revoke #9' |
//! | the same, made in the admission chat | Approved for group Knitters (#9), in its admission chat (messages and tool calls) by Alice. /'revoke #9' |
//! | outcome of a send | Approved for this chat (messages and tool calls) by Alice. /'revoke #9' |
//! | outcome of a failed send | Approved for this chat (messages and tool calls) by Alice; failed: \`ERROR\`. |
//! | `/list`, where a line has 100 bytes | , approved for this chat by Alice |

mod dead;
mod form;
mod outcome;
mod request;

use alloc::string::String;
use alloc::vec::Vec;

pub use dead::{DeadCard, Ending};
pub use outcome::{Decision, Outcome};
pub use request::{Connect, ConnectTarget, Leave, Quote, Request, Send};

use crate::agent::text::shown;
pub use crate::simplex::size::CARD as LIMIT;
use crate::simplex::size::{cut_encoded, encoded_len};
use request::Tense;

/// Encoded bytes of the line break before a line.
const BREAK: usize = 2;

/// A request whose card fits in every form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    request: Request,
    heads: Heads,
    /// The lines between the first and the last, as they are shown.
    lines: Vec<String>,
}

/// The card does not fit: which input has to be shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLong {
    /// `text` of a send.
    Text,
    /// `message` of a connect.
    Message,
}

impl Card {
    /// The card of a request. The link's own texts on a connect card are cut to what is left: whole lines first, the
    /// last kept line ends in `…`.
    ///
    /// # Errors
    /// The largest form of the card, without the link's texts, exceeds [`LIMIT`].
    pub fn fit(request: Request) -> Result<Self, TooLong> {
        let too_long = if matches!(request, Request::Connect(_)) { TooLong::Message } else { TooLong::Text };
        let mut card = Self { lines: request.lines(), heads: Heads::of(&request), request };
        let room = LIMIT.checked_sub(card.largest()).ok_or(too_long)?;
        let mut lines = cut_lines(card.request.link_texts(), room);
        lines.append(&mut card.lines);
        card.lines = lines;
        Ok(card)
    }

    /// What is asked.
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// The card while it waits for a decision, as action `n`.
    pub fn pending(&self, n: u64) -> String {
        self.text(self.heads.in_tense(Tense::Want), &self.commands(n))
    }

    /// The card once the action ended. The error of a failed one is cut so that the text fits.
    pub fn outcome(&self, outcome: &Outcome) -> String {
        let Some(error) = outcome.error() else { return self.ended(outcome, "") };
        let room = LIMIT.saturating_sub(encoded_len(&self.ended(outcome, "")));
        self.ended(outcome, &shown::error(error, room))
    }

    /// The card once the action ended, with the error as it is shown.
    fn ended(&self, outcome: &Outcome, error: &str) -> String {
        self.text(self.heads.in_tense(outcome.tense()), &self.last_line(outcome, error))
    }

    fn text(&self, head: &str, last: &str) -> String {
        let lines = self.lines.iter().map(String::as_str);
        let bytes: usize = lines.clone().map(|line| line.len().saturating_add(1)).sum();
        let mut text = String::with_capacity(bytes.saturating_add(head.len()).saturating_add(last.len()) + 1);
        text.push_str(head);
        for line in lines.chain([last]) {
            text.push('\n');
            text.push_str(line);
        }
        text
    }

    fn commands(&self, n: u64) -> String {
        form::commands(self.request.chat(), self.request.can_stand(), n)
    }

    fn last_line(&self, outcome: &Outcome, error: &str) -> String {
        outcome.line(self.request.chat(), &outcome.shown_by(), error)
    }

    /// Encoded bytes of the largest form that this card can have: the longest number, names and error room. The lines
    /// between the first and the last are the same in every form, so they are measured once.
    fn largest(&self) -> usize {
        let between: usize = self.lines.iter().map(|line| encoded_len(line).saturating_add(BREAK)).sum();
        let around = |tense: Tense, last: &str| {
            let head = encoded_len(self.heads.in_tense(tense));
            head.saturating_add(BREAK).saturating_add(encoded_len(last))
        };
        let by = outcome::longest_name();
        let outcomes = outcome::largest(&self.request).into_iter().map(|outcome| {
            let room = if outcome.error().is_some() { outcome::ERROR_ROOM } else { 0 };
            around(outcome.tense(), &outcome.line(self.request.chat(), &by, "")).saturating_add(room)
        });
        let pending = around(Tense::Want, &self.commands(u64::MAX));
        between.saturating_add(outcomes.chain([pending]).max().unwrap_or_default())
    }
}

/// The first line in each tense. A name in it is judged by the markdown parser, once.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Heads {
    want: String,
    done: String,
    asked: String,
}

impl Heads {
    fn of(request: &Request) -> Self {
        let shown = request.shown_peer();
        let head = |tense| request.head(tense, &shown);
        Self { want: head(Tense::Want), done: head(Tense::Done), asked: head(Tense::Asked) }
    }

    fn in_tense(&self, tense: Tense) -> &str {
        match tense {
            Tense::Want => &self.want,
            Tense::Done => &self.done,
            Tense::Asked => &self.asked,
        }
    }
}

/// The lines of `text` that fit in `room` encoded bytes, as code spans, line breaks included.
fn cut_lines<'a>(texts: impl Iterator<Item = &'a str>, room: usize) -> Vec<String> {
    let mut left = room;
    let mut kept: Vec<String> = Vec::new();
    for line in texts.flat_map(shown::lines) {
        let size = encoded_len(&line).saturating_add(BREAK);
        if size > left {
            return end_with_ellipsis(kept, &line, left);
        }
        left = left.saturating_sub(size);
        kept.push(line);
    }
    kept
}

/// The kept lines and the first that did not fit, cut; when not even one character of it fits, the last kept line that
/// has room says that there is more.
fn end_with_ellipsis(mut kept: Vec<String>, next: &str, mut left: usize) -> Vec<String> {
    if let Some(cut) = cut_line(next, left.saturating_sub(BREAK)) {
        kept.push(cut);
        return kept;
    }
    while let Some(last) = kept.pop() {
        left = left.saturating_add(encoded_len(&last));
        if let Some(cut) = cut_line(&last, left) {
            kept.push(cut);
            break;
        }
        left = left.saturating_add(BREAK);
    }
    kept
}

/// A span that ends in `…` and has at most `max` encoded bytes; none when not even one character of it fits.
fn cut_line(line: &str, max: usize) -> Option<String> {
    let content = line.trim_matches('`');
    let cut = cut_encoded(&[content, "…"].concat(), max.checked_sub(shown::TICKS)?);
    (cut.chars().count() > 1).then(|| shown::span(&cut))
}

#[cfg(test)]
mod tests;
