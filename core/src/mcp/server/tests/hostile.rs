//! Requests that were bent out of shape.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::{Bench, headers, legacy, modern};
use crate::effect::Effect;

/// A fixed sequence of numbers that looks random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// Pieces that readers of JSON and of MCP stumble over.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "null",
    "1e999",
    "-0",
    "1.0",
    "\\ud800",
    "\\udc00",
    "\\u0000",
    "\u{0}",
    "\u{feff}",
    "é",
    "\"id\":2,",
    "\"id\":null,",
    "\"method\":\"ping\",",
    "\"params\":{},",
    "\"jsonrpc\":\"2.0\",",
    "\"_meta\":{},",
    "\"name\":\"list\",",
];

fn bent(numbers: &mut Numbers, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(chars.len());
        let end = at + numbers.below(8).min(chars.len() - at);
        match numbers.below(4) {
            0 => drop(chars.drain(at..end)),
            1 => chars.truncate(at),
            2 => {
                let copy: Vec<char> = chars[at..end].to_vec();
                chars.splice(at..at, copy);
            }
            _ => drop(chars.splice(at..at, PIECES[numbers.below(PIECES.len())].chars())),
        }
    }
    chars.into_iter().collect()
}

/// MCP-05, MCP-06, MCP-15, P3: whatever comes, a request begins calls or gets exactly one answer; the answer is empty or
/// JSON-RPC, a success has the id that was sent, and an error has that id or none.
#[test]
fn bent_requests() {
    let seeds = [
        modern("7", "tools/call", r#""name":"send","arguments":{"text":"x","wait":1}"#),
        modern("7", "tools/list", ""),
        legacy("7", "tools/call", r#""name":"send","arguments":{}"#),
        legacy("7", "initialize", r#""protocolVersion":"2025-11-25""#),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#.into(),
        alloc::format!("[{},{}]", legacy("7", "ping", ""), legacy("7", "tools/call", r#""name":"send""#)),
    ];
    let (call, list) = (headers("tools/call", "send"), headers("tools/list", ""));
    let header_sets: [&[(&str, &str)]; 4] = [&call, &list, &[], &[("mcp-protocol-version", "2025-03-26")]];
    let mut numbers = Numbers(7);
    let (mut answers, mut begun) = (0, 0);
    for round in 0..20_000 {
        let mut bench = Bench::new();
        let body = bent(&mut numbers, &seeds[round % seeds.len()]);
        let (request, calls) = bench.begin(header_sets[numbers.below(header_sets.len())], &body);
        for call in &calls {
            bench.finish(call, "done");
        }
        begun += calls.len();
        let effects: Vec<Effect> = bench.effects.drain().collect();
        let [Effect::HttpReply { request: answered, reply }] = effects.as_slice() else {
            panic!("{body}: {effects:?}")
        };
        assert_eq!(*answered, request);
        assert_eq!(bench.server.on_ended(request, true).len(), calls.len());
        if reply.body.is_empty() {
            assert_eq!(reply.status, 202, "{body}");
            continue;
        }
        answers += 1;
        let parsed: Value = serde_json::from_str(&reply.body).unwrap();
        let single = [parsed.clone()];
        for message in parsed.as_array().map_or(single.as_slice(), Vec::as_slice) {
            assert_eq!(message["jsonrpc"], "2.0");
            let id = message.get("id");
            assert!(message.get("result").is_some() != message.get("error").is_some(), "{message}");
            assert!(message.get("error").is_some() || id.is_some(), "{message}");
            assert!(id.is_none_or(|id| id.is_string() || id.is_number()), "{message}");
            assert!(
                id.is_none_or(|id| body.contains(&alloc::format!("{id}")) || id.is_string()),
                "{body}: {message}"
            );
        }
    }
    assert!(answers > 1000 && begun > 100, "the seeds are bent too much: {answers} answers, {begun} calls");
}
