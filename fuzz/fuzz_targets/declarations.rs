//! Declarations of profiles, groups and addresses.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| simplex_proptests::fuzz::declarations(bytes));
