#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nim_fuzz::bodies::to_server::body(data));
