use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use std::format;

use super::*;

fn link(text: &str) -> Option<Link> {
    match parse(text)? {
        Target::Link(link) => Some(link),
        Target::Name(_) => None,
    }
}

/// A full link with one queue of this address and versions; its keys are zero.
fn full(mode: &str, server: &str, versions: &str, more: &str) -> String {
    let zeros = "A".repeat(43);
    format!(
        "simplex:/{mode}#/?v=2-7&smp=smp%3A%2F%2FAAAA%40{server}%2FBBBB%23%2F%3Fv%3D{versions}%26dh%3DMCowBQYDK2VuAyEA{zeros}%253D{more}"
    )
}

fn e2e(versions: &str) -> String {
    let key = ["MEIwBQYDK2VvAzkA", &"A".repeat(75), "%3D"].concat();
    format!("%26q%3Dm%26k%3Ds&e2e=v%3D{versions}%26x3dh%3D{key}%2C{key}")
}

/// LANG-10, LANG-13
#[test]
fn short_links_tell_kind_and_hosts() {
    use LinkKind::{Channel, Contact, Group, Invitation, Relay};
    let cases: [(&str, LinkKind, &[&str]); 9] = [
        ("https://smp4.simplex.im/a#AAAA", Contact, &["smp4.simplex.im"]),
        ("https://h.x/i#AAAA/BBBB?p=5223&c=CCCC", Invitation, &["h.x"]),
        ("https://127.0.0.1/g#AAAA?p=5223", Group, &["127.0.0.1"]),
        ("https://h.x/c#AAAA", Channel, &["h.x"]),
        ("https://h.x/r#AAAA", Relay, &["h.x"]),
        ("https://h.x/a#AAAA?h=y.z,w.onion", Contact, &["h.x", "y.z", "w.onion"]),
        ("simplex:/a#AAAA?h=h.x", Contact, &["h.x"]),
        ("simplex:/G#AAAA?h=h.x%2Cy.z", Group, &["h.x", "y.z"]),
        ("simplex:/i/#AAAA/BBBB?h=%5B%3A%3A1%5D", Invitation, &["::1"]),
    ];
    for (text, kind, hosts) in cases {
        let link = link(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!((link.kind, link.form, link.text.as_str()), (kind, LinkForm::Short, text));
        assert_eq!(link.hosts, hosts, "{text}");
        assert_eq!(link.is_one_time(), kind == Invitation);
        let again = self::link(&link.uri).unwrap();
        assert_eq!((again.kind, &again.hosts, &again.uri), (kind, &link.hosts, &link.uri), "{text}");
    }
}

/// LANG-10, LANG-13
#[test]
fn full_links_tell_kind_and_hosts() {
    let contact = full("contact", "h.x%3A5223", "1-4", "%26q%3Dc");
    let parsed = link(&contact).unwrap();
    assert_eq!((parsed.kind, parsed.form), (LinkKind::Contact, LinkForm::Full));
    assert_eq!((parsed.hosts, parsed.uri), (["h.x".to_string()].into(), contact.clone()));

    let web = contact.replace("simplex:", "https://simplex.chat").replace("contact#", "contact/#");
    assert_eq!(link(&web).unwrap().uri, contact);

    let group = contact.clone() + "&data=%7B%22groupLinkId%22%3A%22AAAA%22%7D";
    assert_eq!(link(&group).map(|link| (link.kind, link.uri)), Some((LinkKind::Group, group)));
    let odd = contact.clone() + "&data=%7B%22groupLinkId%22%3A%22A%22%7D";
    assert_eq!(link(&odd).unwrap().kind, LinkKind::Contact);

    let invitation = full("invitation", "h.x", "2-4", &e2e("2-3"));
    let parsed = link(&invitation).unwrap();
    assert_eq!((parsed.kind, &parsed.uri), (LinkKind::Invitation, &invitation));

    let both = full("contact", "a.b%2Cc.onion", "2", "");
    assert_eq!(link(&both).unwrap().hosts, ["a.b", "c.onion"]);
    let listed = full("contact", "a.b", "1-2", "%26srv%3Dc.onion");
    assert_eq!(
        link(&listed).map(|link| (link.hosts.join(" "), link.uri)),
        Some(("a.b c.onion".into(), listed))
    );
    let old = link(&full("contact", "smp4.simplex.im", "1", "")).unwrap();
    assert_eq!(old.hosts, ["smp4.simplex.im", PRESET_HOSTS[2]]);
}

/// LANG-12
#[test]
fn what_is_no_link() {
    let contact = full("contact", "h.x", "1-4", "%26q%3Dc");
    let invitation = full("invitation", "h.x", "1-4", &e2e("2-3"));
    let cases = [
        "".to_string(),
        "hello".into(),
        "https://simplex.chat/".into(),
        "https://example.com/notalink".into(),
        "mailto:x@y.z".into(),
        "simplex:/contact#".into(),
        "simplex:/a#AAAA".into(),
        "simplex:/a#?h=h.x".into(),
        "simplex:/x#AAAA?h=h.x".into(),
        "simplex:/I#AAAA/BBBB?h=h.x".into(),
        "https://h.x/i#AAAA".into(),
        "https://h.x/a#AAAAA".into(),
        "https://h.x/a#short".into(),
        "https://h.x/a#AAAA?p=x".into(),
        "https://h.x/a#AAAA?c=".into(),
        "https://h.x/a#AAAA ".into(),
        " https://h.x/a#AAAA".into(),
        "https://h.x/a#AAAA?x=\ty".into(),
        "https://h.x/a#AAAA?x=\u{a0}y".into(),
        "http://h.x/a#AAAA".into(),
        "HTTPS://h.x/a#AAAA".into(),
        "https:///a#AAAA".into(),
        "https://h.onion.x/a#AAAA".into(),
        contact.replace("v=2-7&", ""),
        contact.replace("v=2-7", "v=7-2"),
        contact.replace("smp%3A", "ntf%3A"),
        contact.replace("BBBB", "B"),
        contact.replace("MCow", "MCox"),
        contact.replace("A%253D", "%253D"),
        contact.replace("#/?", "#?"),
        contact.replace("AAAA%40", "AAAA%3Apass%40"),
        invitation.replace("e2e", "e3e"),
        invitation.replace("%2CMEI", "%2CMCo"),
    ];
    for text in cases {
        assert_eq!(parse(&text), None, "{text:?}");
    }
    assert!(parse(&contact).is_some() && parse(&invitation).is_some());
}

/// LANG-11, LANG-12
#[test]
fn names() {
    let cases = [
        ("@x.simplex", Some("@x.simplex")),
        ("@X.Simplex", Some("@x.simplex")),
        ("#x.simplex", Some("#x")),
        ("#x", Some("#x")),
        ("#9", Some("#9")),
        ("@x.com", Some("@x.com")),
        ("@x.testing", Some("@x.testing")),
        ("@x.y.simplex", Some("@x.y.simplex")),
        ("#a.b.acme.simplex", Some("#a.b.acme.simplex")),
        ("simplex:/name#x", Some("#x")),
        ("simplex:/name@x.com", Some("@x.com")),
        ("simplex:/namex", Some("#x")),
        ("@x", None),
        ("@", None),
        ("#", None),
        ("name", None),
        ("a.b", None),
        ("x.simplex", None),
        ("x.com", None),
        ("@-x.simplex", None),
        ("@x-.simplex", None),
        ("@x--y.simplex", None),
        ("@x..simplex", None),
        ("@x.simplex.", None),
        ("@ümlaut.simplex", None),
        ("#group 9", None),
        ("##x", None),
        ("@#x.y", None),
        ("simplex:/name", None),
        ("simplex:/name@x", None),
    ];
    for (text, expected) in cases {
        let name = parse(text).map(|target| match target {
            Target::Name(name) => name.to_string(),
            Target::Link(link) => panic!("{link:?}"),
        });
        assert_eq!(name.as_deref(), expected, "{text:?}");
        if let Some(name) = name {
            assert_eq!(parse(&name), parse(text), "the printed form names the same: {text:?}");
        }
    }
    let label = "a".repeat(63);
    assert!(parse(&format!("#{label}")).is_some());
    assert!(parse(&format!("#{label}a")).is_none());
    assert!(parse(&format!("@{label}.{label}.{label}.{}", "a".repeat(61))).is_some());
    assert!(parse(&format!("@{label}.{label}.{label}.{}", "a".repeat(62))).is_none());
}

/// CONN-15
#[test]
fn hosts_are_presets_only_when_they_are() {
    for host in ["smp4.simplex.im", "SMP19.simplex.im", "smp1.simplexonflux.com", "smp6.simplexonflux.com"] {
        assert!(is_preset_host(host), "{host}");
    }
    assert!(PRESET_HOSTS.iter().filter(|host| host.ends_with(".onion")).all(|host| is_preset_host(host)));
    let others = [
        "",
        "simplex.im",
        "smp.simplex.im",
        "smp*.simplex.im",
        "smp4.simplex.im.evil",
        "evil-smp4.simplex.im",
        "smp4.evil.simplex.im",
        "smpx.simplex.im",
        "smp1234.simplex.im",
        "xftp1.simplex.im",
        "user@smp4.simplex.im",
        "smp4.simplexonflux.com:443",
        "simplexonflux.com",
        "smp4simplex.im",
    ];
    for host in others {
        assert!(!is_preset_host(host), "{host}");
    }
}

/// CONN-15: one unknown host among known ones makes the link unknown.
#[test]
fn a_link_is_known_only_when_all_its_hosts_are() {
    let preset = link("https://smp4.simplex.im/a#AAAA").unwrap();
    assert_eq!(preset.unknown_host(|_| false), None);
    let mixed = link("https://smp4.simplex.im/a#AAAA?h=evil.example").unwrap();
    assert_eq!(mixed.unknown_host(|_| false), Some("evil.example"));
    assert_eq!(mixed.unknown_host(|host| host == "evil.example"), None);
    let full = link(&full("contact", "smp4.simplex.im%2Cevil.example", "2", "")).unwrap();
    assert_eq!(full.unknown_host(|_| false), Some("evil.example"));
}

/// Texts near links and names never break the reader, and what it reads it reads again from its own form.
#[test]
fn mutated_links_read_back_or_not_at_all() {
    let seeds = [
        full("contact", "a.b%2Cc.onion%3A5223", "1-2", "%26srv%3Dd.e"),
        full("invitation", "h.x", "2-4", &e2e("2-3")),
        "https://[::1]/i#AAAA/BBBB?h=a.b&p=5223&c=CCCC".into(),
        "simplex:/g#AAAA?h=127.0.0.1%2Ca.b".into(),
    ];
    let alphabet: Vec<char> = "A=%25:/#?&;,@.-0é\u{0}[]".chars().collect();
    let mut random = 7_usize;
    let mut next = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % limit
    };
    for _ in 0..20_000 {
        let mut text: Vec<char> = seeds[next(seeds.len())].chars().collect();
        for _ in 0..=next(2) {
            let at = next(text.len());
            match next(3) {
                0 => text.insert(at, alphabet[next(alphabet.len())]),
                1 => text[at] = alphabet[next(alphabet.len())],
                _ => text.truncate(at.max(1)),
            }
        }
        let text: String = text.into_iter().collect();
        let Some(link) = link(&text) else {
            continue;
        };
        assert!(!link.hosts.is_empty(), "{text}");
        if link.hosts.iter().all(|host| !host.contains([':', '\u{fffd}'])) {
            let again = self::link(&link.uri).unwrap_or_else(|| panic!("{text}\n{}", link.uri));
            assert_eq!((again.kind, again.uri, again.hosts), (link.kind, link.uri, link.hosts), "{text}");
        }
    }
}
