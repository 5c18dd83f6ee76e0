//! The objects of the SimpleX core, with only the fields this program reads (`reference/simplex-api.md` section 5).
//!
//! Reading is forgiving in one place each: unknown keys are skipped, absent and null are the same, numbers may be
//! decimal strings ([`id`]), unknown words become `Other` ([`word`]), and a list element that cannot be read is left
//! out (`wire::list`). What a chat is *known by* (numbers, member identifiers, creation times) is required.

pub mod bot_command;
pub mod chat;
pub mod contact;
pub mod group;
pub mod id;
pub mod item;
pub mod link;
pub mod member;
pub mod plan;
pub mod profile;
pub mod raw;
pub mod service;
pub mod timestamp;
pub(crate) mod wire;
pub mod word;

pub use bot_command::BotCommand;
pub use chat::{Chat, ChatInfo, ChatStats, Scope};
pub use contact::{Connection, Contact, ContactStatus, PendingConnection, PreparedContact};
pub use group::{BusinessChat, BusinessSide, GroupInfo, GroupProfile, GroupType, PreparedGroup, PublicGroup};
pub use id::{ConnId, ContactId, GroupId, GroupMemberId, ItemId, ProfileId, UserId};
pub use item::{
    ChatDir, ChatItem, Content, Deletion, ItemStatus, Mention, Meta, MsgContent, MsgKind, PlacedItem, Quote,
    Verified,
};
pub use link::{ConnLink, GroupLink};
pub use member::{ConnStatus, Member, MemberCategory, MemberRole, MemberStatus};
pub use plan::{
    AddressPlan, ContactLinkData, GroupLinkData, GroupLinkInfo, GroupPlan, InvitationPlan, Plan, Planned,
    PublicName,
};
pub use profile::{PeerType, Profile, User};
pub use raw::{Kept, Raw};
pub use service::{ServiceRequest, ServiceRequestId};
pub use timestamp::Timestamp;
