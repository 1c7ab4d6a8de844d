//! What the system says of a process: the time, memory and descriptors that it has used.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;

/// A process that runs.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    folder: PathBuf,
}

impl Process {
    pub(crate) fn of(id: u32) -> Self {
        Self { folder: PathBuf::from(format!("/proc/{id}")) }
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
