//! `doctor NAME`: looks an agent over from outside, while its server runs or not, and changes nothing. The database is
//! the server's: what only that knows is asked of the running server, or left out.

mod clock;
mod endpoint;
mod files;
mod folder;
mod hosts;
mod library;
mod owners;
mod patient;

use simplex_agent_adapters::terminal::escape;

use crate::args;
use crate::console;
use crate::failure::{FAILURE, Failure, SUCCESS};
use patient::Patient;

/// What a look found.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Finding {
    /// It is as it should be.
    Good(String),
    /// It is no fault, and worth knowing.
    Note(String),
    /// It is not as it should be; the second text mends it, as a command where there is one.
    Bad(String, String),
}

/// Prints a line for each look. Exit code 0 when nothing is wrong, 1 otherwise.
///
/// # Errors
///
/// There is no data folder to look at.
pub(crate) fn run(options: &args::Doctor) -> Result<u8, Failure> {
    let patient = Patient::of(options)?;
    let mut findings = folder::look(&patient);
    // Without a folder that was served from, for this agent, there is nothing else to look at.
    if patient.info.is_some() && patient.other().is_none() && !patient.is_foreign() {
        findings.extend(endpoint::look(&patient));
        findings.extend(library::look(&patient));
        findings.extend(owners::look(&patient));
        findings.extend(hosts::look(&patient));
        findings.extend(clock::look(&patient));
    }
    let mut code = SUCCESS;
    for finding in findings {
        let line = match finding {
            Finding::Good(what) => format!("ok    {what}"),
            Finding::Note(what) => format!("note  {what}"),
            Finding::Bad(what, mend) => {
                code = FAILURE;
                format!("wrong {what}. Mend it: {mend}")
            }
        };
        console::print(&format!("{}\n", escape(&line)));
    }
    Ok(code)
}
