//! How a simulated network behaves.

use serde::{Deserialize, Serialize};
use simplex_agent_core::Millis;

/// How a simulated network behaves. Everything has a default, also in scenario files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Options {
    /// Which core every controller is.
    pub version: Version,
    /// How much happens besides what was asked for.
    pub noise: Noise,
    /// How long things take.
    pub delays: Delays,
}

/// The version of the simulated core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    /// 6.4 by name alone, so that refusing an old core can be shown: it behaves as 7.0.
    #[serde(rename = "6.4")]
    V6_4,
    /// 7.0.0.6, the core that was recorded (FINDINGS.md). Knows neither peer type `agent` nor service requests.
    #[default]
    #[serde(rename = "7.0")]
    V7_0,
    /// 7.1 as far as the digest describes it: peer type `agent`, `service_requests=on`, `resolve=never`.
    #[serde(rename = "7.1")]
    V7_1,
}

/// How much happens besides what was asked for. Noise never changes state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Noise {
    /// Only what the recorded core said in ordinary flows.
    #[default]
    Quiet,
    /// Also unknown event tags and error events between the others.
    Some,
    /// Also unknown keys in objects, duplicated events, and bursts of `subscriptionStatus`.
    Loud,
}

/// How long things take, on the monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Delays {
    /// From sending to arrival at a started controller.
    pub delivery: Millis,
    /// How long a command that talks to a router takes.
    pub router: Millis,
}

impl Default for Delays {
    /// 100 ms for a delivery, 50 ms for a router: near the records (loopback), and short enough for a demo.
    fn default() -> Self {
        Self { delivery: Millis(100), router: Millis(50) }
    }
}
