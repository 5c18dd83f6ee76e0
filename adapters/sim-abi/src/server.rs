//! The address of a router: `smp://KEYHASH[:PASSWORD]@HOST[,HOST…][:PORT]`, and the same with `xftp`.

use serde_json::{Value, json};

/// The answer of `chat_parse_server`.
pub(crate) fn parse(text: &str) -> String {
    match address(text) {
        Some(address) => json!({"serverAddress": address, "parseError": ""}).to_string(),
        None => json!({"parseError": "a router address like smp://KEYHASH@HOST expected"}).to_string(),
    }
}

fn address(text: &str) -> Option<Value> {
    let (protocol, rest) = text.split_once("://")?;
    if !matches!(protocol, "smp" | "xftp") {
        return None;
    }
    let (identity, place) = rest.split_once('@')?;
    let (key_hash, password) = identity.split_once(':').unwrap_or((identity, ""));
    let (hosts, port) = place.split_once(':').unwrap_or((place, ""));
    let hosts: Vec<&str> = hosts.split(',').collect();
    let fits = !key_hash.is_empty()
        && hosts.iter().all(|host| is_host(host))
        && port.chars().all(|c| c.is_ascii_digit())
        && !text.contains(char::is_whitespace);
    fits.then(|| {
        json!({
            "serverProtocol": protocol,
            "hostnames": hosts,
            "port": port,
            "keyHash": key_hash,
            "basicAuth": password,
        })
    })
}

fn is_host(host: &str) -> bool {
    !host.is_empty() && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
}
