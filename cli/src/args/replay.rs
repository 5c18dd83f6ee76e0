//! The options of `replay FILE`.

use std::path::PathBuf;

use argh::FromArgs;

use super::table::Opt;
use crate::failure::Failure;

/// The options, with what each takes.
pub(super) const OPTIONS: &[Opt] = &[Opt::flag("--effects"), Opt::flag("--commands")];

/// Replay a run that serve --record wrote: print it in readable form, and check that this program does the same again.
#[derive(FromArgs)]
#[argh(subcommand, name = "replay")]
pub(super) struct Args {
    /// the record
    #[argh(positional, arg_name = "FILE")]
    file: Option<String>,
    /// print every effect as one line of JSON instead
    #[argh(switch)]
    effects: bool,
    /// print the commands to the SimpleX core too
    #[argh(switch)]
    commands: bool,
}

/// The options of `replay`, each within its rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// FILE.
    pub(crate) file: PathBuf,
    /// `--effects`.
    pub(crate) effects: bool,
    /// `--commands`.
    pub(crate) commands: bool,
}

impl Args {
    /// The options, when each is within its rule.
    ///
    /// # Errors
    ///
    /// FILE is missing, or the two options are given together.
    pub(super) fn check(self) -> Result<Options, Failure> {
        let Some(file) = self.file.filter(|file| !file.is_empty()) else {
            return Err(Failure::usage("FILE: the record to replay is missing: simplex-mcp replay FILE"));
        };
        if self.effects && self.commands {
            return Err(Failure::usage("--commands: --effects prints the commands already."));
        }
        Ok(Options { file: file.into(), effects: self.effects, commands: self.commands })
    }
}
