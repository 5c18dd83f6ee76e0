//! What a responder remembers over a restart: which commands were begun, and which were answered (decisions 7,
//! "Restart").
//!
//! The journal is a file of lines that is only added to. A start is written before anything outside is called, an
//! answer when the core has taken the last reply: it keeps what it has taken over restarts of its own, so a second last
//! reply would be one too many even when no router has the first yet. A line that cannot be read, as the last one after
//! a crash, is passed over. When most lines are of commands that are over, [`Journal::compacted`] is the file to put in
//! its place.

use alloc::collections::BTreeMap;
use alloc::string::String;

use serde::{Deserialize, Serialize};

use super::identity::Identity;
use crate::simplex::model::ItemId;
use crate::time::UnixMillis;

/// Lines about commands that are over which are let stand, beside one for each that is not.
const SPARE_LINES: usize = 256;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Record {
    /// A command is about to be run.
    Started(Start),
    /// What a command that is run is known by at the other side, so that it can be taken up again.
    Task {
        /// The command.
        item: ItemId,
        /// The name of the task.
        task: String,
    },
    /// A command is over: its last reply was taken by the core, or there is none to come.
    Over {
        /// The command.
        item: ItemId,
    },
}

/// The start of a command's work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// The command's number.
    pub item: ItemId,
    /// Its chat.
    pub chat: Identity,
    /// What the peers know the message by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
    /// The protocol.
    pub protocol: String,
    /// When it was begun.
    pub at: UnixMillis,
    /// See [`Record::Task`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

impl Record {
    /// The line, without its end.
    pub fn encode(&self) -> String {
        // Strings and numbers cannot fail to be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The record of a line; none when it cannot be read.
    pub fn decode(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

/// What an unread command is, at a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtRestart {
    /// It was not begun: it is judged as if it came now, by its age too.
    New,
    /// It was answered; only the mark as read is missing.
    Answered,
    /// It was begun and may have run: it is never run again, and answered so.
    Interrupted,
    /// It was begun, and the other side knows it by this name.
    Resume(String),
}

/// The commands that are begun and not over.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    open: BTreeMap<ItemId, Start>,
    lines: usize,
}

impl Journal {
    /// What the lines of a file come to.
    pub fn read(text: &str) -> Self {
        let mut journal = Self::default();
        for line in text.lines() {
            journal.lines = journal.lines.saturating_add(1);
            if let Some(record) = Record::decode(line) {
                journal.apply(record);
            }
        }
        journal
    }

    /// A record is added: the line to write.
    pub fn note(&mut self, record: Record) -> String {
        let line = record.encode();
        self.lines = self.lines.saturating_add(1);
        self.apply(record);
        line
    }

    fn apply(&mut self, record: Record) {
        match record {
            Record::Started(start) => {
                self.open.insert(start.item, start);
            }
            Record::Task { item, task } => {
                if let Some(start) = self.open.get_mut(&item) {
                    start.task = Some(task);
                }
            }
            Record::Over { item } => {
                self.open.remove(&item);
            }
        }
    }

    /// The starts of commands that are not over, by number. What is left of them when all unread items were looked at
    /// is over.
    pub fn open(&self) -> impl Iterator<Item = &Start> {
        self.open.values()
    }

    /// Whether the file is mostly about what is over.
    pub fn wants_compaction(&self) -> bool {
        self.lines > self.open.len().saturating_mul(2).saturating_add(SPARE_LINES)
    }

    /// The whole file, with one line for each command that is not over.
    pub fn compacted(&self) -> String {
        let mut text = String::new();
        for start in self.open.values() {
            text.push_str(&Record::Started(start.clone()).encode());
            text.push('\n');
        }
        text
    }

    /// The file was replaced by [`Journal::compacted`].
    pub fn replaced(&mut self) {
        self.lines = self.open.len();
    }

    /// What an unread command is. `shared` is what the peers know it by; `answered` says that the chat has an own
    /// message that quotes it and is a last reply, which a crash between the two can leave without its line.
    pub fn at_restart(
        &self,
        chat: &Identity,
        item: ItemId,
        shared: Option<&str>,
        answered: bool,
    ) -> AtRestart {
        if answered {
            return AtRestart::Answered;
        }
        let start =
            self.open.get(&item).filter(|start| start.chat == *chat && start.shared.as_deref() == shared);
        match start {
            None => AtRestart::New,
            Some(Start { task: Some(task), .. }) => AtRestart::Resume(task.clone()),
            Some(Start { task: None, .. }) => AtRestart::Interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplex::ChatRef;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    fn chat(day: u8) -> Identity {
        Identity { chat: ChatRef::Group(9), created_at: std::format!("2026-10-0{day}T00:00:00Z") }
    }

    fn start(item: u64) -> Record {
        Record::Started(Start {
            item: ItemId::new(item),
            chat: chat(1),
            shared: Some("QmZ".into()),
            protocol: "mcp".into(),
            at: UnixMillis(1_792_314_900_000),
            task: None,
        })
    }

    fn task(item: u64) -> Record {
        Record::Task { item: ItemId::new(item), task: "t-\n1".into() }
    }

    fn over(item: u64) -> Record {
        Record::Over { item: ItemId::new(item) }
    }

    /// CHAT-28: the lines, letter by letter, each read back as what it was.
    #[test]
    fn lines() {
        for (record, line) in [
            (
                start(341),
                r##"{"started":{"item":341,"chat":{"chat":"#9","createdAt":"2026-10-01T00:00:00Z"},"shared":"QmZ","protocol":"mcp","at":1792314900000}}"##,
            ),
            (task(341), r#"{"task":{"item":341,"task":"t-\n1"}}"#),
            (over(341), r#"{"over":{"item":341}}"#),
        ] {
            assert_eq!(record.encode(), line);
            assert_eq!(Record::decode(line), Some(record));
        }
        for line in ["", "{", "null", r#"{"over":{}}"#, r#"{"later":{"item":1}}"#, r#"{"over":{"item":1}"#] {
            assert_eq!(Record::decode(line), None, "{line}");
        }
    }

    /// CHAT-29: what a restart makes of an unread command, whatever was cut off or cannot be read.
    #[test]
    fn restarts() {
        let lines: Vec<_> = [start(1), start(2), task(2), start(3), over(3), task(4), start(5)]
            .iter()
            .map(Record::encode)
            .collect();
        let text = std::format!("{}\nnonsense\n{{\"over\":{{\"item\":1", lines.join("\n"));
        let journal = Journal::read(&text);
        for (item, day, shared, answered, expected) in [
            (1, 1, "QmZ", false, AtRestart::Interrupted),
            (1, 1, "QmZ", true, AtRestart::Answered),
            (2, 1, "QmZ", false, AtRestart::Resume("t-\n1".to_string())),
            (3, 1, "QmZ", false, AtRestart::New),
            (4, 1, "QmZ", false, AtRestart::New),
            (5, 1, "QmZ", false, AtRestart::Interrupted),
            (5, 2, "QmZ", false, AtRestart::New),
            (5, 1, "Other", false, AtRestart::New),
            (9, 1, "QmZ", false, AtRestart::New),
        ] {
            let actual = journal.at_restart(&chat(day), ItemId::new(item), Some(shared), answered);
            assert_eq!(actual, expected, "{item} {day} {shared}");
        }
    }

    /// CHAT-30: a compacted file comes to the same, in one line for each command that is not over.
    #[test]
    fn compaction() {
        let mut journal = Journal::default();
        let mut file = String::new();
        for item in 0..1_000 {
            for record in
                [start(item), task(item), over(item)].into_iter().take(if item % 100 == 0 { 2 } else { 3 })
            {
                file += &(journal.note(record) + "\n");
            }
        }
        assert!(journal.wants_compaction());
        let compacted = journal.compacted();
        assert_eq!(compacted.lines().count(), 10);
        let again = Journal::read(&compacted);
        assert!(again.open().eq(Journal::read(&file).open()) && again.open().eq(journal.open()));
        assert!(!again.wants_compaction());
        journal.replaced();
        assert!(!journal.wants_compaction());
    }
}
