//! Lines for the person: log lines on stdout, errors on stderr.

use std::io::{self, IsTerminal, Write};

use simplex_agent_adapters::driver::Console;
use simplex_agent_adapters::simplex::libsimplex::Show;
use simplex_agent_adapters::terminal::escape;
use simplex_agent_core::config::QrSize;

use crate::failure::Failure;
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

/// The terminal with nothing on stdout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errors;

impl Console for Errors {
    fn log(&mut self, _: &str) {}

    fn warn(&mut self, line: &str) {
        Terminal.warn(line);
    }

    fn qr(&mut self, _: &str, _: QrSize) {}
}

/// What is told of a download, on stderr.
pub(crate) struct Progress<'a> {
    /// Called before the first line.
    begun: Option<&'a dyn Fn()>,
    is_terminal: bool,
    /// Whether the cursor is behind a line that was drawn.
    is_drawn: bool,
}

impl<'a> Progress<'a> {
    /// `begun` is called before the first line.
    pub(crate) fn new(begun: &'a dyn Fn()) -> Self {
        Self { begun: Some(begun), is_terminal: io::stderr().is_terminal(), is_drawn: false }
    }

    /// Lets the cursor of a terminal leave the line that was drawn last, for who ends the process in the middle.
    pub(crate) fn leave() {
        if io::stderr().is_terminal() {
            Self::write("\n");
        }
    }

    fn write(text: &str) {
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    }
}

impl Show for Progress<'_> {
    fn line(&mut self, text: &str) {
        if let Some(begun) = self.begun.take() {
            begun();
        }
        let end = if std::mem::take(&mut self.is_drawn) { "\n" } else { "" };
        Self::write(&format!("{end}{}\n", escape(text)));
    }

    fn redraw(&mut self, text: &str) {
        self.is_drawn = true;
        // Back to the start, and nothing of a longer line stays.
        Self::write(&format!("\r{}\x1b[K", escape(text)));
    }

    fn is_terminal(&self) -> bool {
        self.is_terminal
    }
}

impl Drop for Progress<'_> {
    /// What is printed next begins on a line of its own.
    fn drop(&mut self) {
        if self.is_drawn {
            Self::write("\n");
        }
    }
}

/// Prints our own text as it is.
pub(crate) fn print(text: &str) {
    let _ = write(text);
}

/// Prints a text that is all a command has to give. A reader that went away has what it wanted.
///
/// # Errors
///
/// It could not be written, with what to do.
pub(crate) fn give(text: &str) -> Result<(), Failure> {
    match write(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::outside(format!("stdout can't be written: {error}. Send it elsewhere.")))
        }
        _ => Ok(()),
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
}

/// A line for stderr.
pub(crate) fn warn(line: &str) {
    Terminal.warn(line);
}
