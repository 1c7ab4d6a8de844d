//! What a test says that needs a program which is not installed.

use std::io;

/// Says that a test was not made. That is a failure where CI=true.
pub(super) fn not_checked(test: &str, tool: &str, error: &io::Error) {
    eprintln!("\n== NOT CHECKED: {test}, since {tool} cannot be used: {error}");
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{tool} is missing");
}
