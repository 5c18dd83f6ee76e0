//! The options of `register NAME`, and the rule of each.

use std::path::PathBuf;

use argh::FromArgs;
use simplex_agent_core::agent::text::host::Host;

use super::serve::{agent_name, path_of};
use super::table::{Opt, expected};
use crate::failure::Failure;

const SCOPES: &str = "user or local";
const HOSTS: &str = "claude, cursor, vscode, codex, gemini or generic";

/// The options, with what each takes.
pub(super) const OPTIONS: &[Opt] =
    &[Opt::value("--scope", SCOPES), Opt::value("--data", "a folder"), Opt::value("--print", HOSTS)];

/// Add an agent to Claude Code, or print the entry of another MCP host. The agent was started once with serve.
#[derive(FromArgs)]
#[argh(subcommand, name = "register")]
pub(super) struct Args {
    /// agent name
    #[argh(positional, arg_name = "NAME")]
    name: Option<String>,
    /// where Claude Code uses the agent: user (everywhere) or local (this project; default: user)
    #[argh(option, arg_name = "scope")]
    scope: Option<String>,
    /// data folder (default: ~/.simplex-mcp/NAME)
    #[argh(option, arg_name = "folder")]
    data: Option<String>,
    /// change nothing, print the entry of this host: claude, cursor, vscode, codex, gemini or generic
    #[argh(option, arg_name = "host")]
    print: Option<String>,
}

/// The options of `register`, each within its rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Register {
    /// NAME.
    pub(crate) name: String,
    /// `--scope`.
    pub(crate) scope: Scope,
    /// `--data`.
    pub(crate) data: Option<PathBuf>,
    /// `--print`.
    pub(crate) print: Option<Host>,
}

/// Where an entry of Claude Code applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// In every project of the person.
    User,
    /// In the repository, or the folder outside one, where `register` runs.
    Local,
}

impl Scope {
    /// As Claude Code writes it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Local => "local",
        }
    }
}

impl Args {
    /// The options, when each is within its rule.
    ///
    /// # Errors
    ///
    /// The first that is not.
    pub(super) fn check(self) -> Result<Register, Failure> {
        let host = |word: String| Host::parse(&word).ok_or_else(|| expected("--print", HOSTS, &word));
        Ok(Register {
            name: agent_name("register", self.name)?,
            scope: match self.scope.as_deref() {
                None | Some("user") => Scope::User,
                Some("local") => Scope::Local,
                Some(other) => return Err(expected("--scope", SCOPES, other)),
            },
            data: self.data.map(|path| path_of("--data", "a folder", path)).transpose()?,
            print: self.print.map(host).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// REG-01, REG-09: every host word is taken, and the message lists them all.
    #[test]
    fn hosts() {
        for host in Host::ALL {
            let args = ["a", "--print", host.word()];
            let args = Args::from_args(&["simplex-mcp", "register"], &args).map_err(|exit| exit.output);
            assert_eq!(args.unwrap().check().unwrap().print, Some(host));
            assert!(HOSTS.contains(host.word()));
        }
    }
}
