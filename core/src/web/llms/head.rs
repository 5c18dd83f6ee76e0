//! The notes of an entry: the head, `NETWORK TYPE for AUDIENCE[, …].`, then what the address is about.

use alloc::vec::Vec;

use super::entry::{Address, Entry, Kind, odd_network};
use super::note::{Noted, Notice, shown};
use super::plain::Plain;
use super::work::spend;
use crate::web::{ChangeFrequency, Protocol, Readers};

/// The words of the types, the longer before the shorter that it ends in.
const TYPES: [&str; 4] = [" business contact", " contact", " updates", " group"];

/// What stands between type and audience.
const FOR: &str = " for ";

/// The entry of a link's title and address and its notes; none, with a note that says why, when they are none.
pub(super) fn entry(title: &str, address: (&str, usize), notes: &Plain, noted: &mut Noted) -> Option<Entry> {
    let text = notes.text.as_str();
    spend(text.len());
    let (head, info) = match text.find(". ") {
        Some(end) => (text.get(..end)?, text.get(end + 2..)?),
        None => (text.strip_suffix('.').unwrap_or(text), ""),
    };
    let mut segments = segments(head);
    let (_, first) = segments.next()?;
    let (what, audience) = match find_for(first) {
        Some(at) => (first.get(..at)?, Some(first.get(at + FOR.len()..).unwrap_or_default())),
        None => (first, None),
    };
    let Some((network, word)) = what_is(what) else {
        noted.add(notes.source(0), Notice::NoType);
        return None;
    };
    let address = match Address::new(network, address.0) {
        Ok(found) => (found, address.1),
        Err(notice) => {
            let at = if notice == Notice::NoType { notes.source(0) } else { address.1 };
            noted.add(at, notice);
            return None;
        }
    };
    let mut kept = Noted::default();
    if let Some(notice) = odd_network(&address.0) {
        kept.add(notes.source(0), notice);
    }
    let audience = readers(audience, what.len(), notes, &mut kept);
    let kind = kind(word, segments, notes, &mut kept);
    if head.len() == text.len() {
        kept.add(notes.source(text.len()), Notice::NoEnd);
    }
    match Entry::new(title, address.0, kind, audience, info) {
        Ok(entry) => {
            noted.append(kept);
            Some(entry)
        }
        Err(notice) => {
            noted.add(address.1, notice);
            None
        }
    }
}

/// The parts between commas, each with its place.
fn segments(head: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    head.split(',').map(move |segment| {
        let start = at;
        at += segment.len() + 1;
        (start, segment)
    })
}

/// Where ` for ` begins, in any letter case; the last one may lack what follows it.
fn find_for(segment: &str) -> Option<usize> {
    spend(segment.len());
    let found = segment.as_bytes().windows(FOR.len()).position(|w| w.eq_ignore_ascii_case(FOR.as_bytes()));
    let bare = FOR.trim_end();
    found.or_else(|| {
        let at = segment.len().checked_sub(bare.len())?;
        segment.get(at..).filter(|end| end.eq_ignore_ascii_case(bare)).map(|_| at)
    })
}

/// Network and type of what stands before the audience.
fn what_is(text: &str) -> Option<(&str, &'static str)> {
    TYPES.into_iter().find_map(|word| {
        let at = text.len().checked_sub(word.len())?;
        text.get(at..).filter(|end| end.eq_ignore_ascii_case(word))?;
        let network = text.get(..at)?.trim();
        (!network.is_empty()).then_some((network, word.trim_start()))
    })
}

fn readers(audience: Option<&str>, at: usize, notes: &Plain, kept: &mut Noted) -> Option<Readers> {
    let words = audience.unwrap_or_default().trim();
    let readers = Readers::parse(words);
    if readers.is_none() {
        // Nothing may follow `for`.
        let at = (at + audience.map_or(0, |_| FOR.len())).min(notes.text.len());
        kept.add(notes.source(at), Notice::UnknownAudience(shown(words)));
    }
    readers
}

/// The type with what follows the audience.
fn kind<'a>(
    word: &str,
    items: impl Iterator<Item = (usize, &'a str)>,
    notes: &Plain,
    kept: &mut Noted,
) -> Kind {
    let mut frequency = None;
    let mut protocols = Vec::new();
    for (at, item) in items {
        spend(item.len() + 1);
        let at = notes.source(at + item.len() - item.trim_start().len());
        let item = item.trim();
        match word {
            "updates" => match (ChangeFrequency::parse(&item.to_ascii_lowercase()), frequency) {
                (Some(value), None) => frequency = Some(value),
                (Some(_), Some(_)) => kept.add(at, Notice::SecondFrequency(shown(item))),
                (None, _) => kept.add(at, Notice::UnknownFrequency(shown(item))),
            },
            "group" => kept.add(at, Notice::AfterAudience(shown(item))),
            _ => match Protocol::folded(item) {
                Some(protocol) => protocols.push(protocol),
                None => kept.add(at, Notice::NotProtocol(shown(item))),
            },
        }
    }
    match word {
        "updates" => Kind::Updates { frequency },
        "group" => Kind::Group,
        _ => Kind::Contact { business: word != "contact", protocols },
    }
}
