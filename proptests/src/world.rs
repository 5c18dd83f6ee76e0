//! The agent, its network and its clients on one virtual clock.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use simplex_agent_core::config::{Config, Mode, Owners};
use simplex_agent_core::effect::{DataFile, Effect, Effects, ExitCode, Input, Machine, Outcome};
use simplex_agent_core::id::{OpId, RequestId};
use simplex_agent_core::mcp::http::{Body, Head};
use simplex_agent_core::readable::Exchange;
use simplex_agent_core::record::Line;
use simplex_agent_core::{Agent, Millis, Now, UnixMillis};
use simplex_sim::{Act, Handle, Network, Output, Scenario, ViewChat, ViewMessage};

/// When the virtual clock begins: 2026-10-18 09:15:00 UTC.
pub const BEGINNING: UnixMillis = UnixMillis(1_792_314_900_000);

/// More ticks at one moment are a machine that spins.
const MOST_IDLE: u32 = 100;

/// The ticket of commands that are not the agent's.
const BEHIND: u64 = u64::MAX;

/// What happened at the seam, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seam {
    /// The agent was told this.
    In(Now, Input),
    /// The agent asked for this.
    Out(Now, Effect),
    /// The process ended without a stop: what was under way is lost.
    Killed(Now),
}

/// The whole system.
#[derive(Clone, Debug)]
pub struct World {
    /// The simulated network, to act on it and to look at it.
    pub network: Network,
    /// The data folder.
    pub disk: BTreeMap<DataFile, String>,
    /// Lines of stdout since the last start.
    pub log: Vec<String>,
    /// Lines of stderr since the last start.
    pub warnings: Vec<String>,
    /// How the process ended, once it did.
    pub exit: Option<ExitCode>,
    /// Everything that passed the seam.
    pub seam: Vec<Seam>,
    /// The port is taken by another program.
    pub port_taken: bool,
    /// Writes to the data folder fail with this reason.
    pub disk_fault: Option<String>,
    /// Clients keep their connections and take no byte: no end of an answer is reported.
    pub clients_stall: bool,
    /// So many of the next events are taken by another client of the SimpleX core.
    pub events_taken: u64,
    /// The process dies instead of carrying out the effect after this many more.
    pub kill_after: Option<u32>,
    /// That effect is carried out all the same, and the process dies before it is told anything of it.
    pub last_effect_done: bool,
    config: Config,
    /// The configuration of the last start.
    started_with: Config,
    agent: Option<Agent>,
    handle: Option<Handle>,
    now: Now,
    /// Ticks at this moment.
    idle: u32,
    exchanges: BTreeMap<RequestId, Exchange>,
    next_request: u64,
    next_id: u64,
}

/// The configuration that most tests begin with.
pub fn config() -> Config {
    Config {
        name: "my-agent".into(),
        display_name: Some("My Agent".into()),
        mode: Mode::Requests,
        owners: Owners::Anyone,
        expire_hours: 23,
        reset_owners: false,
        port: 5226,
        qr: None,
        smp_servers: Vec::new(),
        version: "0.1.0".into(),
        data_dir: "/home/alice/.simplex-mcp/my-agent".into(),
        shared_core: false,
        data_option: String::new(),
    }
}

impl World {
    /// A world of this scenario; the agent is not started.
    pub fn new(seed: u64, config: Config, scenario: &Scenario) -> Self {
        Self {
            network: Network::from_scenario(seed, scenario),
            disk: BTreeMap::new(),
            log: Vec::new(),
            warnings: Vec::new(),
            exit: None,
            seam: Vec::new(),
            port_taken: false,
            disk_fault: None,
            clients_stall: false,
            events_taken: 0,
            kill_after: None,
            last_effect_done: false,
            started_with: config.clone(),
            config,
            agent: None,
            handle: None,
            now: Now { mono: Millis(1_000), unix: BEGINNING },
            idle: 0,
            exchanges: BTreeMap::new(),
            next_request: 1,
            next_id: 1,
        }
    }

    /// The agent while its process runs.
    pub const fn agent(&self) -> Option<&Agent> {
        self.agent.as_ref()
    }

    /// The moment.
    pub const fn now(&self) -> Now {
        self.now
    }

    /// Moves the wall clock alone, as a person or a sleeping computer does.
    pub fn jump_wall_clock(&mut self, by: i64) {
        self.now.unix = UnixMillis(self.now.unix.0.saturating_add(by));
    }

    /// The options of the next start.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Changes the options of the next start.
    pub const fn config_mut(&mut self) -> &mut Config {
        &mut self.config
    }

    /// Starts the process.
    pub fn start(&mut self) {
        self.log.clear();
        self.warnings.clear();
        self.exit = None;
        self.handle = Some(self.network.open(self.now, "agent"));
        self.started_with = self.config.clone();
        self.agent = Some(Agent::new(self.config.clone()));
        let state = self.disk.get(&DataFile::State).cloned();
        self.input(Input::Start { state });
    }

    /// Kills the process: nothing under way is answered.
    pub fn kill(&mut self) {
        self.seam.push(Seam::Killed(self.now));
        self.kill_after = None;
        self.agent = None;
        if let Some(handle) = self.handle.take() {
            self.network.close(handle);
        }
        for exchange in self.exchanges.values_mut() {
            exchange.gone |= !exchange.ended;
            exchange.ended = true;
        }
    }

    /// Asks the process to stop.
    pub fn stop(&mut self) {
        self.input(Input::Stop);
    }

    /// Whether the process runs.
    pub const fn is_running(&self) -> bool {
        self.agent.is_some()
    }

    /// Lets this much time pass, everything that falls due in it included.
    pub fn run(&mut self, time: Millis) {
        let end = self.now.mono + time;
        while self.step(end) {}
        self.move_to(end);
        self.deliver();
        self.input(Input::Tick);
    }

    /// Lets time pass until nothing is due within a second, at most `limit`.
    pub fn settle(&mut self, limit: Millis) {
        let end = self.now.mono + limit;
        while self.now.mono < end {
            let quiet = self.now.mono + Millis::secs(1);
            if !self.step(quiet.min(end)) {
                break;
            }
        }
    }

    /// Does the next thing that is due until `end`; false when there is none.
    fn step(&mut self, end: Millis) -> bool {
        if self.deliver() {
            return true;
        }
        let agent = self.agent.as_ref().and_then(Machine::next_wakeup).map(|wakeup| wakeup.at);
        let network = self.network.next_wakeup();
        let Some(next) = [agent, network].into_iter().flatten().min().filter(|next| *next <= end) else {
            return false;
        };
        let before = self.now.mono;
        self.move_to(next.max(before));
        if !self.deliver() {
            self.input(Input::Tick);
            self.count_idle(before);
        }
        true
    }

    /// A machine that wants to be woken at once again and again keeps a processor busy.
    fn count_idle(&mut self, before: Millis) {
        self.idle = if before == self.now.mono { self.idle + 1 } else { 0 };
        let why = self.agent.as_ref().and_then(Machine::next_wakeup);
        assert!(self.idle < MOST_IDLE, "woken {MOST_IDLE} times at {:?}, again and again: {why:?}", self.now);
    }

    fn move_to(&mut self, mono: Millis) {
        let passed = mono.since(self.now.mono);
        self.now = Now { mono: self.now.mono + passed, unix: self.now.unix.plus(passed) };
        self.network.advance(self.now);
    }

    /// Hands the network's outputs to the agent; false when there are none.
    fn deliver(&mut self) -> bool {
        self.network.advance(self.now);
        let mut any = false;
        while let Some(output) = self.network.poll() {
            any = true;
            match output {
                Output::Event { handle, .. } if Some(handle) == self.handle && self.events_taken > 0 => {
                    self.events_taken -= 1;
                }
                Output::Event { handle, text } if Some(handle) == self.handle => {
                    self.input(Input::Event(text))
                }
                Output::Response { ticket: BEHIND, .. } => {}
                Output::Response { handle, ticket, text } if Some(handle) == self.handle => {
                    self.input(Input::Done { op: OpId::new(ticket), result: Outcome::Response(text) });
                }
                Output::Event { .. } | Output::Response { .. } => {}
            }
        }
        any
    }

    /// Tells the agent something, and carries out what it asks for.
    pub fn input(&mut self, input: Input) {
        let mut inputs = std::collections::VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            let Some(agent) = &mut self.agent else { return };
            let mut effects = Effects::default();
            self.seam.push(Seam::In(self.now, input.clone()));
            agent.handle(self.now, input, &mut effects);
            for effect in effects.drain().collect::<Vec<_>>() {
                let dies = self.kill_after == Some(0);
                if !dies || self.last_effect_done {
                    self.seam.push(Seam::Out(self.now, effect.clone()));
                    inputs.extend(self.carry_out(effect));
                }
                if dies {
                    return self.kill();
                }
                self.kill_after = self.kill_after.map(|left| left - 1);
            }
        }
    }

    /// Carries out an effect; gives what the agent is told of it at once.
    fn carry_out(&mut self, effect: Effect) -> Option<Input> {
        match effect {
            Effect::Command { op, line } => {
                let handle = self.handle?;
                self.network.command(self.now, handle, op.number(), &line);
                None
            }
            Effect::Listen { op } => {
                let result = if self.port_taken { Outcome::AddrInUse } else { Outcome::Ok };
                Some(Input::Done { op, result })
            }
            Effect::Write { op, file, text } => Some(Input::Done { op, result: self.write(file, text) }),
            Effect::HttpReply { request, reply } => {
                self.exchanges.entry(request).or_default().take_reply(reply);
                self.taken(request)
            }
            Effect::HttpOpen { request, headers } => {
                self.exchanges.entry(request).or_default().open(headers);
                None
            }
            Effect::HttpSend { request, text } => {
                self.exchanges.entry(request).or_default().take_text(&text);
                None
            }
            Effect::HttpClose { request } => {
                let exchange = self.exchanges.entry(request).or_default();
                if exchange.ended {
                    return None;
                }
                exchange.ended = true;
                self.taken(request)
            }
            Effect::CloseHttp => None,
            Effect::CloseCore { op } => {
                if let Some(handle) = self.handle.take() {
                    self.network.close(handle);
                }
                Some(Input::Done { op, result: Outcome::Ok })
            }
            Effect::Log(line) => {
                self.log.push(line);
                None
            }
            Effect::Warn(line) => {
                self.warnings.push(line);
                None
            }
            Effect::ShowQr { link, size } => {
                self.log.push(format!("[QR code, {size:?}: {link}]"));
                None
            }
            Effect::Exit(code) => {
                self.exit = Some(code);
                self.agent = None;
                if let Some(handle) = self.handle.take() {
                    self.network.close(handle);
                }
                None
            }
        }
    }

    /// A client takes the last byte of its answer, unless the clients stall.
    const fn taken(&self, request: RequestId) -> Option<Input> {
        if self.clients_stall { None } else { Some(Input::HttpEnded { request, delivered: true }) }
    }

    fn write(&mut self, file: DataFile, text: String) -> Outcome {
        match &self.disk_fault {
            Some(reason) => Outcome::Failed(reason.clone()),
            None => {
                self.disk.insert(file, text);
                Outcome::Ok
            }
        }
    }

    // MCP clients.

    /// Posts a body as a client of the era 2026-07-28 does.
    pub fn post(&mut self, method: &str, params: Value) -> RequestId {
        let id = self.next_id;
        self.next_id += 1;
        let mut params = params;
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let mut headers = vec![("mcp-method".to_owned(), method.to_owned())];
        if let Some(name) = params.get("name").and_then(Value::as_str) {
            headers.push(("mcp-name".into(), name.into()));
        }
        headers.push(("mcp-protocol-version".into(), "2026-07-28".into()));
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.http(headers, body.to_string())
    }

    /// Posts a body as a client of the legacy era does.
    pub fn post_legacy(&mut self, method: &str, params: Value) -> RequestId {
        let id = self.next_id;
        self.next_id += 1;
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.http(vec![("mcp-protocol-version".into(), "2025-11-25".into())], body.to_string())
    }

    /// Posts a body with more headers.
    pub fn http(&mut self, more: Vec<(String, String)>, body: String) -> RequestId {
        let request = RequestId::new(self.next_request);
        self.next_request += 1;
        let mut headers = vec![
            ("host".to_owned(), "127.0.0.1:5226".to_owned()),
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ];
        headers.extend(more);
        let head = Head { method: "POST".into(), target: "/mcp".into(), headers, authorized: true };
        self.exchanges.insert(request, Exchange::default());
        self.input(Input::Http { request, head, body: Body::Text(body) });
        request
    }

    /// Calls a tool with a progress token.
    pub fn call(&mut self, tool: &str, arguments: Value) -> RequestId {
        let token = self.next_id;
        self.post(
            "tools/call",
            json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": token}}),
        )
    }

    /// The client of a request leaves.
    pub fn leave(&mut self, request: RequestId) {
        if let Some(exchange) = self.exchanges.get_mut(&request)
            && !exchange.ended
        {
            exchange.gone = true;
            exchange.ended = true;
            self.input(Input::HttpEnded { request, delivered: false });
        }
    }

    /// What came back for a request.
    pub fn exchange(&self, request: RequestId) -> &Exchange {
        &self.exchanges[&request]
    }

    /// The requests made so far.
    pub fn requests(&self) -> impl Iterator<Item = (&RequestId, &Exchange)> {
        self.exchanges.iter()
    }

    // People.

    /// Somebody of the network does something; what follows at once follows.
    ///
    /// # Errors
    ///
    /// Why it can't be done.
    pub fn act(&mut self, peer: &str, act: Act) -> Result<(), String> {
        let done = self.network.act(self.now, peer, act);
        self.deliver();
        done
    }

    /// An owner writes in the agent's control chat.
    pub fn owner_says(&mut self, owner: &str, text: &str) -> Result<(), String> {
        let chat = self.control_chat(owner).map(|chat| chat.chat_ref).ok_or("no control chat")?;
        self.act(owner, Act::Say { chat, text: text.into() })
    }

    /// The control chat as a person sees it: the group whose description is the agent's.
    pub fn control_chat(&self, person: &str) -> Option<ViewChat> {
        let name = self.config.display_name.as_ref().unwrap_or(&self.config.name);
        self.network
            .view(person)
            .into_iter()
            .rev()
            .find(|chat| chat.chat_ref.starts_with('#') && chat.name.starts_with(name.as_str()))
    }

    /// What the agent wrote in the control chat, as a person sees it.
    pub fn agent_posts(&self, person: &str) -> Vec<ViewMessage> {
        self.control_chat(person)
            .map(|chat| chat.messages)
            .unwrap_or_default()
            .into_iter()
            .filter(|message| !message.own)
            .collect()
    }

    /// An event that the SimpleX core gives out of turn.
    pub fn inject(&mut self, raw: &str) {
        if let Some(handle) = self.handle {
            self.network.inject(self.now, handle, raw);
            self.deliver();
        }
    }

    /// A command in the agent's profile that the agent did not give; it sees the events alone.
    pub fn behind_its_back(&mut self, line: &str) {
        if let Some(handle) = self.handle {
            self.network.command(self.now, handle, BEHIND, line);
            self.deliver();
        }
    }

    /// The run of the last process as `serve --record` writes it, line by line.
    pub fn record(&self) -> Vec<Line> {
        let begins = |seam: &Seam| matches!(seam, Seam::In(_, Input::Start { .. }));
        let start = self.seam.iter().rposition(begins).unwrap_or(self.seam.len());
        let passed = self.seam.iter().skip(start).filter_map(|seam| match seam {
            Seam::In(now, input) => Some(Line::input(*now, input.clone())),
            Seam::Out(_, effect) => Some(Line::Out(effect.clone())),
            Seam::Killed(_) => None,
        });
        std::iter::once(Line::head(&self.started_with)).chain(passed).collect()
    }

    /// The commands that the agent gave to its SimpleX core, in order.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.seam.iter().filter_map(|seam| match seam {
            Seam::Out(_, Effect::Command { line, .. }) => Some(line.as_str()),
            _ => None,
        })
    }
}
