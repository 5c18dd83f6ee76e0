//! `/sql`: the queries that clients make, over the records (digest 2.3, plan "SIGINT, SIGTERM").

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::controller::{Answer, Controller};
use crate::errors;
use crate::scan::Scan;

impl Controller<'_> {
    pub(crate) fn sql(&mut self, mut scan: Scan<'_>) -> Answer {
        scan.space()?;
        if scan.take("chat ") {
            let rows = self.chat_query(scan.0)?;
            return Ok(json!({"type": "sQLResult", "rows": rows}));
        }
        if scan.take("agent ") {
            let rows = self.agent_query(scan.0)?;
            return Ok(json!({"type": "sQLResult", "rows": rows}));
        }
        Err(errors::parse())
    }

    fn chat_query(&mut self, query: &str) -> Result<Vec<String>, Value> {
        let query = query.trim();
        if let Some(rest) =
            query.strip_prefix("SELECT hex(agent_conn_id) FROM connections WHERE group_member_id IN ")
        {
            let group = rest
                .rsplit('=')
                .next()
                .map(|t| t.trim().trim_end_matches(')').trim())
                .and_then(|t| t.parse().ok());
            return Ok(self.member_conns(group.unwrap_or(0)));
        }
        if let Some(table) = query.strip_prefix("SELECT count(*) FROM ")
            && let Some(count) = self.count(table)
        {
            return Ok(alloc::vec!["count(*)".to_string(), count.to_string()]);
        }
        if query.starts_with("SELECT group_id FROM groups WHERE group_id = ") {
            let id = query.rsplit(' ').next().and_then(|t| t.parse::<i64>().ok()).unwrap_or(0);
            let found = self.db.groups.contains_key(&id);
            return Ok(if found { alloc::vec!["group_id".to_string(), id.to_string()] } else { Vec::new() });
        }
        if let Some(rest) = query
            .strip_prefix("UPDATE chat_items SET item_ts = datetime('now','-25 hours') WHERE chat_item_id = ")
        {
            let id = rest.trim().parse::<i64>().unwrap_or(0);
            if let Some(item) = self.db.items.get_mut(&id) {
                item.ts.0 = item.ts.0.saturating_sub(25 * 3_600_000);
            }
            return Ok(Vec::new());
        }
        if let Some(rest) = query.strip_prefix("UPDATE contact_profiles SET contact_link=CAST('") {
            let (link, name) = rest.split_once("' AS ").unwrap_or((rest, ""));
            let name = name.rsplit("display_name=").next().unwrap_or_default().trim().trim_matches('\'');
            self.set_card_link(name, Some(link));
            return Ok(Vec::new());
        }
        if let Some(rest) =
            query.strip_prefix("UPDATE contact_profiles SET contact_link=NULL WHERE display_name=")
        {
            self.set_card_link(rest.trim().trim_matches('\''), None);
            return Ok(Vec::new());
        }
        let why = missing(query);
        let message = format!(
            "SQLite3 returned ErrorError while attempting to perform execWithCallback \"{query}\": {why}"
        );
        Err(errors::store_with("dBException", json!({"message": message})))
    }

    /// Points a preset card to another address, as the recorded tests did.
    fn set_card_link(&mut self, name: &str, link: Option<&str>) {
        for profile in self.db.profiles.values_mut().filter(|p| crate::db::display_name(p) == name) {
            if let Some(map) = profile.as_object_mut() {
                match link {
                    Some(link) => map.insert("contactLink".to_string(), json!(link)),
                    None => map.remove("contactLink"),
                };
            }
        }
    }

    fn member_conns(&self, group: i64) -> Vec<String> {
        let members = self.db.members.values().filter(|m| m.group == group);
        let ids = members.filter_map(|m| self.db.conns.get(&m.conn?)).map(|c| hex(&c.agent_id));
        let mut rows: Vec<String> = ids.collect();
        if !rows.is_empty() {
            rows.insert(0, "hex(agent_conn_id)".to_string());
        }
        rows
    }

    fn count(&self, table: &str) -> Option<usize> {
        match table.trim() {
            "groups" => Some(self.db.groups.len()),
            "contacts" => Some(self.db.contacts.len()),
            "chat_items" => Some(self.db.items.len()),
            "connections" => Some(self.db.conns.len()),
            _ => None,
        }
    }

    fn agent_query(&mut self, query: &str) -> Result<Vec<String>, Value> {
        let query = query.trim();
        let prefix = "SELECT count(*) FROM snd_message_deliveries WHERE failed = 0 AND hex(conn_id) IN ";
        if let Some(list) = query.strip_prefix(prefix) {
            let count = self.db.conns.values().filter(|c| list.contains(&hex(&c.agent_id))).map(|c| {
                let unsent = self.db.unsent.iter().filter(|w| **w == c.wire).count();
                unsent.saturating_add(self.world.stuck_from(c.wire))
            });
            let count: usize = count.sum();
            return Ok(alloc::vec!["count(*)".to_string(), count.to_string()]);
        }
        let why = missing(query);
        let text = format!(
            "SQLite3 returned ErrorError while attempting to perform execWithCallback \\\"{query}\\\": {why}"
        );
        Err(errors::agent(json!({"type": "INTERNAL", "internalErr": format!("SEInternal \"{text}\"")})))
    }
}

/// What SQLite says of a query that the simulator does not know.
fn missing(query: &str) -> String {
    let mut words = query.split_whitespace();
    if query.contains("FROM nosuch") {
        return "no such table: nosuch".to_string();
    }
    match (words.next(), words.next()) {
        (Some("SELECT"), Some(column)) => format!("no such column: {column}"),
        _ => "the simulator knows only the queries of its documentation".to_string(),
    }
}

/// The upper-case hex of a connection's identifier, of which JSON has the base64.
fn hex(agent_id: &str) -> String {
    let bytes = STANDARD.decode(agent_id).unwrap_or_default();
    bytes.iter().fold(String::new(), |text, b| format!("{text}{b:02X}"))
}
