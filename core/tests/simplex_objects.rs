//! What is read of the objects of the SimpleX core, field by field, from the fixtures.

use simplex_agent_core::UnixMillis;
use simplex_agent_core::simplex::command::Conversation;
use simplex_agent_core::simplex::event::{self, Event};
use simplex_agent_core::simplex::model::{
    AddressPlan, BotCommand, ChatDir, ChatInfo, ConnStatus, ContactId, Content, Deletion, GroupId,
    GroupMemberId, GroupPlan, InvitationPlan, ItemId, ItemStatus, MemberRole, MemberStatus, MsgKind,
    PeerType, PlacedItem, Plan, Planned, Scope, Verified,
};
use simplex_agent_core::simplex::response::{self, Response};

fn responses(tag: &str) -> Vec<Response> {
    let start = format!(r#"{{"result":{{"type":"{tag}""#);
    let lines = include_str!("data/responses.jsonl").lines().filter(|line| line.starts_with(&start));
    lines.map(|line| response::decode(line).expect(line)).collect()
}

fn events(tag: &str) -> Vec<Event> {
    let start = format!(r#"{{"result":{{"type":"{tag}""#);
    let lines = include_str!("data/events.jsonl").lines().filter(|line| line.starts_with(&start));
    lines.map(event::decode).collect()
}

fn new_items() -> Vec<PlacedItem> {
    match events("newChatItems").remove(0) {
        Event::NewItems(items) => items,
        other => panic!("{other:?}"),
    }
}

fn plans() -> Vec<Planned> {
    let planned = |response| match response {
        Response::Planned(planned) => planned,
        other => panic!("{other:?}"),
    };
    responses("connectionPlan").into_iter().map(planned).collect()
}

/// LANG-04: the user, with the profile as it came.
#[test]
fn user() {
    let [Response::ActiveUser(user)] = &responses("activeUser")[..] else { panic!() };
    assert_eq!(user.user_id.number(), 1);
    assert_eq!(user.profile.display_name, "Atlas");
    assert_eq!(user.profile.peer_type, Some(PeerType::Bot));
    assert_eq!(
        user.profile.raw.as_str(),
        r#"{"profileId":1,"displayName":"Atlas","fullName":"","peerType":"bot","localAlias":""}"#
    );
}

/// LANG-06: groups of each kind; one that cannot be read is left out and loses no other.
#[test]
fn groups() {
    let [Response::Groups(groups)] = &responses("groupsList")[..] else { panic!() };
    let [control, team, business, channel] = &groups[..] else { panic!("{groups:?}") };
    assert_eq!(control.name(), "Atlas");
    assert_eq!(control.group_id, GroupId::new(12));
    let data = control.custom_data.as_ref().expect("custom data");
    assert_eq!(data.as_str(), r#"{"simplexMcp":{"control":true,"nextAction":7}}"#);
    assert_eq!(control.created_at.unix(), Some(UnixMillis(1_772_355_600_250)));
    assert!(control.can_post() && !control.is_incognito() && !control.is_channel() && !control.is_business());
    assert_eq!(control.group_profile.commands.len(), 1);
    assert_eq!(control.group_profile.description.as_deref(), Some("Control room"));

    assert_eq!(team.membership.member_status, MemberStatus::Left);
    assert!(team.is_incognito() && !team.can_post());
    assert_eq!(team.membership.name(), "QuietHeron");

    assert!(business.is_business() && !business.is_channel());
    let prepared = business.prepared_group.as_ref().expect("prepared");
    assert!(prepared.conn_link_to_connect.is("https://smp.example.org/a#Zm9v"));
    assert!(!prepared.conn_link_started_connection);

    assert!(channel.is_channel());
    assert_eq!(channel.verified_name().map(|name| name.as_str()), Some("news.acme.simplex"));
}

/// LANG-06: members, one that cannot be read left out; a member added by another owner is current, not joined.
#[test]
fn members() {
    let [Response::Members { members, .. }] = &responses("groupMembers")[..] else { panic!() };
    let [alice, bob] = &members[..] else { panic!("{members:?}") };
    assert_eq!((alice.name(), &alice.member_role), ("Alice", &MemberRole::Owner));
    assert_eq!(alice.member_id, "bWVtYmVyLSVk2==");
    assert_eq!(alice.active_conn.as_ref().map(|conn| &conn.conn_status), Some(&ConnStatus::Ready));
    assert!(alice.member_status.is_joined());
    assert_eq!(bob.member_status, MemberStatus::IntroInvited);
    assert!(bob.member_status.is_current() && !bob.member_status.is_joined());
}

/// LANG-06: chats of every kind, those without a contact or of another core too.
#[test]
fn chats() {
    let [Response::Chats(chats)] = &responses("apiChats")[..] else { panic!() };
    let [group, direct, preset, local, request, pending, other] = &chats[..] else { panic!("{chats:?}") };
    assert_eq!(group.chat_info.conversation(), Some(Conversation::Group(GroupId::new(12))));
    assert_eq!((group.chat_stats.unread_count, group.chat_stats.unread_mentions), (2, 1));
    assert_eq!(group.chat_stats.min_unread_item_id, Some(ItemId::new(341)));
    let ChatInfo::Direct(contact) = &direct.chat_info else { panic!("{direct:?}") };
    assert_eq!((contact.contact_id, contact.name()), (ContactId::new(4), "Cobbler"));
    assert!(contact.is_connected() && !contact.is_incognito() && contact.contact_used);
    assert_eq!(contact.profile.short_descr.as_deref(), Some("Mends shoes"));
    let BotCommand::Menu { commands, .. } = &contact.profile.commands[1] else { panic!("{contact:?}") };
    let params = Some("<id>".to_owned());
    assert_eq!(commands[0], BotCommand::Command { keyword: "order".into(), label: "Order".into(), params });
    let ChatInfo::Direct(preset) = &preset.chat_info else { panic!("{preset:?}") };
    assert!(!preset.is_connected());
    assert_eq!(local.chat_info, ChatInfo::Local);
    assert_eq!(request.chat_info, ChatInfo::ContactRequest);
    let ChatInfo::ContactConnection(connection) = &pending.chat_info else { panic!("{pending:?}") };
    assert_eq!(connection.pcc_conn_id.number(), 3);
    assert_eq!(other.chat_info, ChatInfo::Other("feed".to_owned()));
    assert_eq!(other.chat_info.conversation(), None);
}

/// LANG-05, P13: an owner's command as an item: who, where, what it quotes.
#[test]
fn received_item() {
    let item = &new_items()[0].chat_item;
    let ChatDir::GroupRcv(alice) = &item.chat_dir else { panic!("{item:?}") };
    assert_eq!(alice.group_member_id, GroupMemberId::new(2));
    assert_eq!(alice.member_role, MemberRole::Owner);
    assert_eq!(item.meta.item_id, ItemId::new(341));
    assert_eq!(item.meta.item_ts.unix(), Some(UnixMillis(1_772_359_200_000)));
    assert_eq!(item.meta.item_status, ItemStatus::RcvNew);
    assert!(item.meta.user_mention && !item.meta.item_live && !item.meta.is_forwarded);
    assert_eq!((item.meta.forwarded_by_member, item.meta.msg_verified), (None, None));
    let content = item.received().expect("a message");
    assert_eq!((&content.kind, content.text.as_str()), (&MsgKind::Text, "/approve 7"));
    let quote = item.quoted_item.as_ref().expect("a quote");
    assert_eq!((quote.item_id, quote.dir.as_deref()), (Some(ItemId::new(340)), Some("groupSnd")));
    assert_eq!(quote.content.as_ref().map(|content| content.text.as_str()), Some("Action 7"));
}

/// LANG-05, P13: what tells a command from what only looks like one: live, forwarded, in another scope, an event.
#[test]
fn items_that_are_no_commands() {
    let items = new_items();
    let [_, live, image, joined, post, captcha, theirs, sent] = &items[..] else { panic!("{items:?}") };
    let meta = &live.chat_item.meta;
    assert!(meta.item_live && meta.is_forwarded);
    assert_eq!(meta.forwarded_by_member, Some(GroupMemberId::new(2)));
    assert_eq!(meta.msg_verified, Some(Verified::Verified));
    let mentions = &live.chat_item.mentions;
    assert_eq!(mentions["Alice"].group_member_id, Some(GroupMemberId::new(2)));
    assert_eq!(mentions["Gone"].group_member_id, None);

    assert_eq!(image.chat_item.received().map(|content| &content.kind), Some(&MsgKind::Image));
    assert_eq!(joined.chat_item.content, Content::Other("rcvGroupEvent".to_owned()));
    assert_eq!(post.chat_item.chat_dir, ChatDir::ChannelRcv);
    assert!(matches!(sent.chat_item.content, Content::Sent(_)));

    let ChatInfo::Group { group, scope: Some(Scope::Support(None)) } = &captcha.chat_info else { panic!() };
    assert!(group.membership.member_status.is_pending() && !group.can_post());
    assert_eq!(captcha.chat_info.conversation(), Some(Conversation::Support(GroupId::new(13), None)));
    let of_bob = Conversation::Support(GroupId::new(12), Some(GroupMemberId::new(3)));
    assert_eq!(theirs.chat_info.conversation(), Some(of_bob));
}

/// LANG-05: a deleted item keeps its text and says that it is deleted.
#[test]
fn deleted_items() {
    let [Event::ItemsDeleted { items, by_user: false }] = &events("chatItemsDeleted")[..] else { panic!() };
    let [marked, gone] = &items[..] else { panic!("{items:?}") };
    assert_eq!(marked.before.chat_item.meta.item_deleted, None);
    let after = &marked.after.as_ref().expect("marked").chat_item;
    assert_eq!(after.meta.item_deleted, Some(Deletion::Deleted));
    assert!(after.received().is_some());
    assert_eq!(gone.after, None);
}

/// LANG-04: every plan kind, with what it says and what is passed back as it came.
#[test]
fn plan_kinds() {
    let plans = plans();
    let kind = |plan: &Planned| match &plan.plan {
        Plan::Invitation(InvitationPlan::Ok(Some(data))) => {
            format!("invitation of {}", data.profile.display_name)
        }
        Plan::Invitation(InvitationPlan::Known(contact)) => {
            format!("invitation known {}", contact.contact_id)
        }
        Plan::Invitation(other) => format!("invitation {other:?}"),
        Plan::Address(AddressPlan::Ok(data)) => format!("address, data {}", data.is_some()),
        Plan::Address(AddressPlan::Known(contact)) => format!("address known {}", contact.contact_id),
        Plan::Address(AddressPlan::ConnectingProhibit(contact)) => format!("prohibit {}", contact.contact_id),
        Plan::Address(AddressPlan::ContactViaAddress(contact)) => format!("card {}", contact.name()),
        Plan::Address(other) => format!("address {other:?}"),
        Plan::Group(GroupPlan::Ok { info, .. }) => {
            format!("group, direct {:?}", info.as_ref().map(|i| i.direct))
        }
        Plan::Group(GroupPlan::OwnLink(group)) => format!("group own {}", group.group_id),
        Plan::Group(GroupPlan::Known(group)) => format!("group known {}", group.group_id),
        Plan::Group(other) => format!("group {other:?}"),
        Plan::Error(error) => format!("error, auth {}", error.is_auth()),
        Plan::Unknown(tag) => format!("unknown {tag}"),
    };
    let kinds: Vec<String> = plans.iter().map(kind).collect();
    let expected = [
        "invitation of Cobbler",
        "invitation OwnLink",
        "invitation Connecting(None)",
        "invitation known 4",
        "address, data true",
        "address, data false",
        "address OwnLink",
        "address ConnectingConfirmReconnect",
        "prohibit 4",
        "address known 4",
        "card Ask SimpleX Team",
        "group, direct Some(true)",
        "group, direct Some(false)",
        "group own 12",
        "group ConnectingConfirmReconnect",
        "group ConnectingProhibit(None)",
        "group known 14",
        "group NoRelays",
        "group UpdateRequired",
        "error, auth true",
        "unknown nameNotConnectable",
    ];
    assert_eq!(kinds, expected);
}

/// LANG-04: the texts of an address, and its data byte for byte.
#[test]
fn link_data() {
    let plans = plans();
    let Plan::Address(AddressPlan::Ok(Some(data))) = &plans[4].plan else { panic!("{plans:?}") };
    assert!(!data.business);
    assert_eq!(data.profile.peer_type, Some(PeerType::Bot));
    assert_eq!(data.message.as_ref().map(|message| message.text.as_str()), Some("Welcome"));
    assert!(include_str!("data/responses.jsonl").contains(data.raw.as_str()));
    assert!(data.raw.as_str().starts_with(r#"{"profile":{"displayName":"Cobbler","#));
    let link = plans[4].link.as_ref().expect("a link");
    assert_eq!(link.shortest(), "https://smp.example.org/a#Zm9v");

    let Plan::Group(GroupPlan::Ok { data: Some(channel), .. }) = &plans[12].plan else { panic!("{plans:?}") };
    assert_eq!(channel.group_profile.display_name, "News");
    assert_eq!(plans[12].name.as_ref().map(|name| name.as_str()), Some("news.acme.simplex"));
    assert_eq!(plans[20].link, None);
}

/// LANG-04: a channel counts only the relays that answered; a random profile comes beside the chat.
#[test]
fn connecting() {
    let [Response::ConnectingGroup { relays: 1, incognito: None, .. }] =
        &responses("startedConnectionToGroup")[..]
    else {
        panic!()
    };
    let [Response::ConnectingContact { contact, incognito: Some(profile) }] =
        &responses("startedConnectionToContact")[..]
    else {
        panic!()
    };
    assert_eq!(profile.display_name, "QuietHeron");
    assert!(contact.is_incognito() && !contact.is_connected());
    let [Response::Connecting { connection, .. }] = &responses("sentConfirmation")[..] else { panic!() };
    assert_eq!(connection.pcc_conn_status, ConnStatus::SndReady);
    assert!(connection.conn_link_inv.is_some());
}

/// LANG-04: the routers in use, without deleted ones.
#[test]
fn routers() {
    let [Response::Routers(routers)] = &responses("userServers")[..] else { panic!() };
    let shown: Vec<(&str, bool, bool)> =
        routers.iter().map(|router| (router.address.as_str(), router.preset, router.enabled)).collect();
    let preset = ("smp://a2V5@smp1.example.org,onion.example", true, true);
    assert_eq!(shown, [preset, ("smp://b3du@own.example.org", false, true)]);
}

/// LANG-08: rows of a query, under both names of the answer.
#[test]
fn rows() {
    assert_eq!(responses("sQLResult"), [Response::Rows(vec!["count(*)".to_owned(), "2".to_owned()])]);
    assert_eq!(responses("sqlResult"), [Response::Rows(Vec::new())]);
}
