//! The profile of a database, and its network settings.

use serde_json::{Value, json};

use super::{full_preferences, put, time};
use crate::db::Db;

impl Db {
    /// A stored profile as `LocalProfile`.
    pub(crate) fn local_profile(&self, id: i64) -> Value {
        let mut profile = json!({"profileId": id});
        for (key, value) in self.profiles.get(&id).into_iter().flat_map(super::entries) {
            put(&mut profile, key, Some(value.clone()));
        }
        put(&mut profile, "localAlias", Some(json!("")));
        profile
    }

    /// The user object, in nearly every answer.
    pub(crate) fn user_json(&self) -> Value {
        let Some(user) = &self.user else { return Value::Null };
        let mut value = json!({
            "userId": 1, "agentUserId": "1", "userContactId": 1,
            "localDisplayName": user.local_name,
            "profile": self.local_profile(1),
            "fullPreferences": full_preferences(&self.own_profile()),
            "activeUser": true, "activeOrder": 1, "showNtfs": true,
            "sendRcptsContacts": true, "sendRcptsSmallGroups": true,
            "autoAcceptMemberContacts": false, "userChatRelay": user.relay, "clientService": false,
        });
        put(&mut value, "userMemberProfileUpdatedAt", user.profile_updated.map(time));
        value
    }
}

/// The network settings of a new database (agent-start, `/network`).
pub(crate) fn network_config() -> Value {
    json!({
        "socksMode": "always", "hostMode": "onionViaSocks", "requiredHostMode": false, "sessionMode": "session",
        "smpProxyMode": "never", "smpProxyFallback": "allow", "smpWebPortServers": "preset",
        "tcpConnectTimeout": {"backgroundTimeout": 45_000_000, "interactiveTimeout": 15_000_000},
        "tcpTimeout": {"backgroundTimeout": 30_000_000, "interactiveTimeout": 10_000_000},
        "tcpTimeoutPerKb": 5000, "rcvConcurrency": 8,
        "tcpKeepAlive": {"keepIdle": 30, "keepIntvl": 15, "keepCnt": 4},
        "smpPingInterval": 600_000_000, "smpPingCount": 3, "logTLSErrors": false,
    })
}
