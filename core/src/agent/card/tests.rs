use alloc::format;
use alloc::string::ToString;

use super::*;
use crate::agent::text::judge;
use crate::agent::text::peer::{Chat, ChatType, Peer};
use crate::simplex::chat_ref::ChatRef;

fn peer(chat_type: ChatType, peer_type: Option<&str>, name: &str, simplex_name: Option<&str>) -> Peer {
    Peer {
        chat_type,
        peer_type: peer_type.map(ToString::to_string),
        name: name.to_string(),
        simplex_name: simplex_name.map(ToString::to_string),
    }
}

fn directory(simplex_name: Option<&str>) -> Peer {
    peer(ChatType::Contact, Some("bot"), "SimpleX Directory", simplex_name)
}

fn connect(target: ConnectTarget) -> Connect {
    Connect { target, incognito: false, message: None }
}

fn planned(peer: Peer, description: &str, welcome: &str) -> ConnectTarget {
    let text = |text: &str| Some(text.to_string()).filter(|text| !text.is_empty());
    ConnectTarget::Planned { peer, description: text(description), welcome: text(welcome) }
}

fn send(text: &str) -> Send {
    Send {
        chat: Chat { chat: ChatRef::Contact(4), peer: directory(Some("@directory.simplex")) },
        incognito: false,
        admission: false,
        text: text.to_string(),
        reply_to: None,
        mentions: Vec::new(),
    }
}

fn leave(chat: ChatRef, peer: Peer) -> Leave {
    Leave { chat: Chat { chat, peer } }
}

fn card(request: Request) -> Card {
    Card::fit(request).expect("it fits")
}

fn by(name: &str) -> Decision {
    Decision::Approver(name.to_string())
}

fn failed(decision: Decision, error: &str) -> Outcome {
    Outcome::Failed { decision, error: error.to_string() }
}

/// CARD-01, CARD-02, CARD-03, CARD-04, CARD-05, CARD-06, CARD-07, CARD-08, CARD-42: the plan's sample and every part.
#[test]
fn connect_cards() {
    let find = "Find groups, channels, businesses and bots.";
    let table = [
        (
            connect(planned(directory(Some("@directory.simplex")), find, "")),
            "I want to connect to bot SimpleX Directory (@directory.simplex), as myself.\n\
             `Find groups, channels, businesses and bots.`\n\
             /'approve 1' or /'reject 1'",
        ),
        (
            Connect { incognito: true, ..connect(planned(directory(None), "", "")) },
            "I want to connect to bot SimpleX Directory, incognito.\n/'approve 1' or /'reject 1'",
        ),
        (
            Connect {
                message: Some("Hi,\nI'm new.".to_string()),
                ..connect(planned(
                    peer(ChatType::Business, None, "Ridgeline", None),
                    "Shoes",
                    "Welcome!\n\nAsk us.",
                ))
            },
            "I want to connect to business Ridgeline, as myself.\n`Shoes`\n`Welcome!`\n`\u{a0}`\n`Ask us.`\n\
             With the message:\n`Hi,`\n`I'm new.`\n/'approve 1' or /'reject 1'",
        ),
        (
            connect(planned(peer(ChatType::Channel, None, "News", Some("#news.simplex")), "", "")),
            "I want to connect to channel News (#news.simplex), as myself.\n/'approve 1' or /'reject 1'",
        ),
        (
            connect(planned(peer(ChatType::Group, None, "Knitters", None), "", "")),
            "I want to connect to group Knitters, as myself.\n/'approve 1' or /'reject 1'",
        ),
        (
            connect(ConnectTarget::OneTime),
            "I want to connect by a one-time link, as myself.\n/'approve 1' or /'reject 1'",
        ),
        (
            Connect { incognito: true, ..connect(ConnectTarget::Host("smp.example.com".to_string())) },
            "I want to connect by a link of `smp.example.com`, incognito.\n/'approve 1' or /'reject 1'",
        ),
    ];
    for (connect, expected) in table {
        let text = card(Request::Connect(connect)).pending(1);
        assert_eq!(text, expected);
        assert_eq!(judge::commands(&text), ["approve 1", "reject 1"]);
    }
}

/// CARD-09, CARD-10, CARD-11, CARD-12, CARD-13, CARD-16, CARD-40, CARD-43
#[test]
fn send_cards() {
    let commands = "/'approve @4 2', /'approve @4 all' or /'reject @4 2'";
    let quote = |text: &str| Some(Quote { from: "Switchback".to_string(), text: text.to_string() });
    let table = [
        (
            send("trail running shoes"),
            "I want to send a message to bot SimpleX Directory (@directory.simplex):\n`trail running shoes`",
        ),
        (
            Send { incognito: true, reply_to: quote("Ridgecrest, $142\nin blue"), ..send("two\nlines") },
            "I want to send a message to bot SimpleX Directory (@directory.simplex), where I am incognito:\n\
             `two`\n`lines`\nreplying to Switchback: `Ridgecrest, $142`",
        ),
        (
            Send {
                admission: true,
                mentions: ["Switchback", "Bob *x*"].map(ToString::to_string).into(),
                ..send("@Switchback @'Bob *x*' hello")
            },
            "I want to send a message to bot SimpleX Directory (@directory.simplex), in its admission chat:\n\
             `@Switchback @'Bob *x*' hello`\nmentioning Switchback, `Bob *x*`",
        ),
        (
            Send { incognito: true, admission: true, reply_to: quote(""), ..send(" ") },
            "I want to send a message to bot SimpleX Directory (@directory.simplex), where I am incognito, in its \
             admission chat:\n`\u{a0}`\nreplying to Switchback: `\u{a0}`",
        ),
    ];
    for (send, expected) in table {
        let text = card(Request::Send(send)).pending(2);
        assert_eq!(text, format!("{expected}\n{commands}"));
        assert_eq!(judge::commands(&text), ["approve @4 2", "approve @4 all", "reject @4 2"]);
    }
}

/// CARD-12: at most 100 characters of the first line, the `…` of a longer one included.
#[test]
fn long_quotes_are_cut() {
    for (length, shown) in [(100, "x".repeat(100)), (101, format!("{}…", "x".repeat(99)))] {
        let reply_to = Some(Quote { from: "Bob".to_string(), text: "x".repeat(length) });
        let text = card(Request::Send(Send { reply_to, ..send("hi") })).pending(2);
        assert!(text.contains(&format!("\nreplying to Bob: `{shown}`\n")), "{text}");
    }
}

/// CARD-14, CARD-15
#[test]
fn leave_cards() {
    let table = [
        (
            leave(ChatRef::Group(9), peer(ChatType::Business, None, "Ridgeline", None)),
            "I want to leave business Ridgeline (#9).\n/'approve #9 12' or /'reject #9 12'",
            "I left business Ridgeline (#9).\nApproved by Alice.",
        ),
        (
            leave(ChatRef::Contact(4), directory(None)),
            "I want to delete bot SimpleX Directory (@4).\n/'approve @4 12' or /'reject @4 12'",
            "I deleted bot SimpleX Directory (@4).\nApproved by Alice.",
        ),
    ];
    for (leave, pending, done) in table {
        let card = card(Request::Leave(leave));
        assert_eq!(card.pending(12), pending);
        assert_eq!(card.outcome(&Outcome::Done(by("Alice"))), done);
        assert_eq!(judge::commands(&card.pending(12)).len(), 2);
    }
}

/// CARD-17, CARD-18, CARD-19, CARD-20, CARD-21, CARD-22, CARD-23, CARD-24, CARD-25, CARD-26, CARD-27, CARD-28: every
/// row of the plan's table of outcomes.
#[test]
fn outcomes() {
    let connect = card(Request::Connect(Connect {
        message: Some("Hi".to_string()),
        ..connect(planned(directory(None), "Find groups.", ""))
    }));
    let lines = "`Find groups.`\nWith the message:\n`Hi`";
    let want = format!("I want to connect to bot SimpleX Directory, as myself.\n{lines}");
    let table = [
        (
            Outcome::Done(by("Alice")),
            format!("I connected to bot SimpleX Directory, as myself.\n{lines}\nApproved by Alice."),
        ),
        (
            Outcome::Requested(by("Alice")),
            format!("I asked to connect to bot SimpleX Directory, as myself.\n{lines}\nApproved by Alice."),
        ),
        (
            Outcome::Done(Decision::Host),
            format!(
                "I connected to bot SimpleX Directory, as myself.\n{lines}\nPerformed without approval (mode host)."
            ),
        ),
        (
            failed(by("Alice"), "no `net`\nwork "),
            format!("{want}\nApproved by Alice; failed: `no 'net' work`."),
        ),
        (
            failed(Decision::Host, "timeout"),
            format!("{want}\nPerformed without approval (mode host); failed: `timeout`."),
        ),
        (Outcome::Rejected("Alice".to_string()), format!("{want}\nRejected by Alice.")),
        (Outcome::Expired, format!("{want}\nExpired.")),
        (Outcome::Cancelled, format!("{want}\nCancelled: the server stopped.")),
        (
            Outcome::Interrupted(by("Alice")),
            format!("{want}\nApproved by Alice; interrupted: the server stopped."),
        ),
        (
            Outcome::Interrupted(Decision::Host),
            format!("{want}\nPerformed without approval (mode host); interrupted: the server stopped."),
        ),
        (Outcome::Rejected("/'list'".to_string()), format!("{want}\nRejected by `/'list'`.")),
    ];
    for (outcome, expected) in table {
        let text = connect.outcome(&outcome);
        assert_eq!(text, expected);
        assert_eq!(judge::commands(&text), [""; 0]);
    }
}

/// CARD-19, CARD-20, STOP-06: standing approvals name what they cover (decisions 8 and 10).
#[test]
fn standing_outcomes() {
    let card = card(Request::Send(send("hi")));
    let peer = "a message to bot SimpleX Directory (@directory.simplex):\n`hi`\n";
    let standing = || Decision::Standing("Alice".to_string());
    let approved = "Approved for this chat (messages and tool calls) by Alice";
    let table = [
        (Outcome::Done(standing()), format!("I sent {peer}{approved}. /'revoke @4'"), Some("revoke @4")),
        (failed(standing(), "timeout"), format!("I want to send {peer}{approved}; failed: `timeout`."), None),
        (
            Outcome::Interrupted(standing()),
            format!("I want to send {peer}{approved}; interrupted: the server stopped."),
            None,
        ),
    ];
    for (outcome, expected, command) in table {
        let text = card.outcome(&outcome);
        assert_eq!(text, expected);
        assert_eq!(judge::commands(&text), command.into_iter().collect::<Vec<_>>());
    }
}

/// CARD-36, CARD-37: what is hidden shows.
#[test]
fn hidden_characters_show() {
    let table = [
        ("pay \u{202e}evil", "`pay \\u202eevil`"),
        ("a\u{200b}b\u{0}c\rd\te", "`a\\u200bb\\u0000c\\u000dd\te`"),
        ("blank \u{3164}\u{2800}\u{ffa0}\u{115f}", "`blank \\u3164\\u2800\\uffa0\\u115f`"),
        ("👩\u{200d}🔬 ❤\u{fe0f}", "`👩\u{200d}🔬 ❤\u{fe0f}`"),
        ("a\u{2028}b", "`a\\u2028b`"),
        (" `/approve 1` ", "`\u{a0}'/approve 1'\u{a0}`"),
    ];
    for (text, line) in table {
        let shown = card(Request::Send(send(text))).pending(2);
        assert_eq!(shown.split('\n').nth(1), Some(line), "{text:?}");
    }
}

/// CARD-38, CARD-39: names of others.
#[test]
fn names() {
    let long = "x".repeat(60);
    let cut = format!("`{}…`", "x".repeat(49));
    let table: [(&str, &str); 13] = [
        ("SimpleX Directory", "SimpleX Directory"),
        ("two\nlines", "two lines"),
        ("\u{202e}evil\u{200b}", "evil"),
        ("/approve 1", "`/approve 1`"),
        ("a`b", "`a'b`"),
        ("x.com", "`x.com`"),
        ("12345678", "`12345678`"),
        ("a *b", "`a *b`"),
        ("_x", "`_x`"),
        ("", "`\u{a0}`"),
        ("#9", "`#9`"),
        (&long, &cut),
        ("👍 ops", "👍 ops"),
    ];
    for (name, shown) in table {
        let leave = leave(ChatRef::Group(9), peer(ChatType::Group, None, name, None));
        let text = card(Request::Leave(leave)).pending(1);
        assert_eq!(text.split('\n').next(), Some(format!("I want to leave group {shown} (#9).").as_str()));
        assert_eq!(judge::commands(&text), ["approve #9 1", "reject #9 1"]);
    }
}

/// CARD-29, CARD-32, P5: the largest text that fits fits in every form, one more byte is refused.
#[test]
fn sends_that_just_fit() {
    let fits = |length: usize| Card::fit(Request::Send(send(&"x".repeat(length))));
    let (mut low, mut high) = (1, 16_000);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if fits(middle).is_ok() { low = middle } else { high = middle }
    }
    assert!(low > 14_000, "{low}");
    assert_eq!(fits(low + 1), Err(TooLong::Text));
    let card = card(Request::Send(send(&"x".repeat(low))));
    assert_eq!(card.largest(), LIMIT);
    let name = "\u{10fffd}".repeat(500);
    for decision in [by(&name), Decision::Standing(name.clone()), Decision::Host] {
        for error in ["e".repeat(100_000), "\"\\\u{10fffd}".repeat(9_000), "`".repeat(20_000)] {
            let text = card.outcome(&failed(decision.clone(), &error));
            assert!(encoded_len(&text) <= LIMIT, "{}", encoded_len(&text));
            assert!(text.ends_with("…`."), "a cut error says so");
            let shown = text.rsplit("; failed: ").next().map(encoded_len).unwrap_or_default();
            assert!(shown > outcome::ERROR_ROOM - 8, "an error has its room on every card: {shown}");
        }
        assert!(encoded_len(&card.outcome(&Outcome::Done(decision))) <= LIMIT);
    }
    assert!(encoded_len(&card.pending(u64::MAX)) <= LIMIT);
}

/// CARD-29: an error that fits is whole.
#[test]
fn errors_that_fit_are_whole() {
    let error = "e".repeat(14_000);
    let text = card(Request::Connect(connect(ConnectTarget::OneTime))).outcome(&failed(by("Alice"), &error));
    assert!(text.contains(&error));
}

/// CARD-33: whole lines first, the last kept line ends in `…`, the message is never cut.
#[test]
fn link_texts_are_cut() {
    let message = "m".repeat(2000);
    for welcome in
        ["w".repeat(20_000), "line of text\n".repeat(2_000), "\n".repeat(9_000), "\u{202e}".repeat(5_000)]
    {
        for length in [10, 4_000, 12_000] {
            let description = "d".repeat(length);
            let card = card(Request::Connect(Connect {
                message: Some(message.clone()),
                ..connect(planned(directory(None), &description, &welcome))
            }));
            let text = card.pending(1);
            let largest = card.largest();
            assert!((LIMIT - 20..=LIMIT).contains(&largest), "{largest}");
            assert!(text.contains(&format!("\nWith the message:\n`{message}`\n")));
            assert!(text.contains(&format!("\n`{description}`\n")));
            let last = text.split("\nWith the message:").next().and_then(|head| head.rsplit('\n').next());
            assert!(last.is_some_and(|last| last.ends_with("…`")), "{last:?}");
            assert_eq!(judge::commands(&text), ["approve 1", "reject 1"]);
        }
    }
}

/// CARD-33: every length of what is left: the cut says that there is more, unless there is no room at all.
#[test]
fn every_room_for_link_texts() {
    let texts = ["ab", "", "cdé\u{202e}", "f"];
    let text = texts.join("\n");
    let whole = shown::lines(&text);
    for room in 0..60 {
        let lines = cut_lines([text.as_str()].into_iter(), room);
        let size: usize = lines.iter().map(|line| encoded_len(line) + BREAK).sum();
        assert!(size <= room, "{lines:?} in {room}");
        if lines != whole && room >= 8 {
            assert!(lines.last().is_some_and(|last| last.ends_with("…`")), "{lines:?} in {room}");
        }
        let kept = lines.len().saturating_sub(1);
        assert_eq!(lines[..kept], whole[..kept], "whole lines first");
    }
    assert_eq!(cut_lines([text.as_str()].into_iter(), 60), whole);
}

/// CARD-33: a message that does not fit without the link's texts is refused; 2,000 plain characters always fit.
#[test]
fn messages_too_long() {
    let with = |message: String| {
        Card::fit(Request::Connect(Connect {
            message: Some(message),
            ..connect(planned(directory(None), &"d".repeat(9_000), ""))
        }))
    };
    assert!(with("ж".repeat(2_000)).is_ok());
    assert_eq!(with("\u{e0041}".repeat(2_000)), Err(TooLong::Message));
    assert_eq!(with("\n".repeat(2_500)), Err(TooLong::Message));
}

/// CARD-41, CARD-34, CARD-32, P4, P5: for whatever others write, a card's only tappable parts are its own, in every
/// form, and each form fits.
#[test]
fn nothing_else_can_be_tapped() {
    let mut wild = judge::Peer::new(7);
    for round in 0..500 {
        let request = any_request(&mut wild);
        let Ok(card) = Card::fit(request.clone()) else { continue };
        let pending = card.pending(12);
        let commands: Vec<String> = match (&request, request.chat()) {
            (Request::Send(_), Some(chat)) => {
                [format!("approve {chat} 12"), format!("approve {chat} all"), format!("reject {chat} 12")]
                    .into()
            }
            (_, Some(chat)) => [format!("approve {chat} 12"), format!("reject {chat} 12")].into(),
            (_, None) => ["approve 12".to_string(), "reject 12".to_string()].into(),
        };
        assert_eq!(judge::commands(&pending), commands, "round {round}: {pending}");
        assert_eq!(DeadCard::read(&pending).map(|dead| (dead.chat, dead.n)), Some((request.chat(), 12)));
        for outcome in any_outcomes(&mut wild) {
            let text = card.outcome(&outcome);
            assert!(encoded_len(&text) <= LIMIT);
            let revoke = match (&outcome, request.chat()) {
                (
                    Outcome::Done(Decision::Standing(_)) | Outcome::Requested(Decision::Standing(_)),
                    Some(chat),
                ) => Some(format!("revoke {chat}")),
                _ => None,
            };
            assert_eq!(
                judge::commands(&text),
                revoke.into_iter().collect::<Vec<_>>(),
                "round {round}: {text}"
            );
            assert_eq!(DeadCard::read(&text), None, "an ended card has no commands: {text}");
        }
        if let Request::Send(send) = &request {
            let lines: Vec<&str> = pending.split('\n').collect();
            let shown = shown::lines(&send.text);
            assert_eq!(
                &lines[1..=shown.len()],
                shown.as_slice(),
                "each line of the text is one line of the card"
            );
        }
    }
}

fn any_request(wild: &mut judge::Peer) -> Request {
    let types = [ChatType::Contact, ChatType::Business, ChatType::Group, ChatType::Channel];
    let peer = Peer {
        chat_type: types[wild.below(4)],
        peer_type: Some(wild.text(1)),
        name: wild.name(),
        simplex_name: (wild.below(2) == 0).then(|| wild.text(3)),
    };
    let chat = Chat { chat: ChatRef::Group(9), peer: peer.clone() };
    match wild.below(4) {
        0 => Request::Leave(Leave { chat }),
        1 => Request::Send(Send {
            chat,
            incognito: wild.below(2) == 0,
            admission: wild.below(2) == 0,
            text: wild.text(30),
            reply_to: (wild.below(2) == 0).then(|| Quote { from: wild.name(), text: wild.text(9) }),
            mentions: (0..wild.below(4)).map(|_| wild.name()).collect(),
        }),
        2 => Request::Connect(Connect {
            target: ConnectTarget::Host(wild.text(3)),
            incognito: false,
            message: Some(wild.text(9)),
        }),
        _ => Request::Connect(Connect {
            target: ConnectTarget::Planned {
                peer,
                description: Some(wild.text(9)),
                welcome: Some(wild.text(30)),
            },
            incognito: wild.below(2) == 0,
            message: (wild.below(2) == 0).then(|| wild.text(9)),
        }),
    }
}

fn any_outcomes(wild: &mut judge::Peer) -> Vec<Outcome> {
    let decision = match wild.below(3) {
        0 => Decision::Approver(wild.name()),
        1 => Decision::Standing(wild.name()),
        _ => Decision::Host,
    };
    [
        Outcome::Done(decision.clone()),
        Outcome::Requested(decision.clone()),
        Outcome::Failed { decision: decision.clone(), error: wild.text(12) },
        Outcome::Rejected(wild.name()),
        Outcome::Expired,
        Outcome::Cancelled,
        Outcome::Interrupted(decision),
    ]
    .into()
}

/// START-23, START-24: an old card loses its commands and says how it ended.
#[test]
fn dead_cards() {
    let card = card(Request::Send(send("hi")));
    let dead = DeadCard::read(&card.pending(2)).expect("it shows commands");
    assert_eq!((dead.chat, dead.n), (Some(ChatRef::Contact(4)), 2));
    assert_eq!(dead.ended(&Ending::Cancelled), card.outcome(&Outcome::Cancelled));
    let interrupted = Ending::Interrupted(by("Alice"));
    assert_eq!(dead.ended(&interrupted), card.outcome(&Outcome::Interrupted(by("Alice"))));
    let no_cards = [
        "I'm your agent. I ask here before I connect or send.",
        "Approved for business Ridgeline (#9) (messages and tool calls) by Alice. /'revoke #9'",
        "I sent a message to bot X:\n`/'approve @4 2', /'approve @4 all' or /'reject @4 2'`\nApproved by Alice.",
        "I want to send a message to bot X:\n`hi`\n/'approve @4 2', /'approve @4 all' or /'reject @4 3'",
        "I want to send a message to bot X:\n`hi`\n/'approve @4 02' or /'reject @4 02'",
        "I want to leave\n/'approve @4 99999999999999999999' or /'reject @4 99999999999999999999'",
        "/'approve 1' or /'reject 1'",
        "",
    ];
    for text in no_cards {
        assert_eq!(DeadCard::read(text), None, "{text}");
    }
}
