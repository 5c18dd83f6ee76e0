//! What a card says of its action.

/// What a card says of its action, read from its first and last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stance {
    /// It asks: its buttons can be tapped.
    Asks,
    /// Done.
    Done,
    /// A connect that was asked for and not accepted.
    Requested,
    /// Approved, and failed.
    Failed,
    /// Failed before anybody decided.
    Dropped,
    /// Rejected.
    Rejected,
    /// Nobody decided in time.
    Expired,
    /// The server stopped before a decision.
    Cancelled,
    /// The server stopped while it was performed.
    Interrupted,
}

/// How cards begin.
const OPENINGS: [&str; 6] = [
    "I want to ",
    "I connected to ",
    "I asked to connect to ",
    "I sent a message to ",
    "I left ",
    "I deleted ",
];

impl Stance {
    /// Of a text that the agent posts; none when it is no card.
    pub fn of(text: &str) -> Option<Self> {
        if !OPENINGS.iter().any(|opening| text.starts_with(opening)) {
            return None;
        }
        let last = text.rsplit('\n').next()?;
        let allowed = ["Approved by ", "Approved for this chat", "Performed without approval"];
        Some(match last {
            "Expired." => Self::Expired,
            "Cancelled: the server stopped." => Self::Cancelled,
            _ if last.starts_with("/'approve ") => Self::Asks,
            _ if last.starts_with("Rejected by ") => Self::Rejected,
            _ if last.starts_with("Failed: ") => Self::Dropped,
            _ if !allowed.iter().any(|allowed| last.starts_with(allowed)) => return None,
            _ if last.ends_with("; interrupted: the server stopped.") => Self::Interrupted,
            _ if last.contains("; failed: `") => Self::Failed,
            _ if text.starts_with("I asked to connect to ") => Self::Requested,
            _ => Self::Done,
        })
    }

    /// Whether a call's result of this status may go with this card.
    pub fn agrees(self, status: &str) -> bool {
        match self {
            Self::Done | Self::Requested => matches!(status, "done" | "known"),
            Self::Failed | Self::Dropped => status == "failed",
            Self::Rejected => status == "rejected",
            Self::Expired => status == "expired",
            Self::Asks | Self::Cancelled | Self::Interrupted => false,
        }
    }
}

/// The commands of a card that asks: `approve 1` and its like, from the last line alone.
pub fn buttons(text: &str) -> Vec<String> {
    let last = text.rsplit('\n').next().unwrap_or_default();
    last.split("/'")
        .skip(1)
        .filter_map(|part| part.split_once('\''))
        .map(|(button, _)| button.to_owned())
        .collect()
}
