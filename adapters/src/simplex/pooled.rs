//! A core whose calls block, made into one that does not: one receive thread, a bounded pool for commands.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use simplex_agent_core::Input;
use simplex_agent_core::effect::Outcome;
use simplex_agent_core::id::OpId;

use super::SimplexCore;
use crate::driver::Inbox;

/// Threads for commands, at most. A command may wait for the network for a minute, and a server has at most 20
/// actions in performance beside its own work (decisions 4).
const MAX_THREADS: usize = 32;
/// How long one receive call waits, at most: so late the receive thread sees that the core is being closed.
const RECEIVE: Duration = Duration::from_millis(200);
/// How long closing waits for commands that are running, before it reports them as failed.
const CLOSE_WAIT: Duration = Duration::from_secs(2);
/// What a command that did not run gets.
const CLOSED: &str = "the SimpleX core is closed";

/// A SimpleX core with calls that block. They may come from any thread, in parallel.
pub trait Blocking: Send + Sync + 'static {
    /// Runs one command line to its end.
    ///
    /// # Errors
    ///
    /// Why there is no response.
    fn command(&self, line: &str) -> Result<String, String>;

    /// The next event, or `None` when none came within `wait`.
    ///
    /// # Errors
    ///
    /// Why no event will ever come.
    fn receive(&self, wait: Duration) -> Result<Option<String>, String>;

    /// Closes the store.
    ///
    /// # Errors
    ///
    /// Why it may not be closed well.
    fn close(&self) -> Result<(), String>;
}

/// A [`SimplexCore`] over a [`Blocking`] one.
#[derive(Debug)]
pub struct Pooled<B> {
    shared: Arc<Shared<B>>,
}

#[derive(Debug)]
struct Shared<B> {
    core: B,
    inbox: Inbox,
    work: Mutex<Work>,
    /// Signalled when there is work, when a command ended, and when the receive thread ended.
    changed: Condvar,
    closing: AtomicBool,
}

#[derive(Debug, Default)]
struct Work {
    queue: VecDeque<(OpId, String)>,
    /// Running commands. Whoever takes one out reports it: this makes each end come once.
    running: BTreeSet<OpId>,
    threads: usize,
    idle: usize,
    receiving: bool,
}

impl<B: Blocking> Pooled<B> {
    /// Starts the receive thread, and only then can commands be sent (digest 1.2: a core whose events nobody takes
    /// stops answering).
    pub fn start(core: B, inbox: Inbox) -> Self {
        let shared = Arc::new(Shared {
            core,
            inbox,
            work: Mutex::new(Work { receiving: true, ..Work::default() }),
            changed: Condvar::new(),
            closing: AtomicBool::new(false),
        });
        let receiver = Arc::clone(&shared);
        if spawn("simplex-receive", move || receiver.receive_all()).is_err() {
            shared.lock().receiving = false;
            shared.inbox.put(Input::CoreLost { reason: "no thread for its events".to_owned() });
        }
        Self { shared }
    }
}

impl<B: Blocking> SimplexCore for Pooled<B> {
    fn send(&mut self, op: OpId, line: String) {
        if self.shared.closing.load(Ordering::SeqCst) {
            self.shared.inbox.done(op, Outcome::Failed(CLOSED.to_owned()));
            return;
        }
        let mut work = self.shared.lock();
        work.queue.push_back((op, line));
        let lacks_thread = work.queue.len() > work.idle && work.threads < MAX_THREADS;
        if lacks_thread {
            let shared = Arc::clone(&self.shared);
            match spawn("simplex-command", move || shared.run_commands()) {
                Ok(()) => work.threads += 1,
                Err(reason) if work.threads == 0 => {
                    work.queue.pop_back();
                    self.shared.inbox.done(op, Outcome::Failed(reason));
                }
                // Another thread will come to it.
                Err(_) => {}
            }
        }
        drop(work);
        self.shared.changed.notify_all();
    }

    fn close(&mut self, op: OpId) {
        self.shared.closing.store(true, Ordering::SeqCst);
        self.shared.fail_queued();
        self.shared.changed.notify_all();
        let shared = Arc::clone(&self.shared);
        if let Err(reason) = spawn("simplex-close", move || shared.close(op)) {
            self.shared.fail_running();
            self.shared.inbox.done(op, Outcome::Failed(reason));
        }
    }
}

impl<B: Blocking> Shared<B> {
    /// The work, also after a thread that held it panicked: it is consistent between any two statements.
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    fn receive_all(&self) {
        while !self.is_closing() {
            match self.core.receive(RECEIVE) {
                Ok(Some(event)) => self.inbox.put(Input::Event(event)),
                Ok(None) => {}
                Err(reason) => {
                    if !self.is_closing() {
                        self.inbox.put(Input::CoreLost { reason });
                    }
                    break;
                }
            }
        }
        self.lock().receiving = false;
        self.changed.notify_all();
    }

    fn run_commands(&self) {
        while let Some((op, line)) = self.next_command() {
            let result = match self.core.command(&line) {
                Ok(response) => Outcome::Response(response),
                Err(reason) => Outcome::Failed(reason),
            };
            let mine = self.lock().running.remove(&op);
            if mine {
                self.inbox.done(op, result);
            }
            self.changed.notify_all();
        }
    }

    /// Waits for the next command; `None` when the core is being closed.
    fn next_command(&self) -> Option<(OpId, String)> {
        let mut work = self.lock();
        loop {
            if self.is_closing() {
                return None;
            }
            if let Some((op, line)) = work.queue.pop_front() {
                work.running.insert(op);
                return Some((op, line));
            }
            work.idle += 1;
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
            work.idle -= 1;
        }
    }

    fn close(&self, op: OpId) {
        let until = Instant::now() + CLOSE_WAIT;
        let mut work = self.lock();
        while work.receiving || !work.running.is_empty() {
            let Some(left) = until.checked_duration_since(Instant::now()) else { break };
            work = self.changed.wait_timeout(work, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(work);
        self.fail_queued();
        self.fail_running();
        let result = match self.core.close() {
            Ok(()) => Outcome::Ok,
            Err(reason) => Outcome::Failed(reason),
        };
        self.inbox.done(op, result);
    }

    fn fail_queued(&self) {
        let queued: Vec<_> = self.lock().queue.drain(..).collect();
        for (op, _) in queued {
            self.inbox.done(op, Outcome::Failed(CLOSED.to_owned()));
        }
    }

    fn fail_running(&self) {
        let running = std::mem::take(&mut self.lock().running);
        for op in running {
            self.inbox.done(op, Outcome::Failed(CLOSED.to_owned()));
        }
    }
}

/// Starts a named thread.
fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(body);
    started.map(drop).map_err(|error| format!("no thread could be started: {error}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc;

    use smol::channel::Receiver;

    use super::*;

    /// A core whose commands do what they say.
    struct Fake {
        events: Mutex<mpsc::Receiver<Result<String, String>>>,
        at_work: AtomicUsize,
        most: AtomicUsize,
    }

    impl Blocking for Fake {
        fn command(&self, line: &str) -> Result<String, String> {
            let now = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            if let Some(millis) = line.strip_prefix("sleep ") {
                thread::sleep(Duration::from_millis(millis.parse().map_err(|_| line.to_owned())?));
            }
            self.at_work.fetch_sub(1, Ordering::SeqCst);
            if line == "fail" { Err("failed".to_owned()) } else { Ok(format!("did {line}")) }
        }

        fn receive(&self, wait: Duration) -> Result<Option<String>, String> {
            match self.events.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(wait) {
                Ok(Ok(event)) => Ok(Some(event)),
                Ok(Err(reason)) => Err(reason),
                Err(_) => Ok(None),
            }
        }

        fn close(&self) -> Result<(), String> {
            Ok(())
        }
    }

    fn start() -> (Pooled<Fake>, mpsc::Sender<Result<String, String>>, Receiver<Input>) {
        let (events, receiver) = mpsc::channel();
        let (inbox, inputs) = Inbox::new();
        let fake =
            Fake { events: Mutex::new(receiver), at_work: AtomicUsize::new(0), most: AtomicUsize::new(0) };
        (Pooled::start(fake, inbox), events, inputs)
    }

    /// Takes inputs until the operation `last` has ended.
    fn take_until(inputs: &Receiver<Input>, last: u64) -> Vec<Input> {
        let mut taken = Vec::new();
        loop {
            let input = inputs.recv_blocking().unwrap();
            let ended = matches!(&input, Input::Done { op, .. } if op.number() == last);
            taken.push(input);
            if ended {
                return taken;
            }
        }
    }

    fn ends(inputs: &[Input]) -> BTreeMap<u64, Outcome> {
        let mut ends = BTreeMap::new();
        for input in inputs {
            if let Input::Done { op, result } = input {
                assert_eq!(ends.insert(op.number(), result.clone()), None, "{op} ended twice");
            }
        }
        ends
    }

    #[test]
    fn a_slow_command_holds_up_no_other_and_the_pool_is_bounded() {
        let (mut core, _events, inputs) = start();
        core.send(OpId::new(0), "sleep 300".to_owned());
        core.send(OpId::new(1), "fail".to_owned());
        let taken = take_until(&inputs, 0);
        assert_eq!(ends(&taken)[&1], Outcome::Failed("failed".to_owned()));
        assert_eq!(taken.len(), 2);
        for op in 100..200 {
            core.send(OpId::new(op), "sleep 5".to_owned());
        }
        let all: Vec<_> = (0..100).map(|_| inputs.recv_blocking().unwrap()).collect();
        assert_eq!(ends(&all).len(), 100);
        let most = core.shared.core.most.load(Ordering::SeqCst);
        assert!((2..=MAX_THREADS).contains(&most), "{most} at once");
    }

    #[test]
    fn every_command_ends_once_when_the_core_is_closed_under_it() {
        let (mut core, _events, inputs) = start();
        for op in 0..60 {
            core.send(OpId::new(op), "sleep 5000".to_owned());
        }
        thread::sleep(Duration::from_millis(50));
        core.close(OpId::new(1000));
        core.send(OpId::new(60), "late".to_owned());
        let ends = ends(&take_until(&inputs, 1000));
        assert_eq!(ends.len(), 62);
        for op in 0..=60 {
            assert_eq!(ends[&op], Outcome::Failed(CLOSED.to_owned()));
        }
        assert_eq!(ends[&1000], Outcome::Ok);
        thread::sleep(Duration::from_millis(100));
        assert!(inputs.is_empty(), "something came after the close");
    }

    #[test]
    fn events_come_in_order_and_their_end_is_told_once() {
        let (mut core, events, inputs) = start();
        events.send(Ok("one".to_owned())).unwrap();
        events.send(Ok("two".to_owned())).unwrap();
        events.send(Err("the other side hung up".to_owned())).unwrap();
        let taken: Vec<_> = (0..3).map(|_| inputs.recv_blocking().unwrap()).collect();
        assert_eq!(
            taken,
            [
                Input::Event("one".to_owned()),
                Input::Event("two".to_owned()),
                Input::CoreLost { reason: "the other side hung up".to_owned() },
            ]
        );
        core.close(OpId::new(1));
        assert_eq!(take_until(&inputs, 1).len(), 1);
    }
}
