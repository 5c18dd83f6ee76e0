//! Members of groups, and the states of connections.

use alloc::string::String;

use serde::Deserialize;

use super::word::words;
use super::{Connection, ContactId, GroupMemberId, Profile, ProfileId, Timestamp};

words! {
    /// What a member may do, ascending but for `Other` (`reference/simplex-api.md` section 8).
    MemberRole {
        /// Passes messages of a channel on.
        Relay = "relay",
        /// Reads.
        Observer = "observer",
        /// Posts.
        Author = "author",
        /// Posts and has a say.
        Member = "member",
        /// Moderates.
        Moderator = "moderator",
        /// Adds and removes members.
        Admin = "admin",
        /// May do everything.
        Owner = "owner",
    }
}

impl MemberRole {
    /// True for a role that may post: author and above. An unknown role may not.
    pub const fn may_post(&self) -> bool {
        matches!(self, Self::Author | Self::Member | Self::Moderator | Self::Admin | Self::Owner)
    }
}

words! {
    /// How a member came into the group.
    MemberCategory {
        /// The user.
        User = "user",
        /// By the user's link or invitation.
        Invitee = "invitee",
        /// The one who let the user in.
        Host = "host",
        /// There before the user.
        Pre = "pre",
        /// Later, by someone else.
        Post = "post",
    }
}

words! {
    /// Where a membership stands.
    MemberStatus {
        /// Refused.
        Rejected = "rejected",
        /// Removed by someone.
        Removed = "removed",
        /// Left.
        Left = "left",
        /// The group was deleted.
        Deleted = "deleted",
        /// Not known, as before joining a prepared group.
        Unknown = "unknown",
        /// Invited.
        Invited = "invited",
        /// Waits for the host's approval.
        PendingApproval = "pending_approval",
        /// Waits for a review by moderators.
        PendingReview = "pending_review",
        /// Introduced to others.
        Introduced = "introduced",
        /// Invited by introduction.
        IntroInvited = "intro-inv",
        /// Accepted, connecting.
        Accepted = "accepted",
        /// Announced by another member.
        Announced = "announced",
        /// Connected.
        Connected = "connected",
        /// Connected to all.
        Complete = "complete",
        /// Created the group.
        Creator = "creator",
    }
}

impl MemberStatus {
    /// True when the membership is complete and may post if its role may (decisions 10, "Joined means").
    pub const fn is_joined(&self) -> bool {
        matches!(self, Self::Connected | Self::Complete | Self::Creator)
    }

    /// True while a host or moderators have not let the member in.
    pub const fn is_pending(&self) -> bool {
        matches!(self, Self::PendingApproval | Self::PendingReview)
    }

    /// True for a member of the group, connected to the user or not (`reference/simplex-api.md` section 8).
    pub const fn is_current(&self) -> bool {
        self.is_joined()
            || matches!(self, Self::Introduced | Self::IntroInvited | Self::Accepted | Self::Announced)
    }

    /// True while there is something to leave.
    pub const fn is_current_or_pending(&self) -> bool {
        self.is_current() || self.is_pending()
    }

    /// True when the membership ended.
    pub const fn is_removed(&self) -> bool {
        matches!(self, Self::Rejected | Self::Removed | Self::Left | Self::Deleted)
    }
}

words! {
    /// Where a connection stands. An object in 7.0, a word in 6.4.
    ConnStatus {
        /// Made, nothing sent.
        New = "new",
        /// Prepared, nothing sent.
        Prepared = "prepared",
        /// Joined the other's link.
        Joined = "joined",
        /// The other asked.
        Requested = "requested",
        /// Accepted.
        Accepted = "accepted",
        /// The user can send.
        SndReady = "sndReady",
        /// Complete.
        Ready = "ready",
        /// Deleted.
        Deleted = "deleted",
        /// Failed.
        Failed = "failed",
    }
}

impl ConnStatus {
    /// True when messages can be sent.
    pub const fn can_send(&self) -> bool {
        matches!(self, Self::Ready | Self::SndReady)
    }
}

/// A member of a group, the user included.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The row. Given again after a delete.
    pub group_member_id: GroupMemberId,
    /// What the group knows the member by; stays as long as the membership.
    pub member_id: String,
    /// What the member may do.
    pub member_role: MemberRole,
    /// How the member came.
    pub member_category: MemberCategory,
    /// Where the membership stands.
    pub member_status: MemberStatus,
    /// The name as it is unique in this database.
    #[serde(default)]
    pub local_display_name: String,
    /// The profile shown in this group. For the user it may be a random one.
    pub member_profile: Profile,
    /// The contact that is this member too, when there is one.
    pub member_contact_id: Option<ContactId>,
    /// The profile the membership belongs to.
    pub member_contact_profile_id: Option<ProfileId>,
    /// The connection to the member, when there is one.
    pub active_conn: Option<Connection>,
    /// When the row was made.
    pub created_at: Option<Timestamp>,
}

impl Member {
    /// The name the member chose, which needs not be unique.
    pub fn name(&self) -> &str {
        &self.member_profile.display_name
    }
}
