//! The options of `serve NAME`, and the rule of each.

mod again;
mod libs;
mod owners;

use std::net::Ipv4Addr;
use std::path::PathBuf;

use argh::FromArgs;
use simplex_agent_adapters::simplex::libsimplex::{ADDRESS, Wanted};
use simplex_agent_adapters::simplex::websocket::{Address, AddressError};
use simplex_agent_core::agent::text::person;
use simplex_agent_core::config::{Mode, Owners, QrSize};
use simplex_agent_core::simplex::{name, router};

use super::table::{NO_VALUE, Opt, expected};
use crate::failure::Failure;
use libs::Libs;

const PORTS: &str = "1 to 65535";
const HOURS: &str = "hours, 1 to 23";
const MODES: &str = "requests or host";
const LEVELS: &str = "error, info or debug";
const CODES: &str = "small or large";
const CORES: &str = "lib, sim or ws://127.0.0.1:PORT";
const DISPLAY: &str = "text, 1 to 50 characters";
const ROUTER: &str = "smp://FINGERPRINT[:PASSWORD]@HOST[,HOST][:PORT]";

/// The options, with what each takes.
pub(super) const OPTIONS: &[Opt] = &[
    Opt::value("--data", "a folder"),
    Opt::value("--display-name", DISPLAY),
    Opt::value("--approve", MODES),
    Opt::optional("--owners", "ID:NAME[,ID:NAME...] or no value"),
    Opt::value("--expire", HOURS),
    Opt::flag("--reset-owners"),
    Opt::flag("--new-token"),
    Opt::value("--port", PORTS),
    Opt::value("--qr-code", CODES),
    Opt::value("--smp-server", ROUTER).repeatable(),
    Opt::value("--core", CORES),
    Opt::value("--scenario", "a scenario file"),
    Opt::value("--record", "a new file"),
    Opt::value("--log-level", LEVELS),
    Opt::value("--libs-version", libs::RELEASE),
    Opt::value("--libs-url", ADDRESS),
    Opt::value("--libs-sha256", libs::SUM),
];

/// Serve an agent: its MCP tools on 127.0.0.1, its approvals in a SimpleX group. NAME names the data folder and the
/// entry of the MCP host.
#[derive(FromArgs)]
#[argh(subcommand, name = "serve")]
#[allow(
    rustdoc::broken_intra_doc_links,
    reason = "the texts are the help, where brackets mark what may be left out"
)]
pub(super) struct Args {
    /// agent name: 1 to 32 lowercase letters, digits and single hyphens
    #[argh(positional, arg_name = "NAME")]
    name: Option<String>,
    /// data folder (default: ~/.simplex-mcp/NAME)
    #[argh(option, arg_name = "folder")]
    data: Option<String>,
    /// the agent's name in SimpleX, 1 to 50 characters (default: NAME at the first start)
    #[argh(option, arg_name = "text")]
    display_name: Option<String>,
    /// who decides actions: requests (the owner in SimpleX) or host (the MCP host asks its user; default: requests)
    #[argh(option, arg_name = "mode")]
    approve: Option<String>,
    /// ID:NAME[,ID:NAME...]: only these owners approve; with no value, none yet: whoever joins is named in the log
    #[argh(option, arg_name = "list")]
    owners: Option<String>,
    /// hours until an undecided action expires, 1 to 23 (default: 23)
    #[argh(option, arg_name = "hours")]
    expire: Option<String>,
    /// make a new agent control chat
    #[argh(switch)]
    reset_owners: bool,
    /// replace the token of the MCP endpoint
    #[argh(switch)]
    new_token: bool,
    /// port on 127.0.0.1, 1 to 65535 (default: 5226)
    #[argh(option, arg_name = "port")]
    port: Option<String>,
    /// size of the QR code: small or large (default: small)
    #[argh(option, arg_name = "size")]
    qr_code: Option<String>,
    /// use this SMP router, smp://FINGERPRINT[:PASSWORD]@HOST[,HOST][:PORT] (repeatable)
    #[argh(option, arg_name = "address")]
    smp_server: Vec<String>,
    /// the SimpleX core: lib (the library in the folder SIMPLEX_LIBS_DIR, else in the cache, else downloaded), sim (a
    /// simulated network) or ws://127.0.0.1:5225 (a running simplex-chat -p 5225; default: lib)
    #[argh(option, arg_name = "core")]
    core: Option<String>,
    /// with --core sim: the file that describes the network (default: the people of the demo, whose owner approves)
    #[argh(option, arg_name = "file")]
    scenario: Option<String>,
    /// write the run to this new file, for replay; it holds every message
    #[argh(option, arg_name = "file")]
    record: Option<String>,
    /// what is printed: error (only what goes wrong), info, or debug (also the keywords of commands and events, on
    /// stderr; default: info)
    #[argh(option, arg_name = "level")]
    log_level: Option<String>,
    /// release of the SimpleX library to use, 7.0 or later (default: 7.0.2)
    #[argh(option, arg_name = "version")]
    libs_version: Option<String>,
    /// download the library's archive from this address (default: the project's releases)
    #[argh(option, arg_name = "address")]
    libs_url: Option<String>,
    /// use only an archive with this SHA-256, 64 hexadecimal digits
    #[argh(option, arg_name = "sum")]
    libs_sha256: Option<String>,
}

/// The options of `serve`, each within its rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// NAME.
    pub(crate) name: String,
    /// `--data`.
    pub(crate) data: Option<PathBuf>,
    /// `--display-name`.
    pub(crate) display_name: Option<String>,
    /// `--approve`.
    pub(crate) mode: Mode,
    /// `--owners`.
    pub(crate) owners: Owners,
    /// `--expire`, 1 to 23.
    pub(crate) expire_hours: u8,
    /// `--reset-owners`.
    pub(crate) reset_owners: bool,
    /// `--new-token`.
    pub(crate) new_token: bool,
    /// `--port`, not 0.
    pub(crate) port: u16,
    /// `--qr-code`.
    pub(crate) qr: QrSize,
    /// `--smp-server`, in order.
    pub(crate) smp_servers: Vec<String>,
    /// `--core`, `--scenario`.
    pub(crate) core: Core,
    /// `--record`.
    pub(crate) record: Option<PathBuf>,
    /// `--log-level`.
    pub(crate) level: Level,
}

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// What goes wrong, on stderr.
    Error,
    /// What happens besides, on stdout.
    Info,
    /// Keywords of commands and events besides, on stderr.
    Debug,
}

/// The SimpleX core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Core {
    /// The library: in `SIMPLEX_LIBS_DIR`, in the cache, or downloaded.
    Lib(Box<Wanted>),
    /// The simulator, with a scenario file or the people of `demo`.
    Sim(Option<PathBuf>),
    /// A running `simplex-chat -p PORT`.
    WebSocket(Address),
}

impl Args {
    /// The options, when each is within its rule.
    ///
    /// # Errors
    ///
    /// The first that is not.
    pub(super) fn check(self) -> Result<Options, Failure> {
        let owners = match self.owners.as_deref() {
            None => Owners::Anyone,
            Some(NO_VALUE) => Owners::Nobody,
            Some(list) => Owners::Listed(owners::parse(list)?),
        };
        if self.reset_owners && matches!(owners, Owners::Listed(_)) {
            return Err(Failure::usage(person::RESET_WITH_LIST));
        }
        if let Some(server) = self.smp_server.iter().find(|server| !router::is_valid(server)) {
            return Err(expected("--smp-server", ROUTER, server));
        }
        let options = Options {
            name: agent_name("serve", self.name)?,
            data: self.data.map(|path| path_of("--data", "a folder", path)).transpose()?,
            display_name: self.display_name.map(display_name).transpose()?,
            mode: choice(
                "--approve",
                MODES,
                self.approve,
                &[("requests", Mode::Requests), ("host", Mode::Host)],
            )?,
            owners,
            expire_hours: number("--expire", HOURS, self.expire, 1..=23, 23)?,
            reset_owners: self.reset_owners,
            new_token: self.new_token,
            port: number("--port", PORTS, self.port, 1..=u16::MAX, 5226)?,
            qr: choice(
                "--qr-code",
                CODES,
                self.qr_code,
                &[("small", QrSize::Small), ("large", QrSize::Large)],
            )?,
            smp_servers: self.smp_server,
            core: core(
                self.core,
                self.scenario,
                Libs { version: self.libs_version, url: self.libs_url, sha256: self.libs_sha256 },
            )?,
            record: self.record.map(|path| path_of("--record", "a new file", path)).transpose()?,
            level: match self.log_level.as_deref() {
                None | Some("info") => Level::Info,
                Some("error") => Level::Error,
                Some("debug") => Level::Debug,
                Some(other) => return Err(expected("--log-level", LEVELS, other)),
            },
        };
        refuse_own_port(&options.core, options.port)?;
        Ok(options)
    }
}

/// `^[a-z0-9](-?[a-z0-9])*-?$`, at most 32 characters.
pub(super) fn agent_name(command: &str, name: Option<String>) -> Result<String, Failure> {
    let Some(name) = name else {
        return Err(Failure::usage(format!(
            "NAME is missing: simplex-mcp {command} NAME, with a name for the agent."
        )));
    };
    let fits = name.len() <= 32
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !name.contains("--");
    if fits { Ok(name) } else { Err(Failure::usage(person::BAD_NAME)) }
}

/// The path that an option takes.
pub(super) fn path_of(option: &str, takes: &str, path: String) -> Result<PathBuf, Failure> {
    if path.is_empty() { Err(expected(option, takes, "nothing")) } else { Ok(path.into()) }
}

fn display_name(wished: String) -> Result<String, Failure> {
    if wished.is_empty() {
        return Err(expected("--display-name", DISPLAY, "nothing"));
    }
    if name::is_valid(&wished) {
        return Ok(wished);
    }
    let valid = name::valid_form(&wished);
    Err(Failure::usage(if valid.is_empty() {
        "--display-name: not a valid SimpleX name; start it with a letter or a digit".to_owned()
    } else {
        person::bad_display_name(&valid)
    }))
}

fn choice<T: Clone>(
    option: &str,
    takes: &str,
    value: Option<String>,
    choices: &[(&str, T); 2],
) -> Result<T, Failure> {
    let [(_, default), _] = choices;
    let Some(value) = value else { return Ok(default.clone()) };
    let chosen = choices.iter().find(|(name, _)| *name == value);
    chosen.map(|(_, choice)| choice.clone()).ok_or_else(|| expected(option, takes, &value))
}

fn number<T: std::str::FromStr + PartialOrd>(
    option: &str,
    takes: &str,
    value: Option<String>,
    range: std::ops::RangeInclusive<T>,
    default: T,
) -> Result<T, Failure> {
    let Some(value) = value else { return Ok(default) };
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let number = value.parse().ok().filter(|number| digits && range.contains(number));
    number.ok_or_else(|| expected(option, takes, &value))
}

fn core(core: Option<String>, scenario: Option<String>, libs: Libs) -> Result<Core, Failure> {
    let core = core.as_deref().unwrap_or("lib");
    if let Some(option) = libs.given().filter(|_| core != "lib") {
        return Err(Failure::usage(format!("{option}: goes with --core lib.")));
    }
    match (core, scenario) {
        ("sim", scenario) => Ok(Core::Sim(scenario.map(PathBuf::from))),
        ("lib", None) => Ok(Core::Lib(Box::new(libs.wanted()?))),
        (other, None) if other.starts_with("ws://") => websocket(other),
        (other, Some(_)) if other == "lib" || other.starts_with("ws://") => {
            Err(Failure::usage("--scenario: goes with --core sim."))
        }
        (other, _) => Err(expected("--core", CORES, other)),
    }
}

/// Whoever listens at the server's own port when it starts is in its way, simplex-chat too.
fn refuse_own_port(core: &Core, port: u16) -> Result<(), Failure> {
    match core {
        Core::WebSocket(address) if address.socket() == (Ipv4Addr::LOCALHOST, port).into() => {
            Err(Failure::usage(format!(
                "--core: port {port} is this server's own; give simplex-chat another port or start with --port N."
            )))
        }
        Core::WebSocket(_) | Core::Sim(_) | Core::Lib(_) => Ok(()),
    }
}

fn websocket(address: &str) -> Result<Core, Failure> {
    address.parse().map(Core::WebSocket).map_err(|error| match error {
        AddressError::Form => expected("--core", CORES, address),
        AddressError::NotLoopback => Failure::usage(format!(
            "--core: {address} is not on this machine, and simplex-chat neither encrypts nor asks who connects. Forward its \
             port with ssh -L 5225:127.0.0.1:5225 HOST, then use --core ws://127.0.0.1:5225."
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[&str]) -> Result<Options, String> {
        let args = super::super::table::check(line.iter().map(|word| (*word).to_owned()).collect());
        let args = args.map_err(|failure| failure.line)?;
        let words: Vec<_> = args.iter().map(String::as_str).skip(1).collect();
        let args = Args::from_args(&["simplex-mcp", "serve"], &words).map_err(|exit| exit.output)?;
        args.check().map_err(|failure| {
            assert_eq!((failure.code, failure.line.lines().count()), (2, 1));
            failure.line
        })
    }

    /// CLI-02: the defaults.
    #[test]
    fn defaults() {
        let options = read(&["serve", "my-agent"]).unwrap();
        assert_eq!(
            options,
            Options {
                name: "my-agent".to_owned(),
                data: None,
                display_name: None,
                mode: Mode::Requests,
                owners: Owners::Anyone,
                expire_hours: 23,
                reset_owners: false,
                new_token: false,
                port: 5226,
                qr: QrSize::Small,
                smp_servers: Vec::new(),
                core: Core::Lib(Box::default()),
                record: None,
                level: Level::Info,
            }
        );
    }

    /// CLI-01, CLI-36: every option is read.
    #[test]
    fn every_option_is_read() {
        let options = read(&[
            "serve",
            "--data",
            "/d",
            "a",
            "--display-name=My Agent",
            "--approve",
            "host",
            "--owners",
            "--expire=1",
            "--reset-owners",
            "--new-token",
            "--port",
            "65535",
            "--qr-code",
            "large",
            "--smp-server",
            "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@one.example",
            "--smp-server=smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=:pw@two.example:5223",
            "--core",
            "sim",
            "--scenario",
            "s.json",
            "--record=r.jsonl",
            "--log-level=debug",
        ]);
        assert_eq!(
            options.unwrap(),
            Options {
                name: "a".to_owned(),
                data: Some("/d".into()),
                display_name: Some("My Agent".to_owned()),
                mode: Mode::Host,
                owners: Owners::Nobody,
                expire_hours: 1,
                reset_owners: true,
                new_token: true,
                port: 65535,
                qr: QrSize::Large,
                smp_servers: vec![
                    "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@one.example".to_owned(),
                    "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=:pw@two.example:5223".to_owned()
                ],
                core: Core::Sim(Some("s.json".into())),
                record: Some("r.jsonl".into()),
                level: Level::Debug,
            }
        );
    }

    /// WS-01: a running simplex-chat is named by its address.
    #[test]
    fn a_running_core() {
        let options = read(&["serve", "a", "--core=ws://localhost:5225"]).unwrap();
        assert_eq!(options.core, Core::WebSocket("ws://127.0.0.1:5225".parse().unwrap()));
        assert_eq!(options.again(), ["--core=ws://127.0.0.1:5225"]);
    }

    /// WS-18: the server's own port is nobody else's; the other loopback addresses have ports of their own.
    #[test]
    fn the_own_port() {
        for (port, core) in [(5226, "ws://127.0.0.1:5226"), (7000, "ws://localhost:7000")] {
            let port_option = format!("--port={port}");
            let line = format!(
                "--core: port {port} is this server's own; give simplex-chat another port or start with --port N."
            );
            assert_eq!(read(&["serve", "a", "--core", core, &port_option]), Err(line), "{core}");
        }
        for core in ["ws://127.0.0.1:5225", "ws://[::1]:5226"] {
            assert!(read(&["serve", "a", "--core", core]).is_ok(), "{core}");
        }
    }

    /// CLI-03: the rule of NAME.
    #[test]
    fn names_of_agents() {
        let rule =
            "NAME: 1 to 32 lowercase letters, digits and single hyphens, starting with a letter or digit.";
        for name in ["a", "0", "my-agent", "a-", "a1-b2", &"a".repeat(32)] {
            assert!(read(&["serve", name]).is_ok(), "{name}");
        }
        for name in ["", "A", "-a", "a--b", "a b", "a_b", "é", "a.b", "../x", &"a".repeat(33)] {
            assert_eq!(read(&["serve", "--", name]).unwrap_err(), rule, "{name}");
        }
        assert_eq!(
            read(&["serve"]).unwrap_err(),
            "NAME is missing: simplex-mcp serve NAME, with a name for the agent."
        );
    }

    /// CLI-05, CLI-06, CLI-10, CLI-32, WS-02: values outside their rule.
    #[test]
    fn values_outside_their_rule() {
        for (args, message) in [
            (&["--expire=0"][..], "--expire: hours, 1 to 23 expected, got 0"),
            (&["--expire=24"], "--expire: hours, 1 to 23 expected, got 24"),
            (&["--expire", "+5"], "--expire: hours, 1 to 23 expected, got +5"),
            (&["--port", "0"], "--port: 1 to 65535 expected, got 0"),
            (&["--port=65536"], "--port: 1 to 65535 expected, got 65536"),
            (&["--port=5226x"], "--port: 1 to 65535 expected, got 5226x"),
            (&["--port="], "--port: 1 to 65535 expected, got "),
            (&["--approve", "Host"], "--approve: requests or host expected, got Host"),
            (&["--qr-code", "huge"], "--qr-code: small or large expected, got huge"),
            (&["--core", "x"], "--core: lib, sim or ws://127.0.0.1:PORT expected, got x"),
            (&["--core", "ws://x"], "--core: lib, sim or ws://127.0.0.1:PORT expected, got ws://x"),
            (
                &["--core", "ws://192.168.1.2:5225"],
                "--core: ws://192.168.1.2:5225 is not on this machine, and simplex-chat neither encrypts nor asks who \
                 connects. Forward its port with ssh -L 5225:127.0.0.1:5225 HOST, then use --core ws://127.0.0.1:5225.",
            ),
            (&["--core", "ws://127.0.0.1:1", "--scenario", "f"], "--scenario: goes with --core sim."),
            (&["--core", "lib", "--scenario", "f"], "--scenario: goes with --core sim."),
            (&["--scenario", "f"], "--scenario: goes with --core sim."),
            (&["--data="], "--data: a folder expected, got nothing"),
            (&["--log-level", "all"], "--log-level: error, info or debug expected, got all"),
            (&["--record="], "--record: a new file expected, got nothing"),
            (
                &["--smp-server", "one.example"],
                "--smp-server: smp://FINGERPRINT[:PASSWORD]@HOST[,HOST][:PORT] expected, got one.example",
            ),
            (
                &["--smp-server", "smp://@h"],
                "--smp-server: smp://FINGERPRINT[:PASSWORD]@HOST[,HOST][:PORT] expected, got smp://@h",
            ),
            (
                &["--smp-server", "smp://a@b c"],
                "--smp-server: smp://FINGERPRINT[:PASSWORD]@HOST[,HOST][:PORT] expected, got smp://a@b c",
            ),
            (
                &["--reset-owners", "--owners", "3:Alice"],
                "--reset-owners takes --owners without a list: member IDs change in a new agent control chat.",
            ),
            (&["--display-name", "My Agent."], "--display-name: not a valid SimpleX name; try My Agent"),
            (&["--display-name="], "--display-name: text, 1 to 50 characters expected, got nothing"),
            (
                &["--display-name", "..."],
                "--display-name: not a valid SimpleX name; start it with a letter or a digit",
            ),
        ] {
            let line: Vec<_> = ["serve", "a"].into_iter().chain(args.iter().copied()).collect();
            assert_eq!(read(&line).unwrap_err(), message);
        }
    }
}
