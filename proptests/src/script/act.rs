//! The lines of a script that do something.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use simplex_agent_core::effect::DataFile;
use simplex_agent_core::{Input, Millis};
use simplex_sim::{Act, Fault, Scenario};

use super::Script;
use crate::world::World;

/// Settling ends here at the latest.
const LIMIT: Millis = Millis::secs(600);

impl Script {
    /// Does what one line says.
    ///
    /// # Errors
    ///
    /// Why it can't be done.
    pub(super) fn act(&mut self, line: &str, folder: &Path) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "scenario" | "seed" | "config" => self.set_up(word, rest, folder),
            "start" => self.start(rest),
            "settle" => {
                self.world.settle(LIMIT);
                Ok(())
            }
            "run" => {
                self.world.run(duration(rest)?);
                Ok(())
            }
            "call" | "legacy" | "calls" => self.call(word, rest),
            "hang" => self.hang_up(rest),
            "act" => self.person(rest),
            "http" => self.http(rest),
            "fault" => self.fault(rest),
            "inject" => self.inject(rest),
            "name" => {
                let (name, link) = rest.split_once(' ').ok_or("name NAME LINK")?;
                let link = self.links(link);
                self.world.network.name(name, &link);
                Ok(())
            }
            "stop" => {
                self.world.stop();
                if rest != "now" {
                    self.world.settle(LIMIT);
                }
                Ok(())
            }
            "kill" => {
                self.world.kill();
                Ok(())
            }
            "wall" => {
                let by = rest.strip_prefix("clock ").ok_or("wall clock +TIME or -TIME")?;
                let (sign, time) = by.split_at_checked(1).ok_or("wall clock +TIME")?;
                let by = i64::try_from(duration(time)?.0).map_err(|e| e.to_string())?;
                self.world.jump_wall_clock(if sign == "-" { -by } else { by });
                Ok(())
            }
            "show" => self.show(rest),
            "lose" => {
                match rest.strip_prefix("core ") {
                    Some(reason) => self.world.input(Input::CoreLost { reason: reason.to_owned() }),
                    None => self.world.disk.clear(),
                }
                Ok(())
            }
            "disk" if rest.is_empty() => {
                self.shown.disk = true;
                Ok(())
            }
            "disk" => {
                self.world.disk.insert(DataFile::State, rest.to_owned());
                Ok(())
            }
            _ => self.say(line),
        }
    }

    fn set_up(&mut self, word: &str, rest: &str, folder: &Path) -> Result<(), String> {
        match word {
            "scenario" if rest == "demo" => self.scenario = Scenario::demo(),
            "scenario" => {
                let root = folder.ancestors().find(|at| at.ends_with("tests")).unwrap_or(folder);
                let path = root.join("scenarios").join(format!("{rest}.json"));
                let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                self.scenario = Scenario::parse(&text)?;
            }
            "seed" => self.seed = rest.parse().map_err(|_| "seed N")?,
            _ => {
                let more: Value = serde_json::from_str(rest).map_err(|e| e.to_string())?;
                for (key, value) in more.as_object().ok_or("config {…}")? {
                    if self.config.get(key).is_none() {
                        return Err(format!("the configuration has no {key}"));
                    }
                    self.config[key] = value.clone();
                }
            }
        }
        let config = serde_json::from_value(self.config.clone()).map_err(|e| e.to_string())?;
        if self.started {
            *self.world.config_mut() = config;
        } else {
            self.world = World::new(self.seed, config, &self.scenario);
        }
        Ok(())
    }

    fn start(&mut self, rest: &str) -> Result<(), String> {
        self.started = true;
        self.shown.begin_process();
        self.world.start();
        match rest {
            "" => self.world.settle(LIMIT),
            "now" => {}
            _ => return Err("start, or start now".into()),
        }
        Ok(())
    }

    fn call(&mut self, word: &str, rest: &str) -> Result<(), String> {
        let (count, rest) = match word {
            "calls" => {
                let (count, rest) = rest.split_once(' ').ok_or("calls N TOOL {JSON}")?;
                (count.parse().map_err(|_| "calls N TOOL {JSON}")?, rest)
            }
            _ => (1, rest),
        };
        let (tool, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
        let arguments: Value = serde_json::from_str(&self.links(arguments)).map_err(|e| e.to_string())?;
        for _ in 0..count {
            let request = match word {
                "legacy" => {
                    self.world.post_legacy("tools/call", json!({"name": tool, "arguments": arguments}))
                }
                _ => self.world.call(tool, arguments.clone()),
            };
            self.shown.calls.push(request);
        }
        self.world.settle(LIMIT.min(Millis::secs(5)));
        Ok(())
    }

    fn person(&mut self, rest: &str) -> Result<(), String> {
        let (at_once, rest) = match rest.strip_prefix("now ") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let (who, act) = rest.split_once(' ').ok_or("act WHO {ACT}")?;
        let who = who.replace('_', " ");
        let own = self.world.network.view(&who).into_iter().flat_map(|chat| chat.messages);
        let last = own.filter(|message| message.own).map(|message| message.id).max().unwrap_or(0);
        let act = self.links(act).replace("$last", &last.to_string());
        let act: Act = serde_json::from_str(&act).map_err(|e| e.to_string())?;
        self.world.act(&who, act)?;
        if !at_once {
            self.world.settle(LIMIT);
        }
        Ok(())
    }

    fn http(&mut self, rest: &str) -> Result<(), String> {
        let (headers, body) = rest.split_once("} ").ok_or("http {HEADERS} BODY")?;
        let headers: BTreeMap<String, String> =
            serde_json::from_str(&format!("{headers}}}")).map_err(|e| e.to_string())?;
        let request = self.world.http(headers.into_iter().collect(), self.links(body));
        self.shown.calls.push(request);
        self.world.settle(LIMIT.min(Millis::secs(5)));
        Ok(())
    }

    fn hang_up(&mut self, rest: &str) -> Result<(), String> {
        let number: usize = rest.trim_start_matches("up ").parse().map_err(|_| "hang up N")?;
        let request = *self.shown.calls.get(number.wrapping_sub(1)).ok_or("there is no such call")?;
        self.world.leave(request);
        Ok(())
    }

    fn fault(&mut self, rest: &str) -> Result<(), String> {
        let fault: Value = serde_json::from_str(rest).map_err(|e| e.to_string())?;
        if let Some(reason) = fault.get("disk") {
            self.world.disk_fault = reason.as_str().map(str::to_owned);
        } else if let Some(taken) = fault.get("port") {
            self.world.port_taken = taken.as_bool().unwrap_or(false);
        } else if let Some(taken) = fault.get("eventsTaken") {
            self.world.events_taken = taken.as_u64().unwrap_or(0);
        } else if let Some(stall) = fault.get("clientsStall") {
            self.world.clients_stall = stall.as_bool().unwrap_or(false);
        } else {
            let fault: Fault = serde_json::from_value(fault).map_err(|e| e.to_string())?;
            self.world.network.fault(fault);
        }
        Ok(())
    }

    fn inject(&mut self, raw: &str) -> Result<(), String> {
        let raw = self.links(raw);
        self.world.inject(&raw);
        self.world.settle(LIMIT);
        Ok(())
    }

    /// `Alice: TEXT` and `Alice now: TEXT`.
    fn say(&mut self, line: &str) -> Result<(), String> {
        let (who, text) = line.split_once(": ").ok_or_else(|| format!("unknown line: {line}"))?;
        let text = self.links(text).replace("\\n", "\n");
        match who.strip_suffix(" now") {
            Some(who) => self.world.owner_says(who, &text),
            None => {
                self.world.owner_says(who, &text)?;
                self.world.settle(LIMIT.min(Millis::secs(5)));
                Ok(())
            }
        }
    }

    fn show(&mut self, rest: &str) -> Result<(), String> {
        match rest.strip_prefix("commands ") {
            Some("none") => self.shown.commands.clear(),
            Some("all") => self.shown.commands = vec![String::new()],
            Some(prefixes) => {
                self.shown.commands = prefixes.split(' ').map(|p| p.replace('~', " ")).collect()
            }
            None => self.shown.person = Some(rest.to_owned()),
        }
        self.shown.skip_commands(self.world.commands().count());
        Ok(())
    }
}

/// `5s`, `200ms`, `2m`, `23h`.
fn duration(text: &str) -> Result<Millis, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| format!("{text}: a time is 200ms, 5s, 2m or 1h"))?;
    match &text[digits.len()..] {
        "ms" => Ok(Millis(number)),
        "s" => Ok(Millis::secs(number)),
        "m" => Ok(Millis::secs(number * 60)),
        "h" => Ok(Millis::secs(number * 3600)),
        _ => Err(format!("{text}: a time is 200ms, 5s, 2m or 1h")),
    }
}
