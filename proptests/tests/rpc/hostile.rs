//! Texts that nobody meant.

use proptest::prelude::*;
use serde_json::Value;
use simplex_proptests::fuzz;

/// A text of the vectors.
fn vector() -> impl Strategy<Value = String> {
    let lines = [
        include_str!("../../../spec/vectors/rpc-request.jsonl"),
        include_str!("../../../spec/vectors/rpc-response.jsonl"),
    ];
    let texts: Vec<String> = lines
        .iter()
        .flat_map(|lines| lines.lines())
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["in"].as_str().expect("in").to_owned())
        .collect();
    proptest::sample::select(texts)
}

/// A text of two halves of others, with a byte changed.
fn spliced() -> impl Strategy<Value = Vec<u8>> {
    (vector(), vector(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()).prop_map(
        |(a, b, cut, at, byte)| {
            let (a, b) = (a.into_bytes(), b.into_bytes());
            let mut text = [&a[..cut.index(a.len() + 1)], &b[cut.index(b.len() + 1)..]].concat();
            if !text.is_empty() {
                let at = at.index(text.len());
                text[at] = byte;
            }
            text
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// RPC-34, P10: halves of envelopes, with a byte changed.
    #[test]
    fn spliced_envelopes(text in spliced()) {
        fuzz::rpc_envelope(&text);
    }

    /// RPC-34: any bytes.
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        fuzz::rpc_envelope(&bytes);
    }
}
