//! Plays a list of steps in a world and keeps what it left behind.

mod forge;
mod people;

use std::sync::LazyLock;

use serde_json::{Value, json};
use simplex_agent_core::config::{Config, Mode};
use simplex_agent_core::effect::{Effect, Input};
use simplex_agent_core::id::RequestId;
use simplex_agent_core::{Millis, Now};
use simplex_sim::{Fault, Scenario};

use crate::model::Stance;
use crate::step::{ChatPick, Step, Target, Trouble};
use crate::trace::{Deed, Property, Received, Trace};
use crate::world::{Seam, World, config};

/// The people and bots of every run.
const SCENARIO: &str = include_str!("play/scenario.json");

/// Hours until an action expires: short, so that a run can wait for it.
const EXPIRE_HOURS: u8 = 1;

/// A world with an owner, a second owner, a member and a connected bot.
static BEGINNING: LazyLock<Player> = LazyLock::new(|| Player::begin(Mode::Requests));
/// The same in mode host.
static HOST: LazyLock<Player> = LazyLock::new(|| Player::begin(Mode::Host));

/// Plays steps from the common beginning.
pub fn play(steps: &[Step], mode: Mode) -> Trace {
    let mut player = match mode {
        Mode::Requests => BEGINNING.clone(),
        Mode::Host => HOST.clone(),
    };
    for step in steps {
        player.take(step);
    }
    player.finish()
}

/// A world being played in.
#[derive(Clone, Debug)]
struct Player {
    world: World,
    config: Config,
    calls: Vec<RequestId>,
    bodies: Vec<(&'static str, Value)>,
    deeds: Vec<Deed>,
    /// Looked at so far in the seam, for [`Player::actions`].
    scanned: usize,
    /// The actions whose creation was logged: number and chat.
    actions: Vec<(u64, Option<String>)>,
    /// Items of forged messages get numbers from here on.
    forged: i64,
}

impl Player {
    fn begin(mode: Mode) -> Self {
        let scenario = Scenario::parse(SCENARIO).expect("the scenario is one");
        let config = Config { mode, expire_hours: EXPIRE_HOURS, ..config() };
        let mut player = Self {
            world: World::new(7, config.clone(), &scenario),
            config,
            calls: Vec::new(),
            bodies: Vec::new(),
            deeds: Vec::new(),
            scanned: 0,
            actions: Vec::new(),
            forged: 1_000_000,
        };
        player.world.start();
        player.world.settle(Millis::secs(60));
        player.move_in();
        let shop = player.world.network.link("shop").expect("the shop has a link");
        player.call("connect", json!({"target": shop, "wait": 0}));
        player.world.settle(Millis::secs(2));
        if mode == Mode::Requests {
            player.write_as("Alice", "/approve 1");
        }
        player.world.run(Millis::secs(3));
        player
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Connect { target, incognito, message, wait } => {
                let mut arguments =
                    json!({"target": self.target(*target), "incognito": incognito, "wait": wait, "idle": 1});
                if let Some(message) = message {
                    arguments["message"] = message.chars().take(2_000).collect::<String>().into();
                }
                self.call("connect", arguments);
            }
            Step::Send { chat, text, reply, mention, wait } => {
                let chat = self.chat(*chat);
                let mut arguments = json!({"chat": chat, "text": text, "wait": wait, "idle": 1});
                if *reply {
                    arguments["reply_to"] = self.newest_item(&chat).into();
                }
                if let Some(member) = mention {
                    arguments["mention"] = json!([member]);
                }
                self.call("send", arguments);
            }
            Step::Receive { chat, wait } => {
                self.call("receive", json!({"chat": self.chat(*chat), "wait": wait}));
            }
            Step::List => self.call("list", json!({})),
            Step::Leave(chat) => self.call("leave", json!({"chat": self.chat(*chat)})),
            Step::Again(back) => {
                let at = self.bodies.len().checked_sub(1 + usize::from(*back));
                if let Some((tool, arguments)) = at.and_then(|at| self.bodies.get(at)).cloned() {
                    self.call(tool, arguments);
                }
            }
            Step::HangUp(back) => {
                let at = self.calls.len().checked_sub(1 + usize::from(*back));
                if let Some(request) = at.and_then(|at| self.calls.get(at)) {
                    self.world.leave(*request);
                }
            }
            Step::Write { who, way, words } => self.write(*who, *way, words),
            Step::Forge { forgery, words } => self.forge(*forgery, words),
            Step::Replay(back) => self.replay(*back),
            Step::SetRole(who, role) => self.set_role(*who, role),
            Step::Depart(who) => self.depart(*who),
            Step::PeerSays(peer, text) => self.peer_says(*peer, text),
            Step::PeerRenames(peer, name) => self.peer_renames(*peer, name),
            Step::PeerDeletes(peer) => self.peer_deletes(*peer),
            // The control chat stays, by whichever reference: without it no card can be ended.
            Step::Vanish(ChatPick::Wrapped) => {}
            Step::Vanish(chat) => {
                let chat = self.chat(*chat);
                if chat != "#1" {
                    self.world.behind_its_back(&format!("/_delete {chat} full notify=off"));
                }
            }
            Step::Trouble(trouble) => self.world.network.fault(fault(*trouble)),
            Step::DiskFull(full) => {
                self.world.disk_fault = full.then(|| "No space left on device".to_owned());
            }
            Step::Wait(time) => self.world.run(*time),
            Step::Clock(by) => self.world.jump_wall_clock(*by),
            Step::Stop => self.world.stop(),
            Step::Kill => self.world.kill(),
            Step::KillAfter(effects) => self.world.kill_after = Some(u32::from(*effects)),
            Step::Start => {
                if !self.world.is_running() {
                    self.world.start();
                }
            }
        }
    }

    fn call(&mut self, tool: &'static str, arguments: Value) {
        if !self.world.is_running() {
            return;
        }
        self.bodies.push((tool, arguments.clone()));
        self.calls.push(self.world.call(tool, arguments));
    }

    /// The link or name of a target.
    fn target(&self, target: Target) -> String {
        let link = |name: &str| self.world.network.link(name).unwrap_or_default();
        match target {
            Target::Published(name) => link(name),
            Target::Foreign(name) => link(name).replace("smp1.example", "elsewhere.example"),
            Target::Name => "@nobody.simplex".into(),
            Target::FullOneTime => {
                self.world.network.full_link(&link("one-time")).unwrap_or_else(|| link("one-time"))
            }
        }
    }

    /// The reference of a chat.
    fn chat(&self, chat: ChatPick) -> String {
        match chat {
            ChatPick::Newest => format!("@{}", self.newest_contact()),
            ChatPick::Contact(n) => format!("@{n}"),
            ChatPick::Group(n) => format!("#{n}"),
            ChatPick::Wrapped => "#18446744073709551617".into(),
        }
    }

    /// The highest number of a contact that passed the seam; 1 is the agent itself.
    fn newest_contact(&self) -> u64 {
        let ids = self.world.seam.iter().rev().filter_map(|seam| match seam {
            Seam::In(_, Input::Event(text)) => number_after(text, "\"contactId\":"),
            _ => None,
        });
        ids.take(1).next().unwrap_or(4)
    }

    /// The newest item of a chat that passed the seam.
    fn newest_item(&self, chat: &str) -> u64 {
        let key = if chat.starts_with('@') { "\"contactId\":" } else { "\"groupId\":" };
        let id = chat.get(1..).and_then(|id| id.parse::<u64>().ok());
        let items = self.world.seam.iter().rev().filter_map(|seam| match seam {
            Seam::In(_, Input::Event(text)) if number_after(text, key) == id => {
                number_after(text, "\"itemId\":")
            }
            _ => None,
        });
        items.take(1).next().unwrap_or(999)
    }

    /// The actions logged so far; a number as they say it.
    fn actions(&mut self) -> &[(u64, Option<String>)] {
        for seam in &self.world.seam[self.scanned..] {
            if let Seam::Out(_, Effect::Log(line)) = seam
                && let Some(created) = crate::model::reading::created(line)
            {
                self.actions.push((created.number, created.chat));
            }
        }
        self.scanned = self.world.seam.len();
        &self.actions
    }

    /// Faults stop, time passes, and everything is looked at once more.
    fn finish(mut self) -> Trace {
        self.world.kill_after = None;
        self.world.disk_fault = None;
        self.world.network.fault(Fault::Clear);
        self.world.settle(Millis::secs(30));
        if !self.world.is_running() {
            self.world.start();
            self.world.settle(Millis::secs(60));
        }
        self.world.run(Millis::secs(3_600 * u64::from(EXPIRE_HOURS) + 300));
        let left = self.left();
        let received = self.received();
        Trace { config: self.config, seam: self.world.seam, deeds: self.deeds, received, left }
    }

    /// What has not ended though faults stopped and time passed.
    fn left(&mut self) -> Vec<String> {
        let mut left = Vec::new();
        if !self.world.is_running() {
            left.push(format!("the process does not run: {:?}", self.world.warnings));
            return left;
        }
        let open = self.world.requests().filter(|(_, exchange)| !exchange.ended && !exchange.gone);
        left.extend(open.map(|(request, _)| format!("{request} has no answer")));
        let request = self.world.call("list", json!({}));
        self.world.settle(Millis::secs(5));
        match self.world.exchange(request).result() {
            Some(result) if result["actions"] == json!([]) => {}
            Some(result) => left.push(format!("list still has {}", result["actions"])),
            None => left.push(format!("list: {:?}", self.world.exchange(request).error())),
        }
        for post in self.world.agent_posts("Alice") {
            if post.author.starts_with("My Agent") && Stance::of(&post.text) == Some(Stance::Asks) {
                left.push(format!("a card still has its buttons: {:?}", post.text));
            }
        }
        left
    }

    /// What people and bots received of the agent, the owners in the control chat left out.
    fn received(&self) -> Vec<Received> {
        let mut received = Vec::new();
        for peer in self.world.network.peers() {
            if ["Alice", "Bob", "Mallory"].contains(&peer.as_str()) {
                continue;
            }
            for chat in self.world.network.view(&peer) {
                let direct = chat.chat_ref.starts_with('@');
                received.extend(
                    chat.messages.into_iter().filter(|message| !message.own).map(|message| Received {
                        peer: peer.clone(),
                        text: message.text,
                        direct,
                    }),
                );
            }
        }
        received
    }
}

impl Property {
    /// How a run that did not hold reads.
    pub fn report(self, steps: &[Step], found: &[crate::trace::Violation]) -> String {
        let mut text = format!("{self:?} does not hold after\n");
        for step in steps {
            text.push_str(&format!("  {step:?}\n"));
        }
        for violation in found {
            text.push_str(&format!("{violation}\n"));
        }
        text
    }
}

/// The number that follows a key in a JSON text.
fn number_after(text: &str, key: &str) -> Option<u64> {
    let rest = text.split_once(key)?.1;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn fault(trouble: Trouble) -> Fault {
    let error = json!({"type": "errorAgent", "agentError": {"type": "BROKER", "brokerAddress": "smp://k@smp1.example",
        "brokerErr": {"type": "TIMEOUT"}}});
    let host = || "smp1.example".to_owned();
    match trouble {
        Trouble::Fail(command) => Fault::Fail { command: command.into(), error, count: 1 },
        Trouble::FailAfter(command) => Fault::FailAfter { command: command.into(), error, count: 1 },
        Trouble::Slow(command) => Fault::Slow { command: command.into(), delay: Millis(700), count: 2 },
        Trouble::Hang(command) => Fault::Hang { command: command.into(), count: 1 },
        Trouble::Garbage(command) => Fault::Answer {
            command: command.into(),
            text: "{\"result\":{\"type\":\"odd\"}}".into(),
            count: 1,
        },
        Trouble::EventsFirst(command) => Fault::EventsFirst { command: command.into(), count: 2 },
        Trouble::Late(delay) => Fault::DelayEvents { delay: Millis(delay.into()), count: 2 },
        Trouble::Twice(count) => Fault::DuplicateEvents { count: count.into() },
        Trouble::RouterDown => Fault::RouterDown { host: host() },
        Trouble::RouterUp => Fault::RouterUp { host: host() },
        Trouble::Over => Fault::Clear,
    }
}

/// The moment of a seam entry.
pub(crate) const fn moment(seam: &Seam) -> Now {
    match seam {
        Seam::In(now, _) | Seam::Out(now, _) | Seam::Killed(now) => *now,
    }
}
