//! The whole seam: what a machine is told ([`Input`]), what it asks for ([`Effect`]), and how it is driven
//! ([`Machine`]). Both are plain data: they print, compare and serialise to one JSON line each.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::config::QrSize;
use crate::id::{OpId, RequestId};
use crate::mcp::http::{Body, Head, Reply};
use crate::time::{Now, Wakeup};

/// One event in, its effects out.
pub trait Machine {
    /// Takes one input and appends its effects, in the order in which the host must begin them.
    /// Reads no clock, blocks on nothing, draws no randomness.
    fn handle(&mut self, now: Now, input: Input, effects: &mut Effects);

    /// When this machine next wants a [`Input::Tick`], and why. Pure; changes only by [`Machine::handle`].
    fn next_wakeup(&self) -> Option<Wakeup>;
}

/// Something that happened outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Input {
    /// The first input: the SimpleX store is open and events are being received.
    Start {
        /// The text of `DIR/state.json`, when the file exists.
        state: Option<String>,
    },
    /// One event of the SimpleX core: the JSON text as it came (`{"result":…}` or `{"error":…}`).
    Event(String),
    /// The SimpleX core gives no more events and answers no more commands.
    CoreLost {
        /// What ended it, for the person at the terminal.
        reason: String,
    },
    /// An effect with this operation ended. Comes exactly once for each, on shutdown too.
    Done {
        /// The operation of the effect.
        op: OpId,
        /// How it ended.
        result: Outcome,
    },
    /// An HTTP request that [`mcp::http::admit`](crate::mcp::http::admit) let pass, read whole.
    Http {
        /// Its identifier, new for each request.
        request: RequestId,
        /// Method, target and headers; the bearer token is not in it.
        head: Head,
        /// The body.
        body: Body,
    },
    /// The last thing that is said of an HTTP request: its answer was accepted to the last byte, or its client is
    /// gone (at any time). Comes exactly once for each request.
    HttpEnded {
        /// The request.
        request: RequestId,
        /// True when the last byte of the answer was accepted and the client had not closed.
        delivered: bool,
    },
    /// The person asked the program to stop (SIGINT, SIGTERM, SIGHUP).
    Stop,
    /// Time passed. Always allowed.
    Tick,
}

/// How an effect ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It was done.
    Ok,
    /// The SimpleX core answered a command: the JSON text as it came.
    Response(String),
    /// The address is in use ([`Effect::Listen`] only).
    AddrInUse,
    /// It was not done; the reason, for the person at the terminal.
    Failed(String),
}

/// Something the host has to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Effect {
    /// Send a command to the SimpleX core. Ends with [`Outcome::Response`] or [`Outcome::Failed`].
    /// Commands may run in parallel and end in any order.
    Command {
        /// Its operation.
        op: OpId,
        /// The command line, as the core takes it.
        line: String,
    },
    /// Bind `127.0.0.1` on the configured port and accept requests. Ends with Ok, AddrInUse or Failed.
    Listen {
        /// Its operation.
        op: OpId,
    },
    /// Replace a file of the data folder: written under a temporary name, synced, renamed. Ends with Ok, or
    /// with Failed and a sentence that names the file and what to do.
    Write {
        /// Its operation.
        op: OpId,
        /// Which file.
        file: DataFile,
        /// Its whole new text.
        text: String,
    },
    /// Answer an HTTP request at once and whole.
    HttpReply {
        /// The request.
        request: RequestId,
        /// The answer.
        reply: Reply,
    },
    /// Begin a streamed answer: status 200, these headers, no body yet.
    HttpOpen {
        /// The request.
        request: RequestId,
        /// Names and values, in order.
        headers: Vec<(String, String)>,
    },
    /// More of a streamed answer, to be flushed at once.
    HttpSend {
        /// The request.
        request: RequestId,
        /// The text.
        text: String,
    },
    /// End a streamed answer.
    HttpClose {
        /// The request.
        request: RequestId,
    },
    /// Stop accepting requests and end the open ones; each still gets its [`Input::HttpEnded`].
    CloseHttp,
    /// Close the SimpleX store. Ends with Ok or Failed.
    CloseCore {
        /// Its operation.
        op: OpId,
    },
    /// A line for stdout.
    Log(String),
    /// A line for stderr.
    Warn(String),
    /// A link as a QR code on stdout.
    ShowQr {
        /// The link.
        link: String,
        /// How large.
        size: QrSize,
    },
    /// The last effect: end the process with this code.
    Exit(ExitCode),
}

/// The files of the data folder that a machine writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DataFile {
    /// `DIR/state.json`: what must survive a crash (decisions 4, "State on disk").
    State,
    /// `DIR/server.json`: name, port and expiry of the last start, for `register`.
    Server,
}

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExitCode {
    /// 0: stopped as asked.
    Success,
    /// 1: something outside failed; a line says what.
    Failure,
    /// 1: a running agent lost the SimpleX core that another program owns
    /// ([`Config::shared_core`](crate::Config::shared_core)); a line says how. A host that finds the core again may
    /// start the agent anew instead of ending the process.
    CoreLost,
    /// 2: an option does not fit; a line says which.
    Usage,
}

impl ExitCode {
    /// The exit code of the process, 0 to 2.
    pub const fn number(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure | Self::CoreLost => 1,
            Self::Usage => 2,
        }
    }
}

/// The effects of one input, in order. The host reuses one of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects(Vec<Effect>);

impl Effects {
    /// Appends an effect.
    pub fn push(&mut self, effect: Effect) {
        self.0.push(effect);
    }

    /// Takes all effects out, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = Effect> + '_ {
        self.0.drain(..)
    }

    /// The effects, in order.
    pub fn as_slice(&self) -> &[Effect] {
        &self.0
    }
}
