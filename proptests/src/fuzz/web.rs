//! Websites and declarations.

use simplex_agent_core::simplex::model::Raw;
use simplex_agent_core::web::llms::{self, Communications};
use simplex_agent_core::web::{Declared, Offer, Position};

/// The section of `llms.txt`: nothing panics, every note has a place in the text and in order, and what was read is
/// written so that it is read again.
pub fn llms(bytes: &[u8]) {
    let read = llms::read(bytes);
    assert_places(&read, &llms::decode(bytes).0);
    let written = llms::write(&read.entries);
    let again = llms::parse(&written);
    assert_eq!(again.entries, read.entries, "{written}");
    assert_places(&again, &written);
    assert_eq!(llms::write(&again.entries), written);
}

fn assert_places(read: &Communications, text: &str) {
    let lengths = lengths(text);
    let mut last = Position { line: 1, column: 1 };
    for note in &read.notes {
        assert!(last <= note.at, "{note} after {last:?}");
        let length = note.at.line.checked_sub(1).and_then(|line| lengths.get(line));
        assert!(
            length.is_some_and(|length| (1..=length + 1).contains(&note.at.column)),
            "{note}: outside of the text"
        );
        assert!(note.to_string().chars().count() < 300, "{note}");
        last = note.at;
    }
}

/// The characters of each line; of the last one too when it is empty.
fn lengths(text: &str) -> Vec<usize> {
    let text = text.replace("\r\n", "\n");
    text.split(['\n', '\r']).map(|line| line.chars().count()).collect()
}

/// Declarations in any JSON: nothing panics, what is put together has no Service RPC in a group, and the protocols are
/// written so that they are read again.
pub fn declarations(bytes: &[u8]) {
    let Some(raw) = std::str::from_utf8(bytes).ok().and_then(|text| Raw::parse(text).ok()) else { return };
    let read = [Declared::of_address, Declared::of_group, Declared::of_profile, Declared::of_group_profile];
    for declared in read.map(|read| read(&raw)) {
        let offer = Offer::new(None, Some(&declared));
        assert_eq!(offer.services.len(), declared.protocols.as_ref().map_or(0, |all| all.served.len()));
        if let Some(protocols) = &declared.protocols {
            let text = protocols.to_json();
            let profile = Raw::parse(&format!("{{\"preferences\":{{\"protocols\":{text}}}}}")).expect("JSON");
            let again = Declared::of_profile(&profile).protocols.expect("protocols were written");
            assert_eq!(again.to_json(), text);
            for (protocol, declaration) in &protocols.served {
                let same = again.of(protocol).expect("the protocol was written");
                assert_eq!(same.versions, declaration.versions);
                let flags = |d: &simplex_agent_core::web::Declaration| (d.transports.chat, d.transports.rpc);
                assert_eq!(flags(same), flags(declaration));
            }
        }
    }
}
