use super::*;
use crate::agent::card::{Connect, ConnectTarget, Leave, Send};
use crate::agent::text::peer::{Chat, Peer};

fn member(id: u64, name: &str) -> OwnerEntry {
    OwnerEntry { id, name: name.into() }
}

fn chat(reference: ChatRef, chat_type: ChatType, peer_type: Option<&str>, name: &str) -> Chat {
    let peer =
        Peer { chat_type, peer_type: peer_type.map(Into::into), name: name.into(), simplex_name: None };
    Chat { chat: reference, peer }
}

fn directory() -> Chat {
    chat(ChatRef::Contact(4), ChatType::Contact, Some("bot"), "SimpleX Directory")
}

fn connect(incognito: bool) -> Request {
    let target = ConnectTarget::Planned { peer: directory().peer, description: None, welcome: None };
    Request::Connect(Connect { target, incognito, message: None })
}

fn send(chat: Chat) -> Request {
    Request::Send(Send {
        chat,
        incognito: false,
        admission: false,
        text: "hi".into(),
        reply_to: None,
        mentions: [].into(),
    })
}

/// CLI-12, CLI-13, CLI-14, CLI-15, CLI-20, CLI-21, CLI-22, START-10, START-13, START-18, START-27, DATA-05, STOP-08,
/// STOP-10, CTRL-16: the lines by the letter.
#[test]
fn lines() {
    let (alice, bob) = (member(3, "Alice"), member(4, "Bob"));
    let table = [
        (first("0.1.0", "my-agent"), "SimpleX MCP server 0.1.0, agent \"my-agent\""),
        (data_folder("/home/alice/.simplex-mcp/my-agent"), "Data folder: /home/alice/.simplex-mcp/my-agent"),
        (approval_mode(Mode::Requests), "Approval mode: requests"),
        (approval_mode(Mode::Host), "Approval mode: host"),
        (control_chat_created("My Agent"), "Agent control chat \"My Agent\" created."),
        (
            owner_link("My Agent"),
            "Whoever joins by this link becomes an owner of \"My Agent\" and approves its actions. To approve owners \
             yourself, start with --owners.",
        ),
        (
            host_owner_link("My Agent"),
            "Whoever joins by this link becomes an owner of \"My Agent\" and sees its actions, which the user of the \
             MCP host approves (mode host). To choose owners yourself, start with --owners.",
        ),
        (listening(5226), "Listening on http://127.0.0.1:5226/mcp"),
        (
            locked("/home/alice/.simplex-mcp/my-agent", "1234"),
            "Another server uses /home/alice/.simplex-mcp/my-agent (PID 1234). If no server runs, remove \
             /home/alice/.simplex-mcp/my-agent/lock.",
        ),
        (
            port_in_use(5226),
            "Port 5226 is in use. Start with --port N. Someone may have seen the token: also pass --new-token",
        ),
        (
            port_unusable(80, "Permission denied (os error 13)"),
            "Port 80 can't be used: Permission denied (os error 13). Start with --port N.",
        ),
        (owner_joined(&alice), "Alice joined (member 3) and is now an owner. The link is deleted."),
        (late_joiner(&bob, &alice), "Bob (member 4) used the link after Alice and was removed."),
        (register_hint("my-agent", ""), "Add the agent to Claude Code: simplex-mcp register my-agent"),
        (
            register_hint("my-agent", &entry::data_option("/my data")),
            "Add the agent to Claude Code: simplex-mcp register my-agent --data '/my data'",
        ),
        (observer_joined(&alice), "Alice joined (member 3). Restart the server with --owners 3:Alice"),
        (owners(&[alice.clone(), bob.clone()]), "Owners: 3:Alice,4:Bob."),
        (delivery_error("no\nsuch table"), "delivery wait: no such table"),
        (not_delivered(3), "delivery wait: 3 messages not delivered yet"),
        (not_delivered(1), "delivery wait: 1 message not delivered yet"),
        (NAME_TAKEN.into(), "--display-name: one of the agent's chats has this name."),
        (LOST.into(), "The agent lost its control chat. Restart the server with --reset-owners."),
        (JOIN.into(), "Join the agent control chat in the SimpleX app. The link works once:"),
        (OBSERVER_LINK.into(), "The link adds an observer. Its ID and name are printed when it joins."),
        (NO_OWNERS.into(), "No owners in the agent control chat."),
        (
            SCAN_HINT.into(),
            "If the QR code does not scan, restart with --qr-code large, or paste the link into the app.",
        ),
    ];
    for (line, expected) in table {
        assert_eq!(line, expected);
    }
    let counts = [(0, None), (1, Some("Cancelled 1 action.")), (2, Some("Cancelled 2 actions."))];
    for (count, line) in counts {
        assert_eq!(cancelled(count).as_deref(), line);
    }
}

/// CLI-03, CLI-04, CLI-05, CLI-06, CTRL-09: what is refused.
#[test]
fn refusals() {
    let table = [
        (bad_owner_entry("Alice"), "--owners: ID:NAME expected, got Alice"),
        (bad_display_name("My Agent"), "--display-name: not a valid SimpleX name; try My Agent"),
        (
            RESET_WITH_LIST.into(),
            "--reset-owners takes --owners without a list: member IDs change in a new agent control chat.",
        ),
        (
            BAD_NAME.into(),
            "NAME: 1 to 32 lowercase letters, digits and single hyphens, starting with a letter or digit.",
        ),
        (
            unknown_owner(&member(9, "Eve"), &[member(3, "Alice Smith"), member(7, "Bob")]),
            "--owners: member 9:Eve is not in the agent control chat. Start with --reset-owners --owners, or use the \
             IDs of current members. Current members: --owners '3:Alice Smith,7:Bob'",
        ),
        (
            unknown_owner(&member(9, "Eve"), &[]),
            "--owners: member 9:Eve is not in the agent control chat. Start with --reset-owners --owners, or use the \
             IDs of current members. It has no members.",
        ),
    ];
    for (line, expected) in table {
        assert_eq!(line, expected);
    }
}

/// CTRL-17, CTRL-18, CTRL-19: the terminal forms have no code span.
#[test]
fn membership() {
    let (alice, bob) = (member(3, "Alice"), member(7, "Bob"));
    assert_eq!(
        owner_added(&bob, &[alice.clone(), bob.clone()]),
        "Bob (member 7) is now an owner and can't approve actions yet. Restart the server with --owners 3:Alice,7:Bob"
    );
    assert_eq!(
        owner_gone(&alice, &[bob]),
        "Alice (member 3) is no longer an owner. Restart the server with --owners 7:Bob"
    );
    assert_eq!(
        owner_gone(&alice, &[]),
        "Alice (member 3) is no longer an owner. No owners remain: restart the server with --reset-owners --owners"
    );
}

/// CLI-23
#[test]
fn created() {
    let ridgeline = || chat(ChatRef::Group(9), ChatType::Business, None, "Ridgeline");
    let leave = |chat| Request::Leave(Leave { chat });
    let target = ConnectTarget::Host("smp.example.com".into());
    let table = [
        (send(directory()), "Action 2: send to bot SimpleX Directory (@4)"),
        (connect(false), "Action 2: connect to bot SimpleX Directory, as itself"),
        (connect(true), "Action 2: connect to bot SimpleX Directory, incognito"),
        (leave(ridgeline()), "Action 2: leave business Ridgeline (#9)"),
        (leave(directory()), "Action 2: delete bot SimpleX Directory (@4)"),
        (
            Request::Connect(Connect { target: ConnectTarget::OneTime, incognito: true, message: None }),
            "Action 2: connect by a one-time link, incognito",
        ),
        (
            Request::Connect(Connect { target, incognito: false, message: None }),
            "Action 2: connect by a link of smp.example.com, as itself",
        ),
        (
            send(chat(ChatRef::Group(9), ChatType::Group, None, "two\nlines\u{202e}\u{1b}[31m`x`")),
            "Action 2: send to group two lines [31m`x` (#9)",
        ),
    ];
    for (request, line) in table {
        assert_eq!(action_created(2, &request), line);
    }
}

/// CLI-24, CLI-25, CLI-26, CLI-27, CLI-28
#[test]
fn ended() {
    let by = || Decision::Approver("Alice".into());
    let failed = |decision| Outcome::Failed { decision, error: "no\nnetwork".into() };
    let leave = |chat| Request::Leave(Leave { chat });
    let group = chat(ChatRef::Group(9), ChatType::Group, None, "Team");
    let table = [
        (send(directory()), Outcome::Done(by()), Some("Action 2 approved by Alice: sent.")),
        (
            send(directory()),
            Outcome::Done(Decision::Standing("Alice".into())),
            Some("Action 2 approved by Alice: sent."),
        ),
        (connect(false), Outcome::Done(by()), Some("Action 2 approved by Alice: connected.")),
        (connect(false), Outcome::Requested(by()), Some("Action 2 approved by Alice: connection requested.")),
        (leave(group), Outcome::Done(by()), Some("Action 2 approved by Alice: left.")),
        (leave(directory()), Outcome::Done(by()), Some("Action 2 approved by Alice: deleted.")),
        (connect(false), failed(by()), Some("Action 2 approved by Alice: failed: no network.")),
        (connect(false), Outcome::Rejected("Alice\u{200b}".into()), Some("Action 2 rejected by Alice.")),
        (connect(false), Outcome::Expired, Some("Action 2 expired.")),
        (
            connect(false),
            Outcome::Done(Decision::Host),
            Some("Action 2: performed without approval (mode host)."),
        ),
        (
            connect(false),
            failed(Decision::Host),
            Some("Action 2: performed without approval (mode host); failed: no network."),
        ),
        (connect(false), Outcome::Cancelled, None),
        (connect(false), Outcome::Interrupted(by()), None),
    ];
    for (request, outcome, line) in table {
        assert_eq!(action_ended(2, &request, &outcome).as_deref(), line, "{outcome:?}");
    }
    assert_eq!(action_not_posted(2, "no network"), "Action 2: failed: no network.");
    // An error that is a sentence keeps one full stop.
    assert_eq!(action_not_posted(2, "The network is gone."), "Action 2: failed: The network is gone.");
}

/// REG-03, REG-04, REG-05, REG-07: by the letter.
#[test]
fn register() {
    let table = [
        (registered("user", "my-agent"), "Added to Claude Code: scope user, server simplex-my-agent."),
        (
            never_started("my-agent", ""),
            "Agent \"my-agent\" was never started. Start it with: simplex-mcp serve my-agent",
        ),
        (
            no_claude("my-agent", None, "~/.claude.json", "{}"),
            "Add this entry under \"mcpServers\" in ~/.claude.json: {\"simplex-my-agent\": {}}",
        ),
        (
            no_claude("my-agent", Some("/p"), "~/.claude.json", "{}"),
            "Add this entry under \"projects\" > \"/p\" > \"mcpServers\" in ~/.claude.json: {\"simplex-my-agent\": {}}",
        ),
        (
            claude_failed("no\nsuch command", true, "Add it."),
            "claude mcp add-json failed: no such command. Nothing was changed. Add it.",
        ),
    ];
    for (line, expected) in table {
        assert_eq!(line, expected);
    }
}
