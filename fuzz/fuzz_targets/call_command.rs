//! The chat transport: the text of a command.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| simplex_proptests::fuzz::call_command(bytes));
