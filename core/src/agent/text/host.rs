//! The entries of MCP hosts: what a host has to be told to reach an agent, and where that is written. No entry holds
//! the token: Claude Code asks a command for it at each connection, the others start `simplex-mcp stdio`, which reads it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::entry;

/// How much longer than an undecided action a call may take: `wait` of a call is at most 24 hours from the approval
/// (the plan, "Register").
const WAIT_HOURS: u64 = 24;
/// What a call takes besides, in minutes (the plan, "Register").
const SPARE_MINUTES: u64 = 10;

/// An MCP host that `register` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Claude Code, which takes the HTTP endpoint itself.
    Claude,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Codex of OpenAI.
    Codex,
    /// Gemini CLI of Google.
    Gemini,
    /// Any other host that starts a command and speaks MCP with it.
    Generic,
}

impl Host {
    /// Every host, in the order of the help.
    pub const ALL: [Self; 6] =
        [Self::Claude, Self::Cursor, Self::VsCode, Self::Codex, Self::Gemini, Self::Generic];

    /// The word after `--print`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Generic => "generic",
        }
    }

    /// The host of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.word() == word)
    }

    /// Its name, for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "Visual Studio Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Generic => "other hosts",
        }
    }

    /// The files that the entry may belong into.
    const fn place(self) -> &'static str {
        match self {
            Self::Claude => "~/.claude.json (simplex-mcp register does it)",
            Self::Cursor => "~/.cursor/mcp.json for every project, or .cursor/mcp.json in one",
            Self::VsCode => {
                ".vscode/mcp.json in a folder, or the file that the command \"MCP: Open User Configuration\" opens"
            }
            Self::Codex => "~/.codex/config.toml",
            Self::Gemini => "~/.gemini/settings.json for every project, or .gemini/settings.json in one",
            Self::Generic => "the file of your host's MCP servers",
        }
    }
}

/// What the entries of an agent are made of.
#[derive(Clone, Copy, Debug)]
pub struct Agent<'a> {
    /// NAME; the entry is called `simplex-NAME`.
    pub name: &'a str,
    /// DIR, absolute.
    pub dir: &'a str,
    /// Whether DIR was given with `--data`, so that commands have to name it.
    pub dir_given: bool,
    /// The port of the last start.
    pub port: u16,
    /// `--expire` of the last start.
    pub expire_hours: u8,
    /// Whether the host's commands are those of Windows.
    pub windows: bool,
}

impl Agent<'_> {
    /// The name of the entry.
    pub fn server(&self) -> String {
        format!("simplex-{}", self.name)
    }

    /// The entry of Claude Code, on one line (the plan, "Register"). The timeout is a hard limit per call there, so it
    /// is longer than any call.
    pub fn http_entry(&self) -> String {
        format!(
            "{{\"type\": \"http\", \"url\": \"http://127.0.0.1:{}/mcp\", \"headersHelper\": {}, \"timeout\": {}}}",
            self.port,
            quoted(&self.headers_helper()),
            self.limit_seconds() * 1000
        )
    }

    /// What `--print HOST` shows: where the entry belongs, and the entry.
    pub fn entry_for(&self, host: Host) -> String {
        let entry = match host {
            Host::Claude => self.in_json("mcpServers", &self.http_entry()),
            Host::Cursor | Host::Generic => self.in_json("mcpServers", &self.command_json("", "")),
            Host::VsCode => self.in_json("servers", &self.command_json("\"type\": \"stdio\", ", "")),
            Host::Gemini => {
                let timeout = format!(", \"timeout\": {}", self.limit_seconds() * 1000);
                self.in_json("mcpServers", &self.command_json("", &timeout))
            }
            Host::Codex => self.codex(),
        };
        format!("Add this to {}:\n\n{entry}", host.place())
    }

    /// How to print the headers, as Claude Code runs it in a shell at each connection.
    fn headers_helper(&self) -> String {
        if self.windows {
            return format!("type \"{}\\headers.json\"", self.dir);
        }
        format!("cat {}", entry::path(&format!("{}/headers.json", self.dir)))
    }

    /// How long a call may take, in seconds.
    fn limit_seconds(&self) -> u64 {
        (u64::from(self.expire_hours) + WAIT_HOURS) * 3600 + SPARE_MINUTES * 60
    }

    /// The arguments of `simplex-mcp`, as a JSON array, which is a TOML array as well.
    fn args(&self) -> String {
        let mut args: Vec<&str> = ["stdio", self.name].into();
        if self.dir_given {
            args.extend(["--data", self.dir]);
        }
        let args: Vec<String> = args.into_iter().map(quoted).collect();
        format!("[{}]", args.join(", "))
    }

    fn command_json(&self, before: &str, after: &str) -> String {
        format!("{{{before}\"command\": \"simplex-mcp\", \"args\": {}{after}}}", self.args())
    }

    fn in_json(&self, table: &str, entry: &str) -> String {
        format!("{{\n  \"{table}\": {{\n    \"{}\": {entry}\n  }}\n}}\n", self.server())
    }

    fn codex(&self) -> String {
        format!(
            "[mcp_servers.{}]\ncommand = \"simplex-mcp\"\nargs = {}\ntool_timeout_sec = {}\n",
            self.server(),
            self.args(),
            self.limit_seconds()
        )
    }
}

/// A text as JSON writes it and TOML reads it: TOML wants DEL escaped too.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    const AGENT: Agent<'static> = Agent {
        name: "my-agent",
        dir: "/home/alice/.simplex-mcp/my-agent",
        dir_given: false,
        port: 5226,
        expire_hours: 23,
        windows: false,
    };

    /// REG-02: the entry by the letter, its path quoted for the shell, and the timeout for each expiry.
    #[test]
    fn http_entries() {
        let spaced = Agent { dir: "/home/alice/it's mine", expire_hours: 1, port: 1, ..AGENT };
        let windows = Agent { dir: "C:\\Users\\al\\a b", windows: true, ..AGENT };
        for (agent, entry) in [
            (
                AGENT,
                r#"{"type": "http", "url": "http://127.0.0.1:5226/mcp", "headersHelper": "cat /home/alice/.simplex-mcp/my-agent/headers.json", "timeout": 169800000}"#,
            ),
            (
                spaced,
                r#"{"type": "http", "url": "http://127.0.0.1:1/mcp", "headersHelper": "cat '/home/alice/it'\\''s mine/headers.json'", "timeout": 90600000}"#,
            ),
            (
                windows,
                r#"{"type": "http", "url": "http://127.0.0.1:5226/mcp", "headersHelper": "type \"C:\\Users\\al\\a b\\headers.json\"", "timeout": 169800000}"#,
            ),
        ] {
            assert_eq!(agent.http_entry(), entry);
            assert!(serde_json::from_str::<Value>(entry).is_ok());
        }
    }

    /// REG-09, REG-10: each host's entry, where it belongs, and the time limits of those that have one.
    #[test]
    fn printed_entries() {
        let given = Agent { dir: "/srv/a \"b\"", dir_given: true, ..AGENT };
        let all: Vec<String> = Host::ALL.into_iter().map(|host| AGENT.entry_for(host)).collect();
        expect![[r#"
            Add this to ~/.claude.json (simplex-mcp register does it):

            {
              "mcpServers": {
                "simplex-my-agent": {"type": "http", "url": "http://127.0.0.1:5226/mcp", "headersHelper": "cat /home/alice/.simplex-mcp/my-agent/headers.json", "timeout": 169800000}
              }
            }

            Add this to ~/.cursor/mcp.json for every project, or .cursor/mcp.json in one:

            {
              "mcpServers": {
                "simplex-my-agent": {"command": "simplex-mcp", "args": ["stdio", "my-agent"]}
              }
            }

            Add this to .vscode/mcp.json in a folder, or the file that the command "MCP: Open User Configuration" opens:

            {
              "servers": {
                "simplex-my-agent": {"type": "stdio", "command": "simplex-mcp", "args": ["stdio", "my-agent"]}
              }
            }

            Add this to ~/.codex/config.toml:

            [mcp_servers.simplex-my-agent]
            command = "simplex-mcp"
            args = ["stdio", "my-agent"]
            tool_timeout_sec = 169800

            Add this to ~/.gemini/settings.json for every project, or .gemini/settings.json in one:

            {
              "mcpServers": {
                "simplex-my-agent": {"command": "simplex-mcp", "args": ["stdio", "my-agent"], "timeout": 169800000}
              }
            }

            Add this to the file of your host's MCP servers:

            {
              "mcpServers": {
                "simplex-my-agent": {"command": "simplex-mcp", "args": ["stdio", "my-agent"]}
              }
            }
        "#]]
        .assert_eq(&all.join("\n"));
        expect![[r#"
            Add this to ~/.codex/config.toml:

            [mcp_servers.simplex-my-agent]
            command = "simplex-mcp"
            args = ["stdio", "my-agent", "--data", "/srv/a \"b\""]
            tool_timeout_sec = 169800
        "#]]
        .assert_eq(&given.entry_for(Host::Codex));
    }

    #[test]
    fn words_of_hosts() {
        for host in Host::ALL {
            assert_eq!(Host::parse(host.word()), Some(host));
        }
        assert_eq!(Host::parse("Claude"), None);
        assert_eq!(quoted("\u{7f}\n\""), "\"\\u007f\\n\\\"\"".to_string());
    }
}
