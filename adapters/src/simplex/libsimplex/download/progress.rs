//! How far a download is: a bar that is drawn over on a terminal, now and then a line elsewhere.

use std::time::{Duration, Instant};

/// The cells of the bar.
const CELLS: u64 = 30;
/// How often the bar is drawn again, at most.
const REDRAW: Duration = Duration::from_millis(100);
/// Elsewhere a line comes each time that so many bytes more are there, or so many hundredths.
const LINE_BYTES: u64 = 16 << 20;
const LINE_PERCENT: u64 = 25;

/// Where a person is told of a download.
pub trait Show {
    /// A line of its own.
    fn line(&mut self, text: &str);

    /// A line in the place of the last one that was drawn so; for terminals. [`Show::line`] ends it.
    fn redraw(&mut self, text: &str);

    /// Whether lines can be drawn again.
    fn is_terminal(&self) -> bool;
}

/// What has come of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Progress {
    received: u64,
    length: Option<u64>,
}

impl Progress {
    /// Hundredths, 0 to 100, when the length is known.
    fn percent(self) -> Option<u64> {
        let length = self.length.filter(|length| *length > 0)?;
        Some(self.received.min(length).saturating_mul(100) / length)
    }

    fn text(self) -> String {
        let received = mebibytes(self.received);
        match (self.length, self.percent()) {
            (Some(length), Some(percent)) => format!("{received} of {} MiB ({percent}%)", mebibytes(length)),
            _ => format!("{received} MiB"),
        }
    }

    fn bar(self) -> String {
        let Some(percent) = self.percent() else { return self.text() };
        let full = usize::try_from(percent * CELLS / 100).unwrap_or_default();
        let open = usize::try_from(CELLS).unwrap_or_default().saturating_sub(full);
        format!("[{}{}] {}", "#".repeat(full), ".".repeat(open), self.text())
    }

    /// Counts the lines that are due where nothing can be drawn again.
    fn step(self) -> u64 {
        self.percent().map_or(self.received / LINE_BYTES, |percent| percent / LINE_PERCENT)
    }
}

/// Tells how far a download is, not too often.
pub(super) struct Meter<'a> {
    show: &'a mut dyn Show,
    length: Option<u64>,
    drawn: Option<Instant>,
    step: u64,
}

impl<'a> Meter<'a> {
    pub(super) fn new(show: &'a mut dyn Show, length: Option<u64>) -> Self {
        Self { show, length, drawn: None, step: 0 }
    }

    /// So many bytes are there.
    pub(super) fn at(&mut self, received: u64) {
        let progress = Progress { received, length: self.length };
        let is_whole = self.length == Some(received);
        if self.show.is_terminal() {
            if is_whole || self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW) {
                self.drawn = Some(Instant::now());
                self.show.redraw(&progress.bar());
            }
        } else if progress.step() > self.step {
            self.step = progress.step();
            self.show.line(&progress.text());
        }
    }
}

/// With one digit after the point, rounded down.
fn mebibytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) >> 20;
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Seen(Vec<String>, bool);

    impl Show for Seen {
        fn line(&mut self, text: &str) {
            self.0.push(text.to_owned());
        }

        fn redraw(&mut self, text: &str) {
            self.0.push(format!("\r{text}"));
        }

        fn is_terminal(&self) -> bool {
            self.1
        }
    }

    /// LIB-03: the bar, with and without a known length, and with one that was wrong.
    #[test]
    fn bars() {
        for (received, length, bar) in [
            (0, Some(10 << 20), "[..............................] 0.0 of 10.0 MiB (0%)"),
            (5 << 20, Some(10 << 20), "[###############...............] 5.0 of 10.0 MiB (50%)"),
            (10 << 20, Some(10 << 20), "[##############################] 10.0 of 10.0 MiB (100%)"),
            (11 << 20, Some(10 << 20), "[##############################] 11.0 of 10.0 MiB (100%)"),
            ((3 << 20) / 2, None, "1.5 MiB"),
            (u64::MAX, Some(0), "1759218604441.5 MiB"),
        ] {
            assert_eq!(Progress { received, length }.bar(), bar);
        }
    }

    /// LIB-03: a pipe gets few lines, a terminal one that is drawn over and ends whole.
    #[test]
    fn what_is_shown_where() {
        for (is_terminal, length, lines) in [(false, Some(100 << 20), 4), (false, None, 6)] {
            let mut seen = Seen(Vec::new(), is_terminal);
            let mut meter = Meter::new(&mut seen, length);
            (0..=100).for_each(|received| meter.at(received << 20));
            assert_eq!(seen.0.len(), lines, "{:?}", seen.0);
        }
        let mut seen = Seen(Vec::new(), true);
        let mut meter = Meter::new(&mut seen, Some(100 << 20));
        (0..=100).for_each(|received| meter.at(received << 20));
        let last = seen.0.last().unwrap();
        assert!(last.starts_with("\r[###") && last.ends_with("(100%)") && seen.0.len() < 20, "{:?}", seen.0);
    }
}
