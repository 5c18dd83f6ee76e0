//! The command line: checked against a table of options first, so that whatever is wrong gets one line that names
//! the option and what it takes; then read by `argh`, which also writes the help.

mod doctor;
mod register;
mod replay;
mod serve;
mod stdio;
mod table;

pub(crate) use doctor::Doctor;
pub(crate) use register::{Register, Scope};
pub(crate) use replay::Options as ReplayOptions;
pub(crate) use serve::{Core, Level, Options};
pub(crate) use stdio::Stdio;

use std::ffi::OsString;

use argh::FromArgs;

use crate::failure::Failure;

/// The name of the program, in its help.
const PROGRAM: &str = "simplex-mcp";

/// What the person asked for.
#[derive(Debug)]
pub(crate) enum Request {
    /// A text for stdout: the help or the version.
    Print(String),
    /// A command.
    Run(Command),
}

/// A command with its options, which fit.
#[derive(Debug)]
pub(crate) enum Command {
    /// `serve NAME`.
    Serve(Box<Options>),
    /// `register NAME`.
    Register(Register),
    /// `stdio NAME`.
    Stdio(Stdio),
    /// `doctor NAME`.
    Doctor(Doctor),
    /// `demo`.
    Demo,
    /// `replay FILE`.
    Replay(ReplayOptions),
}

/// Gives an AI agent its own SimpleX profile, under its owner's supervision.
#[derive(FromArgs)]
struct Top {
    /// print the version
    #[argh(switch)]
    version: bool,
    #[argh(subcommand)]
    command: Option<Subcommand>,
}

#[derive(FromArgs)]
#[argh(subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one, for a moment")]
enum Subcommand {
    Serve(serve::Args),
    Register(register::Args),
    Stdio(stdio::Args),
    Doctor(doctor::Args),
    Demo(DemoArgs),
    Replay(replay::Args),
}

/// Play the whole product on this machine: real HTTP and MCP, a simulated SimpleX network. On a terminal it stays, and
/// you are the owner.
#[derive(FromArgs)]
#[argh(subcommand, name = "demo")]
struct DemoArgs {}

/// The help with the word that a command needs in its usage. It may be absent as far as argh goes, so that the line
/// about that is this program's.
fn usage(help: &str) -> String {
    help.replacen(" [--] [<NAME>]\n", " <NAME>\n", 1).replacen(" [--] [<FILE>]\n", " <FILE>\n", 1)
}

/// Reads the arguments, without the program's name.
///
/// # Errors
///
/// One line for the person, exit code 2.
pub(crate) fn read(args: impl Iterator<Item = OsString>) -> Result<Request, Failure> {
    let args: Vec<String> = args
        .map(|arg| {
            let shown = arg.to_string_lossy().into_owned();
            arg.into_string().map_err(|_| Failure::usage(format!("{shown}: arguments must be UTF-8.")))
        })
        .collect::<Result<_, _>>()?;
    let args = table::check(args)?;
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let top = match Top::from_args(&[PROGRAM], &words) {
        Ok(top) => top,
        Err(exit) if exit.status.is_ok() => {
            return Ok(Request::Print(format!("{}\n", usage(&exit.output).trim_end())));
        }
        // The table has found everything that argh could; whatever is left stays one line.
        Err(exit) => {
            return Err(Failure::usage(exit.output.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    };
    if top.version {
        return Ok(Request::Print(format!("{PROGRAM} {}\n", env!("CARGO_PKG_VERSION"))));
    }
    match top.command {
        Some(Subcommand::Serve(args)) => Ok(Request::Run(Command::Serve(Box::new(args.check()?)))),
        Some(Subcommand::Register(args)) => Ok(Request::Run(Command::Register(args.check()?))),
        Some(Subcommand::Stdio(args)) => Ok(Request::Run(Command::Stdio(args.check()?))),
        Some(Subcommand::Doctor(args)) => Ok(Request::Run(Command::Doctor(args.check()?))),
        Some(Subcommand::Demo(DemoArgs {})) => Ok(Request::Run(Command::Demo)),
        Some(Subcommand::Replay(args)) => Ok(Request::Run(Command::Replay(args.check()?))),
        None => {
            Err(Failure::usage(format!("A command is expected: {PROGRAM} serve NAME. See {PROGRAM} --help.")))
        }
    }
}
