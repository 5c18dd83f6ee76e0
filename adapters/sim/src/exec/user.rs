//! The profile, start and stop, network settings (digest 2.3).

use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::{Value, json};
use simplex_agent_core::Millis;

use crate::controller::{Answer, Controller};
use crate::db::{Contact, Relay, User, display_name};
use crate::errors;
use crate::json::put;
use crate::options::Version;
use crate::scan::Scan;
use crate::text;
use crate::wire::Body;
use crate::world::{Later, Server, Task};

/// The preset contact that a peer of the scenario may be.
const TEAM: &str = "Ask SimpleX Team";

/// The addresses of the preset contacts, of servers that do not exist.
const PRESETS: [(&str, &str, &str, bool); 2] = [
    (
        "SimpleX Status",
        "Automatic server status and app release updates",
        "simplex:/contact#/?v=2&smp=smp%3A%2F%2Fc3RhdHVz%40smp4.example%2FLZIanlGNDohVpd3_lTUvzHbWt8coegDv%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEABzwWNMSWzbZJ0a_goxK7tLfhdBsnFULkpDbDuIJLF2E%253D",
        true,
    ),
    (
        TEAM,
        "Send questions about SimpleX Chat app and your suggestions",
        "simplex:/contact#/?v=2&smp=smp%3A%2F%2FdGVhbQ%3D%3D%40smp6.example%2FN-8JoDkvvlUfhF893kxSWGnrYJqBBTHT%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAyosi0NuDoi2xY7Vgs-TlFSflM9MdBnthSgwzxNLfhDI%253D",
        false,
    ),
];

impl Controller<'_> {
    pub(crate) fn user(&mut self, scan: Scan<'_>) -> Answer {
        scan.end()?;
        if self.db.user.is_none() {
            return Err(errors::chat("noActiveUser"));
        }
        Ok(self.result("activeUser", json!({})))
    }

    pub(crate) fn users(&mut self, scan: Scan<'_>) -> Answer {
        scan.end()?;
        let users: Vec<Value> =
            self.db.user.iter().map(|_| json!({"user": self.db.user_json(), "unreadCount": 0})).collect();
        Ok(json!({"type": "usersList", "users": users}))
    }

    pub(crate) fn create_user(&mut self, mut scan: Scan<'_>) -> Answer {
        let new = scan.object()?;
        if new.get("pastTimestamp").and_then(Value::as_bool).is_none() {
            return Err(errors::parse());
        }
        let profile = match new.get("profile") {
            Some(profile) => profile.clone(),
            None => json!({"displayName": self.world.chance.name(), "fullName": ""}),
        };
        let profile = self.valid_profile(profile)?;
        let name = display_name(&profile);
        if let Some(user) = self.db.user.as_ref().filter(|u| u.local_name == name) {
            return Err(errors::chat_with("userExists", json!({"contactName": user.local_name})));
        }
        if self.db.user.is_some() {
            return Err(errors::command("the simulator keeps one profile in a database"));
        }
        let now = self.now();
        let relay = new.get("userChatRelay").and_then(Value::as_bool).unwrap_or(false);
        self.db.user = Some(User { local_name: name.clone(), relay, created: now, profile_updated: None });
        self.db.profiles.insert(1, profile);
        self.add_contact_row(1, &name, 1, false);
        let team = self.world.team.clone();
        for (id, (name, about, link, bot)) in (2..).zip(PRESETS) {
            let link = team.as_deref().filter(|_| name == TEAM).unwrap_or(link);
            let mut profile = json!({
                "displayName": name, "fullName": "", "shortDescr": about,
                "image": "data:image/jpg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAUDBA==", "contactLink": link,
            });
            put(&mut profile, "peerType", bot.then(|| json!("bot")));
            self.db.profiles.insert(id, profile);
            self.add_contact_row(id, name, id, true);
        }
        Ok(self.result("activeUser", json!({})))
    }

    fn add_contact_row(&mut self, id: i64, name: &str, profile: i64, used: bool) {
        let now = self.now();
        let contact = Contact {
            id,
            local_name: name.to_string(),
            profile,
            conn: None,
            used,
            status: "active".to_string(),
            created: now,
            updated: now,
            chat_ts: now,
            prepared: None,
            request: None,
            custom: None,
            unread: false,
            group_invitation_sent: false,
        };
        self.db.contacts.insert(id, contact);
    }

    /// A profile as stored: known keys only, with a name and peer type that this core knows.
    fn valid_profile(&self, given: Value) -> Answer {
        let name = given.get("displayName").and_then(Value::as_str).ok_or_else(errors::parse)?;
        let full = given.get("fullName").and_then(Value::as_str).ok_or_else(errors::parse)?;
        self.check_name(name)?;
        let mut profile = json!({"displayName": name, "fullName": full});
        for key in ["shortDescr", "image", "contactLink", "preferences", "peerType", "contactDomain"] {
            put(&mut profile, key, given.get(key).filter(|v| !v.is_null()).cloned());
        }
        if self.is_7_1() {
            put(&mut profile, "description", given.get("description").filter(|v| !v.is_null()).cloned());
        } else if let Some(kind) = profile.get("peerType")
            && !matches!(kind.as_str(), Some("human" | "bot"))
        {
            return Err(errors::parse());
        }
        Ok(profile)
    }

    /// `invalidDisplayName` unless the name is valid.
    pub(crate) fn check_name(&self, name: &str) -> Result<(), Value> {
        let valid = text::valid_name(name);
        if name.is_empty() || valid != name {
            return Err(errors::chat_with(
                "invalidDisplayName",
                json!({"displayName": name, "validName": valid}),
            ));
        }
        Ok(())
    }

    pub(crate) fn start(&mut self, mut scan: Scan<'_>) -> Answer {
        let mut serves = false;
        if scan.flag("main")?.is_some() {
            scan.flag("snd_files")?;
            if self.is_7_1() {
                serves = scan.flag("service_requests")?.unwrap_or(false);
            }
        }
        scan.end()?;
        if self.db.user.is_none() {
            return Err(errors::chat("noActiveUser"));
        }
        if self.db.running {
            return Ok(json!({"type": "chatRunning"}));
        }
        self.db.running = true;
        self.db.serves = serves;
        let none = json!({"missingIds": [], "extraIds": []});
        if self.db.conns.is_empty() {
            self.bare_event(json!({"type": "connectionsDiff", "userIds": none, "connIds": none}));
        }
        let delay = Millis(self.world.options.delays.delivery.0 / 2);
        let db = self.db.id;
        self.world.after(delay, Task::Later { db, later: Later::Subscribed });
        for packet in core::mem::take(&mut self.db.inbox) {
            let delay = self.world.options.delays.delivery;
            self.world.after(delay, Task::Deliver { db, packet });
        }
        Ok(json!({"type": "chatStarted"}))
    }

    pub(crate) fn stop(&mut self, scan: Scan<'_>) -> Answer {
        scan.end()?;
        self.db.running = false;
        Ok(json!({"type": "chatStopped"}))
    }

    pub(crate) fn check_running(&mut self, scan: Scan<'_>) -> Answer {
        scan.end()?;
        Ok(json!({"type": if self.db.running { "chatRunning" } else { "chatStopped" }}))
    }

    pub(crate) fn update_profile(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        let profile = self.valid_profile(scan.object()?)?;
        let old = self.db.own_profile();
        if profile == old {
            return Ok(self.result("userProfileNoChange", json!({})));
        }
        let name = display_name(&profile);
        if name != display_name(&old) {
            if self.db.name_taken(&name) {
                return Err(errors::store("duplicateName"));
            }
            if let Some(user) = &mut self.db.user {
                user.local_name.clone_from(&name);
            }
            let now = self.now();
            if let Some(user) = &mut self.db.user {
                user.profile_updated = Some(now);
            }
            for member in self
                .db
                .members
                .values_mut()
                .filter(|m| m.category == "user" && m.contact_profile == m.profile)
            {
                member.local_name.clone_from(&name);
            }
            if let Some(own) = self.db.contacts.get_mut(&1) {
                own.local_name = name;
            }
        }
        self.db.profiles.insert(1, profile.clone());
        self.refresh_address_data();
        let told = self.tell_contacts(&profile);
        let changed: Vec<Value> = told.iter().map(|id| self.db.contact_json(*id)).collect();
        let summary =
            json!({"updateSuccesses": changed.len(), "updateFailures": 0, "changedContacts": changed});
        if !told.is_empty() {
            self.event("newChatItems", json!({"chatItems": []}));
        }
        Ok(self.result(
            "userProfileUpdated",
            json!({"fromProfile": old, "toProfile": profile, "updateSummary": summary}),
        ))
    }

    /// Sends the profile to the contacts that know it.
    fn tell_contacts(&mut self, profile: &Value) -> Vec<i64> {
        let ready: Vec<(i64, i64)> = self
            .db
            .contacts
            .values()
            .filter(|c| c.status == "active")
            .filter_map(|c| Some((c.id, c.conn?)))
            .filter(|(_, conn)| {
                self.db.conns.get(conn).is_some_and(|c| c.status == "ready" && c.custom_profile.is_none())
            })
            .collect();
        for (_, conn) in &ready {
            self.send(*conn, Body::Profile(crate::json::received_profile(profile)));
        }
        ready.into_iter().map(|(id, _)| id).collect()
    }

    pub(crate) fn network(&mut self, mut scan: Scan<'_>) -> Answer {
        if !scan.0.is_empty() {
            self.set_network_options(&mut scan)?;
        }
        Ok(json!({"type": "networkConfig", "networkConfig": self.db.network}))
    }

    fn set_network_options(&mut self, scan: &mut Scan<'_>) -> Result<(), Value> {
        let mut network = self.db.network.clone();
        scan.space()?;
        if !scan.take("socks=") {
            return Err(errors::parse());
        }
        let socks = scan.word();
        put(&mut network, "hostMode", Some(json!(if socks == "off" { "public" } else { "onionViaSocks" })));
        for (option, key, words) in [
            (
                "smp-proxy",
                "smpProxyMode",
                &[
                    ("always", "always"),
                    ("unknown", "unknown"),
                    ("unprotected", "unprotected"),
                    ("never", "never"),
                ][..],
            ),
            (
                "smp-proxy-fallback",
                "smpProxyFallback",
                &[("allow", "allow"), ("protected", "allowProtected"), ("no", "prohibit")][..],
            ),
        ] {
            let mut rest = *scan;
            if rest.take(" ") && rest.take(option) && rest.take("=") {
                let word = rest.word();
                let (_, value) = words.iter().find(|(w, _)| *w == word).ok_or_else(errors::parse)?;
                put(&mut network, key, Some(json!(value)));
                *scan = rest;
            }
        }
        scan.end()?;
        self.db.network = network;
        Ok(())
    }

    pub(crate) fn set_network(&mut self, mut scan: Scan<'_>) -> Answer {
        self.db.network = scan.object()?;
        Ok(self.cmd_ok())
    }

    pub(crate) fn cmd_ok(&self) -> Value {
        let mut value = json!({"type": "cmdOk"});
        put(&mut value, "user_", self.db.user.as_ref().map(|_| self.db.user_json()));
        value
    }

    pub(crate) fn version(&mut self, scan: Scan<'_>) -> Answer {
        scan.end()?;
        let (chat, agent) = match self.world.options.version {
            Version::V6_4 => ("6.4.5.1", "6.4.5.0"),
            Version::V7_0 => ("7.0.0.6", "7.0.0.3"),
            Version::V7_1 => ("7.1.0.0", "7.1.0.0"),
        };
        let migration = json!([{"upName": "20220101_initial", "withDown": false}]);
        Ok(json!({
            "type": "versionInfo",
            "versionInfo": {"version": chat, "simplexmqVersion": agent, "simplexmqCommit": ""},
            "chatMigrations": migration, "agentMigrations": migration,
        }))
    }

    pub(crate) fn files_folder(&mut self, _: Scan<'_>) -> Answer {
        Ok(self.cmd_ok())
    }

    pub(crate) fn set_accept(&mut self, scan: Scan<'_>) -> Answer {
        let groups = scan.0.starts_with(" group invitations ") && self.is_7_1();
        if scan.0.starts_with(" member contacts ") || groups {
            Ok(self.cmd_ok())
        } else {
            Err(errors::parse())
        }
    }

    pub(crate) fn servers(&mut self, mut scan: Scan<'_>) -> Answer {
        if scan.0.is_empty() {
            return Ok(self.user_servers());
        }
        scan.space()?;
        let server = Server::parse(scan.word()).ok_or_else(errors::parse)?;
        scan.end()?;
        self.db.server = server.address();
        self.world.servers.insert(self.db.id, server.address());
        self.world.homes.insert(self.db.id, server.place());
        Ok(self.cmd_ok())
    }

    pub(crate) fn file_servers(&mut self, _: Scan<'_>) -> Answer {
        Ok(self.cmd_ok())
    }

    pub(crate) fn all_servers(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        Ok(self.user_servers())
    }

    pub(crate) fn relays(&mut self, mut scan: Scan<'_>) -> Answer {
        if scan.0.is_empty() {
            return Ok(self.user_servers());
        }
        scan.space()?;
        if !scan.take("name=") {
            return Err(errors::parse());
        }
        let name = scan.word().to_string();
        scan.space()?;
        let address = scan.word().to_string();
        scan.end()?;
        let id = i64::try_from(self.db.relays.len()).unwrap_or(0).saturating_add(4);
        self.db.relays.push(Relay { id, name, address });
        Ok(self.cmd_ok())
    }

    fn user_servers(&self) -> Value {
        let server = |protocol: &str, address: &str| {
            json!([{
                "serverId": 1, "server": address.replace("smp://", &alloc::format!("{protocol}://")),
                "preset": false, "tested": null, "enabled": true, "deleted": false,
            }])
        };
        let relays: Vec<Value> = self.db.relays.iter().map(relay_json).collect();
        let operator = json!({
            "operatorId": 1, "operatorTag": "simplex", "tradeName": "SimpleX Chat", "legalName": "SimpleX Chat Ltd",
            "serverDomains": ["simplex.example"], "conditionsAcceptance": {"type": "required"}, "enabled": true,
            "smpRoles": {"storage": true, "proxy": true, "names": true},
            "xftpRoles": {"storage": true, "proxy": true, "names": false},
        });
        let preset = json!({"operator": operator, "smpServers": [], "xftpServers": [], "chatRelays": []});
        let own = json!({
            "smpServers": server("smp", &self.db.server), "xftpServers": [], "chatRelays": relays,
        });
        self.result("userServers", json!({"userServers": [preset, own]}))
    }
}

/// A relay in settings and groups.
pub(crate) fn relay_json(relay: &Relay) -> Value {
    json!({
        "chatRelayId": relay.id, "address": relay.address,
        "relayProfile": {"displayName": relay.name, "fullName": ""},
        "domains": [""], "preset": false, "enabled": true, "deleted": false,
    })
}
