//! Hosts of routers: how a link names them, and which are presets.

use alloc::string::{String, ToString};
use core::net::Ipv6Addr;
use core::str;

use super::scan::Scan;

/// Hosts of the routers that every SimpleX profile knows from the start: names with `*` for one to three digits, and
/// the onion addresses of the same routers.
///
/// Public lists: `src/Simplex/Chat/Operators/Presets.hs` of simplex-chat, SimpleX Chat and Flux, the ones it keeps
/// only to restore short links included.
pub const PRESET_HOSTS: [&str; 23] = [
    "smp*.simplex.im",
    "smp*.simplexonflux.com",
    "o5vmywmrnaxalvz6wi3zicyftgio6psuvyniis6gco6bp6ekl4cqj4id.onion",
    "jjbyvoemxysm7qxap7m5d5m35jzv5qq6gnlv7s4rsn7tdwwmuqciwpid.onion",
    "bylepyau3ty4czmn77q4fglvperknl4bi2eb2fdy2bh4jxtf32kf73yd.onion",
    "dbxqutskmmbkbrs7ofi7pmopeyhgi5cxbjbh4ummgmep4r6bz4cbrcid.onion",
    "beccx4yfxxbvyhqypaavemqurytl6hozr47wfc7uuecacjqdvwpw2xid.onion",
    "jssqzccmrcws6bhmn77vgmhfjmhwlyr3u7puw4erkyoosywgl67slqqd.onion",
    "rb2pbttocvnbrngnwziclp2f4ckjq65kebafws6g4hy22cdaiv5dwjqd.onion",
    "6ioorbm6i3yxmuoezrhjk6f6qgkc4syabh7m3so74xunb5nzr4pwgfqd.onion",
    "ie42b5weq7zdkghocs3mgxdjeuycheeqqmksntj57rmejagmg4eor5yd.onion",
    "aspkyu2sopsnizbyfabtsicikr2s4r3ti35jogbcekhm3fsoeyjvgrid.onion",
    "oauu4bgijybyhczbnxtlggo6hiubahmeutaqineuyy23aojpih3dajad.onion",
    "p3ktngodzi6qrf7w64mmde3syuzrv57y55hxabqcq3l5p6oi7yzze6qd.onion",
    "ogtwfxyi3h2h5weftjjpjmxclhb5ugufa5rcyrmg7j4xlch7qsr5nuqd.onion",
    "lyqpnwbs2zqfr45jqkncwpywpbtq7jrhxnib5qddtr6npjyezuwd3nqd.onion",
    "i53bbtoqhlc365k6kxzwdp5w3cdt433s7bwh3y32rcbml2vztiyyz5id.onion",
    "qb4yoanyl4p7o33yrknv4rs6qo7ugeb2tu2zo66sbebezs4cpyosarid.onion",
    "yiqtuh3q4x7hgovkomafsod52wvfjucdljqbbipg5sdssnklgongxbqd.onion",
    "a5lm4k7ufei66cdck6fy63r4lmkqy3dekmmb7jkfdm5ivi6kfaojshad.onion",
    "qpcz2axyy66u26hfdd2e23uohcf3y6c36mn7dcuilcgnwjasnrvnxjqd.onion",
    "4ao347qwiuluyd45xunmii4skjigzuuox53hpdsgbwxqafd4yrticead.onion",
    "hury6ot3ymebbr2535mlp7gcxzrjpc6oujhtfxcfh2m4fal4xw5fq6qd.onion",
];

/// Onion addresses that the core adds to a queue address of an old version with one of these hosts alone.
const LEGACY_ONION: [(&str, usize); 6] = [
    ("smp4.simplex.im", 2),
    ("smp5.simplex.im", 3),
    ("smp6.simplex.im", 4),
    ("smp8.simplex.im", 6),
    ("smp9.simplex.im", 7),
    ("smp10.simplex.im", 8),
];

/// Whether `host` is one of [`PRESET_HOSTS`], without regard to ASCII case. A port or user is no part of a host.
pub fn is_preset_host(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    PRESET_HOSTS.iter().any(|pattern| matches_pattern(pattern, &host))
}

/// The onion address that the core knows for this host of an old queue address.
pub(super) fn legacy_onion(host: &str) -> Option<&'static str> {
    let (_, index) = LEGACY_ONION.iter().find(|(name, _)| *name == host)?;
    PRESET_HOSTS.get(*index).copied()
}

/// Reads one host as the core does: an IPv4 address, an IPv6 address, an onion address or a name, in this order.
/// What it answers is how the core writes it.
pub(super) fn take_host(scan: &mut Scan<'_>) -> Option<String> {
    if let Some(host) = scan.optional(take_ipv4) {
        return Some(host);
    }
    if let Some(host) = scan.optional(take_ipv6) {
        return Some(host);
    }
    if let Some(host) = scan.optional(take_onion) {
        return Some(host);
    }
    let name = scan.take_while(|b| !b":#,;/ \n\r\t[]".contains(&b));
    (!name.is_empty() && !name.ends_with(b".onion")).then(|| String::from_utf8_lossy(name).into_owned())
}

fn matches_pattern(pattern: &str, host: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else {
        return pattern == host;
    };
    let number = host.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)).unwrap_or_default();
    (1..=3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
}

fn take_ipv4(scan: &mut Scan<'_>) -> Option<String> {
    let mut host = String::new();
    for _ in 0..3 {
        let part = scan.take_number().filter(|part| *part <= 255)?;
        scan.take(b".")?;
        host.push_str(&part.to_string());
        host.push('.');
    }
    // The core lets the last part wrap at 256.
    let last = scan.take_number()? & 0xff;
    host.push_str(&last.to_string());
    Some(host)
}

fn take_ipv6(scan: &mut Scan<'_>) -> Option<String> {
    let bracketed = |s: &mut Scan<'_>| {
        s.take(b"[")?;
        let address = parse_ipv6(s.take_while(|b| b != b']'));
        s.take(b"]")?;
        Some(address)
    };
    let address = match scan.optional(bracketed) {
        Some(address) => address,
        None => parse_ipv6(scan.take_while(|b| b.is_ascii_hexdigit() || b == b':')),
    };
    address.map(|address| address.to_string())
}

fn parse_ipv6(text: &[u8]) -> Option<Ipv6Addr> {
    str::from_utf8(text).ok()?.parse().ok()
}

fn take_onion(scan: &mut Scan<'_>) -> Option<String> {
    let name = scan.take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    scan.take(b".onion")?;
    let mut host = String::from_utf8_lossy(name).into_owned();
    host.push_str(".onion");
    Some(host)
}
