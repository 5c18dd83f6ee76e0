//! A front end with the test machine behind it, on a thread of its own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use simplex_agent_adapters::clock::Clock;
use simplex_agent_adapters::driver::{Front, Inbox};
use simplex_agent_adapters::http::hyper::HyperFront;
use simplex_agent_core::mcp::http::{Limits, Token};
use simplex_agent_core::{Effect, Effects, Input, Machine};
use smol::future::FutureExt;

use super::machine::{Diary, TestMachine};

pub(crate) const TOKEN: &str = "right-Token_0";

/// Which front end a test runs against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Hyper,
    #[cfg(feature = "tiny-http")]
    Tiny,
}

/// A running front end. Dropping it stops it and asserts that each request that began was ended once.
pub(crate) struct Rig {
    pub(crate) address: SocketAddr,
    pub(crate) inbox: Inbox,
    diary: Diary,
    thread: Option<JoinHandle<()>>,
    quit: smol::channel::Sender<()>,
}

impl Rig {
    pub(crate) fn new(kind: Kind) -> Self {
        Self::with_limits(kind, Limits::SERVED)
    }

    pub(crate) fn with_limits(kind: Kind, limits: Limits) -> Self {
        let (inbox, inputs) = Inbox::new();
        let (quit, quits) = smol::channel::bounded(1);
        let (bound, address) = std::sync::mpsc::channel();
        let diary = Diary::default();
        let (told, sender) = (diary.clone(), inbox.clone());
        let thread = std::thread::spawn(move || {
            let token = Arc::new(Token::new(TOKEN));
            match kind {
                Kind::Hyper => {
                    let mut front = HyperFront::with_limits(0, token, sender, limits);
                    let address = |front: &HyperFront| bound.send(front.address().unwrap()).unwrap();
                    smol::block_on(drive(&mut front, told, inputs, quits, address));
                }
                #[cfg(feature = "tiny-http")]
                Kind::Tiny => {
                    use simplex_agent_adapters::http::tiny::TinyFront;
                    let mut front = TinyFront::new(0, token, sender);
                    let address = |front: &TinyFront| bound.send(front.address().unwrap()).unwrap();
                    smol::block_on(drive(&mut front, told, inputs, quits, address));
                }
            }
        });
        let address = address.recv().unwrap();
        Self { address, inbox, diary, thread: Some(thread), quit }
    }

    pub(crate) fn diary(&self) -> Vec<String> {
        self.diary.lock().unwrap().clone()
    }

    /// How often a line with these words was written.
    pub(crate) fn count(&self, words: &str) -> usize {
        self.diary().iter().filter(|line| line.contains(words)).count()
    }

    /// Waits until a line with these words was written; how long that took.
    pub(crate) fn wait(&self, words: &str) -> Duration {
        let start = Instant::now();
        while self.count(words) == 0 {
            assert!(start.elapsed() < Duration::from_secs(10), "no {words:?} in {:#?}", self.diary());
            std::thread::sleep(Duration::from_millis(1));
        }
        start.elapsed()
    }

    pub(crate) fn stop(&self) {
        self.inbox.put(Input::Stop);
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.stop();
        if !std::thread::panicking() {
            let start = Instant::now();
            while self.count("http req") != self.count("ended req") {
                assert!(start.elapsed() < Duration::from_secs(10), "not ended: {:#?}", self.diary());
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        self.quit.close();
        let result = self.thread.take().unwrap().join();
        assert!(std::thread::panicking() || result.is_ok());
    }
}

/// The loop of the driver without the other effects; it ends when it is told to quit.
async fn drive<F: Front>(
    front: &mut F,
    diary: Diary,
    inputs: smol::channel::Receiver<Input>,
    quits: smol::channel::Receiver<()>,
    bound: impl Fn(&F),
) {
    let clock = Clock::new();
    let mut machine = TestMachine::new(diary);
    let mut effects = Effects::default();
    let mut input = Some(Input::Start { state: None });
    while let Some(next) = input {
        machine.handle(clock.now(), next, &mut effects);
        for effect in effects.drain() {
            match effect {
                Effect::Listen { op } => {
                    front.listen(op);
                    bound(front);
                }
                Effect::HttpReply { request, reply } => front.reply(request, reply),
                Effect::HttpOpen { request, headers } => front.open(request, headers),
                Effect::HttpSend { request, text } => front.send(request, text),
                Effect::HttpClose { request } => front.close(request),
                Effect::CloseHttp => front.close_all(),
                other => panic!("{other:?}"),
            }
        }
        let tick = async {
            clock.until(machine.next_wakeup()).await;
            Some(Input::Tick)
        };
        let quit = async {
            let _ = quits.recv().await;
            None
        };
        input = async { inputs.recv().await.ok() }.or(quit).or(tick).await;
    }
}
