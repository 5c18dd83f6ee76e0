//! `replay FILE`: feeds a recorded run to the agent again, prints it, and checks that the effects are the same.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Error, ErrorKind, Read};
use std::path::Path;

use simplex_agent_adapters::driver::Console as _;
use simplex_agent_core::record::{Fault, LONGEST_LINE, Line, Replay};

use crate::args::ReplayOptions;
use crate::console::Terminal;
use crate::failure::{Failure, SUCCESS};

/// Prints the run.
///
/// # Errors
///
/// A file that can't be read or is no record, and the first effect that differs from the recorded one.
pub(crate) fn run(options: &ReplayOptions) -> Result<u8, Failure> {
    let path = options.file.as_path();
    let mut lines = BufReader::new(open(path)?);
    let mut replay = Replay::new(options.commands);
    let mut count = 0_usize;
    while let Some(line) = next_line(&mut lines).map_err(|error| outside(path, &error))? {
        count += 1;
        let step = match (replay.take(&line.text), line.whole) {
            (Ok(step), _) => step,
            // A process that was killed while it wrote leaves half a line: everything before it counts.
            (Err(_), false) if count > 1 => {
                note(&format!("{}: line {count} was cut off while it was written.", path.display()));
                return Ok(SUCCESS);
            }
            (Err(fault), _) => return Err(difference(path, &fault)),
        };
        if options.effects {
            step.effects.into_iter().for_each(|effect| Terminal.log(&Line::Out(effect).text()));
        } else {
            step.lines.iter().for_each(|line| Terminal.log(line));
        }
    }
    if count == 0 {
        return Err(Failure::outside(format!("{}: the file is empty; it is no record.", path.display())));
    }
    if replay.unnamed() > 0 {
        note(&format!("{}: the record ends before the effects of its last input.", path.display()));
    }
    Ok(SUCCESS)
}

/// The file, which may be a link to one. A pipe would be waited for without end, and a device may have none.
fn open(path: &Path) -> Result<File, Failure> {
    let about = path.metadata().map_err(|error| outside(path, &error))?;
    if !about.is_file() {
        let path = path.display();
        return Err(Failure::outside(format!(
            "{path}: not a regular file. Name a file that serve --record wrote."
        )));
    }
    File::open(path).map_err(|error| outside(path, &error))
}

fn note(line: &str) {
    Terminal.warn(line);
}

/// A line of the file; the last one may have no end.
struct Next {
    text: String,
    whole: bool,
}

fn next_line(lines: &mut impl BufRead) -> io::Result<Option<Next>> {
    let mut text = String::new();
    lines.take(LONGEST_LINE).read_line(&mut text).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => Error::other("it is no UTF-8 text; the file is no record"),
        _ => error,
    })?;
    if text.len() as u64 == LONGEST_LINE {
        return Err(Error::other("a line is longer than 1 GiB; the file is no record"));
    }
    let whole = text.ends_with('\n');
    text.truncate(text.trim_end_matches('\n').len());
    Ok((whole || !text.is_empty()).then_some(Next { text, whole }))
}

fn outside(path: &Path, error: &Error) -> Failure {
    Failure::outside(format!("{}: {error}", path.display()))
}

fn difference(path: &Path, fault: &Fault) -> Failure {
    Failure::outside(format!("{}:{}: {}", path.display(), fault.line, fault.reason))
}
