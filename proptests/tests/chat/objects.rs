//! Objects of the core, in the shapes that were recorded.

use serde_json::{Value, json};
use simplex_agent_core::simplex::model::{ChatInfo, ChatItem};

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_str(&value.to_string()).expect("an object of the core")
}

fn member(row: u8) -> Value {
    json!({
        "groupMemberId": row, "memberId": format!("id-{row}"), "memberRole": "member", "memberCategory": "post",
        "memberStatus": "connected", "memberProfile": {"displayName": format!("M{row}"), "fullName": ""},
    })
}

/// Six chats with three numbers: 0 and 1 are contacts `@4`, one made after the other was deleted; 2 and 3 are groups
/// `#9` in the same way; 4 is a support scope of group 2, and 5 another group.
pub(crate) fn chat(number: u8) -> ChatInfo {
    let created = format!("2026-10-0{}T00:00:00Z", 1 + number % 2);
    match number {
        0 | 1 => read(&json!({"type": "direct", "contact": {
            "contactId": 4, "profile": {"displayName": "Bot", "fullName": ""}, "contactStatus": "active",
            "createdAt": created,
        }})),
        _ => {
            let group = if number == 5 { 10 } else { 9 };
            let mut info = json!({"type": "group", "groupInfo": {
                "groupId": group, "groupProfile": {"displayName": "Team", "fullName": ""},
                "membership": member(0), "createdAt": created,
            }});
            if number == 4 {
                info["groupChatScope"] = json!({"type": "memberSupport"});
            }
            read(&info)
        }
    }
}

/// A received message: of the contact when `from` is 0, else of that member.
pub(crate) fn received(id: u64, from: u8, quotes: Option<u64>, text: &str, live: bool) -> ChatItem {
    let dir = if from == 0 {
        json!({"type": "directRcv"})
    } else {
        json!({"type": "groupRcv", "groupMember": member(from)})
    };
    let mut item = json!({
        "chatDir": dir,
        "meta": {
            "itemId": id, "itemTs": "2026-10-18T09:15:00Z", "itemStatus": {"type": "rcvNew"}, "itemLive": live,
            "itemSharedMsgId": format!("shared-{id}"), "createdAt": "2026-10-18T09:15:00Z",
        },
        "content": {"type": "rcvMsgContent", "msgContent": {"type": "text", "text": text}},
    });
    if let Some(quoted) = quotes {
        item["quotedItem"] = json!({"chatDir": {"type": "groupSnd"}, "itemId": quoted});
    }
    read(&item)
}
