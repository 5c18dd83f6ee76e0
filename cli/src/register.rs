//! `register NAME`: adds an agent to Claude Code through its own command, or prints the entry of another host.

mod config;

use simplex_agent_adapters::files::FolderView;
use simplex_agent_core::agent::text::{host, person};

use crate::args::{Register, Scope};
use crate::claude::{Claude, Trouble};
use crate::console;
use crate::failure::{Failure, SUCCESS};
use crate::place;
use config::Config;

/// Registers an agent.
///
/// # Errors
///
/// The agent was never started, `claude` is not there or refuses the entry: the message then has the entry to add by
/// hand, and the earlier one is still there.
pub(crate) fn run(options: &Register) -> Result<u8, Failure> {
    let path = place::data_folder(&options.name, options.data.as_deref())?;
    let Some(dir) = path.to_str() else {
        return Err(Failure::outside(format!("{}: an entry takes only UTF-8 paths.", path.display())));
    };
    let info = FolderView::at(&path).server_info().map_err(Failure::outside)?;
    let Some(info) = info else {
        let data = place::data_option(&path, options.data.as_deref());
        return Err(Failure::outside(person::never_started(&options.name, &data)));
    };
    if info.name != options.name {
        // Also when no folder was given: the other agent's own folder is another one.
        let (name, dir, data) = (&info.name, path.display(), place::data_option(&path, Some(&path)));
        return Err(Failure::outside(format!(
            "{dir} is the data folder of agent \"{name}\". Use register {name}{data}."
        )));
    }
    let agent = host::Agent {
        name: &options.name,
        dir,
        dir_given: options.data.is_some(),
        port: info.port,
        expire_hours: info.expire_hours,
        windows: cfg!(windows),
    };
    match options.print {
        Some(host) => print(&agent, host),
        None => add(&agent, options.scope)?,
    }
    Ok(SUCCESS)
}

fn print(agent: &host::Agent<'_>, host: host::Host) {
    console::print(&agent.entry_for(host));
    if host != host::Host::Claude && place::on_path("simplex-mcp").is_none() {
        let exe = std::env::current_exe().map(|exe| exe.display().to_string());
        let exe = exe.unwrap_or_else(|_| "the path of this program".to_owned());
        console::warn(&format!("simplex-mcp is not on the PATH; write {exe} as the command."));
    }
}

/// Removes the entry of the scope, if any, adds the new one, and looks whether it is there.
fn add(agent: &host::Agent<'_>, scope: Scope) -> Result<(), Failure> {
    let config = Config::find(scope)?;
    let entry = agent.http_entry();
    let by_hand = person::no_claude(agent.name, config.project(), &config.shown(), &entry);
    let Some(claude) = Claude::find() else { return Err(Failure::outside(by_hand)) };
    let server = agent.server();
    let before = config.entry(&server);
    let removed = claude.run(&["mcp", "remove", "--scope", scope.word(), &server]);
    let left = config.text();
    let added = match removed {
        Err(late @ Trouble::Late(_)) => Err(late.text()),
        // A missing entry is no error; another one comes up when the entry is added.
        Ok(_) | Err(Trouble::Failed(_)) => put(&claude, scope, &server, &entry),
    };
    match added {
        Ok(()) => {
            console::print(&format!("{}\n", person::registered(scope.word(), agent.name)));
            Ok(())
        }
        Err(reason) => {
            let kept =
                before.is_none_or(|before| config.restore(&claude, &server, scope, &before, left.as_deref()));
            Err(Failure::outside(person::claude_failed(&reason, kept, &by_hand)))
        }
    }
}

/// Adds the entry. That the command ends well does not say that it did anything.
fn put(claude: &Claude, scope: Scope, server: &str, entry: &str) -> Result<(), String> {
    let added = claude.run(&["mcp", "add-json", "--scope", scope.word(), server, entry]);
    added.map_err(|trouble| trouble.text())?;
    match claude.get(server) {
        Ok(_) => Ok(()),
        Err(trouble) => Err(format!(
            "it ended well, but claude mcp get {server} does not show the entry ({})",
            trouble.text()
        )),
    }
}
