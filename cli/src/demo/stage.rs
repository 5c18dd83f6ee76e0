//! Everything that happens in the demo, shown as it happens, one line of the terminal per line and side.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simplex_agent_adapters::terminal::escape;
use simplex_agent_core::effect::ExitCode;

use super::client::Client;
use super::owner::Owner;
use super::readable;
use crate::console::print;

/// How long a step may take before it counts as failed.
const PATIENCE: Duration = Duration::from_secs(15);
/// How often the owner looks at her chat.
const LOOK: Duration = Duration::from_millis(50);

/// Something that happened on one of the sides.
#[derive(Debug)]
pub(super) enum Happening {
    /// The server logged a line.
    Log(String),
    /// A call was told how it goes on.
    Progress(String),
    /// A call got its answer.
    Answer(u32, Result<Value, String>),
    /// The person typed a line; `None` at the end of the input.
    Typed(Option<String>),
    /// A signal asked the server to stop.
    Stopping,
    /// The server ended.
    Ended(ExitCode),
}

/// The sides of the demo.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) owner: Owner,
    pub(super) client: Arc<Client>,
    happenings: Receiver<Happening>,
    sender: Sender<Happening>,
    calls: u32,
    log: Vec<String>,
    answers: BTreeMap<u32, Result<Value, String>>,
    typed: Vec<Option<String>>,
    stopping: bool,
    ended: Option<ExitCode>,
}

impl Stage {
    /// A stage on which nothing has happened.
    pub(super) fn new(
        owner: Owner,
        client: Client,
        sender: Sender<Happening>,
        happenings: Receiver<Happening>,
    ) -> Self {
        Self {
            owner,
            client: Arc::new(client),
            happenings,
            sender,
            calls: 0,
            log: Vec::new(),
            answers: BTreeMap::new(),
            typed: Vec::new(),
            stopping: false,
            ended: None,
        }
    }

    /// Where happenings are put.
    pub(super) fn sender(&self) -> Sender<Happening> {
        self.sender.clone()
    }

    /// The agent calls a tool, from a thread of its own; the number of the call.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> u32 {
        self.calls += 1;
        let (call, client, sender) = (self.calls, Arc::clone(&self.client), self.sender.clone());
        say("agent", &format!("calls {tool} {arguments}"));
        let tool = tool.to_owned();
        // A call that no thread carries out gets no answer, and its step ends by its time.
        let _ = thread::Builder::new().name("agent".to_owned()).spawn(move || {
            let progress = |text: &str| {
                let _ = sender.send(Happening::Progress(text.to_owned()));
            };
            let answer = client.call(&tool, &arguments, progress);
            let _ = sender.send(Happening::Answer(call, answer));
        });
        call
    }

    /// The agent asks which tools there are; their names.
    ///
    /// # Errors
    ///
    /// Why it is not told.
    pub(super) fn tools(&mut self) -> Result<Vec<String>, String> {
        say("agent", "asks for tools/list");
        let result = self.client.request("tools/list", json!({}), None, |_| {})?;
        let tools = result["tools"].as_array().ok_or("tools/list has no tools")?;
        let names = tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
        Ok(names)
    }

    /// The owner taps a button or types a line.
    ///
    /// # Errors
    ///
    /// Why it can't be sent.
    pub(super) fn owner_says(&mut self, how: &str, text: &str) -> Result<(), String> {
        say("alice", &format!("{how} {text}"));
        self.owner.say(text)
    }

    /// Lets things happen until `found` finds what it looks for.
    ///
    /// # Errors
    ///
    /// It did not happen in time, or the server ended.
    pub(super) fn until<T>(
        &mut self,
        what: &str,
        mut found: impl FnMut(&mut Self) -> Option<T>,
    ) -> Result<T, String> {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = found(self) {
                return Ok(found);
            }
            if self.ended.is_some() {
                return Err(format!("{what}: the server ended first"));
            }
            if Instant::now() > end {
                return Err(format!("{what}: not within {} s", PATIENCE.as_secs()));
            }
            self.pass();
        }
    }

    /// Waits a moment and shows what happened in it.
    pub(super) fn pass(&mut self) {
        let happened = self.happenings.recv_timeout(LOOK);
        // Alice's chat first: what an answer tells, her card showed before.
        for news in self.owner.look() {
            let edited = if news.is_edit { ", edited" } else { "" };
            say("alice", &format!("sees from {}{edited}:", news.author));
            news.text.lines().for_each(|line| say("", &format!("  {line}")));
        }
        match happened {
            Ok(happening) => self.take(happening),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
    }

    fn take(&mut self, happening: Happening) {
        match happening {
            Happening::Log(line) => {
                say("server", &line);
                self.log.push(line);
            }
            Happening::Progress(text) => say("agent", &format!("is told: {text}")),
            Happening::Answer(call, answer) => {
                match &answer {
                    Ok(value) => {
                        say("agent", "gets its result:");
                        readable::lines(value).iter().for_each(|line| say("", &format!("  {line}")));
                    }
                    Err(error) => say("agent", &format!("gets an error: {error}")),
                }
                self.answers.insert(call, answer);
            }
            Happening::Typed(line) => self.typed.push(line),
            Happening::Stopping => self.stops(),
            Happening::Ended(code) => self.ended = Some(code),
        }
    }

    /// Whether the server logged a line with this text.
    pub(super) fn logged(&self, text: &str) -> bool {
        self.log.iter().any(|line| line.contains(text))
    }

    /// The answer of a call, once it came.
    pub(super) fn answer(&mut self, call: u32) -> Option<Result<Value, String>> {
        self.answers.remove(&call)
    }

    /// The lines that the person typed.
    pub(super) fn typed(&mut self) -> Vec<Option<String>> {
        std::mem::take(&mut self.typed)
    }

    /// The server begins to stop: the heading above its last lines, once.
    pub(super) fn stops(&mut self) {
        if !std::mem::replace(&mut self.stopping, true) {
            heading("The server stops");
        }
    }

    /// Whether the server stops, or ended.
    pub(super) const fn is_stopping(&self) -> bool {
        self.stopping || self.ended.is_some()
    }

    /// How the server ended, once it did.
    pub(super) const fn ended(&self) -> Option<ExitCode> {
        self.ended
    }
}

/// A line of a side.
pub(super) fn say(side: &str, text: &str) {
    print(&format!("{side:>7}  {}\n", escape(text)));
}

/// A line above what follows.
pub(super) fn heading(text: &str) {
    print(&format!("\n== {text}\n"));
}
