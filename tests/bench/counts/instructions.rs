//! How many instructions something takes: this program does it under `valgrind`, some times and then more
//! often, so that all but the thing itself cancels out. The number is the same on every run.

use std::process::{Command, Stdio};

/// How often it is done, and how often the second time.
const TIMES: [u64; 2] = [1_000, 3_000];

/// The instructions of one time; `None` where there is no `valgrind`.
pub(crate) fn count(thing: &str, variant: &str) -> Option<f64> {
    let [some, more] = TIMES.map(|times| collected(thing, variant, times));
    Some((more? - some?) / (TIMES[1] - TIMES[0]) as f64)
}

fn collected(thing: &str, variant: &str, times: u64) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let said = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--only", thing, variant, &times.to_string()])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    said.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}
