//! The language of the SimpleX core against what a real one said: our own fixtures in the recorded shapes, and, where
//! the recorded sessions are at hand, all of them (`SIMPLEX_MCP_SHARED`, or a folder `shared` beside the repository).

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use simplex_agent_core::simplex::error::{ChatError, wording};
use simplex_agent_core::simplex::event::{self, Event};
use simplex_agent_core::simplex::response::{self, Response};

#[path = "support/sessions.rs"]
mod sessions;

/// Each tag of an answer that the program handles, with the variant it becomes.
const RESPONSES: &[(&str, &str)] = &[
    ("activeUser", "ActiveUser"),
    ("versionInfo", "Version"),
    ("networkConfig", "NetworkConfig"),
    ("chatStarted", "ChatStarted"),
    ("chatRunning", "ChatRunning"),
    ("userServers", "Routers"),
    ("userProfileUpdated", "ProfileUpdated"),
    ("userProfileNoChange", "ProfileNoChange"),
    ("groupsList", "Groups"),
    ("groupCreated", "GroupCreated"),
    ("groupUpdated", "GroupUpdated"),
    ("cmdOk", "Ok"),
    ("groupMembers", "Members"),
    ("groupLinkCreated", "GroupLink"),
    ("groupLink", "GroupLink"),
    ("groupLinkDeleted", "GroupLinkDeleted"),
    ("membersRoleUser", "MemberRolesSet"),
    ("userDeletedMembers", "MembersRemoved"),
    ("leftMemberUser", "Left"),
    ("contactDeleted", "ContactDeleted"),
    ("groupDeletedUser", "GroupDeleted"),
    ("contactConnectionDeleted", "ConnectionDeleted"),
    ("newChatItems", "NewItems"),
    ("chatItemUpdated", "ItemUpdated"),
    ("chatItemNotChanged", "ItemNotChanged"),
    ("apiChat", "Chat"),
    ("apiChats", "Chats"),
    ("itemsReadForChat", "ItemsRead"),
    ("connectionPlan", "Planned"),
    ("sentConfirmation", "Connecting"),
    ("sentInvitation", "Connecting"),
    ("sentInvitationToContact", "InvitationSentToContact"),
    ("contactAlreadyExists", "ContactAlreadyExists"),
    ("newPreparedChat", "Prepared"),
    ("startedConnectionToContact", "ConnectingContact"),
    ("startedConnectionToGroup", "ConnectingGroup"),
    ("sQLResult", "Rows"),
    ("sqlResult", "Rows"),
];

/// Each tag of an event that the program handles, with the variant it becomes.
const EVENTS: &[(&str, &str)] = &[
    ("contactConnecting", "ContactConnecting"),
    ("contactSndReady", "ContactSndReady"),
    ("contactConnected", "ContactConnected"),
    ("contactUpdated", "ContactUpdated"),
    ("contactDeletedByContact", "ContactDeletedByContact"),
    ("receivedContactRequest", "ContactRequest"),
    ("chatInfoUpdated", "ChatInfoUpdated"),
    ("contactAndMemberAssociated", "ContactIsMember"),
    ("newChatItems", "NewItems"),
    ("chatItemUpdated", "ItemUpdated"),
    ("chatItemNotChanged", "ItemNotChanged"),
    ("chatItemsStatusesUpdated", "ItemsStatuses"),
    ("chatItemsDeleted", "ItemsDeleted"),
    ("groupChatItemsDeleted", "GroupItemsDeleted"),
    ("groupLinkConnecting", "GroupLinkConnecting"),
    ("userJoinedGroup", "UserJoinedGroup"),
    ("acceptingGroupJoinRequestMember", "AcceptingMember"),
    ("joinedGroupMember", "MemberJoined"),
    ("joinedGroupMemberConnecting", "MemberJoining"),
    ("connectedToGroupMember", "MemberConnected"),
    ("memberRole", "MemberRole"),
    ("leftMember", "MemberLeft"),
    ("deletedMember", "MemberRemoved"),
    ("deletedMemberUser", "UserRemoved"),
    ("groupDeleted", "GroupDeleted"),
    ("groupUpdated", "GroupUpdated"),
    ("groupMemberUpdated", "MemberUpdated"),
    ("chatErrors", "Errors"),
];

/// LANG-04, LANG-06, LANG-08: each handled answer becomes its variant, an unknown one stops nothing.
#[test]
fn fixture_responses_decode() {
    let mut tags = Tags::new(RESPONSES);
    for line in include_str!("data/responses.jsonl").lines() {
        let decoded = response::decode(line).expect(line);
        tags.check(line, &decoded, matches!(decoded, Response::Unknown { why: None, .. }));
    }
    assert_eq!(tags.unseen(), [""; 0], "no fixture");
}

/// LANG-05, LANG-06: each handled event becomes its variant, an unknown one stops nothing.
#[test]
fn fixture_events_decode() {
    let mut tags = Tags::new(EVENTS);
    for line in include_str!("data/events.jsonl").lines() {
        let decoded = event::decode(line);
        let passed_over = matches!(decoded, Event::Unknown { why: None, .. } | Event::Ignored(_));
        tags.check(line, &decoded, passed_over);
    }
    assert_eq!(tags.unseen(), [""; 0], "no fixture");
}

/// ERR-01, ERR-02, ERR-03, ERR-04, ERR-05, ERR-06, ERR-07, ERR-08, ERR-09, ERR-10, ERR-11, ERR-12, ERR-13, ERR-14,
/// ERR-15, ERR-16, ERR-17, ERR-18, ERR-19, ERR-20, ERR-21, ERR-22, ERR-23, ERR-24, ERR-25, ERR-26, ERR-27, ERR-28,
/// ERR-29, ERR-30, ERR-31, ERR-32, ERR-33, SEND-21, LANG-09: the words for each error, by the letter.
#[test]
fn fixture_errors_are_worded() {
    #[derive(Deserialize)]
    struct Row<'a> {
        rule: &'a str,
        #[serde(borrow)]
        raw: &'a RawValue,
        text: String,
    }

    for line in include_str!("data/errors.jsonl").lines() {
        let row: Row<'_> = serde_json::from_str(line).expect(line);
        let error = response::decode(row.raw.get()).expect_err(line);
        assert_eq!(wording::text(&error), row.text, "{}", row.rule);
        assert_eq!(event::decode(row.raw.get()), Event::Errors(vec![error.clone()]), "{}", row.rule);
        let kept = row.raw.get().strip_prefix(r#"{"error":"#).and_then(|raw| raw.strip_suffix('}'));
        assert_eq!(Some(error.raw().as_str()), kept, "{}", row.rule);
    }
}

/// LANG-04, LANG-05, LANG-06: everything that was recorded decodes, to the last element of each list.
#[test]
fn recorded_sessions_decode() {
    let (mut responses, mut events) = (Tags::new(RESPONSES), Tags::new(EVENTS));
    for record in recorded() {
        match record {
            Record::Resp { raw } => match response::decode(&raw) {
                Ok(decoded) => {
                    responses.check(&raw, &decoded, matches!(decoded, Response::Unknown { why: None, .. }));
                    complete(&raw, response_list(&decoded));
                    if let Response::Chats(chats) = decoded {
                        for (index, chat) in chats.iter().enumerate() {
                            complete_at(
                                &raw,
                                chat.chat_items.len(),
                                &format!("/result/chats/{index}/chatItems"),
                            );
                        }
                    }
                }
                Err(error) => assert_worded(&error),
            },
            Record::Event { raw } => match event::decode(&raw) {
                Event::Errors(errors) => errors.iter().for_each(assert_worded),
                decoded => {
                    events.check(&raw, &decoded, matches!(decoded, Event::Ignored(_)));
                    complete(&raw, event_list(&decoded));
                }
            },
            Record::Note => {}
        }
    }
}

/// Which handled tags were seen.
struct Tags(BTreeMap<&'static str, (&'static str, bool)>);

impl Tags {
    fn new(handled: &'static [(&'static str, &'static str)]) -> Self {
        Self(handled.iter().map(|(tag, variant)| (*tag, (*variant, false))).collect())
    }

    /// A handled tag became its variant; another was passed over.
    fn check(&mut self, text: &str, decoded: &impl Debug, passed_over: bool) {
        let value: Value = serde_json::from_str(text).expect(text);
        let Some(tag) = value["result"]["type"].as_str() else { return };
        match self.0.get_mut(tag) {
            Some((variant, seen)) => {
                let decoded = format!("{decoded:?}");
                let name = decoded.split(|c: char| !c.is_alphanumeric()).next();
                assert_eq!(name, Some(*variant), "{decoded}\n{text}");
                *seen = true;
            }
            None => assert!(passed_over, "{tag} is not handled, but became {decoded:?}"),
        }
    }

    fn unseen(&self) -> Vec<&str> {
        self.0.iter().filter(|(_, (_, seen))| !seen).map(|(tag, _)| *tag).collect()
    }
}

/// How many elements were read, and where they were.
type List = Option<(usize, &'static str)>;

fn response_list(response: &Response) -> List {
    Some(match response {
        Response::Routers(routers) => {
            assert!(routers.iter().all(|router| router.address.starts_with("smp://")), "{routers:?}");
            return None;
        }
        Response::Groups(groups) => (groups.len(), "/result/groups"),
        Response::Members { members, .. } => (members.len(), "/result/group/members"),
        Response::MemberRolesSet(members) | Response::MembersRemoved(members) => {
            (members.len(), "/result/members")
        }
        Response::NewItems(items) => (items.len(), "/result/chatItems"),
        Response::Chat(chat) | Response::Prepared(chat) => (chat.chat_items.len(), "/result/chat/chatItems"),
        Response::Chats(chats) => (chats.len(), "/result/chats"),
        Response::Rows(rows) => (rows.len(), "/result/rows"),
        _ => return None,
    })
}

fn event_list(event: &Event) -> List {
    Some(match event {
        Event::NewItems(items) => (items.len(), "/result/chatItems"),
        Event::ItemsStatuses(items) => (items.len(), "/result/chatItems"),
        Event::ItemsDeleted { items, .. } => (items.len(), "/result/chatItemDeletions"),
        _ => return None,
    })
}

/// Nothing of the list was left out.
fn complete(text: &str, list: List) {
    if let Some((count, pointer)) = list {
        complete_at(text, count, pointer);
    }
}

fn complete_at(text: &str, count: usize, pointer: &str) {
    let value: Value = serde_json::from_str(text).expect(text);
    assert_eq!(
        Some(count),
        value.pointer(pointer).and_then(Value::as_array).map(Vec::len),
        "{pointer} of {text}"
    );
}

fn assert_worded(error: &ChatError) {
    let text = wording::text(error);
    assert!(error.chain().count() >= 2 && !text.ends_with("unknown"), "{text} for {}", error.raw());
}

/// A line of a recorded session.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Record {
    Resp {
        raw: String,
    },
    Event {
        raw: String,
    },
    #[serde(other)]
    Note,
}

/// The recorded answers and events, in the envelope of the library.
fn recorded() -> impl Iterator<Item = Record> {
    sessions::lines().into_iter().filter_map(|line| unwrapped(serde_json::from_str(&line).ok()?))
}

/// A record without the envelope of the WebSocket: `resp` becomes `result`, and its errors `error`.
fn unwrapped(record: Record) -> Option<Record> {
    let unwrap = |raw: String| -> Option<String> {
        let value: Value = serde_json::from_str(&raw).ok()?;
        let Some(resp) = value.get("resp") else { return value.get("type").is_none().then_some(raw) };
        Some(match resp.get("chatError") {
            Some(error) => serde_json::json!({ "error": error }).to_string(),
            None => serde_json::json!({ "result": resp }).to_string(),
        })
    };
    Some(match record {
        Record::Resp { raw } => Record::Resp { raw: unwrap(raw)? },
        Record::Event { raw } => Record::Event { raw: unwrap(raw)? },
        Record::Note => Record::Note,
    })
}
