//! The words for errors of the core: the apps' own where they have some, else the chain of tags
//! (the plan, "SimpleX errors worded by the apps").

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{ChatError, is_scalar};
use crate::simplex::model::PublicName;

/// One line that tells a person or a model what went wrong.
pub fn text(error: &ChatError) -> String {
    if error.is_too_large() {
        return "Message is too large! Please reduce the message size and send again.".to_owned();
    }
    let chain: Vec<&str> = error.chain().collect();
    let worded = match chain.as_slice() {
        ["error", tags @ ..] => chat(error, tags),
        ["errorAgent", tags @ ..] => agent(error, tags),
        ["errorStore", "groupNotFound", ..] => {
            Some("Group not found! This group no longer exists.".to_owned())
        }
        _ => None,
    };
    worded.unwrap_or_else(|| unworded(error))
}

/// `SimpleX error:`, the tags, and the plain fields beside the last one; nested values, such as a group with its
/// welcome message, are left out.
fn unworded(error: &ChatError) -> String {
    let mut text = "SimpleX error".to_owned();
    for tag in error.chain() {
        text.push_str(": ");
        text.push_str(tag);
    }
    let Some(last) = error.levels.last() else { return text + ": unknown" };
    let details: Vec<String> = last
        .fields
        .iter()
        .filter(|(_, value)| is_scalar(value))
        .map(|(name, value)| format!("{}:{value}", serde_json::Value::from(name.as_str())))
        .collect();
    if details.is_empty() { text } else { format!("{text}: {{{}}}", details.join(",")) }
}

fn chat(error: &ChatError, tags: &[&str]) -> Option<String> {
    Some(match tags {
        ["invalidConnReq", ..] => {
            "Invalid connection link: Please check that you used the correct link or ask your \
                                   contact to send you another one."
                .to_owned()
        }
        ["unsupportedConnReq", ..] => {
            "Unsupported connection link: This link requires a newer app version. Please \
                                       upgrade the app or ask your contact to send a compatible link."
                .to_owned()
        }
        ["simplexDomainNotReady", "noValidLink", ..] => {
            let name = name(error);
            format!("No valid link: The SimpleX name {name} is registered, but it has no valid link.")
        }
        ["simplexDomainNotReady", "unknownDomain", ..] => {
            let name = name(error);
            format!(
                "Unconfirmed name: The SimpleX name {name} is registered, but not added to profile. Please add it to \
                 your address or channel profile, if you are the owner."
            )
        }
        _ => return None,
    })
}

fn agent(error: &ChatError, tags: &[&str]) -> Option<String> {
    match tags {
        ["SMP", "PROXY", "BROKER", tags @ ..] => forwarding(&host(&address(error, "serverAddress")), tags),
        ["SMP", tags @ ..] => router(error, tags),
        ["BROKER", tags @ ..] => broker(&host(&address(error, "brokerAddress")), tags),
        ["PROXY", "protocolError", "PROXY", tags @ ..] => {
            let forwarding = host(&address(error, "proxyServer"));
            let destination = host(&address(error, "relayServer"));
            match tags {
                ["BROKER", tags @ ..] => destination_of(&forwarding, &destination, tags),
                ["NO_SESSION", ..] => Some(unreachable(&forwarding, &destination)),
                _ => None,
            }
        }
        ["NO_NAME_SERVERS", ..] => Some(
            "SimpleX name error: None of your servers are set to resolve SimpleX names. Use a connection link.".to_owned(),
        ),
        ["AGENT", "A_SERVICE", "timeout", ..] => {
            Some("Connection timeout: The service did not respond. Please try again.".to_owned())
        }
        ["INTERNAL", ..] if error.field::<String>("internalErr").as_deref() == Some("SEUniqueID") => Some(
            "Already connected? It seems like you are already connected via this link. If it is not the case, there was \
             an error (SEUniqueID)."
                .to_owned(),
        ),
        _ => None,
    }
}

/// What a router of the profile or of a link said.
fn router(error: &ChatError, tags: &[&str]) -> Option<String> {
    Some(match tags {
        ["NAME", "NOT_FOUND", ..] => {
            "Name not found: This SimpleX name is not registered. Please check the name.".to_owned()
        }
        ["NAME", "NO_RESOLVER", ..] => {
            let server = address(error, "serverAddress");
            format!(
                "SimpleX name error: Server {server} does not support name resolution. Use a connection link."
            )
        }
        ["NAME", "RESOLVER", ..] => {
            let resolver = error.field::<String>("resolverErr").unwrap_or_default();
            format!("SimpleX name error: Resolver error: {resolver}")
        }
        ["AUTH", ..] => {
            "Connection link removed: Your contact removed this link, or it was a one-time link that was \
                         already used. To connect, ask your contact to create a new link."
                .to_owned()
        }
        ["BLOCKED", ..] => {
            let reason = match blocked_for(error).as_str() {
                "spam" => "Spam",
                "content" => "Content violates conditions of use",
                _ => return None,
            };
            format!("Connection blocked: Connection is blocked by server operator: {reason}.")
        }
        ["QUOTA", ..] => {
            "Undelivered messages: The connection reached the limit of undelivered messages, your contact \
                          may be offline."
                .to_owned()
        }
        _ => return None,
    })
}

/// The transport to a router failed.
fn broker(host: &str, tags: &[&str]) -> Option<String> {
    Some(match tags {
        ["TIMEOUT", ..] => {
            format!("Connection timeout: Please check your network connection with {host} and try again.")
        }
        ["NETWORK", "unknownCAError", ..] => {
            format!("Connection error: Fingerprint in server address does not match certificate: {host}.")
        }
        ["NETWORK", ..] => {
            format!("Connection error: Please check your network connection with {host} and try again.")
        }
        ["HOST", ..] => {
            format!("Connection error: Server address is incompatible with network settings: {host}.")
        }
        ["TRANSPORT", "version", ..] => {
            format!("Connection error: Server version is incompatible with your app: {host}.")
        }
        _ => return None,
    })
}

/// The transport to a forwarding router failed.
fn forwarding(host: &str, tags: &[&str]) -> Option<String> {
    Some(match tags {
        ["NETWORK", "unknownCAError", ..] => format!(
            "Private routing error: Fingerprint in forwarding server address does not match certificate: {host}."
        ),
        ["TIMEOUT" | "NETWORK", ..] => {
            format!("Private routing error: Error connecting to forwarding server {host}. Please try later.")
        }
        ["HOST", ..] => format!(
            "Private routing error: Forwarding server address is incompatible with network settings: {host}."
        ),
        ["TRANSPORT", "version", ..] => format!(
            "Private routing error: Forwarding server version is incompatible with network settings: {host}."
        ),
        _ => return None,
    })
}

/// The transport from a forwarding router to the destination failed.
fn destination_of(forwarding: &str, destination: &str, tags: &[&str]) -> Option<String> {
    Some(match tags {
        ["NETWORK", "unknownCAError", ..] => format!(
            "Private routing error: Fingerprint in destination server address does not match certificate: {destination}."
        ),
        ["TIMEOUT" | "NETWORK", ..] => unreachable(forwarding, destination),
        ["HOST", ..] => format!(
            "Private routing error: Destination server address of {destination} is incompatible with forwarding server \
             {forwarding} settings."
        ),
        ["TRANSPORT", "version", ..] => format!(
            "Private routing error: Destination server version of {destination} is incompatible with forwarding server \
             {forwarding}."
        ),
        _ => return None,
    })
}

fn unreachable(forwarding: &str, destination: &str) -> String {
    format!(
        "Private routing error: Forwarding server {forwarding} failed to connect to destination server {destination}. \
         Please try later."
    )
}

/// The SimpleX name that an error is about.
fn name(error: &ChatError) -> String {
    error.field::<PublicName>("simplexDomain").map_or_else(String::new, |name| name.as_str().to_owned())
}

/// Why an operator blocked something.
fn blocked_for(error: &ChatError) -> String {
    #[derive(serde::Deserialize)]
    struct BlockInfo {
        reason: String,
    }

    error.field::<BlockInfo>("blockInfo").map(|info| info.reason).unwrap_or_default()
}

fn address(error: &ChatError, field: &str) -> String {
    error.field(field).unwrap_or_default()
}

/// The first host of a server address `smp://KEY@HOST,HOST:PORT`, or the whole text when it is none.
fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let hosts = rest.rsplit_once('@').map_or(rest, |(_, hosts)| hosts);
    let first = hosts.split([',', '/']).next().unwrap_or(hosts);
    let end = match first.strip_prefix('[').and_then(|inner| inner.find(']')) {
        Some(close) => close.saturating_add(2),
        None => first.find(':').unwrap_or(first.len()),
    };
    first.get(..end).unwrap_or(first).to_owned()
}

#[cfg(test)]
mod tests {
    use super::host;

    /// ERR-31: the first host, without key and port; a text that is no address stays whole.
    #[test]
    fn hosts() {
        for (address, expected) in [
            ("smp://a2V5@smp.example.org", "smp.example.org"),
            ("smp://a2V5@smp.example.org,x.onion:5223", "smp.example.org"),
            ("smp://a2V5:password@smp.example.org:443", "smp.example.org"),
            ("smp://@127.0.0.1", "127.0.0.1"),
            ("smp://a2V5@[::1]:5223", "[::1]"),
            ("smp4.example.org", "smp4.example.org"),
            ("", ""),
            ("smp://a2V5@[", "["),
        ] {
            assert_eq!(host(address), expected, "{address}");
        }
    }
}
