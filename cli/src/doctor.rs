//! `doctor NAME`: looks an agent over from outside, while its server runs or not, and changes nothing. The database is
//! the server's: what only that knows is asked of the running server, or left out.

mod clock;

mod endpoint;
mod folder;
mod hosts;
mod library;

use std::path::PathBuf;

use simplex_agent_adapters::files::{FolderView, Holder, ServerInfo};
use simplex_agent_adapters::terminal::escape;
use simplex_agent_core::agent::text::entry;

use crate::args;
use crate::console;
use crate::failure::{FAILURE, Failure, SUCCESS};
use crate::place;

/// What a look found.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Finding {
    /// It is as it should be, or it is no matter.
    Good(String),
    /// It is not; the second text mends it.
    Bad(String, String),
}

/// What the looks need to know.
struct Patient {
    name: String,
    path: PathBuf,
    view: FolderView,
    /// NAME and, when it was given, ` --data DIR`.
    agent: String,
    /// The command that starts it as its last start was told.
    serve: String,
    info: Option<ServerInfo>,
    holder: Holder,
}

/// Prints a line for each look. Exit code 0 when all is good, 1 otherwise.
///
/// # Errors
///
/// There is no data folder to look at.
pub(crate) fn run(options: &args::Doctor) -> Result<u8, Failure> {
    let path = place::data_folder(&options.name, options.data.as_deref())?;
    let view = FolderView::at(&path);
    let agent = format!("{}{}", options.name, place::data_option(&path, options.data.as_deref()));
    let kept = view.options().unwrap_or_default().options;
    let kept: String = kept.iter().map(|option| format!(" {}", entry::word(option))).collect();
    let patient = Patient {
        serve: format!("simplex-mcp serve {agent}{kept}"),
        agent,
        name: options.name.clone(),
        info: view.server_info().ok().flatten(),
        holder: view.holder().unwrap_or(Holder::Nobody),
        path,
        view,
    };
    let mut findings = folder::look(&patient);
    // Without a folder that was served from there is nothing else to look at.
    if patient.info.is_some() {
        findings.extend(endpoint::look(&patient));
        findings.extend(library::look(&patient));
        findings.extend(hosts::look(&patient));
        findings.extend(clock::look(&patient));
    }
    let mut code = SUCCESS;
    for finding in findings {
        let line = match finding {
            Finding::Good(what) => format!("ok    {what}"),
            Finding::Bad(what, mend) => {
                code = FAILURE;
                format!("wrong {what}. Mend it: {mend}")
            }
        };
        console::print(&format!("{}\n", escape(&line)));
    }
    Ok(code)
}
