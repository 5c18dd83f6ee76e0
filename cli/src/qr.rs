//! A link as a QR code of terminal cells (the plan, "First start").

use std::fmt::Write as _;

use qrcode::{Color, EcLevel, QrCode};
use simplex_agent_core::config::QrSize;

/// Light modules around the code, on each side.
const MARGIN: usize = 2;
/// Back to the terminal's own colours, at the end of each line.
const RESET: &str = "\x1b[0m";

/// The code of a text, with error correction L, in lines; `None` for a text that is too long for any code
/// (2,953 bytes).
pub(crate) fn render(text: &str, size: QrSize) -> Option<String> {
    let modules = Modules::encode(text)?;
    Some(match size {
        QrSize::Small => modules.small(),
        QrSize::Large => modules.large(),
    })
}

/// The modules of a code with its margin.
struct Modules {
    dark: Vec<bool>,
    width: usize,
}

impl Modules {
    fn encode(text: &str) -> Option<Self> {
        let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
        let dark = code.to_colors().into_iter().map(|color| color == Color::Dark).collect();
        Some(Self { dark, width: code.width() })
    }

    /// Columns, and rows, with the margin.
    const fn side(&self) -> usize {
        self.width + 2 * MARGIN
    }

    /// Whether a module is dark; those of the margin and beyond are light.
    fn is_dark(&self, x: usize, y: usize) -> bool {
        let inside = |at: usize| at.checked_sub(MARGIN).filter(|at| *at < self.width);
        match (inside(x), inside(y)) {
            (Some(x), Some(y)) => self.dark.get(y * self.width + x).copied().unwrap_or(false),
            _ => false,
        }
    }

    /// One column a module, two module rows a line. A last row without a second one gets a light one.
    fn small(&self) -> String {
        let mut out = String::new();
        for y in (0..self.side()).step_by(2) {
            for x in 0..self.side() {
                let (top, bottom) = (self.is_dark(x, y), self.is_dark(x, y + 1));
                // Writing to a string cannot fail.
                let _ = if top == bottom {
                    write!(out, "\x1b[{}m ", background(top))
                } else {
                    write!(out, "\x1b[{};{}m▄", foreground(bottom), background(top))
                };
            }
            out.push_str(RESET);
            out.push('\n');
        }
        out
    }

    /// Two columns a module, one module row a line.
    fn large(&self) -> String {
        let mut out = String::new();
        for y in 0..self.side() {
            for x in 0..self.side() {
                let _ = write!(out, "\x1b[{}m  ", background(self.is_dark(x, y)));
            }
            out.push_str(RESET);
            out.push('\n');
        }
        out
    }
}

/// The SGR code of a background.
const fn background(dark: bool) -> u8 {
    if dark { 40 } else { 47 }
}

/// The SGR code of a foreground.
const fn foreground(dark: bool) -> u8 {
    if dark { 30 } else { 37 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link of 33 modules.
    const LINK: &str = "https://smp4.simplex.im/g#abcdefghijklmnopqrstuvwxyz0123456789ABCDE";

    /// The cells of a line: foreground, background, character. Panics on what a code may not have.
    fn cells(line: &str) -> Vec<(Option<u8>, u8, char)> {
        let mut cells = Vec::new();
        let (mut foreground, mut background) = (None, 0);
        let mut chars = line.strip_suffix(RESET).expect("each line ends with a reset").chars();
        while let Some(c) = chars.next() {
            if c != '\x1b' {
                cells.push((foreground, background, c));
                continue;
            }
            assert_eq!(chars.next(), Some('['));
            let codes: String = chars.by_ref().take_while(|c| *c != 'm').collect();
            for code in codes.split(';').map(|code| code.parse().unwrap()) {
                match code {
                    30 | 37 => foreground = Some(code),
                    40 | 47 => background = code,
                    other => panic!("SGR {other}"),
                }
            }
        }
        cells
    }

    /// CLI-17: 37 columns by 19 lines for 33 modules, and each cell shows its two modules.
    #[test]
    fn small_shows_two_rows_a_line() {
        let modules = Modules::encode(LINK).unwrap();
        assert_eq!(modules.width, 33);
        let code = render(LINK, QrSize::Small).unwrap();
        let lines: Vec<_> = code.lines().collect();
        assert_eq!(lines.len(), 19);
        for (line, y) in lines.iter().zip((0..).step_by(2)) {
            let cells = cells(line);
            assert_eq!(cells.len(), 37);
            for (x, cell) in cells.into_iter().enumerate() {
                let dark = match cell {
                    (_, 40, ' ') => (true, true),
                    (_, 47, ' ') => (false, false),
                    (Some(30), 47, '▄') => (false, true),
                    (Some(37), 40, '▄') => (true, false),
                    other => panic!("{other:?}"),
                };
                assert_eq!(dark, (modules.is_dark(x, y), modules.is_dark(x, y + 1)), "{x} {y}");
            }
        }
    }

    /// CLI-18: 74 columns by 37 lines for 33 modules.
    #[test]
    fn large_shows_one_row_a_line() {
        let modules = Modules::encode(LINK).unwrap();
        let code = render(LINK, QrSize::Large).unwrap();
        let lines: Vec<_> = code.lines().collect();
        assert_eq!(lines.len(), 37);
        for (y, line) in lines.iter().enumerate() {
            let cells = cells(line);
            assert_eq!(cells.len(), 74);
            for (column, (foreground, background, c)) in cells.into_iter().enumerate() {
                assert_eq!((foreground, c), (None, ' '));
                assert_eq!(background == 40, modules.is_dark(column / 2, y));
            }
        }
    }

    /// CLI-16: a light margin of 2 modules, and error correction L, which is what lets this link fit 33 modules.
    #[test]
    fn the_margin_is_light_and_the_corners_are_where_readers_look() {
        let modules = Modules::encode(LINK).unwrap();
        for at in 0..modules.side() {
            for edge in [0, 1, 35, 36] {
                assert!(!modules.is_dark(at, edge) && !modules.is_dark(edge, at));
            }
        }
        for (x, y) in [(2, 2), (34, 2), (2, 34)] {
            assert!(modules.is_dark(x, y), "finder pattern at {x} {y}");
        }
        assert!(!modules.is_dark(34, 34), "no finder pattern in the fourth corner");
        let stronger = QrCode::with_error_correction_level(LINK, EcLevel::M).unwrap();
        assert!(stronger.width() > 33);
    }

    #[test]
    fn a_text_too_long_for_a_code_gets_none() {
        assert!(render(&"x".repeat(2953), QrSize::Small).is_some());
        assert_eq!(render(&"x".repeat(2954), QrSize::Small), None);
    }
}
