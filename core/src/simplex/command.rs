//! Commands of the SimpleX core as text (`reference/simplex-api.md` section 2, and the recorded sessions).
//!
//! Texts of messages always go in JSON form: the core's `text` forms lose a final newline and a final byte A0
//! (decisions 10, "Texts"). Links and names are put in as they are: whoever builds a command has checked that they hold
//! no white space.

mod conversation;
mod message;
mod service;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

pub use conversation::{Conversation, Page};
pub use message::Composed;
pub use service::{KeyLabel, key_label, with_key};

use super::model::{
    ConnId, ConnLink, ContactId, GroupId, GroupMemberId, ItemId, MemberRole, PublicName, Raw,
    ServiceRequestId, UserId,
};

/// One command of the core. Its text is what [`fmt::Display`] prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The active user. Answers `activeUser`, or `noActiveUser`.
    ShowUser,
    /// Makes the first user. Answers `activeUser`.
    CreateUser {
        /// The profile.
        profile: Raw,
    },
    /// The core's version. Answers `versionInfo`.
    Version,
    /// The apps' defaults: no SOCKS proxy, every router reached through a forwarding one, directly only when that
    /// protects the address. Answers `networkConfig`.
    UseNetworkDefaults,
    /// Starts. Answers `chatStarted` or `chatRunning`.
    Start {
        /// Whether Service RPC requests are taken; a core before 7.1 answers `commandError` to it.
        service_requests: bool,
    },
    /// The profile's own routers, beside the presets. Answers `cmdOk`.
    SetRouters(Vec<String>),
    /// The routers in use. Answers `userServers`.
    ShowRouters,
    /// Replaces the whole profile. Answers `userProfileUpdated` or `userProfileNoChange`.
    SetProfile {
        /// The user.
        user: UserId,
        /// The profile.
        profile: Raw,
    },
    /// All groups. Answers `groupsList`.
    Groups(UserId),
    /// Makes a group. Answers `groupCreated`.
    CreateGroup {
        /// The user.
        user: UserId,
        /// The profile.
        profile: Raw,
    },
    /// Replaces a group's whole profile. Answers `groupUpdated`.
    SetGroupProfile {
        /// The group.
        group: GroupId,
        /// The profile.
        profile: Raw,
    },
    /// Replaces the custom data of a chat. Answers `cmdOk`. The core takes no lock: never two at once for one chat.
    SetCustomData {
        /// A contact or a group in its main scope.
        chat: Conversation,
        /// An object, or none to clear.
        data: Option<Raw>,
    },
    /// The members but for the user. Answers `groupMembers`.
    Members(GroupId),
    /// Makes the group's link. Answers `groupLinkCreated`.
    CreateGroupLink {
        /// The group.
        group: GroupId,
        /// The role of whoever joins: observer or member.
        role: MemberRole,
    },
    /// Shows the group's link. Answers `groupLink`.
    GroupLink(GroupId),
    /// Deletes the group's link. Answers `groupLinkDeleted`.
    DeleteGroupLink(GroupId),
    /// Sets the role of one member: the core refuses several. Answers `membersRoleUser`.
    SetMemberRole {
        /// The group.
        group: GroupId,
        /// The member.
        member: GroupMemberId,
        /// The role: observer, member, moderator, admin or owner.
        role: MemberRole,
    },
    /// Removes one member: the core refuses several. Answers `userDeletedMembers`.
    RemoveMember {
        /// The group.
        group: GroupId,
        /// The member.
        member: GroupMemberId,
    },
    /// Leaves a group. Answers `leftMemberUser`.
    Leave(GroupId),
    /// Deletes a chat or a pending connection. Answers `contactDeleted`, `groupDeletedUser` or
    /// `contactConnectionDeleted`.
    Delete {
        /// What.
        chat: Conversation,
        /// Whether the other side is told.
        notify: bool,
    },
    /// Sends messages. Answers `newChatItems`.
    Send {
        /// Where to.
        chat: Conversation,
        /// Whether the message goes on being written.
        live: bool,
        /// The messages, at least one.
        messages: Vec<Composed>,
    },
    /// Edits an own message. Answers `chatItemUpdated` or `chatItemNotChanged`.
    EditItem {
        /// Its chat.
        chat: Conversation,
        /// Its number.
        item: ItemId,
        /// Whether it goes on being written.
        live: bool,
        /// The new text.
        text: String,
        /// The members it mentions.
        mentions: BTreeMap<String, GroupMemberId>,
    },
    /// A page of a chat. Answers `apiChat`.
    Items {
        /// The chat.
        chat: Conversation,
        /// Which page.
        page: Page,
    },
    /// The newest chats and pending connections. Answers `apiChats`.
    Chats {
        /// The user.
        user: UserId,
        /// How many at most.
        count: u32,
    },
    /// Marks items read. Answers `itemsReadForChat`.
    MarkRead {
        /// Their chat.
        chat: Conversation,
        /// The items, at least one.
        items: Vec<ItemId>,
    },
    /// What a link or name leads to. Answers `connectionPlan`. Claims a one-time link that is given in its short form
    /// (FINDINGS, "Most important" 2).
    Plan {
        /// The user.
        user: UserId,
        /// The link or name.
        target: String,
    },
    /// Connects by a link at once. Answers `sentConfirmation`, `sentInvitation` or `contactAlreadyExists`.
    Connect {
        /// The user.
        user: UserId,
        /// Whether by a random profile.
        incognito: bool,
        /// The link.
        link: ConnLink,
    },
    /// Makes a chat for an address or one-time link, for a business address a group. Answers `newPreparedChat`.
    PrepareContact {
        /// The user.
        user: UserId,
        /// The link.
        link: ConnLink,
        /// The name it was resolved from.
        domain: Option<PublicName>,
        /// The link's data, as the plan gave it.
        data: Raw,
    },
    /// Makes a chat for a group link. Answers `newPreparedChat`.
    PrepareGroup {
        /// The user.
        user: UserId,
        /// The link.
        link: ConnLink,
        /// False for a channel.
        direct: bool,
        /// The name it was resolved from.
        domain: Option<PublicName>,
        /// The link's data, as the plan gave it.
        data: Raw,
    },
    /// Connects a prepared contact. Answers `startedConnectionToContact` or `contactAlreadyExists`.
    ConnectContact {
        /// The contact.
        contact: ContactId,
        /// Whether by a random profile.
        incognito: bool,
        /// The first message.
        text: Option<String>,
    },
    /// Joins a prepared group, business chat or channel. Answers `startedConnectionToGroup`.
    ConnectGroup {
        /// The group.
        group: GroupId,
        /// Whether by a random profile.
        incognito: bool,
        /// The first message; only a business takes one.
        text: Option<String>,
    },
    /// Connects a contact that has an address and no connection. Answers `sentInvitationToContact`.
    ConnectCard {
        /// The user.
        user: UserId,
        /// Whether by a random profile.
        incognito: bool,
        /// The contact.
        contact: ContactId,
    },
    /// Plans and connects by a name or link in one. Answers as its kind does, or `connectionPlan` when it does not
    /// connect.
    ConnectTo {
        /// Whether by a random profile.
        incognito: bool,
        /// The name or link.
        target: String,
    },
    /// Asks a service by its address, without a conversation (7.1). Answers `serviceResponse`; until then it blocks.
    ServiceRequest {
        /// The user.
        user: UserId,
        /// The link or name of a contact address.
        target: String,
        /// How many seconds it waits for the response.
        timeout: u64,
        /// The key that signs; none for an unsigned request.
        sign_key: Option<KeyLabel>,
        /// The request's envelope, an object.
        request: Raw,
    },
    /// Answers a request to the own service (7.1). Answers `serviceReplyAccepted`.
    ServiceResponse {
        /// The user.
        user: UserId,
        /// The request.
        request: ServiceRequestId,
        /// The response's envelope, an object.
        response: Raw,
    },
    /// Asks the chat database. Answers `sQLResult`.
    SqlChat(String),
    /// Asks the transport's database. Answers `sQLResult`.
    SqlAgent(String),
}

impl Command {
    /// The text, as the core takes it.
    pub fn to_line(&self) -> String {
        alloc::format!("{self}")
    }

    /// Deletes a pending connection without a word to anyone.
    pub const fn delete_pending(connection: ConnId) -> Self {
        Self::Delete { chat: Conversation::Pending(connection), notify: false }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShowUser => f.write_str("/user"),
            Self::CreateUser { profile } => {
                write!(f, r#"/_create user {{"profile":{profile},"pastTimestamp":false}}"#)
            }
            Self::Version => f.write_str("/version"),
            Self::UseNetworkDefaults => {
                f.write_str("/network socks=off smp-proxy=always smp-proxy-fallback=protected")
            }
            Self::Start { service_requests: true } => f.write_str("/_start main=on service_requests=on"),
            Self::Start { service_requests: false } => f.write_str("/_start"),
            Self::SetRouters(addresses) => write!(f, "/smp {}", addresses.join(" ")),
            Self::ShowRouters => f.write_str("/smp"),
            Self::SetProfile { user, profile } => write!(f, "/_profile {user} {profile}"),
            Self::Groups(user) => write!(f, "/_groups {user}"),
            Self::CreateGroup { user, profile } => write!(f, "/_group {user} {profile}"),
            Self::SetGroupProfile { group, profile } => write!(f, "/_group_profile #{group} {profile}"),
            Self::SetCustomData { chat, data: Some(data) } => write!(f, "/_set custom {chat} {data}"),
            Self::SetCustomData { chat, data: None } => write!(f, "/_set custom {chat}"),
            Self::Members(group) => write!(f, "/_members #{group}"),
            Self::CreateGroupLink { group, role } => write!(f, "/_create link #{group} {role}"),
            Self::GroupLink(group) => write!(f, "/_get link #{group}"),
            Self::DeleteGroupLink(group) => write!(f, "/_delete link #{group}"),
            Self::SetMemberRole { group, member, role } => {
                write!(f, "/_member role #{group} {member} {role}")
            }
            Self::RemoveMember { group, member } => write!(f, "/_remove #{group} {member}"),
            Self::Leave(group) => write!(f, "/_leave #{group}"),
            Self::Delete { chat, notify } => write!(f, "/_delete {chat} full notify={}", on_off(*notify)),
            Self::Send { chat, live, messages } => {
                write!(f, "/_send {chat}{} json [", live_on(*live))?;
                message::write_list(f, messages)?;
                f.write_str("]")
            }
            Self::EditItem { chat, item, live, text, mentions } => {
                write!(f, "/_update item {chat} {item}{} json ", live_on(*live))?;
                message::write_edit(f, text, mentions)
            }
            Self::Items { chat, page } => write!(f, "/_get chat {chat} {page}"),
            Self::Chats { user, count } => write!(f, "/_get chats {user} pcc=on count={count}"),
            Self::MarkRead { chat, items } => {
                write!(f, "/_read chat items {chat} {}", conversation::Joined(items))
            }
            Self::Plan { user, target } => write!(f, "/_connect plan {user} {target}"),
            Self::Connect { user, incognito, link } => {
                write!(f, "/_connect {user}{} ", incognito_on(*incognito))?;
                conversation::write_link(f, link)
            }
            Self::PrepareContact { user, link, domain, data } => {
                write!(f, "/_prepare contact {user} ")?;
                conversation::write_link(f, link)?;
                conversation::write_domain(f, domain.as_ref())?;
                write!(f, " {data}")
            }
            Self::PrepareGroup { user, link, direct, domain, data } => {
                write!(f, "/_prepare group {user} ")?;
                conversation::write_link(f, link)?;
                write!(f, " direct={}", on_off(*direct))?;
                conversation::write_domain(f, domain.as_ref())?;
                write!(f, " {data}")
            }
            Self::ConnectContact { contact, incognito, text } => {
                write!(f, "/_connect contact @{contact}{}", incognito_on(*incognito))?;
                message::write_first(f, text.as_deref())
            }
            Self::ConnectGroup { group, incognito, text } => {
                write!(f, "/_connect group #{group}{}", incognito_on(*incognito))?;
                message::write_first(f, text.as_deref())
            }
            Self::ConnectCard { user, incognito, contact } => {
                write!(f, "/_connect contact {user}{} {contact}", incognito_on(*incognito))
            }
            Self::ConnectTo { incognito, target } => {
                write!(f, "/connect{} {target}", if *incognito { " incognito" } else { "" })
            }
            Self::ServiceRequest { user, target, timeout, sign_key, request } => {
                write!(f, "/_service_request {user} {target} timeout={timeout}")?;
                if let Some(label) = sign_key {
                    write!(f, " sign_key=@{label}")?;
                }
                write!(f, " {request}")
            }
            Self::ServiceResponse { user, request, response } => {
                write!(f, "/_service_response {user} {request} {response}")
            }
            Self::SqlChat(query) => write!(f, "/sql chat {query}"),
            Self::SqlAgent(query) => write!(f, "/sql agent {query}"),
        }
    }
}

const fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

const fn live_on(live: bool) -> &'static str {
    if live { " live=on" } else { "" }
}

const fn incognito_on(incognito: bool) -> &'static str {
    if incognito { " incognito=on" } else { "" }
}
