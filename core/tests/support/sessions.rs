//! The recorded sessions of a real core, where they are at hand.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// All lines of all recorded sessions: from the folder in `SIMPLEX_MCP_SHARED`, or `shared` beside the repository.
/// Nothing when there is none.
pub(crate) fn lines() -> Vec<String> {
    let Ok(folder) = fs::read_dir(shared().join("transcripts")) else { return Vec::new() };
    let files = folder.filter_map(Result::ok).map(|entry| entry.path());
    let sessions = files.filter(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    let texts = sessions.map(|file| fs::read_to_string(&file).expect("a recorded session"));
    let lines: Vec<String> =
        texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    assert!(lines.len() > 1000, "only {} lines recorded", lines.len());
    lines
}

#[expect(clippy::disallowed_methods, reason = "a test may be told where the recorded sessions are")]
fn shared() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    env::var_os("SIMPLEX_MCP_SHARED").map_or(beside, PathBuf::from)
}
