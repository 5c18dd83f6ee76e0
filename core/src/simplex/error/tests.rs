use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::ChatError;
use crate::simplex::model::{MemberRole, Raw};

fn error(json: &str) -> ChatError {
    ChatError::new(Raw::parse(json).expect(json))
}

fn of_chat(fields: &str) -> ChatError {
    error(&format!(r#"{{"type":"error","errorType":{{{fields}}}}}"#))
}

fn of_store(fields: &str) -> ChatError {
    error(&format!(r#"{{"type":"errorStore","storeError":{{{fields}}}}}"#))
}

/// LANG-09: the chain goes through every level, the tag before or after the nested error, and never into an entity.
#[test]
fn chains() {
    for (json, chain) in [
        (r#"{"type":"error","errorType":{"type":"noActiveUser"}}"#, "error noActiveUser"),
        (
            r#"{"errorType":{"contact":{"type":"no"},"type":"contactNotReady"},"type":"error"}"#,
            "error contactNotReady",
        ),
        (
            r#"{"type":"errorAgent","agentError":{"type":"SMP","serverAddress":"x","smpErr":{"type":"NAME","nameErr":{"type":"NOT_FOUND"}}},"agentConnId":"","connectionEntity_":{"type":"x"}}"#,
            "errorAgent SMP NAME NOT_FOUND",
        ),
        (
            r#"{"type":"errorAgent","agentError":{"type":"BROKER","brokerErr":{"type":"NETWORK","networkError":{"type":"connectError","connectError":"refused"}}}}"#,
            "errorAgent BROKER NETWORK connectError",
        ),
        (r#"{"type":"errorStore","storeError":{"notype":1}}"#, "errorStore"),
        (r#"{"type":"errorStore","storeError":"text"}"#, "errorStore"),
        (r#"{"type":7}"#, ""),
        (r#"[]"#, ""),
    ] {
        let tags: Vec<String> = error(json).chain().map(ToString::to_string).collect();
        assert_eq!(tags.join(" "), chain, "{json}");
    }
}

/// LANG-09: what the agent asks of an error, each with an error that has it and the plain one that has none.
#[test]
fn predicates() {
    type Predicate = fn(&ChatError) -> bool;
    let auth = error(
        r#"{"type":"errorAgent","agentError":{"type":"SMP","smpErr":{"type":"AUTH"}},"agentConnId":""}"#,
    );
    let table: [(&str, Predicate, ChatError); 25] = [
        (
            "command error",
            ChatError::is_command_error,
            of_chat(r#""type":"commandError","message":"Failed reading: empty""#),
        ),
        ("no user", ChatError::is_no_active_user, of_chat(r#""type":"noActiveUser""#)),
        ("user exists", ChatError::is_user_exists, of_chat(r#""type":"userExists","contactName":"A""#)),
        ("not started", ChatError::is_chat_not_started, of_chat(r#""type":"chatNotStarted""#)),
        ("duplicate name", ChatError::is_duplicate_name, of_store(r#""type":"duplicateName""#)),
        (
            "no link",
            ChatError::is_group_link_not_found,
            of_store(r#""type":"groupLinkNotFound","groupInfo":{}"#),
        ),
        (
            "a link",
            ChatError::is_duplicate_group_link,
            of_store(r#""type":"duplicateGroupLink","groupInfo":{}"#),
        ),
        (
            "not in",
            ChatError::is_not_current_member,
            of_chat(r#""type":"commandError","message":"not current member""#),
        ),
        ("removed", ChatError::is_not_current_member, of_chat(r#""type":"groupMemberUserRemoved""#)),
        ("not ready", ChatError::is_contact_not_ready, of_chat(r#""type":"contactNotReady","contact":{}"#)),
        ("disabled", ChatError::is_contact_not_ready, of_chat(r#""type":"contactDisabled","contact":{}"#)),
        ("auth", ChatError::is_auth, auth),
        (
            "no contact",
            ChatError::is_contact_not_found,
            of_store(r#""type":"userNotFoundByContactId","contactId":9"#),
        ),
        ("no group", ChatError::is_group_not_found, of_store(r#""type":"groupNotFound","groupId":9"#)),
        (
            "no pending",
            ChatError::is_pending_connection_not_found,
            of_store(r#""type":"pendingConnectionNotFound","connId":7"#),
        ),
        ("no item", ChatError::is_chat_item_not_found, of_store(r#""type":"chatItemNotFound","itemId":9"#)),
        ("no member", ChatError::is_group_member_not_found, of_chat(r#""type":"groupMemberNotFound""#)),
        (
            "no mentioned",
            ChatError::is_group_member_not_found,
            of_store(r#""type":"groupMemberNotFound","groupMemberId":9"#),
        ),
        ("quote", ChatError::is_invalid_quote, of_store(r#""type":"invalidQuote""#)),
        ("mention", ChatError::is_invalid_mention, of_store(r#""type":"invalidMention""#)),
        ("edit", ChatError::is_invalid_item_update, of_chat(r#""type":"invalidChatItemUpdate""#)),
        ("link", ChatError::is_invalid_link, of_chat(r#""type":"invalidConnReq""#)),
        ("large", ChatError::is_too_large, of_store(r#""type":"largeMsg""#)),
        (
            "large text",
            ChatError::is_too_large,
            of_chat(r#""type":"exception","message":"large compressed message""#),
        ),
        (
            "large edit",
            ChatError::is_too_large,
            of_chat(r#""type":"internalError","message":"sendGroupMessage: expected 1 message""#),
        ),
    ];
    let other = of_chat(r#""type":"exception","message":"other""#);
    for (name, predicate, error) in &table {
        assert!(predicate(error), "{name}");
        assert!(!predicate(&other), "{name}");
    }
}

/// LANG-09: what an error says beside its tags.
#[test]
fn details() {
    let refused = of_chat(r#""type":"commandError","message":"can't change role for self""#);
    assert_eq!(refused.command_error().as_deref(), Some("can't change role for self"));
    let role = of_chat(r#""type":"groupUserRole","groupInfo":{"requiredRole":"no"},"requiredRole":"author""#);
    assert_eq!(role.required_role(), Some(MemberRole::Author));
    assert_eq!((role.command_error(), role.valid_name()), (None, None));
    let name = of_chat(r#""type":"invalidDisplayName","displayName":"My Agent.","validName":"My Agent""#);
    assert_eq!(name.valid_name().as_deref(), Some("My Agent"));
    assert_eq!(name.required_role(), None);
}
