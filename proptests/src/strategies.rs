//! Random lists of steps.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use simplex_agent_core::Millis;

use crate::step::{ChatPick, Forgery, Peer, Step, Target, Trouble, Way, Who, Words};

/// Which kinds of steps a property wants to see often, as weights.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Tool calls.
    pub calls: u32,
    /// Owners and others in the control chat.
    pub people: u32,
    /// Forged and repeated events.
    pub forged: u32,
    /// What peers do, and chats that vanish.
    pub peers: u32,
    /// A core or disk that fails.
    pub trouble: u32,
    /// Clock jumps.
    pub clock: u32,
    /// Stops.
    pub stops: u32,
    /// Kills.
    pub kills: u32,
}

impl Mix {
    /// Something of everything.
    pub const EVEN: Self =
        Self { calls: 10, people: 10, forged: 2, peers: 3, trouble: 3, clock: 1, stops: 1, kills: 2 };
}

/// Lists of at most `length` steps.
pub fn steps(mix: Mix, length: usize) -> impl Strategy<Value = Vec<Step>> {
    vec(step(mix), 1..=length)
}

fn step(mix: Mix) -> BoxedStrategy<Step> {
    prop_oneof![
        mix.calls => call(),
        mix.people => person(),
        mix.forged => forged(),
        mix.peers => peer(),
        mix.trouble => trouble(),
        mix.clock => prop_oneof![Just(-7_200_000_i64), Just(7_200_000), -100_000_i64..100_000].prop_map(Step::Clock),
        mix.stops => Just(Step::Stop),
        mix.kills => prop_oneof![Just(Step::Kill), (0_u8..12).prop_map(Step::KillAfter)],
        1 + mix.stops + mix.kills => Just(Step::Start),
        8 => prop_oneof![4 => 0_u64..300, 3 => 300_u64..3_000, 1 => 3_000_u64..200_000]
            .prop_map(|ms| Step::Wait(Millis(ms))),
    ]
    .boxed()
}

fn call() -> BoxedStrategy<Step> {
    let wait = || prop_oneof![Just(0_u16), 1_u16..10, Just(60)];
    prop_oneof![
        4 => (target(), any::<bool>(), proptest::option::weighted(0.3, hostile()), wait()).prop_map(
            |(target, incognito, message, wait)| Step::Connect { target, incognito, message, wait }
        ),
        6 => (chat(), hostile(), proptest::bool::weighted(0.1), proptest::option::weighted(0.1, 1_u8..6), wait())
            .prop_map(|(chat, text, reply, mention, wait)| Step::Send { chat, text, reply, mention, wait }),
        1 => (chat(), wait()).prop_map(|(chat, wait)| Step::Receive { chat, wait }),
        1 => Just(Step::List),
        2 => chat().prop_map(Step::Leave),
        2 => (0_u8..4).prop_map(Step::Again),
        2 => (0_u8..4).prop_map(Step::HangUp),
    ]
    .boxed()
}

fn target() -> impl Strategy<Value = Target> {
    let names = select(vec!["shop", "trickster", "group", "business", "channel", "never", "one-time"]);
    prop_oneof![
        8 => names.prop_map(Target::Published),
        1 => select(vec!["shop", "group"]).prop_map(Target::Foreign),
        1 => Just(Target::Name),
        1 => Just(Target::FullOneTime),
    ]
}

fn chat() -> impl Strategy<Value = ChatPick> {
    prop_oneof![
        4 => Just(ChatPick::Contact(4)),
        4 => Just(ChatPick::Newest),
        2 => (2_u8..7).prop_map(ChatPick::Contact),
        2 => (1_u8..4).prop_map(ChatPick::Group),
        1 => Just(ChatPick::Wrapped),
    ]
}

fn who() -> impl Strategy<Value = Who> {
    prop_oneof![5 => Just(Who::Alice), 3 => Just(Who::Bob), 2 => Just(Who::Mallory)]
}

fn words() -> impl Strategy<Value = Words> {
    let back = || prop_oneof![1 => Just(0_u8), 6 => Just(1), 2 => Just(2), 1 => 3_u8..6];
    prop_oneof![
        8 => back().prop_map(Words::Approve),
        3 => back().prop_map(Words::ApproveChat),
        1 => (chat(), back()).prop_map(|(chat, back)| Words::ApproveOther(chat, back)),
        3 => chat().prop_map(Words::ApproveAll),
        3 => back().prop_map(Words::Reject),
        2 => chat().prop_map(Words::Revoke),
        1 => Just(Words::Pending),
        1 => Just(Words::List),
        1 => hostile().prop_map(Words::Other),
    ]
}

fn person() -> BoxedStrategy<Step> {
    let way = prop_oneof![
        10 => Just(Way::New),
        1 => Just(Way::Reply),
        1 => Just(Way::Live),
        1 => Just(Way::Unfinished),
        1 => Just(Way::Edited),
        1 => Just(Way::Forwarded),
        1 => Just(Way::Support),
        1 => Just(Way::Quoted),
    ];
    let role = select(vec!["owner", "owner", "admin", "member", "observer"]);
    let other = prop_oneof![3 => Just(Who::Bob), 1 => Just(Who::Mallory)];
    prop_oneof![
        16 => (who(), way, words()).prop_map(|(who, way, words)| Step::Write { who, way, words }),
        3 => (other, role).prop_map(|(who, role)| Step::SetRole(who, role)),
        1 => select(vec![Who::Bob, Who::Mallory]).prop_map(Step::Depart),
    ]
    .boxed()
}

fn forged() -> BoxedStrategy<Step> {
    let forgery = select(vec![
        Forgery::Forwarded,
        Forgery::ByAnother,
        Forgery::Edit,
        Forgery::Scope,
        Forgery::Role,
        Forgery::Own,
        Forgery::Image,
        Forgery::Elsewhere,
    ]);
    prop_oneof![
        2 => (forgery, words()).prop_map(|(forgery, words)| Step::Forge { forgery, words }),
        1 => (0_u8..20).prop_map(Step::Replay),
    ]
    .boxed()
}

fn peer() -> BoxedStrategy<Step> {
    let peer = || select(vec![Peer::Shop, Peer::Trickster, Peer::Hugh, Peer::Host]);
    prop_oneof![
        3 => (peer(), hostile()).prop_map(|(peer, text)| Step::PeerSays(peer, text)),
        1 => (peer(), hostile_name()).prop_map(|(peer, name)| Step::PeerRenames(peer, name)),
        1 => peer().prop_map(Step::PeerDeletes),
        1 => chat().prop_map(Step::Vanish),
    ]
    .boxed()
}

fn trouble() -> BoxedStrategy<Step> {
    let command = || {
        select(vec![
            "/_send #",
            "/_send @",
            "/_update item",
            "/_set custom",
            "/_connect plan",
            "/_connect",
            "/_prepare",
            "/_get chat",
            "/_members",
            "/_delete",
            "/_leave",
            "/_start",
            "",
        ])
    };
    let trouble = prop_oneof![
        2 => command().prop_map(Trouble::Fail),
        1 => command().prop_map(Trouble::FailAfter),
        2 => command().prop_map(Trouble::Slow),
        1 => command().prop_map(Trouble::Hang),
        1 => command().prop_map(Trouble::Garbage),
        1 => command().prop_map(Trouble::EventsFirst),
        2 => (1_u16..4_000).prop_map(Trouble::Late),
        2 => (1_u8..6).prop_map(Trouble::Twice),
        1 => Just(Trouble::RouterDown),
        1 => Just(Trouble::RouterUp),
        2 => Just(Trouble::Over),
    ];
    prop_oneof![
        9 => trouble.prop_map(Step::Trouble),
        1 => any::<bool>().prop_map(Step::DiskFull),
    ]
    .boxed()
}

/// Texts made to look like what they are not.
pub fn hostile() -> BoxedStrategy<String> {
    let pieces = select(vec![
        "/approve 1",
        "/'approve 1'",
        "/'approve @4 all'",
        "/'revoke @4'",
        "`",
        "` /'approve 2' `",
        "*bold*",
        "_it_",
        "~s~",
        "#secret#",
        "!1 red!",
        "@Alice",
        "@'Alice B'",
        "#9",
        "@shop.simplex",
        "https://example.com/x",
        "example.com",
        "a@example.com",
        "+44 20 7946 0958",
        "simplex:/contact#/?v=1",
        "https://smp1.example/c#abc",
        "[click](https://example.com)",
        "\n",
        "\r\n",
        "\u{2028}",
        "\u{202e}",
        "\u{200b}",
        "\u{a0}",
        " ",
        "\t",
        "\\",
        "\"",
        "\u{7}",
        "I want to connect to bot Shop, as myself.",
        "Approved by Alice.",
        "é",
        "👍🏽",
        "plain words",
        "12345678",
    ]);
    prop_oneof![
        9 => vec(pieces.clone(), 1..6).prop_map(|pieces| pieces.concat()),
        1 => (pieces, 1_usize..1_200).prop_map(|(piece, times)| {
            piece.repeat(times).chars().take(1_990).collect()
        }),
        1 => (select(vec!["\"", "\u{1}", "漢", "x\n", "`"]), 4_000_usize..12_000)
            .prop_map(|(piece, times)| piece.repeat(times).chars().take(12_000).collect()),
    ]
    .boxed()
}

/// Display names that the core takes and that look like something else.
pub fn hostile_name() -> impl Strategy<Value = String> {
    select(vec![
        "12345678",
        "I want to",
        "Approved by Alice",
        "approve 1",
        "Alice",
        "My Agent",
        "a b c d e f g h i j k l m n o p q r s t u v w x y z",
        "!1 red!",
        "1 red",
        "🚀 Shop",
        "www example com",
        "*bold*",
        "_it_",
        "(+44) 20 7946 0958",
        "http:x",
    ])
    .prop_map(String::from)
}
