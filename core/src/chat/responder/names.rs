//! What the profile is called, and was called a moment ago.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::chat::identity::Identity;
use crate::time::Millis;

/// A name is answered to for this long after it was changed (decisions 7).
const KEPT: Millis = Millis::secs(600);
/// Most earlier names.
const MOST: usize = 8;

/// The names of the profile: in each group, which may know a random one, and outside of groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(BTreeMap<Option<Identity>, Known>);

#[derive(Clone, Debug, Default)]
struct Known {
    now: String,
    /// With the end of each.
    past: Vec<(String, Millis)>,
}

impl Names {
    /// The profile is seen under this name.
    pub(super) fn note(&mut self, now: Millis, group: Option<Identity>, name: &str) {
        let known = self.0.entry(group).or_insert_with(|| Known { now: name.to_owned(), past: Vec::new() });
        known.past.retain(|(_, until)| *until > now);
        if known.now != name {
            let before = core::mem::replace(&mut known.now, name.to_owned());
            known.past.insert(0, (before, now + KEPT));
            known.past.truncate(MOST);
        }
    }

    /// Whether a command to this name is for the profile. An earlier name is only when no other member has it now.
    pub(super) fn are(
        &self,
        now: Millis,
        group: Option<&Identity>,
        name: &str,
        others: impl FnOnce() -> bool,
    ) -> bool {
        let Some(known) = self.0.get(&group.cloned()) else { return false };
        known.now == name
            || (known.past.iter().any(|(past, until)| past == name && *until > now) && !others())
    }

    pub(super) fn forget(&mut self, chat: &Identity) {
        self.0.remove(&Some(chat.clone()));
    }
}
