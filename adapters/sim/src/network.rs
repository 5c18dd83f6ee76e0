//! The network: controllers, routers and people, and the calls that drive it.

use alloc::collections::VecDeque;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use simplex_agent_core::{Millis, Now};

use crate::{Act, Fault, Handle, Options, Output, Scenario, ViewChat};

/// A simulated SimpleX network. The whole state serialises; nothing is kept elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Network {
    seed: u64,
    options: Options,
    outputs: VecDeque<Output>,
    next_handle: u64,
}

impl Network {
    /// An empty network: no people. Equal seeds give equal link, member and message identifiers.
    pub fn new(seed: u64, options: Options) -> Self {
        Self { seed, options, outputs: VecDeque::new(), next_handle: 1 }
    }

    /// A network with the people of a scenario.
    pub fn from_scenario(seed: u64, scenario: &Scenario) -> Self {
        Self::new(seed, scenario.options)
    }

    /// Opens the database under this file prefix, as `chat_migrate_init` does: a new one, or the one that was used
    /// before, with its user, chats, custom data, items and numbers. Chat is not started until `/_start`.
    pub fn open(&mut self, now: Now, prefix: &str) -> Handle {
        let _ = (now, prefix);
        let handle = Handle(self.next_handle);
        self.next_handle = self.next_handle.saturating_add(1);
        handle
    }

    /// Ends a process, as `chat_close_store` and a kill do. What it answered is stored; what others send waits for
    /// the next `/_start` under the same prefix. Outputs that were not polled are gone.
    pub fn close(&mut self, handle: Handle) {
        self.outputs.retain(|o| match o {
            Output::Response { handle: h, .. } | Output::Event { handle: h, .. } => *h != handle,
        });
    }

    /// Sends a command line. Exactly one [`Output::Response`] with this ticket follows, at once or after
    /// [`Network::advance`], unless the handle is closed or a fault hangs it.
    pub fn command(&mut self, now: Now, handle: Handle, ticket: u64, line: &str) {
        let _ = (now, line);
        let text = r#"{"error":{"type":"error","errorType":{"type":"noActiveUser"}}}"#.to_string();
        self.outputs.push_back(Output::Response { handle, ticket, text });
    }

    /// Delivers what is due at this moment, and lets people act.
    pub fn advance(&mut self, now: Now) {
        let _ = now;
    }

    /// When something becomes due, on the monotonic clock.
    pub fn next_wakeup(&self) -> Option<Millis> {
        None
    }

    /// The next output, in order.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// The whole state as text, for [`Network::restore`].
    pub fn snapshot(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The network of a snapshot. Errors name what does not fit.
    pub fn restore(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }

    /// The names of the people and bots, in the order of the scenario.
    pub fn peers(&self) -> Vec<String> {
        Vec::new()
    }

    /// Adds a person without behaviour, for tests that play it with [`Network::act`]. An error when the name is taken.
    pub fn add_peer(&mut self, now: Now, name: &str) -> Result<(), String> {
        let _ = (now, name);
        Ok(())
    }

    /// Lets a person do something. Errors name what is not possible and why.
    pub fn act(&mut self, now: Now, peer: &str, act: Act) -> Result<(), String> {
        let _ = (now, peer, act);
        Ok(())
    }

    /// What a person sees, in the order of the chat numbers, contacts first. Empty for an unknown name.
    pub fn view(&self, peer: &str) -> Vec<ViewChat> {
        let _ = peer;
        Vec::new()
    }

    /// The short link that was published under this name by the scenario or an act: `"directory"`, `"shop"`,
    /// `"business"`, `"channel"`, `"group"`, `"one-time"`, `"never"` in the demo scenario.
    pub fn link(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Puts an event line of any text into the events of a process.
    pub fn inject(&mut self, now: Now, handle: Handle, raw: &str) {
        let _ = now;
        self.outputs.push_back(Output::Event { handle, text: raw.to_string() });
    }

    /// Lets something go wrong.
    pub fn fault(&mut self, fault: Fault) {
        let _ = fault;
    }
}
