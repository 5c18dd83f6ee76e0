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
    while stage.ended().is_none() {
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

/// A line of the person: a tool call of the agent when it begins with a tool's name, otherwise Alice's message.
fn typed(stage: &mut Stage, line: &str) {
    let (word, rest) = line.split_once(' ').unwrap_or((line, "{}"));
    if !TOOLS.contains(&word) {
        if let Err(error) = stage.owner_says("says", line) {
            say("alice", &format!("can't say it: {error}"));
        }
        return;
    }
    match serde_json::from_str::<Value>(rest) {
        Ok(arguments) if arguments.is_object() => {
            stage.call(word, arguments);
        }
        Ok(_) => say("agent", &format!("{word}: a JSON object expected, for example {}", example(word))),
        Err(error) => say("agent", &format!("{word}: {error}; for example {}", example(word))),
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
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = sender.send(Happening::Typed(Some(line)));
        }
        let _ = sender.send(Happening::Typed(None));
    };
    if thread::Builder::new().name("terminal".to_owned()).spawn(reading).is_err() {
        let _ = stage.sender().send(Happening::Typed(None));
    }
}
