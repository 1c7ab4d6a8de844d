//! The data folder: where a host records games, and the commands that check and copy the journal there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use etcetera::app_strategy::{AppStrategy, AppStrategyArgs, choose_app_strategy};
#[cfg(feature = "cluster")]
use nim::cluster::archive::ArchiveStore;
use nim::server::admin::AdminPlace;
use nim::server::storage::Sqlite;
use nim::server::storage::sqlite::{self, Durability};
use nim::server::{CannotServe, Config, History, RestoreReport, Server};

use super::values::yes_or_no;

/// The folder of the journal inside this program's data folder.
const FOLDER: &str = "server";

/// Where games are recorded, how durably, and for how long.
#[derive(Debug, Args)]
pub(crate) struct DataFlags {
    /// The folder in which all games are recorded [default: this system's folder for such data, printed at
    /// the start]
    #[arg(long, env = "NIM_DATA", value_name = "DIR", conflicts_with = "memory")]
    data: Option<PathBuf>,

    /// What a move survives: the end of the process, or also a power failure
    #[arg(
        long,
        env = "NIM_DURABILITY",
        default_value = "process",
        value_name = "WHAT",
        conflicts_with = "memory"
    )]
    durability: Durability,

    /// Record nothing: all games are lost when the server stops
    #[arg(long, env = "NIM_MEMORY", value_parser = yes_or_no)]
    memory: bool,

    /// For how many days finished games are kept
    #[arg(
        long,
        env = "NIM_HISTORY_DAYS",
        default_value_t = 365,
        value_name = "DAYS",
        conflicts_with = "memory"
    )]
    history_days: u16,

    /// The maximum size of all records, in MiB; beyond it, the oldest finished games are removed, first those of
    /// the address that has most. A server uses up to 25 MiB more
    #[arg(long, env = "NIM_HISTORY_SIZE", default_value_t = 1024, value_name = "MIB", conflicts_with = "memory", value_parser = clap::value_parser!(u32).range(1..))]
    history_size: u32,
}

impl DataFlags {
    /// Returns a server with all games of the data folder, and lines for the start screen. `refused` words
    /// the error that a port cannot be bound.
    pub(crate) fn serve(
        &self,
        config: Config,
        refused: impl Fn(&std::io::Error) -> String,
    ) -> anyhow::Result<(Server, Vec<String>)> {
        if self.memory {
            let server = Server::bind(config).map_err(|error| anyhow::anyhow!(refused(&error)))?;
            let words = "Nothing is recorded (--memory): all games are lost when the server stops.";
            return Ok((server, vec![words.into()]));
        }
        let folder = folder(self.data.as_deref())?;
        let (storage, mut words) = Sqlite::open(&folder, self.durability)?;
        let config = Config { history: self.history(), ..config };
        let (server, found) = match Server::bind_with_storage(config, Box::new(storage.with_reserve())) {
            Ok(served) => served,
            Err(CannotServe::Port(error)) => bail!(refused(&error)),
            Err(error) => return Err(error.into()),
        };
        keep_acts(&server, &folder)?;
        words.extend(summary(&folder, &found));
        Ok((server, words))
    }

    /// The archive of a node, with its folder, and lines for the start screen.
    #[cfg(feature = "cluster")]
    pub(crate) fn archive(&self) -> anyhow::Result<(ArchiveStore, PathBuf, Vec<String>)> {
        let folder = folder(self.data.as_deref())?;
        let (archive, words) = ArchiveStore::open(&folder, self.durability, self.history())?;
        Ok((archive, folder, words))
    }

    /// For how long finished games are kept.
    pub(crate) fn history(&self) -> History {
        History {
            age: Duration::from_hours(24 * u64::from(self.history_days)),
            bytes: u64::from(self.history_size) << 20,
        }
    }

    /// Where the admin socket of the server is that listens on this port.
    pub(crate) fn admin_place(&self, port: u16) -> anyhow::Result<AdminPlace> {
        if self.memory {
            return Ok(AdminPlace::of_port(port)?);
        }
        Ok(AdminPlace::in_folder(&folder(self.data.as_deref())?))
    }
}

/// Keeps bans and mutes in this folder.
pub(crate) fn keep_acts(server: &Server, folder: &Path) -> anyhow::Result<()> {
    server.keep_acts_in(folder).with_context(|| {
        format!(
            "the bans and mutes in {} cannot be read: correct or remove restrictions.json",
            folder.display()
        )
    })
}

/// The journal's folder: `named`, or the default.
pub(crate) fn folder(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(named) = named {
        return std::path::absolute(named).with_context(|| format!("--data {}", named.display()));
    }
    let ours = AppStrategyArgs { app_name: "nim".into(), ..AppStrategyArgs::default() };
    let places =
        choose_app_strategy(ours).context("this system has no place for data; name one with --data DIR")?;
    Ok(places.state_dir().unwrap_or_else(|| places.data_dir()).join(FOLDER))
}

fn summary(folder: &Path, found: &RestoreReport) -> Vec<String> {
    let mut lines = vec![match &found.error {
        None => format!("All games are recorded in {}.", folder.display()),
        Some(error) => {
            format!("Nothing can be recorded now: {error}. Until then no game begins or goes on.")
        }
    }];
    match found.lobbies {
        0 => {}
        1 => lines.push("1 lobby goes on where it was.".into()),
        count => lines.push(format!("{count} lobbies go on where they were.")),
    }
    lines.extend(found.damaged.iter().map(|damage| format!("Set aside because it is damaged: {damage}.")));
    lines
}

/// The command that verifies a journal.
#[derive(Debug, Args)]
pub(crate) struct CheckFlags {
    /// The folder of the journal [default: where nim-server keeps it]
    #[arg(long, env = "NIM_DATA", value_name = "DIR")]
    data: Option<PathBuf>,

    #[cfg(feature = "cluster")]
    #[command(flatten)]
    cluster: crate::etcd::ClusterPlace,
}

impl CheckFlags {
    /// Prints the findings. Returns whether there are none.
    pub(crate) fn run(&self) -> anyhow::Result<bool> {
        #[cfg(feature = "cluster")]
        if self.cluster.is_on() {
            return self.cluster.work(crate::cluster_check::check_cluster);
        }
        let report = sqlite::check(&folder(self.data.as_deref())?)?;
        super::values::say(&report.to_string())?;
        Ok(report.findings.is_empty())
    }
}

/// The command that copies a journal.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file to write, which must not exist yet. To host from it, put it into an empty folder as
    /// journal.sqlite
    file: PathBuf,

    /// The folder of the journal [default: where nim-server keeps it]
    #[arg(long, env = "NIM_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Backup {
    /// Makes a consistent copy, even while games go on. Returns whether all of the journal is sound and copied.
    pub(crate) fn run(&self) -> anyhow::Result<bool> {
        if self.file.as_os_str() == "-" {
            bail!("a journal cannot be copied to the standard output: name a file");
        }
        let left_out = sqlite::backup(&folder(self.data.as_deref())?, &self.file)?;
        let file = self.file.display();
        if left_out.is_empty() {
            super::values::say(&format!("The journal is copied to {file}."))?;
        } else {
            let left_out = left_out.join("\n");
            super::values::say(&format!("{left_out}\nThe rest of the journal is copied to {file}."))?;
            return Ok(false);
        }
        Ok(true)
    }
}
