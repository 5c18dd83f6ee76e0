//! A recorded run: one JSON line for each thing that passed the seam (architecture, "The seam").
//!
//! The first line names the program's version and holds the configuration; each input follows with its moment, and
//! behind it the effects it had. The same machine, given the same inputs, has the same effects byte for byte: that is
//! what [`Replay`] proves of a record, and why a record is a bug report.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::effect::{Effect, Effects, Input, Machine};
use crate::time::{Millis, Now, UnixMillis};
use crate::{Agent, readable::Readable};

/// The form of the lines. A record of another form is refused.
pub const FORM: u32 = 1;

/// The longest line of a record that is read, in bytes: more than any has, whose longest input is a WebSocket message
/// of 128 MiB, escaped.
pub const LONGEST_LINE: u64 = 1 << 30;

/// One line of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Line {
    /// The first line.
    Record {
        /// [`FORM`].
        form: u32,
        /// The configuration of the run; it holds the version of the program.
        config: Box<Config>,
    },
    /// The machine was told this.
    In {
        /// `Now::mono`, milliseconds.
        mono: Millis,
        /// `Now::unix`, milliseconds since 1970.
        unix: UnixMillis,
        /// What.
        input: Input,
    },
    /// The machine asked for this.
    Out(Effect),
}

impl Line {
    /// The first line of a record.
    pub fn head(config: &Config) -> Self {
        Self::Record { form: FORM, config: Box::new(config.clone()) }
    }

    /// The line of an input.
    pub const fn input(now: Now, input: Input) -> Self {
        Self::In { mono: now.mono, unix: now.unix, input }
    }

    /// The JSON text, without its line break.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// Why, and what to do next, for the person at the terminal.
    pub reason: String,
}

/// A record being replayed, line by line.
#[derive(Debug)]
pub struct Replay {
    agent: Option<Agent>,
    readable: Readable,
    /// The effects of the last input that the record has not named yet, in order.
    expected: VecDeque<Effect>,
    line: usize,
}

/// What a line of a record gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The effects that this machine has, in order; none for a line that is no input.
    pub effects: Vec<Effect>,
    /// The same as a person reads it.
    pub lines: Vec<String>,
}

impl Replay {
    /// A replay that begins. `every_command` is as for [`Readable::new`].
    pub fn new(every_command: bool) -> Self {
        Self { agent: None, readable: Readable::new(every_command), expected: VecDeque::new(), line: 0 }
    }

    /// Takes the next line.
    ///
    /// # Errors
    ///
    /// A line that cannot be read, a record of another form, and the first effect that differs from the recorded one.
    pub fn take(&mut self, text: &str) -> Result<Step, Fault> {
        self.line += 1;
        let line = serde_json::from_str(text).map_err(|error| {
            let last = "; when it is the last line, the recording was cut off there";
            self.fault(format!("it is no line of a record ({error}){last}."))
        })?;
        match (line, &mut self.agent) {
            (Line::Record { form: FORM, config }, None) => {
                let lines = heading(&config);
                self.agent = Some(Agent::new(*config));
                Ok(Step { effects: Vec::new(), lines })
            }
            (Line::Record { form, .. }, None) => Err(self.fault(format!(
                "the record has form {form}, this program reads form {FORM}. Replay it with the version that wrote it."
            ))),
            (Line::Record { .. }, Some(_)) => Err(self.fault("a second record begins in this file.".to_string())),
            (Line::In { .. } | Line::Out(_), None) => {
                Err(self.fault("the first line is not that of a record made by serve --record.".to_string()))
            }
            (Line::In { mono, unix, input }, Some(_)) => {
                self.finish()?;
                Ok(self.handle(Now { mono, unix }, input))
            }
            (Line::Out(effect), Some(_)) => self.compare(&effect),
        }
    }

    /// How many effects of the last input the record does not name. At its end that is a recording that was cut off;
    /// before, a difference.
    pub fn unnamed(&self) -> usize {
        self.expected.len()
    }

    /// The next input comes: nothing may be left that the record does not name.
    fn finish(&mut self) -> Result<(), Fault> {
        match self.expected.pop_front() {
            None => Ok(()),
            Some(effect) => {
                let text = Line::Out(effect).text();
                Err(self.fault(format!("this program has an effect more than the record: {text}")))
            }
        }
    }

    fn handle(&mut self, now: Now, input: Input) -> Step {
        let mut lines = self.readable.input(now, &input);
        let mut effects = Effects::default();
        if let Some(agent) = &mut self.agent {
            agent.handle(now, input, &mut effects);
        }
        let effects: Vec<Effect> = effects.drain().collect();
        for effect in &effects {
            lines.extend(self.readable.effect(effect));
        }
        self.expected = effects.iter().cloned().collect();
        Step { effects, lines }
    }

    fn compare(&mut self, recorded: &Effect) -> Result<Step, Fault> {
        let recorded = Line::Out(recorded.clone()).text();
        let Some(own) = self.expected.pop_front() else {
            return Err(self.fault(format!("the record has an effect more than this program: {recorded}")));
        };
        let own = Line::Out(own).text();
        if own == recorded {
            Ok(Step::default())
        } else {
            Err(self.fault(format!("the effects differ: recorded {recorded}, replayed {own}")))
        }
    }

    fn fault(&self, reason: String) -> Fault {
        Fault { line: self.line, reason }
    }
}

/// The lines of a configuration.
fn heading(config: &Config) -> Vec<String> {
    let json = serde_json::to_string(config).unwrap_or_default();
    Vec::from([format!("# recorded by simplex-mcp {}", config.version), format!("> config {json}")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::ExitCode;
    use alloc::vec;

    const NOW: Now = Now { mono: Millis(5), unix: UnixMillis(7) };

    fn replay(lines: &[String]) -> Result<Vec<String>, Fault> {
        let mut replay = Replay::new(false);
        let mut seen = Vec::new();
        for line in lines {
            seen.extend(replay.take(line)?.lines);
        }
        Ok(seen)
    }

    fn recorded() -> Vec<String> {
        let config = Config::named("a", "/d");
        let mut agent = Agent::new(config.clone());
        let mut lines = vec![Line::head(&config).text()];
        for input in [Input::Start { state: None }, Input::CoreLost { reason: "gone".to_string() }] {
            let mut effects = Effects::default();
            lines.push(Line::input(NOW, input.clone()).text());
            agent.handle(NOW, input, &mut effects);
            lines.extend(effects.drain().map(|effect| Line::Out(effect).text()));
        }
        lines
    }

    /// REC-02: a record replays; a changed, missing or added effect is named with its line.
    #[test]
    fn a_difference_is_named() {
        let lines = recorded();
        assert!(replay(&lines).is_ok_and(|seen| seen.contains(&"> start".to_string())));
        let out = lines.iter().position(|line| line.starts_with("{\"out\"")).expect("an effect");
        let mut changed = lines.clone();
        changed[out] = Line::Out(Effect::Exit(ExitCode::Usage)).text();
        let fault = replay(&changed).expect_err("it differs");
        assert_eq!(fault.line, out + 1);
        assert!(fault.reason.starts_with("the effects differ: recorded {\"out\":{\"exit\":\"usage\"}}"));
        let mut missing = lines.clone();
        missing.remove(out);
        assert!(replay(&missing).is_err());
        let mut added = lines.clone();
        added.push(changed[out].clone());
        let fault = replay(&added).expect_err("it has more");
        assert!(fault.reason.starts_with("the record has an effect more"), "{}", fault.reason);
    }

    /// REC-03: what is no record says so.
    #[test]
    fn what_is_no_record_is_refused() {
        let lines = recorded();
        for (text, reason) in [
            ("", "it is no line of a record"),
            ("{", "it is no line of a record"),
            (lines[1].as_str(), "the first line is not that of a record"),
            (&lines[0].replace("\"form\":1", "\"form\":2"), "the record has form 2"),
        ] {
            let fault = Replay::new(false).take(text).expect_err(text);
            assert!(fault.reason.starts_with(reason), "{}", fault.reason);
            assert_eq!(fault.line, 1);
        }
        let again = [lines[0].clone(), lines[0].clone()];
        assert_eq!(replay(&again).expect_err("twice").reason, "a second record begins in this file.");
    }
}
