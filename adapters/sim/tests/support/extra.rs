//! Commands whose long texts the recordings cut, and some texts, for the shapes of their answers.
#![allow(dead_code, unreachable_pub, missing_docs)]

use simplex_agent_core::{Millis, Now, UnixMillis};
use simplex_sim::{Act, Network, Options, Output};

use crate::shapes::Shapes;

/// Adds the shapes of what these commands cause.
pub fn extra(shapes: &mut Shapes) {
    let mut now = Now { mono: Millis(0), unix: UnixMillis(1_790_000_000_250) };
    let mut network = Network::new(5, Options::default());
    network.add_peer(now, "Host").expect("a free name");
    network.act(now, "Host", Act::CreateAddress { name: "host".into() }).expect("an address");
    network
        .act(
            now,
            "Host",
            Act::Command(
                r#"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#
                    .into(),
            ),
        )
        .expect("settings");
    network.act(now, "Host", Act::CreateGroup { chat: "Team".into(), name: "team".into() }).expect("a group");
    let agent = network.open(now, "agent");
    let (host, team) = (network.link("host").expect("host"), network.link("team").expect("team"));
    let long = |n: usize| "a".repeat(n);
    // One, two and three byte characters, so that no byte is much more frequent than the others.
    let odd: String = (0..7_900u64)
        .map(|i| {
            let n = i.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 33;
            let n = u32::try_from(n).unwrap_or(0);
            let code = match n % 10 {
                0..=3 => 0x23 + n / 10 % 57,
                4..=6 => 0xC0 + n / 10 % 1_850,
                _ => 0x800 + n / 10 % 51_000,
            };
            char::from_u32(code).unwrap_or('x')
        })
        .collect();
    let send = |to: &str, text: &str| {
        format!(
            r#"/_send {to} json [{{"msgContent":{{"type":"text","text":{}}},"mentions":{{}}}}]"#,
            serde_json::json!(text)
        )
    };
    let lines = [
        r#"/_create user {"profile":{"displayName":"Agent","fullName":""},"pastTimestamp":false}"#
            .to_string(),
        "/_start".into(),
        format!("/connect {host}"),
        format!("/connect {team}"),
        send("#1", &format!("*bold* _italic_ ~strike~ #secret# [text](https://example.org/x) {team}")),
        format!(
            r#"/_send #1 json [{{"msgContent":{{"type":"text","text":"ok"}},"mentions":{{}}}},{{"msgContent":{{"type":"text","text":"{}"}},"mentions":{{}}}}]"#,
            long(16_000)
        ),
        r#"/_send #1 json [{"msgContent":{"type":"unknowntype","text":"unk","x":1},"mentions":{}}]"#.into(),
        r#"/_send #1 json [{"msgContent":{"type":"text","text":"x"},"quotedItemId":8,"mentions":{}}]"#.into(),
        send("@4", &odd),
        format!(
            r#"/_update item #1 21 json {{"msgContent":{{"type":"text","text":"{}"}},"mentions":{{}}}}"#,
            long(15_500)
        ),
        "/users".into(),
        "/_contacts 1".into(),
        "/_info #1 1".into(),
        "/_get item info #1 20".into(),
        r#"/_group 1 {"displayName":"Own","fullName":""}"#.into(),
    ];
    for line in lines.into_iter().chain(own_group()) {
        if line == "join" {
            let link = network.link("control").expect("the agent's link");
            network.act(now, "Host", Act::Join { link }).expect("Host joins");
            let edit = r#"/_group_profile #1 {"displayName":"Team","fullName":"x","description":"y"}"#.into();
            network.act(now, "Host", Act::Command(edit)).expect("the profile");
            continue;
        }
        network.command(now, agent, 1, &line);
        now = Now { mono: now.mono + Millis::secs(3), unix: now.unix.plus(Millis::secs(3)) };
        network.advance(now);
        while let Some(output) = network.poll() {
            let (kind, text) = match output {
                Output::Response { text, .. } => ("resp", text),
                Output::Event { text, .. } => ("event", text),
            };
            shapes.envelope(kind, &serde_json::from_str(&text).expect("JSON"));
        }
    }
}

/// What an owner does with a member.
fn own_group() -> Vec<String> {
    ["/_create link #2 member", "join", "/_get chats 1", "/_members #2", "/_block #2 4 blocked=on"]
        .map(String::from)
        .to_vec()
}
