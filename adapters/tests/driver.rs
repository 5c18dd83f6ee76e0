//! The driver loop with a machine that shows what it was told.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::TempDir;
use simplex_agent_adapters::clock::Clock;
use simplex_agent_adapters::driver::{self, Console, Front, Inbox, Io};
use simplex_agent_adapters::files::{DataFolder, Writer};
use simplex_agent_adapters::simplex::{Blocking, Pooled};
use simplex_agent_core::config::QrSize;
use simplex_agent_core::effect::{DataFile, ExitCode, Outcome};
use simplex_agent_core::id::{OpId, RequestId};
use simplex_agent_core::mcp::http::Reply;
use simplex_agent_core::{Effect, Effects, Input, Machine, Millis, Now, Wakeup};

/// A core that answers with the line it got.
struct Echo;

impl Blocking for Echo {
    fn command(&self, line: &str) -> Result<String, String> {
        if let Some(millis) = line.strip_prefix("sleep ") {
            std::thread::sleep(Duration::from_millis(millis.parse().map_err(|_| line.to_owned())?));
        }
        Ok(line.to_owned())
    }

    fn receive(&self, wait: Duration) -> Result<Option<String>, String> {
        std::thread::sleep(wait);
        Ok(None)
    }

    fn close(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Writes down what it is asked, as the console and as the front end.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, note: String) {
        self.0.lock().unwrap().push(note);
    }
}

impl Console for Notes {
    fn log(&mut self, line: &str) {
        self.add(format!("log {line}"));
    }

    fn warn(&mut self, line: &str) {
        self.add(format!("warn {line}"));
    }

    fn qr(&mut self, link: &str, size: QrSize) {
        self.add(format!("qr {link} {size:?}"));
    }
}

impl Front for Notes {
    fn listen(&mut self, op: OpId) {
        self.add(format!("listen {op}"));
    }

    fn reply(&mut self, request: RequestId, reply: Reply) {
        self.add(format!("reply {request} {}", reply.status));
    }

    fn open(&mut self, request: RequestId, _headers: Vec<(String, String)>) {
        self.add(format!("open {request}"));
    }

    fn send(&mut self, request: RequestId, text: String) {
        self.add(format!("send {request} {text}"));
    }

    fn close(&mut self, request: RequestId) {
        self.add(format!("close {request}"));
    }

    fn close_all(&mut self) {
        self.add("close all".to_owned());
    }
}

/// A machine that is a function of its input, with a wakeup that the function may set.
struct Script<F> {
    step: F,
    wakeup: Option<Millis>,
}

impl<F: FnMut(Now, Input, &mut Effects, &mut Option<Millis>)> Machine for Script<F> {
    fn handle(&mut self, now: Now, input: Input, effects: &mut Effects) {
        (self.step)(now, input, effects, &mut self.wakeup);
    }

    fn next_wakeup(&self) -> Option<Wakeup> {
        self.wakeup.map(|at| Wakeup { at, why: "test" })
    }
}

fn run(
    state: Option<&str>,
    prepare: impl FnOnce(&Inbox),
    step: impl FnMut(Now, Input, &mut Effects, &mut Option<Millis>) + Send,
) -> (ExitCode, Vec<String>, TempDir) {
    let temp = TempDir::new();
    let folder = DataFolder::open(&temp.path().join("agent")).unwrap();
    let (inbox, inputs) = Inbox::new();
    prepare(&inbox);
    let notes = Notes::default();
    let mut io = Io {
        writer: Writer::start(folder.path(), inbox.clone(), None),
        simplex: Box::new(Pooled::start(Echo, inbox)),
        front: Box::new(notes.clone()),
        console: Box::new(notes.clone()),
    };
    let mut machine = Script { step, wakeup: None };
    let code =
        smol::block_on(driver::run(&mut machine, Clock::new(), state.map(str::to_owned), inputs, &mut io));
    let notes = notes.0.lock().unwrap().clone();
    (code, notes, temp)
}

#[test]
fn start_is_the_first_input_and_exit_ends_the_loop() {
    let mut seen = Vec::new();
    let (code, notes, _temp) = run(
        Some("{}"),
        |inbox| inbox.put(Input::Event("early".to_owned())),
        |_, input, effects, _| {
            seen.push(input.clone());
            if let Input::Event(_) = input {
                effects.push(Effect::Warn("leaving".to_owned()));
                effects.push(Effect::Exit(ExitCode::Usage));
                effects.push(Effect::Log("never".to_owned()));
            }
        },
    );
    assert_eq!(code, ExitCode::Usage);
    assert_eq!(seen, [Input::Start { state: Some("{}".to_owned()) }, Input::Event("early".to_owned())]);
    assert_eq!(notes, ["warn leaving"]);
}

#[test]
fn effects_are_begun_in_order_without_waiting_for_their_ends() {
    let began = Instant::now();
    let request = RequestId::new(7);
    let mut ends = Vec::new();
    let (code, notes, temp) = run(
        None,
        |_| {},
        |_, input, effects, _| match input {
            Input::Start { .. } => {
                effects.push(Effect::Command { op: OpId::new(1), line: "sleep 150".to_owned() });
                effects.push(Effect::Command { op: OpId::new(2), line: "quick".to_owned() });
                effects.push(Effect::Write {
                    op: OpId::new(3),
                    file: DataFile::State,
                    text: "{\"a\":1}".to_owned(),
                });
                effects.push(Effect::Write {
                    op: OpId::new(4),
                    file: DataFile::State,
                    text: "{\"a\":2}".to_owned(),
                });
                effects.push(Effect::Listen { op: OpId::new(5) });
                effects.push(Effect::HttpOpen { request, headers: Vec::new() });
                effects.push(Effect::HttpSend { request, text: ":".to_owned() });
                effects.push(Effect::HttpClose { request });
                effects.push(Effect::HttpReply {
                    request,
                    reply: Reply { status: 202, headers: Vec::new(), body: String::new() },
                });
                effects.push(Effect::ShowQr { link: "l".to_owned(), size: QrSize::Small });
                effects.push(Effect::Log("begun".to_owned()));
                effects.push(Effect::CloseHttp);
            }
            Input::Done { op, result } => {
                ends.push((op.number(), result));
                if op.number() == 1 {
                    effects.push(Effect::CloseCore { op: OpId::new(9) });
                }
                if op.number() == 9 {
                    effects.push(Effect::Exit(ExitCode::Success));
                }
            }
            other => panic!("{other:?}"),
        },
    );
    assert_eq!(code, ExitCode::Success);
    assert!(began.elapsed() >= Duration::from_millis(150));
    assert_eq!(
        notes,
        [
            "listen op5",
            "open req7",
            "send req7 :",
            "close req7",
            "reply req7 202",
            "qr l Small",
            "log begun",
            "close all"
        ]
    );
    let position = |number| ends.iter().position(|(op, _)| *op == number).unwrap();
    assert!(position(2) < position(1) && position(3) < position(4));
    assert_eq!(ends[position(2)].1, Outcome::Response("quick".to_owned()));
    assert_eq!(ends.len(), 5);
    let text = fs::read_to_string(temp.path().join("agent/state.json")).unwrap();
    assert_eq!(text, "{\"a\":2}");
}

#[test]
fn a_wakeup_brings_a_tick_at_its_time_and_none_before() {
    let mut ticks = Vec::new();
    let (code, _, _temp) = run(
        None,
        |_| {},
        |now, input, effects, wakeup| match input {
            Input::Start { .. } => *wakeup = Some(now.mono + Millis(60)),
            Input::Tick => {
                let due = wakeup.unwrap();
                assert!(now.mono >= due, "ticked at {:?}, due at {due:?}", now.mono);
                ticks.push(now.mono);
                *wakeup = Some(now.mono + Millis(20));
                if ticks.len() == 3 {
                    effects.push(Effect::Exit(ExitCode::Success));
                }
            }
            other => panic!("{other:?}"),
        },
    );
    assert_eq!((code, ticks.len()), (ExitCode::Success, 3));
}

#[test]
fn a_write_that_fails_names_the_file() {
    let (_, notes, _temp) = run(None, |_| {}, {
        let mut first = true;
        move |_, input, effects, _| match input {
            Input::Start { .. } => {
                effects.push(Effect::Write {
                    op: OpId::new(1),
                    file: DataFile::Server,
                    text: "{}".to_owned(),
                });
            }
            Input::Done { result: Outcome::Ok, .. } if first => {
                first = false;
                effects.push(Effect::Log("written".to_owned()));
                effects.push(Effect::Exit(ExitCode::Success));
            }
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(notes, ["log written"]);
    let (inbox, inputs) = Inbox::new();
    let writer = Writer::start(std::path::Path::new("/nowhere/agent"), inbox, None);
    writer.write(OpId::new(3), DataFile::State, String::new());
    let Input::Done { op, result: Outcome::Failed(reason) } = inputs.recv_blocking().unwrap() else {
        panic!()
    };
    assert_eq!(op, OpId::new(3));
    assert!(reason.starts_with("/nowhere/agent/state.json can't be written: "), "{reason}");
}
