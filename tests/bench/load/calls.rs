//! How often a process calls the system, counted by `perf` where there is one: it slows nobody down, as `strace` would.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::process::Process;

/// The calls that are told apart.
const NAMED: [&str; 9] =
    ["recvfrom", "sendto", "writev", "epoll_wait", "futex", "write", "read", "pwrite64", "fsync"];

/// How long `perf` may take to begin.
const BEGINS_WITHIN: Duration = Duration::from_millis(500);

/// Calls by name; the first one is all of them.
pub(crate) type Calls = Vec<(String, f64)>;

/// How often the process calls the system while `work` is done, before and after which it has nothing to do. No calls are
/// known where there is no `perf`, or it may not count.
pub(crate) fn count<T>(
    process: &Process,
    work: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<(Option<Calls>, T)> {
    let perf = start(process);
    thread::sleep(BEGINS_WITHIN);
    let done = work()?;
    Ok((perf.and_then(finish), done))
}

fn start(process: &Process) -> Option<Child> {
    let named = NAMED.map(|name| format!("syscalls:sys_enter_{name}")).join(",");
    Command::new("perf")
        .args(["stat", "-x", ",", "-e", &format!("raw_syscalls:sys_enter,{named}")])
        .args(["-p", &process.id().to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()
}

fn finish(perf: Child) -> Option<Calls> {
    let pid = i32::try_from(perf.id()).ok().and_then(Pid::from_raw)?;
    kill_process(pid, Signal::INT).ok()?;
    let said = perf.wait_with_output().ok()?;
    let calls: Calls = String::from_utf8_lossy(&said.stderr).lines().filter_map(call).collect();
    (!calls.is_empty()).then_some(calls)
}

/// A line as `perf` writes it for programs: the count, its unit, the event, and more.
fn call(line: &str) -> Option<(String, f64)> {
    let mut fields = line.split(',');
    let count = fields.next()?.parse().ok()?;
    let name = fields.nth(1)?.rsplit(':').next()?.strip_prefix("sys_enter")?;
    let name = if name.is_empty() { "all" } else { name.trim_start_matches('_') };
    Some((name.to_owned(), count))
}
