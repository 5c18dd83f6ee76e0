//! Events of the SimpleX core (`reference/simplex-api.md` section 4).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Deserialize;
use serde::de::Deserializer;

use super::envelope::{self, Opened, Tagged, only};
use super::error::ChatError;
use super::model::wire::list;
use super::model::{
    ChatInfo, Contact, GroupInfo, ItemId, ItemStatus, Member, MemberRole, PlacedItem, Profile, ServiceRequest,
};

/// Something that happened in the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A pending connection became a contact; nothing can be sent yet.
    ContactConnecting(Contact),
    /// Messages can be sent before the contact is connected. Not always given.
    ContactSndReady(Contact),
    /// A contact is connected.
    ContactConnected {
        /// The contact.
        contact: Contact,
        /// The random profile, when incognito.
        incognito: Option<Profile>,
    },
    /// A contact changed its profile: the contact as it is.
    ContactUpdated(Contact),
    /// A contact deleted the user.
    ContactDeletedByContact(Contact),
    /// Someone asks to be a contact.
    ContactRequest,
    /// A chat changed, also before the error of a failed connect.
    ChatInfoUpdated(ChatInfo),
    /// Items came: messages, and every internal one. Also the first message of a prepared connect. An item that cannot
    /// be read is left out.
    NewItems(Vec<PlacedItem>),
    /// An item was edited, or a live message goes on.
    ItemUpdated(PlacedItem),
    /// An edit changed nothing; also the welcome message when a prepared chat connects.
    ItemNotChanged(PlacedItem),
    /// Items were deleted. One that cannot be read is left out.
    ItemsDeleted {
        /// What became of each.
        items: Vec<Deleted>,
        /// True when the user did it.
        by_user: bool,
    },
    /// Items of a group were deleted at once.
    GroupItemsDeleted {
        /// The group.
        group: GroupInfo,
        /// The items.
        items: Vec<ItemId>,
    },
    /// The delivery of own items went on. Not given for edits.
    ItemsStatuses(Vec<ItemDelivery>),
    /// The host answered the user's join; also with a refused membership.
    GroupLinkConnecting {
        /// The group.
        group: GroupInfo,
        /// The host.
        host: Member,
    },
    /// The user's join went on. Complete only when the membership says so (FINDINGS, "Most important" 5).
    UserJoinedGroup {
        /// The group.
        group: GroupInfo,
        /// The host.
        host: Member,
    },
    /// Someone uses the link of an own group.
    AcceptingMember {
        /// The group.
        group: GroupInfo,
        /// The member.
        member: Member,
    },
    /// The one who used the own link or invitation is connected.
    MemberJoined {
        /// The group.
        group: GroupInfo,
        /// The member.
        member: Member,
    },
    /// Another member added someone.
    MemberJoining {
        /// The group.
        group: GroupInfo,
        /// The new member.
        member: Member,
    },
    /// The connection to a member added by another is complete; its status may still be `intro-inv`.
    MemberConnected {
        /// The group.
        group: GroupInfo,
        /// The member.
        member: Member,
    },
    /// Another member set a role, also the user's own.
    MemberRole {
        /// The group.
        group: GroupInfo,
        /// Who set it.
        by: Member,
        /// Whose it is.
        member: Member,
        /// The role before.
        from: MemberRole,
        /// The role from then on.
        to: MemberRole,
    },
    /// A member left.
    MemberLeft {
        /// The group.
        group: GroupInfo,
        /// The member.
        member: Member,
    },
    /// Another member removed a member.
    MemberRemoved {
        /// The group.
        group: GroupInfo,
        /// Who did it.
        by: Member,
        /// Who was removed.
        member: Member,
    },
    /// The user was removed.
    UserRemoved {
        /// The group.
        group: GroupInfo,
        /// Who did it.
        by: Member,
    },
    /// An owner deleted a group.
    GroupDeleted {
        /// The group.
        group: GroupInfo,
        /// Who did it.
        by: Member,
    },
    /// The profile or preferences of a group changed.
    GroupUpdated {
        /// The group as it was.
        from: GroupInfo,
        /// The group as it is.
        to: GroupInfo,
    },
    /// A member changed its profile: the member as it is.
    MemberUpdated {
        /// The group.
        group: GroupInfo,
        /// The member.
        member: Member,
    },
    /// A member turned out to be a contact: the contact keeps its number, its local name may change.
    ContactIsMember {
        /// The contact, as it is from then on.
        contact: Contact,
        /// The group.
        group: GroupInfo,
        /// The member.
        member: Member,
    },
    /// Someone asks the own service. Given only when the core was started with service requests (7.1).
    ServiceRequest(ServiceRequest),
    /// Errors without a command. Normal noise after deletes (FINDINGS 7).
    Errors(Vec<ChatError>),
    /// A known event that this program has no use for. Its tag.
    Ignored(String),
    /// An event this program does not know, or cannot read.
    Unknown {
        /// Its tag, empty when it has none.
        tag: String,
        /// What of a known event cannot be read.
        why: Option<String>,
    },
}

/// What became of a deleted item.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// The item as it was.
    #[serde(rename = "deletedChatItem")]
    pub before: PlacedItem,
    /// The item as it stays, when it was only marked.
    #[serde(rename = "toChatItem")]
    pub after: Option<PlacedItem>,
}

/// How far the delivery of an own item went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemDelivery {
    /// The chat.
    pub chat: ChatInfo,
    /// The item.
    pub item: ItemId,
    /// How far.
    pub status: ItemStatus,
}

/// Reads an event. Never fails: what it cannot read is [`Event::Unknown`].
pub fn decode(text: &str) -> Event {
    if let Some(event) = envelope::read_once(text) {
        return event;
    }
    match envelope::open(text) {
        Opened::Error(error) => Event::Errors(alloc::vec![error]),
        Opened::Unreadable(why) => Event::Unknown { tag: String::new(), why: Some(why) },
        Opened::Result { tag, body } => event(&tag, &mut serde_json::Deserializer::from_str(body))
            .unwrap_or_else(|why| Event::Unknown { tag: tag.to_string(), why: Some(why.to_string()) }),
    }
}

impl Tagged for Event {
    fn read<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Self, D::Error> {
        match tag {
            // The most frequent one is read without a look at each item before: one that cannot be read brings it to
            // the slow way, which leaves that one out.
            "newChatItems" => OnlyItems::deserialize(members).map(|with| Self::NewItems(with.chat_items)),
            _ => event(tag, members),
        }
    }
}

/// The tag of an event, known or not; `error` for an error, empty for what is no event.
pub fn tag(text: &str) -> String {
    match envelope::open(text) {
        Opened::Error(_) => "error".to_string(),
        Opened::Unreadable(_) => String::new(),
        Opened::Result { tag, .. } => tag.to_string(),
    }
}

/// Reads an event by its tag.
fn event<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Event, D::Error> {
    Ok(match tag {
        "newChatItems" => Event::NewItems(WithItems::deserialize(members)?.chat_items),
        "chatItemUpdated" => Event::ItemUpdated(WithItem::deserialize(members)?.chat_item),
        "chatItemNotChanged" => Event::ItemNotChanged(WithItem::deserialize(members)?.chat_item),
        "chatItemsStatusesUpdated" => Event::ItemsStatuses(WithStatuses::deserialize(members)?.deliveries()),
        "chatItemsDeleted" => {
            let with = WithDeletions::deserialize(members)?;
            Event::ItemsDeleted { items: with.chat_item_deletions, by_user: with.by_user }
        }
        "groupChatItemsDeleted" => {
            let with = WithDeletedIds::deserialize(members)?;
            Event::GroupItemsDeleted { group: with.group_info, items: with.items }
        }
        "serviceRequest" => Event::ServiceRequest(ServiceRequest::deserialize(members)?),
        "chatErrors" => Event::Errors(WithErrors::deserialize(members)?.chat_errors),
        _ if IGNORED.contains(&tag) => only(members, Event::Ignored(tag.to_string()))?,
        _ => return of_contact(tag, members),
    })
}

/// Reads an event about contacts by its tag.
fn of_contact<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Event, D::Error> {
    Ok(match tag {
        "contactConnecting" => Event::ContactConnecting(WithContact::deserialize(members)?.contact),
        "contactSndReady" => Event::ContactSndReady(WithContact::deserialize(members)?.contact),
        "contactConnected" => {
            let with = WithContact::deserialize(members)?;
            Event::ContactConnected { contact: with.contact, incognito: with.user_custom_profile }
        }
        "contactUpdated" => Event::ContactUpdated(WithToContact::deserialize(members)?.to_contact),
        "contactDeletedByContact" => {
            Event::ContactDeletedByContact(WithContact::deserialize(members)?.contact)
        }
        "receivedContactRequest" => only(members, Event::ContactRequest)?,
        "chatInfoUpdated" => Event::ChatInfoUpdated(WithChatInfo::deserialize(members)?.chat_info),
        "contactAndMemberAssociated" => {
            let w = WithAssociated::deserialize(members)?;
            Event::ContactIsMember { contact: w.updated_contact, group: w.group_info, member: w.member }
        }
        _ => return of_group(tag, members),
    })
}

/// Reads an event about groups by its tag.
fn of_group<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Event, D::Error> {
    Ok(match tag {
        "groupLinkConnecting" => WithHost::deserialize(members)
            .map(|w| Event::GroupLinkConnecting { group: w.group_info, host: w.host_member })?,
        "userJoinedGroup" => WithHost::deserialize(members)
            .map(|w| Event::UserJoinedGroup { group: w.group_info, host: w.host_member })?,
        "acceptingGroupJoinRequestMember" => WithMember::deserialize(members)
            .map(|w| Event::AcceptingMember { group: w.group_info, member: w.member })?,
        "joinedGroupMember" => WithMember::deserialize(members)
            .map(|w| Event::MemberJoined { group: w.group_info, member: w.member })?,
        "joinedGroupMemberConnecting" => WithMember::deserialize(members)
            .map(|w| Event::MemberJoining { group: w.group_info, member: w.member })?,
        "connectedToGroupMember" => WithMember::deserialize(members)
            .map(|w| Event::MemberConnected { group: w.group_info, member: w.member })?,
        "leftMember" => WithMember::deserialize(members)
            .map(|w| Event::MemberLeft { group: w.group_info, member: w.member })?,
        "deletedMemberUser" => WithMember::deserialize(members)
            .map(|w| Event::UserRemoved { group: w.group_info, by: w.member })?,
        "groupDeleted" => WithMember::deserialize(members)
            .map(|w| Event::GroupDeleted { group: w.group_info, by: w.member })?,
        "memberRole" => {
            let w = WithRole::deserialize(members)?;
            Event::MemberRole {
                group: w.group_info,
                by: w.by_member,
                member: w.member,
                from: w.from_role,
                to: w.to_role,
            }
        }
        "deletedMember" => {
            let w = WithRemoved::deserialize(members)?;
            Event::MemberRemoved { group: w.group_info, by: w.by_member, member: w.deleted_member }
        }
        "groupUpdated" => {
            let w = WithGroups::deserialize(members)?;
            Event::GroupUpdated { from: w.from_group, to: w.to_group }
        }
        "groupMemberUpdated" => {
            let w = WithToMember::deserialize(members)?;
            Event::MemberUpdated { group: w.group_info, member: w.to_member }
        }
        _ => only(members, Event::Unknown { tag: tag.to_string(), why: None })?,
    })
}

/// Known events this program has no use for (`reference/simplex-api.md` section 4).
const IGNORED: &[&str] = &[
    "acceptingBusinessRequest",
    "acceptingContactRequest",
    "agentConnsDeleted",
    "agentRcvQueuesDeleted",
    "agentUserDeleted",
    "businessLinkConnecting",
    "businessRequestAlreadyAccepted",
    "callAnswer",
    "callEnded",
    "callExtraInfo",
    "callInvitation",
    "callOffer",
    "chatItemDeletedNotFound",
    "chatItemReaction",
    "chatSuspended",
    "connectionDisabled",
    "connectionInactive",
    "connectionsDiff",
    "contactAnotherClient",
    "contactDisabled",
    "contactPQEnabled",
    "contactRatchetSync",
    "contactRequestAlreadyAccepted",
    "contactRequestRejected",
    "contactSwitch",
    "contactsSubscribed",
    "customChatEvent",
    "groupLinkDataUpdated",
    "groupMemberRatchetSync",
    "groupMemberSwitch",
    "groupRelayUpdated",
    "hostConnected",
    "hostDisconnected",
    "memberAcceptedByOther",
    "memberBlockedForAll",
    "messageError",
    "newMemberContactReceivedInv",
    "newRemoteHost",
    "networkStatus",
    "networkStatuses",
    "ntfMessage",
    "rcvFileAccepted",
    "rcvFileComplete",
    "rcvFileDescrReady",
    "rcvFileError",
    "rcvFileProgressXFTP",
    "rcvFileSndCancelled",
    "rcvFileStart",
    "rcvFileWarning",
    "rcvStandaloneFileComplete",
    "receivedGroupInvitation",
    "serviceReplySent",
    "serviceSubStatus",
    "sndFileCompleteXFTP",
    "sndFileError",
    "sndFileProgressXFTP",
    "sndFileWarning",
    "sndStandaloneFileComplete",
    "subscriptionEnd",
    "subscriptionStatus",
    "timedAction",
    "unknownMemberAnnounced",
    "unknownMemberBlocked",
    "unknownMemberCreated",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithContact {
    contact: Contact,
    user_custom_profile: Option<Profile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithToContact {
    to_contact: Contact,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithChatInfo {
    chat_info: ChatInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithAssociated {
    updated_contact: Contact,
    group_info: GroupInfo,
    member: Member,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithItems {
    #[serde(deserialize_with = "list")]
    chat_items: Vec<PlacedItem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OnlyItems {
    chat_items: Vec<PlacedItem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithItem {
    chat_item: PlacedItem,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithStatuses {
    #[serde(deserialize_with = "list")]
    chat_items: Vec<PlacedStatus>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlacedStatus {
    chat_info: ChatInfo,
    chat_item: ItemWithStatus,
}

#[derive(Deserialize)]
struct ItemWithStatus {
    meta: StatusMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StatusMeta {
    item_id: ItemId,
    item_status: ItemStatus,
}

impl WithStatuses {
    fn deliveries(self) -> Vec<ItemDelivery> {
        self.chat_items
            .into_iter()
            .map(|placed| ItemDelivery {
                chat: placed.chat_info,
                item: placed.chat_item.meta.item_id,
                status: placed.chat_item.meta.item_status,
            })
            .collect()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithDeletions {
    #[serde(deserialize_with = "list")]
    chat_item_deletions: Vec<Deleted>,
    #[serde(default)]
    by_user: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithDeletedIds {
    group_info: GroupInfo,
    #[serde(rename = "chatItemIDs", alias = "chatItemIds", deserialize_with = "list")]
    items: Vec<ItemId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithErrors {
    #[serde(deserialize_with = "list")]
    chat_errors: Vec<ChatError>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithHost {
    group_info: GroupInfo,
    host_member: Member,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithMember {
    group_info: GroupInfo,
    member: Member,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithRole {
    group_info: GroupInfo,
    by_member: Member,
    member: Member,
    from_role: MemberRole,
    to_role: MemberRole,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithRemoved {
    group_info: GroupInfo,
    by_member: Member,
    deleted_member: Member,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithGroups {
    from_group: GroupInfo,
    to_group: GroupInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithToMember {
    group_info: GroupInfo,
    to_member: Member,
}
