//! Web addresses, as the core's parser of RFC 3986 with lax queries reads them.

/// Whether the text is an `http` or `https` address whose host has a dot.
pub(super) fn is_web_address(text: &str) -> bool {
    check(text, UNKNOWN).is_ok()
}

/// What [`check`] is told, and tells, when nothing is known of the end of a text.
pub(super) const UNKNOWN: usize = usize::MAX;

/// Checks for a web address, for callers that ask about several texts with one end.
///
/// # Errors
///
/// What the next check of a later start may be told as `doomed`: no query that has more bytes than this up to the
/// end is well formed.
pub(super) fn check(text: &str, doomed: usize) -> Result<(), usize> {
    let address = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let end = address.and_then(|address| skip_host(address.as_bytes())).map(skip_path).ok_or(doomed)?;
    match end.split_first() {
        Some((b'?', query)) => check_query(query, doomed),
        Some((b'#', fragment)) if is_fragment(fragment) => Ok(()),
        Some(_) => Err(doomed),
        None => Ok(()),
    }
}

/// Moves past user, host and port; None when there is no host with a dot.
fn skip_host(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = skip_user(bytes).unwrap_or(bytes);
    let (has_dot, rest) = take_literal(bytes).or_else(|| take_ipv4(bytes)).or_else(|| take_name(bytes))?;
    has_dot.then(|| skip_port(rest).unwrap_or(rest))
}

/// `user:password@`.
fn skip_user(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = skip_all(bytes, is_plain);
    if let Some(password) = rest.strip_prefix(b":") {
        rest = skip_all(password, |b| is_plain(b) || b == b':');
    }
    rest.strip_prefix(b"@")
}

/// A registered name; a dot may be written as `%2E`.
fn take_name(bytes: &[u8]) -> Option<(bool, &[u8])> {
    let rest = skip_all(bytes, is_plain);
    let name = taken(bytes, rest);
    let has_dot = name.contains(&b'.') || name.windows(3).any(|code| code.eq_ignore_ascii_case(b"%2e"));
    (!name.is_empty()).then_some((has_dot, rest))
}

/// Four numbers from 1 to 255, of at most three digits. Other dotted numbers are names.
fn take_ipv4(bytes: &[u8]) -> Option<(bool, &[u8])> {
    let mut rest = bytes;
    for index in 0..4 {
        if index > 0 {
            rest = rest.strip_prefix(b".")?;
        }
        let after = skip_while(rest, |b| b.is_ascii_digit());
        let digits = taken(rest, after);
        let number = digits.iter().take(4).fold(0_u32, |sum, b| sum * 10 + u32::from(b.wrapping_sub(b'0')));
        if digits.len() > 3 || !(1..=255).contains(&number) {
            return None;
        }
        rest = after;
    }
    Some((true, rest))
}

/// An address in brackets.
fn take_literal(bytes: &[u8]) -> Option<(bool, &[u8])> {
    let inner = bytes.strip_prefix(b"[")?;
    let (has_dot, rest) = take_future(inner).or_else(|| take_ipv6(inner))?;
    Some((has_dot, rest.strip_prefix(b"]")?))
}

/// `v1.anything`: its own dot counts.
fn take_future(bytes: &[u8]) -> Option<(bool, &[u8])> {
    let version = bytes.strip_prefix(b"v")?;
    let after = skip_while(version, |b| b.is_ascii_hexdigit());
    let address = after.strip_prefix(b".")?;
    let rest = skip_while(address, |b| is_unreserved(b) || is_delimiter(b) || b == b':');
    (after.len() < version.len() && rest.len() < address.len()).then_some((true, rest))
}

/// What the core's parser takes for an IPv6 address. After `::` it takes anything between colons, and the dot that
/// makes it a host may stand in there.
fn take_ipv6(bytes: &[u8]) -> Option<(bool, &[u8])> {
    let mut rest = bytes;
    let (mut groups, mut has_dot) = (0_usize, false);
    while let Some(after) =
        skip_group(if groups > 0 { rest.strip_prefix(b":").unwrap_or_default() } else { rest })
    {
        rest = after;
        groups += 1;
    }
    rest = rest.strip_prefix(b"::").unwrap_or(rest);
    while let Some(colon) = rest.iter().position(|b| *b == b':') {
        let (group, after) = rest.split_at(colon);
        has_dot |= group.contains(&b'.');
        rest = after.get(1..).unwrap_or_default();
        groups += 1;
        if groups > 8 {
            return None;
        }
    }
    if let Some((_, after)) = take_ipv4(rest) {
        (has_dot, rest, groups) = (true, after, groups + 2);
    } else if let Some(after) = skip_group(rest) {
        (rest, groups) = (after, groups + 1);
    }
    (groups <= 8).then_some((has_dot, rest))
}

fn skip_group(bytes: &[u8]) -> Option<&[u8]> {
    let rest = skip_while(bytes, |b| b.is_ascii_hexdigit());
    (rest.len() < bytes.len()).then_some(rest)
}

fn skip_port(bytes: &[u8]) -> Option<&[u8]> {
    let port = bytes.strip_prefix(b":")?;
    let rest = skip_while(port, |b| b.is_ascii_digit());
    (rest.len() < port.len()).then_some(rest)
}

/// Segments, each after a slash.
fn skip_path(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    while let Some(segment) = rest.strip_prefix(b"/") {
        rest = skip_all(segment, is_path);
    }
    rest
}

/// Checks a query and what follows it: `name=value` items between `&`, then an optional fragment. A name may be
/// empty, but then has no value; a value has no `=`.
fn check_query(query: &[u8], doomed: usize) -> Result<(), usize> {
    if query.len() > doomed {
        return Err(doomed);
    }
    let mut item = query;
    loop {
        let mut rest = skip_while(item, is_query);
        let mut from = if item.len() == query.len() { doomed } else { rest.len() };
        if rest.len() < item.len()
            && let Some(value) = rest.strip_prefix(b"=")
        {
            from = rest.len();
            rest = skip_while(value, is_query);
        }
        match rest.split_first() {
            Some((b'&', next)) => item = next,
            Some((b'#', fragment)) => {
                return if is_fragment(fragment) { Ok(()) } else { Err(fragment.len()) };
            }
            Some(_) => return Err(from),
            None => return Ok(()),
        }
    }
}

fn is_fragment(bytes: &[u8]) -> bool {
    skip_all(bytes, |b| is_path(b) || matches!(b, b'?' | b'/')).is_empty()
}

/// Skips bytes of a class and percent-encoded ones.
fn skip_all(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> &[u8] {
    let mut rest = bytes;
    loop {
        rest = match rest {
            [b'%', high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => after,
            [first, after @ ..] if is_part(*first) => after,
            _ => return rest,
        };
    }
}

fn skip_while(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> &[u8] {
    let end = bytes.iter().position(|b| !is_part(*b)).unwrap_or(bytes.len());
    bytes.get(end..).unwrap_or_default()
}

fn taken<'a>(before: &'a [u8], after: &[u8]) -> &'a [u8] {
    before.get(..before.len().saturating_sub(after.len())).unwrap_or_default()
}

fn is_plain(b: u8) -> bool {
    is_unreserved(b) || is_delimiter(b)
}

fn is_path(b: u8) -> bool {
    is_plain(b) || matches!(b, b':' | b'@')
}

const fn is_query(b: u8) -> bool {
    !matches!(b, b'&' | b'#' | b'=')
}

fn is_unreserved(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'~' | b'.' | b'_' | b'-')
}

fn is_delimiter(b: u8) -> bool {
    b"!$&'()*+,;=".contains(&b)
}
