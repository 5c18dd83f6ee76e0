//! Chat items: messages and everything else a chat shows (`reference/simplex-api.md` section 5.1).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;

use serde::Deserialize;

use super::wire::{MissingField, or_default, promised, soft};
use super::word::{Word, words};
use super::{ChatInfo, GroupMemberId, ItemId, Member, Timestamp};

/// A chat item with the chat it is in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedItem {
    /// The chat.
    pub chat_info: ChatInfo,
    /// The item.
    pub chat_item: ChatItem,
}

/// A chat item.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatItem {
    /// Who wrote it.
    pub chat_dir: ChatDir,
    /// Number, times and states.
    pub meta: Meta,
    /// What it is.
    pub content: Content,
    /// Members that its text mentions, by the name in the text.
    #[serde(default, deserialize_with = "soft")]
    pub mentions: BTreeMap<String, Mention>,
    /// What it quotes.
    #[serde(default, deserialize_with = "soft")]
    pub quoted_item: Option<Quote>,
}

impl ChatItem {
    /// The content of a message of someone else.
    pub const fn received(&self) -> Option<&MsgContent> {
        match &self.content {
            Content::Received(content) => Some(content),
            Content::Sent(_) | Content::Other(_) => None,
        }
    }
}

/// Who wrote an item.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WireDir")]
pub enum ChatDir {
    /// The user, to a contact.
    DirectSnd,
    /// The contact.
    DirectRcv,
    /// The user, to a group.
    GroupSnd,
    /// This member of the group.
    GroupRcv(Box<Member>),
    /// The channel itself.
    ChannelRcv,
    /// The user, in the note folder.
    LocalSnd,
    /// The program, in the note folder.
    LocalRcv,
    /// A kind this program does not know.
    Other(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireDir {
    #[serde(rename = "type")]
    tag: String,
    group_member: Option<Box<Member>>,
}

impl TryFrom<WireDir> for ChatDir {
    type Error = MissingField;

    fn try_from(wire: WireDir) -> Result<Self, MissingField> {
        Ok(match wire.tag.as_str() {
            "directSnd" => Self::DirectSnd,
            "directRcv" => Self::DirectRcv,
            "groupSnd" => Self::GroupSnd,
            "groupRcv" => Self::GroupRcv(promised(wire.group_member, "groupMember")?),
            "channelRcv" => Self::ChannelRcv,
            "localSnd" => Self::LocalSnd,
            "localRcv" => Self::LocalRcv,
            _ => Self::Other(wire.tag),
        })
    }
}

/// Number, times and states of an item.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Its number.
    pub item_id: ItemId,
    /// When its writer says it was written; whole seconds for received ones.
    pub item_ts: Timestamp,
    /// Whether it was read or delivered.
    pub item_status: ItemStatus,
    /// What the peers know the message by (24 characters).
    pub item_shared_msg_id: Option<String>,
    /// True while the message is being written; false from the final update on.
    #[serde(default, deserialize_with = "or_default")]
    pub item_live: bool,
    /// True when it was edited.
    #[serde(default, deserialize_with = "or_default")]
    pub item_edited: bool,
    /// Set when it was deleted; its text stays (FINDINGS 6).
    pub item_deleted: Option<Deletion>,
    /// Set when the message was forwarded from elsewhere by its writer.
    #[serde(default, rename = "itemForwarded", deserialize_with = "present")]
    pub is_forwarded: bool,
    /// The member who passed the message on for its writer.
    pub forwarded_by_member: Option<GroupMemberId>,
    /// What a signature says, when there is or should be one.
    pub msg_verified: Option<Verified>,
    /// True when it mentions the user *or quotes an item of the user*.
    #[serde(default, deserialize_with = "or_default")]
    pub user_mention: bool,
    /// When it came into this database.
    pub created_at: Timestamp,
    /// When it was last changed there, when the core says so.
    pub updated_at: Option<Timestamp>,
}

fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::<serde::de::IgnoredAny>::deserialize(deserializer)?.is_some())
}

words! {
    /// Whether an item was read or delivered.
    ItemStatus {
        /// Not sent yet.
        SndNew = "sndNew",
        /// Sent to the router.
        SndSent = "sndSent",
        /// Received by the peer.
        SndRcvd = "sndRcvd",
        /// Refused: the peer's queue is gone.
        SndErrorAuth = "sndErrorAuth",
        /// Failed.
        SndError = "sndError",
        /// Not sent yet, with trouble.
        SndWarning = "sndWarning",
        /// Not read.
        RcvNew = "rcvNew",
        /// Read.
        RcvRead = "rcvRead",
    }
}

words! {
    /// How an item was deleted.
    Deletion {
        /// By its writer or the user.
        Deleted = "deleted",
        /// Its writer is blocked by the user.
        Blocked = "blocked",
        /// Its writer is blocked for all.
        BlockedByAdmin = "blockedByAdmin",
        /// By a moderator.
        Moderated = "moderated",
    }
}

/// What a signature says about an item's writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "WireVerified")]
pub enum Verified {
    /// The writer's key signed it.
    Verified,
    /// There is no signature, no known key, or a state this program does not know.
    Unverified,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WireVerified {
    Word(String),
    Object {
        #[serde(rename = "sigStatus")]
        status: Option<String>,
    },
    Any(serde::de::IgnoredAny),
}

impl From<WireVerified> for Verified {
    fn from(wire: WireVerified) -> Self {
        let status = match wire {
            WireVerified::Word(status) => Some(status),
            WireVerified::Object { status } => status,
            WireVerified::Any(_) => None,
        };
        if status.as_deref() == Some("verified") { Self::Verified } else { Self::Unverified }
    }
}

/// What an item is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WireContent")]
pub enum Content {
    /// A message of someone else.
    Received(MsgContent),
    /// A message of the user.
    Sent(MsgContent),
    /// Something else: an event, a banner, a feature. Its tag.
    Other(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireContent {
    #[serde(rename = "type")]
    tag: String,
    msg_content: Option<MsgContent>,
}

impl TryFrom<WireContent> for Content {
    type Error = MissingField;

    fn try_from(wire: WireContent) -> Result<Self, MissingField> {
        Ok(match wire.tag.as_str() {
            "rcvMsgContent" => Self::Received(promised(wire.msg_content, "msgContent")?),
            "sndMsgContent" => Self::Sent(promised(wire.msg_content, "msgContent")?),
            _ => Self::Other(wire.tag),
        })
    }
}

words! {
    /// The kind of a message.
    MsgKind {
        /// Text alone.
        Text = "text",
        /// Text with the preview of a link.
        Link = "link",
        /// A picture.
        Image = "image",
        /// A film.
        Video = "video",
        /// A voice message.
        Voice = "voice",
        /// A file.
        File = "file",
        /// A report to the moderators.
        Report = "report",
        /// The link of a chat.
        Chat = "chat",
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct MsgContent {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: MsgKind,
    /// Its text, which may be empty.
    #[serde(default, deserialize_with = "or_default")]
    pub text: String,
}

/// A member that a text mentions.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "WireMention")]
pub struct Mention {
    /// What the group knows the member by.
    pub member_id: String,
    /// The member's row here, when the member is known.
    pub group_member_id: Option<GroupMemberId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMention {
    member_id: String,
    #[serde(default, deserialize_with = "soft")]
    member_ref: Option<MemberRef>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MemberRef {
    group_member_id: GroupMemberId,
}

impl From<WireMention> for Mention {
    fn from(wire: WireMention) -> Self {
        let group_member_id = wire.member_ref.map(|member| member.group_member_id);
        Self { member_id: wire.member_id, group_member_id }
    }
}

/// What an item quotes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "WireQuote")]
pub struct Quote {
    /// Who wrote the quoted message, as the tag of its direction (`groupSnd`, `directSnd`: the user).
    pub dir: Option<String>,
    /// The quoted item's number here; none when it is not stored here.
    pub item_id: Option<ItemId>,
    /// What the peers know the quoted message by.
    pub shared_msg_id: Option<String>,
    /// The whole quoted message, as the one who quotes tells it.
    pub content: Option<MsgContent>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireQuote {
    chat_dir: Option<Word>,
    item_id: Option<ItemId>,
    shared_msg_id: Option<String>,
    #[serde(default, deserialize_with = "soft")]
    content: Option<MsgContent>,
}

impl From<WireQuote> for Quote {
    fn from(wire: WireQuote) -> Self {
        Self {
            dir: wire.chat_dir.map(|word| word.0),
            item_id: wire.item_id,
            shared_msg_id: wire.shared_msg_id,
            content: wire.content,
        }
    }
}
