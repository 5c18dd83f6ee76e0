//! The wall clock, against the times of the agent's own files.

use std::time::{Duration, SystemTime};

use super::{Finding, Patient};

/// What clocks of file systems may differ by.
const SLACK: Duration = Duration::from_secs(60);

pub(super) fn look(patient: &Patient) -> Vec<Finding> {
    let times = ["server.json", "state.json", "token"]
        .iter()
        .filter_map(|name| patient.path.join(name).metadata().ok()?.modified().ok());
    let Some(latest) = times.max() else { return Vec::new() };
    match latest.duration_since(SystemTime::now()) {
        Ok(behind) if behind > SLACK => vec![Finding::Bad(
            format!("clock: {} s behind the agent's own files", behind.as_secs()),
            "set the clock".to_owned(),
        )],
        _ => vec![Finding::Good("clock: not behind the agent's own files".to_owned())],
    }
}
