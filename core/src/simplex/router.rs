//! Addresses of SMP routers.

/// Characters of a SHA-256 fingerprint in base64url, padding aside.
const FINGERPRINT: usize = 43;

/// Whether `address` is `smp://FINGERPRINT[:PASSWORD]@HOST[,HOST…][:PORT]`, the form of simplexmq's server addresses:
/// the fingerprint of a certificate is a SHA-256 in base64url; a password has no space and none of `@:/`; a host is a
/// name, an IPv4 address, or an IPv6 address in brackets.
pub fn is_valid(address: &str) -> bool {
    let Some((identity, place)) = address.strip_prefix("smp://").and_then(|rest| rest.split_once('@')) else {
        return false;
    };
    let (fingerprint, password) = match identity.split_once(':') {
        Some((fingerprint, password)) => (fingerprint, Some(password)),
        None => (identity, None),
    };
    let (hosts, port) = split_port(place);
    is_fingerprint(fingerprint)
        && password.is_none_or(is_password)
        && hosts.split(',').all(is_host)
        && port.is_none_or(is_port)
}

fn is_fingerprint(text: &str) -> bool {
    let bare = text.strip_suffix('=').unwrap_or(text);
    bare.len() == FINGERPRINT
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

fn is_password(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '@' | ':' | '/'))
}

/// The port stands behind the last host. Colons in brackets belong to an address.
fn split_port(place: &str) -> (&str, Option<&str>) {
    match place.rsplit_once(':') {
        Some((hosts, port)) if !port.contains(']') => (hosts, Some(port)),
        _ => (place, None),
    }
}

fn is_host(text: &str) -> bool {
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner.parse::<core::net::Ipv6Addr>().is_ok();
    }
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse().is_ok_and(|port: u16| port > 0)
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    /// CLI-41: what an address may be.
    #[test]
    fn addresses() {
        let key = "0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU";
        for rest in [
            "KEY@smp8.simplex.im",
            "KEY=@smp8.simplex.im",
            "KEY=@a.example,beccx4yfxxbvyhqypaavemqurytl6hozr47wfc7uuecacjqdvwpw2xid.onion",
            "KEY:pass-word!@a.example:5223",
            "KEY@a.example,b.example:443",
            "KEY@127.0.0.1",
            "KEY@[::1]:5223",
            "KEY@localhost",
        ] {
            let address = format!("smp://{}", rest.replace("KEY", key));
            assert!(is_valid(&address), "{address}");
        }
        let short = key.get(1..).unwrap_or_default();
        for address in [
            "",
            "h",
            "smp://",
            "smp://abc@one.example",
            &format!("smp://{short}@a.example"),
            &format!("smp://{key}x@a.example"),
            &format!("smp://{key}==@a.example"),
            &format!("smp://+{short}@a.example"),
            &format!("xftp://{key}@a.example"),
            &format!("smp://{key}"),
            &format!("smp://{key}@"),
            &format!("smp://@a.example {key}"),
            &format!("smp://{key}:@a.example"),
            &format!("smp://{key}:a b@a.example"),
            &format!("smp://{key}:a:b@a.example"),
            &format!("smp://{key}@a.example,"),
            &format!("smp://{key}@a..example"),
            &format!("smp://{key}@a example"),
            &format!("smp://{key}@a.example:0"),
            &format!("smp://{key}@a.example:65536"),
            &format!("smp://{key}@a.example:x"),
            &format!("smp://{key}@a.example:"),
            &format!("smp://{key}@a.example/x"),
            &format!("smp://{key}@[::g]"),
            &format!("smp://{key}@a@b"),
        ] {
            assert!(!is_valid(address), "{address}");
        }
    }
}
