//! The HTTP front end with the test machine behind it, for clients that are programs of their own (`interop/`).
//!
//! Prints one JSON line with `url` and `token` and serves until stdin ends.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/http/machine.rs"]
mod machine;

use std::io::Read;
use std::sync::Arc;

use simplex_agent_adapters::clock::Clock;
use simplex_agent_adapters::driver::{Front, Inbox};
use simplex_agent_adapters::http::hyper::HyperFront;
use simplex_agent_core::mcp::http::Token;
use simplex_agent_core::{Effect, Effects, Input, Machine};
use smol::future::FutureExt;

const TOKEN: &str = "bench-token";

fn main() {
    let (inbox, inputs) = Inbox::new();
    let front = HyperFront::new(0, Arc::new(Token::new(TOKEN)), inbox);
    let mut host =
        Host { front, machine: machine::TestMachine::new(machine::Diary::default()), clock: Clock::new() };
    host.handle(Input::Start { state: None });
    let address = host.front.address().unwrap();
    println!(r#"{{"url":"http://{address}/mcp","token":"{TOKEN}"}}"#);
    let end = smol::unblock(|| std::io::stdin().read_to_end(&mut Vec::new()));
    smol::block_on(async {
        let serve = async {
            loop {
                let tick = async {
                    host.clock.until(host.machine.next_wakeup()).await;
                    Input::Tick
                };
                let input = async { inputs.recv().await.unwrap() }.or(tick).await;
                host.handle(input);
            }
        };
        let end = async {
            let _ = end.await;
        };
        end.or(serve).await;
    });
}

struct Host {
    front: HyperFront,
    machine: machine::TestMachine,
    clock: Clock,
}

impl Host {
    fn handle(&mut self, input: Input) {
        let mut effects = Effects::default();
        self.machine.handle(self.clock.now(), input, &mut effects);
        for effect in effects.drain() {
            match effect {
                Effect::Listen { op } => self.front.listen(op),
                Effect::HttpReply { request, reply } => self.front.reply(request, reply),
                Effect::HttpOpen { request, headers } => self.front.open(request, headers),
                Effect::HttpSend { request, text } => self.front.send(request, text),
                Effect::HttpClose { request } => self.front.close(request),
                Effect::CloseHttp => self.front.close_all(),
                other => panic!("{other:?}"),
            }
        }
    }
}
