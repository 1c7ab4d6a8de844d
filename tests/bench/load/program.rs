//! A server in its own process.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::kind::Kind;
use super::process::Process;

/// A listening server. It is killed on drop.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    address: SocketAddr,
    /// The rest of its output is not read, but the pipe has to stay open.
    _stdout: BufReader<ChildStdout>,
    _folder: Option<TempDir>,
}

impl Program {
    /// Starts a server, and waits until it prints its address.
    pub(crate) fn start(kind: Kind) -> anyhow::Result<Self> {
        let (mut command, folder) = kind.command()?;
        command.stderr(Stdio::null());
        Self::run(command, folder)
    }

    /// The same for a server with its own command, log, and journal folder, if any.
    pub(crate) fn run(mut command: Command, folder: Option<TempDir>) -> anyhow::Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("could not start {command:?}"))?;
        let mut stdout = BufReader::new(child.stdout.take().context("the server has no output")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let address = line.trim_end().strip_prefix("listening on ").and_then(|address| address.parse().ok());
        let address = address.with_context(|| format!("it did not say where it listens: {command:?}"))?;
        Ok(Self { child, address, _stdout: stdout, _folder: folder })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The system's view of it.
    pub(crate) fn process(&self) -> Process {
        Process::of(self.child.id())
    }

    /// Sends SIGTERM.
    pub(crate) fn terminate(&self) -> anyhow::Result<Instant> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).context("no process")?;
        kill_process(pid, Signal::TERM)?;
        Ok(Instant::now())
    }

    /// Waits for the exit; returns the time since then.
    pub(crate) fn wait(mut self, since: Instant) -> anyhow::Result<Duration> {
        self.child.wait()?;
        Ok(since.elapsed())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
