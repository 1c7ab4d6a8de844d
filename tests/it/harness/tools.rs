//! Optional programs beside Rust. Without one its tests pass, but list loudly what was not checked.

use std::io::Write;
use std::process::{Command, Stdio};

/// The tools, and what each checks.
pub(crate) const TOOLS: [(&str, &str); 5] = [
    ("python3", "the client in Python and its bots"),
    ("bash", "what bash completes"),
    ("fish", "what fish completes"),
    ("groff", "how the manual pages are set"),
    ("node", "the bot in JavaScript, which needs Node 20.10 or later"),
];

/// Whether this tool is installed.
pub(crate) fn has(tool: &str) -> bool {
    assert!(TOOLS.iter().any(|(name, _)| *name == tool), "{tool} is not on the list");
    // Older ones do not know this flag.
    let needed: &[&str] = if tool == "node" { &["--experimental-websocket"] } else { &[] };
    let version =
        Command::new(tool).args(needed).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Writes past the capture of the test runner, so that it is visible although the test passes.
pub(crate) fn say(text: &str) {
    std::io::stderr().write_all(format!("\n{text}\n").as_bytes()).unwrap();
}
