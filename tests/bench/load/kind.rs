//! The servers that are compared.

use std::process::Command;

use anyhow::Context;
use clap::ValueEnum;
use tempfile::TempDir;

/// A kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A bare relay: the usual `Framed`, and a channel for each connection
    Framed,
    /// A bare relay: each connection's task writes to both sockets
    Direct,
    /// The real server without a journal
    Memory,
    /// The real server with a journal that survives a crash of the process
    Process,
    /// The real server with a journal that survives a power failure
    Power,
}

/// More than any client here needs: the limits are not measured.
const NO_LIMIT: &str = "500000";

impl Kind {
    /// Whether it forwards frames without judging them.
    pub(crate) fn is_bare(self) -> bool {
        matches!(self, Self::Framed | Self::Direct)
    }

    /// The command, and the folder of its journal.
    pub(crate) fn command(self) -> anyhow::Result<(Command, Option<TempDir>)> {
        if self.is_bare() {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["load", "--serve", &name(&self)]);
            return Ok((command, None));
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_nim-server"));
        command.args(["--bind", "127.0.0.1:0", "--bot-pace", "0"]);
        let each =
            ["--max-connections-each", "--max-hellos-each", "--max-lobbies-each", "--max-requests-each"];
        for limit in ["--max-connections", "--max-lobbies"].into_iter().chain(each) {
            command.args([limit, NO_LIMIT]);
        }
        if std::env::var_os("RUST_LOG").is_none() {
            command.env("RUST_LOG", "warn");
        }
        command.args(["--max-journal-each", "2000"]);
        let folder = self.keep(&mut command)?;
        Ok((command, folder))
    }

    /// Sets the server's journal. Its folder is on the disk of the build, since syncing to memory costs
    /// nothing.
    fn keep(self, command: &mut Command) -> anyhow::Result<Option<TempDir>> {
        if self == Self::Memory {
            command.arg("--memory");
            return Ok(None);
        }
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).context("no folder to record in")?;
        command.arg("--data").arg(folder.path()).args(["--durability", &name(&self)]);
        Ok(Some(folder))
    }
}

/// The value's name on the command line.
pub(crate) fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}
