//! `demo`: the whole product on one machine, with real HTTP, real MCP requests and a simulated SimpleX network.
//!
//! It plays a session step by step and shows every side of it. On a terminal it then stays, and the person is the
//! owner; elsewhere it ends.

mod client;
mod owner;
mod readable;
mod server;
mod stage;
mod stay;
mod story;

use std::io::IsTerminal;
use std::sync::mpsc;

use simplex_agent_core::effect::ExitCode;

use crate::console::print;
use crate::failure::{Failure, SUCCESS};
use client::Client;
use owner::Owner;
use server::{DISPLAY_NAME, Server};
use stage::Stage;

const INTRODUCTION: &str = "\
An AI agent, its owner Alice and a few bots, on a SimpleX network that is simulated in this process.
Nothing leaves this machine. HTTP and MCP are real.

 server  what simplex-mcp serve prints
  agent  an MCP client: what the model calls and what it gets
  alice  the owner's SimpleX app: the control chat, tappable commands in [brackets]
";

/// Plays the demo: the exit code of the server.
///
/// # Errors
///
/// The step that went wrong.
pub(crate) fn run() -> Result<u8, Failure> {
    print(INTRODUCTION);
    let (sender, happenings) = mpsc::channel();
    let server = Server::start(sender.clone())?;
    let owner = Owner::new(server.network(), DISPLAY_NAME);
    let client = Client::new(server.port(), server.token());
    let mut stage = Stage::new(owner, client, sender, happenings);
    let played = story::play(&mut stage);
    if played.is_ok() && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        stay::stay(&mut stage);
    }
    stage.stops();
    server.stop();
    let ended = stage.until("the server stops", |stage| stage.ended());
    played.and(ended).map_err(|error| Failure::outside(format!("demo: {error}"))).and_then(
        |code| match code {
            ExitCode::Success => Ok(SUCCESS),
            ExitCode::Failure | ExitCode::CoreLost | ExitCode::Usage => {
                Err(Failure::outside("demo: the server did not stop well"))
            }
        },
    )
}
