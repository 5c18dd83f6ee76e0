//! Answers of the SimpleX core to commands (`reference/simplex-api.md` section 2).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Deserialize;
use serde::de::Deserializer;

use super::envelope::{self, Opened, Tagged, only};
use super::error::ChatError;
use super::model::wire::list;
use super::model::{
    Chat, ChatInfo, Contact, GroupInfo, GroupLink, Member, PendingConnection, PlacedItem, Planned, Profile,
    Raw, User,
};

/// The answer to a command that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// The active user.
    ActiveUser(User),
    /// The core's version, for example `7.0.0.6`.
    Version(String),
    /// The network settings in force.
    NetworkConfig(NetworkConfig),
    /// Started.
    ChatStarted,
    /// Was running already; the flags of the command were ignored.
    ChatRunning,
    /// The routers in use, presets among them.
    Routers(Vec<Router>),
    /// The profile was replaced.
    ProfileUpdated(User),
    /// The profile was the same.
    ProfileNoChange,
    /// All groups. A group that cannot be read is left out.
    Groups(Vec<GroupInfo>),
    /// A group was made. Its custom data is not set yet.
    GroupCreated(GroupInfo),
    /// A group's profile was replaced: the group as it is.
    GroupUpdated(GroupInfo),
    /// Done.
    Ok,
    /// A group and its members but for the user, former ones among them. A member that cannot be read is left out.
    Members {
        /// The group.
        group: GroupInfo,
        /// The members.
        members: Vec<Member>,
    },
    /// The link of a group, made or shown.
    GroupLink {
        /// The group.
        group: GroupInfo,
        /// The link.
        link: GroupLink,
    },
    /// The link of a group was deleted.
    GroupLinkDeleted,
    /// Roles were set. Empty when the role was the same (FINDINGS 1).
    MemberRolesSet(Vec<Member>),
    /// Members were removed.
    MembersRemoved(Vec<Member>),
    /// The user left a group.
    Left(GroupInfo),
    /// A contact was deleted.
    ContactDeleted(Contact),
    /// A group was deleted.
    GroupDeleted(GroupInfo),
    /// A pending connection was deleted.
    ConnectionDeleted(PendingConnection),
    /// Messages were sent, in order. Not repeated as an event.
    NewItems(Vec<PlacedItem>),
    /// A message was edited.
    ItemUpdated(PlacedItem),
    /// A message was the same.
    ItemNotChanged(PlacedItem),
    /// A page of a chat.
    Chat(Chat),
    /// Chats, newest first. A chat that cannot be read is left out.
    Chats(Vec<Chat>),
    /// Items were marked read.
    ItemsRead(ChatInfo),
    /// What a link or name leads to.
    Planned(Planned),
    /// Connecting began; the chat comes by an event.
    Connecting {
        /// The pending connection.
        connection: PendingConnection,
        /// The random profile, when incognito.
        incognito: Option<Profile>,
    },
    /// A contact without a connection was asked.
    InvitationSentToContact {
        /// The contact.
        contact: Contact,
        /// The random profile, when incognito.
        incognito: Option<Profile>,
    },
    /// The address leads to a contact that exists.
    ContactAlreadyExists(Contact),
    /// A chat was prepared, with its welcome message.
    Prepared(Chat),
    /// Connecting of a prepared contact began.
    ConnectingContact {
        /// The contact.
        contact: Contact,
        /// The random profile, when incognito.
        incognito: Option<Profile>,
    },
    /// Joining of a prepared group began.
    ConnectingGroup {
        /// The group.
        group: GroupInfo,
        /// The random profile, when incognito.
        incognito: Option<Profile>,
        /// How many relays of a channel answered; 0 for other groups.
        relays: usize,
    },
    /// The response of a service that was asked: an object, as it came.
    ServiceResponse(Raw),
    /// A response of the own service was taken. It travels from then on.
    ServiceReplyAccepted,
    /// Rows: the first has the names of the columns, `|` between values; none at all when nothing matched.
    Rows(Vec<String>),
    /// An answer this program does not know, or cannot read. The command *was* done.
    Unknown {
        /// Its tag, empty when it has none.
        tag: String,
        /// What of a known answer cannot be read.
        why: Option<String>,
    },
}

/// The network settings this program looks at.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkConfig {
    /// When messages go through a forwarding router: `always`, `unknown`, `unprotected`, `never`.
    pub smp_proxy_mode: String,
    /// What happens when that fails: `allow`, `allowProtected`, `prohibit`.
    pub smp_proxy_fallback: String,
}

/// A router of the profile.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Router {
    /// Its address, `smp://KEY@HOST`.
    #[serde(rename = "server")]
    pub address: String,
    /// True for one that came with the core.
    pub preset: bool,
    /// True when it is used.
    pub enabled: bool,
    #[serde(default)]
    deleted: bool,
}

/// Reads the answer to a command. Errors: the core refused the command.
pub fn decode(text: &str) -> Result<Response, ChatError> {
    if let Some(response) = envelope::read_once(text) {
        return Ok(response);
    }
    match envelope::open(text) {
        Opened::Error(error) => Err(error),
        Opened::Unreadable(why) => Ok(Response::Unknown { tag: String::new(), why: Some(why) }),
        Opened::Result { tag, body } => {
            let result = Response::read(&tag, &mut serde_json::Deserializer::from_str(body));
            Ok(result
                .unwrap_or_else(|why| Response::Unknown { tag: tag.to_string(), why: Some(why.to_string()) }))
        }
    }
}

impl Tagged for Response {
    fn read<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Self, D::Error> {
        result(tag, members)
    }
}

/// Reads a result by its tag.
fn result<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Response, D::Error> {
    Ok(match tag {
        "chatStarted" => only(members, Response::ChatStarted)?,
        "chatRunning" => only(members, Response::ChatRunning)?,
        "cmdOk" => only(members, Response::Ok)?,
        "userProfileNoChange" => only(members, Response::ProfileNoChange)?,
        "groupLinkDeleted" => only(members, Response::GroupLinkDeleted)?,
        "activeUser" => Response::ActiveUser(WithUser::deserialize(members)?.user),
        "userProfileUpdated" => Response::ProfileUpdated(WithUser::deserialize(members)?.user),
        "versionInfo" => Response::Version(WithVersion::deserialize(members)?.version_info.version),
        "networkConfig" => Response::NetworkConfig(WithNetwork::deserialize(members)?.network_config),
        "userServers" => Response::Routers(WithServers::deserialize(members)?.routers()),
        "serviceResponse" => Response::ServiceResponse(WithResponseData::deserialize(members)?.response_data),
        "serviceReplyAccepted" => only(members, Response::ServiceReplyAccepted)?,
        "sQLResult" | "sqlResult" => Response::Rows(WithRows::deserialize(members)?.rows),
        _ => return of_group(tag, members),
    })
}

/// Reads a result about groups by its tag.
fn of_group<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Response, D::Error> {
    Ok(match tag {
        "groupsList" => Response::Groups(WithGroups::deserialize(members)?.groups),
        "groupCreated" => Response::GroupCreated(WithGroup::deserialize(members)?.group_info),
        "groupUpdated" => Response::GroupUpdated(WithToGroup::deserialize(members)?.to_group),
        "leftMemberUser" => Response::Left(WithGroup::deserialize(members)?.group_info),
        "groupDeletedUser" => Response::GroupDeleted(WithGroup::deserialize(members)?.group_info),
        "groupMembers" => {
            let with = WithMembersOfGroup::deserialize(members)?.group;
            Response::Members { group: with.group_info, members: with.members }
        }
        "groupLinkCreated" | "groupLink" => {
            let with = WithLink::deserialize(members)?;
            Response::GroupLink { group: with.group_info, link: with.group_link }
        }
        "membersRoleUser" => Response::MemberRolesSet(WithMembers::deserialize(members)?.members),
        "userDeletedMembers" => Response::MembersRemoved(WithMembers::deserialize(members)?.members),
        _ => return of_chat(tag, members),
    })
}

/// Reads a result about chats and their items by its tag.
fn of_chat<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Response, D::Error> {
    Ok(match tag {
        "contactDeleted" => Response::ContactDeleted(WithContact::deserialize(members)?.contact),
        "contactConnectionDeleted" => {
            Response::ConnectionDeleted(WithConnection::deserialize(members)?.connection)
        }
        "newChatItems" => Response::NewItems(WithItems::deserialize(members)?.chat_items),
        "chatItemUpdated" => Response::ItemUpdated(WithItem::deserialize(members)?.chat_item),
        "chatItemNotChanged" => Response::ItemNotChanged(WithItem::deserialize(members)?.chat_item),
        "apiChat" => Response::Chat(WithChat::deserialize(members)?.chat),
        "apiChats" => Response::Chats(WithChats::deserialize(members)?.chats),
        "itemsReadForChat" => Response::ItemsRead(WithChatInfo::deserialize(members)?.chat_info),
        "newPreparedChat" => Response::Prepared(WithChat::deserialize(members)?.chat),
        _ => return of_connecting(tag, members),
    })
}

/// Reads a result about connecting by its tag.
fn of_connecting<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Response, D::Error> {
    Ok(match tag {
        "connectionPlan" => Response::Planned(Planned::deserialize(members)?),
        "sentConfirmation" | "sentInvitation" => {
            let with = WithConnection::deserialize(members)?;
            Response::Connecting { connection: with.connection, incognito: with.custom_user_profile }
        }
        "sentInvitationToContact" => {
            let WithContact { contact, custom_user_profile: incognito } = WithContact::deserialize(members)?;
            Response::InvitationSentToContact { contact, incognito }
        }
        "contactAlreadyExists" => Response::ContactAlreadyExists(WithContact::deserialize(members)?.contact),
        "startedConnectionToContact" => {
            let WithContact { contact, custom_user_profile: incognito } = WithContact::deserialize(members)?;
            Response::ConnectingContact { contact, incognito }
        }
        "startedConnectionToGroup" => {
            let with = WithGroup::deserialize(members)?;
            let relays = with.relay_results.iter().filter(|result| result.relay_error.is_none()).count();
            Response::ConnectingGroup { group: with.group_info, incognito: with.custom_user_profile, relays }
        }
        _ => only(members, Response::Unknown { tag: tag.to_string(), why: None })?,
    })
}

#[derive(Deserialize)]
struct WithUser {
    user: User,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithVersion {
    version_info: VersionInfo,
}

#[derive(Deserialize)]
struct VersionInfo {
    version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithNetwork {
    network_config: NetworkConfig,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithServers {
    user_servers: Vec<OperatorServers>,
}

impl WithServers {
    /// The routers of all operators, those of the user among them; not those the user deleted.
    fn routers(self) -> Vec<Router> {
        let all = self.user_servers.into_iter().flat_map(|operator| operator.smp_servers);
        all.filter(|router| !router.deleted).collect()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OperatorServers {
    #[serde(default, deserialize_with = "list")]
    smp_servers: Vec<Router>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithResponseData {
    response_data: Raw,
}

#[derive(Deserialize)]
struct WithRows {
    rows: Vec<String>,
}

#[derive(Deserialize)]
struct WithGroups {
    #[serde(deserialize_with = "list")]
    groups: Vec<GroupInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithGroup {
    group_info: GroupInfo,
    custom_user_profile: Option<Profile>,
    #[serde(default, deserialize_with = "list")]
    relay_results: Vec<RelayResult>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RelayResult {
    relay_error: Option<ChatError>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithToGroup {
    to_group: GroupInfo,
}

#[derive(Deserialize)]
struct WithMembersOfGroup {
    group: MembersOfGroup,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MembersOfGroup {
    group_info: GroupInfo,
    #[serde(deserialize_with = "list")]
    members: Vec<Member>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithLink {
    group_info: GroupInfo,
    group_link: GroupLink,
}

#[derive(Deserialize)]
struct WithMembers {
    #[serde(deserialize_with = "list")]
    members: Vec<Member>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithContact {
    contact: Contact,
    custom_user_profile: Option<Profile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithConnection {
    connection: PendingConnection,
    custom_user_profile: Option<Profile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithItems {
    #[serde(deserialize_with = "list")]
    chat_items: Vec<PlacedItem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithItem {
    chat_item: PlacedItem,
}

#[derive(Deserialize)]
struct WithChat {
    chat: Chat,
}

#[derive(Deserialize)]
struct WithChats {
    #[serde(deserialize_with = "list")]
    chats: Vec<Chat>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithChatInfo {
    chat_info: ChatInfo,
}
