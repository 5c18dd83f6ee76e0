//! P11, by what peers received: a message reaches the peer its chat stood for when its card was made.

use super::Say;
use crate::model::Ledger;
use crate::model::reading::Tool;
use crate::trace::{Property, Trace};

pub(super) fn look(trace: &Trace, ledger: &Ledger, say: &mut Say<'_>) {
    for received in trace.received.iter().filter(|received| received.direct) {
        let meant: Vec<&str> = ledger
            .actions
            .values()
            .filter(|action| match action.created.tool {
                Tool::Send => action.keys.iter().any(|key| key.text.as_deref() == Some(&received.text)),
                Tool::Connect | Tool::Leave => false,
            })
            .filter(|action| action.created.chat.as_ref().is_some_and(|chat| chat.starts_with('@')))
            .filter_map(|action| action.name.as_deref())
            .collect();
        // A renamed peer has had other names; only names of other peers of the scenario are wrong.
        let first_message = ledger.actions.values().any(|action| {
            action.created.tool == Tool::Connect
                && action.keys.iter().any(|key| key.text.as_deref() == Some(&received.text))
        });
        let others = ["Shop Bot", "Trickster", "Hugh", "Nora"];
        let all_others = meant.iter().all(|name| others.contains(name) && *name != received.peer);
        if !meant.is_empty() && all_others && !first_message {
            say(
                Property::P11,
                format!("{} received what was for {meant:?}: {:?}", received.peer, received.text),
            );
        }
    }
}
