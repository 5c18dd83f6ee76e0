//! Events of the SimpleX core, routed to whom they concern.

use alloc::string::String;

use super::action::Work;
use super::call::OpenCall;
use super::collect::{Collector, Place};
use super::connect::{Opening, Seen};
use super::facts::Facts;
use super::text::person;
use super::{Agent, Cx, Phase};
use crate::effect::ExitCode;
use crate::simplex::event::{self, Event};
use crate::simplex::model::{ChatInfo, ChatItem, GroupInfo, ItemId, PlacedItem};

impl Agent {
    /// An event came. Until the start is complete it waits; from the stop on it is not looked at, so that no
    /// `/approve` begins anything (plan, "Start and shutdown").
    pub(super) fn on_event(&mut self, cx: &mut Cx<'_>, text: String) {
        match self.phase {
            Phase::Starting(_) => self.queued.push(text),
            Phase::Running => self.take_event(cx, &text),
            Phase::Stopping(_) | Phase::Leaving(_) | Phase::Ended => {}
        }
    }

    /// The events that came during the start.
    pub(super) fn take_queued(&mut self, cx: &mut Cx<'_>) {
        for text in core::mem::take(&mut self.queued) {
            self.take_event(cx, &text);
        }
    }

    fn take_event(&mut self, cx: &mut Cx<'_>, text: &str) {
        let event = event::decode(text);
        if let Some(seen) = Seen::of(&event) {
            self.on_connection(cx, seen);
        }
        match event {
            Event::NewItems(items) => {
                for item in &items {
                    self.on_new_item(cx, item);
                }
            }
            Event::ItemUpdated(item) | Event::ItemNotChanged(item) => self.on_item_updated(cx, &item),
            Event::ItemsDeleted { items, .. } => {
                for deleted in &items {
                    self.on_item_deleted(deleted.before.chat_item.meta.item_id);
                }
            }
            Event::GroupItemsDeleted { items, .. } => {
                for item in items {
                    self.on_item_deleted(item);
                }
            }
            Event::ItemsStatuses(deliveries) => {
                for delivery in &deliveries {
                    self.sharing.saw(delivery.item);
                }
            }
            Event::ContactDeletedByContact(contact) => {
                self.on_chat_closed(cx, &ChatInfo::Direct(contact));
            }
            Event::MemberJoined { group, member } => {
                if self.take_group(cx, &group, &member) {
                    self.on_joined(cx, &member);
                }
            }
            Event::MemberJoining { group, member }
            | Event::MemberConnected { group, member }
            | Event::MemberUpdated { group, member } => {
                if self.take_group(cx, &group, &member) {
                    self.refresh_members(cx);
                }
            }
            Event::MemberRole { group, member, to, .. } => {
                if self.is_control_group(&group) {
                    self.on_member_role(cx, member.group_member_id, &to);
                }
            }
            Event::MemberLeft { group, member } | Event::MemberRemoved { group, member, .. } => {
                if self.is_control_group(&group) {
                    self.on_member_gone(cx, member.group_member_id);
                }
            }
            Event::UserRemoved { group, .. } | Event::GroupDeleted { group, .. } => {
                self.on_group_closed(cx, group)
            }
            Event::GroupUpdated { to, .. } => {
                if self.is_control_group(&to) {
                    self.set_control_group(cx, to);
                }
            }
            Event::ContactConnecting(_)
            | Event::ContactSndReady(_)
            | Event::ContactConnected { .. }
            | Event::GroupLinkConnecting { .. }
            | Event::UserJoinedGroup { .. }
            | Event::ContactUpdated(_)
            | Event::ContactRequest
            | Event::ChatInfoUpdated(_)
            | Event::AcceptingMember { .. }
            | Event::ContactIsMember { .. }
            | Event::ServiceRequest(_)
            | Event::Errors(_)
            | Event::Ignored(_)
            | Event::Unknown { .. } => {}
        }
    }

    /// Whether this is the control chat: number and time of creation.
    pub(super) fn is_control_group(&self, group: &GroupInfo) -> bool {
        self.control.as_ref().is_some_and(|control| {
            control.group_id() == group.group_id && control.id.created_at == group.created_at.as_str()
        })
    }

    fn on_group_closed(&mut self, cx: &mut Cx<'_>, group: GroupInfo) {
        if self.is_control_group(&group) {
            self.set_control_group(cx, group);
        } else {
            self.on_chat_closed(cx, &ChatInfo::Group { group, scope: None });
        }
    }

    fn on_new_item(&mut self, cx: &mut Cx<'_>, placed: &PlacedItem) {
        let Some((facts, place)) = self.placed(cx, placed, Self::on_control_item) else { return };
        for collector in self.collectors_mut() {
            collector.add(cx.now.mono, &place, &facts, &placed.chat_item);
        }
        self.look_at_place(cx, &place);
    }

    fn on_item_updated(&mut self, cx: &mut Cx<'_>, placed: &PlacedItem) {
        let Some((_, place)) = self.placed(cx, placed, Self::on_control_update) else { return };
        for collector in self.collectors_mut() {
            collector.update(cx.now.mono, &place, &placed.chat_item);
        }
        for opening in self.openings_mut() {
            opening.update(&placed.chat_item);
        }
        for receiving in self.receiving_mut() {
            receiving.update(cx.now.mono, &placed.chat_item);
        }
        self.look_at_place(cx, &place);
    }

    /// The chat of an item, and the place in it; an item of the control chat's main scope goes to `control` instead,
    /// one of its support scopes nowhere (P13).
    fn placed(
        &mut self,
        cx: &mut Cx<'_>,
        placed: &PlacedItem,
        control: fn(&mut Self, &mut Cx<'_>, &ChatItem),
    ) -> Option<(Facts, Place)> {
        if let ChatInfo::Group { group, scope } = &placed.chat_info
            && self.is_control_group(group)
        {
            if scope.is_none() {
                control(self, cx, &placed.chat_item);
            }
            return None;
        }
        let facts = Facts::of(&placed.chat_info)?;
        let place = Place::of(&facts, &placed.chat_info);
        Some((facts, place))
    }

    /// Everything that collects messages.
    fn collectors_mut(&mut self) -> impl Iterator<Item = &mut Collector> {
        let actions = self.desk.actions_mut().filter_map(|action| action.collector.as_mut());
        actions.chain(self.calls.values_mut().filter_map(OpenCall::collector_mut))
    }

    /// The messages of chats at their connections.
    fn openings_mut(&mut self) -> impl Iterator<Item = &mut Opening> {
        self.desk.actions_mut().filter_map(|action| match &mut action.work {
            Work::Connect(joining) => Some(&mut joining.opening),
            Work::Send(_) | Work::Leave => None,
        })
    }

    fn on_item_deleted(&mut self, item: ItemId) {
        for collector in self.collectors_mut() {
            collector.remove(item);
        }
        for opening in self.openings_mut() {
            opening.remove(item);
        }
        for receiving in self.receiving_mut() {
            receiving.remove(item);
        }
        self.owner.forget_live(item);
    }

    /// Looks at the calls that collect from a place.
    fn look_at_place(&mut self, cx: &mut Cx<'_>, place: &Place) {
        let collects = |collector: &Collector| collector.place() == place;
        for number in self.desk.numbers(|action| action.collector.as_ref().is_some_and(collects)) {
            self.look_at_action(cx, number);
        }
        for call in self.receiving_calls() {
            self.look_at_call(cx, call);
        }
    }

    /// The core is gone: nothing can be performed or shown any more.
    pub(super) fn on_core_lost(&mut self, cx: &mut Cx<'_>, reason: &str) {
        if self.config.shared_core && self.is_running() {
            return self.leave_core(cx, person::connection_broke(reason), ExitCode::CoreLost);
        }
        self.leave_core(cx, person::core_stopped(reason), ExitCode::Failure);
    }
}
