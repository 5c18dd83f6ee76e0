//! How a command ends when it does not end well.

use std::fmt::Display;

/// 0: it ended as asked.
pub(crate) const SUCCESS: u8 = 0;
/// 1: something outside failed.
pub(crate) const FAILURE: u8 = 1;
/// 2: an option does not fit.
pub(crate) const USAGE: u8 = 2;

/// The one line for stderr, and the exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What is wrong and what to do.
    pub(crate) line: String,
    /// [`FAILURE`] or [`USAGE`].
    pub(crate) code: u8,
}

impl Failure {
    /// Something outside failed.
    pub(crate) fn outside(reason: impl Display) -> Self {
        Self { line: reason.to_string(), code: FAILURE }
    }

    /// An option does not fit.
    pub(crate) fn usage(line: impl Into<String>) -> Self {
        Self { line: line.into(), code: USAGE }
    }
}
