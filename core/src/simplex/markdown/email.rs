//! E-mail addresses, as the core's parser of RFC 5322 reads them, comments and quoted parts included.

/// Most bytes of the part before `@`, of a label, of the domain, and of the whole.
const MAX_LOCAL: usize = 64;
const MAX_LABEL: usize = 63;
const MAX_DOMAIN: usize = 253;
const MAX_ADDRESS: usize = 254;

/// Whether the text is an e-mail address and nothing else.
pub(super) fn is_address(text: &str) -> bool {
    text.contains('@') && skip_address(text.as_bytes()).is_some_and(<[u8]>::is_empty)
}

/// Moves past an address. Lengths are those of what it means: without comments and white space.
fn skip_address(bytes: &[u8]) -> Option<&[u8]> {
    let (local, rest) = dotted(bytes, |b| take_atom(b).or_else(|| take_quoted(b)))?;
    if local > MAX_LOCAL {
        return None;
    }
    let rest = rest.strip_prefix(b"@")?;
    let (domain, rest) = take_domain(rest).or_else(|| take_literal(rest))?;
    (local + domain < MAX_ADDRESS).then_some(rest)
}

/// Items with dots between and comments around them: their length with the dots, and what follows.
fn dotted(bytes: &[u8], take: impl Fn(&[u8]) -> Option<(usize, &[u8])>) -> Option<(usize, &[u8])> {
    let take_one = |bytes| {
        let (len, rest) = take(skip_comments(bytes))?;
        Some((len, skip_comments(rest)))
    };
    let (mut sum, mut rest) = take_one(bytes)?;
    while let Some((len, after)) = rest.strip_prefix(b".").and_then(take_one) {
        sum += len + 1;
        rest = after;
    }
    Some((sum, rest))
}

fn take_atom(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let is_text = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&b);
    let rest = skip_while(bytes, is_text);
    (rest.len() < bytes.len()).then(|| (bytes.len() - rest.len(), rest))
}

fn take_quoted(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let is_text = |b: u8| matches!(b, 33 | 35..=91 | 93..=126) || is_old_control(b);
    let mut rest = bytes.strip_prefix(b"\"")?;
    let mut len = 2;
    loop {
        let content = skip_blanks(rest);
        let after = skip_while(content, is_text);
        if after.len() < content.len() {
            len += content.len() - after.len();
            rest = after;
        } else if let Some(after) = skip_pair(content) {
            len += 2;
            rest = after;
        } else {
            return Some((len, content.strip_prefix(b"\"")?));
        }
    }
}

/// Labels of ASCII letters, digits and hyphens, with an optional dot after the last.
fn take_domain(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (len, rest) = dotted(bytes, take_label)?;
    (len <= MAX_DOMAIN).then(|| (len, rest.strip_prefix(b".").unwrap_or(rest)))
}

fn take_label(bytes: &[u8]) -> Option<(usize, &[u8])> {
    bytes.first().filter(|b| b.is_ascii_alphanumeric())?;
    let rest = skip_while(bytes, |b| b.is_ascii_alphanumeric() || b == b'-');
    let label = bytes.get(..bytes.len() - rest.len())?;
    (label.len() <= MAX_LABEL && !label.ends_with(b"-")).then_some((label.len(), rest))
}

/// A domain in brackets.
fn take_literal(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let is_text = |b: u8| matches!(b, 33..=90 | 94..=126) || is_old_control(b);
    let mut rest = skip_comments(bytes).strip_prefix(b"[")?;
    let mut len = 2;
    loop {
        let content = skip_blanks(rest);
        rest = skip_while(content, is_text);
        len += content.len() - rest.len();
        if rest.len() == content.len() {
            return Some((len, skip_comments(content.strip_prefix(b"]")?)));
        }
    }
}

/// Comments and blanks, none or many. A comment that does not end is left where it is.
fn skip_comments(bytes: &[u8]) -> &[u8] {
    let mut rest = skip_blanks(bytes);
    while let Some(after) = skip_comment(rest) {
        rest = skip_blanks(after);
    }
    rest
}

/// One comment in parentheses, with comments in it.
fn skip_comment(bytes: &[u8]) -> Option<&[u8]> {
    let is_text = |b: u8| matches!(b, 33..=39 | 42..=91 | 93..=126) || is_old_control(b);
    let mut rest = bytes.strip_prefix(b"(")?;
    let mut depth = 1_usize;
    while depth > 0 {
        rest = skip_while(skip_blanks(rest), is_text);
        match rest {
            [b'(', after @ ..] => (depth, rest) = (depth + 1, after),
            [b')', after @ ..] => (depth, rest) = (depth - 1, after),
            [b'\\', ..] => rest = skip_pair(rest)?,
            [b' ' | b'\t', ..] => {}
            _ => return None,
        }
    }
    Some(rest)
}

/// A backslash and an ASCII character.
fn skip_pair(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        [b'\\', 0..=127, after @ ..] => Some(after),
        _ => None,
    }
}

/// Blanks of one line; line breaks within an address cannot be, because a line has none.
fn skip_blanks(bytes: &[u8]) -> &[u8] {
    skip_while(bytes, |b| matches!(b, b' ' | b'\t'))
}

/// Control characters that old mail programs allowed.
const fn is_old_control(b: u8) -> bool {
    matches!(b, 1..=8 | 11..=12 | 14..=31 | 127)
}

fn skip_while(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> &[u8] {
    let end = bytes.iter().position(|b| !is_part(*b)).unwrap_or(bytes.len());
    bytes.get(end..).unwrap_or_default()
}
