//! Lines of a client in, requests to the endpoint of a running server out: the IO of
//! [`simplex_agent_core::mcp::relay`].

mod exchange;
mod place;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::thread;
use std::time::{Duration, Instant};

use simplex_agent_core::mcp::relay::{End, ExchangeId, Left, Order, Relay};
use smol::Task;
use smol::channel::{Receiver, Sender};
use smol::future::FutureExt;

pub use place::{Place, Starter};

/// How long nothing may come while there are requests without an answer or a stream, when the client has closed its side:
/// a server that is not busy answers within 200 ms, or opens a stream.
const LAST_ANSWERS: Duration = Duration::from_secs(10);
/// The same when only streams are open: what a busy server works at comes, and what waits for a person does not. Hosts
/// give a process that they close about 2 s.
const LAST_STREAMS: Duration = Duration::from_secs(1);

/// What happens.
#[derive(Debug)]
enum Event {
    Line(String),
    /// The client has closed its side.
    Closed,
    /// An event stream was opened.
    Opened(ExchangeId),
    Message(ExchangeId, String),
    Ended(ExchangeId, End),
}

/// Serves a client until it closes its side. Several requests are open at once; one that the client gives up is closed,
/// and all that are left at the end get an error.
pub fn run(
    relay: Relay,
    place: Place,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) {
    let (sender, events) = smol::channel::unbounded();
    let lines = sender.clone();
    // Threads of their own: a client that reads nothing must not keep what it cancels from being heard.
    let reading = thread::Builder::new().name("stdin".to_owned()).spawn(move || read(input, &lines));
    let (out, written) = std::sync::mpsc::channel();
    let closed = sender.clone();
    let writing =
        thread::Builder::new().name("stdout".to_owned()).spawn(move || write(output, &written, &closed));
    let (Ok(_), Ok(writing)) = (reading, writing) else { return };
    let mut session = Session { relay, place, sender, out, open: BTreeMap::new(), orders: Vec::new() };
    smol::block_on(session.run(&events));
    drop(session);
    let _ = writing.join();
}

/// One client.
struct Session {
    relay: Relay,
    place: Place,
    sender: Sender<Event>,
    out: std::sync::mpsc::Sender<String>,
    /// The connection of an exchange closes with its task.
    open: BTreeMap<ExchangeId, Task<()>>,
    orders: Vec<Order>,
}

impl Session {
    async fn run(&mut self, events: &Receiver<Event>) {
        while let Ok(event) = events.recv().await {
            if matches!(event, Event::Closed) {
                break;
            }
            self.take(event);
        }
        let mut came = Instant::now();
        loop {
            let patience = match self.relay.left() {
                Left::Nothing => break,
                Left::Answers => LAST_ANSWERS,
                Left::Streams => LAST_STREAMS,
            };
            let late = async {
                smol::Timer::at(came + patience).await;
                None
            };
            match async { events.recv().await.ok() }.or(late).await {
                Some(event) => {
                    let opened = matches!(event, Event::Opened(_));
                    // That a server is to be asked again is nothing that came.
                    if self.take(event) || opened {
                        came = Instant::now();
                    }
                }
                None => break,
            }
        }
        self.relay.give_up(&mut self.orders);
        self.carry_out();
    }

    /// Whether something was written for it.
    fn take(&mut self, event: Event) -> bool {
        match event {
            Event::Line(line) => self.relay.on_line(&line, &mut self.orders),
            Event::Closed => {}
            Event::Opened(exchange) => self.relay.on_opened(exchange, &mut self.orders),
            Event::Message(exchange, json) => self.relay.on_event(exchange, &json, &mut self.orders),
            Event::Ended(exchange, end) => {
                self.open.remove(&exchange);
                self.relay.on_end(exchange, end, &mut self.orders);
            }
        }
        self.carry_out()
    }

    fn carry_out(&mut self) -> bool {
        let mut writes = false;
        for order in std::mem::take(&mut self.orders) {
            match order {
                Order::Post { exchange, headers, body, after } => {
                    let after = Duration::from_millis(after.0);
                    let post = exchange::Post { place: self.place.clone(), headers, body, after };
                    let task = smol::spawn(exchange::run(exchange, post, self.sender.clone()));
                    self.open.insert(exchange, task);
                }
                Order::Close(exchange) => drop(self.open.remove(&exchange)),
                // Without a reader the session ends soon.
                Order::Write(line) => {
                    writes = true;
                    drop(self.out.send(line));
                }
            }
        }
        writes
    }
}

fn read(mut input: impl BufRead, lines: &Sender<Event>) {
    let mut line = Vec::new();
    while let Ok(1..) = input.read_until(b'\n', &mut line) {
        let text = String::from_utf8_lossy(&line).into_owned();
        line.clear();
        if lines.send_blocking(Event::Line(text)).is_err() {
            return;
        }
    }
    let _ = lines.send_blocking(Event::Closed);
}

fn write(mut output: impl Write, lines: &std::sync::mpsc::Receiver<String>, closed: &Sender<Event>) {
    for line in lines {
        if output.write_all((line + "\n").as_bytes()).and_then(|()| output.flush()).is_err() {
            let _ = closed.send_blocking(Event::Closed);
            return;
        }
    }
}
