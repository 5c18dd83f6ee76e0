//! The program `simplex-mcp`: reads its arguments, prints, and ends with 0 (stopped as asked), 1 (something outside
//! failed) or 2 (an option does not fit).

#![forbid(unsafe_code)]

mod args;
mod claude;
mod console;
mod demo;
mod doctor;
mod failure;
mod place;
mod qr;
mod register;
mod replay;
mod serve;
mod stdio;

use std::process::ExitCode;

use args::{Command, Request};
use console::Terminal;
use failure::Failure;
use simplex_agent_adapters::driver::Console as _;

fn main() -> ExitCode {
    let code = run().unwrap_or_else(|failure| {
        Terminal.warn(&failure.line);
        failure.code
    });
    // What a command started (threads of the SimpleX core, of the front end) ends with the process.
    std::process::exit(i32::from(code))
}

fn run() -> Result<u8, Failure> {
    match args::read(std::env::args_os().skip(1))? {
        Request::Print(text) => {
            console::give(&text)?;
            Ok(failure::SUCCESS)
        }
        Request::Run(Command::Serve(options)) => serve::run(*options),
        Request::Run(Command::Register(options)) => register::run(&options),
        Request::Run(Command::Stdio(options)) => stdio::run(options),
        Request::Run(Command::Doctor(options)) => doctor::run(&options),
        Request::Run(Command::Demo) => demo::run(),
        Request::Run(Command::Replay(options)) => replay::run(&options),
    }
}
