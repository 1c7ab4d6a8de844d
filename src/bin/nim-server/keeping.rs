//! Where a host keeps what happens, and how firmly.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use etcetera::app_strategy::{AppStrategy, AppStrategyArgs, choose_app_strategy};
use nim::server::storage::Sqlite;
use nim::server::storage::sqlite::Durability;
use nim::server::{Config, Found, History, Server};

use super::yes_or_no;

/// The folder of the journal among what this program keeps.
const FOLDER: &str = "server";

/// What a host chooses.
#[derive(Debug, Args)]
pub(crate) struct Keeping {
    /// The folder in which all games are recorded [default: the system's place for such things, which is said at the start]
    #[arg(long, env = "NIM_DATA", value_name = "DIR", conflicts_with = "memory")]
    data: Option<PathBuf>,

    /// What a move survives once somebody was told of it: the end of the process, or also that of the power
    #[arg(
        long,
        env = "NIM_DURABILITY",
        default_value = "process",
        value_name = "WHAT",
        conflicts_with = "memory"
    )]
    durability: Firmness,

    /// Record nothing: all games are lost when the server stops
    #[arg(long, env = "NIM_MEMORY", value_parser = yes_or_no)]
    memory: bool,

    /// For how many days games are kept that are over
    #[arg(
        long,
        env = "NIM_HISTORY_DAYS",
        default_value_t = 365,
        value_name = "DAYS",
        conflicts_with = "memory"
    )]
    history_days: u16,

    /// How many mebibytes the record of all games may take; of those that are over the oldest ones go first. While it runs, up to 17 MiB more stand beside it
    #[arg(long, env = "NIM_HISTORY_SIZE", default_value_t = 1024, value_name = "MIB", conflicts_with = "memory", value_parser = clap::value_parser!(u32).range(1..))]
    history_size: u32,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Firmness {
    /// The end of the process, in whatever way
    Process,
    /// Also the end of the power: every move is synced to the disk before anybody is told
    Power,
}

/// A server, and what is to be said at its start.
pub(crate) struct Kept {
    pub(crate) server: Server,
    pub(crate) words: Vec<String>,
}

impl Keeping {
    /// The server that this config is for, with all the games that are kept; `refused` says why a port cannot be had.
    pub(crate) fn serve(
        &self,
        config: Config,
        refused: impl Fn(&std::io::Error) -> String,
    ) -> anyhow::Result<Kept> {
        if self.memory {
            let server = Server::bind(config).map_err(|error| anyhow::anyhow!(refused(&error)))?;
            let words = "Nothing is recorded (--memory): all games are lost when the server stops.";
            return Ok(Kept { server, words: vec![words.into()] });
        }
        let folder = folder(self.data.as_deref())?;
        let (storage, mut words) = Sqlite::open(&folder, self.durability.into())?;
        let config = Config { history: self.history(), ..config };
        let (server, found) = match Server::bind_keeping(config, Box::new(storage)) {
            Ok(served) => served,
            Err(nim::server::CannotServe::Port(error)) => bail!(refused(&error)),
            Err(error) => return Err(error.into()),
        };
        words.extend(summary(&folder, &found));
        Ok(Kept { server, words })
    }

    fn history(&self) -> History {
        History {
            age: Duration::from_hours(24 * u64::from(self.history_days)),
            bytes: u64::from(self.history_size) << 20,
        }
    }
}

/// The journal's folder: the one that was named, or the usual one.
pub(crate) fn folder(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(named) = named {
        return std::path::absolute(named).with_context(|| format!("--data {}", named.display()));
    }
    let ours = AppStrategyArgs { app_name: "nim".into(), ..AppStrategyArgs::default() };
    let places =
        choose_app_strategy(ours).context("this system has no place for data; name one with --data DIR")?;
    Ok(places.state_dir().unwrap_or_else(|| places.data_dir()).join(FOLDER))
}

fn summary(folder: &Path, found: &Found) -> Vec<String> {
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
    lines
        .extend(found.damaged.iter().map(|damage| format!("Set aside, for it cannot be trusted: {damage}.")));
    lines
}

impl From<Firmness> for Durability {
    fn from(firmness: Firmness) -> Self {
        match firmness {
            Firmness::Process => Self::Process,
            Firmness::Power => Self::Power,
        }
    }
}
