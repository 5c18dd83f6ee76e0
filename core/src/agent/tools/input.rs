//! Tool inputs: checked against the published schema, defaults filled in.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::catalogue;
use crate::mcp::schema::whole;
use crate::simplex::chat_ref::{self, ChatRef};
use crate::time::Millis;

/// The names of the tools, in the order in which they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolName {
    /// `connect`.
    Connect,
    /// `send`.
    Send,
    /// `receive`.
    Receive,
    /// `list`.
    List,
    /// `leave`.
    Leave,
}

/// A tool call with checked input. Serialises to the input alone, in the order of the plan's table, defaults included:
/// that is the `input` of an action in `list`, which resumes the action when it is passed again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Call {
    /// `connect`.
    Connect(ConnectInput),
    /// `send`.
    Send(SendInput),
    /// `receive`.
    Receive(ReceiveInput),
    /// `list`.
    List {},
    /// `leave`.
    Leave(LeaveInput),
}

/// Input of `connect`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConnectInput {
    /// A SimpleX link, `@name.simplex` or `#name.simplex`; as it was given.
    pub target: String,
    /// Connect with a random profile.
    pub incognito: bool,
    /// A message for a contact or business address, 1 to 2000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Seconds from the approval, 0 to 86400.
    pub wait: u32,
    /// Seconds without a new message that end the wait, 1 to 300.
    pub idle: u32,
}

/// Input of `send`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SendInput {
    /// The chat.
    pub chat: ChatRef,
    /// The text, 1 to 12000 characters.
    pub text: String,
    /// An item of the chat to quote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<u64>,
    /// Members to mention, at most 3, none twice; empty when absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mention: Vec<u64>,
    /// Seconds after sending, 0 to 86400.
    pub wait: u32,
    /// Seconds without a new response that end the wait once a response arrived, 1 to 300.
    pub idle: u32,
    /// Most responses returned, 1 to 100.
    pub limit: u32,
}

/// Input of `receive`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceiveInput {
    /// The chat.
    pub chat: ChatRef,
    /// Seconds to wait when no message is new, 0 to 86400.
    pub wait: u32,
    /// Most messages returned, 1 to 100.
    pub limit: u32,
}

/// Input of `leave`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeaveInput {
    /// The chat.
    pub chat: ChatRef,
}

impl ToolName {
    /// All tools, in the order in which they are listed.
    pub const ALL: [Self; 5] = [Self::Connect, Self::Send, Self::Receive, Self::List, Self::Leave];

    /// The name as the model writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Send => "send",
            Self::Receive => "receive",
            Self::List => "list",
            Self::Leave => "leave",
        }
    }

    /// The tool of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name)
    }
}

impl Call {
    /// Checks the arguments of a call and fills in the defaults.
    ///
    /// # Errors
    /// The message for the model: the first violation in the order of the table (decisions 5).
    pub fn parse(tool: ToolName, arguments: &Map<String, Value>) -> Result<Self, String> {
        catalogue::input(tool).check(arguments)?;
        let fields = Checked(arguments);
        Ok(match tool {
            ToolName::Connect => Self::Connect(ConnectInput {
                target: fields.text("target").unwrap_or_default(),
                incognito: arguments.get("incognito").and_then(Value::as_bool).unwrap_or(false),
                message: fields.text("message"),
                wait: fields.number("wait", 60),
                idle: fields.number("idle", 30),
            }),
            ToolName::Send => Self::Send(SendInput {
                chat: fields.chat()?,
                text: fields.text("text").unwrap_or_default(),
                reply_to: arguments.get("reply_to").and_then(whole),
                mention: arguments
                    .get("mention")
                    .and_then(Value::as_array)
                    .map(|ids| ids.iter().filter_map(whole).collect())
                    .unwrap_or_default(),
                wait: fields.number("wait", 60),
                idle: fields.number("idle", 30),
                limit: fields.number("limit", 50),
            }),
            ToolName::Receive => Self::Receive(ReceiveInput {
                chat: fields.chat()?,
                wait: fields.number("wait", 0),
                limit: fields.number("limit", 50),
            }),
            ToolName::List => Self::List {},
            ToolName::Leave => Self::Leave(LeaveInput { chat: fields.chat()? }),
        })
    }

    /// The tool.
    pub const fn tool(&self) -> ToolName {
        match self {
            Self::Connect(_) => ToolName::Connect,
            Self::Send(_) => ToolName::Send,
            Self::Receive(_) => ToolName::Receive,
            Self::List {} => ToolName::List,
            Self::Leave(_) => ToolName::Leave,
        }
    }

    /// Whether both calls are for the same action: same tool and same action fields (the plan, "Correlation").
    /// `receive` and `list` are no actions: always false for them.
    pub fn same_action(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Connect(a), Self::Connect(b)) => {
                (&a.target, a.incognito, &a.message) == (&b.target, b.incognito, &b.message)
            }
            (Self::Send(a), Self::Send(b)) => {
                (a.chat, &a.text, a.reply_to, &a.mention) == (b.chat, &b.text, b.reply_to, &b.mention)
            }
            (Self::Leave(a), Self::Leave(b)) => a.chat == b.chat,
            _ => false,
        }
    }

    /// How long the call waits for its condition: `wait`; zero for tools without it.
    pub const fn wait(&self) -> Millis {
        match self {
            Self::Connect(input) => Millis::secs(input.wait as u64),
            Self::Send(input) => Millis::secs(input.wait as u64),
            Self::Receive(input) => Millis::secs(input.wait as u64),
            Self::List {} | Self::Leave(_) => Millis(0),
        }
    }
}

/// Arguments that fit their schema.
struct Checked<'a>(&'a Map<String, Value>);

impl Checked<'_> {
    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).and_then(Value::as_str).map(ToOwned::to_owned)
    }

    fn number(&self, name: &str, default: u32) -> u32 {
        self.0.get(name).and_then(whole).and_then(|number| u32::try_from(number).ok()).unwrap_or(default)
    }

    /// The chat: its form is checked, so an error means that the schema and [`ChatRef`] disagree.
    fn chat(&self) -> Result<ChatRef, String> {
        let text = self.text("chat").unwrap_or_default();
        chat_ref::parse(&text).ok_or_else(|| format!("chat: must be @N or #N, is {}", Value::from(text)))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn parse(tool: ToolName, arguments: &str) -> Result<Call, String> {
        let arguments: Value = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
        Call::parse(tool, arguments.as_object().ok_or("an object")?)
    }

    fn read(tool: ToolName, arguments: &str) -> Call {
        parse(tool, arguments).unwrap()
    }

    /// LIST-05, CONN-02, CONN-04, CONN-05, SEND-05, SEND-06, SEND-07, RECV-01: defaults of the plan's tables, and the input in the order of the table.
    #[test]
    fn defaults_and_order() {
        let table = [
            (
                ToolName::Connect,
                r#"{"target":"@x.simplex"}"#,
                r#"{"target":"@x.simplex","incognito":false,"wait":60,"idle":30}"#,
            ),
            (
                ToolName::Connect,
                r#"{"idle":1,"wait":0,"message":"hi","incognito":true,"target":"a"}"#,
                r#"{"target":"a","incognito":true,"message":"hi","wait":0,"idle":1}"#,
            ),
            (
                ToolName::Send,
                r#"{"text":"hi","chat":"@4"}"#,
                r#"{"chat":"@4","text":"hi","wait":60,"idle":30,"limit":50}"#,
            ),
            (
                ToolName::Send,
                r##"{"limit":100,"mention":[45,44.0],"reply_to":31,"text":"hi","chat":"#15","wait":60.0}"##,
                r##"{"chat":"#15","text":"hi","reply_to":31,"mention":[45,44],"wait":60,"idle":30,"limit":100}"##,
            ),
            (ToolName::Receive, r#"{"chat":"@4"}"#, r#"{"chat":"@4","wait":0,"limit":50}"#),
            (ToolName::List, "{}", "{}"),
            (ToolName::Leave, r##"{"chat":"#9"}"##, r##"{"chat":"#9"}"##),
        ];
        for (tool, arguments, expected) in table {
            let call = read(tool, arguments);
            assert_eq!(serde_json::to_string(&call).unwrap(), expected);
            assert_eq!(call.tool(), tool);
            assert_eq!(read(tool, expected), call, "the printed input is the same call");
        }
    }

    /// TOOL-06, TOOL-07, TOOL-10, CONN-01, CONN-03, CONN-04, CONN-05, SEND-01, SEND-02, SEND-04, SEND-05, SEND-06,
    /// SEND-07, RECV-01: the limits of the plan's input tables.
    #[test]
    fn limits() {
        let text = |length: usize| "x".repeat(length);
        let connect = |field: &str| [r#"{"target":"@x.simplex","#, field, "}"].concat();
        let send = |field: &str| [r#"{"chat":"@4","text":"x","#, field, "}"].concat();
        let receive = |field: &str| [r#"{"chat":"@4","#, field, "}"].concat();
        let table = [
            (ToolName::Connect, "{}".into(), "target: is required, must have 1 to 4096 characters"),
            (ToolName::Connect, r#"{"target":""}"#.into(), "target: must have 1 to 4096 characters, has 0"),
            (ToolName::Connect, connect(r#""incognito":1"#), "incognito: must be true or false, is 1"),
            (ToolName::Connect, connect(r#""message":"""#), "message: must have 1 to 2000 characters, has 0"),
            (
                ToolName::Connect,
                connect(&[r#""message":""#, &text(2001), "\""].concat()),
                "message: must have 1 to 2000 characters, has 2001",
            ),
            (ToolName::Connect, connect(&[r#""message":""#, &text(2000), "\""].concat()), ""),
            (
                ToolName::Connect,
                connect(r#""wait":86401"#),
                "wait: must be an integer from 0 to 86400, is 86401",
            ),
            (ToolName::Connect, connect(r#""idle":0"#), "idle: must be an integer from 1 to 300, is 0"),
            (ToolName::Connect, connect(r#""idle":301"#), "idle: must be an integer from 1 to 300, is 301"),
            (ToolName::Send, r#"{"chat":"@4"}"#.into(), "text: is required, must have 1 to 12000 characters"),
            (
                ToolName::Send,
                r#"{"chat":"@4","text":""}"#.into(),
                "text: must have 1 to 12000 characters, has 0",
            ),
            (
                ToolName::Send,
                [r#"{"chat":"@4","text":""#, &text(12_001), "\"}"].concat(),
                "text: must have 1 to 12000 characters, has 12001",
            ),
            (ToolName::Send, [r#"{"chat":"@4","text":""#, &text(12_000), "\"}"].concat(), ""),
            (
                ToolName::Send,
                send(r#""reply_to":0"#),
                "reply_to: must be an integer from 1 to 999999999999999, is 0",
            ),
            (ToolName::Send, send(r#""mention":[]"#), "mention: must be a list of 1 to 3 integers, has 0"),
            (
                ToolName::Send,
                send(r#""mention":[1,2,3,4]"#),
                "mention: must be a list of 1 to 3 integers, has 4",
            ),
            (ToolName::Send, send(r#""mention":[1,1]"#), "mention: must not repeat an item, has 1 twice"),
            (ToolName::Send, send(r#""limit":101"#), "limit: must be an integer from 1 to 100, is 101"),
            (
                ToolName::Send,
                send(r#""limit":"5""#),
                "limit: must be an integer from 1 to 100, is the text \"5\"",
            ),
            (ToolName::Receive, receive(r#""limit":0"#), "limit: must be an integer from 1 to 100, is 0"),
            (ToolName::Receive, receive(r#""idle":30"#), "idle: unknown field; known are chat, wait, limit"),
            (ToolName::List, r#"{"chat":"@4"}"#.into(), "chat: unknown field; this tool takes none"),
            (ToolName::Leave, receive(r#""wait":1"#), "wait: unknown field; known are chat"),
        ];
        for (tool, arguments, expected) in table {
            let error = parse(tool, &arguments).err().unwrap_or_default();
            assert_eq!(error, expected, "{arguments}");
        }
    }

    /// ACT-11: action fields: `target`, `incognito`, `message`; `chat`, `text`, `reply_to`, `mention`; `chat`.
    #[test]
    fn attach_rule() {
        let table = [
            (
                ToolName::Connect,
                r#"{"target":"a"}"#,
                r#"{"target":"a","incognito":false,"wait":1,"idle":1}"#,
                true,
            ),
            (ToolName::Connect, r#"{"target":"a"}"#, r#"{"target":"b"}"#, false),
            (ToolName::Connect, r#"{"target":"a"}"#, r#"{"target":"a","incognito":true}"#, false),
            (ToolName::Connect, r#"{"target":"a"}"#, r#"{"target":"a","message":"m"}"#, false),
            (
                ToolName::Send,
                r#"{"chat":"@4","text":"a"}"#,
                r#"{"chat":"@4","text":"a","wait":1,"idle":1,"limit":1}"#,
                true,
            ),
            (ToolName::Send, r#"{"chat":"@4","text":"a"}"#, r##"{"chat":"#4","text":"a"}"##, false),
            (ToolName::Send, r#"{"chat":"@4","text":"a"}"#, r#"{"chat":"@4","text":"b"}"#, false),
            (
                ToolName::Send,
                r#"{"chat":"@4","text":"a"}"#,
                r#"{"chat":"@4","text":"a","reply_to":1}"#,
                false,
            ),
            (
                ToolName::Send,
                r##"{"chat":"#4","text":"a","mention":[1,2]}"##,
                r##"{"chat":"#4","text":"a","mention":[1]}"##,
                false,
            ),
            (ToolName::Leave, r#"{"chat":"@4"}"#, r#"{"chat":"@4"}"#, true),
            (ToolName::Leave, r#"{"chat":"@4"}"#, r#"{"chat":"@5"}"#, false),
            (ToolName::Receive, r#"{"chat":"@4"}"#, r#"{"chat":"@4"}"#, false),
            (ToolName::List, "{}", "{}", false),
        ];
        for (tool, a, b, same) in table {
            let (a, b) = (read(tool, a), read(tool, b));
            assert_eq!(a.same_action(&b), same, "{a:?} {b:?}");
            assert_eq!(b.same_action(&a), same);
        }
        let leave = read(ToolName::Leave, r#"{"chat":"@4"}"#);
        assert!(!leave.same_action(&read(ToolName::Send, r#"{"chat":"@4","text":"a"}"#)));
    }

    #[test]
    fn names_read_back() {
        for tool in ToolName::ALL {
            assert_eq!(ToolName::named(tool.as_str()), Some(tool));
            assert_eq!(serde_json::to_value(tool).unwrap(), tool.as_str());
        }
        assert_eq!(ToolName::named("Send"), None);
    }
}
