//! The options that a start without a person repeats.

use simplex_agent_adapters::simplex::libsimplex::Release;
use simplex_agent_core::agent::text::entry;
use simplex_agent_core::config::{Mode, Owners};

use super::{Core, Options};

impl Options {
    /// The options of this run that decide who approves, and on which SimpleX core: a later start without them would
    /// be another agent, or one that more people command. Port and expiry are in `DIR/server.json`; what is done once,
    /// and what only shows, is not repeated.
    pub(crate) fn again(&self) -> Vec<String> {
        let mut again = Vec::new();
        if self.mode == Mode::Host {
            again.push("--approve=host".to_owned());
        }
        match &self.owners {
            Owners::Anyone => {}
            Owners::Nobody => again.push("--owners".to_owned()),
            Owners::Listed(entries) => again.push(format!("--owners={}", entry::list(entries))),
        }
        match &self.core {
            // The address of an archive may hold a secret, and the library is cached by then.
            Core::Lib(wanted) => {
                if wanted.release != Release::default() {
                    again.push(format!("--libs-version={}", wanted.release));
                }
                again.extend(wanted.archive_sum.as_ref().map(|sum| format!("--libs-sha256={sum}")));
            }
            Core::WebSocket(address) => again.push(format!("--core={address}")),
            Core::Sim(scenario) => {
                again.push("--core=sim".to_owned());
                // The later start runs in another folder.
                let path =
                    scenario.as_deref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.into()));
                again.extend(path.map(|path| format!("--scenario={}", path.display())));
            }
        }
        again
    }
}
