use alloc::string::ToString;
use alloc::vec;

use serde_json::Value;

use super::*;
use crate::agent::tools::catalogue;
use crate::agent::tools::input::SendInput;
use crate::config::Mode;
use crate::mcp::schema::evaluate::evaluate;

const AT_4: ChatRef = ChatRef::Contact(4);
const GROUP_15: ChatRef = ChatRef::Group(15);

fn message() -> Message {
    Message {
        chat: GROUP_15,
        item: 31,
        from: "Switchback".to_string(),
        from_member: Some(45),
        from_type: Some("bot".to_string()),
        time: "2026-10-18T09:15:00Z".to_string(),
        text: "Ridgecrest, $142".to_string(),
        content: Some("image".to_string()),
        new: true,
        reply_to: Some(ReplyTo { chat: GROUP_15, item: Some(30) }),
        mentions_me: true,
    }
}

const MESSAGE: &str = r##"{"chat":"#15","item":31,"from":"Switchback","from_member":45,"from_type":"bot","time":"2026-10-18T09:15:00Z","text":"Ridgecrest, $142","content":"image","new":true,"reply_to":{"chat":"#15","item":30},"mentions_me":true}"##;

fn connected() -> ConnectResult {
    ConnectResult {
        action: Some(1),
        status: Status::Done,
        chat: Some(AT_4),
        connected: Some(true),
        admission: Some(Admission::Review),
        chat_type: Some(ChatType::Contact),
        name: Some("SimpleX Directory".to_string()),
        simplex_name: Some("@directory.simplex".to_string()),
        peer_type: Some("bot".to_string()),
        description: Some("Find groups.".to_string()),
        welcome: Some("Welcome!".to_string()),
        commands: vec![
            Command::Command { keyword: "help".to_string(), label: "How to".to_string(), params: None },
            Command::Menu {
                label: "Group settings".to_string(),
                commands: vec![Command::Command {
                    keyword: "role".to_string(),
                    label: "Role".to_string(),
                    params: Some("<ID>".to_string()),
                }],
            },
        ],
        known_as: Some("PreponderantHappening".to_string()),
        role: Some("observer".to_string()),
        messages: Some(vec![]),
        error: None,
    }
}

fn refused(status: Status, error: Option<&str>) -> ConnectResult {
    ConnectResult {
        action: Some(1),
        status,
        chat: None,
        connected: None,
        admission: None,
        chat_type: None,
        name: None,
        simplex_name: None,
        peer_type: None,
        description: None,
        welcome: None,
        commands: vec![],
        known_as: None,
        role: None,
        messages: None,
        error: error.map(ToString::to_string),
    }
}

/// The JSON text is the expected one and fits the published schema.
fn check(tool: ToolName, result: &impl Serialize, expected: &str) {
    let text = serde_json::to_string(result).unwrap();
    assert_eq!(text, expected);
    let value: Value = serde_json::from_str(&text).unwrap();
    let tool = catalogue::tools(Mode::Requests).into_iter().find(|published| published.name == tool.as_str());
    let schema: Value = serde_json::from_str(&tool.unwrap().output_schema.unwrap()).unwrap();
    assert_eq!(evaluate(&schema, &value), Ok(()), "{text}");
}

/// RECV-13, RECV-16: the plan's table, in its order; absent fields are left out.
#[test]
fn messages() {
    assert_eq!(serde_json::to_string(&message()).unwrap(), MESSAGE);
    let plain = Message { from_member: None, from_type: None, content: None, reply_to: None, ..message() };
    assert_eq!(
        serde_json::to_string(&plain).unwrap(),
        r##"{"chat":"#15","item":31,"from":"Switchback","time":"2026-10-18T09:15:00Z","text":"Ridgecrest, $142","new":true,"mentions_me":true}"##
    );
}

/// RECV-02, TOOL-02: each result of each tool is the plan's table in its order and fits what is published.
#[test]
fn results() {
    let connect = ToolName::Connect;
    check(
        connect,
        &connected(),
        r#"{"action":1,"status":"done","chat":"@4","connected":true,"admission":"review","type":"contact","name":"SimpleX Directory","simplex_name":"@directory.simplex","peer_type":"bot","description":"Find groups.","welcome":"Welcome!","commands":[{"keyword":"help","label":"How to"},{"label":"Group settings","commands":[{"keyword":"role","label":"Role","params":"<ID>"}]}],"known_as":"PreponderantHappening","role":"observer","messages":[]}"#,
    );
    check(
        connect,
        &refused(Status::Failed, Some("timeout")),
        r#"{"action":1,"status":"failed","error":"timeout"}"#,
    );
    check(connect, &refused(Status::Rejected, None), r#"{"action":1,"status":"rejected"}"#);
    check(connect, &refused(Status::Expired, None), r#"{"action":1,"status":"expired"}"#);
    let known = ConnectResult { action: None, connected: Some(false), ..refused(Status::Known, None) };
    check(connect, &known, r#"{"status":"known","connected":false}"#);

    let sent = SendResult {
        action: 2,
        status: Status::Done,
        chat: Some(GROUP_15),
        item: Some(29),
        responses: Some(vec![message()]),
        more: Some(0),
        error: None,
    };
    let expected =
        [r##"{"action":2,"status":"done","chat":"#15","item":29,"responses":["##, MESSAGE, r#"],"more":0}"#]
            .concat();
    check(ToolName::Send, &sent, &expected);

    let received = ReceiveResult { chat: GROUP_15, messages: vec![message(), message()], more: 7 };
    let expected = [r##"{"chat":"#15","messages":["##, MESSAGE, ",", MESSAGE, r#"],"more":7}"#].concat();
    check(ToolName::Receive, &received, &expected);

    let left = LeaveResult { action: 3, status: Status::Done, chat: Some(AT_4), error: None };
    check(ToolName::Leave, &left, r#"{"action":3,"status":"done","chat":"@4"}"#);
    let failed = LeaveResult { status: Status::Failed, chat: None, error: Some("x".to_string()), ..left };
    check(ToolName::Leave, &failed, r#"{"action":3,"status":"failed","error":"x"}"#);
}

/// LIST-01, LIST-02, LIST-04: the input of an action is the tool's input; `approved` is there only when true.
#[test]
fn lists() {
    let chat = Chat {
        chat: AT_4,
        chat_type: ChatType::Contact,
        name: "Shop".to_string(),
        simplex_name: Some("@shop.simplex".to_string()),
        peer_type: Some("bot".to_string()),
        incognito: true,
        known_as: Some("Random".to_string()),
        connected: true,
        admission: None,
        unread: 2,
        approved: true,
    };
    let plain = Chat {
        chat: GROUP_15,
        chat_type: ChatType::Group,
        simplex_name: None,
        peer_type: None,
        incognito: false,
        known_as: None,
        connected: false,
        admission: Some(Admission::Approval),
        approved: false,
        ..chat.clone()
    };
    let input = Call::Send(SendInput {
        chat: AT_4,
        text: "hi".to_string(),
        reply_to: None,
        mention: vec![],
        wait: 60,
        idle: 30,
        limit: 50,
    });
    let action = Action { action: 2, tool: ToolName::Send, input, state: ActionState::Pending, open: false };
    check(
        ToolName::List,
        &ListResult { chats: vec![chat, plain], actions: vec![action] },
        r##"{"chats":[{"chat":"@4","type":"contact","name":"Shop","simplex_name":"@shop.simplex","peer_type":"bot","incognito":true,"known_as":"Random","connected":true,"unread":2,"approved":true},{"chat":"#15","type":"group","name":"Shop","incognito":false,"connected":false,"admission":"approval","unread":2}],"actions":[{"action":2,"tool":"send","input":{"chat":"@4","text":"hi","wait":60,"idle":30,"limit":50},"state":"pending","open":false}]}"##,
    );
    check(ToolName::List, &ListResult { chats: vec![], actions: vec![] }, r#"{"chats":[],"actions":[]}"#);
}
