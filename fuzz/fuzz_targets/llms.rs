//! The section of `llms.txt`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| simplex_proptests::fuzz::llms(bytes));
