//! On a terminal the demo stays: the person is the owner, and the agent's side is open to any MCP client.

use std::io::BufRead;
use std::thread;

use serde_json::{Value, json};

use super::stage::{Happening, Stage, heading, say};
use crate::console::print;

/// Lines that begin with these words are calls of the agent.
const TOOLS: [&str; 5] = ["connect", "send", "receive", "list", "leave"];

/// Stays until the person quits or the server ends.
pub(super) fn stay(stage: &mut Stage) {
    explain(stage);
    read_lines(stage);
    if let Some(target) = stage.owner.link("shop") {
        heading("The agent asks for something more: decide as Alice");
        stage.call("connect", json!({"target": target, "wait": 60, "idle": 2}));
    }
    while !stage.is_stopping() {
        stage.pass();
        for line in stage.typed() {
            match line.as_deref().map(str::trim) {
                None | Some("quit" | "exit") => return,
                Some("") => {}
                Some("help") => explain(stage),
                Some(line) => typed(stage, line),
            }
        }
    }
}

/// What a line of the person is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line<'a> {
    /// A call of the agent: its tool and what should be its arguments.
    Call(&'a str, &'a str),
    /// It looks like a call, of a tool that there is not.
    NoTool(&'a str),
    /// A command of Alice.
    Command(&'a str),
    /// Something else that she may say, which the agent does not act on.
    Talk(&'a str),
}

impl<'a> Line<'a> {
    /// A call is a tool's name, with or without arguments; whatever stands before a JSON object is meant as one.
    fn of(line: &'a str) -> Self {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, "{}"));
        match rest.trim() {
            _ if line.starts_with('/') => Self::Command(line),
            rest if TOOLS.contains(&word) => Self::Call(word, rest),
            rest if rest.starts_with('{') && line != word => Self::NoTool(word),
            _ => Self::Talk(line),
        }
    }
}

fn typed(stage: &mut Stage, line: &str) {
    match Line::of(line) {
        Line::Call(tool, arguments) => match serde_json::from_str::<Value>(arguments) {
            Ok(arguments) if arguments.is_object() => {
                stage.call(tool, arguments);
            }
            Ok(_) => say("agent", &format!("{tool}: a JSON object expected, for example {}", example(tool))),
            Err(error) => say("agent", &format!("{tool}: {error}; for example {}", example(tool))),
        },
        Line::NoTool(word) => {
            say("agent", &format!("{word}: no such tool; there are {}", TOOLS.join(", ")));
        }
        Line::Command(text) => alice_says(stage, text),
        Line::Talk(text) => {
            alice_says(stage, text);
            say("", "(The agent acts on commands alone, which begin with /. help shows what there is.)");
        }
    }
}

fn alice_says(stage: &mut Stage, text: &str) {
    if let Err(error) = stage.owner_says("says", text) {
        say("alice", &format!("can't say it: {error}"));
    }
}

fn example(tool: &str) -> &'static str {
    match tool {
        "connect" => r#"connect {"target": "LINK", "idle": 2}"#,
        "send" => r#"send {"chat": "@4", "text": "boats", "idle": 2}"#,
        "receive" => r#"receive {"chat": "@4"}"#,
        "leave" => r#"leave {"chat": "@4"}"#,
        _ => "list {}",
    }
}

/// How to go on, on both sides.
fn explain(stage: &Stage) {
    let (url, token) = (stage.client.url(), stage.client.token());
    let link = |name: &str| stage.owner.link(name).unwrap_or_default();
    print(&format!(
        r#"
== You are Alice now
What you type is Alice's message in the control chat: /approve 4, /reject 4, /pending, /list, /approve @4 all.
A line that begins with a tool's name is a call of the agent: {send}
quit, Ctrl-D or Ctrl-C ends the demo and removes its data.

Your own MCP client can be the agent:
  address  {url}
  header   Authorization: Bearer {token}
for example Claude Code:
  claude mcp add --transport http simplex-demo {url} --header "Authorization: Bearer {token}"
or curl:
  curl -N {url} -H "Authorization: Bearer {token}" -H "Content-Type: application/json" -d '{list}'

Whom the agent can connect to (target of connect):
  a shop bot      {shop}
  a business      {business}
  a group         {group}
  a channel       {channel}
  someone who never answers  {never}
"#,
        send = example("send"),
        list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","arguments":{}}}"#,
        shop = link("shop"),
        business = link("business"),
        group = link("group"),
        channel = link("channel"),
        never = link("never"),
    ));
}

/// Reads the terminal on a thread of its own.
fn read_lines(stage: &Stage) {
    let sender = stage.sender();
    let reading = move || {
        // Bytes that are no UTF-8 show as U+FFFD: what was meant is still to be seen.
        for line in std::io::stdin().lock().split(b'\n').map_while(Result::ok) {
            let _ = sender.send(Happening::Typed(Some(String::from_utf8_lossy(&line).into_owned())));
        }
        let _ = sender.send(Happening::Typed(None));
    };
    if thread::Builder::new().name("terminal".to_owned()).spawn(reading).is_err() {
        let _ = stage.sender().send(Happening::Typed(None));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLI-34: whose line it is.
    #[test]
    fn lines_of_the_person() {
        for (line, whose) in [
            ("list", Line::Call("list", "{}")),
            ("send {\"chat\": \"@4\"}", Line::Call("send", "{\"chat\": \"@4\"}")),
            ("send  not json", Line::Call("send", "not json")),
            ("sned {\"chat\": \"@4\"}", Line::NoTool("sned")),
            ("Send {}", Line::NoTool("Send")),
            ("/approve 4", Line::Command("/approve 4")),
            ("/send {}", Line::Command("/send {}")),
            ("/'approve @4 all'", Line::Command("/'approve @4 all'")),
            ("approve 4", Line::Talk("approve 4")),
            ("{}", Line::Talk("{}")),
            ("hello there", Line::Talk("hello there")),
        ] {
            assert_eq!(Line::of(line), whose, "{line}");
        }
    }
}
