//! What the system reports about a process: its CPU time, memory and descriptors.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;

/// A running process.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    folder: PathBuf,
}

impl Process {
    pub(crate) fn of(id: u32) -> Self {
        Self { folder: PathBuf::from(format!("/proc/{id}")) }
    }

    /// The CPU time of all its threads, in nanoseconds. Threads that have ended do not count.
    pub(crate) fn cpu(&self) -> anyhow::Result<Duration> {
        self.sum(|_| true, 1)
    }

    /// The busy time of the threads with such a name: on a core, or waiting for one.
    pub(crate) fn busy(&self, named: impl Fn(&str) -> bool) -> anyhow::Result<Duration> {
        self.sum(named, 2)
    }

    /// The sum over the threads of the first `count` numbers in `schedstat`: the time on a core, and the
    /// time spent waiting for one.
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

    /// The number of threads with such a name.
    pub(crate) fn threads(&self, named: impl Fn(&str) -> bool) -> anyhow::Result<usize> {
        let mut count = 0;
        for thread in fs::read_dir(self.folder.join("task"))? {
            let name = fs::read_to_string(thread?.path().join("comm"))?;
            count += usize::from(named(name.trim_end()));
        }
        Ok(count)
    }

    /// The resident memory in bytes.
    pub(crate) fn resident(&self) -> anyhow::Result<u64> {
        let rollup = fs::read_to_string(self.folder.join("smaps_rollup"))?;
        let line = rollup.lines().find_map(|line| line.strip_prefix("Rss:")).context("no resident memory")?;
        numbers(line).next().map(|kibibytes| kibibytes * 1024).context("no resident memory")
    }

    /// The number of open files and sockets.
    pub(crate) fn descriptors(&self) -> anyhow::Result<usize> {
        Ok(fs::read_dir(self.folder.join("fd"))?.count())
    }
}

fn numbers(text: &str) -> impl Iterator<Item = u64> {
    text.split_whitespace().filter_map(|word| word.parse().ok())
}
