//! Who lives in a simulated network, and how they behave.

use alloc::string::{String, ToString};

use serde::{Deserialize, Serialize};

use crate::Options;

/// A scenario file (`SCENARIOS.md`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    /// How the network behaves.
    #[serde(default)]
    pub options: Options,
}

impl Scenario {
    /// Reads a scenario file. The error names the place (line and column) and what is wrong there.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }

    /// The scenario of `demo`: `scenarios/demo.json`.
    pub fn demo() -> Self {
        Self::default()
    }
}
