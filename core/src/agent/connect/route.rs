//! What a plan means: the chat is known, it can't be joined, or how it is joined (decisions 3, the table).

use alloc::format;
use alloc::string::{String, ToString};

use super::Said;
use crate::agent::facts::Facts;
use crate::agent::text::model;
use crate::agent::text::peer::{ChatType, Peer};
use crate::agent::tools::input::ConnectInput;
use crate::simplex::error::wording;
use crate::simplex::model::{
    AddressPlan, ConnLink, ContactId, ContactLinkData, GroupLinkData, GroupPlan, InvitationPlan, Kept,
    MemberStatus, Plan, Planned, PublicName, Raw,
};
use crate::simplex::target::{self, NameKind, Target};

/// Why an own link is refused.
pub(super) const OWN_LINK: &str = "it is the agent's own link";
/// Why a link is refused whose request is on its way.
const UNDER_WAY: &str = "a request to connect is already under way";
/// Why a rejected join is refused.
const REJECTED: &str = "the group rejected the agent's request to join";

/// How a target is joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agent) enum Route {
    /// `/_connect`: the chat comes by an event.
    Plain(ConnLink),
    /// As `Plain`, after the older request was deleted.
    Again(ConnLink),
    /// `/_prepare contact`, then connect what it made: a contact, or a business chat.
    Contact { link: ConnLink, domain: Option<PublicName>, data: Raw },
    /// `/_prepare group`, then connect it.
    Group { link: ConnLink, direct: bool, domain: Option<PublicName>, data: Raw },
    /// `/connect NAME`.
    Name(String),
    /// `/_connect contact UID ID`: a contact card.
    Card(ContactId),
    /// Connect the chat that was prepared before.
    Resume(alloc::boxed::Box<Facts>),
}

impl Route {
    /// The full form of the link, when the plan told it.
    pub(in crate::agent) fn full_link(&self) -> Option<&str> {
        let link = match self {
            Self::Plain(link) | Self::Again(link) => link,
            Self::Contact { link, .. } | Self::Group { link, .. } => link,
            Self::Name(_) | Self::Card(_) | Self::Resume(_) => return None,
        };
        let is_full = matches!(
            target::parse(&link.conn_full_link),
            Some(Target::Link(link)) if link.form == target::LinkForm::Full
        );
        is_full.then_some(link.conn_full_link.as_str())
    }
}

/// What became of a link since it was planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meanwhile {
    /// Nothing that matters.
    Same,
    /// The agent has the chat.
    Known(Facts),
    /// A chat was prepared for it.
    Prepared(Facts),
    /// A request of the agent is on its way.
    Requested,
}

/// Reads the plan of a link's full form, which tells only what the core has itself.
pub(super) fn meanwhile(plan: &Plan) -> Meanwhile {
    let facts = match plan {
        Plan::Invitation(InvitationPlan::Known(contact)) | Plan::Address(AddressPlan::Known(contact)) => {
            Facts::contact(contact)
        }
        Plan::Group(GroupPlan::Known(group)) => Facts::group(group),
        Plan::Address(AddressPlan::ConnectingConfirmReconnect)
        | Plan::Group(GroupPlan::ConnectingConfirmReconnect) => return Meanwhile::Requested,
        Plan::Invitation(_) | Plan::Address(_) | Plan::Group(_) | Plan::Error(_) | Plan::Unknown(_) => {
            return Meanwhile::Same;
        }
    };
    if facts.resumable { Meanwhile::Prepared(facts) } else { Meanwhile::Known(facts) }
}

/// What a plan means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agent) enum Verdict {
    /// The agent has the chat.
    Known(Facts, Said),
    /// It can be joined.
    Join(Route, Said),
}

/// Reads a plan.
///
/// # Errors
///
/// Why the target can't be joined now, or takes no message: texts for the model.
pub(in crate::agent) fn judge(planned: &Planned, input: &ConnectInput) -> Result<Verdict, String> {
    let verdict = match &planned.plan {
        Plan::Invitation(plan) => invitation(plan, planned, input),
        Plan::Address(plan) => address(plan, planned, input),
        Plan::Group(plan) => group(plan, planned, input),
        Plan::Error(error) => {
            let text = wording::text(error);
            Err(text.strip_suffix('.').unwrap_or(&text).to_string())
        }
        Plan::Unknown(tag) => Err(format!("this program does not know what it leads to ({tag})")),
    };
    let verdict = verdict.map_err(|reason| model::not_joinable(&input.target, &reason))?;
    let takes_message = matches!(verdict, Verdict::Join(Route::Contact { .. }, _) | Verdict::Known(..));
    if input.message.is_some() && !takes_message {
        return Err(model::no_message(&input.target));
    }
    Ok(verdict)
}

fn invitation(plan: &InvitationPlan, planned: &Planned, input: &ConnectInput) -> Result<Verdict, String> {
    match plan {
        InvitationPlan::Ok(data) => {
            let link = link(planned, input);
            Ok(match data {
                Some(data) => Verdict::Join(prepare(link, planned, data), contact_said(&data.value, input)),
                None => Verdict::Join(Route::Plain(link), Said::default()),
            })
        }
        InvitationPlan::OwnLink => Err(OWN_LINK.into()),
        InvitationPlan::Connecting(_) => Err(UNDER_WAY.into()),
        InvitationPlan::Known(contact) => Ok(existing(Facts::contact(contact))),
        InvitationPlan::Unknown(tag) => Err(unknown(tag)),
    }
}

fn address(plan: &AddressPlan, planned: &Planned, input: &ConnectInput) -> Result<Verdict, String> {
    let plain = || link(planned, input);
    Ok(match plan {
        AddressPlan::Ok(Some(data)) => {
            let prepared = data.value.business || input.message.is_some() || is_name(input);
            let route = match planned.link {
                Some(_) if prepared => prepare(plain(), planned, data),
                None if is_name(input) => Route::Name(input.target.clone()),
                _ => Route::Plain(plain()),
            };
            Verdict::Join(route, contact_said(&data.value, input))
        }
        AddressPlan::Ok(None) if is_name(input) => {
            Verdict::Join(Route::Name(input.target.clone()), Said::default())
        }
        AddressPlan::Ok(None) => Verdict::Join(Route::Plain(plain()), Said::default()),
        AddressPlan::OwnLink => return Err(OWN_LINK.into()),
        AddressPlan::ConnectingConfirmReconnect => Verdict::Join(Route::Again(plain()), Said::default()),
        AddressPlan::ConnectingProhibit(_) => return Err(UNDER_WAY.into()),
        AddressPlan::Known(contact) => existing(Facts::contact(contact)),
        AddressPlan::ContactViaAddress(contact) => {
            let facts = Facts::contact(contact);
            Verdict::Join(Route::Card(contact.contact_id), facts_said(&facts))
        }
        AddressPlan::Unknown(tag) => return Err(unknown(tag)),
    })
}

fn group(plan: &GroupPlan, planned: &Planned, input: &ConnectInput) -> Result<Verdict, String> {
    let plain = || link(planned, input);
    Ok(match plan {
        GroupPlan::Ok { info, data } => {
            let direct = info.as_ref().is_none_or(|info| info.direct);
            let said = data.as_ref().map(|data| group_said(&data.value, direct, input)).unwrap_or_default();
            let route = match (data, &planned.link) {
                (Some(data), Some(_)) if !direct || is_name(input) => Route::Group {
                    link: plain(),
                    direct,
                    domain: planned.name.clone(),
                    data: data.raw.clone(),
                },
                (None, _) if !direct => return Err("the channel's data could not be read".into()),
                (_, None) if is_name(input) => Route::Name(input.target.clone()),
                _ => Route::Plain(plain()),
            };
            Verdict::Join(route, said)
        }
        GroupPlan::OwnLink(_) => return Err(OWN_LINK.into()),
        GroupPlan::ConnectingConfirmReconnect => Verdict::Join(Route::Again(plain()), Said::default()),
        GroupPlan::ConnectingProhibit(_) => return Err(UNDER_WAY.into()),
        GroupPlan::Known(group) if group.membership.member_status == MemberStatus::Rejected => {
            return Err(REJECTED.into());
        }
        GroupPlan::Known(group) => existing(Facts::group(group)),
        GroupPlan::NoRelays => return Err("the channel has no relays".into()),
        GroupPlan::UpdateRequired => return Err("it needs a newer SimpleX core".into()),
        GroupPlan::Unknown(tag) => return Err(unknown(tag)),
    })
}

/// A chat the agent has: known, unless its connection was never begun.
fn existing(facts: Facts) -> Verdict {
    if facts.resumable {
        let said = facts_said(&facts);
        Verdict::Join(Route::Resume(facts.into()), said)
    } else {
        let said = Said::default();
        Verdict::Known(facts, said)
    }
}

fn prepare(link: ConnLink, planned: &Planned, data: &Kept<ContactLinkData>) -> Route {
    Route::Contact { link, domain: planned.name.clone(), data: data.raw.clone() }
}

/// The link of the plan; the target itself when the plan has none.
fn link(planned: &Planned, input: &ConnectInput) -> ConnLink {
    planned
        .link
        .clone()
        .unwrap_or_else(|| ConnLink { conn_full_link: input.target.clone(), conn_short_link: None })
}

fn is_name(input: &ConnectInput) -> bool {
    matches!(target::parse(&input.target), Some(Target::Name(_)))
}

fn name_of(input: &ConnectInput) -> Option<String> {
    is_name(input).then(|| input.target.clone())
}

fn contact_said(data: &ContactLinkData, input: &ConnectInput) -> Said {
    let chat_type = if data.business { ChatType::Business } else { ChatType::Contact };
    let peer = Peer {
        chat_type,
        peer_type: data.profile.peer_type.as_ref().map(ToString::to_string),
        name: data.profile.display_name.clone(),
        simplex_name: name_of(input),
    };
    let welcome = data.message.as_ref().map(|message| message.text.clone());
    Said { peer: Some(peer), description: data.profile.short_descr.clone(), welcome }
}

fn group_said(data: &GroupLinkData, direct: bool, input: &ConnectInput) -> Said {
    let chat_type = if direct { ChatType::Group } else { ChatType::Channel };
    let profile = &data.group_profile;
    let peer =
        Peer { chat_type, peer_type: None, name: profile.display_name.clone(), simplex_name: name_of(input) };
    Said { peer: Some(peer), description: profile.short_descr.clone(), welcome: profile.description.clone() }
}

fn facts_said(facts: &Facts) -> Said {
    Said { peer: Some(facts.peer.clone()), description: facts.description.clone(), welcome: None }
}

/// The peer of a target that says nothing of itself: named by the target.
pub(super) fn unnamed(target: &str) -> Peer {
    let chat_type = match target::parse(target) {
        Some(Target::Link(link)) => match link.kind {
            target::LinkKind::Group => ChatType::Group,
            target::LinkKind::Channel => ChatType::Channel,
            target::LinkKind::Invitation | target::LinkKind::Contact | target::LinkKind::Relay => {
                ChatType::Contact
            }
        },
        Some(Target::Name(name)) if name.kind == NameKind::Channel => ChatType::Channel,
        Some(Target::Name(_)) | None => ChatType::Contact,
    };
    Peer { chat_type, peer_type: None, name: target.into(), simplex_name: None }
}

fn unknown(tag: &str) -> String {
    format!("this program does not know this state of the link ({tag})")
}
