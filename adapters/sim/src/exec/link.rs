//! Group links, and the data that stands beside links.

use alloc::string::ToString;

use serde_json::{Value, json};

use crate::controller::{Answer, Controller};
use crate::db::{GroupLink, rank};
use crate::errors;
use crate::json::{put, received_profile};
use crate::scan::Scan;
use crate::world::{Link, LinkKind, LinkOwner, Server};

impl Controller<'_> {
    pub(crate) fn create_link(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let id = scan.group()?;
        let role = if scan.0.is_empty() { "member".to_string() } else { scan.role()? };
        scan.end()?;
        self.find_group(id)?;
        self.need_role(id, "admin")?;
        self.check_link_role(id, &role)?;
        if self.db.groups.get(&id).is_some_and(|g| g.link.is_some()) {
            return Err(errors::store_with(
                "duplicateGroupLink",
                json!({"groupInfo": self.db.group_json(id)}),
            ));
        }
        self.ask_router();
        let link = self.new_link(LinkKind::Group, LinkOwner::Group(id))?;
        let row = self.db.next_user_link();
        if let Some(group) = self.db.groups.get_mut(&id) {
            group.link = Some(GroupLink { id: row, link, role });
        }
        self.refresh_group_data(id);
        Ok(self.link_result("groupLinkCreated", id))
    }

    fn check_link_role(&self, group: i64, role: &str) -> Result<(), Value> {
        if rank(role) <= rank("member") {
            return Ok(());
        }
        let fields = json!({"groupInfo": self.db.group_json(group), "initialRole": role});
        Err(errors::chat_with("groupMemberInitialRole", fields))
    }

    fn link_result(&self, tag: &str, group: i64) -> Value {
        let link = self.db.group_link_json(group, self.world);
        self.result(tag, json!({"groupInfo": self.db.group_json(group), "groupLink": link}))
    }

    pub(crate) fn show_link(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let id = scan.group()?;
        self.need_link(id)?;
        Ok(self.link_result("groupLink", id))
    }

    fn need_link(&self, id: i64) -> Result<u64, Value> {
        self.find_group(id)?;
        let link = self.db.groups.get(&id).and_then(|g| g.link.as_ref()).map(|l| l.link);
        link.ok_or_else(|| {
            errors::store_with("groupLinkNotFound", json!({"groupInfo": self.db.group_json(id)}))
        })
    }

    pub(crate) fn set_link_role(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let id = scan.group()?;
        let role = scan.role()?;
        self.need_link(id)?;
        self.check_link_role(id, &role)?;
        if let Some(link) = self.db.groups.get_mut(&id).and_then(|g| g.link.as_mut()) {
            link.role = role;
        }
        Ok(self.link_result("groupLink", id))
    }

    pub(crate) fn delete_link(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let id = scan.group()?;
        self.need_link(id)?;
        self.ask_router();
        self.drop_group_link(id);
        Ok(self.result("groupLinkDeleted", json!({"groupInfo": self.db.group_json(id)})))
    }

    /// Deletes a group's link; the agent's events about its queue follow.
    pub(crate) fn drop_group_link(&mut self, group: i64) {
        let Some(link) = self.db.groups.get_mut(&group).and_then(|g| g.link.take()) else { return };
        if let Some(made) = self.world.links.get_mut(&link.link) {
            made.deleted = true;
        }
        let id = self.world.chance.id();
        self.say_queue_deleted(&id);
    }

    /// The agent's events after a connection was deleted.
    pub(crate) fn say_queue_deleted(&mut self, agent_id: &str) {
        let queue = self.world.chance.queue();
        let server = self.db.server.clone();
        self.bare_event(json!({
            "type": "agentRcvQueuesDeleted",
            "deletedRcvQueues": [{"agentConnId": agent_id, "server": server, "agentQueueId": queue}],
        }));
        self.bare_event(json!({"type": "agentConnsDeleted", "agentConnIds": [agent_id]}));
    }

    /// A new link at the own router; an error when that router is away.
    pub(crate) fn new_link(&mut self, kind: LinkKind, owner: LinkOwner) -> Result<u64, Value> {
        self.check_router(&self.db.server.clone())?;
        let server = Server::parse(&self.db.server).ok_or_else(errors::parse)?;
        let link = Link::new(&mut self.world.chance, kind, self.db.id, owner, &server);
        let id = self.world.links.last_key_value().map_or(1, |(id, _)| id.saturating_add(1));
        self.world.links.insert(id, link);
        Ok(id)
    }

    /// Writes what plans of a group's link read.
    pub(crate) fn refresh_group_data(&mut self, id: i64) {
        let Some(group) = self.db.groups.get(&id) else { return };
        let Some(link) = group.link.as_ref() else { return };
        let mut data = json!({"groupProfile": group.profile});
        if group.channel {
            let members =
                self.db.members.values().filter(|m| m.group == id && m.is_current() && m.role != "relay");
            put(&mut data, "publicGroupData", Some(json!({"publicMemberCount": members.count()})));
        }
        let info = json!({"direct": !group.channel, "groupRelays": self.relay_links(id)});
        let mut info = info;
        put(&mut info, "publicGroupId", group.public_id.clone().map(Value::from));
        if let Some(made) = self.world.links.get_mut(&link.link) {
            made.data = json!({"groupSLinkInfo_": info, "groupSLinkData_": data});
        }
    }

    /// Writes what plans of the own address read.
    pub(crate) fn refresh_address_data(&mut self) {
        let profile = received_profile(&self.db.own_profile());
        let Some(address) = &self.db.address else { return };
        let mut data = json!({"profile": profile, "business": address.business});
        put(&mut data, "message", address.auto_reply.clone());
        if let Some(link) = self.world.links.get_mut(&address.link) {
            link.data = json!({"contactSLinkData_": data});
            link.ratchet = address.ratchet;
        }
    }
}
