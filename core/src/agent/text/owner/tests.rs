use super::*;
use crate::agent::card::{Connect, ConnectTarget, Leave, Send};
use crate::agent::text::judge;
use crate::agent::text::peer::ChatType;

const GROUP_9: ChatRef = ChatRef::Group(9);
const AT_4: ChatRef = ChatRef::Contact(4);

fn peer(chat_type: ChatType, peer_type: Option<&str>, name: &str) -> Peer {
    Peer {
        chat_type,
        peer_type: peer_type.map(ToString::to_string),
        name: name.to_string(),
        simplex_name: None,
    }
}

fn ridgeline() -> Chat {
    Chat { chat: GROUP_9, peer: peer(ChatType::Business, None, "Ridgeline") }
}

fn directory() -> Chat {
    Chat { chat: AT_4, peer: peer(ChatType::Contact, Some("bot"), "SimpleX Directory") }
}

fn send(chat: Chat) -> Request {
    Request::Send(Send {
        chat,
        incognito: false,
        admission: false,
        text: "hi".to_string(),
        reply_to: None,
        mentions: Vec::new(),
    })
}

fn member(id: u64, name: &str) -> OwnerEntry {
    OwnerEntry { id, name: name.to_string() }
}

/// CMD-08, CMD-09, CMD-12, CMD-13, CMD-16, CMD-17, CMD-18, CMD-19, CMD-20, CMD-21: the plan's table of replies, and
/// the commands that each offers.
#[test]
fn replies() {
    let table: [(String, &str, &[&str]); 14] = [
        (ONLY_OWNERS.to_string(), "Only owners approve actions.", &[]),
        (ONLY_LISTED_OWNERS.to_string(), "Only the owners listed in --owners approve actions.", &[]),
        (not_pending(9), "Action 9 is not pending.", &[]),
        (not_pending(12_345_678), "Action `12345678` is not pending.", &[]),
        (not_for(10, ChatRef::Group(3)), "Action 10 is not for `#3`.", &[]),
        (
            approved(&ridgeline(), false, "Alice"),
            "Approved for business Ridgeline (#9) (messages and tool calls) by Alice. /'revoke #9'",
            &["revoke #9"],
        ),
        (
            approved(&ridgeline(), true, "12345678"),
            "Approved for business Ridgeline (#9), in its admission chat (messages and tool calls) by `12345678`. \
             /'revoke #9'",
            &["revoke #9"],
        ),
        (no_chat(ChatRef::Group(13)), "No chat `#13`. /list shows the agent's chats.", &["list"]),
        (new_chat(GROUP_9), "Chat `#9` is new; /list shows it.", &["list"]),
        (MODE_HOST.to_string(), "Approvals apply in mode requests; this server runs in mode host.", &[]),
        (revoked(&ridgeline()), "Messages to business Ridgeline (#9) need approval again.", &[]),
        (not_approved(GROUP_9), "Messages to `#9` have no standing approval.", &[]),
        (
            COMMANDS.to_string(),
            "Commands: /approve, /reject, /revoke, /pending, /list. Each card shows its commands.",
            &["approve", "reject", "revoke", "pending", "list"],
        ),
        (GREETING.to_string(), "I'm your agent. I ask here before I connect or send.", &[]),
    ];
    for (text, expected, commands) in table {
        assert_eq!(text, expected);
        assert_eq!(judge::commands(&text), commands);
    }
}

/// CMD-22, CMD-23, CARD-43
#[test]
fn pending_lines() {
    let expires = UnixMillis(1_792_314_900_000);
    let connect = |target| Request::Connect(Connect { target, incognito: false, message: None });
    let requests = [
        (2, send(directory())),
        (3, connect(ConnectTarget::OneTime)),
        (4, connect(ConnectTarget::Host("smp.example.com".to_string()))),
        (5, connect(ConnectTarget::Planned { peer: ridgeline().peer, description: None, welcome: None })),
        (6, Request::Leave(Leave { chat: ridgeline() })),
        (12_345_678, Request::Leave(Leave { chat: directory() })),
    ];
    let text = pending(requests.iter().map(|(n, request)| (*n, request, expires)));
    assert_eq!(
        text,
        "2 send to bot SimpleX Directory expires `2026-10-18 09:15 UTC`\n\
         3 connect by a one-time link expires `2026-10-18 09:15 UTC`\n\
         4 connect by a link of `smp.example.com` expires `2026-10-18 09:15 UTC`\n\
         5 connect to business Ridgeline expires `2026-10-18 09:15 UTC`\n\
         6 leave business Ridgeline expires `2026-10-18 09:15 UTC`\n\
         `12345678` delete bot SimpleX Directory expires `2026-10-18 09:15 UTC`"
    );
    assert_eq!(judge::commands(&text), [""; 0]);
    assert_eq!(pending([].into_iter()), "No pending actions.");
}

fn listed<'a>(
    chat: ChatRef,
    peer: &'a Peer,
    approved_by: Option<&'a str>,
    connected: bool,
) -> ListedChat<'a> {
    ListedChat { chat, peer, approved_by, connected }
}

/// CMD-24, CMD-25, CMD-27, CMD-28, CARD-43: the plan's sample.
#[test]
fn list_lines() {
    let (directory, ridgeline) = (directory().peer, ridgeline().peer);
    let preset = peer(ChatType::Contact, None, "Ask SimpleX Team");
    let chats = || {
        [
            listed(AT_4, &directory, None, true),
            listed(GROUP_9, &ridgeline, Some("Alice"), true),
            listed(ChatRef::Contact(2), &preset, None, false),
        ]
        .into_iter()
    };
    let lines = "`@4` bot SimpleX Directory\n\
                 `#9` business Ridgeline, approved for this chat by Alice\n\
                 `@2` contact Ask SimpleX Team, not connected";
    let table = [
        (0, lines.to_string()),
        (1, format!("{lines}\n1 older chat is not shown.")),
        (23, format!("{lines}\n23 older chats are not shown.")),
    ];
    for (older, expected) in table {
        let text = list(chats(), older);
        assert_eq!(text, expected);
        assert_eq!(judge::commands(&text), [""; 0]);
    }
    assert_eq!(list([].into_iter(), 0), "No chats.");
}

/// CMD-26: a line has at most 100 encoded bytes, `…` included, and closes its code span.
#[test]
fn list_lines_are_cut() {
    let names = ["x".repeat(40), "ж".repeat(40), "`".repeat(40), "\"".repeat(40), "👍 ".repeat(20)];
    for name in &names {
        for by in &names {
            let peer = peer(ChatType::Business, None, name);
            let line = list_line(&listed(ChatRef::Group(999_999_999_999_999), &peer, Some(by), false));
            assert!(encoded_len(&line) <= LIST_LINE && encoded_len(&line) > LIST_LINE - 8, "{line}");
            assert!(line.ends_with('…') || line.ends_with("…`"), "{line}");
            assert_eq!(line.matches('`').count() % 2, 0);
        }
    }
}

/// CTRL-08, CTRL-17, CTRL-18, CTRL-19, CTRL-20: the plan's table of membership messages.
#[test]
fn membership() {
    let (alice, bob) = (member(3, "Alice"), member(7, "Bob"));
    let table = [
        (observer_joined(&alice), "Alice joined (member 3). Restart the server with `--owners 3:Alice`"),
        (
            observer_joined(&member(3, "Alice Smith")),
            "Alice Smith joined (member 3). Restart the server with `--owners '3:Alice Smith'`",
        ),
        (
            owner_added(&bob, &[alice.clone(), bob.clone()]),
            "Bob (member 7) is now an owner and can't approve actions yet. Restart the server with \
             `--owners 3:Alice,7:Bob`",
        ),
        (
            owner_gone(&alice, &[bob]),
            "Alice (member 3) is no longer an owner. Restart the server with `--owners 7:Bob`",
        ),
        (
            owner_gone(&alice, &[]),
            "Alice (member 3) is no longer an owner. No owners remain: restart the server with \
             `--reset-owners --owners`",
        ),
        (
            observer_joined(&member(12_345_678, "/'approve 1'")),
            "`/'approve 1'` joined (member `12345678`). Restart the server with `--owners '12345678:__approve 1_'`",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(text, expected);
        assert_eq!(judge::commands(&text), [""; 0]);
    }
}

/// CARD-41, CMD-30, P4, P5: whatever names people take, only what a text offers can be tapped, and it fits.
#[test]
fn nothing_else_can_be_tapped() {
    let mut wild = judge::Peer::new(11);
    for _ in 0..300 {
        let peers: Vec<Peer> = (0..8).map(|_| peer(ChatType::Group, None, &wild.name())).collect();
        let by = wild.name();
        let chat = Chat { chat: GROUP_9, peer: peers[0].clone() };
        assert_eq!(judge::commands(&approved(&chat, wild.below(2) == 0, &by)), ["revoke #9"]);
        assert_eq!(judge::commands(&revoked(&chat)), [""; 0]);
        let members: Vec<OwnerEntry> = (0..3).map(|at| member(at + 1, &wild.name())).collect();
        for text in [
            observer_joined(&members[0]),
            owner_added(&members[0], &members),
            owner_gone(&members[0], &members),
            owner_gone(&members[0], &[]),
            list(peers.iter().map(|peer| listed(GROUP_9, peer, Some(&by), false)), 2),
            pending([(1, &send(chat), UnixMillis(0))].into_iter()),
        ] {
            assert_eq!(judge::commands(&text), [""; 0], "{text}");
        }
    }
    let worst = peer(ChatType::Group, None, &"\u{10fffd}".repeat(90));
    let chats =
        (0..LIST_CHATS).map(|_| listed(ChatRef::Group(999_999_999_999_999), &worst, Some("x"), false));
    assert!(encoded_len(&list(chats, usize::MAX)) <= 10_300);
    let request = send(Chat { chat: GROUP_9, peer: worst.clone() });
    let actions = (0..20).map(|_| (u64::MAX, &request, UnixMillis(0)));
    assert!(encoded_len(&pending(actions)) <= 8_000);
}
