//! What a run of the agent is told at its start. The command line is read by the host; what is legal is decided here.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::time::Millis;

/// How actions are decided (`--approve`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// An approver decides each action.
    #[default]
    Requests,
    /// The MCP host asks its user; actions are performed at once and shown afterwards.
    Host,
}

/// Who approves (`--owners`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Owners {
    /// Absent: every human owner; whoever joins by the link becomes one.
    #[default]
    Anyone,
    /// `--owners` with no value: nobody yet; the link adds an observer.
    Nobody,
    /// `--owners LIST`: the listed members.
    Listed(Vec<OwnerEntry>),
}

/// One `ID:NAME` of `--owners`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerEntry {
    /// `groupMemberId` in the control chat, 1 to 15 digits.
    pub id: u64,
    /// The member's name as the restart line prints it.
    pub name: String,
}

/// How the join link's QR code is printed (`--qr-code`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QrSize {
    /// One column a module, two module rows a line.
    #[default]
    Small,
    /// Two columns and one line a module.
    Large,
}

/// The configuration of one run of [`Agent`](crate::Agent).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    /// Agent name: the data folder and the entry of the MCP host.
    pub name: String,
    /// Display name asked for with `--display-name`; `None` keeps the profile's, and is `name` at the first start.
    pub display_name: Option<String>,
    /// `--approve`.
    pub mode: Mode,
    /// `--owners`.
    pub owners: Owners,
    /// `--expire`: hours until an undecided action expires, 1 to 23; default 23, because a sent message can be
    /// edited for 24 hours (FINDINGS 6) and the card must be able to show its outcome.
    pub expire_hours: u8,
    /// `--reset-owners`: make a new control chat.
    pub reset_owners: bool,
    /// `--port`: where MCP listens on 127.0.0.1, 1 to 65535; default 5226.
    pub port: u16,
    /// `--qr-code`; `None` when stdout is no terminal: the link is then printed without the code (decisions 10).
    pub qr: Option<QrSize>,
    /// `--smp-server`, in order; empty leaves the profile's routers as they are.
    pub smp_servers: Vec<String>,
    /// The program's version, for the first line and MCP's `serverInfo`.
    pub version: String,
    /// The data folder, for the line that names it.
    pub data_dir: String,
    /// Another program owns the SimpleX core, and may share its events with others: a running `simplex-chat`. The
    /// agent then looks whether its own events reach it, and how the core ends is for the host to mend.
    #[serde(default)]
    pub shared_core: bool,
    /// ` --data DIR`, quoted for the shell, when `serve` was started with it; otherwise empty.
    pub data_option: String,
}

impl Config {
    /// What `serve NAME` without options is told, on port 5226; `data_dir` is only shown.
    pub fn named(name: &str, data_dir: &str) -> Self {
        Self {
            name: name.into(),
            display_name: None,
            mode: Mode::default(),
            owners: Owners::default(),
            expire_hours: 23,
            reset_owners: false,
            port: 5226,
            qr: None,
            smp_servers: Vec::new(),
            version: env!("CARGO_PKG_VERSION").into(),
            data_dir: data_dir.into(),
            shared_core: false,
            data_option: String::new(),
        }
    }

    /// How long an action may wait for a decision.
    pub const fn expiry(&self) -> Millis {
        Millis::secs(self.expire_hours as u64 * 3600)
    }
}
