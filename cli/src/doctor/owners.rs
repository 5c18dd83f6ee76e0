//! Who approves, as far as files say it: who they are now only the control chat knows.

use serde_json::Value;

use super::{Finding, Patient};

pub(super) fn look(patient: &Patient) -> Option<Finding> {
    let kept = patient.kept.as_ref().ok()?;
    let has = |wanted: &str| kept.options.iter().any(|option| option == wanted);
    let listed = kept.options.iter().find_map(|option| option.strip_prefix("--owners="));
    let who = match listed {
        _ if has("--approve=host") => "nobody is asked, the MCP host asks its user (mode host)".to_owned(),
        Some(list) => format!("only {list} approve"),
        None if has("--owners") => {
            "nobody approves yet; whoever joins is named in the server's lines".to_owned()
        }
        None => match joined(patient) {
            0 => "whoever joins by the link approves; nobody has yet".to_owned(),
            count => format!("who joined by the link approves ({count} so far)"),
        },
    };
    Some(Finding::Good(format!("owners: {who}")))
}

/// How many came by the link, as `state.json` says.
fn joined(patient: &Patient) -> usize {
    let text = patient.view.read("state.json").ok().flatten();
    let state: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
    state.and_then(|state| Some(state.get("greeted")?.as_array()?.len())).unwrap_or_default()
}
