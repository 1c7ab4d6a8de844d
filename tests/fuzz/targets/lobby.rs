#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nim_fuzz::bodies::lobby::body(data));
