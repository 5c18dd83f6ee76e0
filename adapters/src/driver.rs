//! The driver: the whole of the loop between a [`Machine`] and the world.
//!
//! It waits for one input or the machine's next wakeup, hands it over, and begins the effects in their order.
//! It awaits no effect: what an effect comes to returns through the inbox, exactly once for each operation.

use async_io::Timer;
use simplex_agent_core::config::QrSize;
use simplex_agent_core::effect::{ExitCode, Outcome};
use simplex_agent_core::id::{OpId, RequestId};
use simplex_agent_core::mcp::http::Reply;
use simplex_agent_core::{Effect, Effects, Input, Machine, Millis, Wakeup};
use smol::channel::{Receiver, Sender};
use smol::future::FutureExt;

use crate::clock::Clock;
use crate::files::Writer;
use crate::simplex::SimplexCore;

/// Where inputs are put. It is unbounded: the receive thread of a SimpleX core must never be held up, because a
/// core whose events nobody takes stops answering commands (digest 1.2).
#[derive(Clone, Debug)]
pub struct Inbox(Sender<Input>);

impl Inbox {
    /// An inbox and the end that [`run`] reads.
    pub fn new() -> (Self, Receiver<Input>) {
        let (sender, receiver) = smol::channel::unbounded();
        (Self(sender), receiver)
    }

    /// Puts one input; after the end of the loop it is dropped.
    pub fn put(&self, input: Input) {
        let _ = self.0.try_send(input);
    }

    /// Reports the end of an operation.
    pub fn done(&self, op: OpId, result: Outcome) {
        self.put(Input::Done { op, result });
    }
}

/// An HTTP front end: carries answers out and puts requests into the inbox it was made with.
/// No method blocks; every [`Input::Http`] it puts is followed by exactly one [`Input::HttpEnded`].
pub trait Front: Send {
    /// Binds 127.0.0.1 and accepts requests; the end of `op` is Ok, AddrInUse or Failed.
    fn listen(&mut self, op: OpId);
    /// Answers at once and whole.
    fn reply(&mut self, request: RequestId, reply: Reply);
    /// Begins a streamed answer with status 200.
    fn open(&mut self, request: RequestId, headers: Vec<(String, String)>);
    /// More of a streamed answer, flushed at once.
    fn send(&mut self, request: RequestId, text: String);
    /// Ends a streamed answer.
    fn close(&mut self, request: RequestId);
    /// Stops accepting and ends the open requests.
    fn close_all(&mut self);
}

/// Where lines for the person go.
pub trait Console: Send {
    /// A line for stdout.
    fn log(&mut self, line: &str);
    /// A line for stderr.
    fn warn(&mut self, line: &str);
    /// A link as a QR code on stdout.
    fn qr(&mut self, link: &str, size: QrSize);
}

/// Everything that effects are carried out with.
pub struct Io {
    /// The SimpleX core.
    pub simplex: Box<dyn SimplexCore>,
    /// The HTTP front end.
    pub front: Box<dyn Front>,
    /// The files of the data folder.
    pub writer: Writer,
    /// The person's terminal.
    pub console: Box<dyn Console>,
}

impl Io {
    /// Begins one effect; the exit code when it is the last one.
    pub fn begin(&mut self, effect: Effect) -> Option<ExitCode> {
        match effect {
            Effect::Command { op, line } => self.simplex.send(op, line),
            Effect::Listen { op } => self.front.listen(op),
            Effect::Write { op, file, text } => self.writer.write(op, file, text),
            Effect::HttpReply { request, reply } => self.front.reply(request, reply),
            Effect::HttpOpen { request, headers } => self.front.open(request, headers),
            Effect::HttpSend { request, text } => self.front.send(request, text),
            Effect::HttpClose { request } => self.front.close(request),
            Effect::CloseHttp => self.front.close_all(),
            Effect::CloseCore { op } => self.simplex.close(op),
            Effect::Log(line) => self.console.log(&line),
            Effect::Warn(line) => self.console.warn(&line),
            Effect::ShowQr { link, size } => self.console.qr(&link, size),
            Effect::Exit(code) => return Some(code),
        }
        None
    }
}

/// Drives `machine` from [`Input::Start`] with `state` until its [`Effect::Exit`], whose code it returns with `io`.
///
/// The loop runs on smol's executor, as the connections of the HTTP front end do, and this thread waits for it: a request
/// and its answer then wake no other thread, which costs more than the rest of them.
pub fn run_beside_front(
    mut machine: Box<dyn Machine + Send>,
    clock: Clock,
    state: Option<String>,
    inbox: Receiver<Input>,
    mut io: Io,
) -> (ExitCode, Io) {
    smol::block_on(smol::spawn(async move {
        let code = run(&mut *machine, clock, state, inbox, &mut io).await;
        (code, io)
    }))
}

/// Drives `machine` from [`Input::Start`] with `state` until its [`Effect::Exit`], whose code it returns.
pub async fn run(
    machine: &mut (dyn Machine + Send),
    clock: Clock,
    state: Option<String>,
    inbox: Receiver<Input>,
    io: &mut Io,
) -> ExitCode {
    let mut effects = Effects::default();
    let mut alarm = Alarm::new();
    let mut input = Input::Start { state };
    loop {
        machine.handle(clock.now(), input, &mut effects);
        for effect in effects.drain() {
            if let Some(code) = io.begin(effect) {
                return code;
            }
        }
        if let Ok(next) = inbox.try_recv() {
            input = next;
            continue;
        }
        let wakeup = machine.next_wakeup();
        let tick = async {
            alarm.ring(&clock, wakeup).await;
            Input::Tick
        };
        // A closed inbox cannot be: the parts of `io` hold its other end. If it were, ticks would go on.
        let next = async {
            match inbox.recv().await {
                Ok(input) => input,
                Err(_) => smol::future::pending().await,
            }
        };
        input = next.or(tick).await;
    }
}

/// One timer for all wakeups. It is set again only when the wakeup is another one: each setting disturbs the thread that
/// waits for sockets, and most inputs leave the wakeup as it is.
struct Alarm {
    at: Option<Millis>,
    timer: Timer,
}

impl Alarm {
    fn new() -> Self {
        Self { at: None, timer: Timer::never() }
    }

    /// Completes at the wakeup, and never without one.
    async fn ring(&mut self, clock: &Clock, wakeup: Option<Wakeup>) {
        let at = wakeup.map(|wakeup| wakeup.at);
        if self.at != at {
            self.at = at;
            match at {
                Some(at) => self.timer.set_after(clock.remaining(at)),
                None => self.timer.clear(),
            }
        }
        (&mut self.timer).await;
        self.at = None;
    }
}
