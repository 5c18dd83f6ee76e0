//! The options of `doctor NAME`, and the rule of each.

use std::path::PathBuf;

use argh::FromArgs;

use super::serve::{agent_name, path_of};
use super::table::Opt;
use crate::failure::Failure;

/// The options, with what each takes.
pub(super) const OPTIONS: &[Opt] = &[Opt::value("--data", "a folder")];

/// Look an agent over, and say per line what is wrong and the command that mends it. Nothing is changed.
#[derive(FromArgs)]
#[argh(subcommand, name = "doctor")]
pub(super) struct Args {
    /// agent name
    #[argh(positional, arg_name = "NAME")]
    name: Option<String>,
    /// data folder (default: ~/.simplex-mcp/NAME)
    #[argh(option, arg_name = "folder")]
    data: Option<String>,
}

/// The options of `doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doctor {
    /// NAME.
    pub(crate) name: String,
    /// `--data`.
    pub(crate) data: Option<PathBuf>,
}

impl Args {
    /// The options, when each is within its rule.
    ///
    /// # Errors
    ///
    /// The first that is not.
    pub(super) fn check(self) -> Result<Doctor, Failure> {
        Ok(Doctor {
            name: agent_name("doctor", self.name)?,
            data: self.data.map(|path| path_of("--data", "a folder", path)).transpose()?,
        })
    }
}
