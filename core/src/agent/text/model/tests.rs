use super::*;

const AT_4: ChatRef = ChatRef::Contact(4);
const GROUP_15: ChatRef = ChatRef::Group(15);

/// ACT-17, TOOL-13, TOOL-14, TOOL-15, TOOL-16, TOOL-17, TOOL-18, TOOL-19, TOOL-20, TOOL-21, TOOL-22, TOOL-23, TOOL-25,
/// TOOL-26, TOOL-27, TOOL-28, TOOL-29, TOOL-30, STOP-01, CONN-23: the plan's table of errors, by the letter.
#[test]
fn errors() {
    let table = [
        (
            NO_OWNER.into(),
            "The agent has no owner. The person who runs it has to join its control chat with the link the server \
             printed.",
        ),
        (
            NO_APPROVING_OWNER.into(),
            "The agent has no approving owner. The person who runs it has to restart it with the --owners options it \
             printed.",
        ),
        (
            LOST.into(),
            "The agent lost its control chat. The person who runs it has to restart it with --reset-owners.",
        ),
        (STOPPING.into(), "The server is stopping."),
        (TOO_MANY_PENDING.into(), "20 actions are pending; wait for the owner's decisions."),
        (TOO_MANY_PERFORMING.into(), "20 actions are being performed; wait for their results."),
        (TEXT_TOO_LONG.into(), "text: too long for its approval card; shorten it."),
        (MESSAGE_TOO_LONG.into(), "message: too long for its approval card; shorten it."),
        (QUOTE_TOO_LONG.into(), "text: too long beside the quoted message; shorten it or drop reply_to."),
        (no_chat(ChatRef::Group(13)), "No chat #13. list shows the agent's chats."),
        (not_a_target("hello\nworld"), "Not a SimpleX link or name: hello world"),
        (
            not_joinable("@x.simplex", "it is this agent's own link"),
            "@x.simplex can't be joined now: it is this agent's own link.",
        ),
        (
            no_message("#x.simplex"),
            "message: #x.simplex is not a contact or business address with short link data, or its contact exists \
             without a connection.",
        ),
        (too_many_plans(12), "connect: too many links looked up; try again in 12 minutes."),
        (too_many_plans(1), "connect: too many links looked up; try again in 1 minute."),
        (
            not_connected(ChatRef::Contact(2)),
            "The agent is not connected to @2 and can't post; list shows connected: false.",
        ),
        (role_too_low("observer", ChatRef::Group(12)), "The agent has role observer in #12 and can't post."),
        (no_item(GROUP_15, 999), "reply_to: #15 has no item 999."),
        (not_a_message(GROUP_15, 31), "reply_to: item 31 in #15 is not a message."),
        (no_member(GROUP_15, 45), "mention: #15 has no member 45."),
        (mention_in_contact(AT_4), "mention: @4 is a contact chat; mentions apply to groups and channels."),
        (equal_names(44, 45), "mention: members 44 and 45 have the same name."),
        (CHAT_GONE.into(), "The chat of this action no longer exists."),
    ];
    for (text, expected) in table {
        assert_eq!(text, expected);
    }
}

/// MCP-29, MCP-30
#[test]
fn progress() {
    let until = UnixMillis(1_792_314_900_000);
    let table = [
        (waits_for_approver(2, until), "Action 2 waits for an approver until 2026-10-18 09:15 UTC."),
        (being_performed(2), "Action 2 is being performed."),
        (waits_for_connection(1, until), "Action 1 waits for the connection until 2026-10-18 09:15 UTC."),
        (
            waits_for_messages(2, until),
            "Action 2 is done; the call waits for messages until 2026-10-18 09:15 UTC.",
        ),
        (receive_waits(AT_4, until), "Waiting for a message in @4 until 2026-10-18 09:15 UTC."),
    ];
    for (text, expected) in table {
        assert_eq!(text, expected);
    }
}

/// TOOL-04: the first and the last lines, the name in both places, nothing left to fill in.
#[test]
fn server_instructions() {
    let text = instructions("My\nAgent");
    assert!(text.starts_with(
        "You act in SimpleX chats through these tools, as the agent My Agent.\n\nconnect joins"
    ));
    assert!(text.contains("by a link or a SimpleX name, as your profile My Agent or incognito with"));
    assert!(text.ends_with("\n\nChat references are @N for contacts and #N for groups and channels."));
    assert!(!text.contains("DISPLAY"));
    assert_eq!(text.lines().count(), 22);
}

/// TOOL-21: what was given is shown on one line and not at length.
#[test]
fn long_targets_are_cut() {
    let text = not_a_target(&"x".repeat(5_000));
    assert_eq!(text.chars().count(), "Not a SimpleX link or name: ".len() + 201);
}
