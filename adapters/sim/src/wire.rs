//! What controllers send to each other.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simplex_agent_core::UnixMillis;

use crate::signing::Signature;

/// One message between two controllers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Packet {
    pub(crate) to: To,
    /// The sender's end of the connection, where an answer goes.
    pub(crate) from: Option<u64>,
    pub(crate) at: UnixMillis,
    pub(crate) body: Body,
}

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum To {
    /// One end of a connection.
    Wire(u64),
    /// A link.
    Link(u64),
}

/// The content of a packet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Body {
    /// To a link: let me in.
    Request(Request),
    /// One-time link: the joining side's profile.
    InvConfirm {
        profile: Value,
        message: Option<Text>,
    },
    /// The address or link owner's profile, in answer.
    Accept {
        profile: Value,
    },
    /// The connection works in both directions.
    Ready,
    /// The other side's `Ready` was seen.
    ReadyBack,
    /// The requesting side is done; with its whole profile when the request had less.
    Done {
        profile: Option<Value>,
    },
    /// The auto-reply, for a chat that was prepared with it already.
    Welcome(Text),
    /// A channel asks a relay to serve it.
    RelayInvite(Invitation),
    /// The relay serves, by this link.
    RelayReady {
        link: u64,
        member: MemberCard,
    },
    /// A group link or business address was accepted: the group as the joining member gets it.
    GroupAccept(Invitation),
    /// The joining member made its records.
    GroupConfirm,
    GroupReady,
    GroupReadyBack,
    /// A contact invites into a group.
    GroupInvite(Invitation),
    /// That invitation was accepted.
    GroupJoin,
    /// About the group that this connection belongs to.
    Group(GroupMessage),
    /// The same, handed on by a relay for a member.
    Relayed {
        author: String,
        message: GroupMessage,
    },
    /// The profile of a contact changed.
    Profile(Value),
    ContactDeleted {
        id: String,
    },
    Text(Text),
    Edit(Edit),
    Delete {
        id: String,
    },
    Reaction {
        id: String,
        added: bool,
        emoji: Value,
    },
    Receipt {
        ids: Vec<String>,
    },
    /// To an address: a call of its service.
    ServiceRequest(SignedCall),
    /// The answer to such a call.
    ServiceReply(ServiceReply),
}

/// A call of a service, as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignedCall {
    pub(crate) data: Value,
    pub(crate) signature: Option<Signature>,
}

/// How a service answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ServiceReply {
    /// With this JSON; of a core an object, of other programs anything.
    Data(Value),
    /// With a refusal and its reason.
    Rejected(String),
}

/// A request to a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) profile: Value,
    pub(crate) x_contact_id: String,
    pub(crate) incognito: bool,
    pub(crate) message: Option<Text>,
    /// True when the chat exists already, with the welcome.
    pub(crate) prepared: bool,
    /// True when the profile has something that requests leave out (the peer type).
    pub(crate) more_profile: Option<Value>,
    /// False for a join through a relay.
    pub(crate) direct: bool,
}

/// A group as a new member gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Invitation {
    pub(crate) group: Value,
    pub(crate) key: String,
    pub(crate) host: MemberCard,
    pub(crate) you: String,
    pub(crate) role: String,
    /// `accepted`, `pending_approval` or `pending_review`.
    pub(crate) status: String,
    pub(crate) business: bool,
    pub(crate) channel: bool,
    pub(crate) members: u32,
    pub(crate) welcome: Option<Text>,
    pub(crate) prepared: bool,
}

/// A member as others are told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MemberCard {
    pub(crate) id: String,
    pub(crate) role: String,
    pub(crate) profile: Value,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Text {
    pub(crate) id: String,
    pub(crate) content: Value,
    pub(crate) quote: Option<Quote>,
    /// Name in the text to member identifier.
    pub(crate) mentions: Vec<(String, String)>,
    pub(crate) live: bool,
    pub(crate) ttl: Option<i64>,
    /// In the support scope of this member.
    pub(crate) support: Option<String>,
    pub(crate) as_group: bool,
    pub(crate) forwarded: bool,
    /// The author, when a host hands it on; nobody for posts of a channel.
    pub(crate) author: Option<MemberCard>,
    pub(crate) handed_on: bool,
    /// When the author sent it.
    pub(crate) sent: UnixMillis,
    /// The group's description as a message of its host.
    pub(crate) welcome: bool,
}

/// What a reply says of the message it quotes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Quote {
    pub(crate) id: Option<String>,
    pub(crate) sent: UnixMillis,
    pub(crate) content: Value,
    /// The author's member identifier; in contacts, true when the replying side wrote it.
    pub(crate) member: Option<String>,
    pub(crate) own: bool,
}

/// A changed message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Edit {
    pub(crate) id: String,
    pub(crate) content: Value,
    pub(crate) mentions: Vec<(String, String)>,
    pub(crate) live: bool,
    pub(crate) support: Option<String>,
    /// The author, when a relay hands it on.
    pub(crate) author: Option<String>,
}

/// Changes of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum GroupMessage {
    /// A member joined: for those who were there, with the two ends of the new connection.
    New {
        member: MemberCard,
        wire: u64,
        peer: u64,
        id: String,
    },
    /// Those who were there: for the member that joined.
    Intro {
        member: MemberCard,
        wire: u64,
        peer: u64,
    },
    /// The connection between two members works.
    Met,
    MetBack,
    Role {
        member: String,
        role: String,
        id: String,
    },
    Removed {
        member: String,
        id: String,
    },
    Left {
        id: String,
    },
    Deleted {
        id: String,
    },
    Updated {
        profile: Value,
        id: String,
    },
    /// Admission: the member waits for review; the member is let in.
    PendingReview,
    Accepted {
        member: String,
        role: String,
    },
    /// The host's full profile.
    HostProfile(Value),
    /// The business chat's `groupPreferences`.
    Preferences(Value),
}
