//! `stdio NAME`: an MCP server on stdin and stdout, in front of the running one.

mod start;

use std::io;

use simplex_agent_adapters::files::FolderView;
use simplex_agent_adapters::relay::{self, Place, Starter};
use simplex_agent_core::mcp::relay::Relay;

use crate::args::Stdio;
use crate::failure::{Failure, SUCCESS};
use crate::place;
use start::Start;

/// Serves one MCP host until it closes stdin. That no server runs is told to the host, in answer to its messages.
///
/// # Errors
///
/// There is no data folder to look in.
pub(crate) fn run(options: Stdio) -> Result<u8, Failure> {
    let path = place::data_folder(&options.name, options.data.as_deref())?;
    let data = place::data_option(&path, options.data.as_deref());
    let folder = FolderView::at(&path);
    let relay = Relay::new(&options.name, &data);
    let starter = options.start.then(|| {
        let start = Start { name: options.name.clone(), data: data.clone(), folder: folder.clone() };
        Box::new(move || start.run()) as Starter
    });
    relay::run(relay, Place::new(folder, starter), io::BufReader::new(io::stdin()), io::stdout());
    Ok(SUCCESS)
}
