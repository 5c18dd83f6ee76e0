//! Plans: what a link or name is, and whether one may connect (digest 2.7, FINDINGS.md 2 to 5).

use alloc::string::{String, ToString};

use serde_json::{Value, json};
use simplex_agent_core::Millis;

use crate::controller::{Answer, Controller};
use crate::db::{Entity, Member};
use crate::errors;
use crate::json::{link_json, put};
use crate::scan::Scan;
use crate::world::{Link, LinkKind, LinkOwner, Router, Server};

/// A target as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A link that exists or existed in this network.
    Link { id: u64, short: bool },
    /// A link of the right form that nobody here made.
    Foreign { host: String, short: bool, kind: LinkKind },
    /// A name, of a contact or a channel.
    Name(String),
}

/// A plan and what the answer says of the link.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) kind: &'static str,
    pub(crate) plan: Value,
    pub(crate) link: Value,
}

impl Controller<'_> {
    pub(crate) fn plan(&mut self, mut scan: Scan<'_>) -> Answer {
        self.user_id(&mut scan)?;
        scan.space()?;
        let word = scan.word();
        if word.is_empty() {
            return Err(errors::parse());
        }
        self.plan_options(&mut scan)?;
        scan.end()?;
        let planned = self.planned(word)?;
        Ok(self.plan_result(&planned))
    }

    fn plan_options(&self, scan: &mut Scan<'_>) -> Result<(), Value> {
        if scan.take(" resolve=") {
            let word = scan.word();
            let new = matches!(word, "unknown" | "allGroups" | "never") && self.is_7_1();
            if !(matches!(word, "on" | "off") || new) {
                return Err(errors::parse());
            }
        }
        if scan.take(" sig=") {
            scan.json()?;
        }
        Ok(())
    }

    pub(crate) fn plan_result(&self, planned: &Planned) -> Value {
        let inner = match planned.kind {
            "invitationLink" => "invitationLinkPlan",
            "contactAddress" => "contactAddressPlan",
            _ => "groupLinkPlan",
        };
        let plan = json!({"type": planned.kind, inner: planned.plan});
        self.result("connectionPlan", json!({"connLink": planned.link, "connectionPlan": plan}))
    }

    /// The plan of a target.
    pub(crate) fn planned(&mut self, text: &str) -> Result<Planned, Value> {
        match self.wanted(text)? {
            Wanted::Name(name) => {
                self.ask_router();
                match self.world.names.get(&name).cloned() {
                    Some(link) => self.planned(&link),
                    None => Err(errors::no_resolver(&self.db.server)),
                }
            }
            Wanted::Foreign { host, short, kind } => self.plan_foreign(text, &host, short, kind),
            Wanted::Link { id, short } => self.plan_link(id, short),
        }
    }

    /// What a text names; `invalidConnReq` when nothing.
    pub(crate) fn wanted(&self, text: &str) -> Result<Wanted, Value> {
        if let Some((id, link)) = self.world.links.iter().find(|(_, l)| l.is(text)) {
            let short = !text.contains("/?v=") && !text.contains("smp=");
            return Ok(Wanted::Link { id: *id, short: short || text == link.short });
        }
        if let Some(foreign) = foreign(text) {
            return Ok(foreign);
        }
        name(text).map(Wanted::Name).ok_or_else(|| errors::chat("invalidConnReq"))
    }

    fn plan_foreign(
        &mut self,
        text: &str,
        host: &str,
        short: bool,
        kind: LinkKind,
    ) -> Result<Planned, Value> {
        if let Some(contact) = self.card_of(text) {
            let plan = json!({"type": "contactViaAddress", "contact": self.db.contact_json(contact)});
            return Ok(Planned { kind: "contactAddress", plan, link: link_json(text, None) });
        }
        if !short {
            let kind = if text.contains("groupLinkId") { "groupLink" } else { plan_kind(kind) };
            return Ok(Planned { kind, plan: json!({"type": "ok"}), link: link_json(text, None) });
        }
        self.ask_router();
        Err(self.foreign_error(text, host))
    }

    /// What a router says of a link that it does not have.
    pub(super) fn foreign_error(&mut self, text: &str, host: &str) -> Value {
        let key = text.split_once("c=").map(|(_, k)| k.split('&').next().unwrap_or(k).to_string());
        let address =
            alloc::format!("smp://{}@{host}", key.clone().unwrap_or_else(|| "Zm9yZWlnbg==".to_string()));
        let same = |server: &String| server.contains(key.as_deref().unwrap_or_default());
        let known = self.world.homes.values().any(|h| h == host);
        if known && (key.is_none() || self.world.servers.values().any(|s| s.ends_with(host) && same(s))) {
            return match self.check_router(&address) {
                Err(error) => error,
                Ok(()) => errors::auth(&self.db.server),
            };
        }
        let bare = self.world.homes.values().any(|h| h.split(':').next() == Some(host));
        if self.uses_proxy(&address) && known {
            return errors::proxy_failed(&self.db.server);
        }
        if bare || known { errors::unknown_ca(&address) } else { self.unreachable(&address) }
    }

    /// A contact card without a connection that has this address.
    fn card_of(&self, text: &str) -> Option<i64> {
        let link = self.world.links.values().find(|l| l.is(text));
        let cards = self.db.contacts.values().filter(|c| c.conn.is_none() && c.used && c.prepared.is_none());
        let mut cards = cards
            .filter_map(|c| Some((c.id, self.db.profiles.get(&c.profile)?.get("contactLink")?.as_str()?)));
        cards.find(|(_, address)| *address == text || link.is_some_and(|l| l.is(address))).map(|(id, _)| id)
    }

    /// A refused connection: directly, or through the proxy.
    fn unreachable(&self, address: &str) -> Value {
        if self.uses_proxy(address) {
            errors::proxy_failed(&self.db.server)
        } else {
            errors::refused(address)
        }
    }

    fn uses_proxy(&self, address: &str) -> bool {
        self.db.network.get("smpProxyMode") == Some(&json!("always")) && address != self.db.server
    }

    /// Fails when a router is away: at once, or after its time-out.
    pub(crate) fn check_router(&mut self, address: &str) -> Result<(), Value> {
        let place = Server::parse(address).map(|s| s.place()).unwrap_or_default();
        let proxy = self.uses_proxy(address);
        let remembered = self.world.remembered_failures.get(&place).is_some_and(|t| *t > self.world.now.mono);
        match self.world.routers.get(&place) {
            _ if proxy && remembered => Err(errors::proxy_failed(&self.db.server)),
            Some(Router::Down) => {
                self.took = Millis(0);
                let until = self.world.now.mono + Millis::secs(10);
                self.world.remembered_failures.insert(place, until);
                Err(self.unreachable(address))
            }
            Some(Router::Silent) => {
                self.took = Millis::secs(if proxy { 15 } else { 10 });
                Err(errors::timeout(if proxy { &self.db.server } else { address }))
            }
            None => Ok(()),
        }
    }

    fn plan_link(&mut self, id: u64, short: bool) -> Result<Planned, Value> {
        let Some(link) = self.world.links.get(&id).cloned() else {
            return Err(errors::chat("invalidConnReq"));
        };
        let shown = link_json(&link.full, short.then_some(link.short.as_str()));
        let kind = plan_kind(link.kind);
        let done = |kind: &'static str, plan: Value| Ok(Planned { kind, plan, link: shown.clone() });
        if let Some(plan) = self.own_link_plan(&link) {
            return done(kind, plan);
        }
        if let Some((kind, plan)) = self.local_plan(id, &link) {
            return done(kind, plan);
        }
        if !short {
            return done(kind, json!({"type": "ok"}));
        }
        self.ask_router();
        self.check_router(&link.server.address())?;
        let taken = link.kind == LinkKind::OneTime && link.claimed.is_some_and(|db| db != self.db.id);
        let used = link.used && !self.deleted_contact_of(id);
        if link.deleted || taken || used {
            return Err(errors::auth(&link.server.address()));
        }
        if link.kind == LinkKind::OneTime
            && let Some(link) = self.world.links.get_mut(&id)
        {
            link.claimed = Some(self.db.id);
            link.planned = true;
        }
        let mut plan = link.data.clone();
        if link.used {
            plan = json!({});
        }
        put(&mut plan, "type", Some(json!("ok")));
        if link.kind == LinkKind::Channel && plan.pointer("/groupSLinkInfo_/groupRelays") == Some(&json!([]))
        {
            put(&mut plan, "type", Some(json!("noRelays")));
        }
        if self.world.outdated.contains(&id) {
            put(&mut plan, "type", Some(json!("updateRequired")));
        }
        done(kind, plan)
    }

    /// After the contact of a used one-time link was deleted, the planner reads it once more without data
    /// (agent-connect-onetime).
    fn deleted_contact_of(&self, link: u64) -> bool {
        let claimed = self.world.links.get(&link).is_some_and(|l| l.planned && l.claimed == Some(self.db.id));
        claimed && self.world.dropped.contains(&(self.db.id, link))
    }

    fn own_link_plan(&self, link: &Link) -> Option<Value> {
        if link.db != self.db.id || link.deleted || link.used {
            return None;
        }
        let mut plan = json!({"type": "ownLink"});
        if let LinkOwner::Group(group) = link.owner {
            put(&mut plan, "groupInfo", Some(self.db.group_json(group)));
        }
        Some(plan)
    }

    /// What the database knows of a link, without network.
    fn local_plan(&self, id: u64, link: &Link) -> Option<(&'static str, Value)> {
        match link.kind {
            LinkKind::OneTime => self.known_invitation(id, link).map(|p| ("invitationLink", p)),
            LinkKind::Address | LinkKind::Relay => {
                if let Some(group) = self.group_by(id, link) {
                    return Some(("groupLink", self.known_group(group)));
                }
                self.known_contact(id, link).map(|p| ("contactAddress", p))
            }
            LinkKind::Group | LinkKind::Channel => {
                if let Some(group) = self.group_by(id, link) {
                    return Some(("groupLink", self.known_group(group)));
                }
                self.pending_by(id).then(|| ("groupLink", json!({"type": "connectingConfirmReconnect"})))
            }
        }
    }

    fn known_group(&self, group: i64) -> Value {
        let group = self.db.group_json(group);
        json!({"type": "known", "groupInfo": group, "groupUpdated": false, "linkOwners": []})
    }

    /// A group joined or prepared by this link, in which the profile is or may become a member.
    pub(crate) fn group_by(&self, id: u64, link: &Link) -> Option<i64> {
        let mut groups = self.db.groups.values().filter(|g| {
            let prepared = g.prepared.as_ref().is_some_and(|p| link.is(&p.full));
            (g.joined_by == Some(id) || prepared) && self.own_member(g.id).is_some_and(|m| !gone(m))
        });
        groups.next_back().map(|g| g.id)
    }

    fn known_contact(&self, id: u64, link: &Link) -> Option<Value> {
        if let Some(card) = self.card_of(&link.full).or_else(|| self.card_of(&link.short)) {
            return Some(json!({"type": "contactViaAddress", "contact": self.db.contact_json(card)}));
        }
        let by = |contact: &&crate::db::Contact| {
            let conn = contact.conn.and_then(|c| self.db.conns.get(&c));
            let prepared = contact.prepared.as_ref().is_some_and(|p| link.is(&p.full));
            contact.status == "active"
                && (conn.is_some_and(|c| c.link == Some(id) && !c.own_link) || prepared)
        };
        if self.pending_by(id) && !self.db.contacts.values().any(|c| by(&&c.clone())) {
            return Some(json!({"type": "connectingConfirmReconnect"}));
        }
        let contact = self.db.contacts.values().rfind(by)?;
        Some(json!({"type": "known", "contact": self.db.contact_json(contact.id)}))
    }

    /// True when a pending connection was made with this link.
    pub(crate) fn pending_by(&self, id: u64) -> bool {
        self.db.conns.values().any(|c| {
            c.link == Some(id) && c.entity == Entity::Pending && c.status != "prepared" && !c.own_link
        })
    }

    fn known_invitation(&self, id: u64, link: &Link) -> Option<Value> {
        let prepared =
            self.db.contacts.values().find(|c| c.prepared.as_ref().is_some_and(|p| link.is(&p.full)));
        if let Some(contact) = prepared {
            return Some(json!({"type": "known", "contact": self.db.contact_json(contact.id)}));
        }
        self.pending_by(id).then(|| json!({"type": "connecting"}))
    }
}

/// Out of the group: a plan of its link is `ok` again.
fn gone(member: &Member) -> bool {
    matches!(member.status.as_str(), "left" | "removed" | "deleted")
}

fn plan_kind(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::OneTime => "invitationLink",
        LinkKind::Address | LinkKind::Relay => "contactAddress",
        LinkKind::Group | LinkKind::Channel => "groupLink",
    }
}

/// A link of the right form: `https://HOST/X#KEY`, `simplex:/X#KEY?h=HOST`, or a full link.
fn foreign(text: &str) -> Option<Wanted> {
    let full = |kind| Some(Wanted::Foreign { host: String::new(), short: false, kind });
    for prefix in ["simplex:/", "https://simplex.chat/"] {
        if let Some(rest) = text.strip_prefix(prefix) {
            if rest.starts_with("invitation#") && has_queue(rest) {
                return full(LinkKind::OneTime);
            }
            if rest.starts_with("contact#") && has_queue(rest) {
                return full(LinkKind::Address);
            }
        }
    }
    let (head, rest) = text.split_once('#')?;
    let (host, letter) = match head.strip_prefix("https://") {
        Some(head) => head.split_once('/')?,
        None => (rest.split_once("h=")?.1.split('&').next()?, head.strip_prefix("simplex:/")?),
    };
    let kind = match letter {
        "i" => LinkKind::OneTime,
        "a" => LinkKind::Address,
        "g" => LinkKind::Group,
        "c" => LinkKind::Channel,
        "r" => LinkKind::Relay,
        _ => return None,
    };
    let port =
        rest.split_once("p=").map(|(_, p)| p.chars().take_while(char::is_ascii_digit).collect::<String>());
    let host =
        port.filter(|p| !p.is_empty()).map_or_else(|| host.to_string(), |p| alloc::format!("{host}:{p}"));
    let mut parts = rest.split('?').next()?.rsplit('/');
    let key = parts.next()?;
    let id = parts.next();
    (!host.is_empty() && decodes(key) && (kind == LinkKind::OneTime) == id.is_some_and(decodes))
        .then_some(Wanted::Foreign { host, short: true, kind })
}

/// True when a full link names a queue on a server.
fn has_queue(text: &str) -> bool {
    text.split_once("smp=smp%3A%2F%2F").is_some_and(|(_, queue)| queue.contains("%40"))
}

/// True for base64url of some bytes.
fn decodes(text: &str) -> bool {
    let letters = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    !text.is_empty() && letters && text.len() % 4 != 1
}

/// A name: `@label.tld`, `#label`, `#label.tld`, `simplex:/name#…`; in lower case.
fn name(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let (sign, domain) = if let Some(rest) = text.strip_prefix("simplex:/name") {
        (rest.chars().next()?, rest.get(1..)?.to_string())
    } else {
        (text.chars().next()?, text.get(1..)?.to_string())
    };
    let labels = domain.split('.');
    let count = labels.clone().count();
    let valid = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let fits = (sign == '@' && count >= 2) || (sign == '#' && count >= 1);
    (fits && domain.len() <= 253 && labels.clone().all(valid)).then(|| {
        if count == 1 { alloc::format!("{sign}{domain}.simplex") } else { alloc::format!("{sign}{domain}") }
    })
}
