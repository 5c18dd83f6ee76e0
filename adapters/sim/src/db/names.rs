//! Local names: unique in a database, with `_1` and so on for names that repeat.

use alloc::format;
use alloc::string::{String, ToString};

use super::Db;

impl Db {
    /// A free local name for a display name.
    pub(crate) fn free_name(&self, display: &str) -> String {
        let taken = self.local_names().filter_map(|n| suffix(n, display)).max();
        taken.map_or_else(|| display.to_string(), |n| format!("{display}_{}", n.saturating_add(1)))
    }

    /// True when a contact, group, member or preset has this local name (FINDINGS.md, 9).
    pub(crate) fn name_taken(&self, name: &str) -> bool {
        self.local_names().any(|n| n == name)
    }

    fn local_names(&self) -> impl Iterator<Item = &str> {
        let user = self.user.iter().map(|u| u.local_name.as_str());
        let contacts = self.contacts.values().filter(|c| c.id != 1).map(|c| c.local_name.as_str());
        let groups = self.groups.values().map(|g| g.local_name.as_str());
        let members = self.members.values().filter(|m| m.category != "user" && m.contact.is_none());
        let requests = self.requests.values().map(|r| r.local_name.as_str());
        user.chain(contacts).chain(groups).chain(members.map(|m| m.local_name.as_str())).chain(requests)
    }
}

/// 0 for the name itself, N for `name_N`.
fn suffix(name: &str, display: &str) -> Option<u64> {
    if name == display {
        return Some(0);
    }
    let digits = name.strip_prefix(display)?.strip_prefix('_')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok()).flatten()
}
