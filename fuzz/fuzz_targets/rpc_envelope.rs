//! Service RPC: envelopes, keys, rings, answers.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| simplex_proptests::fuzz::rpc_envelope(bytes));
