//! Lines for the person: log lines on stdout, errors on stderr.

use std::io::{self, Write};

use simplex_agent_adapters::driver::Console;
use simplex_agent_adapters::terminal::escape;
use simplex_agent_core::config::QrSize;

use crate::qr;

/// The terminal, or wherever the two streams go. A stream that nobody reads any more is no reason to stop: what
/// cannot be written is dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal;

impl Console for Terminal {
    fn log(&mut self, line: &str) {
        print(&format!("{}\n", escape(line)));
    }

    fn warn(&mut self, line: &str) {
        let mut stderr = io::stderr().lock();
        let _ = writeln!(stderr, "{}", escape(line)).and_then(|()| stderr.flush());
    }

    fn qr(&mut self, link: &str, size: QrSize) {
        if let Some(code) = qr::render(link, size) {
            print(&code);
        }
    }
}

/// Prints our own text as it is.
pub(crate) fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// A line for stderr.
pub(crate) fn warn(line: &str) {
    Terminal.warn(line);
}
