//! What the system says of a process: the time, memory, descriptors and system calls that it has used.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};

/// A process that runs.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    id: u32,
    folder: PathBuf,
}

impl Process {
    pub(crate) fn of(id: u32) -> Self {
        Self { id, folder: PathBuf::from(format!("/proc/{id}")) }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// The CPU time of all its threads, to the nanosecond. Threads that have ended do not count.
    pub(crate) fn cpu(&self) -> anyhow::Result<Duration> {
        self.sum(|_| true, 1)
    }

    /// For how long the threads with such a name had something to do: on a core, or waiting for one.
    pub(crate) fn busy(&self, named: impl Fn(&str) -> bool) -> anyhow::Result<Duration> {
        self.sum(named, 2)
    }

    /// The sum of the first `count` numbers that the scheduler gives for each thread: the time on a core, the
    /// time that it waited for one.
    fn sum(&self, named: impl Fn(&str) -> bool, count: usize) -> anyhow::Result<Duration> {
        let mut nanos = 0;
        for thread in fs::read_dir(self.folder.join("task"))? {
            let folder = thread?.path();
            if named(fs::read_to_string(folder.join("comm"))?.trim_end()) {
                let stat = fs::read_to_string(folder.join("schedstat"))?;
                nanos += numbers(&stat).take(count).sum::<u64>();
            }
        }
        Ok(Duration::from_nanos(nanos))
    }

    /// How many threads have such a name.
    pub(crate) fn threads(&self, named: impl Fn(&str) -> bool) -> anyhow::Result<usize> {
        let mut count = 0;
        for thread in fs::read_dir(self.folder.join("task"))? {
            let name = fs::read_to_string(thread?.path().join("comm"))?;
            count += usize::from(named(name.trim_end()));
        }
        Ok(count)
    }

    /// The bytes of memory that it holds.
    pub(crate) fn resident(&self) -> anyhow::Result<u64> {
        let rollup = fs::read_to_string(self.folder.join("smaps_rollup"))?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Rss:")).context("no resident memory")?;
        numbers(line).next().map(|kibibytes| kibibytes * 1024).context("no resident memory")
    }

    /// How many files and sockets it has open.
    pub(crate) fn descriptors(&self) -> anyhow::Result<usize> {
        Ok(fs::read_dir(self.folder.join("fd"))?.count())
    }
}

fn numbers(text: &str) -> impl Iterator<Item = u64> {
    text.split_whitespace().filter_map(|word| word.parse().ok())
}

/// The calls that are counted by name. `perf` counts them, which slows nobody down, as `strace` would.
const NAMED: [&str; 9] =
    ["recvfrom", "sendto", "writev", "epoll_wait", "futex", "write", "read", "pwrite64", "fsync"];

/// How long `perf` may take to begin.
const BEGINS_WITHIN: Duration = Duration::from_millis(500);

/// Calls by name; the first one is all of them.
pub(crate) type Calls = Vec<(String, f64)>;

/// How often the process calls the system while `work` is done, before and after which it has nothing to do.
/// No calls are known where there is no `perf`, or it may not count.
pub(crate) fn count_calls<T>(
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
