//! Words, up to a space: links, web addresses, e-mail addresses, domains.

use alloc::string::String;

use super::super::target::{Link, parse_link};
use super::super::unicode::is_punctuation;
use super::{Format, email, uri};

/// Fewest characters of an address with a scheme.
const MIN_ADDRESS: usize = 10;

/// The format of a word and how many of its bytes have it; the punctuation at its end has none.
pub(super) fn format(word: &str) -> Option<(Format, usize)> {
    let address = word.trim_end_matches(is_trailing_punctuation);
    let format = if has_scheme(address) {
        // A link is read with the punctuation, which may belong to its query.
        match parse_link(word) {
            Some(link) => link_format(link, None),
            None => uri::is_web_address(address).then_some(Format::Uri)?,
        }
    } else if is_domain(address) {
        Format::Uri
    } else if email::is_address(address) {
        Format::Email
    } else {
        return None;
    };
    Some((format, address.len()))
}

/// The format of a SimpleX link.
pub(super) fn link_format(link: Link, show_text: Option<String>) -> Format {
    Format::SimplexLink { show_text, link_type: link.kind, simplex_uri: link.uri, smp_hosts: link.hosts }
}

fn is_trailing_punctuation(c: char) -> bool {
    is_punctuation(c) && !matches!(c, '/' | ')' | '_' | '!')
}

fn has_scheme(text: &str) -> bool {
    let has_prefix = ["http://", "https://", "simplex:/"].iter().any(|prefix| text.starts_with(prefix));
    has_prefix && text.chars().nth(MIN_ADDRESS - 1).is_some()
}

/// `name.tld` or `sub.name.tld`: a likely domain, not every possible one. What is in `sub` does not matter.
fn is_domain(text: &str) -> bool {
    let mut labels = text.rsplitn(4, '.');
    let (Some(tld), Some(name)) = (labels.next(), labels.next()) else {
        return false;
    };
    let sub_fits = labels.next().is_none_or(|sub| (3..=8).contains(&sub.chars().take(9).count()));
    let has_len = |label: &str, least, most| (least..=most).contains(&label.len());
    let is_alphabetic = |label: &str| label.bytes().all(|b| b.is_ascii_alphabetic());
    labels.next().is_none()
        && sub_fits
        && has_len(tld, 2, 8)
        && has_len(name, 1, 24)
        && is_alphabetic(tld)
        && is_alphabetic(name)
}
