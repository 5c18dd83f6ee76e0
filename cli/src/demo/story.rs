//! The session that is played: a connect and a message that the owner approves, and a message that she rejects.

use serde_json::{Value, json};

use super::owner::Card;
use super::stage::{Stage, heading, say};

/// Plays it.
///
/// # Errors
///
/// The step that went wrong, and how.
pub(super) fn play(stage: &mut Stage) -> Result<(), String> {
    heading("The server starts; its owner joins the control chat by the link");
    stage.until("the server listens", |stage| stage.logged("Listening on ").then_some(()))?;
    stage.until("Alice joins", |stage| stage.logged("Alice joined").then_some(()))?;
    let greeting = "I ask here before I connect or send.";
    stage.until("the greeting", |stage| stage.owner.has_seen(greeting).then_some(()))?;

    heading("The agent looks at its tools");
    let tools = stage.tools()?;
    say("agent", &format!("gets {}", tools.join(", ")));

    heading("The agent asks to connect to a directory of groups; Alice approves");
    let target = stage.owner.link("directory").ok_or("the directory has no link")?;
    let connect = json!({"target": target, "wait": 10, "idle": 1});
    let connected = decided(stage, "connect", connect, Decision::Approve)?;
    let chat = text(&connected, "chat")?;
    if connected["connected"] != true || connected["messages"].as_array().is_none_or(Vec::is_empty) {
        return Err(format!("connect: not connected, or no welcome: {connected}"));
    }

    heading("The agent searches; Alice approves");
    let search = json!({"chat": chat, "text": "knitting", "wait": 10, "idle": 1});
    let found = decided(stage, "send", search, Decision::Approve)?;
    let is_answer = |message: &Value| text(message, "text").is_ok_and(|text| text.contains("Knitters"));
    if !found["responses"].as_array().is_some_and(|responses| responses.iter().any(is_answer)) {
        return Err(format!("send: the directory did not answer: {found}"));
    }

    heading("The agent wants to tell more than it should; Alice rejects");
    let telling = "I ask for Alice, who lives at 12 Mill Lane. Which group is near her?";
    decided(stage, "send", json!({"chat": chat, "text": telling}), Decision::Reject)?;

    heading("What is left: the chat, and no action");
    let call = stage.call("list", json!({}));
    let list = stage.until("list", |stage| stage.answer(call))??;
    let is_known = |listed: &Value| listed["chat"] == chat.as_str() && listed["connected"] == true;
    if !list["chats"].as_array().is_some_and(|chats| chats.iter().any(is_known))
        || list["actions"] != json!([])
    {
        return Err(format!("list: {list}"));
    }
    Ok(())
}

/// What the owner does with a card.
#[derive(Clone, Copy)]
enum Decision {
    Approve,
    Reject,
}

/// One action from its call to its result: the card appears, Alice decides, the card shows the outcome, and the call
/// gets its result.
fn decided(stage: &mut Stage, tool: &str, arguments: Value, decision: Decision) -> Result<Value, String> {
    let call = stage.call(tool, arguments);
    let card = stage.until("the card", |stage| stage.owner.open_card())?;
    let Card { item, approve, reject } = card;
    let (tap, outcome, status) = match decision {
        Decision::Approve => (approve, "Approved by Alice.", "done"),
        Decision::Reject => (reject, "Rejected by Alice.", "rejected"),
    };
    stage.owner_says("taps", &tap)?;
    stage.until(outcome, |stage| stage.owner.text(item).ends_with(outcome).then_some(()))?;
    let result = stage.until("the result", |stage| stage.answer(call))??;
    if result["status"] != status {
        return Err(format!("{tool}: {status} expected, got {result}"));
    }
    Ok(result)
}

fn text(value: &Value, member: &str) -> Result<String, String> {
    let text = value[member].as_str().map(str::to_owned);
    text.ok_or_else(|| format!("no {member} in {value}"))
}
