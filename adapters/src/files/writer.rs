//! Writing the files that a machine asks for, in order, beside the driver loop.

use std::path::Path;
use std::sync::mpsc;
use std::thread;

use simplex_agent_core::effect::{DataFile, Outcome};
use simplex_agent_core::id::OpId;

use super::{Listening, private, trouble};
use crate::driver::Inbox;

/// Carries out [`Effect::Write`](simplex_agent_core::Effect::Write), one after the other: a sync of a disk may take
/// long, and the driver loop waits for nothing.
#[derive(Debug)]
pub struct Writer {
    orders: mpsc::Sender<Order>,
    inbox: Inbox,
    writing: Option<thread::JoinHandle<()>>,
}

#[derive(Debug)]
struct Order {
    op: OpId,
    file: DataFile,
    text: String,
}

impl Writer {
    /// A writer into the folder `path`. `listening` is written with the first `server.json`, which a machine writes
    /// when it listens.
    pub fn start(path: &Path, inbox: Inbox, listening: Option<Listening>) -> Self {
        let (orders, queue) = mpsc::channel();
        let (path, done) = (path.to_owned(), inbox.clone());
        let writing = thread::Builder::new()
            .name("files".to_owned())
            .spawn(move || write_all(&path, &queue, &done, listening));
        let writing = writing.map_err(|error| {
            inbox
                .put(simplex_agent_core::Input::CoreLost { reason: format!("no thread for files: {error}") });
        });
        Self { orders, inbox, writing: writing.ok() }
    }

    /// Waits until everything that was asked for is done: another writer may follow.
    pub fn finish(self) {
        let Self { orders, writing, .. } = self;
        drop(orders);
        if let Some(writing) = writing {
            let _ = writing.join();
        }
    }

    /// Begins to replace a file. The end of `op` is Ok or Failed, with a text that names the file.
    pub fn write(&self, op: OpId, file: DataFile, text: String) {
        if self.orders.send(Order { op, file, text }).is_err() {
            self.inbox.done(op, Outcome::Failed(format!("{} can't be written: no thread", name(file))));
        }
    }
}

fn write_all(folder: &Path, queue: &mpsc::Receiver<Order>, inbox: &Inbox, mut listening: Option<Listening>) {
    for Order { op, file, text } in queue {
        let mut written = private::replace(folder, name(file), &text);
        if let (Ok(()), DataFile::Server, Some(listening)) = (&written, file, &listening) {
            written = listening.tell(folder);
        }
        if file == DataFile::Server && written.is_ok() {
            listening = None;
        }
        let result = match written {
            Ok(()) => Outcome::Ok,
            Err(refused) => Outcome::Failed(trouble::not_replaced(&refused)),
        };
        inbox.done(op, result);
    }
}

const fn name(file: DataFile) -> &'static str {
    match file {
        DataFile::State => "state.json",
        DataFile::Server => "server.json",
    }
}
