//! `--record FILE`: everything that passes the seam, one JSON line each.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use simplex_agent_core::record::Line;
use simplex_agent_core::{Config, Effect, Effects, Input, Machine, Now, Wakeup};

use crate::files::private;

/// A machine whose inputs and effects are written to a file as they pass.
///
/// Each line is handed to the system before the machine goes on, so that a killed process leaves a record that ends
/// with what it was told last. What can't be written ends the recording with one line on stderr, never the machine.
pub struct Recorder<M> {
    machine: M,
    path: PathBuf,
    file: Option<BufWriter<File>>,
}

impl<M: Machine> Recorder<M> {
    /// Makes the file, with mode 0600, and writes its first line.
    ///
    /// # Errors
    ///
    /// A file that can't be made, or that is there already: a record is never overwritten.
    pub fn create(path: &Path, config: &Config, machine: M) -> io::Result<Self> {
        let file = private::options().write(true).create_new(true).open(path)?;
        let mut recorder = Self { machine, path: path.to_owned(), file: Some(BufWriter::new(file)) };
        recorder.write([Line::head(config)].into_iter())?;
        Ok(recorder)
    }

    fn write(&mut self, lines: impl Iterator<Item = Line>) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        for line in lines {
            file.write_all(line.text().as_bytes())?;
            file.write_all(b"\n")?;
        }
        file.flush()
    }

    /// Writes, or ends the recording and says so.
    fn record(&mut self, lines: impl Iterator<Item = Line>) -> Option<Effect> {
        let error = self.write(lines).err()?;
        self.file = None;
        let path = self.path.display();
        Some(Effect::Warn(format!("--record: {path}: {error}. The recording ends here; the agent goes on.")))
    }
}

impl<M: Machine> Machine for Recorder<M> {
    fn handle(&mut self, now: Now, input: Input, effects: &mut Effects) {
        let before = effects.as_slice().len();
        let told = self.file.is_some().then(|| Line::input(now, input.clone()));
        let lost_input = self.record(told.into_iter());
        self.machine.handle(now, input, effects);
        let asked: Vec<Line> = match self.file {
            Some(_) => effects.as_slice().iter().skip(before).cloned().map(Line::Out).collect(),
            None => Vec::new(),
        };
        let lost_effects = self.record(asked.into_iter());
        lost_input.into_iter().chain(lost_effects).for_each(|warning| effects.push(warning));
    }

    fn next_wakeup(&self) -> Option<Wakeup> {
        self.machine.next_wakeup()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use simplex_agent_core::record::Replay;
    use simplex_agent_core::{Agent, Millis, UnixMillis};

    use super::*;

    const NOW: Now = Now { mono: Millis(1), unix: UnixMillis(2) };

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("simplex-record-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// REC-01, REC-02: what passed is in the file before the next input, and replays.
    #[test]
    fn what_passes_is_written_and_replays() {
        let folder = folder("passes");
        let path = folder.join("run.jsonl");
        let config = Config::named("a", "/d");
        let mut recorder = Recorder::create(&path, &config, Agent::new(config.clone())).unwrap();
        let mut effects = Effects::default();
        for input in [Input::Start { state: None }, Input::Tick, Input::Stop] {
            recorder.handle(NOW, input, &mut effects);
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.ends_with('\n'));
            let mut replay = Replay::new(false);
            for line in text.lines() {
                replay.take(line).unwrap();
            }
            assert_eq!(replay.unnamed(), 0);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let again = Recorder::create(&path, &config, Agent::new(config.clone())).err().unwrap();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        fs::remove_dir_all(&folder).unwrap();
    }

    /// REC-04: a disk that is full ends the recording, not the agent.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_ends_the_recording_alone() {
        let config = Config::named("a", "/d");
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut recorder = Recorder {
            machine: Agent::new(config),
            path: PathBuf::from("/tmp/r"),
            file: Some(BufWriter::new(full)),
        };
        let mut effects = Effects::default();
        recorder.handle(NOW, Input::Start { state: None }, &mut effects);
        let warned = |effect: &Effect| {
            matches!(effect, Effect::Warn(line) if line.starts_with("--record: /tmp/r: ")
                && line.ends_with(" The recording ends here; the agent goes on."))
        };
        assert_eq!(effects.as_slice().iter().filter(|effect| warned(effect)).count(), 1);
        assert!(effects.as_slice().len() > 1);
        effects.drain().for_each(drop);
        recorder.handle(NOW, Input::Tick, &mut effects);
        assert!(!effects.as_slice().iter().any(warned));
    }
}
