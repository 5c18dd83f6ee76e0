//! Groups and channels: making, profiles, members, custom data (digest 2.4).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::controller::{Answer, Controller};
use crate::db::{Author, Chat, Group, Member, display_name, next_row};
use crate::errors;
use crate::json::{group_feature_items, put};
use crate::scan::Scan;
use crate::wire::GroupMessage;
use crate::world::{LinkKind, LinkOwner};

/// What the E2EE item of groups says.
pub(crate) const GROUP_E2EE: &str = "This conversation is protected by end-to-end encryption with perfect forward secrecy, repudiation and break-in recovery.";

impl Controller<'_> {
    pub(crate) fn groups(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let search = scan.0.trim().to_lowercase();
        let found =
            self.db.groups.values().filter(|g| display_name(&g.profile).to_lowercase().contains(&search));
        let groups: Vec<Value> = found.map(|g| self.db.group_json(g.id)).collect();
        Ok(self.result("groupsList", json!({"groups": groups})))
    }

    pub(crate) fn contacts(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let contacts: Vec<Value> =
            self.db.contacts.keys().skip(1).map(|id| self.db.contact_json(*id)).collect();
        Ok(self.result("contactsList", json!({"contacts": contacts})))
    }

    pub(crate) fn new_group(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let incognito = scan.flag("incognito")?.unwrap_or(false);
        let profile = self.valid_group_profile(&scan.object()?)?;
        let group = self.add_own_group(profile, incognito);
        let answer = self.result("groupCreated", json!({"groupInfo": self.db.group_json(group)}));
        self.say_group_banner(group);
        self.say_group_features(group);
        Ok(answer)
    }

    /// Records of a group that this profile owns.
    pub(crate) fn add_own_group(&mut self, profile: Value, incognito: bool) -> i64 {
        let key = self.world.chance.id();
        let group = self.add_group(profile, key);
        let shown = if incognito {
            let name = self.world.chance.name();
            self.db.add_profile(json!({"displayName": name, "fullName": ""}))
        } else {
            1
        };
        let own = self.add_own_member(group, "owner", "creator", shown);
        if let Some(group) = self.db.groups.get_mut(&group) {
            group.own = own;
        }
        group
    }

    pub(crate) fn add_group(&mut self, profile: Value, key: String) -> i64 {
        let id = next_row(&self.db.groups);
        let now = self.now();
        let group = Group {
            id,
            key,
            local_name: self.db.free_name(&display_name(&profile)),
            profile,
            own: 0,
            business: None,
            channel: false,
            public_id: None,
            link: None,
            joined_by: None,
            via_uri: None,
            prepared: None,
            custom: None,
            unread: false,
            created: now,
            updated: now,
            chat_ts: now,
            invited_by: None,
            features: false,
        };
        self.db.groups.insert(id, group);
        id
    }

    /// The own membership's row. `shown` is the profile that others see.
    pub(crate) fn add_own_member(&mut self, group: i64, role: &str, status: &str, shown: i64) -> i64 {
        let local_name = self.db.user.as_ref().map(|u| u.local_name.clone()).unwrap_or_default();
        let id = self.add_member(group, role, "user", status, shown);
        if let Some(member) = self.db.members.get_mut(&id) {
            member.local_name = local_name;
            member.contact = Some(1);
            member.contact_profile = 1;
            member.invited_by = "user".to_string();
        }
        id
    }

    /// A member's row with a profile that is stored already.
    pub(crate) fn add_member(
        &mut self,
        group: i64,
        role: &str,
        category: &str,
        status: &str,
        profile: i64,
    ) -> i64 {
        let id = next_row(&self.db.members);
        let now = self.now();
        let index = self.db.members.values().filter(|m| m.group == group).map(|m| m.index).max();
        let local_name = if category == "user" {
            String::new()
        } else {
            self.db.free_name(&self.db.profile_name(profile))
        };
        let member = Member {
            id,
            group,
            index: index.map_or(0, |i| i.saturating_add(1)),
            member_id: self.world.chance.id(),
            role: role.to_string(),
            category: category.to_string(),
            status: status.to_string(),
            local_name,
            profile,
            contact: None,
            contact_profile: profile,
            conn: None,
            invited_by: "unknown".to_string(),
            invited_by_member: None,
            support: None,
            public_key: None,
            relay_link: None,
            peer_version: true,
            blocked: false,
            prepared: false,
            created: now,
            updated: now,
        };
        self.db.members.insert(id, member);
        id
    }

    fn valid_group_profile(&self, given: &Value) -> Answer {
        let name = given.get("displayName").and_then(Value::as_str).ok_or_else(errors::parse)?;
        let full = given.get("fullName").and_then(Value::as_str).ok_or_else(errors::parse)?;
        self.check_name(name)?;
        let mut profile = json!({"displayName": name, "fullName": full});
        for key in
            ["shortDescr", "description", "image", "publicGroup", "groupPreferences", "memberAdmission"]
        {
            put(&mut profile, key, given.get(key).filter(|v| !v.is_null()).cloned());
        }
        Ok(profile)
    }

    /// Banner and E2EE items of an own group, one event each.
    pub(crate) fn say_group_banner(&mut self, group: i64) {
        let chat = Chat::Group(group);
        let banner = self.add_item(chat, Author::Own, json!({"type": "chatBanner"}), "chat banner");
        self.with_item(banner, |i| i.ts.0 = 0);
        self.say_items(&[banner]);
        self.say_own_e2ee(group);
    }

    pub(crate) fn say_own_e2ee(&mut self, group: i64) {
        let content = json!({"type": "sndGroupE2EEInfo", "e2eeInfo": {"pqEnabled": false}});
        let item = self.add_item(Chat::Group(group), Author::Own, content, GROUP_E2EE);
        self.say_items(&[item]);
    }

    pub(crate) fn say_group_features(&mut self, group: i64) {
        let profile = self.db.groups.get(&group).map(|g| g.profile.clone()).unwrap_or(Value::Null);
        let items: Vec<i64> = group_feature_items(&profile, "sndGroupFeature")
            .into_iter()
            .map(|(content, text)| self.add_item(Chat::Group(group), Author::Own, content, &text))
            .collect();
        self.say_items(&items);
    }

    pub(crate) fn group_profile(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let id = scan.group()?;
        let given = scan.object()?;
        self.find_group(id)?;
        let mut profile = self.valid_group_profile(&given)?;
        self.need_role(id, "owner")?;
        let before = self.db.group_json(id);
        let Some(old) = self.db.groups.get(&id).map(|g| g.profile.clone()) else {
            return Err(self.no_group(id));
        };
        put(&mut profile, "publicGroup", old.get("publicGroup").cloned());
        if profile != old {
            self.rename_group(id, &display_name(&old), &display_name(&profile));
            let now = self.now();
            if let Some(group) = self.db.groups.get_mut(&id) {
                group.profile = profile.clone();
                group.updated = now;
            }
            self.refresh_group_data(id);
            let id_text = self.world.chance.id();
            let content = json!({"type": "sndGroupEvent", "sndGroupEvent": {"type": "groupUpdated", "groupProfile": profile}});
            let item = self.add_item(Chat::Group(id), Author::Own, content, "group profile updated");
            self.with_item(item, |i| i.shared_id = Some(id_text.clone()));
            self.say_items(&[item]);
            self.broadcast(id, &GroupMessage::Updated { profile, id: id_text });
        }
        let after = self.db.group_json(id);
        Ok(self.result("groupUpdated", json!({"fromGroup": before, "toGroup": after, "msgSigned": false})))
    }

    pub(crate) fn rename_group(&mut self, id: i64, old: &str, new: &str) {
        if old == new {
            return;
        }
        let name = self.db.free_name(new);
        if let Some(group) = self.db.groups.get_mut(&id) {
            group.local_name = name;
        }
    }

    pub(crate) fn set_custom(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let target = scan.target()?;
        let custom = if scan.0.is_empty() { None } else { Some(scan.object()?) };
        let now = self.now();
        match target.chat() {
            Some(Chat::Contact(id)) => {
                let missing = errors::store_with("contactNotFound", json!({"contactId": id}));
                let contact = self.db.contacts.get_mut(&id).ok_or(missing)?;
                contact.custom = custom;
                contact.updated = now;
            }
            Some(Chat::Group(id)) => {
                self.find_group(id)?;
                if let Some(group) = self.db.groups.get_mut(&id) {
                    group.custom = custom;
                    group.updated = now;
                }
            }
            _ => return Err(errors::parse()),
        }
        Ok(self.cmd_ok())
    }

    pub(crate) fn members(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let id = scan.group()?;
        scan.end()?;
        self.find_group(id)?;
        let own = self.db.groups.get(&id).map(|g| g.own);
        let members = self.db.members.values().filter(|m| m.group == id && Some(m.id) != own);
        let members: Vec<Value> = members.map(|m| self.db.member_json(m.id)).collect();
        Ok(self.result(
            "groupMembers",
            json!({"group": {"groupInfo": self.db.group_json(id), "members": members}}),
        ))
    }

    pub(crate) fn find_group(&self, id: i64) -> Result<(), Value> {
        if self.db.groups.contains_key(&id) { Ok(()) } else { Err(self.no_group(id)) }
    }

    pub(crate) fn no_group(&self, id: i64) -> Value {
        errors::store_with("groupNotFound", json!({"groupId": id}))
    }

    /// The own membership of a group.
    pub(crate) fn own_member(&self, group: i64) -> Option<&Member> {
        self.db.groups.get(&group).and_then(|g| self.db.members.get(&g.own))
    }

    /// `groupUserRole` when the own role is below this one.
    pub(crate) fn need_role(&self, group: i64, role: &str) -> Result<(), Value> {
        let rank = self.own_member(group).map_or(0, Member::rank);
        if rank >= crate::db::rank(role) {
            return Ok(());
        }
        let fields = json!({"groupInfo": self.db.group_json(group), "requiredRole": role});
        Err(errors::chat_with("groupUserRole", fields))
    }

    /// Makes a channel with one relay (`/_public group UID RELAYID {…}`).
    pub(crate) fn new_channel(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        scan.space()?;
        let relay_id = scan.id()?;
        let mut profile = self.valid_group_profile(&scan.object()?)?;
        let relay = self.db.relays.iter().find(|r| r.id == relay_id).cloned();
        let relay =
            relay.ok_or_else(|| errors::store_with("chatRelayNotFound", json!({"chatRelayId": relay_id})))?;
        self.ask_router();
        let mut preferences = profile.get("groupPreferences").cloned().unwrap_or_else(|| json!({}));
        put(&mut preferences, "support", Some(json!({"enable": "off"})));
        put(&mut preferences, "history", Some(json!({"enable": "on"})));
        put(&mut profile, "groupPreferences", Some(preferences));
        let group = self.add_own_group(profile.clone(), false);
        let link = self.new_link(LinkKind::Channel, LinkOwner::Group(group))?;
        let short = self.world.links.get(&link).map(|l| l.short.clone()).unwrap_or_default();
        let public_id = self.world.chance.key();
        let public = json!({"groupType": "channel", "groupLink": short, "publicGroupId": public_id});
        put(&mut profile, "publicGroup", Some(public));
        let link_row = self.db.next_user_link();
        if let Some(row) = self.db.groups.get_mut(&group) {
            row.profile = profile;
            row.channel = true;
            row.public_id = Some(public_id);
            row.link = Some(crate::db::GroupLink { id: link_row, link, role: "observer".to_string() });
        }
        self.refresh_group_data(group);
        let answer = self.result("publicGroupCreated", json!({
            "groupInfo": self.db.group_json(group), "groupLink": self.db.group_link_json(group, self.world),
            "groupRelays": [self.relay_row(&relay, 0, "invited", None)],
        }));
        self.say_group_banner(group);
        self.say_group_features(group);
        self.invite_relay(group, &relay);
        Ok(answer)
    }

    pub(crate) fn group_relays(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        let id = scan.group()?;
        self.find_group(id)?;
        let relays = self.relay_rows(id);
        Ok(self.result("groupRelays", json!({"groupInfo": self.db.group_json(id), "groupRelays": relays})))
    }
}
