//! The options of `stdio NAME`, and the rule of each.

use std::path::PathBuf;

use argh::FromArgs;

use super::serve::{agent_name, path_of};
use super::table::Opt;
use crate::failure::Failure;

/// The options, with what each takes.
pub(super) const OPTIONS: &[Opt] = &[Opt::value("--data", "a folder"), Opt::flag("--start")];

/// Speak MCP on stdin and stdout, for MCP hosts that start a command: every message goes to the running server.
#[derive(FromArgs)]
#[argh(subcommand, name = "stdio")]
pub(super) struct Args {
    /// agent name
    #[argh(positional, arg_name = "NAME")]
    name: Option<String>,
    /// data folder (default: ~/.simplex-mcp/NAME)
    #[argh(option, arg_name = "folder")]
    data: Option<String>,
    /// start the server when it does not run, with the options of its last start; its lines go to serve.log in the
    /// data folder
    #[argh(switch)]
    start: bool,
}

/// The options of `stdio`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stdio {
    /// NAME.
    pub(crate) name: String,
    /// `--data`.
    pub(crate) data: Option<PathBuf>,
    /// `--start`.
    pub(crate) start: bool,
}

impl Args {
    /// The options, when each is within its rule.
    ///
    /// # Errors
    ///
    /// The first that is not.
    pub(super) fn check(self) -> Result<Stdio, Failure> {
        Ok(Stdio {
            name: agent_name("stdio", self.name)?,
            data: self.data.map(|path| path_of("--data", "a folder", path)).transpose()?,
            start: self.start,
        })
    }
}
